#include "memory/crossbar.h"

#include "memory/l2.h"
#include "memory/slices.h"

/* -- the core's side ---------------------------------------------------------------------------------------------------------------------------- */

hd_outbox *hd_outbox_new(uint32_t core, hd_region *region)
{
	hd_outbox *outbox = hd_take(region, sizeof *outbox);
	outbox->core = core;
	outbox->packets.region = outbox->fills.fills.region = outbox->fills.waiters.region = region;
	return outbox;
}

void hd_outbox_free(hd_outbox *outbox)
{
	if (!outbox)
		return;
	hd_free_list_free(&outbox->packets);
	hd_vec_free(&outbox->copy);
	hd_vec_free(&outbox->waiting);
	hd_fills_free(&outbox->fills);
	hd_give(outbox->packets.region, outbox);
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
	hd_packet_add(packet, fill);
	return fill;
}

void hd_outbox_line(hd_outbox *outbox, uint64_t arrival, uint64_t number, uint64_t address, uint32_t bytes)
{
	hd_packet *packet = hd_outbox_send(outbox, arrival, &(hd_work){.kind = HD_ACCESS_LOAD});
	packet->line = number;
	for (uint32_t at = 0; at < bytes; at += HD_SECTOR_BYTES)
		hd_outbox_fill(outbox, packet, hd_l2_code(address + at), NULL);
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

const uint8_t *hd_outbox_read(hd_outbox *outbox, const uint8_t *host, uint32_t bytes)
{
	if (!outbox->first)
		return host;
	outbox->copy.n = 0;
	for (uint32_t i = 0; i < bytes; i++)
		hd_vec_push(&outbox->copy, host[i]);
	for (const hd_packet *packet = outbox->first; packet; packet = packet->later)
		if (!packet->arrived && packet->work.kind != HD_ACCESS_LOAD)
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

/* With memory.slices: when something happens next. */
static void notify(hd_crossbar *crossbar)
{
	crossbar->next = hd_min_u64(crossbar->n ? crossbar->heap[0].cycle : UINT64_MAX, crossbar->serves);
	if (crossbar->waker.next)
		*crossbar->waker.next = crossbar->next;
}

void hd_crossbar_take_fresh(hd_crossbar *crossbar, hd_outbox *outbox)
{
	for (hd_packet *packet = outbox->fresh; packet; packet = packet->later) {
		put(crossbar, (hd_arrival){packet->arrival, (uint64_t)outbox->core << NUMBER_BITS | packet->number, packet, outbox});
		if (crossbar->watch && packet->work.kind != HD_ACCESS_LOAD)
			crossbar->watch->due = hd_max_u64(crossbar->watch->due, packet->arrival);
	}
	outbox->fresh = NULL;
	if (crossbar->devices)
		notify(crossbar);
}

/* The bytes of a sector that lie in allocations. The others are never read. */
static void gather(hd_memory *memory, uint64_t address, uint8_t sector[HD_SECTOR_BYTES])
{
	for (unsigned i = 0; i < HD_SECTOR_BYTES; i++) {
		const uint8_t *at = hd_memory_at(memory, address + i, 1);
		sector[i] = at ? *at : 0;
	}
}

/* The packet takes effect on bytes. */
static inline void perform_bytes(const hd_crossbar *crossbar, const hd_packet *packet)
{
	if (packet->work.live || packet->work.kind != HD_ACCESS_LOAD)
		hd_perform_watched(&packet->work, crossbar->watch, packet->arrival);
	else
		hd_perform(&packet->work);
}

/* The sector comes to its first cache, as it is now. */
static inline void deliver(const hd_crossbar *crossbar, hd_outbox *outbox, hd_fill *fill)
{
	uint8_t sector[HD_SECTOR_BYTES];
	if (!fill->host)
		gather(crossbar->memory, fill->address, sector);
	hd_first_cache_arrive(&outbox->fills, fill, fill->host ? fill->host : sector);
}

/* -- with slices -------------------------------------------------------------------------------------------------------------------------------- */

void hd_crossbar_set_slices(hd_crossbar *crossbar, hd_slices *slices)
{
	crossbar->slices[crossbar->devices++] = slices;
	crossbar->serves = UINT64_MAX;
}

void hd_crossbar_set_waker(hd_crossbar *crossbar, hd_crossbar_waker waker)
{
	crossbar->waker = waker;
	notify(crossbar);
}

/* The packet comes to the slices: it takes effect on bytes, and its requests are to enter. */
static void begin(const hd_crossbar *crossbar, hd_outbox *outbox, hd_packet *packet, uint64_t now)
{
	packet->arrival = now;
	if (packet->work.mask) /* else it only asks for time, and its operands may be gone */
		perform_bytes(crossbar, packet);
	for (hd_fill *fill = packet->fills; fill; fill = fill->next)
		if (fill->cache)
			deliver(crossbar, outbox, fill);
	outbox->entering = (hd_slice_request *)packet->fills;
	packet->fills = NULL; /* hd_lsu_answers gives them back */
	packet->arrived = true;
}

/* Requests enter their slices, and packets that wait behind them follow, until a slice has no room. */
static void enter(const hd_crossbar *crossbar, hd_outbox *outbox, uint64_t now)
{
	for (;;) {
		for (; outbox->entering; outbox->entering = (hd_slice_request *)outbox->entering->fill.next)
			if (!hd_slices_enter(outbox->slices, now, outbox->entering))
				return;
		if (outbox->passed == outbox->waiting.n)
			break;
		crossbar->watch->stuck--;
		begin(crossbar, outbox, outbox->waiting.at[outbox->passed++], now);
	}
	outbox->passed = outbox->waiting.n = 0;
}

/* A request for a line of instructions arrives. It takes no bandwidth, so nothing keeps it back. */
static void look_up(const hd_crossbar *crossbar, hd_outbox *outbox, hd_packet *packet, uint64_t now)
{
	uint64_t there = 0;
	for (const hd_fill *fill = packet->fills; fill; fill = fill->next) {
		uint64_t sector = hd_slices_look(outbox->slices, now, fill->address);
		there = hd_max_u64(sector, there);
	}
	packet->arrived = true;
	if (crossbar->waker.line)
		crossbar->waker.line(crossbar->waker.context, outbox->core, packet->line, there);
}

/* A packet arrives at the slices. Behind one that is stuck it waits in the crossbar. */
static void arrive(const hd_crossbar *crossbar, hd_outbox *outbox, hd_packet *packet, uint64_t now)
{
	if (packet->line) {
		look_up(crossbar, outbox, packet, now);
		return;
	}
	if (outbox->entering) {
		hd_vec_push(&outbox->waiting, packet);
		crossbar->watch->stuck++;
		return;
	}
	begin(crossbar, outbox, packet, now);
	enter(crossbar, outbox, now);
}

/* One cycle of the slices of a device. */
static void serve(const hd_crossbar *crossbar, hd_slices *slices, uint64_t now)
{
	hd_slices_tick(slices, now);
	for (hd_outbox *outbox; (outbox = hd_slices_woken(slices));)
		enter(crossbar, outbox, now);
	for (hd_outbox *outbox; (outbox = hd_slices_answered(slices));)
		if (crossbar->waker.answered)
			crossbar->waker.answered(crossbar->waker.context, outbox->core, now);
}

static void serve_until(hd_crossbar *crossbar, uint64_t now)
{
	while (crossbar->next <= now && crossbar->next != UINT64_MAX) {
		uint64_t cycle = crossbar->next;
		while (crossbar->n && crossbar->heap[0].cycle <= cycle) {
			hd_arrival first = take(crossbar);
			arrive(crossbar, first.outbox, first.packet, cycle);
		}
		crossbar->serves = UINT64_MAX;
		for (uint32_t i = 0; i < crossbar->devices; i++) {
			serve(crossbar, crossbar->slices[i], cycle);
			crossbar->serves = hd_min_u64(crossbar->serves, hd_max_u64(hd_slices_next(crossbar->slices[i]), cycle + 1));
		}
		notify(crossbar);
	}
}

void hd_crossbar_perform(hd_crossbar *crossbar, uint64_t now)
{
	if (crossbar->devices) {
		serve_until(crossbar, now);
		return;
	}
	while (crossbar->n && crossbar->next <= now) {
		hd_arrival first = take(crossbar);
		perform_bytes(crossbar, first.packet);
		for (hd_fill *fill = first.packet->fills; fill; fill = fill->next)
			deliver(crossbar, first.outbox, fill);
		first.packet->arrived = true;
	}
}
