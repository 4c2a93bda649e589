/* The in-order oracle: executes the encoded program with the flow unit's rules (least address first, RC-1 to RC-14) and no time, no queues,
 * no counters. Barriers and atomics are honoured; CTAs run one after the other; the warps of a CTA take turns, at barriers and after some
 * thousand instructions, so that one may spin for another; one that spins for another CTA spins for ever. A CTA whose warps can all never go on,
 * at barriers or spinning, is a deadlock (RC-17). */
#ifndef HD_INTERP_H
#define HD_INTERP_H

#include "config/machine.h"
#include "launch/task.h"

/* As hd_device_run. max_instructions 0 = no limit; otherwise the launch ends with HD_TRAP_CYCLES after so many warp instructions.
 * Fills the groups run, divergence and the instruction counts of memory in `stats`; cycles stay 0. call_depth as in the machine. */
bool hd_interp_run(const hd_launch *launch, hd_memory *memory, uint32_t call_depth, uint64_t max_instructions,
                   bool (*poll)(void *, uint64_t, uint64_t, uint64_t), void *context, hd_stats *stats, hd_trap *trap);

/* The same for a list of launches of one program (launch/task.h): one grid after the other in an order that dependences allow, children after their
 * parent's CTAs, entries of queues in the order of the pushes. What is deterministic in the program is so here. Priorities and cycles of arrival mean
 * nothing. `results` may be NULL: numbers of CTAs and children; no cycles. */
bool hd_interp_run_list(const hd_task *list, uint32_t n, hd_memory *memory, uint32_t call_depth, uint32_t grid_depth, uint64_t max_instructions,
                        bool (*poll)(void *, uint64_t, uint64_t, uint64_t), void *context, hd_task_result *results, hd_stats *stats, hd_trap *trap);

#endif
