/* Queues of pipes that can refuse instructions at their entry (PD-26): because the entry is busy, a constant is absent or register file ports are
 * taken (replay.h). It takes the place of queue_stage.h where the machine has such a pipe, and costs nothing elsewhere. */
#ifndef HD_CORE_REFUSING_QUEUES_H
#define HD_CORE_REFUSING_QUEUES_H

#include "core/state.h"

/* One cycle of the queues of all schedulers of a core, replays first. */
bool hd_refusing_queue_stages(hd_core *core, uint64_t now);

#endif
