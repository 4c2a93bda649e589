/* The end of a pipe: results are written, counters are released by the write, and flow instructions are decided. */
#ifndef HD_CORE_WRITE_BACK_H
#define HD_CORE_WRITE_BACK_H

#include "core/state.h"

/* Completes all flights of cycle `now`. After a trap it drops the rest of them. */
void hd_write_back_stage(hd_core *core, uint64_t now);

#endif
