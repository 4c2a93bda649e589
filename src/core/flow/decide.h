/* Flow instructions at the end of their pipe: the flow unit decides, fetch follows, barriers count arrivals. */
#ifndef HD_CORE_DECIDE_H
#define HD_CORE_DECIDE_H

#include "core/state.h"

void hd_decide(hd_core *core, unsigned scheduler, hd_flight *flight, uint64_t now);

#endif
