/* The stage between issue and the pipes: each queue passes at most one instruction to its pipe (HZ-10 to HZ-15). */
#ifndef HD_CORE_QUEUE_STAGE_H
#define HD_CORE_QUEUE_STAGE_H

#include "core/state.h"

/* True when hd_queue_stage has something to do. */
static inline bool hd_queue_stage_busy(const hd_core *core, const hd_scheduler *s)
{
	return s->occupied | s->entering || s->replay.latched || core->observers;
}
/* One cycle of a scheduler's queues, replays first. */
void hd_queue_stage(hd_core *core, unsigned scheduler, uint64_t now);

#endif
