/* One queue for all pipes of a scheduler (MI-12): the prior art that a queue for each type improves on. With multi_issue.queues: shared the
 * instructions of all pipes leave in the order in which they were sent, at most one in a cycle. While the oldest one waits for a counter, a distance
 * or its pipe, everything behind it waits, too. There is no hazard queue.
 *
 * The FIFOs of the pipes hold the instructions, and this unit holds the order between them. So dispatch, distances (docs/timing.md, rule 2) and
 * wake-ups are those of the queues of the pipes. The queues deadlock as little as those do (HZ-15): the instruction at the head issued before all
 * others, and the instructions that it waits for have entered their pipes. */
#ifndef HD_CORE_SHARED_QUEUE_H
#define HD_CORE_SHARED_QUEUE_H

#include "config/machine.h"

typedef struct hd_shared_queue {
	uint8_t size; /* entries */
	uint8_t head, n;
	uint8_t pipe[HD_SHARED_QUEUE_MOST]; /* the pipe of each instruction; a ring */
} hd_shared_queue;

static inline bool hd_shared_queue_full(const hd_shared_queue *shared) { return shared->n == shared->size; }

/* Appends an instruction of `pipe`. Requires: there is room. */
static inline void hd_shared_queue_push(hd_shared_queue *shared, unsigned pipe)
{
	shared->pipe[(shared->head + shared->n++) % shared->size] = (uint8_t)pipe;
}

#endif
