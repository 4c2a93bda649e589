#include "passes/simplify/if_conversion.h"

#include "passes/analysis/liveness.h"
#include "passes/simplify/control_flow.h"

typedef struct converter {
	hd_ir_function *f;
	hd_liveness live;
	uint32_t most; /* divergence.if_convert */
} converter;

/* Data memory is the only effect beyond registers that a guard may cover: loads, stores and atomics. */
static bool takes_guard(const hd_ir_inst *inst)
{
	if (inst->op >= HD_OP_COUNT || inst->guard.kind != HD_OPD_NONE)
		return false;
	const hd_op_info *row = hd_ir_info(inst->op);
	return !(row->flags & (HD_OPF_FLOW | HD_OPF_CROSS)) && (hd_op_accesses(row) || !(row->flags & (HD_OPF_SIDE | HD_OPF_MEM)));
}

static bool writes(const hd_ir_inst *inst, const hd_opd *predicate)
{
	for (unsigned i = 0; i < inst->nd; i++)
		if (inst->d[i].kind == HD_OPD_PRED && inst->d[i].reg == predicate->reg)
			return true;
	return false;
}

/* True when block `side` can join block `from`, whose branch leads to it. */
static bool can_join(const converter *c, uint32_t from, uint32_t side)
{
	const hd_ir_block *block = c->f->blocks.at[side];
	if (side == 0 || side == from || block->term != HD_TERM_JUMP || block->pred_blocks.n != 1 || block->succ.at[0] == side)
		return false;
	for (size_t k = 0; k < block->insts.n; k++)
		if (!takes_guard(block->insts.at[k]) || writes(block->insts.at[k], &c->f->blocks.at[from]->pred))
			return false;
	return true;
}

/* A register that occurs in no other block, and is written there before it is read. */
static bool is_own(const converter *c, const hd_opd *o) { return hd_opd_is_register(o) && c->live.first_bit[o->reg] >= c->live.global_bits; }

/* Moves the instructions of `side` to the end of `from`, under the guard. */
static void join(const converter *c, hd_ir_block *from, hd_ir_block *side, hd_opd guard)
{
	for (size_t k = 0; k < side->insts.n; k++) {
		hd_ir_inst *inst = side->insts.at[k];
		inst->guard = guard;
		for (unsigned i = 0; i < inst->nd; i++)
			if (is_own(c, &inst->d[i]))
				c->f->vregs.at[inst->d[i].reg].scratch = true;
		hd_vec_push(&from->insts, inst);
	}
	side->insts.n = 0;
}

/* The block to which control goes when neither side is left as a block; UINT32_MAX when the branch stays. *first and *second: the sides that join. */
static uint32_t find_join(const converter *c, uint32_t from, bool *first, bool *second)
{
	const hd_ir_block *block = c->f->blocks.at[from];
	uint32_t taken = block->succ.at[0], other = block->succ.at[1];
	if (taken == other)
		return UINT32_MAX;
	*first = can_join(c, from, taken);
	*second = can_join(c, from, other);
	uint32_t behind_taken = *first ? c->f->blocks.at[taken]->succ.at[0] : taken,
	         behind_other = *second ? c->f->blocks.at[other]->succ.at[0] : other;
	if ((!*first && !*second) || behind_taken != behind_other)
		return UINT32_MAX;
	size_t n = (*first ? c->f->blocks.at[taken]->insts.n : 0) + (*second ? c->f->blocks.at[other]->insts.n : 0);
	if (n > c->most)
		return UINT32_MAX;
	return behind_taken;
}

static bool convert(const converter *c, uint32_t number)
{
	hd_ir_block *block = c->f->blocks.at[number];
	bool first, second;
	if (block->term != HD_TERM_BRANCH || block->pred.kind != HD_OPD_PRED)
		return false;
	uint32_t behind = find_join(c, number, &first, &second);
	if (behind == UINT32_MAX)
		return false;
	hd_opd guard = block->pred;
	if (first)
		join(c, block, c->f->blocks.at[block->succ.at[0]], guard);
	guard.neg = !guard.neg;
	if (second)
		join(c, block, c->f->blocks.at[block->succ.at[1]], guard);
	block->term = HD_TERM_JUMP;
	block->pred = (hd_opd){0};
	block->succ.n = 0;
	hd_vec_push(&block->succ, behind);
	return true;
}

bool hd_pass_if_convert(hd_ir_module *module, const hd_pass_context *context)
{
	if (!context->machine->divergence_if_convert)
		return true;
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_ir_function *f = module->functions.at[i];
		converter c = {f, hd_liveness_new(f), context->machine->divergence_if_convert};
		bool changed = false;
		hd_ir_link(f);
		for (uint32_t b = 0; b < f->blocks.n; b++)
			changed |= convert(&c, b);
		hd_liveness_free(&c.live);
		if (changed)
			hd_simplify_control_flow(f);
	}
	return true;
}
