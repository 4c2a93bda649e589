/* Assignment of fence counters to primaries (HZ-20, HZ-23 to HZ-25).
 *
 *  1. Primaries are taken in layout order. Each gets the counter of the set that its pipe calls for (HZ-20) that costs least; among equals the one
 *     that was used longest ago (HZ-24).
 *  2. The cost of a counter is that of unneeded waits: a consumer that waits for counter k because of primary P waits also for another primary Q on
 *     k, for what is left of Q's latency when all that the consumer depends on is there (latency_estimate.h), as often as the consumer runs
 *     (loop_weight.h).
 *  3. A primary whose counter still has a secondary in a queue is sent back by the decoder (HZ-18). That costs the wait, and some cycles more.
 *  4. Waits follow from the counters: a consumer has one mask. */
#ifndef HD_COUNTERS_H
#define HD_COUNTERS_H

#include "passes/annotate/hazard_index.h"

/* Sets `primary`, `release` and `wait` of the function's instructions. An instruction may then wait for the counter that it raises, if no other
 * counter was left (HZ-3): waiting_branches.h. */
void hd_assign_counters(const hd_hazard_index *index, const hd_machine *machine);

/* The number of high-latency counters with which the unneeded waits of all functions cost least. Among equals the machine's fence.high_latency;
 * otherwise the fewest. Large programs keep the machine's. */
uint32_t hd_choose_split(const hd_hazard_index *functions, size_t n, const hd_machine *machine);

#endif
