/* The flow unit's rules for one warp.
 *
 * Why a PC for each lane, with "innermost activation first, least address first inside it", runs the same lanes at the same time as resume
 * counters and MINRC (RC-1 to RC-14):
 * - Inside one activation, let the lanes at the lowest address be active, and call another lane's PC its resume counter. MINRC is then the lowest
 *   address among the inactive lanes (RC-7), and pc < MINRC always. A step in sequence keeps pc <= MINRC, and equality makes the lanes
 *   there active: RC-2. A branch gives its takers the target and the others the next address; the lowest address over all lanes is
 *   the target if that lies behind (it is below pc, and so below every resume counter: RC-3, RC-6), the next address for a divergent forward
 *   branch (at most MINRC: RC-4), and min(target, MINRC) for a forward branch that all take (RC-5). An indirect branch gives every lane its own
 *   address: RC-14. Lanes that return or exit leave the minimum to the others (RC-11, RC-12), so the next to run are those at MINRC.
 * - A call makes a new activation of its active lanes. The lanes left outside are not looked at until that activation is empty: that is the
 *   pushed MINRC (RC-8) and membership by a flag (RC-9, RC-10), as addresses of lanes outside are never compared. A lane that
 *   returns goes to the caller's activation at the return address and waits there for the last one (RC-11); when the inner activation is
 *   empty, the lowest address outside decides. Lanes waiting at the return address itself join. An indirect call with several targets is one
 *   activation, in which every lane begins at its own target, the lowest one first (RC-14). */
#include "interp/state.h"

static void place(hd_oracle_warp *w, uint32_t lanes, uint32_t pc)
{
	for (; lanes; lanes &= lanes - 1)
		w->lane_pc[hd_lowest_bit(lanes)] = pc;
}

/* Every lane of the activation is at its lane_pc: the lanes at the lowest one become active. `running` are the lanes that were active before. */
static void choose(hd_oracle *o, hd_oracle_warp *w, uint32_t running)
{
	uint32_t least = UINT32_MAX, second = UINT32_MAX, active = 0;
	for (uint32_t rest = w->here & ~w->sync.lanes; rest; rest &= rest - 1) {
		uint32_t pc = w->lane_pc[hd_lowest_bit(rest)];
		if (pc < least) {
			second = least;
			least = pc;
			active = 0;
		}
		if (pc == least)
			active |= rest & -rest;
		else if (pc < second)
			second = pc;
	}
	w->pc = least;
	w->active = active;
	w->next_stop = second;
	o->stats->divergence_resumes += (active & ~running) != 0;
}

static hd_oracle_stop trap_unmet(hd_oracle *o, const hd_oracle_warp *w)
{
	hd_text text = {0};
	hd_sync_explain(&w->sync, w->alive, o->program, "  ", &text);
	if (w->depth)
		hd_text_printf(&text, "  the interpreter, as resume counters do, lets lanes in a call meet those of the same call alone\n");
	hd_oracle_trap(o, w, HD_TRAP_DEADLOCK, w->pc, hd_lowest_bit(w->sync.lanes));
	o->trap->text = text.at;
	return HD_ORACLE_TRAPPED;
}

/* Lanes have left the activation, or wait for lanes that they name: removes every activation that is empty now. */
static hd_oracle_stop leave(hd_oracle *o, hd_oracle_warp *w, uint32_t running)
{
	while (!w->here) {
		if (!w->depth)
			return HD_ORACLE_DONE;
		w->here = w->frames[--w->depth].outside;
		running = w->frames[w->depth].members & w->alive;
	}
	if (!(w->here & ~w->sync.lanes))
		return trap_unmet(o, w);
	choose(o, w, running);
	return HD_ORACLE_MORE;
}

static void count_branch(hd_oracle *o, bool divergent)
{
	o->stats->divergence_branches++;
	o->stats->divergence_divergent += divergent;
}

