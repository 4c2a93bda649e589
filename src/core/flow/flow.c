#include "core/flow/targets.h"

void hd_flow_start(hd_warp_flow *warp, uint32_t entry, uint32_t lanes)
{
	warp->pc = entry;
	warp->active = warp->alive = warp->members = lanes;
	warp->minrc = HD_INF;
	warp->begin = 0;
	warp->end = HD_INF;
	warp->depth = 0;
	warp->returned = warp->activation = warp->yields = warp->gathered = 0;
	if (warp->tokens)
		warp->tokens->n = 0;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		warp->rc[lane] = HD_INF;
}

/* True when the resume counter of this thread counts for the running activation (RC-9). */
static inline bool counts(const hd_flow *flow, const hd_warp_flow *warp, unsigned lane)
{
	if (flow->membership == HD_MEMBER_FLAG)
		return warp->members >> lane & 1;
	return warp->rc[lane] >= warp->begin && warp->rc[lane] < warp->end;
}

/* RC-7 */
static void find_minrc(const hd_flow *flow, hd_warp_flow *warp)
{
	uint32_t min = HD_INF;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		if (warp->rc[lane] < min && counts(flow, warp, lane))
			min = warp->rc[lane];
	warp->minrc = min;
}

/* RC-2, RC-10: only threads of this activation resume, even where addresses match. */
void hd_flow_resume(const hd_flow *flow, hd_warp_flow *warp)
{
	uint32_t woken = 0;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		if (warp->rc[lane] == warp->pc && counts(flow, warp, lane)) {
			woken |= 1u << lane;
			warp->rc[lane] = HD_INF;
		}
	}
	if (woken)
		flow->stats->divergence_resumes++;
	warp->active |= woken;
	find_minrc(flow, warp);
}

static void park(const hd_flow *flow, hd_warp_flow *warp, uint32_t lanes, uint32_t address)
{
	warp->active &= ~lanes;
	for (uint32_t left = lanes; left; left &= left - 1)
		warp->rc[hd_lowest_bit(left)] = address;
	if (lanes && address < warp->minrc && counts(flow, warp, hd_lowest_bit(lanes)))
		warp->minrc = address;
}

/* No thread is active: continues with those at MINRC, at once (RC-5) or, in the ablation, step by step. */
static void go_to_minrc(const hd_flow *flow, hd_warp_flow *warp)
{
	uint32_t next = hd_flow_after(flow, warp);
	hd_flow_load(flow, warp, flow->steps ? hd_min_u32(next, warp->minrc) : warp->minrc);
}

/* Without MINRC nothing tells the warp that no thread waits before `pc`. So its threads wait there, and the PC visits all addresses before (RC-18).
 */
static bool must_step_to(const hd_flow *flow, const hd_warp_flow *warp, uint32_t pc) { return flow->steps && pc > hd_flow_after(flow, warp); }

/* The active threads continue at `pc` if it is not beyond MINRC. Otherwise they wait for the threads before them (RC-5). */
static void go(const hd_flow *flow, hd_warp_flow *warp, uint32_t pc)
{
	if (pc > warp->minrc || must_step_to(flow, warp, pc)) {
		park(flow, warp, warp->active, pc);
		go_to_minrc(flow, warp);
	} else {
		hd_flow_load(flow, warp, pc);
	}
}

hd_flow_result hd_flow_branch(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target)
{
	uint32_t next = hd_flow_after(flow, warp);
	hd_flow_count_branch(flow, warp, taken);
	if (!taken) {
		hd_flow_load(flow, warp, next);
	} else if (taken == warp->active) {
		go(flow, warp, target); /* RC-5; RC-6: a backward target lies below every MINRC */
	} else if (target <= warp->pc) {
		park(flow, warp, warp->active & ~taken, next); /* RC-3 */
		hd_flow_load(flow, warp, target);
	} else {
		park(flow, warp, taken, target); /* RC-4 */
		hd_flow_load(flow, warp, next);
	}
	return HD_FLOW_GO;
}

/* Checks every target of an indirect branch or call. *lane is the first with a bad one. */
static bool check_targets(const hd_flow *flow, uint32_t pc, bool call, uint32_t taken, const hd_vec32 *targets, unsigned *lane, uint32_t *lowest)
{
	*lowest = HD_INF;
	for (uint32_t left = taken; left; left &= left - 1) {
		*lane = hd_lowest_bit(left);
		if (!hd_object_indirect_target(flow->object, pc, targets->v[*lane], call))
			return false;
		if (targets->v[*lane] < *lowest)
			*lowest = targets->v[*lane];
	}
	return true;
}

static uint32_t same_target(uint32_t taken, const hd_vec32 *targets, uint32_t target)
{
	uint32_t same = 0;
	for (uint32_t left = taken; left; left &= left - 1)
		if (targets->v[hd_lowest_bit(left)] == target)
			same |= left & -left;
	return same;
}

