#include "core/execute/refusing_queues.h"

#include "core/execute/queue_step.h"

/* A queue of a pipe that can refuse. While an instruction waits for the pipe, the queue's next cycle is always the next one, because what the pipe
 * refuses does not depend on the pipe alone. */
static void refusing_queue(hd_core *core, unsigned scheduler, unsigned pipe, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_queue *queue = &s->queue[pipe];
	const hd_sent *candidate = hd_queue_candidate(queue, s->fence.flags, now);
	hd_reception how = {.what = HD_RECEPTION_WAITS};
	hd_sent sent;
	if (candidate)
		how = hd_replay_receives(core, s, candidate, hd_pipeline_accepts(core, s, pipe, now), now);
	if (hd_leaves_queue(core, s, queue, pipe, now, candidate && how.what == HD_RECEPTION_WAITS ? HD_NEVER : now, &sent)) {
		if (how.what == HD_RECEPTION_REFUSED)
			hd_pipeline_refuse(core, scheduler, &sent, &how, now);
		else
			hd_pipeline_enter(core, scheduler, &sent, now);
	} else if (candidate) {
		queue->next = now + 1;
	}
}

static void refusing_queues(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_begin_queue_stage(core, scheduler, now);
	for (uint32_t left = s->occupied; left; left &= left - 1) {
		unsigned pipe = hd_lowest_bit(left);
		hd_queue *queue = &s->queue[pipe];
		hd_sent sent;
		if (queue->next > now && !core->context->eager)
			continue;
		if (core->refusing >> pipe & 1)
			refusing_queue(core, scheduler, pipe, now);
		else if (hd_leaves_queue(core, s, queue, pipe, now, hd_pipeline_accepts(core, s, pipe, now), &sent))
			hd_pipeline_enter(core, scheduler, &sent, now);
	}
	hd_end_queue_stage(core, scheduler, now);
}

bool hd_refusing_queue_stages(hd_core *core, uint64_t now)
{
	for (uint32_t i = 0; i < core->n_schedulers; i++)
		refusing_queues(core, i, now);
	return true;
}
