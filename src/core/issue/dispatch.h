/* Dispatch: a decoded instruction goes to the queue of its pipe (PD-15). In the same cycle its fence counter rises (HZ-6), and so do the wait
 * counters of the counters that it waits for (HZ-17). */
#ifndef HD_CORE_DISPATCH_H
#define HD_CORE_DISPATCH_H

#include "core/issue/readiness.h"
#include "core/observe/observers.h"
#include "core/state.h"

/* Executes an instruction that goes to no queue: a nop, setprio (PD-31) or hints (PD-25). The decoder does it in the cycle of the issue. `row`: of
 * the instruction at `pc`, with its hint. */
void hd_execute_in_decoder(hd_core *core, unsigned scheduler, unsigned warp, const hd_static *row, uint32_t pc, uint64_t now);
/* For hd_dispatch. Takes the queue's pipe from the pipes to which instructions can be sent. With a shared queue all of them, when it is full
 * (MI-12). An instruction for a shared pipe goes on to the queue of all schedulers (HZ-37). */
void hd_dispatch_full(hd_core *core, hd_scheduler *s, unsigned pipe);
/* Sends the instruction at `pc` of the warp, whose row is `row`. Requires: the queue has room, and the decoder does not refuse the instruction
 * (decode.h). `plain`: a constant, true where the core is plain. */
HD_ALWAYS_INLINE void hd_dispatch_row(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *row, uint32_t pc, bool plain, uint64_t now)
{
	const hd_warp_flow *flow = &s->flow[warp];
	hd_queue *queue = &s->queue[row->pipe];
	if (!plain && core->footprint) {
		hd_scoreboard_issue(s->scoreboard, warp, &core->footprint[pc]);
		HD_EVENT(core, score_issue, s, warp, &core->footprint[pc]);
	}
	if (row->primary) {
		hd_fence_raise(&s->fence, warp, row->primary, core->units);
		core->stats->fence_raised++;
		if (!plain)
			HD_EVENT(core, counter, s, HD_RECORD_FENCE_RAISED, warp, row->primary, core->units, now);
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
		if (!plain)
			HD_RECORD_EVENT(core, s, WAIT_SENT, warp, row->at_queue, s->waiters.flags[warp]);
	}
	uint64_t counted = plain ? hd_counted_issue_one(&s->counted, warp, row) : hd_counted_issue(&s->counted, warp, row);
	hd_sent *sent = hd_queue_place(queue);
	sent->cycle = now;
	sent->pc = pc;
	sent->mask = flow->active;
	sent->number = core->serial;
	sent->wait = row->at_queue;
	sent->warp = (uint8_t)warp;
	sent->may_refuse = row->effects & HD_EFFECT_REPLAY;
	hd_queue_placed(queue, sent, counted);
	if (!plain)
		HD_EVENT(core, push, s, row->pipe, sent, counted);
	s->occupied |= 1u << row->pipe;
	if (queue->fifo_n >= queue->check_from)
		hd_dispatch_full(core, s, row->pipe);
	s->warp[warp].in_flight++;
	s->warp[warp].memory += row->kind == HD_KIND_MEMORY;
}

/* The same with the row that the scheduler reads in this cycle. */
HD_ALWAYS_INLINE void hd_dispatch(hd_core *core, unsigned scheduler, unsigned warp, uint32_t pc, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_static own;
	hd_dispatch_row(core, s, warp, hd_row_of(core, s, warp, pc, now, &own), pc, false, now);
}

/* Cycles from the issue of `row`, which has just been sent, to the earliest issue of the next instruction (PD-5). A delay of more than a cycle counts
 * from the cycle in which the queue can pass `row` on. If the next instruction issued earlier, it would only wait in the FIFO, which keeps its
 * distance (docs/timing.md, rule 2). */
static inline uint64_t hd_delay_behind(const hd_scheduler *s, const hd_static *row)
{
	if (row->delay < 2 || row->kind == HD_KIND_FLOW || row->kind == HD_KIND_NOP)
		return row->delay;
	return row->delay + hd_queue_ahead(&s->queue[row->pipe]);
}

#endif
