#include "passes/annotate/hints.h"

enum { MAX_NUMBER = 15 /* of a hint */ };

static bool reads_last_use(const hd_ir_inst *inst)
{
	for (unsigned i = 0; i < inst->ns; i++)
		if (inst->s[i].last_use)
			return true;
	return false;
}

bool hd_may_be_refused(const hd_ir_inst *inst, const hd_machine *machine)
{
	return machine->predecode_replay && (inst->op == HD_OP_LDG || inst->op == HD_OP_LD);
}

/* True when the instruction and the next one go to one pipe, which takes the second only some cycles after the first, and when the delay is that of
 * `default`. */
static bool waits_for_unit(const hd_ir_block *block, size_t i, const hd_machine *machine)
{
	const hd_ir_inst *inst = block->insts.at[i];
	uint32_t by_default = hd_max_u32(machine->predecode_default_delay, 1);
	return machine->latency[hd_ops[inst->op].klass].interval > 1 && inst->delay <= by_default &&
	       machine->predecode_default_hint != HD_DEFAULT_WAIT && i + 1 < block->insts.n &&
	       hd_ops[block->insts.at[i + 1]->op].pipe == hd_ops[inst->op].pipe;
}

static void choose(const hd_ir_block *block, size_t i, bool strict_order, const hd_machine *machine)
{
	hd_ir_inst *inst = block->insts.at[i];
	if (inst->hint != HD_HINT_DELAY)
		return; /* a wait, or the first of a pair */
	if (hd_may_be_refused(inst, machine)) {
		inst->hint = HD_HINT_MAY_REPLAY;
	} else if (hd_machine_has_window(machine)) {
		return; /* the machine takes every other hint as a delay */
	} else if (machine->predecode_hold && reads_last_use(inst)) {
		inst->hint = HD_HINT_HOLD_REPLAY_MEM;
	} else if (machine->predecode_boost && !strict_order && waits_for_unit(block, i, machine)) {
		inst->hint = HD_HINT_LOWER;
		inst->delay = (uint8_t)hd_min_u32(machine->latency[hd_ops[inst->op].klass].interval, MAX_NUMBER);
	}
}

/* True when the warps have priorities that differ: by age, or by the program's choice. */
static bool has_strict_order(const hd_ir_function *function, const hd_machine *machine)
{
	return machine->predecode_priority == HD_PRIORITY_AGE || function->info.priority_step;
}

void hd_choose_hints(hd_ir_function *function, const hd_machine *machine)
{
	if (!hd_machine_carries_bytes(machine) || hd_machine_has_scoreboard(machine))
		return;
	bool strict_order = has_strict_order(function, machine);
	for (size_t b = 0; b < function->blocks.n; b++)
		for (size_t i = 0; i < function->blocks.at[b]->insts.n; i++)
			choose(function->blocks.at[b], i, strict_order, machine);
}
