/* What the stages of queues have in common: queues of pipes that take or leave instructions (queue_stage.c), and of pipes that can refuse them
 * (refusing_queues.c). */
#ifndef HD_CORE_QUEUE_STEP_H
#define HD_CORE_QUEUE_STEP_H

#include "core/execute/narrow.h"
#include "core/execute/pipeline.h"
#include "core/issue/monitor.h"
#include "core/issue/wakeup.h"
#include "core/observe/recording.h"

/* LU-17: an instruction leaves in the first cycle in which the ports of the register file let it. `ready`: nothing in the queue held it back from
 * this cycle on. */
static inline void hd_count_port_wait(hd_core *core, hd_scheduler *s, unsigned pipe, uint64_t ready, uint64_t now)
{
	uint64_t unit = s->pipe_free[pipe];
	if (pipe == HD_PIPE_LSU || pipe == HD_PIPE_LATOM)
		unit = hd_memory_stage_accepts(core, pipe, unit, now);
	hd_ports_waited(&s->results.ports, pipe, hd_max_u64(ready, unit), now);
}

/* Takes the instruction that leaves the queue in this cycle. `accept` is the first cycle in which the pipe takes one. */
static inline bool hd_leaves_queue(hd_core *core, hd_scheduler *s, hd_queue *queue, unsigned pipe, uint64_t now, uint64_t accept, hd_sent *sent)
{
	uint32_t before = queue->fifo_n, hazards = queue->hazard_n;
	hd_queue_times times = {0};
	bool opens = s->results.ports.free_at == now; /* the ports were taken until now */
	bool leaves = !opens && hd_queue_pass(queue, s->fence.flags, now, accept, sent);
	if (!leaves)
		leaves = hd_queue_tick(queue, s->fence.flags, now, accept, sent, &times);
	if (core->recorder)
		hd_record_queue(core, s, pipe, accept <= now, leaves ? sent : NULL);
	if (queue->fifo_n < before) {
		if (s->full >> pipe & 1) {
			s->touched = true;
			hd_windows_retry_pipe(core, s, pipe);
		}
		s->full &= ~(1u << pipe);
	}
	if (queue->hazard_n != hazards) { /* the cause of a lost slot, a full queue or a busy unit, depends on the number */
		s->touched |= s->full >> pipe & 1;
		hd_windows_retry_pipe(core, s, pipe);
	}
	if (!leaves)
		return false;
	core->stats->fence_queue_wait_cycles += times.waited;
	core->stats->fence_spacing_cycles += times.spaced;
	if (opens)
		hd_count_port_wait(core, s, pipe, times.ready, now);
	if (hd_queue_empty(queue))
		s->occupied &= ~(1u << pipe);
	return true;
}

/* What comes before the queues in a cycle. */
static inline void hd_begin_queue_stage(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	if (s->entering)
		hd_narrow_continue(core, scheduler, now);
	if (s->replay.latched)
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
