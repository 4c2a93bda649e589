#include "isa/isa.h"

/* The hd_size of what each lane accesses. */
static unsigned access_size(const hd_inst *inst)
{
	static const uint8_t of_type[16] = {HD_SIZE_32, HD_SIZE_32, HD_SIZE_64, HD_SIZE_64, HD_SIZE_32, HD_SIZE_64};
	static const uint8_t of_cas[4] = {HD_SIZE_32, HD_SIZE_64, HD_SIZE_U16, HD_SIZE_32};
	switch ((hd_format)hd_ops[inst->op].format) {
	case HD_F_ATOM:
		return of_type[inst->sub >> 4];
	case HD_F_CAS:
		return of_cas[inst->mod & 3];
	default:
		return inst->sub;
	}
}

hd_access_op hd_access_op_of(const hd_inst *inst)
{
	const hd_op_info *row = &hd_ops[inst->op];
	hd_access_op op = {.offset = inst->imm,
	                   .space = hd_op_space(row),
	                   .wide = row->a == HD_W_D,
	                   .constant = inst->op == HD_OP_LDK,
	                   .own_stage = row->pipe == HD_PIPE_LATOM};
	if (hd_op_spawns(row)) {
		op.kind = inst->op == HD_OP_LAUNCH ? HD_ACCESS_LAUNCH : HD_ACCESS_PUSH;
	} else if (row->flags & HD_OPF_FENCE) {
		op.kind = HD_ACCESS_FENCE;
		op.scope = inst->sub & 3;
	} else {
		op.size = access_size(inst) & 7;
		op.kind = row->format == HD_F_LD    ? HD_ACCESS_LOAD
		          : row->format == HD_F_ST  ? HD_ACCESS_STORE
		          : row->format == HD_F_CAS ? HD_ACCESS_CAS
		                                    : HD_ACCESS_ATOMIC;
	}
	if (op.kind == HD_ACCESS_LOAD || op.kind == HD_ACCESS_STORE)
		op.cache = inst->mod & 3;
	if (op.kind == HD_ACCESS_ATOMIC) {
		op.atom = inst->sub & 15;
		op.type = inst->sub >> 4 & 7;
	}
	return op;
}

/* Words of a V operand. */
static unsigned variable_words(const hd_inst *inst) { return hd_max_u32(hd_size_bytes(access_size(inst)) / 4, 1); }

unsigned hd_width_words(unsigned width, unsigned variable)
{
	switch (width) {
	case HD_W_R:
		return 1;
	case HD_W_D:
		return 2;
	case HD_W_Q:
		return 4;
	case HD_W_V:
		return variable;
	default:
		return 0;
	}
}

unsigned hd_operand_words(const hd_inst *inst, unsigned operand)
{
	const hd_op_info *info = &hd_ops[inst->op];
	if (info->format == HD_F_BAR)
		return operand == 1 && inst->b != HD_RZ; /* the number of threads, which ops.def does not list: most barriers have none */
	unsigned width = operand == 0 ? info->a : operand == 1 ? info->b : operand == 2 ? info->c : info->d;
	return hd_width_words(width, width == HD_W_V ? variable_words(inst) : 0);
}

static void put_register(hd_use *uses, unsigned *n, unsigned reg, unsigned words, unsigned operand)
{
	if (words && reg != HD_RZ)
		uses[(*n)++] = (hd_use){(uint8_t)reg, (uint8_t)words, (uint8_t)operand};
}

static void put_predicate(hd_use *uses, unsigned *n, unsigned predicate, unsigned operand)
{
	if (predicate < HD_PREDS)
		uses[(*n)++] = (hd_use){(uint8_t)predicate, 0, (uint8_t)operand};
}

unsigned hd_inst_reads(const hd_inst *inst, hd_use uses[HD_MAX_USES])
{
	const hd_op_info *info = &hd_ops[inst->op];
	unsigned n = 0;
	bool imm = inst->ksel == 3 && hd_op_takes_imm16((hd_op)inst->op);
	if (info->format == HD_F_BAR) {
		put_register(uses, &n, inst->b, hd_operand_words(inst, 1), 1);
	} else if (info->format != HD_F_CBAR && info->format != HD_F_HINTS) {
		const uint8_t reg[3] = {inst->a, inst->b, inst->c};
		for (unsigned operand = 0; operand < 3; operand++) {
			if (inst->ksel == operand + 1 || (imm && operand == 1))
				continue;
			put_register(uses, &n, reg[operand], hd_operand_words(inst, operand), operand);
		}
	}
	put_predicate(uses, &n, inst->guard, 3);
	switch ((hd_format)info->format) {
	case HD_F_SEL:
	case HD_F_VOTE:
	case HD_F_CARRY:
		put_predicate(uses, &n, inst->sub & 7, 5);
		break;
	case HD_F_PLOP:
		put_predicate(uses, &n, inst->sub2 & 7, 5);
		put_predicate(uses, &n, inst->sub2 >> 4 & 7, 5);
		put_predicate(uses, &n, inst->b & 7, 5);
		break;
	default:
		break;
	}
	return n;
}

unsigned hd_inst_writes(const hd_inst *inst, hd_use uses[HD_MAX_USES])
{
	const hd_op_info *info = &hd_ops[inst->op];
	unsigned n = 0;
	if (info->d == HD_W_P)
		put_predicate(uses, &n, inst->d, 4);
	else
		put_register(uses, &n, inst->d, hd_operand_words(inst, 4), 4);
	if (info->format == HD_F_CARRY)
		put_predicate(uses, &n, inst->sub >> 3 & 7, 5);
	return n;
}

hd_op hd_op_find(const char *mnemonic, size_t length)
{
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		if (strlen(hd_ops[op].mnemonic) == length && memcmp(hd_ops[op].mnemonic, mnemonic, length) == 0)
			return (hd_op)op;
	}
	return HD_OP_COUNT;
}
