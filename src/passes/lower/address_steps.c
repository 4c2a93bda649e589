#include "passes/lower/address_steps.h"

enum { LOOK_BACK = 128 /* instructions that a step moves over at most; older data does not keep a store waiting */ };

/* v = v + constant, of a whole register and in all lanes. */
static bool is_step(const hd_ir_function *f, const hd_ir_inst *inst, int64_t *by)
{
	if ((inst->op != HD_OP_IADD && inst->op != HD_OP_IADD64) || inst->guard.kind != HD_OPD_NONE || inst->ns != 2)
		return false;
	const hd_opd *d = &inst->d[0], *v = &inst->s[0], *constant = &inst->s[1];
	if (constant->kind != HD_OPD_IMM || v->kind != HD_OPD_REG || d->reg != v->reg || d->words != f->vregs.at[d->reg].words ||
	    v->words != d->words)
		return false;
	*by = constant->words == 2 ? (int64_t)constant->imm : (int32_t)constant->imm;
	return *by >= INT16_MIN && *by <= INT16_MAX;
}

static bool is_register(const hd_opd *o, uint32_t v) { return o->kind == HD_OPD_REG && o->reg == v; }

static bool writes(const hd_ir_inst *inst, uint32_t v)
{
	for (unsigned i = 0; i < inst->nd; i++)
		if (is_register(&inst->d[i], v))
			return true;
	return false;
}

static bool reads(const hd_ir_inst *inst, uint32_t v)
{
	for (unsigned i = 0; i < inst->ns; i++)
		if (is_register(&inst->s[i], v))
			return true;
	return false;
}

/* A store to [v + offset] whose offset can make up for a step of v before it. */
static bool can_follow_step(const hd_ir_inst *inst, uint32_t v, int64_t by)
{
	return inst->op < HD_OP_COUNT && hd_ops[inst->op].format == HD_F_ST && is_register(&inst->s[0], v) && inst->s[0].sub == 0 &&
	       !is_register(&inst->s[1], v) && inst->offset - by >= INT16_MIN && inst->offset - by <= INT16_MAX;
}

/* Is the data of the store defined shortly before it in the block? */
static bool waits_for_data(const hd_ir_block *block, size_t store)
{
	const hd_opd *data = &block->insts.at[store]->s[1];
	for (size_t k = store > LOOK_BACK ? store - LOOK_BACK : 0; k < store && data->kind == HD_OPD_REG; k++)
		if (writes(block->insts.at[k], data->reg))
			return true;
	return false;
}

/* Where the step at `at` can go: before the earliest of the stores that allow it. */
static size_t find_target(const hd_ir_block *block, size_t at, uint32_t v, int64_t by)
{
	size_t target = at;
	for (size_t k = at; k-- > 0 && at - k <= LOOK_BACK;) {
		const hd_ir_inst *inst = block->insts.at[k];
		if (writes(inst, v))
			break;
		if (!reads(inst, v))
			continue;
		if (!can_follow_step(inst, v, by) || !waits_for_data(block, k))
			break;
		target = k;
	}
	return target;
}

static void move_step(const hd_ir_function *f, hd_ir_block *block, size_t at)
{
	hd_ir_inst *step = block->insts.at[at];
	int64_t by;
	if (!is_step(f, step, &by))
		return;
	uint32_t v = step->d[0].reg;
	size_t target = find_target(block, at, v, by);
	for (size_t k = at; k > target; k--) {
		hd_ir_inst *inst = block->insts.at[k - 1];
		if (reads(inst, v))
			inst->offset -= (int32_t)by;
		block->insts.at[k] = inst;
	}
	block->insts.at[target] = step;
}

void hd_move_address_steps(hd_ir_function *function)
{
	for (size_t b = 0; b < function->blocks.n; b++)
		for (size_t k = 0; k < function->blocks.at[b]->insts.n; k++)
			move_step(function, function->blocks.at[b], k);
}
