#include "core/issue/dispatch.h"

void hd_execute_in_decoder(hd_core *core, unsigned scheduler, unsigned warp, const hd_static *row)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_counted_issue(&s->counted, warp, row);
	if (row->asks & HD_ASK_PRIORITY) {
		hd_macro_set_priority(&s->macro, warp, row->cycles);
		core->stats->predecode_priorities++;
	}
}

void hd_dispatch(hd_core *core, unsigned scheduler, unsigned warp, uint32_t pc, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	const hd_warp_flow *flow = &s->flow[warp];
	const hd_static *row = &core->code[pc];
	hd_queue *queue = &s->queue[row->pipe];
	if (core->needs)
		hd_scoreboard_issue(s->scoreboard, warp, &core->needs[pc]);
	if (row->primary) {
		hd_fence_raise(&s->fence, warp, row->primary, HD_GROUPS);
		core->stats->fence_raised++;
		if (!core->wait_counters) {
			/* The instruction at the head of a queue may have to wait again. */
			for (uint32_t left = s->occupied; left; left &= left - 1)
				s->queue[hd_lowest_bit(left)].next = now + 1;
		}
	}
	if (row->at_queue | row->at_issue)
		core->stats->fence_waits++;
	if (row->at_queue && core->wait_counters)
		hd_waiters_raise(&s->waiters, warp, row->at_queue);
	hd_sent sent = {.cycle = now, .pc = pc, .mask = flow->active, .number = core->serial, .wait = row->at_queue, .warp = (uint8_t)warp};
	hd_queue_push(queue, &sent, hd_counted_issue(&s->counted, warp, row));
	s->occupied |= 1u << row->pipe;
	if (hd_queue_full(queue))
		s->full |= 1u << row->pipe;
	s->warp[warp].in_flight++;
	s->warp[warp].memory += row->kind == HD_KIND_MEMORY;
}
