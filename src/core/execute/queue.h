/* The queue before a pipeline (HZ-10 to HZ-15): input FIFO, hazard detection, hazard instruction queue, information queue, multiplexer. The active
 * logic (HZ-16) handles the instruction that hd_queue_tick returns.
 *
 * At most one instruction leaves in a cycle. The instructions of one warp leave in the order in which they came, with at least the distance that was
 * counted at issue (docs/timing.md, rule 2; counted.h).
 *
 * Full queues cause no deadlock (HZ-15). Consider the waiting instruction that issued first. All earlier instructions of its FIFO have left. So it is
 * at the head of the FIFO before an empty hazard queue, or it is the oldest instruction of its warp in the hazard queue. The instructions that it
 * waits for issued earlier, so they are in pipes and end without help. Wait counters keep younger primaries off its counters. */
#ifndef HD_CORE_QUEUE_H
#define HD_CORE_QUEUE_H

#include "base/region.h"
#include "core/code.h"

enum {
	HD_NO_ENTRY = 255,
	HD_MAX_QUEUE = 255, /* entries of a FIFO or hazard queue */
	HD_MAX_SPACING = HD_SPACING_LIMIT,
	HD_UNDECIDED = 1 << (HD_MAX_COUNTERS - 1),          /* PD-27: flag of an undecided branch, among those of the fence counters */
	HD_QUEUE_SLOTS = HD_MAX_SCHEDULERS * HD_WARP_SLOTS, /* a shared queue has those of all schedulers (HZ-37) */
};

/* An instruction as the decoder sent it. */
typedef struct hd_sent {
	uint64_t cycle; /* of its issue */
	uint32_t pc;
	uint32_t mask;   /* lanes active at issue */
	uint32_t number; /* of the instruction, for traces */
	uint16_t wait;   /* counters that it waits for in this queue */
	uint8_t warp;    /* slot */
	bool may_refuse; /* the unit may refuse it (PD-10) */
	uint8_t gap;     /* counted cycles since the previous instruction of its warp in this queue, at most queue.spacing */
} hd_sent;

/* Information entry of a hazard instruction (HZ-12). */
typedef struct hd_info {
	uint64_t since;  /* cycle in which it entered the hazard queue */
	uint64_t clear;  /* first cycle in which only the distance delayed it; HD_NEVER = not yet */
	bool counters;   /* it waits for fence counters */
	uint8_t older;   /* hazard entry of its warp that must leave earlier; HD_NO_ENTRY = none */
	uint8_t younger; /* the entry whose `older` is this one */
} hd_info;

typedef struct hd_queue {
	_Alignas(64) uint64_t next; /* nothing happens in this queue before this cycle, unless a counter clears or an instruction is sent */
	uint8_t fifo_size, fifo_head, fifo_n;
	uint8_t hazard_size, hazard_n;
	uint8_t spacing;    /* longest distance that the queue keeps (docs/timing.md, rule 2) */
	bool waiting;       /* the head of the FIFO is a hazard and the hazard queue is full */
	uint8_t check_from; /* dispatch checks for room when the FIFO has so many entries: when it is full; always with a shared queue (MI-12) */
	hd_sent *fifo;
	hd_sent *hazard;              /* by entry number */
	hd_info *info;                /* by entry number */
	uint8_t *age;                 /* entry numbers, oldest first, followed by the free ones */
	uint8_t last[HD_QUEUE_SLOTS]; /* youngest hazard entry of each warp slot, HD_NO_ENTRY = none */
	struct {
		uint64_t counted; /* by slot: count of its last instruction that was sent to this queue */
		uint64_t entered; /* by slot: cycle in which its last instruction left */
	} of[HD_QUEUE_SLOTS];
} hd_queue;

/* `spacing`: the longest distance that the queue keeps, at most HD_MAX_SPACING. `region`: for its entries, or NULL. Requires: the queue is zero, or
 * hd_queue_warp begins each slot before it is used. */
