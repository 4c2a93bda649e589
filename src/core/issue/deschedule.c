#include "core/issue/deschedule.h"

#include "core/account.h"
#include "core/observe/observers.h"

void hd_deschedule(hd_core *core, hd_scheduler *s, unsigned warp, hd_verdict verdict, bool slot, uint64_t now)
{
	uint32_t bit = 1u << warp;
	if (s->guessing & bit) { /* it is decoded again when the branch is decided (PD-27) */
		s->deciding |= bit;
		core->stats->predecode_decoded += core->decoded_at_issue;
		if (slot)
			hd_lose_slots(core, s, hd_stall_of_verdict(verdict), 1, now);
		return;
	}
	s->descheduled |= bit;
	if (verdict == HD_WAIT_WAITERS)
		s->for_waiters |= bit;
	if (verdict == HD_WAIT_ROOM)
		s->for_room |= bit;
	if (slot)
		s->stall[hd_stall_of_verdict(verdict)]++;
	core->stats->fence_descheduled++;
	if (core->decoded_at_issue) { /* otherwise it waits decoded (PD-39) */
		core->stats->predecode_decoded++;
		core->stats->predecode_flushes++;
		hd_fetch_restart(&s->fetch, warp, s->flow[warp].pc);
	}
	HD_RECORD_EVENT(core, s, DESCHEDULED, warp, verdict, s->watch[warp]);
	HD_EVENT(core, descheduled, s, warp, verdict, slot, now);
}
