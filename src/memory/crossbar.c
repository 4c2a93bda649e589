#include "memory/crossbar.h"

/* -- the core's side ---------------------------------------------------------------------------------------------------------------------------- */

hd_outbox *hd_outbox_new(uint32_t core)
{
	hd_outbox *outbox = hd_xcalloc(1, sizeof *outbox);
	outbox->core = core;
	return outbox;
}

void hd_outbox_free(hd_outbox *outbox)
{
	if (!outbox)
		return;
	hd_free_list_free(&outbox->packets);
	hd_vec_free(&outbox->copy);
	hd_fills_free(&outbox->fills);
	free(outbox);
}

/* Frees packets that have arrived, up to the first that has not. */
static void clear(hd_outbox *outbox)
{
	for (hd_packet *packet; (packet = outbox->first) && packet->arrived;) {
		outbox->first = packet->later;
		for (hd_fill *fill = packet->fills, *next; fill; fill = next) {
			next = fill->next;
			hd_fills_give(&outbox->fills, fill);
		}
		hd_free_list_give(&outbox->packets, packet);
	}
	if (!outbox->first)
		outbox->last = NULL;
}

hd_packet *hd_outbox_send(hd_outbox *outbox, uint64_t arrival, const hd_work *work)
{
	clear(outbox);
	hd_packet *packet = hd_free_list_take(&outbox->packets, sizeof *packet);
	*packet = (hd_packet){.arrival = arrival, .number = outbox->number++, .work = *work};
	packet->work.mask = 0;
	if (outbox->last)
		outbox->last->later = packet;
	else
		outbox->first = packet;
	outbox->last = packet;
	if (!outbox->fresh)
		outbox->fresh = packet;
	return packet;
}

hd_fill *hd_outbox_fill(hd_outbox *outbox, hd_packet *packet, uint64_t address, const uint8_t *host)
{
	hd_fill *fill = hd_fills_take(&outbox->fills);
	fill->address = address;
	fill->host = host;
	if (packet->fills)
		packet->last_fill->next = fill;
	else
		packet->fills = fill;
	packet->last_fill = fill;
	return fill;
}

/* Applies the lanes of a store or atomic that lie in the copy. A lane that lies in it partly has its other bytes elsewhere. */
static void apply(const hd_work *work, uint8_t *copy, const uint8_t *host, uint32_t bytes)
{
	unsigned size = hd_size_bytes(work->size);
	for (uint32_t rest = work->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uintptr_t at = (uintptr_t)work->at[lane], from = (uintptr_t)host;
		uint8_t changed[16];
		uint32_t word[4];
		if (at + size <= from || at >= from + bytes)
			continue;
		memcpy(changed, work->at[lane], size);
		for (unsigned i = 0; i < size; i++)
			changed[i] = at + i - from < bytes ? copy[at + i - from] : changed[i];
		hd_perform_lane(work, lane, changed, word);
		for (unsigned i = 0; i < size; i++)
			if (at + i - from < bytes)
				copy[at + i - from] = changed[i];
	}
}

const uint8_t *hd_outbox_over(hd_outbox *outbox, const uint8_t *host, uint32_t bytes)
{
	if (!outbox->first)
		return host;
	outbox->copy.n = 0;
	for (uint32_t i = 0; i < bytes; i++)
		hd_vec_push(&outbox->copy, host[i]);
	for (const hd_packet *packet = outbox->first; packet; packet = packet->later)
		if (!packet->arrived && packet->work.format != HD_F_LD)
			apply(&packet->work, outbox->copy.at, host, bytes);
	return outbox->copy.at;
}

/* -- the shared side ---------------------------------------------------------------------------------------------------------------------------- */

/* A packet on its way, in the heap. */
typedef struct hd_arrival {
	uint64_t cycle, place; /* place: core, then number */
	hd_packet *packet;
	hd_outbox *outbox;
} hd_arrival;

enum { NUMBER_BITS = 48 };

hd_crossbar *hd_crossbar_new(hd_memory *memory, hd_watch *watch)
{
	hd_crossbar *crossbar = hd_xcalloc(1, sizeof *crossbar);
	crossbar->memory = memory;
	crossbar->watch = watch;
	crossbar->next = UINT64_MAX;
	return crossbar;
}

void hd_crossbar_free(hd_crossbar *crossbar)
{
	if (!crossbar)
		return;
	free(crossbar->heap);
	free(crossbar);
}

static inline bool before(const hd_arrival *a, const hd_arrival *b) { return a->cycle < b->cycle || (a->cycle == b->cycle && a->place < b->place); }

static void put(hd_crossbar *crossbar, hd_arrival item)
{
	if (crossbar->n == crossbar->cap)
		crossbar->heap = hd_vec_grow(crossbar->heap, &crossbar->cap, sizeof *crossbar->heap);
	size_t at = crossbar->n++;
	while (at && before(&item, &crossbar->heap[(at - 1) / 2])) {
		crossbar->heap[at] = crossbar->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	crossbar->heap[at] = item;
	crossbar->next = crossbar->heap[0].cycle;
}

static hd_arrival take(hd_crossbar *crossbar)
{
	hd_arrival *heap = crossbar->heap, first = heap[0];
	size_t n = --crossbar->n, at = 0;
	hd_arrival item = heap[n];
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= n)
			break;
		if (child + 1 < n && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &item))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = item;
	crossbar->next = n ? heap[0].cycle : UINT64_MAX;
	return first;
}

void hd_crossbar_take_fresh(hd_crossbar *crossbar, hd_outbox *outbox)
{
	for (hd_packet *packet = outbox->fresh; packet; packet = packet->later) {
		put(crossbar, (hd_arrival){packet->arrival, (uint64_t)outbox->core << NUMBER_BITS | packet->number, packet, outbox});
		if (crossbar->watch && packet->work.format != HD_F_LD)
			crossbar->watch->due = hd_max_u64(crossbar->watch->due, packet->arrival);
	}
	outbox->fresh = NULL;
}

/* The bytes of a sector that lie in allocations. The others are never read. */
static void gather(hd_memory *memory, uint64_t address, uint8_t sector[HD_SECTOR_BYTES])
{
	for (unsigned i = 0; i < HD_SECTOR_BYTES; i++) {
		const uint8_t *at = hd_memory_at(memory, address + i, 1);
		sector[i] = at ? *at : 0;
	}
}

void hd_crossbar_perform(hd_crossbar *crossbar, uint64_t now)
{
	while (crossbar->n && crossbar->next <= now) {
		hd_arrival first = take(crossbar);
		hd_packet *packet = first.packet;
		if (packet->work.live || packet->work.format != HD_F_LD)
			hd_perform_watched(&packet->work, crossbar->watch, packet->arrival);
		else
			hd_perform(&packet->work);
		for (hd_fill *fill = packet->fills; fill; fill = fill->next) {
			uint8_t sector[HD_SECTOR_BYTES];
			if (!fill->host)
				gather(crossbar->memory, fill->address, sector);
			hd_first_cache_arrive(&first.outbox->fills, fill, fill->host ? fill->host : sector);
		}
		packet->arrived = true;
	}
}