void hd_queue_init(hd_queue *queue, hd_queue_sizes sizes, uint32_t spacing, hd_region *region);
void hd_queue_free(hd_queue *queue, const hd_region *region);
/* Another warp begins in a slot. */
void hd_queue_warp(hd_queue *queue, unsigned warp);
static inline bool hd_queue_full(const hd_queue *queue) { return queue->fifo_n == queue->fifo_size; }
/* Number of instructions in the FIFO before the one that was sent last. */
static inline unsigned hd_queue_ahead(const hd_queue *queue) { return queue->fifo_n > 1 ? queue->fifo_n - 1u : 0; }
static inline bool hd_queue_empty(const hd_queue *queue) { return !(queue->fifo_n | queue->hazard_n); }
/* The place behind the last instruction of the FIFO. Requires: the queue is not full. */
static inline hd_sent *hd_queue_place(const hd_queue *queue)
{
	unsigned at = queue->fifo_head + queue->fifo_n;
	return &queue->fifo[at < queue->fifo_size ? at : at - queue->fifo_size];
}
/* Sends the instruction that the caller has put in this place. `counted` is its count (counted.h). Sets sent->gap. */
static inline void hd_queue_placed(hd_queue *queue, hd_sent *sent, uint64_t counted)
{
	uint64_t gap = counted - queue->of[sent->warp].counted, next = sent->cycle + 1;
	sent->gap = (uint8_t)hd_min_u64(gap, queue->spacing);
	queue->of[sent->warp].counted = counted;
	queue->fifo_n++;
	queue->next = hd_min_u64(queue->next, next);
}
/* Sends an instruction to the queue. Requires: the queue is not full. */
static inline void hd_queue_push(hd_queue *queue, const hd_sent *sent, uint64_t counted)
{
	hd_sent *entry = hd_queue_place(queue);
	*entry = *sent;
	hd_queue_placed(queue, entry, counted);
}

/* Appends an instruction whose distance is known. Requires: the queue is not full. */
static inline void hd_queue_append(hd_queue *queue, const hd_sent *sent)
{
	unsigned at = queue->fifo_head + queue->fifo_n++;
	queue->fifo[at < queue->fifo_size ? at : at - queue->fifo_size] = *sent;
	queue->next = hd_min_u64(queue->next, sent->cycle + 1);
}

typedef struct hd_queue_times {
	uint64_t waited; /* cycles that a secondary spent in the hazard queue */
	uint64_t spaced; /* cycles in which only the distance delayed it */
	uint64_t ready;  /* first cycle in which its counters and its distance let it leave */
} hd_queue_times;
/* One cycle. `flags` holds the fence-counter flags by warp slot. `accept` is the first cycle in which the pipe takes an instruction. True when an
 * instruction leaves now; *out receives it. Sets queue->next. A call in a cycle before `next` changes nothing. */
bool hd_queue_tick(hd_queue *queue, const uint16_t *flags, uint64_t now, uint64_t accept, hd_sent *out, hd_queue_times *times);
/* The last call had an `accept` that nobody knew, `unknown`, later than all that are known. Now it is known, and `next` follows from it. */
void hd_queue_learn(hd_queue *queue, const uint16_t *flags, uint64_t unknown, uint64_t accept);

/* The instruction that hd_queue_tick would return in this cycle if the pipe took one. NULL if there is none. */
const hd_sent *hd_queue_candidate(const hd_queue *queue, const uint16_t *flags, uint64_t now);

/* PD-27: instructions of a warp that were sent behind an undecided branch wait in the queue for the flag HD_UNDECIDED. hd_queue_mark marks those that
 * were sent in this cycle, and returns their number. hd_queue_keep lets them go on, with the lanes of `lanes` alone. hd_queue_squash removes the
 * youngest one and returns it in *out, or returns false when there is none. */
static inline bool hd_is_marked(const hd_sent *sent, unsigned warp) { return sent->warp == warp && sent->wait & HD_UNDECIDED; }
unsigned hd_queue_mark(hd_queue *queue, unsigned warp, uint64_t now);
void hd_queue_keep(hd_queue *queue, unsigned warp, uint32_t lanes, uint64_t now);
bool hd_queue_squash(hd_queue *queue, unsigned warp, uint64_t now, hd_sent *out);

/* The common case: an empty hazard queue and a head that may leave now, as soon as the pipe takes it. */
static inline bool hd_queue_passes(const hd_queue *queue, const uint16_t *flags, uint64_t now)
{
	const hd_sent *head = &queue->fifo[queue->fifo_head];
	return !queue->hazard_n && queue->fifo_n && !(head->wait & flags[head->warp]) && queue->of[head->warp].entered + head->gap <= now;
}

/* hd_queue_tick for the common case. */
static inline bool hd_queue_pass(hd_queue *queue, uint64_t now, uint64_t accept, hd_sent *out)
{
	queue->waiting = false;
	if (accept > now) {
		queue->next = accept;
		return false;
	}
	*out = queue->fifo[queue->fifo_head];
	queue->fifo_head = (uint8_t)(queue->fifo_head + 1 == queue->fifo_size ? 0 : queue->fifo_head + 1);
	queue->fifo_n--;
	queue->of[out->warp].entered = now;
	queue->next = queue->fifo_n ? now + 1 : HD_NEVER;
	return true;
}

#endif
