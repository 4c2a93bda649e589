/* The stage of pipes that schedulers share, and of pipes with copies (shared_pipes.h). */
#ifndef HD_CORE_SHARED_PIPES_STAGE_H
#define HD_CORE_SHARED_PIPES_STAGE_H

#include "core/state.h"

/* One cycle of the queues of all schedulers, replays first. It takes the place of hd_queue_stage. */
bool hd_shared_pipes_stages(hd_core *core, uint64_t now);

#endif
