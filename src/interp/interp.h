/* The in-order oracle: executes the encoded program with the flow unit's rules (least address first, RC-1 to RC-14) and no time, no queues,
 * no counters. Barriers and atomics are honoured; CTAs run one after the other, warps of a CTA round robin between barriers. */
#ifndef HD_INTERP_H
#define HD_INTERP_H

#include "config/machine.h"
#include "launch/launch.h"

/* As hd_device_run. max_instructions 0 = no limit; otherwise the launch ends with HD_TRAP_CYCLES after so many warp instructions.
 * Fills the groups run, divergence and the instruction counts of memory in `stats`; cycles stay 0. call_depth as in the machine. */
bool hd_interp_run(const hd_launch *launch, hd_memory *memory, uint32_t call_depth, uint64_t max_instructions, bool (*poll)(void *, uint64_t, uint64_t, uint64_t),
                   void *context, hd_stats *stats, hd_trap *trap);

#endif
