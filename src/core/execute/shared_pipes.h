/* Pipes that all schedulers of a core share (HZ-37), and pipes with several copies (MI-14).
 *
 * A shared pipe has one queue for all schedulers, in which a warp's slot is scheduler * HD_WARP_SLOTS + slot. Dispatch sends to the scheduler's own
 * queue as always, from where the instruction goes on to the shared one in the same cycle. The scheduler's queue keeps what the scheduler sees of the
 * shared one: the number of hazards and the next cycle in which something can happen there. Results, forwarding paths and compensation registers stay
 * those of the warp's scheduler.
 *
 * When a place of a full FIFO becomes free, the scheduler whose turn it is has it to itself for a cycle: of those with a warp that wants the pipe the
 * first behind the scheduler that sent last. Then it is anybody's. So no scheduler starves, and no place waits for a scheduler that cannot take it.
 * The queues deadlock as little as others do (HZ-15): the FIFO has the order of issue over all schedulers.
 *
 * A pipe with n copies takes up to n instructions in a cycle, of different warps, and each copy is taken for the interval of its instruction. There
 * is one queue before all copies, so rules 1 and 2 of docs/timing.md hold. */
#ifndef HD_CORE_SHARED_PIPES_H
#define HD_CORE_SHARED_PIPES_H

#include "core/execute/queue.h"

enum { HD_SHARED_SLOTS = HD_MAX_SCHEDULERS * HD_WARP_SLOTS };

typedef struct hd_pipe_copies {
	uint64_t free[HD_MAX_COPIES]; /* by copy: the first cycle in which it takes an instruction */
} hd_pipe_copies;

typedef struct hd_shared_pipes {
	uint32_t shared;             /* set of pipes that all schedulers share */
	uint32_t several;            /* set of pipes with copies */
	uint32_t reserved;           /* pipes of which one scheduler has the free place to itself in this cycle */
	uint8_t last[HD_PIPE_COUNT]; /* the scheduler that sent last to a shared pipe */
	uint8_t copies[HD_PIPE_COUNT];
	hd_queue queue[HD_PIPE_COUNT];       /* of shared pipes */
	hd_pipe_copies entry[HD_PIPE_COUNT]; /* of shared pipes */
	hd_pipe_copies own[HD_MAX_SCHEDULERS][HD_PIPE_COUNT];
	uint16_t flags[HD_SHARED_SLOTS]; /* flags of the fence counters of all warps, in the present cycle */
} hd_shared_pipes;

struct hd_core;
struct hd_scheduler;
/* NULL for a machine whose pipes have one scheduler and one copy. */
hd_shared_pipes *hd_shared_pipes_new(const hd_machine *machine);
void hd_shared_pipes_free(hd_shared_pipes *pipes);
/* The instruction that was just sent to the scheduler's queue of `pipe` goes on to the queue that the schedulers share. */
void hd_shared_pipes_send(struct hd_core *core, struct hd_scheduler *s, unsigned pipe);
/* Another warp begins in a slot of the scheduler. */
void hd_shared_pipes_warp(hd_shared_pipes *pipes, unsigned scheduler, unsigned warp);

/* The queue in which instructions for a pipe wait, and the number that the warp has there. */
static inline const hd_queue *hd_queue_before(const hd_shared_pipes *pipes, const hd_queue *own, unsigned pipe)
{
	return pipes && pipes->shared >> pipe & 1 ? &pipes->queue[pipe] : own;
}
static inline unsigned hd_queue_slot(const hd_shared_pipes *pipes, unsigned pipe, unsigned scheduler, unsigned warp)
{
	return pipes && pipes->shared >> pipe & 1 ? scheduler * HD_WARP_SLOTS + warp : warp;
}

#endif
