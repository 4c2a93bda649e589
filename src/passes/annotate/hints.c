#include "passes/annotate/hints.h"

enum {
	MAX_NUMBER = 15,   /* of a hint */
	BOOST_AHEAD = 4,   /* instructions: those that compute a load's address often have delays, and one hint has one number */
	BOOST_CYCLES = 15, /* the macro scheduler takes up to four cycles to sample a priority, and then moves the warp by a few places */
};

static bool reads_last_use(const hd_ir_inst *inst)
{
	for (unsigned i = 0; i < inst->ns; i++)
		if (inst->s[i].last_use)
			return true;
	return false;
}

static bool reads_constant(const hd_ir_inst *inst)
{
	for (unsigned i = 0; i < inst->ns; i++)
		if (inst->s[i].kind == HD_OPD_CONST)
			return true;
	return false;
}

static unsigned registers_read(const hd_ir_inst *inst)
{
	unsigned n = 0;
	for (unsigned i = 0; i < inst->ns; i++)
		n += hd_opd_is_physical(&inst->s[i]);
	return n;
}

/* True when the entry of the instruction's pipe can refuse it (PD-26). */
static bool refused_at_entry(const hd_ir_inst *inst, const hd_machine *machine)
{
	const hd_op_info *info = &hd_ops[inst->op];
	hd_pipe pipe = hd_machine_op_pipe(machine, inst->op);
	if (!(hd_machine_refusing(machine) >> pipe & 1))
		return false;
	return (machine->predecode_refuse_busy && pipe < HD_PIPE_LATOM && hd_machine_interval(machine, (hd_class)info->klass) > 1) ||
	       (machine->predecode_refuse_constants && reads_constant(inst)) || (machine->predecode_refuse_ports && registers_read(inst) > 1);
}

bool hd_may_be_refused(const hd_ir_inst *inst, const hd_machine *machine)
{
	unsigned pipe = hd_ops[inst->op].pipe;
	if (!machine->predecode_replay || pipe >= HD_PIPE_FLOW)
		return false;
	if (inst->op == HD_OP_LDG || inst->op == HD_OP_LD || refused_at_entry(inst, machine))
		return true;
	if (machine->predecode_refuse_constants && (inst->op == HD_OP_LDC || inst->op == HD_OP_LDK))
		return true;
	return machine->predecode_refuse_atomics && pipe == HD_PIPE_LATOM;
}

/* True when the delay is that of `default`, which a boost or lower has instead of a number of its own. */
static bool has_default_delay(const hd_ir_inst *inst, const hd_machine *machine)
{
	return inst->delay <= hd_max_u32(machine->predecode_default_delay, 1) && machine->predecode_default_hint != HD_DEFAULT_WAIT;
}

/* True when the instruction and the next one go to one pipe, which takes the second only some cycles after the first. */
static bool waits_for_unit(const hd_ir_inst *inst, const hd_ir_inst *next, const hd_machine *machine)
{
	return machine->latency[hd_ops[inst->op].klass].interval > 1 &&
	       hd_machine_op_pipe(machine, next->op) == hd_machine_op_pipe(machine, inst->op);
}

/* True when a load of global memory is among the next instructions of the block. */
static bool load_ahead(const hd_ir_block *block, size_t i)
{
	for (size_t k = i + 1; k <= i + BOOST_AHEAD && k < block->insts.n; k++)
		if (block->insts.at[k]->op == HD_OP_LDG || block->insts.at[k]->op == HD_OP_LD)
			return true;
	return false;
}

/* Gives the instruction a hint in place of a plain delay, whose number stays, or beside another hint where the entry has room for two (PD-24). A wait
 * or a pair stays in any case. */
static void add_hint(hd_ir_inst *inst, hd_hint hint, const hd_machine *machine)
{
	if (inst->hint == HD_HINT_DELAY)
		inst->hint = (uint8_t)hint;
	else if (hd_machine_combines_hints(machine) && !inst->second)
		inst->second = (uint8_t)(hint << 4);
}

/* Gives the instruction the hint may-replay. Where the hint of an instruction names its type (MI-1), may-replay names the load/store pipe, so it
 * stands behind the name of another pipe, where the entry has room for two. */
static void add_may_replay(hd_ir_inst *inst, const hd_machine *machine)
{
	if (!hd_machine_typed_hints(machine) || hd_ops[inst->op].pipe == HD_PIPE_LSU)
		add_hint(inst, HD_HINT_MAY_REPLAY, machine);
	else if (hd_machine_combines_hints(machine) && inst->hint == HD_HINT_DELAY && !inst->second)
		inst->second = HD_HINT_MAY_REPLAY << 4;
}

/* Gives the instruction a boost or lower of so many cycles. Where an entry holds one hint, the delay must be that of `default`. Beside another hint
 * the boost or lower begins behind that hint's delay (PD-24). */
static void add_priority(hd_ir_inst *inst, hd_hint hint, unsigned cycles, const hd_machine *machine)
{
	if (inst->hint == HD_HINT_DELAY && has_default_delay(inst, machine)) {
		inst->hint = (uint8_t)hint;
		inst->delay = (uint8_t)cycles;
	} else if (hd_machine_combines_hints(machine) && inst->hint != HD_HINT_PAIR && !inst->second) {
		inst->second = (uint8_t)(hint << 4 | cycles);
	}
}

/* Chooses lower or boost. The unit is busy for the interval of the instruction, from its issue on. */
static void choose_priority(const hd_ir_block *block, size_t i, const hd_machine *machine)
{
	hd_ir_inst *inst = block->insts.at[i];
	unsigned delay = inst->hint == HD_HINT_WAIT ? 1 : inst->delay, busy = machine->latency[hd_ops[inst->op].klass].interval;
	if (waits_for_unit(inst, block->insts.at[i + 1], machine) && (busy >= delay || has_default_delay(inst, machine)))
		add_priority(inst, HD_HINT_LOWER, hd_min_u32(has_default_delay(inst, machine) ? busy : busy - delay + 1, MAX_NUMBER), machine);
	else if (machine->predecode_boost_loads && load_ahead(block, i))
		add_priority(inst, HD_HINT_BOOST, BOOST_CYCLES, machine);
}

/* PD-30: puts instruction i of the block before all others in the cycle behind the one before it, by that one's hint. False: it has no room for it.
 */
static bool follow(const hd_ir_block *block, size_t i, const hd_machine *machine)
{
	hd_ir_inst *before = i ? block->insts.at[i - 1] : NULL;
	if (!before || !hd_machine_consecutive(machine) || before->hint != HD_HINT_DELAY || before->delay > 1 ||
	    hd_ops[before->op].pipe == HD_PIPE_FLOW)
		return false;
	before->delay = 0;
	return true;
}

static void choose(const hd_ir_block *block, size_t i, bool strict_order, const hd_machine *machine)
{
	hd_ir_inst *inst = block->insts.at[i];
	if (hd_may_be_refused(inst, machine))
		add_may_replay(inst, machine);
	if (hd_machine_has_window(machine)) {
		if (inst->hint == HD_HINT_WAIT && hd_machine_typed_hints(machine)) /* a wait does not name the pipe (MI-1) */
			add_hint(inst, hd_hint_typed(hd_machine_op_pipe(machine, inst->op)), machine);
		return; /* the machine takes every other hint as a delay */
	}
	if (reads_last_use(inst) && !follow(block, i, machine) && machine->predecode_hold)
		add_hint(inst, HD_HINT_HOLD_REPLAY_MEM, machine);
	if (machine->predecode_boost && !strict_order && i + 1 < block->insts.n)
		choose_priority(block, i, machine);
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
