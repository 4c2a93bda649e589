/* Monitor (HZ-9). It observes reads and writes at the pipes, lowers fence counters, and wakes the warps that wait for them. */
#ifndef HD_CORE_MONITOR_H
#define HD_CORE_MONITOR_H

#include "core/state.h"

/* `units` of an instruction (HZ-31) have been written, at the beginning of cycle `now`. */
void hd_monitor_written(hd_core *core, unsigned scheduler, unsigned warp, unsigned counter, unsigned units, uint64_t now);
/* `units` have been read or dropped in this cycle. The change takes effect with hd_monitor_commit. */
static inline void hd_monitor_read(hd_scheduler *s, unsigned warp, unsigned counter, unsigned units)
{
	s->release[s->n_releases++] = (hd_release){(uint8_t)warp, (uint8_t)counter, (uint8_t)units};
}
void hd_monitor_commit(hd_core *core, unsigned scheduler, uint64_t now);
/* HZ-36: publishes counters that fell to zero before, where fence.status_period says so. Call it in each cycle after the write-back stage, unless the
 * period is 1. */
void hd_monitor_publish(hd_core *core, uint64_t now);
/* The first cycle after `now` in which hd_monitor_publish has something to publish; HD_NEVER if there is nothing. */
uint64_t hd_monitor_publishes(const hd_core *core, uint64_t now);
/* Wait counters of a warp fell to zero. */
void hd_monitor_waiters(hd_scheduler *s, unsigned warp);
/* At the end of a cycle: stops the run if a fence counter is out of its range (HZ-8). */
void hd_monitor_judge(hd_core *core, unsigned scheduler, uint64_t now);

#endif
