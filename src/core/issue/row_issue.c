#include "core/issue/row_issue.h"

#include "core/account.h"
#include "core/flow/decide.h"
#include "core/issue/dispatch.h"
#include "core/issue/readiness.h"
#include "core/issue/wakeup.h"
#include "core/observe/recording.h"
#include "core/observe/stop.h"
#include "memory/constant.h"

static void go_on(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *row, uint64_t now)
{
	if (hd_load_in_sequence(core, s, warp, row->next, now))
		hd_fetch_consume(&s->fetch, warp, 1, row->next);
}

/* PD-5: the warp issues nothing before its delay is over. A delay of one cycle needs no sleep: the next check is a cycle away. */
static void after_issue(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *row, uint64_t now)
{
	if (row->asks & (HD_ASK_BOOST | HD_ASK_LOWER)) {
		uint32_t bit = 1u << warp;
		s->adjusting |= bit;
		s->boosting = row->asks & HD_ASK_BOOST ? s->boosting | bit : s->boosting & ~bit;
		s->span[warp] = row->cycles;
	}
	if (row->delay > 1)
		hd_delay_warp(s, warp, now + hd_delay_behind(s, row));
	if (row->kind == HD_KIND_FLOW) {
		s->deciding |= 1u << warp;
		return;
	}
	go_on(core, s, warp, row, now);
	hd_next_instruction(core, s, warp, now + 1);
}

uint64_t hd_constant_operand(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *row, uint64_t now)
{
	uint64_t address = hd_constants_bank(s->warp[warp].cta->grid->bank, 4u * row->word);
	unsigned reader = hd_constant_reader(core, s, warp);
	uint64_t there = hd_constants_operand(core->constants, reader, now, address, core->stats);
	if (there == now)
		hd_constants_take(core->constants, reader, address);
	return there;
}

/* PD-7: true when the instruction behind `first`, which is issuing, can issue in the same cycle. It has arrived, no thread resumes before it (MI-9),
 * its queue has room, and the decoder would not send it back. */
static bool second_can(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *first, uint64_t now)
{
	const hd_static *second = &core->code[first->next];
	hd_static own;
	uint16_t watch;
	if (s->hints && !hd_code_pairs(first, hd_row_of(core, s, warp, first->next, now, &own)))
		return false;
	if (s->guessing >> warp & 1 && !hd_may_speculate(second))
		return false;
	if (first->next >= s->fetch.have[warp] || first->next == s->flow[warp].minrc || s->full >> second->pipe & 1 ||
	    hd_decoder_check(second, s->fence.flags[warp], s->fence.full[warp], s->waiters.flags[warp], &watch) != HD_SEND)
		return false;
	return !second->constant || hd_constant_operand(core, s, warp, second, now) == now;
}

/* Decodes and sends the instruction at the PC of a warp. */
static void send(hd_core *core, unsigned scheduler, unsigned warp, const hd_static *row, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	uint32_t pc = s->flow[warp].pc;
	s->used++;
	core->stats->predecode_decoded++;
	if (core->trace)
		hd_tell_issue(core, scheduler, warp, pc, 1, now);
	if (row->kind == HD_KIND_NOP)
		hd_execute_in_decoder(core, scheduler, warp, row, pc, now);
	else
		hd_dispatch(core, scheduler, warp, pc, now);
	hd_count_issued(core, &s->flow[warp], 1);
}

void hd_stop_at_pc(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now)
{
	uint32_t pc = core->scheduler[scheduler].flow[warp].pc;
	if (core->stopped)
		return;
	hd_core_stop(core, now, HD_TRAP_PC, scheduler, warp, pc, 0, NULL);
	core->context->trap->address = pc;
}

/* Issues the instruction behind `row` in the same cycle if possible (PD-7). `row` was sent with the hint `pair`. Returns the row that was sent last.
 */
static const hd_static *send_second(hd_core *core, unsigned scheduler, unsigned warp, const hd_static *row, uint64_t now, hd_issue_cycle *cycle,
                                    hd_static *own)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	if (cycle->slots == core->width || !second_can(core, s, warp, row, now)) {
		core->stats->predecode_split++;
		return row;
	}
	go_on(core, s, warp, row, now);
	hd_counted_pair(&s->counted, warp, row);
	row = hd_row_of(core, s, warp, row->next, now, own);
	send(core, scheduler, warp, row, now);
	core->stats->predecode_pairs++;
	cycle->sent++;
	cycle->slots++;
	return row;
}

bool hd_row_issue(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, hd_issue_cycle *cycle)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_static own, own_second;
	const hd_static *row = hd_row_of(core, s, warp, s->flow[warp].pc, now, &own);
	if (core->needs && row->kind != HD_KIND_NOP && !hd_recorded_ready(core, s, warp, s->flow[warp].pc)) {
		s->blocked |= 1u << warp; /* the scoreboard checks every warp in every cycle, so the check costs no slot */
		return true;
	}
	cycle->done |= 1u << warp;
	if (row->kind == HD_KIND_BAD) {
		hd_stop_at_pc(core, scheduler, warp, now);
		return false;
	}
	cycle->slots++;
	if (row->constant) {
		uint64_t there = hd_constant_operand(core, s, warp, row, now);
		if (there > now) { /* only the decoder detects this, so the slot is lost */
			s->for_constant |= 1u << warp;
			hd_delay_warp(s, warp, there);
			hd_lose_slots(core, s, HD_STALL_CONSTANT, 1, now);
			return true;
		}
		s->for_constant &= ~(1u << warp);
	}
	hd_verdict verdict = hd_decoder_check(row, s->fence.flags[warp], s->fence.full[warp], s->waiters.flags[warp], &s->watch[warp]);
	if (core->recorder)
		hd_record_check(core, s, warp, s->flow[warp].pc, verdict, s->watch[warp]);
	if (verdict != HD_SEND) {
		hd_deschedule(core, s, warp, verdict, true, now);
		return true;
	}
	send(core, scheduler, warp, row, now);
	cycle->sent++;
	if (row->asks & HD_ASK_PAIR)
		row = send_second(core, scheduler, warp, row, now, cycle, &own_second);
	after_issue(core, s, warp, row, now);
	return true;
}
