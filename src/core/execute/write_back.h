/* The end of a pipe: results are written and counters released by the write, flow instructions are decided. */
#ifndef HD_CORE_WRITE_BACK_H
#define HD_CORE_WRITE_BACK_H

#include "core/state.h"

/* Completes all flights of cycle `now`. After a trap the rest of them is dropped. */
void hd_write_back_stage(hd_core *core, uint64_t now);

#endif
