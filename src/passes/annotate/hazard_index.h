/* The hazards of a function as the assignment of counters looks at them: by producer, by consumer, with what waits cost. It does not depend on the
 * split of the counters. */
#ifndef HD_HAZARD_INDEX_H
#define HD_HAZARD_INDEX_H

#include "passes/analysis/hazards.h"
#include "passes/analysis/latency_estimate.h"

typedef struct hd_hazard_index {
	hd_hazards *hazards; /* edges sorted by consumer, then by producer */
	hd_latency_estimate estimate;
	uint32_t *weight;         /* of each instruction: how often it runs (loop_weight.h) */
	uint32_t *consumer_place; /* of each instruction: its place in hazards->consumers + 1; 0 = no consumer */
	/* Edges of instruction i: numbers from by_consumer_first[i] to before by_consumer_first[i + 1]; and those that by_producer names, from
	 * by_producer_first[i] to before by_producer_first[i + 1]. */
	uint32_t *by_consumer_first;
	uint32_t *by_producer_first, *by_producer;
	/* Unneeded waits: consumers (places) that do not depend on primary i, and would yet wait for it if they waited for its counter: those that
	 * `unneeded` names, from unneeded_first[i] to before unneeded_first[i + 1]. */
	uint32_t *unneeded_first, *unneeded;
} hd_hazard_index;

/* Requires: allocated, branches are instructions, loop depths. The caller frees the result with hd_hazard_index_free. */
hd_hazard_index hd_hazard_index_new(const hd_ir_function *function, const hd_machine *machine);
void hd_hazard_index_free(hd_hazard_index *x);

/* The cost of an unneeded wait of the consumer at `place` for `producer`: cycles for each time that it runs. */
uint64_t hd_unneeded_wait_cost(const hd_hazard_index *x, uint32_t place, uint32_t producer);

#endif
