/* A flag on an operand of consumer C is right if no lane can ever read the value from the register file:
 *
 *  1. Each of its registers was written in the same block, by a producer P, and by no other instruction since. Lanes do not part or join inside a
 *     block, so the lanes that P wrote for are those of C, unless guards differ: C has no guard, or the guard of P, which did not change in between.
 *  2. Every reader in between is in C's pipe and enters it before C. A reader in another pipe could still be in its queue when C enters.
 *  3. No flow instruction is in between: no call, and no place where a lane waits.
 *  4. None of the registers is live behind C. A lane's registers change only in that lane, and the machine drops a value only if it was computed for
 *     lanes that read it now (core/execute/write_controller.h). So it is enough that each lane of C never reads them again on its own, logical path.
 *     Another lane, from the other side of a branch, keeps the value in its register of that number. Across calls the calling convention holds
 *     (docs/compiler.md): a function reads its arguments, and what it leaves behind are its results. The proof knows no convention and follows
 *     each lane through calls. So what any caller may read behind a call, or any called function at its beginning, counts as live there, too: a
 *     guarded write before a read whose guard was computed anew seems to leave lanes out.
 *  5. C can be within reach. In P's pipe the delays decide that. Behind a fence counter C enters as soon as the value is there. A flag out of reach
 *     would do no harm, and no good.
 *
 * An instruction reads its operands once, when it enters its pipe; a replay keeps them. */
#include "passes/annotate/last_use.h"

#include "passes/allocate/allocation.h"

/* Registers that hold a live value; bytes, as all of it is small. */
typedef struct live_set {
	bool at[HD_REGISTERS];
} live_set;

static bool is_flow(const hd_ir_inst *inst) { return hd_ops[inst->op].pipe == HD_PIPE_FLOW; }
static unsigned first_register(const hd_opd *o) { return o->reg + o->sub; }

/* -- liveness of physical registers ------------------------------------------------------------------------------------------------ */

static void set_live(live_set *live, const hd_opd *o, bool value)
{
	for (unsigned i = 0; hd_opd_is_physical(o) && i < o->words; i++)
		live->at[first_register(o) + i] = value;
}

static void remove_written(live_set *live, const hd_ir_inst *inst)
{
	for (unsigned i = 0; inst->guard.kind == HD_OPD_NONE && i < inst->nd; i++)
		set_live(live, &inst->d[i], false);
}

/* The live registers where functions of the module meet. */
typedef struct meeting_places {
	live_set entries; /* of all called functions */
	live_set behind;  /* all calls */
} meeting_places;

/* True when `live` has got more. */
static bool add_live(live_set *live, const live_set *more)
{
	bool added = false;
	for (unsigned r = 0; r < HD_REGISTERS; r++) {
		added |= more->at[r] && !live->at[r];
		live->at[r] |= more->at[r];
	}
	return added;
}

/* The calling convention: arguments at a call, results at a return, the stack pointer. */
static void set_convention(live_set *live)
{
	live->at[HD_STACK_POINTER] = true;
	for (unsigned r = HD_FIRST_ARGUMENT; r <= HD_LAST_ARGUMENT; r++)
		live->at[r] = true;
}

static bool is_call(const hd_ir_inst *inst) { return inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX; }

static void add_read(live_set *live, const hd_ir_inst *inst, const meeting_places *places)
{
	if (is_call(inst))
		add_live(live, &places->entries);
	if (inst->op == HD_OP_RET)
		add_live(live, &places->behind);
	for (unsigned i = 0; i < inst->ns; i++)
		set_live(live, &inst->s[i], true);
}

static bool is_dead(const live_set *live, const hd_opd *o)
{
	for (unsigned i = 0; i < o->words; i++) {
		if (live->at[first_register(o) + i])
			return false;
	}
	return true;
}

/* -- the producer ------------------------------------------------------------------------------------------------------------------- */

static bool same_guard(const hd_opd *a, const hd_opd *b) { return a->kind == b->kind && a->reg == b->reg && a->neg == b->neg; }

static bool overlap(const hd_opd *a, const hd_opd *b)
{
	return hd_opd_is_physical(a) && hd_opd_is_physical(b) && first_register(a) < first_register(b) + b->words &&
	       first_register(b) < first_register(a) + a->words;
}

static bool writes(const hd_ir_inst *inst, const hd_opd *reg)
{
	for (unsigned d = 0; d < inst->nd; d++)
		if (overlap(&inst->d[d], reg))
			return true;
	return false;
}

static bool reads(const hd_ir_inst *inst, const hd_opd *reg)
{
	for (unsigned s = 0; s < inst->ns; s++)
		if (overlap(&inst->s[s], reg))
			return true;
	return false;
}

static bool writes_predicate(const hd_ir_inst *inst, const hd_opd *predicate)
{
	for (unsigned i = 0; i < inst->nd; i++) {
		if (inst->d[i].kind == HD_OPD_PRED && predicate->kind == HD_OPD_PRED && inst->d[i].reg == predicate->reg)
			return true;
	}
	return false;
}

