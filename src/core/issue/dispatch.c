#include "core/issue/dispatch.h"

#include "core/execute/shared_pipes.h"
#include "core/issue/readiness.h"
#include "core/observe/recording.h"
#include "core/observe/tracing.h"

void hd_execute_in_decoder(hd_core *core, unsigned scheduler, unsigned warp, const hd_static *row, uint32_t pc, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	uint64_t counted = hd_counted_issue(&s->counted, warp, row);
	HD_RECORD_EVENT(core, s, COUNTED, warp, counted);
	if (row->asks & HD_ASK_PRIORITY) {
		hd_macro_set_priority(&s->macro, warp, row->cycles);
		HD_RECORD_EVENT(core, s, MACRO_SET, warp, row->cycles);
		core->stats->predecode_priorities++;
	}
	if (row->writes_hints && s->hints) {
		const hd_inst *inst = &core->context->code->slots[pc].inst;
		uint32_t next = hd_instruction_number(core->context->machine->predecode_geometry, pc) + 1;
		hd_hints_write(s->hints, warp, next + inst->a, (uint32_t)inst->imm, now + hd_machine_hints_written(core->context->machine));
		core->stats->predecode_hint_writes++;
	}
}

/* Takes the queue's pipe from the pipes to which instructions can be sent. With a shared queue all of them, when it is full
 * (MI-12). An instruction for a shared pipe goes on to the queue of all schedulers (HZ-37). */
static void note_full_queue(hd_core *core, hd_scheduler *s, unsigned pipe)
{
	if (core->pipes && core->pipes->shared >> pipe & 1) {
		hd_shared_pipes_send(core, s, pipe);
		return;
	}
	if (!s->shared) {
		s->full |= 1u << pipe;
		return;
	}
	hd_shared_queue_push(s->shared, pipe);
	if (hd_shared_queue_full(s->shared))
		s->full = (1u << HD_PIPE_COUNT) - 1;
}

void hd_dispatch(hd_core *core, unsigned scheduler, unsigned warp, uint32_t pc, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	const hd_warp_flow *flow = &s->flow[warp];
	hd_static own;
	const hd_static *row = hd_row_of(core, s, warp, pc, now, &own);
	hd_queue *queue = &s->queue[row->pipe];
	if (core->needs) {
		hd_scoreboard_issue(s->scoreboard, warp, &core->needs[pc]);
		if (core->recorder)
			hd_record_score_issue(core, s, warp, &core->needs[pc]);
	}
	if (row->primary) {
		hd_fence_raise(&s->fence, warp, row->primary, core->units);
		core->stats->fence_raised++;
		if (core->observed)
			hd_note_counter(core, s, HD_RECORD_FENCE_RAISED, warp, row->primary, core->units, now);
		if (!core->wait_counters) {
			/* The instruction at the head of a queue may have to wait again. */
			for (uint32_t left = s->occupied; left; left &= left - 1)
				s->queue[hd_lowest_bit(left)].next = now + 1;
		}
	}
	if (row->at_queue | row->at_issue)
		core->stats->fence_waits++;
	if (row->at_queue && core->wait_counters) {
		hd_waiters_raise(&s->waiters, warp, row->at_queue);
		HD_RECORD_EVENT(core, s, WAIT_SENT, warp, row->at_queue, s->waiters.flags[warp]);
	}
	hd_sent sent = {.cycle = now, .pc = pc, .mask = flow->active, .number = core->serial, .wait = row->at_queue, .warp = (uint8_t)warp};
	sent.may_refuse = row->asks & HD_ASK_REPLAY;
	uint64_t counted = hd_counted_issue(&s->counted, warp, row);
	hd_queue_push(queue, &sent, counted);
	if (core->recorder)
		hd_record_push(core, s, row->pipe, &sent, counted);
	s->occupied |= 1u << row->pipe;
	if (queue->fifo_n >= queue->check_from)
		note_full_queue(core, s, row->pipe);
	s->warp[warp].in_flight++;
	s->warp[warp].memory += row->kind == HD_KIND_MEMORY;
}
