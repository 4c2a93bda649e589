#include "core/issue/row_issue.h"

#include "core/account.h"
#include "core/flow/decide.h"
#include "core/issue/deschedule.h"
#include "core/issue/dispatch.h"
#include "core/issue/readiness.h"
#include "core/issue/wakeup.h"
#include "core/observe/observers.h"
#include "core/observe/stop.h"
#include "memory/constant.h"

static void go_on(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *row, uint64_t now)
{
	if (hd_load_in_sequence(core, s, warp, row->next, now))
		hd_fetch_consume(&s->fetch, warp, row->room, row->next);
}

/* PD-5: the warp issues nothing before its delay is over. A delay of one cycle needs no sleep: the next check is a cycle away. */
static void after_issue(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *row, uint64_t now)
{
	if (row->effects & (HD_EFFECT_BOOST | HD_EFFECT_LOWER)) {
		uint32_t bit = 1u << warp;
		s->adjusting |= bit;
		s->boosting = row->effects & HD_EFFECT_BOOST ? s->boosting | bit : s->boosting & ~bit;
		s->span[warp] = row->cycles;
	}
	if (row->delay > 1)
		hd_delay_warp(s, warp, now + hd_delay_behind(s, row));
	if (row->kind == HD_KIND_FLOW) {
		s->deciding |= 1u << warp;
		return;
	}
	if (row->effects & HD_EFFECT_NEXT)
		hd_follow(s, warp, now);
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

/* The instructions of a warp that issue in one cycle, in order. */
typedef struct hd_chain {
	const hd_static *at[HD_PAIR_CHAIN];
	hd_static own[HD_PAIR_CHAIN]; /* rows by hint registers */
	unsigned n;
} hd_chain;

static void add(hd_chain *c, const hd_core *core, const hd_scheduler *s, unsigned warp, uint32_t pc, uint64_t now)
{
	c->at[c->n] = hd_row_of(core, s, warp, pc, now, &c->own[c->n]);
	c->n++;
}

/* True when the last instruction of the chain asks for a pair with the one behind it, and that one can issue in a cycle with each of the chain. */
static bool can_ever_join(const hd_chain *c, const hd_core *core, const hd_scheduler *s, unsigned warp, uint64_t now)
{
	const hd_static *last = c->at[c->n - 1];
	hd_static own;
	if (!(last->effects & HD_EFFECT_PAIR) || c->n == core->chain)
		return false;
	const hd_static *next = hd_row_of(core, s, warp, last->next, now, &own);
	for (unsigned i = 0; i < c->n; i++)
		if (!hd_code_pairs(c->at[i], next))
			return false;
	return true;
}

/* PD-7, PD-29: true when the instruction behind a chain that is issuing can issue in the same cycle. It has arrived, no thread resumes before it
 * (MI-9), its queue has room, and the decoder would not send it back. */
static bool can_join(const hd_chain *c, hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now)
{
	uint32_t pc = c->at[c->n - 1]->next;
	const hd_static *next = &core->code[pc];
	uint16_t watch;
	if (s->guessing >> warp & 1 && !hd_may_speculate(next))
		return false;
	if (pc >= s->fetch.have[warp] || pc == s->flow[warp].minrc || s->full >> next->pipe & 1 ||
	    hd_decoder_check(next, s->fence.flags[warp], s->fence.full[warp], s->waiters.flags[warp], &watch) != HD_SEND)
		return false;
	return !next->constant || hd_constant_operand(core, s, warp, next, now) == now;
}

/* PD-29: true when a strict pair ties the instruction behind the chain to it: it can wait for that one without an end. Both are in one line, so they
 * arrive together. No thread resumes between them. The decoder looks for no constant of the next one, whose line could take the place of another
 * one's. */
static bool is_tied(const hd_chain *c, const hd_core *core, const hd_scheduler *s, unsigned warp, uint32_t pc)
{
	const hd_static *last = c->at[c->n - 1], *next = &core->code[last->next];
	return last->effects & HD_EFFECT_STRICT && last->next >> s->fetch.line_shift == pc >> s->fetch.line_shift &&
	       last->next != s->flow[warp].minrc && !next->constant;
}

/* True when the warp's next instruction opens a strict pair whose other instructions cannot issue with it now, in the slots that are left. If slots
 * are all that it lacks, it goes first in the next cycle, so that warps that come before it cannot keep it waiting for ever. */
static bool waits_for_second(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now, unsigned slots)
{
	hd_chain c = {.n = 0};
	uint32_t pc = s->flow[warp].pc;
	add(&c, core, s, warp, pc, now);
	while (can_ever_join(&c, core, s, warp, now) && is_tied(&c, core, s, warp, pc)) {
		if (!can_join(&c, core, s, warp, now))
			return true;
		if (c.n == slots) {
			hd_follow(s, warp, now);
			return true;
		}
		pc = c.at[c.n - 1]->next;
		add(&c, core, s, warp, pc, now);
	}
	return false;
}

/* Decodes and sends the instruction at the PC of a warp. */
static void send(hd_core *core, unsigned scheduler, unsigned warp, const hd_static *row, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	uint32_t pc = s->flow[warp].pc;
	s->used++;
	core->stats->predecode_decoded += core->decoded_at_issue;
	core->serial++;
	HD_EVENT(core, issue, scheduler, warp, pc, 1, now);
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
	hd_core_stop(core, now, &(hd_stop){HD_TRAP_PC, scheduler, warp, pc, 0, NULL});
	core->context->trap->address = pc;
}

/* Issues the instructions that pairs join to `row` in the same cycle, as far as possible (PD-7, PD-29). `row` was sent with the hint `pair`. Returns
 * the row that was sent last, which may be in *c. */
static const hd_static *send_chain(hd_core *core, unsigned scheduler, unsigned warp, const hd_static *row, uint64_t now, hd_issue_cycle *cycle,
                                   hd_chain *c)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	c->at[0] = row;
	c->n = 1;
	while (c->at[c->n - 1]->effects & HD_EFFECT_PAIR && c->n < core->chain) {
		const hd_static *last = c->at[c->n - 1];
		if (cycle->slots == core->width || !can_ever_join(c, core, s, warp, now) || !can_join(c, core, s, warp, now)) {
			core->stats->predecode_split++;
			break;
		}
		go_on(core, s, warp, last, now);
		hd_counted_pair(&s->counted, warp, last);
		add(c, core, s, warp, last->next, now);
		send(core, scheduler, warp, c->at[c->n - 1], now);
		core->stats->predecode_pairs++;
		cycle->sent++;
		cycle->slots++;
	}
	return c->at[c->n - 1];
}

