#include "passes/lower/branches.h"

/* In a subroutine the exit would need waits (docs/timing.md, Calls). A block that is terminated already begins with its exit. */
static bool only_exits(const hd_ir_function *f, uint32_t b)
{
	const hd_ir_block *block = f->blocks.at[b];
	return f->kernel && block->term == HD_TERM_EXIT && (block->insts.n == 0 || block->insts.at[0]->op == HD_OP_EXIT);
}

/* Turns branches so that they fall through if one side is the next block.
 * needs_jump[b]: neither side of b's branch is next, so a block that jumps must follow; number[b]: b's number with these blocks counted. Returns how
 * many there are. */
static uint32_t turn_branches(hd_ir_function *f, bool *needs_jump, uint32_t *number)
{
	uint32_t added = 0;
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		number[b] = b + added;
		if (block->term != HD_TERM_BRANCH)
			continue;
		uint32_t *taken = &block->succ.at[0], *next = &block->succ.at[1];
		if (*taken == b + 1 && *next != b + 1) {
			block->pred.neg = !block->pred.neg;
			uint32_t side = *taken;
			*taken = *next;
			*next = side;
		}
		needs_jump[b] = *next != b + 1;
		added += needs_jump[b];
	}
	return added;
}

static void renumber_targets(hd_ir_block *block, const uint32_t *number)
{
	for (size_t s = 0; s < block->succ.n; s++)
		block->succ.at[s] = number[block->succ.at[s]];
	for (size_t k = 0; k < block->insts.n; k++)
		if (block->insts.at[k]->op == HD_OP_PUSH)
			block->insts.at[k]->callee = (int32_t)number[block->insts.at[k]->callee];
}

/* Block numbers become final. */
static void make_fall_through(hd_ir_module *module, hd_ir_function *f)
{
	uint32_t n = (uint32_t)f->blocks.n, *number = hd_xcalloc(n + 1, sizeof *number);
	bool *needs_jump = hd_xcalloc(n + 1, sizeof *needs_jump);
	uint32_t added = turn_branches(f, needs_jump, number);
	for (uint32_t i = 0; i < added; i++)
		hd_ir_block_new(module, f);
	hd_ir_block **fresh = hd_xcalloc(added + 1, sizeof *fresh);
	if (added)
		memcpy(fresh, &f->blocks.at[n], added * sizeof *fresh);
	/* From the last to the first, so that no block is overwritten before it has moved. */
	for (uint32_t b = n; b-- > 0;) {
		hd_ir_block *block = f->blocks.at[b];
		renumber_targets(block, number);
		f->blocks.at[number[b]] = block;
		if (!needs_jump[b])
			continue;
		hd_ir_block *jump = fresh[--added];
		jump->term = HD_TERM_JUMP;
		jump->loc = block->loc;
		hd_vec_push(&jump->succ, block->succ.at[1]);
		block->succ.at[1] = number[b] + 1;
		f->blocks.at[number[b] + 1] = jump;
	}
	free(fresh);
	free(number);
	free(needs_jump);
}

static void append_flow(hd_ir_module *module, hd_ir_block *block, unsigned op, uint32_t target, hd_opd guard)
{
	hd_ir_inst *inst = hd_ir_inst_new(module, op, 0, 0);
	inst->callee = (int32_t)target;
	inst->guard = guard;
	inst->loc = block->loc;
	hd_vec_push(&block->insts, inst);
}

/* A branch to a sync, or to a flag, takes lanes to its token. A branch to a block that only exits is an exit (RC-12). */
static void append_branch(hd_ir_module *module, const hd_ir_function *f, hd_ir_block *block, hd_opd guard)
{
	uint32_t target = block->succ.at[0];
	const hd_ir_block *to = f->blocks.at[target];
	if (only_exits(f, target))
		append_flow(module, block, HD_OP_EXIT, 0, guard);
	else
		append_flow(module, block, to->meets || (to->insts.n && to->insts.at[0]->op == HD_OP_SYNC) ? HD_OP_BRK : HD_OP_BRA, target, guard);
}

static void append_terminator(hd_ir_module *module, const hd_ir_function *f, uint32_t b)
{
	static const hd_opd always = {0};
	hd_ir_block *block = f->blocks.at[b];
	switch (block->term) {
	case HD_TERM_JUMP:
		if (block->succ.at[0] != b + 1)
			append_branch(module, f, block, always);
		break;
	case HD_TERM_BRANCH:
		if (block->succ.at[0] != b + 1)
			append_branch(module, f, block, block->pred);
		break;
	case HD_TERM_RET:
		append_flow(module, block, HD_OP_RET, 0, always);
		break;
	case HD_TERM_EXIT:
		append_flow(module, block, HD_OP_EXIT, 0, always);
		break;
	case HD_TERM_TRAP:
		append_flow(module, block, HD_OP_TRAP, 0, always);
		break;
	case HD_TERM_SWITCH:
		hd_panic("a switch in %s after hd_pass_switches", f->name);
	}
}

bool hd_pass_branches(hd_ir_module *module, const hd_pass_context *context)
{
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_ir_function *f = module->functions.at[i];
		f->laid_out = true;
		make_fall_through(module, f);
		for (uint32_t b = 0; b < f->blocks.n; b++)
			append_terminator(module, f, b);
	}
	return true;
}
