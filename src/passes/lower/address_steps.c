/* `store [a]; a += c` becomes `a += c; store [a - c]`. An address that is overwritten behind a store waits until it has been read, or, where a
 * barrier waits for the store, until the store is done, as a primary has one release (HZ-4). Where the store waits for its data anyway, the sum costs
 * nothing before it. */
#include "passes/lower/legalise.h"

/* a = a + constant, of a whole register. */
static bool is_step(const hd_ir_function *f, const hd_ir_inst *inst, int64_t *by)
{
	if ((inst->op != HD_OP_IADD && inst->op != HD_OP_IADD64) || inst->guard.kind != HD_OPD_NONE || inst->ns != 2 ||
	    inst->s[1].kind != HD_OPD_IMM || inst->s[0].kind != HD_OPD_REG || inst->d[0].reg != inst->s[0].reg || inst->d[0].sub || inst->s[0].sub ||
	    inst->d[0].words != f->vregs.at[inst->d[0].reg].words || inst->s[0].words != inst->d[0].words)
		return false;
	*by = inst->s[1].words == 2 ? (int64_t)inst->s[1].imm : (int32_t)inst->s[1].imm;
	return *by >= INT16_MIN && *by <= INT16_MAX;
}

static bool names(const hd_opd *o, uint32_t v) { return o->kind == HD_OPD_REG && o->reg == v; }

static bool writes(const hd_ir_inst *inst, uint32_t v)
{
	for (unsigned i = 0; i < inst->nd; i++)
		if (names(&inst->d[i], v))
			return true;
	return false;
}

static bool reads(const hd_ir_inst *inst, uint32_t v)
{
	for (unsigned i = 0; i < inst->ns; i++)
		if (names(&inst->s[i], v))
			return true;
	return false;
}

/* A store to [v + ...] that does without the last `by`. */
static bool can_follow(const hd_ir_inst *inst, uint32_t v, int64_t by)
{
	return inst->op < HD_OP_COUNT && hd_ops[inst->op].format == HD_F_ST && names(&inst->s[0], v) && inst->s[0].sub == 0 &&
	       !names(&inst->s[1], v) && inst->offset - by >= INT16_MIN && inst->offset - by <= INT16_MAX;
}

/* What the store waits for is made in the block, before it. */
static bool waits_for_data(const hd_ir_block *block, size_t store)
{
	const hd_opd *data = &block->insts.at[store]->s[1];
	for (size_t k = 0; k < store && data->kind == HD_OPD_REG; k++)
		if (writes(block->insts.at[k], data->reg))
			return true;
	return false;
}

static void advance(const hd_ir_function *f, hd_ir_block *block, size_t at)
{
	hd_ir_inst *step = block->insts.at[at];
	uint32_t v = step->d[0].reg;
	size_t to = at;
	int64_t by;
	if (!is_step(f, step, &by))
		return;
	for (size_t k = at; k-- > 0;) {
		const hd_ir_inst *inst = block->insts.at[k];
		if (writes(inst, v))
			break;
		if (!reads(inst, v))
			continue;
		if (!can_follow(inst, v, by) || !waits_for_data(block, k))
			break;
		to = k;
	}
	for (size_t k = at; k > to; k--) {
		hd_ir_inst *inst = block->insts.at[k - 1];
		if (reads(inst, v))
			inst->offset -= (int32_t)by;
		block->insts.at[k] = inst;
	}
	block->insts.at[to] = step;
}

void hd_advance_steps(hd_ir_function *function)
{
	for (size_t b = 0; b < function->blocks.n; b++)
		for (size_t k = 0; k < function->blocks.at[b]->insts.n; k++)
			advance(function, function->blocks.at[b], k);
}
