/* The warps of a CTA side by side. Finding out what an instruction is costs as much as computing it for a warp. So the interpreter executes it for
 * all warps that are at the same address, one after the other, before it goes on.
 *
 * The rule of the flow unit for lanes, "least address first" (flow.c), is that of the team for warps, too. A warp runs when its active lanes are at
 * the lowest address of all candidates. It takes the same steps as alone, because its own lowest address decides about them. Only the order of steps
 * of different warps is another one. It is one that a machine can have: instructions take effect one after the other.
 *
 * A warp that waits for another one in a loop would keep it waiting, if that one is at a higher address. So a share ends, and hd_oracle_cta lets
 * those run alone that had no turn. */
#include "interp/state.h"

/* Counts lanes without a call: __builtin_popcount is a library call on a host without the instruction. */
static inline unsigned count_lanes(uint32_t mask)
{
	mask -= mask >> 1 & 0x55555555u;
	mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
	return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

static inline void list_add(hd_oracle_list *list, hd_oracle_warp *w, uint32_t at, uint32_t mask)
{
	uint32_t n = list->n++;
	list->warp[n] = w;
	list->at[n] = at;
	list->mask[n] = mask;
	list->alive[n] = w->alive;
	list->predicates[n] = w->predicates;
}

/* Makes a team of the candidates at the lowest address. False when none can run. */
static bool gather(hd_oracle *o, hd_oracle_team *t)
{
	t->pc = t->next_stop = UINT32_MAX;
	t->lanes = 0;
	t->all.n = 0;
	uint32_t left = 0;
	for (uint32_t i = t->first; i < t->first + t->candidates; i++) {
		hd_oracle_warp *w = &o->warps[i];
		left += !w->done;
		if (w->done || w->barrier >= 0)
			continue;
		if (w->pc < t->pc) {
			t->next_stop = t->pc;
			t->pc = w->pc;
			t->lanes = 0;
			t->all.n = 0;
		}
		if (w->pc > t->pc) {
			t->next_stop = hd_min_u32(t->next_stop, w->pc);
			continue;
		}
		list_add(&t->all, w, i * o->stride, w->active);
		t->lanes += count_lanes(w->active);
	}
	t->whole = t->all.n == left && t->candidates == o->n_warps;
	t->full = true;
	for (uint32_t k = 0; k < t->all.n; k++) {
		t->whole &= t->all.mask[k] == t->all.alive[k];
		t->full &= t->all.mask[k] == UINT32_MAX;
		t->all.warp[k]->ran = true;
		t->next_stop = hd_min_u32(t->next_stop, t->all.warp[k]->next_stop);
	}
	return t->all.n != 0;
}

static void tell_pc(hd_oracle_team *t)
{
	for (uint32_t k = 0; k < t->all.n; k++)
		t->all.warp[k]->pc = t->pc;
}

/* The warps with a lane for which the instruction's guard holds, and the number of such lanes. */
static uint32_t guard(hd_oracle_team *t, const hd_oracle_op *op)
{
	uint32_t lanes = 0, flip = 0u - op->guard_flip;
	t->guarded.n = 0;
	for (uint32_t k = 0; k < t->all.n; k++) {
		uint32_t mask = t->all.mask[k] & (t->all.predicates[k][op->guard] ^ flip);
		if (!mask)
			continue;
		list_add(&t->guarded, t->all.warp[k], t->all.at[k], mask);
		lanes += count_lanes(mask);
	}
	return lanes;
}

static void compute(const hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list)
{
	const hd_vec32 *file = o->registers;
	hd_sem_team team;
	team.n = list->n;
	team.at = list->at;
	team.mask = list->mask;
	team.alive = list->alive;
	team.predicates = list->predicates;
	team.a = op->fixed[0] ? op->fixed[0] : file + op->src[0];
	team.b = op->fixed[1] ? op->fixed[1] : file + op->src[1];
	team.c = op->fixed[2] ? op->fixed[2] : file + op->src[2];
	team.step_a = op->fixed[0] ? 0 : UINT32_MAX;
	team.step_b = op->fixed[1] ? 0 : UINT32_MAX;
	team.step_c = op->fixed[2] ? 0 : UINT32_MAX;
	team.d = op->dwords ? o->registers + op->dst : NULL;
	team.p = op->dpred;
	op->fn(op->inst, &team);
}

/* Memory, in the order of the warps. False after a trap. `before`: instructions before this one. */
static bool access_memory(hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list, uint32_t pc, uint64_t before)
{
	for (uint32_t k = 0; k < list->n; k++) {
		if (op->block != HD_ORACLE_BLOCK_NONE && (k = o->path->block(o, op, list, k)) == list->n)
			break;
		hd_oracle_warp *w = list->warp[k];
		o->stats->run_warp_instructions = before + k + 1;
		if (!hd_oracle_access(o, w, op, list->mask[k])) {
			hd_oracle_trap(o, w, o->trap->kind, pc, o->trap->lane);
			return false;
		}
	}
	return true;
}

/* The same, with an observer. */
static bool access_watched(hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list, uint32_t pc, uint64_t before)
{
	for (uint32_t k = 0; k < list->n; k++) {
		o->stats->run_warp_instructions = before + k + 1;
		if (!hd_oracle_access_watched(o, list->warp[k], op, list->mask[k], pc)) {
			hd_oracle_trap(o, list->warp[k], o->trap->kind, pc, o->trap->lane);
			return false;
		}
	}
	if (op->inst->op == HD_OP_SHFL)
		compute(o, op, list);
	return true;
}

/* True when all warps go the same way, and nothing waits before its end: then it is that of the team. */
static bool branch_together(hd_oracle *o, hd_oracle_team *t, const hd_oracle_op *op)
{
	bool all = true, none = true;
	uint32_t flip = 0u - op->guard_flip;
	for (uint32_t k = 0; k < t->all.n; k++) {
		uint32_t taken = t->all.mask[k] & (t->all.predicates[k][op->guard] ^ flip);
		all &= taken == t->all.mask[k];
		none &= !taken;
	}
	uint32_t to = all ? (uint32_t)op->inst->imm : op->next;
	if (!(all | none) || to >= t->next_stop)
		return false;
	o->stats->divergence_branches += t->all.n;
	t->pc = to;
	return true;
}

/* True when rows.c has to look at the instruction. */
static inline bool meets_rows(const hd_oracle *o, const hd_oracle_op *op)
{
	if (!o->row.any)
		return op->kind == HD_ORACLE_SREG;
	for (unsigned i = 0; i < HD_COUNT(op->names.bits); i++) /* no vector: the host would wait for a set that changed just before */
		if (op->names.bits[i] & o->row.is.bits[i])
			return true;
	return op->constant;
}

/* One instruction of the flow unit for each warp. Afterwards there is a new team, or no warp can go on: HD_ORACLE_WAITS. */
static hd_oracle_stop flow(hd_oracle *o, hd_oracle_team *t, const hd_oracle_op *op, uint64_t before)
{
	hd_op which = (hd_op)op->inst->op;
	if ((which == HD_OP_BRA || which == HD_OP_BRK) && branch_together(o, t, op))
		return HD_ORACLE_MORE;
	if (meets_rows(o, op))
		o->path->row_execute(o, op, &t->all, false, false);
	tell_pc(t);
	for (uint32_t k = 0; k < t->all.n; k++) {
		hd_oracle_warp *w = t->all.warp[k];
		o->stats->run_warp_instructions = before + k + 1;
		switch (hd_oracle_flow(o, w, op, t->all.mask[k] & (w->predicates[op->guard] ^ (0u - op->guard_flip)))) {
		case HD_ORACLE_TRAPPED:
			return HD_ORACLE_TRAPPED;
		case HD_ORACLE_DONE:
			w->done = true;
			o->ended |= 1u << w->number;
			hd_oracle_barriers_end(o);
			break;
		default:
			break;
		}
	}
	return gather(o, t) ? HD_ORACLE_MORE : HD_ORACLE_WAITS;
}

static void advance(hd_oracle *o, hd_oracle_team *t, uint32_t next)
{
	if (next < t->next_stop) {
		t->pc = next;
		return;
	}
	for (uint32_t k = 0; k < t->all.n; k++) {
		t->all.warp[k]->pc = t->pc;
		hd_oracle_step(o, t->all.warp[k], next);
	}
	gather(o, t);
}

static hd_oracle_stop trap_pc(hd_oracle *o, hd_oracle_team *t)
{
	o->trap->address = t->pc;
	return hd_oracle_trap(o, t->all.warp[0], HD_TRAP_PC, t->pc, hd_lowest_bit(t->all.mask[0]));
}

/* Executes an instruction that is no flow. False after a trap. */
static bool execute(hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list, bool whole, uint64_t before)
{
	const uint32_t pc = o->team.pc;
	if (meets_rows(o, op) && o->path->row_execute(o, op, list, whole, o->team.full))
		return true;
	if (op->kind == HD_ORACLE_PURE) {
		compute(o, op, list);
		return true;
	}
	if (op->kind == HD_ORACLE_MEMORY)
		return access_memory(o, op, list, pc, before);
	if (op->kind == HD_ORACLE_WATCHED)
		return access_watched(o, op, list, pc, before);
	for (uint32_t k = 0; k < list->n; k++) {
		o->stats->run_warp_instructions = before + k + 1;
		hd_oracle_special(o, list->warp[k], op, list->mask[k]);
	}
	return true;
}

/* Until the share is used up, or no warp can go on. */
static hd_oracle_stop run(hd_oracle *o, hd_oracle_team *t, uint64_t share)
{
	hd_stats *stats = o->stats;
	uint64_t instructions = stats->run_warp_instructions, stop = instructions + share, lanes = 0;
	hd_oracle_stop result = HD_ORACLE_MORE;
	while (instructions < stop && result == HD_ORACLE_MORE) {
		const hd_oracle_op *op = t->pc < o->n_ops ? &o->ops[t->pc] : NULL;
		if (!op || op->kind == HD_ORACLE_BAD) {
			result = trap_pc(o, t);
			break;
		}
		uint32_t n = t->all.n;
		stats->run_issued += n;
		if (o->n_doubts && op->kind != HD_ORACLE_NOP)
			hd_oracle_settle(o, op, &t->all);
		if (op->kind == HD_ORACLE_FLOW) {
			lanes += t->lanes;
			result = flow(o, t, op, instructions);
			instructions = result == HD_ORACLE_TRAPPED ? stats->run_warp_instructions : instructions + n;
			continue;
		}
		if (op->kind != HD_ORACLE_NOP) {
			const hd_oracle_list *list = op->always ? &t->all : &t->guarded;
			uint32_t active = op->always ? t->lanes : guard(t, op);
			lanes += active;
			stats->run_dropped += n - list->n;
			if (list->n && !execute(o, op, list, t->whole && active == t->lanes, instructions)) {
				instructions = stats->run_warp_instructions;
				result = HD_ORACLE_TRAPPED;
				break;
			}
			instructions += list->n;
		}
		advance(o, t, op->next);
	}
	stats->run_warp_instructions = instructions;
	stats->run_thread_instructions += lanes;
	return result;
}

hd_oracle_stop hd_oracle_run(hd_oracle *o, uint32_t first, uint32_t n, uint64_t share)
{
	hd_oracle_team *t = &o->team;
	bool done = true;
	t->first = first;
	t->candidates = n;
	hd_oracle_stop result = gather(o, t) ? run(o, t, share) : HD_ORACLE_WAITS;
	if (result == HD_ORACLE_MORE)
		tell_pc(t);
	for (uint32_t i = first; i < first + n; i++)
		done &= o->warps[i].done;
	return result == HD_ORACLE_WAITS && done ? HD_ORACLE_DONE : result;
}
