#include "isa/isa.h"

static unsigned size_words(unsigned size)
{
	unsigned bytes = hd_size_bytes(size);
	return hd_max_u32(bytes / 4, 1);
}

/* Words of a V operand. */
static unsigned variable_words(const hd_inst *inst)
{
	switch ((hd_format)hd_ops[inst->op].format) {
	case HD_F_ATOM: {
		unsigned type = inst->sub >> 4;
		return type == HD_ATOM_U64 || type == HD_ATOM_S64 || type == HD_ATOM_F64 ? 2 : 1;
	}
	case HD_F_CAS:
		return inst->mod == 1 ? 2 : 1;
	default:
		return size_words(inst->sub);
	}
}

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
