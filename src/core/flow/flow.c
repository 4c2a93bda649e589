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
	warp->released = false;
	if (warp->sync)
		memset(warp->sync, 0, sizeof *warp->sync);
	if (warp->tokens)
		warp->tokens->n = 0;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		warp->rc[lane] = HD_INF;
}

/* True when the resume counter of this thread counts for the running activation (RC-9, RC-19). */
static inline bool counts(const hd_flow *flow, const hd_warp_flow *warp, unsigned lane)
{
	if (flow->membership == HD_MEMBER_FLAG)
		return warp->members >> lane & 1;
	return flow->membership == HD_MEMBER_NONE || (warp->rc[lane] >= warp->begin && warp->rc[lane] < warp->end);
}

uint32_t hd_flow_late_for_bar(const hd_flow *flow, const hd_warp_flow *warp, uint32_t *where)
{
	uint32_t late = 0, synced = hd_flow_synced(warp);
	*where = HD_INF;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		bool is_synced = synced >> lane & 1;
		uint32_t at = is_synced ? warp->sync->pc[lane] : warp->rc[lane];
		if (at == HD_INF || !(is_synced || counts(flow, warp, lane)) || flow->code->first_bars[at] > warp->pc)
			continue;
		late |= 1u << lane;
		*where = hd_min_u32(*where, at);
	}
	return late;
}

void hd_flow_waiting(const hd_warp_flow *warp, uint32_t where[HD_LANES])
{
	uint32_t synced = hd_flow_synced(warp);
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		where[lane] = synced >> lane & 1 ? warp->sync->pc[lane] : warp->rc[lane];
}

/* True when a thread of the running activation waits, wherever the PC is. */
static bool someone_waits(const hd_flow *flow, const hd_warp_flow *warp)
{
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		if (warp->rc[lane] != HD_INF && (flow->membership == HD_MEMBER_NONE ? warp->members >> lane & 1 : counts(flow, warp, lane)))
			return true;
	return false;
}

/* The lowest resume counter of the activation that is not below `from`. */
static uint32_t lowest_from(const hd_flow *flow, const hd_warp_flow *warp, uint32_t from)
{
	uint32_t min = HD_INF;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		if (warp->rc[lane] < min && warp->rc[lane] >= from && counts(flow, warp, lane))
			min = warp->rc[lane];
	return min;
}

