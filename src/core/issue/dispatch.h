/* Dispatch: a decoded instruction goes to the queue of its pipe (PD-15). Raises its fence counter (HZ-6) and the wait counters of what it
 * waits for (HZ-17) in the same cycle. */
#ifndef HD_CORE_DISPATCH_H
#define HD_CORE_DISPATCH_H

#include "core/state.h"

/* The instruction at `pc` of the warp. Requires: the queue has room, and the decoder does not refuse the instruction (decode.h). */
void hd_dispatch(hd_core *core, unsigned scheduler, unsigned warp, uint32_t pc, uint64_t now);

#endif