/* Accounts for a slot of a warp whose constant operand is absent. Only the decoder detects this, so the slot is lost, unless it decoded before. */
static void lose_slot_of_constant(hd_core *core, hd_scheduler *s, hd_issue_cycle *cycle, uint64_t now)
{
	if (core->decoded_at_issue)
		hd_lose_slots(core, s, HD_STALL_CONSTANT, 1, now);
	else
		cycle->slots--;
}

bool hd_row_issue(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, hd_issue_cycle *cycle)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_static own;
	hd_chain chain;
	const hd_static *row = hd_row_of(core, s, warp, s->flow[warp].pc, now, &own);
	if (core->footprint && row->kind != HD_KIND_NOP && !hd_footprint_ready(core, s, warp, s->flow[warp].pc)) {
		s->blocked |= 1u << warp; /* the scoreboard checks every warp in every cycle, so the check costs no slot */
		return true;
	}
	cycle->done |= 1u << warp;
	if (row->kind == HD_KIND_BAD) {
		hd_stop_at_pc(core, scheduler, warp, now);
		return false;
	}
	if (row->effects & HD_EFFECT_STRICT) {
		s->for_second &= ~(1u << warp);
		if (waits_for_second(core, s, warp, now, core->width - cycle->slots)) { /* the scheduler knows, so no slot is lost */
			s->for_second |= 1u << warp;
			s->touched = true;
			core->stats->predecode_strict_waits++;
			return true;
		}
	}
	cycle->slots++;
	if (row->constant) {
		uint64_t there = hd_constant_operand(core, s, warp, row, now);
		if (there > now) {
			s->for_constant |= 1u << warp;
			hd_delay_warp(s, warp, there);
			lose_slot_of_constant(core, s, cycle, now);
			return true;
		}
		s->for_constant &= ~(1u << warp);
	}
	hd_verdict verdict = hd_decoder_check(row, s->fence.flags[warp], s->fence.full[warp], s->waiters.flags[warp], &s->watch[warp]);
	HD_EVENT(core, checked, s, warp, s->flow[warp].pc, verdict, s->watch[warp]);
	if (verdict != HD_SEND) {
		hd_deschedule(core, s, warp, verdict, core->decoded_at_issue, now);
		cycle->slots -= !core->decoded_at_issue;
		return true;
	}
	send(core, scheduler, warp, row, now);
	cycle->sent++;
	if (row->effects & HD_EFFECT_PAIR)
		row = send_chain(core, scheduler, warp, row, now, cycle, &chain);
	after_issue(core, s, warp, row, now);
	return true;
}
