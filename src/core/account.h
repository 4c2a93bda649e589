/* The account of issue slots: every slot of every cycle in which the core holds a warp is used, or lost for one cause (stall.def). */
#ifndef HD_CORE_ACCOUNT_H
#define HD_CORE_ACCOUNT_H

#include "core/observe/observers.h"
#include "core/state.h"

/* Accounts for all cycles up to `to`. Requires: nothing happened in them. */
void hd_core_catch_up(hd_core *core, uint64_t to);

/* Counts `slots` issue slots of this cycle as lost for the cause `why`. */
static inline void hd_lose_slots(hd_core *core, hd_scheduler *s, hd_stall why, uint32_t slots, uint64_t now)
{
	s->stall[why] += slots;
	HD_EVENT(core, lost, s, why, slots, now, 1);
}

/* Counts `n` instructions that the warp issues in its present flow state (RC-24). run.issued is the sum of the three counters. */
static inline void hd_count_issued(const hd_core *core, const hd_warp_flow *flow, unsigned n)
{
	if (flow->active == flow->alive)
		core->stats->divergence_issued_all += n;
	else if (flow->active)
		core->stats->divergence_issued_some += n;
	else
		core->stats->divergence_issued_none += n;
}

/* As hd_core_finish. */
void hd_account_finish(hd_core *core, uint64_t now);

#endif
