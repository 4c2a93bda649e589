/* Code shared by the flow units: the next address, the statistics of a branch, and indirect targets (RC-14). */
#ifndef HD_CORE_TARGETS_H
#define HD_CORE_TARGETS_H

#include "core/flow/flow.h"

static inline uint32_t hd_flow_after(const hd_flow *flow, const hd_warp_flow *warp) { return hd_code_next(flow->code, warp->pc); }

static inline void hd_flow_count_branch(const hd_flow *flow, const hd_warp_flow *warp, uint32_t taken)
{
	flow->stats->divergence_branches++;
	flow->stats->divergence_divergent += taken && taken != warp->active;
}

/* Where each active lane goes: the lanes `taken` to their targets, the others to the next address. False: *lane has a target that is none. */
static inline bool hd_flow_targets(const hd_flow *flow, const hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, uint32_t where[HD_LANES],
                                   unsigned *lane)
{
	uint32_t next = hd_flow_after(flow, warp);
	for (uint32_t left = warp->active; left; left &= left - 1) {
		*lane = hd_lowest_bit(left);
		where[*lane] = taken >> *lane & 1 ? targets->v[*lane] : next;
		if (taken >> *lane & 1 && !hd_object_indirect_target(flow->object, warp->pc, where[*lane], false))
			return false;
	}
	return true;
}

/* The lanes of `lanes`, not 0, with the highest address, which is *pc. */
static inline uint32_t hd_flow_highest(uint32_t lanes, const uint32_t where[HD_LANES], uint32_t *pc)
{
	uint32_t same = 0;
	*pc = 0;
	for (uint32_t left = lanes; left; left &= left - 1) {
		uint32_t at = where[hd_lowest_bit(left)];
		same = at > *pc ? 0 : same;
		*pc = hd_max_u32(at, *pc);
		same |= at == *pc ? left & -left : 0;
	}
	return same;
}

/* Counts an indirect call. False: *lane has a target that is none. */
static inline bool hd_flow_count_indirect_call(const hd_flow *flow, const hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, unsigned *lane)
{
	uint32_t pc;
	for (uint32_t left = taken; left; left &= left - 1) {
		*lane = hd_lowest_bit(left);
		if (!hd_object_indirect_target(flow->object, warp->pc, targets->v[*lane], true))
			return false;
	}
	flow->stats->divergence_branches++;
	flow->stats->divergence_divergent += taken && (taken != warp->active || hd_flow_highest(taken, targets->v, &pc) != taken);
	return true;
}

#endif
