/* The stage between issue and the pipes: each queue passes at most one instruction to its pipe (HZ-10 to HZ-15). */
#ifndef HD_CORE_QUEUE_STAGE_H
#define HD_CORE_QUEUE_STAGE_H

#include "core/state.h"

/* One cycle of a scheduler's queues, replays first. */
void hd_queue_stage(hd_core *core, unsigned scheduler, uint64_t now);

#endif
