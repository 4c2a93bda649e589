/* Wakes warps that wait for an event without a fixed time. */
#ifndef HD_CORE_WAKEUP_H
#define HD_CORE_WAKEUP_H

#include "core/observe/observers.h"
#include "core/state.h"

/* Checks the windows of `warps` again, because a change may let their instructions be sent. */
static inline void hd_windows_retry(hd_scheduler *s, uint32_t warps)
{
	s->touched |= (s->window_waits & warps) != 0;
	s->window_waits &= ~warps;
}

/* Checks the windows again in which an instruction waits for room in the pipe's queue. With a constant cache it checks all windows, because a check
 * of a constant operand moves its line in the cache, so no check may be left out. */
static inline void hd_windows_retry_pipe(const hd_core *core, hd_scheduler *s, unsigned pipe)
{
	hd_windows_retry(s, core->constants ? ~0u : s->held_by[pipe]);
	s->held_by[pipe] = 0;
}

/* The queue of the pipe was full and has room. */
static inline void hd_queue_has_room(const hd_core *core, hd_scheduler *s, unsigned pipe)
{
	s->touched = true;
	s->full &= ~(1u << pipe);
	hd_windows_retry_pipe(core, s, pipe);
}

/* Baseline: `event` informs the scoreboard that the instruction at `pc` has read, is about to write, or is done. Its warp is checked again. */
static inline void hd_scoreboard_report(hd_core *core, hd_scheduler *s, unsigned warp, uint32_t pc,
                                        void (*event)(hd_scoreboard *, unsigned, const hd_footprint *))
{
	event(s->scoreboard, warp, &core->footprint[pc]);
	HD_EVENT(core, score_end, s, warp, &core->footprint[pc], event);
	s->touched |= s->blocked >> warp & 1;
	s->blocked &= ~(1u << warp);
	hd_windows_retry(s, 1u << warp);
}

/* hd_scoreboard_ready for the instruction at `pc` of the warp. */
static inline bool hd_footprint_ready(const hd_core *core, const hd_scheduler *s, unsigned warp, uint32_t pc)
{
	bool ready = hd_scoreboard_ready(s->scoreboard, warp, &core->footprint[pc]);
	HD_EVENT(core, score_check, s, warp, &core->footprint[pc], ready);
	return ready;
}

#endif
