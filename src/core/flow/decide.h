/* Flow instructions at the end of their pipe: the flow unit decides, fetch follows, barriers count arrivals. Between flow instructions the PC is
 * loaded in sequence. */
#ifndef HD_CORE_DECIDE_H
#define HD_CORE_DECIDE_H

#include "core/observe/observers.h"
#include "core/state.h"

void hd_decide(hd_core *core, unsigned scheduler, hd_flight *flight, uint64_t now);

/* Nothing of a warp without threads is in flight any more. Barriers of its CTA may be complete without it. */
void hd_core_warp_left(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now);

/* PD-32: the warps of the CTA that wait for child grids go on. */
void hd_core_joined(hd_core *core, hd_cta *cta);

/* Lanes of the warp resume at its PC, which has just become its MINRC (RC-2), or its lanes meet at a flag there (RC-21). False: others go on
 * elsewhere, and fetch follows. */
bool hd_resume_in_sequence(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now);

/* Loads the PC of a warp behind an instruction that is no flow instruction. False: the PC went elsewhere, and fetch has followed. */
static inline bool hd_load_in_sequence(hd_core *core, hd_scheduler *s, unsigned warp, uint32_t pc, uint64_t now)
{
	hd_warp_flow *flow = &s->flow[warp];
	bool stays = true;
	flow->pc = pc;
	if (pc == flow->minrc)
		stays = hd_resume_in_sequence(core, s, warp, now);
	HD_EVENT(core, step, s, warp);
	return stays;
}

#endif
