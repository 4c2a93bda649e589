/* Last-use flags (LU-2, LU-3). A flag on operand r of consumer C is right when no lane can ever ask the register file for the value:
 *
 *  - each of its registers was written in the same block, by a producer P, and by nobody since. Lanes do not part or join
 *    inside a block, so the lanes that P wrote are those of C, unless guards differ: C has no guard, or P's, unchanged in between;
 *  - everything in between that reads the value is in C's pipe: it enters before C. A reader in another pipe could still be in its queue when C
 * enters;
 *  - no flow instruction is in between: no call, no place where a lane waits;
 *  - none of the registers is alive behind C. A lane's registers change only in that lane, and the machine drops a value only when it was made for
 *    lanes that read it now (core/write_controller.h): so it is enough that each lane of C never reads them again, on its own, logical way. What
 *    another lane has in its register of that number, from the other side of a branch, stays. Over calls the convention counts (docs/abi.md): a
 *    function reads its arguments, and what it leaves behind are its results;
 *  - C can be within reach. In P's pipe, by the distance that delays give; behind a fence counter C comes as soon as the value is there. A flag
 * beyond reach would do no harm, and no good.
 *
 * An instruction reads its operands once, when it enters its pipe; a replay of it has them with it. */
#include "passes/annotate/last_use.h"

#include "passes/analysis/resources.h"
#include "passes/allocate/allocate.h"

enum { REGISTERS = 256 };

/* Registers that hold something which is still wanted; bytes, as all of it is small. */
typedef struct live_set {
	bool at[REGISTERS];
} live_set;

/* Without last_use.across only a pipe of fixed latency forwards, to itself. */
static bool forwards(unsigned pipe, const hd_machine *machine) { return pipe < (machine->last_use_across ? HD_PIPE_FLOW : HD_PIPE_LATOM); }
static bool is_flow(const hd_ir_inst *inst) { return hd_ops[inst->op].pipe == HD_PIPE_FLOW; }
static unsigned first_of(const hd_opd *o) { return o->reg + o->sub; }
static bool is_register(const hd_opd *o) { return o->kind == HD_OPD_REG && o->reg != HD_RZ; }

static void set(live_set *live, const hd_opd *o, bool value)
{
	for (unsigned i = 0; is_register(o) && i < o->words; i++)
		live->at[first_of(o) + i] = value;
}

static void kill_written(live_set *live, const hd_ir_inst *inst)
{
	for (unsigned i = 0; inst->guard.kind == HD_OPD_NONE && i < inst->nd; i++)
		set(live, &inst->d[i], false);
}

/* Registers that others may read: arguments at a call, results at a return, the stack pointer. */
static void add_convention(live_set *live)
{
	live->at[0] = true;
	for (unsigned r = HD_ABI_FIRST; r <= HD_ABI_LAST; r++)
		live->at[r] = true;
}

static void add_read(live_set *live, const hd_ir_inst *inst)
{
	if (inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX || inst->op == HD_OP_RET)
		add_convention(live);
	for (unsigned i = 0; i < inst->ns; i++)
		set(live, &inst->s[i], true);
}

static bool same_guard(const hd_opd *a, const hd_opd *b) { return a->kind == b->kind && a->reg == b->reg && a->neg == b->neg; }

static bool overlap(const hd_opd *a, const hd_opd *b)
{
	return is_register(a) && is_register(b) && first_of(a) < first_of(b) + b->words && first_of(b) < first_of(a) + a->words;
}

static bool writes_predicate(const hd_ir_inst *inst, const hd_opd *predicate)
{
	for (unsigned i = 0; i < inst->nd; i++) {
		if (inst->d[i].kind == HD_OPD_PRED && predicate->kind == HD_OPD_PRED && inst->d[i].reg == predicate->reg)
			return true;
	}
	return false;
}

/* The value of a register, dead behind instruction `at` of the block, comes from a producer that makes a flag right. */
static bool made_right(const hd_ir_block *block, size_t at, const hd_opd *operand, const hd_machine *machine)
{
	const hd_ir_inst *consumer = block->insts.at[at];
	unsigned pipe = hd_ops[consumer->op].pipe, distance = consumer->hint == HD_HINT_WAIT ? consumer->delay : 0;
	bool guard_written = false;
	for (size_t i = at; i-- > 0;) {
		const hd_ir_inst *inst = block->insts.at[i];
		distance += inst->hint == HD_HINT_DELAY && inst->delay ? inst->delay : 1;
		if (is_flow(inst))
			return false;
		guard_written |= writes_predicate(inst, &consumer->guard);
		for (unsigned d = 0; d < inst->nd; d++) {
			if (!overlap(&inst->d[d], operand))
				continue;
			const hd_op_info *info = &hd_ops[inst->op];
			uint32_t reach = machine->last_use_path_b + machine->last_use_path_a + machine->last_use_compensation;
			return (info->pipe == pipe || machine->last_use_across) &&
			       (consumer->guard.kind == HD_OPD_NONE || (same_guard(&inst->guard, &consumer->guard) && !guard_written)) &&
			       (info->pipe != pipe || pipe >= HD_PIPE_LATOM || distance < machine->latency[info->klass].latency + reach);
		}
		for (unsigned s = 0; s < inst->ns; s++) {
			if (overlap(&inst->s[s], operand) && hd_ops[inst->op].pipe != pipe)
				return false;
		}
		distance += inst->hint == HD_HINT_WAIT ? inst->delay : 0;
	}
	return false;
}

static bool flaggable(const hd_ir_block *block, size_t at, const hd_opd *operand, const hd_machine *machine)
{
	for (unsigned i = 0; i < operand->words; i++) {
		hd_opd one = hd_opd_reg(first_of(operand) + i, 1);
		if (!made_right(block, at, &one, machine))
			return false;
	}
	return true;
}

static bool dead(const live_set *live, const hd_opd *o)
{
	for (unsigned i = 0; i < o->words; i++) {
		if (live->at[first_of(o) + i])
			return false;
	}
	return true;
}

/* Steps backward through a block; marks where asked to. */
static void walk(hd_ir_block *block, live_set *live, const hd_machine *machine, bool mark)
{
	for (size_t at = block->insts.n; at-- > 0;) {
		hd_ir_inst *inst = block->insts.at[at];
		const hd_op_info *info = &hd_ops[inst->op];
		kill_written(live, inst);
		for (unsigned i = 0; mark && forwards(info->pipe, machine) && i < inst->ns && i < info->sources; i++) {
			hd_opd *operand = &inst->s[i];
			if (is_register(operand) && dead(live, operand))
				operand->last_use = flaggable(block, at, operand, machine);
		}
		add_read(live, inst);
	}
}

void hd_mark_last_uses(hd_ir_function *function, const hd_machine *machine)
{
	uint32_t blocks = (uint32_t)function->blocks.n;
	live_set *in = hd_xcalloc(blocks + 1, sizeof *in), live;
	for (bool again = true, last = false; again || !last;) {
		last = !again; /* nothing changed any more: once more, to mark */
		again = false;
		for (uint32_t b = blocks; b-- > 0;) {
			hd_ir_block *block = function->blocks.at[b];
			memset(&live, 0, sizeof live);
			if (block->term == HD_TERM_RET)
				add_convention(&live);
			for (size_t e = 0; e < block->succ.n; e++) {
				for (unsigned r = 0; r < REGISTERS; r++)
					live.at[r] |= in[block->succ.at[e]].at[r];
			}
			walk(block, &live, machine, last);
			again |= memcmp(&in[b], &live, sizeof live) != 0;
			in[b] = live;
		}
	}
	free(in);
}
