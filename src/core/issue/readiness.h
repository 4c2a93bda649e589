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
/* For hd_update_readiness: ends the delays whose time has come. */
void hd_end_delays(hd_scheduler *s, uint64_t now);
/* PD-9: begins a boost or a lower when the warp's next instruction is at the head of its FIFO and its delay or wait has passed. */
void hd_begin_adjustments(hd_core *core, hd_scheduler *s, uint64_t now);
/* Ends lowers whose time has come, and begins and ends what hd_follow asked for. */
void hd_end_lowers(hd_scheduler *s, uint64_t now);
/* Ends delays, boosts and lowers whose time has come, and begins adjustments of priority. */
static inline void hd_update_readiness(hd_core *core, hd_scheduler *s, uint64_t now)
{
	if (core->window)
		s->delayed &= s->window_waits;
	if (now >= s->wake_first)
		hd_end_delays(s, now);
	if (s->adjusting)
		hd_begin_adjustments(core, s, now);
	if (now >= s->neutral)
		hd_end_lowers(s, now);
}
/* For hd_ready_warps: those of `can` whose next instruction goes to no full queue. */
uint32_t hd_without_full_queues(const hd_scheduler *s, uint32_t can);
/* The warps that wait only for a place in a queue that has one by now. Each is looked at in its turn, as long as there is a place. */
static inline uint32_t hd_may_have_place(const hd_scheduler *s)
{
	uint32_t warps = 0;
	for (uint32_t left = s->awaited & ~s->full; left; left &= left - 1)
		warps |= s->for_place[hd_lowest_bit(left)];
	return warps;
}
/* The warps that can be picked, without those of `except`. */
static inline uint32_t hd_ready_warps(const hd_core *core, const hd_scheduler *s, uint32_t except)
{
	uint32_t can = s->live & ~(s->deciding | s->at_barrier | s->descheduled | s->delayed | s->for_memory | s->fetch.starved | except);
	if (core->window) /* the window may skip an instruction that has to wait */
		return can & (~s->window_waits | hd_may_have_place(s));
	can &= ~s->blocked;
	return s->full ? hd_without_full_queues(s, can) : can;
}
/* The cause for which none of the warps `of` is picked: that of one warp, or of several causes the one closest to issue. *whose receives the warps of
 * which it holds. Statistics, traces and the state of units ask here, and nobody else decides. */
hd_stall hd_cause(const hd_scheduler *s, uint32_t of, uint32_t *whose);
/* The scoreboard is asked when a warp is chosen. Of the warps `ready`, which are not: those that it would hold. A wider window may have another
 * instruction that can issue, so there it holds nobody. */
uint32_t hd_unasked(const hd_core *core, const hd_scheduler *s, uint32_t ready);
/* That of all warps. */
hd_stall hd_idle_cause(const hd_scheduler *s);

#endif
