/* Code shared by the stages of queues: queues of pipes that take or leave instructions (queue_stage.c), and of pipes that can refuse them
 * (refusing_queues.c). */
#ifndef HD_CORE_QUEUE_STEP_H
#define HD_CORE_QUEUE_STEP_H

#include "core/execute/narrow.h"
#include "core/execute/pipeline.h"
#include "core/issue/monitor.h"
#include "core/issue/wakeup.h"
#include "core/observe/observers.h"
#include "core/state.h"

/* LU-17: an instruction leaves in the first cycle in which the ports of the register file let it. `ready`: nothing in the queue held it back from
 * this cycle on. */
static inline void hd_count_port_wait(hd_core *core, hd_scheduler *s, unsigned pipe, uint64_t ready, uint64_t now)
{
	uint64_t unit = s->pipe_free[pipe];
	if (pipe == HD_PIPE_LSU || pipe == HD_PIPE_LATOM)
		unit = hd_memory_stage_accepts(core, pipe, unit, now);
	hd_ports_waited(&s->results.ports, pipe, hd_max_u64(ready, unit), now);
}

/* hd_leaves_queue for a queue with hazards, and for a head that does not leave or that leaves when the ports of the register file open. */
bool hd_leaves_hazards(hd_core *core, hd_scheduler *s, hd_queue *queue, unsigned pipe, uint64_t now, uint64_t accept, hd_sent *sent);
/* Takes the instruction that leaves the queue in this cycle. `accept` is the first cycle in which the pipe takes one. */
static inline bool hd_leaves_queue(hd_core *core, hd_scheduler *s, hd_queue *queue, unsigned pipe, uint64_t now, uint64_t accept, hd_sent *sent)
{
	if (s->results.ports.free_at == now || !hd_queue_passes(queue, s->fence.flags, now))
		return hd_leaves_hazards(core, s, queue, pipe, now, accept, sent);
	bool leaves = hd_queue_pass(queue, now, accept, sent);
	HD_EVENT(core, queue, s, pipe, leaves, leaves ? sent : NULL);
	if (!leaves)
		return false;
	if (s->full >> pipe & 1)
		hd_queue_has_room(core, s, pipe);
	if (!queue->fifo_n)
		s->occupied &= ~(1u << pipe);
	return true;
}

/* The work of a cycle before its queues. */
static inline void hd_begin_queue_stage(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	if (s->entering)
		hd_narrow_continue(core, scheduler, now);
	if (hd_replay_enters(&s->replay, now))
		hd_replay_enter(core, scheduler, now);
}

static inline void hd_end_queue_stage(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	if (s->n_releases)
		hd_monitor_commit(core, scheduler, now);
	HD_RECORD_EVENT(core, s, MONITOR, s->descheduled, s->for_waiters, s->for_room);
}

#endif
