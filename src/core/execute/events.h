/* What is going to happen in later cycles: results on their way to the register file, flow decisions. Ordered by cycle, and within a cycle by
 * the order in which they were put in. Near ones lie in a wheel of 64 cycles, far ones in a binary heap. */
#ifndef HD_CORE_EVENTS_H
#define HD_CORE_EVENTS_H

#include "core/code.h"
#include "memory/memory.h"

struct hd_memory_operands; /* below */

/* What a latch with a part of an instruction's lanes leaves to others. */
enum hd_part {
	HD_PART_UNCOUNTED = 1, /* statistics count the instruction's registers with another part */
	HD_PART_MORE = 2,      /* further parts come: the instruction is not done with this one */
};

/* An instruction in a pipe: the latch that holds its result until it is written. What every instruction needs comes first, in one cache line of the
 * host. */
typedef struct hd_flight {
	_Alignas(64) struct hd_flight *next; /* in its cycle, in the memory stage, with the write controller, or in the free list */
	struct hd_flight *before, *later;    /* with the write controller: the one before it in order of completion, the next one of its warp */
	struct hd_memory_operands *memory;   /* of a memory instruction */
	uint64_t exit;                       /* cycle in which it reaches the end of the pipe */
	uint32_t pc, mask;                   /* mask: active and guard holds; of a flow instruction: guard holds */
	uint32_t active;                     /* lanes active at issue */
	uint32_t number;                     /* of the instruction, for traces */
	uint8_t scheduler, warp, groups;     /* groups: with an active lane */
	uint8_t announced;                   /* who waits for the result knows that it comes next cycle */
	uint8_t reg, words, pipe;            /* destination registers (words = 0: none) and pipe, once it is the write controller's */
	uint8_t dropped;                     /* bit i: register reg + i need not be written any more */
	uint8_t part;                        /* mask of hd_part: an instruction of a narrow pipe has a latch for each part of its lanes */
	struct hd_flight *of;                /* not NULL: this is a replay of that one, and nothing else */
	uint64_t since, done;                /* memory: cycle of its issue; when the lanes served so far are done */
	uint8_t refusals;                    /* of a memory instruction: how often its unit served no lane of it, last */
	uint8_t tickets;                     /* replays of it, issued and not at the stage yet */
	hd_sem_out out;                      /* of a flow instruction: r[0] = operand a, r[1] = operand b */
} hd_flight;

typedef struct hd_memory_operands {
	struct hd_memory_operands *next; /* free list */
	hd_access access;
	hd_access_result result;
} hd_memory_operands;

/* Its result: up to four registers from memory, up to two from elsewhere. */
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
/* `cycle` > now. */
void hd_events_add(hd_events *events, uint64_t now, uint64_t cycle, hd_flight *flight);
/* What lies in the heap for cycle `now`, and `near` behind it: it was put in at least 64 cycles ago, so before all that lies in the wheel. */
hd_flight *hd_events_far(hd_events *events, uint64_t now, hd_flight *near);
/* Takes all of cycle `now` out, as a list in order; no earlier ones may be left. */
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

/* Flights and memory operands, allocated in pieces and used again. */
typedef struct hd_pool {
	hd_flight *flights;
	hd_memory_operands *operands;
	HD_VEC(void *) pieces;
} hd_pool;
/* To be called when it has no flights. */
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
void hd_pool_free(hd_pool *pool);

#endif
