#ifndef HD_ANNOTATE_H
#define HD_ANNOTATE_H

#include "passes/pass.h"

/* Annotates every instruction: fence counters and waits (counters.h) unless the machine has a scoreboard, delays (delays.h), last uses (last_use.h),
 * hints (hints.h) and priorities (priorities.h). In serial mode every instruction waits for the one before it instead (serial.h). Sets
 * machine->fence_high_latency to the split that it chose for the program, where fence.split leaves it to the program. Requires: allocated, branches
 * are instructions; the block order is final. */
bool hd_pass_annotate(hd_ir_module *module, const hd_pass_context *context);

#endif
