/* Construction of IR, rows of operations, and the operand shapes of each operation. */
#include "ir/ir.h"

#define RND HD_OPF_RND
#define SIDE HD_OPF_SIDE

static const hd_op_info pseudo_rows[HD_IR_OP_COUNT - HD_OP_COUNT] = {
#define PSEUDO(id, name, wd, wa, wb, wc, fl, text)           \
	[HD_IR_##id - HD_OP_COUNT] = {.mnemonic = name,      \
	                              .doc = text,           \
	                              .format = HD_F_ALU,    \
	                              .klass = HD_CLASS_NOP, \
	                              .pipe = HD_PIPE_NONE,  \
	                              .d = HD_W_##wd,        \
	                              .a = HD_W_##wa,        \
	                              .b = HD_W_##wb,        \
	                              .c = HD_W_##wc,        \
	                              .flags = (fl)},
#include "ir/pseudo.def"
#undef PSEUDO
};

const hd_op_info *hd_ir_info(unsigned op)
{
	hd_invariant(op < HD_IR_OP_COUNT, "operation %u does not exist", op);
	return op < HD_OP_COUNT ? &hd_ops[op] : &pseudo_rows[op - HD_OP_COUNT];
}

/* Words of an operand of width V. */
static unsigned variable_words(const hd_ir_inst *inst, const hd_op_info *row)
{
	unsigned bytes;
	switch (row->format) {
	case HD_F_LD:
	case HD_F_ST:
		bytes = hd_size_bytes(inst->sub);
		return bytes < 8 ? 1 : bytes / 4;
	case HD_F_ATOM:
		switch (inst->sub >> 4) {
		case HD_ATOM_U64:
		case HD_ATOM_S64:
		case HD_ATOM_F64:
			return 2;
		default:
			return 1;
		}
	case HD_F_CAS:
		return inst->mod == 1 ? 2 : 1;
	default:
		return 1;
	}
}

void hd_ir_shape_of(const hd_ir_inst *inst, hd_ir_shape *shape)
{
	const hd_op_info *row = hd_ir_info(inst->op);
	unsigned v = variable_words(inst, row), vector = 0;
	*shape = (hd_ir_shape){0};
	if (inst->op == HD_IR_CALLF || inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX ||
	    inst->op == HD_OP_RET) { /* its operands are arguments and results */
		shape->any = true;
		return;
	}
	if (row->d != HD_W_N)
		shape->d[shape->nd++] = (uint8_t)hd_width_words(row->d, v);
	if (row->a != HD_W_N)
		shape->s[shape->ns++] = (uint8_t)hd_width_words(row->a, v);
	if (row->b != HD_W_N)
		shape->s[shape->ns++] = (uint8_t)hd_width_words(row->b, v);
	if (row->c != HD_W_N)
		shape->s[shape->ns++] = (uint8_t)hd_width_words(row->c, v);
	switch (row->format) {
	case HD_F_SEL:
	case HD_F_VOTE:
		shape->s[shape->ns++] = 0;
		break;
	case HD_F_CARRY:
		shape->s[shape->ns++] = 0;
		shape->d[shape->nd++] = 0;
		break;
	case HD_F_PLOP:
		shape->ns = 3;
		break;
	case HD_F_MOVI:
	case HD_F_BAR:
	case HD_F_HINTS:
		shape->s[shape->ns++] = 1;
		break;
	default:
		break;
	}
	switch (inst->op) {
	case HD_IR_DP2:
		vector = 2;
		break;
	case HD_IR_DP3:
		vector = 3;
		break;
	case HD_IR_DP4:
		vector = 4;
		break;
	case HD_IR_NORM2:
	case HD_IR_NORM3:
	case HD_IR_NORM4:
		shape->nd = shape->ns = (uint8_t)(inst->op == HD_IR_NORM2 ? 2 : inst->op == HD_IR_NORM3 ? 3 : 4);
		for (unsigned i = 0; i < shape->nd; i++)
			shape->d[i] = shape->s[i] = 1;
		break;
	case HD_IR_FADDR:
		shape->s[shape->ns++] = 1;
		break;
	default:
		break;
	}
	if (vector) {
		shape->ns = (uint8_t)(2 * vector);
		memset(shape->s, 1, shape->ns);
	}
}

