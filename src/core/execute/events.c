#include "core/execute/events.h"

void hd_events_free(hd_events *events) { free(events->heap); }

static inline bool before(const struct hd_far *a, const struct hd_far *b)
{
	return a->cycle < b->cycle || (a->cycle == b->cycle && a->number < b->number);
}

void hd_events_add_reserved(hd_events *events, uint64_t order, uint64_t cycle, hd_flight *flight)
{
	if (events->heap_n == events->heap_cap)
		events->heap = hd_vec_grow(events->heap, &events->heap_cap, sizeof *events->heap);
	struct hd_far item = {cycle, order, flight};
	size_t at = events->heap_n++;
	while (at && before(&item, &events->heap[(at - 1) / 2])) {
		events->heap[at] = events->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	events->heap[at] = item;
}

static hd_flight *heap_take(hd_events *events)
{
	hd_flight *first = events->heap[0].flight;
	struct hd_far item = events->heap[--events->heap_n];
	size_t at = 0;
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= events->heap_n)
			break;
		if (child + 1 < events->heap_n && before(&events->heap[child + 1], &events->heap[child]))
			child++;
		if (!before(&events->heap[child], &item))
			break;
		events->heap[at] = events->heap[child];
		at = child;
	}
	events->heap[at] = item;
	return first;
}

void hd_events_add_far(hd_events *events, uint64_t now, uint64_t cycle, hd_flight *flight)
{
	hd_invariant(cycle > now, "event for cycle %llu put in at cycle %llu", (unsigned long long)cycle, (unsigned long long)now);
	hd_events_add_reserved(events, hd_events_reserve(events), cycle, flight);
}

hd_flight *hd_events_far(hd_events *events, uint64_t now, hd_flight *near)
{
	hd_flight *list = NULL, **end = &list;
	while (events->heap_n && events->heap[0].cycle == now) {
		*end = heap_take(events);
		end = &(*end)->next;
	}
	*end = near;
	return list;
}

enum { FLIGHTS = 32, OPERANDS = 8 /* in a block */ };

static void *new_block(hd_pool *pool, size_t bytes)
{
	void *block = hd_take_any(pool->region, bytes);
	if (!pool->region)
		hd_vec_push(&pool->pieces, block);
	return block;
}

void hd_pool_more(hd_pool *pool)
{
	hd_flight *piece = new_block(pool, FLIGHTS * sizeof *piece);
	for (int i = FLIGHTS - 1; i >= 0; i--) {
		piece[i].next = pool->flights;
		pool->flights = &piece[i];
	}
}

hd_memory_operands *hd_pool_operands(hd_pool *pool)
{
	if (!pool->operands) {
		hd_memory_operands *piece = new_block(pool, OPERANDS * sizeof *piece);
		for (int i = OPERANDS - 1; i >= 0; i--) {
			piece[i].next = pool->operands;
			piece[i].result.owner = NULL;
			piece[i].result.answered = piece[i].result.waits = 0;
			pool->operands = &piece[i];
		}
	}
	hd_memory_operands *operands = pool->operands;
	pool->operands = operands->next;
	operands->whole = NULL;
	return operands;
}

void hd_pool_free(hd_pool *pool)
{
	for (size_t i = 0; i < pool->pieces.n; i++)
		free(pool->pieces.at[i]);
	hd_vec_free(&pool->pieces);
}