/* Rules 1 and 5 for the instruction that wrote the register last. `distance`: issue cycles from it to the consumer. */
static bool is_right_producer(const hd_ir_inst *producer, const hd_ir_inst *consumer, bool guard_written, unsigned distance,
                              const hd_machine *machine)
{
	const hd_op_info *info = &hd_ops[producer->op];
	unsigned pipe = hd_machine_op_pipe(machine, consumer->op);
	uint32_t reach = hd_machine_reach(machine);
	bool same_lanes = consumer->guard.kind == HD_OPD_NONE || (same_guard(&producer->guard, &consumer->guard) && !guard_written);
	if (hd_machine_op_pipe(machine, producer->op) != pipe)
		return machine->last_use_across && same_lanes;
	return same_lanes && (pipe >= HD_PIPE_LATOM || distance < hd_machine_class_latency(machine, (hd_class)info->klass) + reach);
}

/* Rules 1, 2, 3 and 5 for one register of an operand of the instruction `at`. */
static bool has_right_producer(const hd_ir_block *block, size_t at, const hd_opd *reg, const hd_machine *machine)
{
	const hd_ir_inst *consumer = block->insts.at[at];
	unsigned pipe = hd_machine_op_pipe(machine, consumer->op), distance = consumer->hint == HD_HINT_WAIT ? consumer->delay : 0;
	bool guard_written = false;
	for (size_t i = at; i-- > 0;) {
		const hd_ir_inst *inst = block->insts.at[i];
		distance += inst->hint == HD_HINT_DELAY && inst->delay ? inst->delay : 1;
		if (is_flow(inst))
			return false;
		guard_written |= writes_predicate(inst, &consumer->guard);
		if (writes(inst, reg))
			return is_right_producer(inst, consumer, guard_written, distance, machine);
		if (reads(inst, reg) && hd_machine_op_pipe(machine, inst->op) != pipe)
			return false;
		distance += inst->hint == HD_HINT_WAIT ? inst->delay : 0;
	}
	return false;
}

static bool is_last_use(const hd_ir_block *block, size_t at, const hd_opd *operand, const hd_machine *machine)
{
	for (unsigned i = 0; i < operand->words; i++) {
		hd_opd reg = hd_opd_reg(first_register(operand) + i, 1);
		if (!has_right_producer(block, at, &reg, machine))
			return false;
	}
	return true;
}

/* -- the walk ----------------------------------------------------------------------------------------------------------------------- */

/* Backward through a block: `live` is what is live behind it, then before it. With `mark`, sets the flags. True when more is live at a meeting place.
 */
static bool walk(hd_ir_block *block, live_set *live, meeting_places *places, const hd_machine *machine, bool mark)
{
	bool more = false;
	for (size_t at = block->insts.n; at-- > 0;) {
		hd_ir_inst *inst = block->insts.at[at];
		const hd_op_info *info = &hd_ops[inst->op];
		more |= is_call(inst) && add_live(&places->behind, live);
		remove_written(live, inst);
		for (unsigned i = 0;
		     mark && hd_machine_forwards(machine, hd_machine_pipe(machine, (hd_class)info->klass)) && i < inst->ns && i < info->sources;
		     i++) {
			hd_opd *operand = &inst->s[i];
			if (hd_opd_is_physical(operand) && is_dead(live, operand))
				operand->last_use = is_last_use(block, at, operand, machine);
		}
		add_read(live, inst, places);
	}
	return more;
}

static void live_out(const hd_ir_block *block, const live_set *live_in, const meeting_places *places, live_set *live)
{
	memset(live, 0, sizeof *live);
	if (block->term == HD_TERM_RET)
		add_live(live, &places->behind);
	for (size_t e = 0; e < block->succ.n; e++)
		add_live(live, &live_in[block->succ.at[e]]);
}

/* Brings `live_in` of the function's blocks to its fixed point. True when more is live at a meeting place. */
static bool settle(hd_ir_function *function, live_set *live_in, meeting_places *places, const hd_machine *machine)
{
	bool more = false;
	for (bool again = true; again;) {
		again = false;
		for (size_t b = function->blocks.n; b-- > 0;) {
			live_set live;
			live_out(function->blocks.at[b], live_in, places, &live);
			more |= walk(function->blocks.at[b], &live, places, machine, false);
			again |= memcmp(&live_in[b], &live, sizeof live) != 0;
			live_in[b] = live;
		}
	}
	if (!function->kernel && function->blocks.n)
		more |= add_live(&places->entries, &live_in[0]);
	return more;
}

static void mark(hd_ir_function *function, const live_set *live_in, meeting_places *places, const hd_machine *machine)
{
	for (size_t b = 0; b < function->blocks.n; b++) {
		live_set live;
		live_out(function->blocks.at[b], live_in, places, &live);
		walk(function->blocks.at[b], &live, places, machine, true);
	}
}

void hd_mark_last_uses(hd_ir_module *module, const hd_machine *machine)
{
	size_t n = module->functions.n;
	live_set **live_in = hd_xcalloc(n + 1, sizeof *live_in);
	meeting_places places = {0};
	set_convention(&places.entries);
	set_convention(&places.behind);
	for (size_t f = 0; f < n; f++)
		live_in[f] = hd_xcalloc(module->functions.at[f]->blocks.n + 1, sizeof *live_in[f]);
	for (bool again = true; again;) {
		again = false;
		for (size_t f = 0; f < n; f++)
			again |= settle(module->functions.at[f], live_in[f], &places, machine);
	}
	for (size_t f = 0; f < n; f++) {
		mark(module->functions.at[f], live_in[f], &places, machine);
		free(live_in[f]);
	}
	free(live_in);
}