hd_ir_module *hd_ir_module_new(void) { return hd_xcalloc(1, sizeof(hd_ir_module)); }

void hd_ir_block_empty(hd_ir_block *block)
{
	hd_vec_free(&block->insts);
	hd_vec_free(&block->succ);
	hd_vec_free(&block->pred_blocks);
}

void hd_ir_module_free(hd_ir_module *module)
{
	if (module == NULL)
		return;
	for (size_t f = 0; f < module->functions.n; f++) {
		hd_ir_function *function = module->functions.at[f];
		for (size_t b = 0; b < function->blocks.n; b++)
			hd_ir_block_empty(function->blocks.at[b]);
		hd_vec_free(&function->vregs);
		hd_vec_free(&function->blocks);
		hd_vec_free(&function->params);
		hd_vec_free(&function->results);
		hd_vec_free(&function->info.params);
	}
	hd_vec_free(&module->functions);
	hd_vec_free(&module->variables);
	hd_vec_free(&module->data);
	hd_vec_free(&module->relocs);
	hd_vec_free(&module->code_refs);
	hd_vec_free(&module->files);
	hd_vec_free(&module->literals);
	hd_arena_free(&module->arena);
	free(module);
}

hd_ir_function *hd_ir_function_new(hd_ir_module *module, const char *name)
{
	hd_ir_function *function = hd_arena_alloc(&module->arena, sizeof *function);
	function->name = hd_arena_strndup(&module->arena, name, strlen(name));
	function->frame_align = 1;
	hd_vec_push(&module->functions, function);
	return function;
}

uint32_t hd_ir_block_new(hd_ir_module *module, hd_ir_function *function)
{
	hd_ir_block *block = hd_arena_alloc(&module->arena, sizeof *block);
	hd_vec_push(&function->blocks, block);
	return (uint32_t)function->blocks.n - 1;
}

uint32_t hd_ir_vreg_new(hd_ir_function *function, unsigned words)
{
	hd_vec_push(&function->vregs, (hd_ir_vreg){.words = (uint8_t)words});
	return (uint32_t)function->vregs.n - 1;
}

hd_ir_inst *hd_ir_inst_new(hd_ir_module *module, unsigned op, unsigned nd, unsigned ns)
{
	hd_ir_inst *inst = hd_arena_alloc(&module->arena, sizeof *inst + (nd + ns) * sizeof(hd_opd));
	hd_invariant(nd < 256 && ns < 256, "too many operands: %u, %u", nd, ns);
	inst->op = (uint16_t)op;
	inst->callee = -1;
	inst->nd = (uint8_t)nd;
	inst->ns = (uint8_t)ns;
	inst->d = (hd_opd *)(inst + 1);
	inst->s = inst->d + nd;
	return inst;
}

hd_ir_inst *hd_ir_inst_copy(hd_ir_module *module, const hd_ir_inst *inst)
{
	hd_ir_inst *copy = hd_ir_inst_new(module, inst->op, inst->nd, inst->ns);
	hd_opd *d = copy->d, *s = copy->s;
	*copy = *inst;
	copy->d = d;
	copy->s = s;
	for (unsigned i = 0; i < inst->nd; i++)
		d[i] = inst->d[i];
	for (unsigned i = 0; i < inst->ns; i++)
		s[i] = inst->s[i];
	return copy;
}

void hd_ir_replace_insts(hd_ir_block *block, hd_ir_insts *insts)
{
	hd_vec_free(&block->insts);
	block->insts = *insts;
	*insts = (hd_ir_insts){0};
}
