/* Events of later cycles: results on their way to the register file, and flow decisions. They are ordered by cycle, and within a cycle by insertion.
 * A wheel holds the events of the next 64 cycles. A binary heap holds later ones. */
#ifndef HD_CORE_EVENTS_H
#define HD_CORE_EVENTS_H

#include "base/region.h"
#include "core/code.h"
#include "memory/memory.h"

struct hd_memory_operands; /* below */

/* Parts of an instruction's work that other latches do, when each latch holds some of its lanes. */
enum hd_part {
	HD_PART_UNCOUNTED = 1, /* another part counts the instruction's registers in the statistics */
	HD_PART_MORE = 2,      /* other parts follow: the instruction is not done after this one */
};

/* An instruction in a pipe: the latch that holds its result until it is written. The fields that every instruction needs come first, in one cache
 * line of the host. */
typedef struct hd_flight {
	_Alignas(64) struct hd_flight *next; /* next in its cycle, in the memory stage, with the write controller, or in the free list */
	struct hd_flight *before, *later; /* with the write controller: the previous flight in order of completion, and the next flight of its warp */
	struct hd_memory_operands *memory; /* of a memory instruction */
	uint64_t exit;                     /* cycle in which it reaches the end of the pipe */
	uint32_t pc, mask;                 /* mask: active lanes whose guard holds; for a flow instruction: lanes whose guard holds */
	uint32_t active;                   /* lanes active at issue */
	uint32_t number;                   /* of the instruction, for traces */
	uint8_t scheduler, warp, units;    /* units: by which its write lowers a counter that counts lane groups, instructions or lanes */
	uint8_t announced;                 /* waiting instructions know that the result comes in the next cycle */
	uint8_t reg, words, pipe;          /* set when the write controller takes it: destination registers (words = 0: none) and pipe */
	uint8_t dropped;                   /* bit i: register reg + i need not be written, or is written */
	uint8_t held;                      /* with the write controller: it is in compensation registers of its pipeline */
	uint8_t part;                      /* mask of hd_part: an instruction of a narrow pipe has a latch for each part of its lanes */
	struct hd_flight *of;              /* not NULL: this flight is only a replay of that instruction */
	uint64_t since, done;              /* memory: cycle of its issue; cycle in which the lanes served so far are done */
	uint8_t refusals;                  /* of a memory instruction: consecutive refusals in which the unit served no lane */
	bool may_refuse;                   /* of a memory instruction: the unit may refuse it (PD-10) */
	uint8_t tickets;                   /* replays that have issued and not reached the stage */
	bool awaits;                       /* of a memory instruction: lanes served so far have pending answers (PA-2) */
	bool passes_by;                    /* with the write controller: it does not enter an operand buffer (LU-4) */
	hd_sem_out out;                    /* of a flow instruction: r[0] = operand a, r[1] = operand b */
} hd_flight;

typedef struct hd_memory_operands {
	struct hd_memory_operands *next;  /* free list */
	struct hd_memory_operands *whole; /* of a part whose data travel: the instruction's operands, which receive them; else NULL */
	hd_access access;
	hd_access_result result;
} hd_memory_operands;

/* The result: up to four registers of a memory instruction, up to two of another one. */
static inline const hd_vec32 *hd_flight_value(const hd_flight *flight) { return flight->memory ? flight->memory->result.data : flight->out.r; }

enum { HD_WHEEL = 64 };

typedef struct hd_events {
	struct {
		hd_flight *first, *last;
	} wheel[HD_WHEEL];
	uint64_t used; /* bit i: wheel[i] is not empty */
	struct hd_far {
		uint64_t cycle, number;
		hd_flight *flight;
	} * heap;
	size_t heap_n, heap_cap;
	uint64_t number;
} hd_events;

void hd_events_free(hd_events *events);
/* The place in the order that hd_events_add would give an event now, and the event for it later. Requires: `cycle` is at least 64 cycles later than
 * the reservation. */
static inline uint64_t hd_events_reserve(hd_events *events) { return events->number++; }
void hd_events_add_reserved(hd_events *events, uint64_t order, uint64_t cycle, hd_flight *flight);
/* For hd_events_add: an event beyond the wheel. */
void hd_events_add_far(hd_events *events, uint64_t now, uint64_t cycle, hd_flight *flight);
/* Inserts an event. Requires: `cycle` > now. */
static inline void hd_events_add(hd_events *events, uint64_t now, uint64_t cycle, hd_flight *flight)
{
	if (cycle - now - 1 >= HD_WHEEL - 1) {
		hd_events_add_far(events, now, cycle, flight);
		return;
	}
	unsigned at = (unsigned)cycle % HD_WHEEL;
	flight->next = NULL;
	*(events->used >> at & 1 ? &events->wheel[at].last->next : &events->wheel[at].first) = flight;
	events->wheel[at].last = flight;
	events->used |= UINT64_C(1) << at;
}
/* The events of the heap for cycle `now`, followed by the list `near`. Events of the heap were inserted at least 64 cycles ago, so they precede all
 * events of the wheel. */
hd_flight *hd_events_far(hd_events *events, uint64_t now, hd_flight *near);
/* Removes all events of cycle `now` and returns them as a list, in order. Requires: no event of an earlier cycle is left. */
static inline hd_flight *hd_events_take(hd_events *events, uint64_t now)
{
	unsigned at = (unsigned)now % HD_WHEEL;
	hd_flight *near = events->used >> at & 1 ? events->wheel[at].first : NULL;
	events->used &= ~(UINT64_C(1) << at);
	return events->heap_n && events->heap[0].cycle == now ? hd_events_far(events, now, near) : near;
}
/* First cycle after `now` in which something happens; UINT64_MAX = none. */
static inline uint64_t hd_events_next(const hd_events *events, uint64_t now)
{
	uint64_t next = events->heap_n ? events->heap[0].cycle : UINT64_MAX;
	if (events->used) {
		unsigned shift = (unsigned)(now + 1) % HD_WHEEL;
		uint64_t turned = shift ? events->used >> shift | events->used << (HD_WHEEL - shift) : events->used;
		uint64_t near = now + 1 + hd_lowest_bit(turned);
		if (near < next)
			next = near;
	}
	return next;
}

/* A pool of flights and memory operands. It allocates them in blocks and reuses them. */
typedef struct hd_pool {
	hd_flight *flights;
	hd_memory_operands *operands;
	HD_VEC(void *) pieces;
	hd_region *region; /* for the blocks, or NULL */
} hd_pool;
/* Adds a block of free flights. */
void hd_pool_more(hd_pool *pool);
static inline hd_flight *hd_pool_flight(hd_pool *pool)
{
	if (!pool->flights)
		hd_pool_more(pool);
	hd_flight *flight = pool->flights;
	pool->flights = flight->next;
	flight->part = 0;
	return flight;
}
hd_memory_operands *hd_pool_operands(hd_pool *pool);
static inline void hd_pool_return(hd_pool *pool, hd_flight *flight)
{
	if (flight->memory) {
		flight->memory->next = pool->operands;
		pool->operands = flight->memory;
		flight->memory = NULL;
	}
	flight->next = pool->flights;
	pool->flights = flight;
}
/* Frees the pool. Requires: no flight is in use. */
void hd_pool_free(hd_pool *pool);

#endif