static void branch(hd_oracle *o, hd_oracle_warp *w, uint32_t taken, uint32_t target)
{
	uint32_t next = o->ops[w->pc].next, running = w->active;
	bool divergent = taken && taken != running;
	count_branch(o, divergent);
	if (!divergent) {
		uint32_t to = taken ? target : next;
		if (to < w->next_stop) {
			w->pc = to;
			return;
		}
		place(w, running, to);
	} else if (target != next && hd_min_u32(target, next) < w->next_stop) {
		/* The lanes at the lower address run on. Nobody waits below the other one but those who did. */
		bool back = target < next;
		w->active = back ? taken : running & ~taken;
		w->pc = back ? target : next;
		w->next_stop = hd_min_u32(w->next_stop, back ? next : target);
		place(w, running & ~w->active, back ? next : target);
		return;
	} else {
		place(w, taken, target);
		place(w, running & ~taken, next);
	}
	choose(o, w, running);
}

/* Checks every target of an indirect branch or call (docs/timing.md). *lane is the first with a bad one. */
static bool targets_valid(const hd_oracle *o, uint32_t pc, bool call, uint32_t taken, const hd_vec32 *targets, unsigned *lane)
{
	for (uint32_t rest = taken; rest; rest &= rest - 1) {
		*lane = hd_lowest_bit(rest);
		if (!hd_object_indirect_target(o->launch->program->object, pc, targets->v[*lane], call))
			return false;
	}
	return true;
}

static uint32_t lanes_at_least_target(uint32_t taken, const hd_vec32 *targets, uint32_t *target)
{
	uint32_t same = 0;
	*target = UINT32_MAX;
	for (uint32_t rest = taken; rest; rest &= rest - 1) {
		uint32_t to = targets->v[hd_lowest_bit(rest)];
		same = to < *target ? 0 : same;
		*target = to < *target ? to : *target;
		same |= to == *target ? rest & -rest : 0;
	}
	return same;
}

/* The lanes `taken`, all active, call: each its own target, which is its lane_pc. The other lanes of the activation are already at theirs. */
static bool call(hd_oracle *o, hd_oracle_warp *w, uint32_t taken, uint32_t back)
{
	if (w->depth >= o->call_depth)
		return false;
	if (w->depth == w->frames_cap) {
		w->frames_cap = w->frames_cap ? 2 * w->frames_cap : 8;
		w->frames = hd_xrealloc(w->frames, w->frames_cap * sizeof *w->frames);
	}
	w->frames[w->depth++] = (hd_oracle_frame){.back = back, .outside = w->here & ~taken, .members = taken};
	w->here = taken;
	choose(o, w, taken);
	o->stats->divergence_calls++;
	if (w->depth > o->stats->divergence_max_depth)
		o->stats->divergence_max_depth = w->depth;
	return true;
}

static hd_oracle_stop flow_call(hd_oracle *o, hd_oracle_warp *w, uint32_t taken, const hd_vec32 *targets, uint32_t target)
{
	uint32_t pc = w->pc, back = hd_oracle_next(o, pc);
	place(w, w->active & ~taken, back);
	for (uint32_t rest = taken; rest; rest &= rest - 1)
		w->lane_pc[hd_lowest_bit(rest)] = targets ? targets->v[hd_lowest_bit(rest)] : target;
	return call(o, w, taken, back) ? HD_ORACLE_MORE : hd_oracle_trap(o, w, HD_TRAP_CALL_DEPTH, pc, hd_lowest_bit(taken));
}

static hd_oracle_stop flow_indirect(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t taken)
{
	const hd_vec32 *targets = hd_oracle_source(op, w, 0);
	uint32_t running = w->active, target, same;
	unsigned lane;
	if (!targets_valid(o, w->pc, op->inst->op == HD_OP_CALLX, taken, targets, &lane)) {
		o->trap->address = targets->v[lane];
		return hd_oracle_trap(o, w, HD_TRAP_PC, w->pc, lane);
	}
	same = lanes_at_least_target(taken, targets, &target);
	if (same == running || !taken) {
		if (op->inst->op == HD_OP_BRX || !taken) {
			branch(o, w, taken, target);
			return HD_ORACLE_MORE;
		}
		count_branch(o, false);
		return flow_call(o, w, taken, targets, 0);
	}
	count_branch(o, true);
	if (op->inst->op == HD_OP_CALLX)
		return flow_call(o, w, taken, targets, 0);
	place(w, running & ~taken, hd_oracle_next(o, w->pc));
	for (uint32_t rest = taken; rest; rest &= rest - 1)
		w->lane_pc[hd_lowest_bit(rest)] = targets->v[hd_lowest_bit(rest)];
	choose(o, w, running);
	return HD_ORACLE_MORE;
}

