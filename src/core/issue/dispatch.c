#include "core/issue/dispatch.h"

#include "core/issue/readiness.h"

void hd_execute_in_decoder(hd_core *core, unsigned scheduler, unsigned warp, const hd_static *row, uint32_t pc, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_counted_issue(&s->counted, warp, row);
	if (row->asks & HD_ASK_PRIORITY) {
		hd_macro_set_priority(&s->macro, warp, row->cycles);
		core->stats->predecode_priorities++;
	}
	if (row->writes_hints && s->hints) {
		const hd_inst *inst = &core->context->code->slots[pc].inst;
		uint32_t next = hd_instruction_number(core->context->machine->predecode_geometry, pc) + 1;
		hd_hints_write(s->hints, warp, next + inst->a, (uint32_t)inst->imm, now + hd_machine_hints_written(core->context->machine));
		core->stats->predecode_hint_writes++;
	}
}

void hd_dispatch(hd_core *core, unsigned scheduler, unsigned warp, uint32_t pc, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	const hd_warp_flow *flow = &s->flow[warp];
	hd_static own;
	const hd_static *row = hd_row_of(core, s, warp, pc, now, &own);
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
	sent.may_refuse = row->asks & HD_ASK_REPLAY;
	hd_queue_push(queue, &sent, hd_counted_issue(&s->counted, warp, row));
	s->occupied |= 1u << row->pipe;
	if (hd_queue_full(queue))
		s->full |= 1u << row->pipe;
	s->warp[warp].in_flight++;
	s->warp[warp].memory += row->kind == HD_KIND_MEMORY;
}
