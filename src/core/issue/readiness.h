/* The set of warps that can be picked in a cycle, by pre-decode data and by the state of the queues (PD-13). */
#ifndef HD_CORE_READINESS_H
#define HD_CORE_READINESS_H

#include "core/state.h"

/* The row of the warp's instruction at `pc`, with the hint that its hint registers hold in cycle `now` (PD-25). Requires: s->hints. */
const hd_static *hd_row_by_registers(const hd_core *core, const hd_scheduler *s, unsigned warp, uint32_t pc, uint64_t now, hd_static *own);
/* The row of the warp's instruction at `pc`, with the hint that the scheduler reads in cycle `now`. With hint registers the row may be in *own,
 * otherwise it is that of the program. */
static inline const hd_static *hd_row_of(const hd_core *core, const hd_scheduler *s, unsigned warp, uint32_t pc, uint64_t now, hd_static *own)
{
	return s->hints ? hd_row_by_registers(core, s, warp, pc, now, own) : &core->code[pc];
}
/* Presents the warp's next instruction to the scheduler. The warp continues at flow[].pc in cycle `now` at the earliest. */
void hd_next_instruction(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now);
/* Keeps the warp from being picked before `cycle`. */
void hd_delay_warp(hd_scheduler *s, unsigned warp, uint64_t cycle);
/* PD-30: in cycle now + 1, and in no later one, the warp goes before all others and before a replay. */
void hd_follow(hd_scheduler *s, unsigned warp, uint64_t now);
/* Ends delays, boosts and lowers whose time has come, and begins adjustments of priority. */
void hd_update_readiness(hd_core *core, hd_scheduler *s, uint64_t now);
/* The warps that can be picked, without those of `except`. */
uint32_t hd_ready_warps(const hd_core *core, const hd_scheduler *s, uint32_t except);
/* The cause for which no warp can be picked. If there are several causes, it is the one closest to issue. */
hd_stall hd_idle_cause(const hd_scheduler *s);

#endif
