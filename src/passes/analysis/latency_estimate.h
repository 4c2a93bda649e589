/* When, by the latency table, the instructions of a block enter their pipes and how long primaries stay outstanding: what the choice of counters
 * weighs (HZ-24). An estimate for a warp that has the core to itself; nothing relies on it. */
#ifndef HD_OUTSTANDING_H
#define HD_OUTSTANDING_H

#include "passes/analysis/hazards.h"

/* Cycles from the issue of an instruction to its result: of the table, and behind memory what a hit in the first cache, half of one in the second, or
 * shared memory takes. `op` of the IR. */
uint32_t hd_expected_latency(const hd_machine *machine, unsigned op);

typedef struct hd_outstanding {
	const hd_hazards *h;
	/* By instruction, in cycles from the beginning of its block: it is issued; it enters its pipe, if it waits for what it needs alone and
	 * all loads hit the first cache; its counter falls, if it has one, as expected. */
	uint32_t *issue, *entry, *release;
	uint32_t *length; /* of each block, in cycles */
} hd_outstanding;

hd_outstanding hd_outstanding_new(const hd_hazards *h, const hd_machine *machine);
void hd_outstanding_free(hd_outstanding *o);

/* Cycles for which `consumer`, which has all that it needs, would still wait for `producer`. From one block to another it is as if the one followed
 * the other. */
uint32_t hd_outstanding_extra(const hd_outstanding *o, uint32_t producer, uint32_t consumer);

#endif