/* RC-7 */
static void find_minrc(const hd_flow *flow, hd_warp_flow *warp)
{
	uint32_t min = HD_INF;
	if (flow->passes) {
		warp->minrc = lowest_from(flow, warp, warp->pc);
		return;
	}
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

/* Loads the PC by a jump, which can pass threads that wait or come back to them (RC-19). */
static void load_by_jump(const hd_flow *flow, hd_warp_flow *warp, uint32_t pc)
{
	warp->pc = pc;
	if (flow->passes)
		find_minrc(flow, warp);
	hd_flow_load(flow, warp, pc);
}

/* The active threads continue at `pc` if it is not beyond MINRC. Otherwise they wait for the threads before them (RC-5). */
static void go(const hd_flow *flow, hd_warp_flow *warp, uint32_t pc)
{
	if ((pc > warp->minrc && !flow->passes) || must_step_to(flow, warp, pc)) {
		park(flow, warp, warp->active, pc);
		go_to_minrc(flow, warp);
	} else {
		load_by_jump(flow, warp, pc);
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
		load_by_jump(flow, warp, target);
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
	uint32_t first = taken == warp->active ? lowest : hd_min_u32(lowest, next);
	park(flow, warp, warp->active & ~taken, next);
	for (uint32_t left = taken; left; left &= left - 1)
		park(flow, warp, left & -left, targets->v[hd_lowest_bit(left)]);
	if (flow->passes)
		load_by_jump(flow, warp, first);
	else
		go_to_minrc(flow, warp);
	return HD_FLOW_GO;
}

/* The addresses of the subroutine at `target`, by which its threads are known (RC-9, RC-20). The caller's frame is on the stack. */
static hd_flow_result enter_addresses(const hd_flow *flow, hd_warp_flow *warp, uint32_t target)
{
	const hd_function *function = hd_object_function(flow->object, target);
	if (flow->membership == HD_MEMBER_ENTRY) {
		if (target <= warp->pc)
			return HD_FLOW_ORDER;
		warp->begin = target;
		return HD_FLOW_GO;
	}
	warp->begin = function ? function->begin : 0;
	warp->end = function ? function->end : HD_INF;
	for (uint32_t i = 1; i <= warp->depth; i++)
		if (warp->stack[i].begin == warp->begin)
			return HD_FLOW_RECURSION;
	return HD_FLOW_GO;
}

static bool by_address(const hd_flow *flow) { return flow->membership == HD_MEMBER_RANGE || flow->membership == HD_MEMBER_ENTRY; }

/* RC-8 for the lanes `taken`, which are active. Other active lanes are already parked. */
static hd_flow_result enter(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target, uint32_t back)
{
	if (warp->depth >= flow->call_depth)
		return HD_FLOW_DEPTH;
	hd_activation *frame = &warp->stack[warp->depth];
	*frame = (hd_activation){warp->members, warp->minrc, back, warp->begin, warp->end};
	hd_flow_result result = by_address(flow) ? enter_addresses(flow, warp, target) : HD_FLOW_GO;
	if (result != HD_FLOW_GO)
		return result;
	warp->depth++;
	warp->members = taken;
	warp->active = taken;
	warp->minrc = HD_INF;
	flow->stats->divergence_calls++;
	if (warp->depth > flow->stats->divergence_max_depth)
		flow->stats->divergence_max_depth = warp->depth;
	warp->pc = target;
	if (flow->membership == HD_MEMBER_NONE)
		find_minrc(flow, warp);
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
	uint32_t same = same_target(taken, targets, lowest), called = by_address(flow) ? same : taken;
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

/* Membership by entry keeps no members: threads that have returned wait at the return address, below the entry (RC-20). The PC goes on there, or
 * where the next thread of the caller waits. False: nobody is left in the caller either. */
static bool pop_by_entry(const hd_flow *flow, hd_warp_flow *warp)
{
	find_minrc(flow, warp);
	if (warp->minrc == HD_INF)
		return false;
	go_to_minrc(flow, warp);
	return true;
}

/* Leaves the activation for its caller. False: none of its threads is left. */
static bool pop(const hd_flow *flow, hd_warp_flow *warp)
{
	const hd_activation *frame = &warp->stack[--warp->depth];
	warp->active = warp->members & warp->alive;
	warp->members = frame->members;
	warp->minrc = frame->minrc;
	warp->begin = frame->begin;
	warp->end = frame->end;
	warp->pc = frame->back; /* the PC continues from here */
	if (flow->membership == HD_MEMBER_ENTRY) {
		warp->active = 0;
		return pop_by_entry(flow, warp);
	}
	if (flow->membership == HD_MEMBER_NONE || warp->released)
		find_minrc(flow, warp);
	if (!warp->active)
		return false;
	go(flow, warp, frame->back);
	return true;
}

/* True when a thread of the running activation waits at a `wsync`. */
static bool someone_is_synced(const hd_flow *flow, const hd_warp_flow *warp)
{
	if (!by_address(flow) || !warp->depth)
		return (hd_flow_synced(warp) & warp->members) != 0;
	for (uint32_t left = hd_flow_synced(warp); left; left &= left - 1)
		if (warp->sync->pc[hd_lowest_bit(left)] >= warp->begin && warp->sync->pc[hd_lowest_bit(left)] < warp->end)
			return true;
	return false;
}

/* The active threads have left this activation: continues with the next parked ones, or leaves the activation (RC-11). */
static hd_flow_result leave(const hd_flow *flow, hd_warp_flow *warp)
{
	for (;;) {
		if (warp->minrc != HD_INF && (flow->membership != HD_MEMBER_NONE || someone_waits(flow, warp))) {
			go_to_minrc(flow, warp);
			return HD_FLOW_GO;
		}
		if (flow->passes && someone_waits(flow, warp))
			return HD_FLOW_NEVER;
		if (someone_is_synced(flow, warp))
			return HD_FLOW_UNMET;
		if (!warp->depth)
			return HD_FLOW_END;
		if (pop(flow, warp))
			return HD_FLOW_GO;
	}
}

hd_flow_result hd_flow_return(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken)
{
	hd_flow_count_branch(flow, warp, taken);
	if (taken && !warp->depth)
		return HD_FLOW_RETURN;
	if (flow->membership == HD_MEMBER_ENTRY && taken)
		park(flow, warp, taken, warp->stack[warp->depth - 1].back);
	warp->active &= ~taken;
	if (!warp->active)
		return leave(flow, warp);
	hd_flow_load(flow, warp, hd_flow_after(flow, warp));
	return HD_FLOW_GO;
}

/* Threads at a `wsync` for which nobody is missing any more wait at their next instruction, which may be below the PC. */
static void release(const hd_flow *flow, hd_warp_flow *warp)
{
	for (uint32_t go = hd_sync_release(warp->sync, warp->alive); go; go &= go - 1)
		warp->rc[hd_lowest_bit(go)] = warp->sync->pc[hd_lowest_bit(go)];
	warp->released |= warp->depth > 0;
	find_minrc(flow, warp);
}

/* RC-12 */
hd_flow_result hd_flow_exit(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken)
{
	warp->alive &= ~taken;
	warp->active &= ~taken;
	if (hd_flow_synced(warp))
		release(flow, warp);
	if (!warp->active)
		return leave(flow, warp);
	go(flow, warp, hd_flow_after(flow, warp));
	return HD_FLOW_GO;
}

hd_flow_result hd_flow_sync(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 operands[2])
{
	uint32_t next = hd_flow_after(flow, warp);
	park(flow, warp, warp->active & ~taken, next);
	hd_sync_arrive(warp->sync, taken, &operands[0], &operands[1], next);
	warp->active = 0;
	release(flow, warp);
	return leave(flow, warp);
}
