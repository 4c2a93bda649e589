/* The account of issue slots: every slot of every cycle in which the core holds a warp is used, or lost for one cause (stall.def). */
#ifndef HD_CORE_ACCOUNT_H
#define HD_CORE_ACCOUNT_H

#include "core/observe/tracing.h"

/* Accounts for all cycles up to `to`. Requires: nothing happened in them. */
void hd_core_catch_up(hd_core *core, uint64_t to);

/* Counts `slots` issue slots of this cycle as lost for the cause `why`. */
static inline void hd_lose_slots(const hd_core *core, hd_scheduler *s, hd_stall why, uint32_t slots, uint64_t now)
{
	s->stall[why] += slots;
	if (core->trace)
		hd_tell_lost(core, s, why, slots, now, 1);
}

#endif
