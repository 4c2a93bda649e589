#include "passes/annotate/hazard_index.h"

#include "passes/analysis/loop_weight.h"

static int compare_edges(const void *left, const void *right)
{
	const hd_hazard *a = left, *b = right;
	if (a->consumer != b->consumer)
		return a->consumer < b->consumer ? -1 : 1;
	return a->producer < b->producer ? -1 : a->producer > b->producer;
}

/* Indexes by producer all that may be outstanding while a consumer waits, without what the consumer depends on (a drain depends on all) and what is
 * done by then. */
static void index_unneeded(hd_hazard_index *x)
{
	const hd_hazards *h = x->hazards;
	HD_VEC(uint32_t) places = {0}, producers = {0};
	uint32_t *needed_by = hd_xcalloc(h->n + 1, sizeof *needed_by); /* of each instruction: place + 1 of the latest consumer that depends on it */
	x->unneeded_first = hd_xcalloc(h->n + 2, sizeof(uint32_t));
	for (uint32_t place = 0; place < h->consumers.n; place++) {
		uint32_t consumer = h->consumers.at[place];
		if (h->uses[consumer].drains)
			continue;
		for (uint32_t i = x->by_consumer_first[consumer]; i < x->by_consumer_first[consumer + 1]; i++)
			needed_by[h->edges.at[i].producer] = place + 1;
		for (uint32_t k = h->outstanding_first.at[place]; k < h->outstanding_first.at[place + 1]; k++) {
			uint32_t p = h->outstanding.at[k];
			if (needed_by[p] == place + 1 || !hd_extra_wait(&x->estimate, p, consumer))
				continue;
			hd_vec_push(&places, place);
			hd_vec_push(&producers, p);
			x->unneeded_first[p + 2]++;
		}
	}
	for (uint32_t i = 0; i < h->n; i++)
		x->unneeded_first[i + 2] += x->unneeded_first[i + 1];
	x->unneeded = hd_xcalloc(places.n + 1, sizeof(uint32_t));
	for (size_t i = 0; i < places.n; i++)
		x->unneeded[x->unneeded_first[producers.at[i] + 1]++] = places.at[i];
	free(needed_by);
	hd_vec_free(&places);
	hd_vec_free(&producers);
}

static void index_edges(hd_hazard_index *x)
{
	hd_hazards *h = x->hazards;
	if (h->edges.n)
		qsort(h->edges.at, h->edges.n, sizeof *h->edges.at, compare_edges);
	x->by_consumer_first = hd_xcalloc(h->n + 2, sizeof(uint32_t));
	x->by_producer_first = hd_xcalloc(h->n + 3, sizeof(uint32_t));
	x->by_producer = hd_xcalloc(h->edges.n + 1, sizeof(uint32_t));
	for (size_t i = 0; i < h->edges.n; i++) {
		x->by_consumer_first[h->edges.at[i].consumer + 1]++;
		x->by_producer_first[h->edges.at[i].producer + 2]++;
	}
	for (uint32_t i = 0; i < h->n; i++) {
		x->by_consumer_first[i + 1] += x->by_consumer_first[i];
		x->by_producer_first[i + 2] += x->by_producer_first[i + 1];
	}
	for (size_t i = 0; i < h->edges.n; i++)
		x->by_producer[x->by_producer_first[h->edges.at[i].producer + 1]++] = (uint32_t)i;
}

hd_hazard_index hd_hazard_index_new(const hd_ir_function *function, const hd_machine *machine)
{
	hd_hazard_index x = {.hazards = hd_hazards_find(function, machine)};
	const hd_hazards *h = x.hazards;
	x.weight = hd_xcalloc(h->n + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < h->n; i++)
		x.weight[i] = hd_loop_weight(function->blocks.at[h->block[i]]);
	x.consumer_place = hd_xcalloc(h->n + 1, sizeof(uint32_t));
	for (size_t i = 0; i < h->consumers.n; i++)
		x.consumer_place[h->consumers.at[i]] = (uint32_t)i + 1;
	index_edges(&x);
	x.estimate = hd_latency_estimate_new(h, machine);
	index_unneeded(&x);
	return x;
}

void hd_hazard_index_free(hd_hazard_index *x)
{
	hd_latency_estimate_free(&x->estimate);
	hd_hazards_free(x->hazards);
	free(x->weight);
	free(x->consumer_place);
	free(x->by_producer_first);
	free(x->by_producer);
	free(x->by_consumer_first);
	free(x->unneeded_first);
	free(x->unneeded);
	*x = (hd_hazard_index){0};
}

uint64_t hd_unneeded_wait_cost(const hd_hazard_index *x, uint32_t place, uint32_t producer)
{
	uint32_t consumer = x->hazards->consumers.at[place];
	return (uint64_t)x->weight[consumer] * hd_extra_wait(&x->estimate, producer, consumer);
}
