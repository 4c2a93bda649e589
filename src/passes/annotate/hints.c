/* Holds, lowers and may-replay, chosen instruction by instruction from the latency table.
 *
 *  - hold.replay.mem on a consumer that ends the life of a value by a last-use flag (LU-3): as long as no other warp and no replay comes between
 *    it and its delay, the value is forwarded and never written (LU-5, LU-6). It need not wait for memory: its counters say what it waits for.
 *  - may_replay on loads of global memory: a full table of misses then holds back that load and not those behind it, which may hit.
 *  - lower, for as long as the unit is busy, on an instruction whose successor goes to the same unit: a warp whose next instruction needs another one
 * goes first, and the queue does not fill with those that cannot enter. */
#include "passes/annotate/hints.h"

static bool ends_a_life(const hd_ir_inst *inst)
{
	for (unsigned i = 0; i < inst->ns; i++)
		if (inst->s[i].last_use)
			return true;
	return false;
}

static bool may_be_refused(const hd_ir_inst *inst) { return inst->op == HD_OP_LDG || (inst->op == HD_OP_LD); }

static void choose(const hd_ir_block *block, size_t i, const hd_machine *machine)
{
	hd_ir_inst *inst = block->insts.at[i];
	unsigned pipe = hd_ops[inst->op].pipe;
	uint32_t busy = machine->latency[hd_ops[inst->op].klass].interval, initial = machine->predecode_default_delay;
	if (inst->hint != HD_HINT_DELAY)
		return; /* a wait, or the first of a pair */
	if (machine->predecode_replay && may_be_refused(inst)) {
		inst->hint = HD_HINT_MAY_REPLAY;
	} else if (machine->predecode_hold && ends_a_life(inst)) {
		inst->hint = HD_HINT_HOLD_REPLAY_MEM;
	} else if (machine->predecode_boost && busy > 1 && inst->delay <= (initial ? initial : 1) && i + 1 < block->insts.n &&
	           hd_ops[block->insts.at[i + 1]->op].pipe == pipe && machine->predecode_default_hint != HD_DEFAULT_WAIT) {
		inst->hint = HD_HINT_LOWER;
		inst->delay = (uint8_t)(busy < 15 ? busy : 15);
	}
}

void hd_choose_hints(hd_ir_function *function, const hd_machine *machine)
{
	if (machine->predecode_carrier != HD_CARRIER_LINE || machine->multi_issue_window > 1 || machine->fence_mode == HD_DEP_SCOREBOARD)
		return;
	for (size_t b = 0; b < function->blocks.n; b++)
		for (size_t i = 0; i < function->blocks.at[b]->insts.n; i++)
			choose(function->blocks.at[b], i, machine);
}
