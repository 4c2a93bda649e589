#include "core/execute/queue_stage.h"

#include "core/execute/narrow.h"
#include "core/execute/pipeline.h"
#include "core/issue/monitor.h"
#include "core/issue/wakeup.h"
#include "core/observe/recording.h"

/* LU-17: an instruction leaves in the first cycle in which the ports of the register file let it. `ready`: nothing in the queue held it back from
 * this cycle on. */
static void count_port_wait(hd_core *core, hd_scheduler *s, unsigned pipe, uint64_t ready, uint64_t now)
{
	uint64_t unit = s->pipe_free[pipe];
	if (pipe == HD_PIPE_LSU || pipe == HD_PIPE_LATOM)
		unit = hd_memory_stage_accepts(core, pipe, unit, now);
	hd_ports_waited(&s->results.ports, pipe, hd_max_u64(ready, unit), now);
}

void hd_queue_stage(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	if (s->entering)
		hd_narrow_continue(core, scheduler, now);
	if (s->replay.latched)
		hd_replay_enter(core, scheduler, now);
	for (uint32_t left = s->occupied; left; left &= left - 1) {
		unsigned pipe = hd_lowest_bit(left);
		hd_queue *queue = &s->queue[pipe];
		hd_queue_times times;
		hd_sent sent;
		if (queue->next > now && !core->context->eager)
			continue;
		uint32_t before = queue->fifo_n, hazards = queue->hazard_n;
		uint64_t accept = hd_pipeline_accepts(core, s, pipe, now);
		bool opens = s->results.ports.free_at == now; /* the ports were taken until now */
		bool leaves = !opens && hd_queue_pass(queue, s->fence.flags, now, accept, &sent);
		if (leaves)
			times = (hd_queue_times){0};
		else
			leaves = hd_queue_tick(queue, s->fence.flags, now, accept, &sent, &times);
		if (core->recorder)
			hd_record_queue(core, s, pipe, accept <= now, leaves ? &sent : NULL);
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
			continue;
		core->stats->fence_queue_wait_cycles += times.waited;
		core->stats->fence_spacing_cycles += times.spaced;
		if (opens)
			count_port_wait(core, s, pipe, times.ready, now);
		if (hd_queue_empty(queue))
			s->occupied &= ~(1u << pipe);
		hd_pipeline_enter(core, scheduler, &sent, now);
	}
	if (s->n_releases)
		hd_monitor_commit(core, scheduler, now);
	HD_RECORD_EVENT(core, s, MONITOR, s->descheduled, s->for_waiters, s->for_room);
}