static hd_oracle_stop flow_return(hd_oracle *o, hd_oracle_warp *w, uint32_t taken)
{
	uint32_t running = w->active;
	count_branch(o, taken && taken != running);
	if (taken && !w->depth)
		return hd_oracle_trap(o, w, HD_TRAP_RETURN, w->pc, hd_lowest_bit(taken));
	if (taken) {
		place(w, taken, w->frames[w->depth - 1].back);
		w->frames[w->depth - 1].outside |= taken;
		w->here &= ~taken;
	}
	place(w, running & ~taken, hd_oracle_next(o, w->pc));
	return leave(o, w, running & ~taken);
}

static hd_oracle_stop flow_exit(hd_oracle *o, hd_oracle_warp *w, uint32_t taken)
{
	uint32_t running = w->active & ~taken;
	w->alive &= ~taken;
	w->here &= ~taken;
	place(w, running, hd_oracle_next(o, w->pc));
	hd_sync_release(&w->sync, w->alive);
	return leave(o, w, running);
}

static hd_oracle_stop flow_sync(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t taken)
{
	uint32_t running = w->active, next = op->next;
	place(w, running, next);
	hd_sync_arrive(&w->sync, taken, hd_oracle_source(op, w, 0), hd_oracle_source(op, w, 1), next);
	uint32_t go = hd_sync_release(&w->sync, w->alive);
	if (o->order && op->inst->b == HD_RZ) /* no value: lanes wait only for the order of their accesses */
		hd_oracle_report_sync(o, w, go);
	return leave(o, w, running);
}

void hd_oracle_step(hd_oracle *o, hd_oracle_warp *w, uint32_t next)
{
	if (next < w->next_stop) {
		w->pc = next;
		return;
	}
	place(w, w->active, next);
	choose(o, w, w->active);
}

hd_oracle_stop hd_oracle_flow(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t taken)
{
	switch (op->inst->op) {
	case HD_OP_BRA:
	case HD_OP_BRK:
		branch(o, w, taken, (uint32_t)op->inst->imm);
		return HD_ORACLE_MORE;
	case HD_OP_CALL:
		if (!taken) {
			branch(o, w, 0, 0);
			return HD_ORACLE_MORE;
		}
		count_branch(o, taken != w->active);
		return flow_call(o, w, taken, NULL, (uint32_t)op->inst->imm);
	case HD_OP_BRX:
	case HD_OP_CALLX:
		return flow_indirect(o, w, op, taken);
	case HD_OP_RET:
		return flow_return(o, w, taken);
	case HD_OP_EXIT:
		return flow_exit(o, w, taken);
	case HD_OP_WSYNC:
		return flow_sync(o, w, op, taken);
	case HD_OP_TRAP:
		if (taken)
			return hd_oracle_trap(o, w, HD_TRAP_INSTRUCTION, w->pc, hd_lowest_bit(taken));
		hd_oracle_step(o, w, op->next);
		return HD_ORACLE_MORE;
	case HD_OP_BAR: {
		uint32_t pc = w->pc;
		if (taken && w->active != w->here && o->program->first_bars && hd_oracle_late_for_barrier(o, w, taken))
			return HD_ORACLE_TRAPPED;
		if (o->order && taken)
			hd_oracle_report_arrival(o, w, op->inst, taken);
		hd_oracle_step(o, w, op->next);
		return taken && hd_oracle_barrier(o, w, op, pc, taken) ? HD_ORACLE_WAITS : HD_ORACLE_MORE;
	}
	default:
		/* PUSH and SYNC have no effect here: they serve the baseline's stack, and here addresses decide. */
		hd_oracle_step(o, w, op->next);
		return HD_ORACLE_MORE;
	}
}
