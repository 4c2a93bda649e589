#include "core/execute/queue_stage.h"

#include "core/execute/queue_step.h"

bool hd_leaves_hazards(hd_core *core, hd_scheduler *s, hd_queue *queue, unsigned pipe, uint64_t now, uint64_t accept, hd_sent *sent)
{
	uint32_t before = queue->fifo_n, hazards = queue->hazard_n;
	hd_queue_times times = {0};
	bool leaves = hd_queue_tick(queue, s->fence.flags, now, accept, sent, &times);
	HD_EVENT(core, queue, s, pipe, accept <= now, leaves ? sent : NULL);
	if (queue->fifo_n < before && s->full >> pipe & 1)
		hd_queue_has_room(core, s, pipe);
	if (queue->hazard_n != hazards) { /* the cause of a lost slot, a full queue or a busy unit, depends on the number */
		s->touched |= s->full >> pipe & 1;
		hd_windows_retry_pipe(core, s, pipe);
	}
	if (!leaves)
		return false;
	core->stats->fence_queue_wait_cycles += times.waited;
	core->stats->fence_spacing_cycles += times.spaced;
	if (s->results.ports.free_at == now) /* the ports were taken until now */
		hd_count_port_wait(core, s, pipe, times.ready, now);
	if (hd_queue_empty(queue))
		s->occupied &= ~(1u << pipe);
	return true;
}

void hd_queue_stage(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_begin_queue_stage(core, scheduler, now);
	for (uint32_t left = s->occupied; left; left &= left - 1) {
		unsigned pipe = hd_lowest_bit(left);
		hd_queue *queue = &s->queue[pipe];
		hd_sent sent;
		if (queue->next > now && !core->context->eager)
			continue;
		if (hd_leaves_queue(core, s, queue, pipe, now, hd_pipeline_accepts(core, s, pipe, now), &sent))
			hd_pipeline_enter(core, scheduler, &sent, now);
	}
	hd_end_queue_stage(core, scheduler, now);
}
