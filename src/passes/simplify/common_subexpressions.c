#include "passes/simplify/common_subexpressions.h"

/* Does the result depend on nothing but operands that are values? */
static bool is_pure(const hd_simplifier *s, const hd_ir_inst *inst)
{
	const unsigned impure = HD_OPF_MEM | HD_OPF_CROSS | HD_OPF_VAR | HD_OPF_SIDE | HD_OPF_FLOW;
	if (inst->op >= HD_OP_COUNT || (hd_ops[inst->op].flags & impure) || inst->nd != 1 || inst->d[0].kind != HD_OPD_REG ||
	    !hd_is_value(&s->values, &inst->d[0]))
		return false;
	if (inst->op == HD_OP_MOV || inst->op == HD_OP_MOV64 || inst->op == HD_OP_MOVI || inst->d[0].words > 2)
		return false;
	if (inst->op == HD_OP_S2R && inst->sub >= HD_SREG_CLOCK)
		return false;
	for (unsigned i = 0; i < inst->ns; i++)
		if (hd_opd_is_register(&inst->s[i]) && !hd_is_value(&s->values, &inst->s[i]))
			return false;
	return true;
}

static bool same_operand(const hd_opd *a, const hd_opd *b)
{
	return a->kind == b->kind && a->words == b->words && a->sub == b->sub && a->neg == b->neg && a->reg == b->reg && a->imm == b->imm;
}

static bool same_expression(const hd_ir_inst *a, const hd_ir_inst *b)
{
	if (a->op != b->op || a->mod != b->mod || a->sub != b->sub || a->ns != b->ns)
		return false;
	for (unsigned i = 0; i < a->ns; i++)
		if (!same_operand(&a->s[i], &b->s[i]))
			return false;
	return true;
}

static uint64_t hash(const hd_ir_inst *inst)
{
	uint64_t h = inst->op | (uint64_t)inst->mod << 16 | (uint64_t)inst->sub << 24;
	for (unsigned i = 0; i < inst->ns; i++) {
		const hd_opd *o = &inst->s[i];
		h = (h ^ o->imm ^ (uint64_t)o->reg << 32 ^ (uint64_t)o->kind << 8 ^ o->sub) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return h * UINT64_C(0x9e3779b97f4a7c15) >> 20;
}

/* An open hash table: the size is a power of two, at least twice the number of entries. */
typedef struct entry {
	const hd_ir_inst *inst; /* NULL = free */
	uint32_t block;
} entry;

/* The entry of an equal expression, or a free one. */
static entry *find(entry *table, size_t size, const hd_ir_inst *inst)
{
	size_t at = hash(inst) & (size - 1);
	while (table[at].inst && !same_expression(table[at].inst, inst))
		at = (at + 1) & (size - 1);
	return &table[at];
}

static void merge(hd_simplifier *s, entry *found, hd_ir_inst *inst, uint32_t block)
{
	bool reusable = found->inst && (found->block == block || (inst->op == HD_OP_S2R && hd_dominates(&s->values, found->block, block)));
	if (reusable)
		hd_make_copy(s, inst, found->inst->d[0]);
	else
		*found = (entry){inst, block};
}

void hd_merge_common_subexpressions(hd_simplifier *s)
{
	size_t total = 1, size = 16;
	for (uint32_t i = 0; i < s->values.reachable; i++)
		total += s->function->blocks.at[s->values.order[i]]->insts.n;
	while (size < 2 * total)
		size *= 2;
	entry *table = hd_xcalloc(size, sizeof *table);
	for (uint32_t i = 0; i < s->values.reachable; i++) {
		uint32_t b = s->values.order[i];
		const hd_ir_block *block = s->function->blocks.at[b];
		for (size_t k = 0; k < block->insts.n; k++) {
			hd_ir_inst *inst = block->insts.at[k];
			if (is_pure(s, inst))
				merge(s, find(table, size, inst), inst, b);
		}
	}
	free(table);
}
