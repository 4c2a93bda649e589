/* An estimate, by the latency table, of when the instructions of a block issue, enter their pipes and release their fence counters. The choice of
 * counters weighs by it (HZ-24). It holds for a warp that has the core to itself and whose loads hit the first cache. No correctness depends on it.
 */
#ifndef HD_LATENCY_ESTIMATE_H
#define HD_LATENCY_ESTIMATE_H

#include "passes/analysis/hazards.h"

/* Cycles from the issue of an instruction to its result: the latency table, and for memory also a hit in the first cache and half of one in the
 * second, or what shared or constant memory takes. `op`: an operation or pseudo operation. */
uint32_t hd_expected_latency(const hd_machine *machine, unsigned op);

typedef struct hd_latency_estimate {
	const hd_hazards *h;
	/* By instruction, in cycles from the beginning of its block. */
	uint32_t *issue;
	uint32_t *entry;   /* into its pipe, if it waits only for what it depends on */
	uint32_t *release; /* of its counter, if it has one */
	uint32_t *length;  /* of each block, in cycles */
} hd_latency_estimate;

/* `h` must outlive the estimate. The caller frees it with hd_latency_estimate_free. */
hd_latency_estimate hd_latency_estimate_new(const hd_hazards *h, const hd_machine *machine);
void hd_latency_estimate_free(hd_latency_estimate *estimate);

/* Cycles for which `consumer` would wait for `producer`, counted from when all that it depends on is there. If the consumer is not behind the
 * producer in one block, as if its block followed the producer's. */
uint32_t hd_extra_wait(const hd_latency_estimate *estimate, uint32_t producer, uint32_t consumer);

#endif
