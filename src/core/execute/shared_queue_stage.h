/* The stage of a queue that all pipes share (MI-12), in place of queue_stage.h. */
#ifndef HD_CORE_SHARED_QUEUE_STAGE_H
#define HD_CORE_SHARED_QUEUE_STAGE_H

#include "core/state.h"

/* One cycle of a scheduler with a shared queue, replays first. It takes the place of hd_queue_stage. */
void hd_shared_queue_stage(hd_core *core, unsigned scheduler, uint64_t now);
/* The same for all schedulers of a core. */
bool hd_shared_queue_stages(hd_core *core, uint64_t now);

#endif