/* RC-14: every thread waits at its own target; the lowest address goes first. */
hd_flow_result hd_flow_jump(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, unsigned *lane)
{
	uint32_t lowest, next = hd_flow_after(flow, warp);
	if (!check_targets(flow, warp->pc, false, taken, targets, lane, &lowest))
		return HD_FLOW_PC;
	uint32_t same = same_target(taken, targets, lowest);
	flow->stats->divergence_branches++;
	flow->stats->divergence_divergent += taken && (taken != warp->active || same != taken);
	if (!taken || same == warp->active) {
		go(flow, warp, taken ? lowest : next);
		return HD_FLOW_GO;
	}
	park(flow, warp, warp->active & ~taken, next);
	for (uint32_t left = taken; left; left &= left - 1)
		park(flow, warp, left & -left, targets->v[hd_lowest_bit(left)]);
	go_to_minrc(flow, warp);
	return HD_FLOW_GO;
}

/* RC-8 for the lanes `taken`, which are active. Other active lanes are already parked. */
static hd_flow_result enter(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target, uint32_t back)
{
	if (warp->depth >= flow->call_depth)
		return HD_FLOW_DEPTH;
	hd_activation *frame = &warp->stack[warp->depth];
	*frame = (hd_activation){warp->members, warp->minrc, back, warp->begin, warp->end};
	if (flow->membership == HD_MEMBER_RANGE) {
		const hd_function *function = hd_object_function(flow->object, target);
		warp->begin = function ? function->begin : 0;
		warp->end = function ? function->end : HD_INF;
		for (uint32_t i = 0; i <= warp->depth; i++)
			if (i && warp->stack[i].begin == warp->begin)
				return HD_FLOW_RECURSION;
	}
	warp->depth++;
	warp->members = taken;
	warp->active = taken;
	warp->minrc = HD_INF;
	flow->stats->divergence_calls++;
	if (warp->depth > flow->stats->divergence_max_depth)
		flow->stats->divergence_max_depth = warp->depth;
	hd_flow_load(flow, warp, target);
	return HD_FLOW_GO;
}

hd_flow_result hd_flow_call(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target)
{
	uint32_t next = hd_flow_after(flow, warp);
	hd_flow_count_branch(flow, warp, taken);
	if (!taken) {
		hd_flow_load(flow, warp, next);
		return HD_FLOW_GO;
	}
	park(flow, warp, warp->active & ~taken, next);
	return enter(flow, warp, taken, target, next);
}

/* RC-14: the lowest target goes first, the others wait at theirs, all as members of one activation. With membership by address they would be outside
 * of the subroutine's range. There they wait at the call itself, and each target has an activation of its own. */
hd_flow_result hd_flow_call_indirect(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, unsigned *lane)
{
	uint32_t lowest, next = hd_flow_after(flow, warp);
	if (!check_targets(flow, warp->pc, true, taken, targets, lane, &lowest))
		return HD_FLOW_PC;
	uint32_t same = same_target(taken, targets, lowest), called = flow->membership == HD_MEMBER_FLAG ? taken : same;
	flow->stats->divergence_branches++;
	flow->stats->divergence_divergent += taken && (taken != warp->active || same != taken);
	if (!taken) {
		hd_flow_load(flow, warp, next);
		return HD_FLOW_GO;
	}
	park(flow, warp, warp->active & ~taken, next);
	park(flow, warp, taken & ~called, warp->pc);
	hd_flow_result result = enter(flow, warp, called, lowest, next);
	for (uint32_t left = called & ~same; left && result == HD_FLOW_GO; left &= left - 1)
		park(flow, warp, left & -left, targets->v[hd_lowest_bit(left)]);
	return result;
}

/* The active threads have left this activation: continues with the next parked ones, or leaves the activation (RC-11). */
static hd_flow_result leave(const hd_flow *flow, hd_warp_flow *warp)
{
	while (!warp->active) {
		if (warp->minrc != HD_INF) {
			go_to_minrc(flow, warp);
			return HD_FLOW_GO;
		}
		if (!warp->depth)
			return HD_FLOW_END;
		const hd_activation *frame = &warp->stack[--warp->depth];
		warp->active = warp->members & warp->alive;
		warp->members = frame->members;
		warp->minrc = frame->minrc;
		warp->begin = frame->begin;
		warp->end = frame->end;
		warp->pc = frame->back; /* the PC continues from here */
		if (!warp->active)
			continue;
		go(flow, warp, frame->back);
		return HD_FLOW_GO;
	}
	return HD_FLOW_GO;
}

hd_flow_result hd_flow_return(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken)
{
	hd_flow_count_branch(flow, warp, taken);
	if (taken && !warp->depth)
		return HD_FLOW_RETURN;
	warp->active &= ~taken;
	if (!warp->active)
		return leave(flow, warp);
	hd_flow_load(flow, warp, hd_flow_after(flow, warp));
	return HD_FLOW_GO;
}

/* RC-12 */
hd_flow_result hd_flow_exit(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken)
{
	warp->alive &= ~taken;
	warp->active &= ~taken;
	if (!warp->active)
		return leave(flow, warp);
	hd_flow_load(flow, warp, hd_flow_after(flow, warp));
	return HD_FLOW_GO;
}
