/* The slices of the second level (MT-4), one set of them for a device. A request comes to its slice when its packet arrives. It waits in the slice's
 * queue, is looked up in order, one a cycle, and takes a bank of the slice. What the slice lacks waits in its table of misses for DRAM or for the
 * host interface. Nothing is reserved ahead: each request is served when it is its turn, so a slice that cannot go on holds back what is behind it.
 */
#ifndef HD_SLICES_H
#define HD_SLICES_H

#include "memory/crossbar.h"

typedef struct hd_slices hd_slices;

typedef enum hd_slice_request_kind { HD_SLICE_READ, HD_SLICE_WRITE, HD_SLICE_ATOMIC } hd_slice_request_kind;

/* An access that waits for an answer. */
typedef struct hd_taker {
	struct hd_taker *next;
	hd_access_result *result;
} hd_taker;

/* A request for a sector. */
typedef struct hd_slice_request {
	hd_fill fill;                    /* in the list of its packet; with a cache where it brings bytes */
	struct hd_slice_request *queued; /* next of those that wait for one sector, or of the answers */
	hd_outbox *outbox;
	hd_taker *takers;
	hd_cache_line *line; /* of the first cache, whose sector gets its cycle from the answer if it still waits for it; NULL: none */
	uint64_t physical;   /* address */
	uint64_t ready;      /* the answer: cycle in which the core has it */
	uint64_t reported;   /* cycle in which the slice has done it; the core knows `ready` from then on */
	uint32_t times;      /* an atomic's operations on one address */
	uint8_t kind;        /* hd_slice_request_kind */
	bool far;            /* memory.far_latency */
} hd_slice_request;

/* Which slice has a line, and where. */
typedef struct hd_slice_map {
	uint32_t slices, bits; /* slices = 1 << bits; 0 slices: none */
	bool hashed;
} hd_slice_map;

static inline hd_slice_map hd_slice_map_of(const hd_machine *m)
{
	hd_slice_map map = {.slices = m->memory_slices, .hashed = m->memory_slice_hash == HD_SLICE_HASHED};
	while (map.slices >> map.bits > 1)
		map.bits++;
	return map;
}

static inline uint32_t hd_slice_of(const hd_slice_map *map, uint64_t address)
{
	uint64_t line = address / HD_CACHE_LINE_BYTES, mixed = line >> map->bits;
	if (map->hashed) {
		mixed *= UINT64_C(0x9e3779b97f4a7c15);
		mixed = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93);
		line ^= mixed >> 32;
	}
	return (uint32_t)(line & (map->slices - 1));
}

/* NULL when the machine has none (memory.slices = 0). */
hd_slices *hd_slices_new(const hd_machine *machine);
void hd_slices_free(hd_slices *slices);
const hd_slice_map *hd_slices_map(const hd_slices *slices);
/* Where to count, before the first request enters. */
void hd_slices_count(hd_slices *slices, hd_stats *stats);
/* A request arrives in cycle `now`. False: the queue of its slice is full. Its outbox then waits, and hd_slices_woken returns it when there is
 * room. */
bool hd_slices_enter(hd_slices *slices, uint64_t now, struct hd_slice_request *request);
/* The first cycle in which something can happen; UINT64_MAX: none. */
uint64_t hd_slices_next(const hd_slices *slices);
/* One cycle. Cycles that are skipped must be before hd_slices_next. Answers go to the outboxes of their requests. */
void hd_slices_tick(hd_slices *slices, uint64_t now);
/* An outbox whose first request can enter its slice now; NULL: none. */
hd_outbox *hd_slices_woken(hd_slices *slices);
/* An outbox that has got its first answer of those that lie in it, each once; NULL: none. hd_lsu_answers takes them. */
hd_outbox *hd_slices_answered(hd_slices *slices);
/* Looks up a sector outside of all queues, for a request that is at its slice in cycle `arrival`: it takes the latency, and no bandwidth. Returns the
 * cycle in which the core has the sector. */
uint64_t hd_slices_look(hd_slices *slices, uint64_t arrival, uint64_t address);
/* The same for a reader or writer without packets, which looks in cycle `now` for what takes the whole way. For a write it returns the cycle in which
 * the second level has it. */
uint64_t hd_slices_peek(hd_slices *slices, uint64_t now, uint64_t address, bool write, hd_stats *stats);

#endif
