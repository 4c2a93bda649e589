/* De-scheduling of a warp by the decoder (HZ-18). */
#ifndef HD_CORE_DESCHEDULE_H
#define HD_CORE_DESCHEDULE_H

#include "core/state.h"

/* Sends the warp back to the scheduler with a verdict other than HD_SEND. s->watch[warp] names the counters. `slot`: an issue slot is lost. The
 * monitor brings the warp back. */
void hd_deschedule(hd_core *core, hd_scheduler *s, unsigned warp, hd_verdict verdict, bool slot, uint64_t now);

#endif
