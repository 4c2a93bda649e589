/* Dispatch: a decoded instruction goes to the queue of its pipe (PD-15). In the same cycle its fence counter rises (HZ-6), and so do the wait
 * counters of the counters that it waits for (HZ-17). */
#ifndef HD_CORE_DISPATCH_H
#define HD_CORE_DISPATCH_H

#include "core/state.h"

/* Executes an instruction that goes to no queue: a nop, setprio (PD-31) or hints (PD-25). The decoder does it in the cycle of the issue. `row`: of
 * the instruction at `pc`, with its hint. */
void hd_execute_in_decoder(hd_core *core, unsigned scheduler, unsigned warp, const hd_static *row, uint32_t pc, uint64_t now);
/* Sends the instruction at `pc` of the warp. Requires: the queue has room, and the decoder does not refuse the instruction (decode.h). */
void hd_dispatch(hd_core *core, unsigned scheduler, unsigned warp, uint32_t pc, uint64_t now);

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
