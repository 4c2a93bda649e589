#include "core/execute/queue_stage.h"

#include "core/execute/queue_step.h"

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
