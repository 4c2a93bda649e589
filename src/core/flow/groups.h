/* The flow unit with convergence barriers (RC-16), as Volta and later GPUs have them. The lanes of a warp form *groups*; one group executes at a
 * time. `bssy B` registers the lanes of the group with barrier B, `bsync B` makes a group wait until every registered lane waits there, too, and they
 * go on as one group. `break B` takes lanes off B. `yield` lets another group run. docs/divergence.md says which of this is published and which is
 * ours.
 *
 * Lanes leave all barriers when they exit, and those of a subroutine when they return. A call is a barrier, too: its lanes go on together behind it.
 * Each activation has barriers of its own.
 *
 * Barriers of the CTA count warps (RC-17), so the groups of a warp gather at a `bar`: a group waits there until no other group can run. Lanes that
 * wait, at a barrier of the warp, for lanes at the `bar` cannot run. Then the group executes the `bar` and the warp arrives once.
 *
 * Tokens (flow.h), in this flow unit: READY, a group that can execute, the next one last; BLOCKED, a group that waits at a barrier; GATHERED, a group
 * that waits at a `bar`, the longest waiting one first; SYNCED, lanes that wait at a `wsync`; MASK, the lanes that are registered with a barrier;
 * CALL, an activation.
 *
 * Invariants, outside of the functions below: every lane that has not exited is active or in one READY, BLOCKED, GATHERED or SYNCED token; BLOCKED
 * lanes are in the MASK of their barrier; a barrier has a lane in its MASK that is not BLOCKED there. warp->minrc is HD_INF and no resume counter is
 * used. */
#ifndef HD_CORE_GROUPS_H
#define HD_CORE_GROUPS_H

#include "core/flow/flow.h"

enum {
	HD_CALL_BARRIER = 16, /* number of the barrier behind a call; programs name 0 to 15 */
	HD_PATIENCE = 64,     /* after so many yields without an arrival, waiting lanes go on without those that yield */
};

/* As the functions of the same name in flow.h. The caller of hd_flow_start sets warp->tokens, which is empty. */
hd_flow_result hd_groups_branch(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target);
hd_flow_result hd_groups_jump(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, unsigned *lane);
hd_flow_result hd_groups_call(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target);
hd_flow_result hd_groups_call_indirect(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, unsigned *lane);
hd_flow_result hd_groups_return(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken);
hd_flow_result hd_groups_exit(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken);
/* Of the lanes `taken`, which are active. `number`: a barrier, 0 to 15. */
hd_flow_result hd_groups_register(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, unsigned number);
hd_flow_result hd_groups_leave(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, unsigned number);
hd_flow_result hd_groups_wait(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, unsigned number);
hd_flow_result hd_groups_yield(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken);
hd_flow_result hd_groups_sync(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 operands[2]);
/* `taken` come to the `bar` at warp->pc and have not gathered there. With warp->gathered set afterwards, the active lanes are at warp->pc, a `bar`,
 * and may arrive at the CTA's barrier. The caller then clears it. */
hd_flow_result hd_groups_gather(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken);

/* The address at which each lane that does not execute will go on, HD_INF for other lanes. For diagnosis. */
void hd_groups_waiting(const hd_warp_flow *warp, uint32_t where[HD_LANES]);

#endif
