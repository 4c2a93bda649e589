/* Last-use flags (LU-2, LU-3). A flag on operand r of consumer C is right when no lane can ever ask the register file for the value:
 *
 *  - its producer P is in the same block, wrote exactly the registers of the operand and nothing wrote any of them since. Lanes do not part or join
 *    inside a block, so the lanes that P wrote are those of C, unless guards differ: C has no guard, or P's, unchanged in between;
 *  - P and C are in one pipe, so that the value can only go from P to C by forwarding, and everything in between that reads it is in that pipe, too:
 *    it enters before C. A reader in another pipe could still be in its queue when C enters;
 *  - no flow instruction is in between: no call, no place where a lane waits;
 *  - none of the registers is alive behind C, on the physical graph and, at calls and returns, for whoever is there;
 *  - C can be within reach, by the distance that delays give. A flag beyond it would do no harm, and no good.
 *
 * Pipes without a fixed latency forward nothing, so nothing that may be refused and replayed is ever a producer or consumer here. */
#include "passes/last_use.h"

#include "passes/access.h"
#include "passes/physical.h"

enum { REGISTERS = 256 };

/* Registers that hold something which is still wanted; bytes, as all of it is small. */
typedef struct live_set {
	bool at[REGISTERS];
} live_set;

static bool forwards(unsigned pipe) { return pipe < HD_PIPE_LATOM; }
static bool is_flow(const hd_ir_inst *inst) { return hd_ops[inst->op].pipe == HD_PIPE_FLOW; }
static bool calls(const hd_ir_inst *inst)
{
	return inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX || inst->op == HD_OP_RET || inst->op == HD_OP_BRX;
}
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

static void add_read(live_set *live, const hd_ir_inst *inst)
{
	if (calls(inst))
		memset(live->at, true, sizeof live->at);
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

/* The operand's value, dead behind instruction `at` of the block, comes from a producer that makes a flag right. */
static bool flaggable(const hd_ir_block *block, size_t at, const hd_opd *operand, const hd_machine *machine)
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
			return first_of(&inst->d[d]) == first_of(operand) && inst->d[d].words == operand->words && info->pipe == pipe &&
			       (consumer->guard.kind == HD_OPD_NONE || (same_guard(&inst->guard, &consumer->guard) && !guard_written)) &&
			       distance < machine->latency[info->klass].latency + machine->last_use_path_b + machine->last_use_path_a +
			                      machine->last_use_compensation;
		}
		for (unsigned s = 0; s < inst->ns; s++) {
			if (overlap(&inst->s[s], operand) && hd_ops[inst->op].pipe != pipe)
				return false;
		}
		distance += inst->hint == HD_HINT_WAIT ? inst->delay : 0;
	}
	return false;
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
		for (unsigned i = 0; mark && forwards(info->pipe) && i < inst->ns && i < info->sources; i++) {
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
	hd_physical graph = hd_physical_new(function, machine);
	live_set *in = hd_xcalloc(blocks + 1, sizeof *in), live;
	for (bool again = true, last = false; again || !last;) {
		last = !again; /* nothing changed any more: once more, to mark */
		again = false;
		for (uint32_t b = blocks; b-- > 0;) {
			hd_ir_block *block = function->blocks.at[b];
			memset(&live, block->term == HD_TERM_RET, sizeof live);
			for (uint32_t e = graph.first[b]; e < graph.first[b + 1]; e++) {
				for (unsigned r = 0; r < REGISTERS; r++)
					live.at[r] |= in[graph.to[e]].at[r];
			}
			walk(block, &live, machine, last);
			again |= memcmp(&in[b], &live, sizeof live) != 0;
			in[b] = live;
		}
	}
	free(in);
	hd_physical_free(&graph);
}
