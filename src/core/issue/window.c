#include "core/issue/window.h"

#include "core/account.h"
#include "core/flow/decide.h"
#include "core/issue/deschedule.h"
#include "core/issue/dispatch.h"
#include "core/issue/micro_scheduler.h"
#include "core/issue/row_issue.h"
#include "core/issue/wakeup.h"
#include "core/issue/window_rows.h"
#include "core/observe/observers.h"

static uint64_t earliest(const hd_windows *window, unsigned warp, unsigned pipe, unsigned wait)
{
	const struct hd_window_time *time = &window->time[warp][pipe];
	return time->ready > time->wait + wait ? time->ready : time->wait + wait;
}

/* The cycle in which an instruction that is sent alone may issue: after the times of all pipes. */
static uint64_t all_ready(const hd_windows *window, unsigned warp, unsigned wait) { return earliest(window, warp, HD_LATEST, wait); }

static void was_sent(hd_windows *window, unsigned warp, const hd_static *row, uint64_t now, uint64_t delay)
{
	/* Delays and waits of different pipes do not overlap. */
	struct hd_window_time *latest = &window->time[warp][HD_LATEST];
	window->time[warp][row->pipe] = (struct hd_window_time){.ready = now + delay, .wait = now + delay};
	*latest = (struct hd_window_time){hd_max_u64(latest->ready, now + delay), hd_max_u64(latest->wait, now + delay)};
}

/* Sets the times after an instruction that counts for every pipe. Delay and wait overlap, as without a window. */
static void was_sent_alone(hd_windows *window, unsigned warp, uint64_t now, uint64_t delay)
{
	for (unsigned i = 0; i < HD_TIMES; i++)
		window->time[warp][i] = (struct hd_window_time){.ready = now + delay, .wait = now + 1};
}

/* Records that no instruction of the warp's window can be sent. The window is checked again when that may have changed. */
static void wait_until(hd_scheduler *s, unsigned warp, uint64_t until)
{
	s->window_waits |= 1u << warp;
	s->wake[warp] = until;
	if (until < s->wake_first)
		s->wake_first = until;
}

/* MI-8. No instruction beyond MINRC was sent, so the lanes that resume there miss none. */
HD_ALWAYS_INLINE void pass(hd_core *core, hd_scheduler *s, unsigned warp, bool plain, uint64_t now)
{
	uint32_t sent = s->window.sent[warp], pc = s->flow[warp].pc, last = pc;
	unsigned n = 0;
	for (; sent & 1; sent >>= 1) {
		last = pc;
		n += core->code[pc].room;
		pc = core->window_rows[pc].next;
	}
	if (n) {
		s->window.sent[warp] = sent;
		if (!hd_load_in_sequence(core, s, warp, pc, now))
			pc = s->flow[warp].pc;
		else if (last < s->fetch.have[warp])
			hd_fetch_consume(&s->fetch, warp, n, pc);
		else /* sent before the warp was de-scheduled, which emptied its buffer: these are not fetched a second time */
			hd_fetch_restart(&s->fetch, warp, pc);
	}
	const hd_static *row = &core->code[pc];
	s->next_pipe[warp] = (uint16_t)(1u << row->pipe);
	uint64_t next = hd_is_sent_alone(row) ? all_ready(&s->window, warp, row->wait) : earliest(&s->window, warp, row->pipe, row->wait);
	if (next > now + 1) {
		s->delayed |= 1u << warp; /* gives the remaining slots their cause */
		if (plain && !core->window_rows[pc].before)
			wait_until(s, warp, next);
	}
}

HD_APART void pass_any(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now) { pass(core, s, warp, core->plain, now); }

HD_APART void dispatch_any(hd_core *core, unsigned scheduler, unsigned warp, uint32_t pc, uint64_t now)
{
	hd_dispatch(core, scheduler, warp, pc, now);
}

/* The result of a cycle for a candidate, or for the window of a warp. */
typedef enum outcome {
	SENT,    /* one or more were sent */
	WAITS,   /* waits until cycle `until`, or until a change of its queues or counters */
	BLOCKED, /* blocked by the scoreboard */
	LATE,    /* a constant operand is not present before `until` */
	REFUSED, /* the decoder refused it: `verdict` */
	BAD,     /* there is no instruction at the PC */
} outcome;

/* The check of a warp's window in a cycle. */
typedef struct scan {
	hd_core *core;
	hd_scheduler *s;
	uint64_t now;
	uint64_t until; /* first cycle in which a candidate that waits for time may be sent */
	unsigned scheduler, warp;
	unsigned n;         /* number of instructions that were sent */
	bool waits;         /* a candidate waits for something other than a counter */
	bool place;         /* the instruction at the PC waits for a place in its queue, and there is no other candidate */
	bool found_late;    /* this check is the first that found the constant operand at the PC absent */
	hd_verdict verdict; /* of the candidate that was refused last */
	uint16_t watch;
} scan;

static outcome send_alone(scan *c)
{
	hd_core *core = c->core;
	hd_scheduler *s = c->s;
	unsigned warp = c->warp;
	uint32_t pc = s->flow[warp].pc;
	const hd_static *row = &core->code[pc];
	uint64_t ready = all_ready(&s->window, warp, row->wait);
	if (c->now < ready) {
		s->delayed |= 1u << warp;
		c->until = ready;
		return WAITS;
	}
	if (s->blocked >> warp & 1) {
		HD_RECORD_EVENT(core, s, HELD, warp, pc);
		return BLOCKED;
	}
	if (row->kind == HD_KIND_FLOW && s->full >> row->pipe & 1) {
		s->held_by[row->pipe] |= 1u << warp;
		c->place = true;
		return WAITS;
	}
	if (row->kind == HD_KIND_BAD)
		return BAD;
	if (core->footprint && row->kind == HD_KIND_FLOW && !hd_footprint_ready(core, s, warp, pc)) {
		HD_RECORD_EVENT(core, s, HELD, warp, pc);
		return BLOCKED;
	}
	c->verdict = hd_decoder_check(row, s->fence.flags[warp], s->fence.full[warp], s->waiters.flags[warp], &s->watch[warp]);
	HD_EVENT(core, checked, s, warp, pc, c->verdict, s->watch[warp]);
	if (c->verdict != HD_SEND)
		return REFUSED;
	core->serial++;
	HD_EVENT(core, issue, c->scheduler, warp, pc, true, c->now);
	if (row->kind == HD_KIND_FLOW)
		dispatch_any(core, c->scheduler, warp, pc, c->now);
	was_sent_alone(&s->window, warp, c->now, hd_delay_behind(s, row));
	c->n = 1;
	hd_count_issued(core, &s->flow[warp], 1);
	if (row->kind == HD_KIND_FLOW) {
		s->deciding |= 1u << warp;
		return SENT;
	}
	hd_execute_in_decoder(core, c->scheduler, warp, row, pc, c->now);
	s->window.sent[warp] |= 1;
	pass_any(core, s, warp, c->now);
	return SENT;
}

/* multi_issue.hold: true when the candidate would only take a place in its queue that others could use. The second instruction of a dependent pair is
 * exempt (MI-6): it is sent as long as no secondary waits in the queue. */
static bool would_wait_in_queue(const scan *c, const hd_static *row)
{
	const hd_scheduler *s = c->s;
	return row->at_queue & s->fence.flags[c->warp] && s->queue[row->pipe].hazard_n >= c->core->hold;
}

/* The first cycle in which it is useful to send the candidate. The distance to the previous instruction in its queue (rule 2) may have grown, because
 * others delayed that instruction. Before that distance is reached, the candidate would only move from the FIFO to the hazard queue, which loses a
 * cycle of the pipe's entry. */
HD_ALWAYS_INLINE uint64_t distance_over(const scan *c, const hd_static *row)
{
	const hd_scheduler *s = c->s;
	const hd_queue *queue = &s->queue[row->pipe];
	if (!queue->spacing || hd_queue_empty(queue) || c->core->window == 1)
		return c->now;
	uint64_t gap = s->counted.of[c->warp][row->pipe].next + row->wait - queue->of[c->warp].counted;
	uint64_t entry = queue->of[c->warp].entered + hd_min_u64(gap, queue->spacing), soonest = c->now + 1 + queue->fifo_n;
	return entry > soonest ? c->now + entry - soonest : c->now;
}

/* True when the constant operand of the candidate is not there yet. *until receives when it is. */
static bool is_late(scan *c, const hd_static *row, unsigned place, uint64_t *until)
{
	hd_scheduler *s = c->s;
	uint64_t there = hd_constant_operand(c->core, s, c->warp, row, c->now);
	bool late = there > c->now;
	if (late)
		*until = there;
	if (place)
		return late;
	c->found_late = late;
	s->window.constant[c->warp] = there;
	s->for_constant = late ? s->for_constant | 1u << c->warp : s->for_constant & ~(1u << c->warp);
	return late;
}

/* True when an earlier check found the constant operand at the PC absent, and it is not there yet. Such an instruction is no candidate (MI-2):
 * nothing else of it is checked, and it takes no further slot, as without a window (MI-10). */
static bool is_known_late(const scan *c) { return c->s->for_constant >> c->warp & 1 && c->now < c->s->window.constant[c->warp]; }

/* Judges the own conditions of the candidate `place` places after the PC for this cycle. *until receives the first cycle in which it may be sent, if
 * it waits for time. `plain`: a constant, true where the core is plain. */
HD_ALWAYS_INLINE outcome judge(scan *c, const hd_static *row, uint32_t pc, unsigned place, bool plain, uint64_t *until)
{
	hd_core *core = c->core;
	hd_scheduler *s = c->s;
	unsigned warp = c->warp;
	c->place &= !place; /* another candidate is judged */
	if (!plain && !place && is_known_late(c)) {
		*until = s->window.constant[warp];
		return LATE;
	}
	uint64_t ready = earliest(&s->window, warp, row->pipe, row->wait);
	if (c->now < ready) {
		*until = ready;
		return WAITS;
	}
	if (s->full >> row->pipe & 1 || would_wait_in_queue(c, row)) {
		s->held_by[row->pipe] |= 1u << warp;
		c->place = !place && s->full >> row->pipe & 1;
		return WAITS;
	}
	if ((ready = distance_over(c, row)) > c->now) {
		*until = ready;
		return WAITS;
	}
	if (!plain && core->footprint && !hd_footprint_ready(core, s, warp, pc))
		return BLOCKED;
	if (!plain && row->constant && is_late(c, row, place, until))
		return LATE;
	c->verdict = hd_decoder_check(row, s->fence.flags[warp], s->fence.full[warp], s->waiters.flags[warp], &c->watch);
	if (!plain)
		HD_EVENT(core, checked, s, warp, pc, c->verdict, c->watch);
	return c->verdict == HD_SEND ? SENT : REFUSED;
}

/* Sends the candidate that is `place` places after the PC, if possible. */
HD_ALWAYS_INLINE outcome attempt(scan *c, uint32_t pc, unsigned place, bool plain)
{
	hd_core *core = c->core;
	hd_scheduler *s = c->s;
	const hd_static *row = &core->code[pc];
	uint64_t until = HD_NEVER;
	outcome can = judge(c, row, pc, place, plain, &until);
	if (!plain && (can == BLOCKED || can == LATE))
		HD_RECORD_EVENT(core, s, HELD, c->warp, pc);
	if (can != SENT) {
		c->waits |= can == WAITS || can == LATE;
		c->until = hd_min_u64(until, c->until);
		return can;
	}
	if (!plain) {
		core->serial++;
		HD_EVENT(core, issue, c->scheduler, c->warp, pc, c->n == 0, c->now);
	}
	/* raises its counter, which later candidates see (MI-6) */
	if (plain)
		hd_dispatch_row(core, s, c->warp, row, pc, true, c->now);
	else
		dispatch_any(core, c->scheduler, c->warp, pc, c->now);
	if (!plain && core->window == 1)
		was_sent_alone(&s->window, c->warp, c->now, hd_delay_behind(s, row));
	else
		was_sent(&s->window, c->warp, row, c->now, hd_delay_behind(s, row));
	s->window.sent[c->warp] |= 1u << place;
	c->n++;
	return SENT;
}

HD_APART outcome attempt_any(scan *c, uint32_t pc, unsigned place) { return attempt(c, pc, place, false); }

/* The places of a window of `n` instructions that have not been sent. */
static uint32_t within(uint32_t sent, uint32_t n)
{
	uint32_t beyond = ~sent;
	while (n--)
		beyond &= beyond - 1;
	return beyond ? ~sent & ((beyond & -beyond) - 1) : ~sent;
}

/* Attempts to send the instruction at the PC. */
static outcome attempt_first(scan *c, uint32_t pc)
{
	hd_scheduler *s = c->s;
	/* the scoreboard blocks it, and nothing has changed for it since */
	bool blocked = s->blocked >> c->warp & 1;
	if (blocked)
		HD_RECORD_EVENT(c->core, s, HELD, c->warp, pc);
	outcome first = blocked ? BLOCKED : attempt_any(c, pc, 0);
	if (first == WAITS && c->until != HD_NEVER)
		s->delayed |= 1u << c->warp; /* gives a lost slot its cause */
	if (first == REFUSED)
		s->watch[c->warp] = c->watch;
	return first;
}

/* MI-13: the places of unsent instructions that wait for a high-latency counter: one that is raised, or that an unsent instruction before them
 * raises.
 */
static uint32_t waiting_places(const scan *c, uint32_t pc, uint32_t end, uint32_t sent)
{
	const hd_static *code = c->core->code;
	uint32_t raised = c->s->fence.flags[c->warp], waiting = 0;
	for (unsigned place = 0; pc < end && place < HD_WINDOW_SPAN; place++, pc = code[pc].next) {
		if (sent >> place & 1)
			continue;
		waiting |= (uint32_t)((code[pc].at_issue & raised) != 0) << place;
		raised |= hd_own_counter(&code[pc]);
	}
	return waiting;
}

/* Attempts to send the candidates behind the PC, up to `end` (exclusive), in their order (MI-3 to MI-5). `sent` is the state at the beginning of the
 * cycle. `outside`: places of instructions that are not sent and are no candidates (MI-13). */
static void attempt_others(scan *c, uint32_t pc, uint32_t end, uint32_t sent, uint32_t outside, bool first_sent)
{
	const hd_window_row *rows = c->core->window_rows;
	/* Usually every instruction of the window depends on the one at the PC. */
	uint32_t may = first_sent ? rows[pc].with : rows[pc].before;
	if (may)
		may &= within(sent | outside, c->core->window);
	if (!may)
		return;
	uint32_t unsent = !first_sent; /* bit j: the instruction j + 1 places before is not sent and is no target */
	uint32_t open = 1;             /* bit j: that instruction was not sent when the cycle began */
	uint32_t candidates = c->core->window - !(outside & 1);
	pc = rows[pc].next;
	for (unsigned place = 1; candidates && pc < end && place < HD_WINDOW_SPAN; place++, pc = rows[pc].next) {
		uint32_t is_open = ~sent >> place & 1, stays = is_open, is_candidate = ~(sent | outside) >> place & 1;
		if (is_candidate && !((rows[pc].after & unsent) | (rows[pc].behind & open)))
			stays = attempt_any(c, pc, place) != SENT;
		candidates -= is_candidate;
		unsent = unsent << 1 | stays;
		open = open << 1 | is_open;
	}
}

static outcome send_window(scan *c)
{
	hd_scheduler *s = c->s;
	const hd_warp_flow *flow = &s->flow[c->warp];
	uint32_t pc = flow->pc, end = c->core->window_rows[pc].alone, sent = s->window.sent[c->warp];
	if (end == pc)
		return send_alone(c);
	end = hd_min_u32(end, flow->minrc);
	end = end < s->fetch.have[c->warp] ? end : s->fetch.have[c->warp];
	uint32_t outside = c->core->eligible_places ? waiting_places(c, pc, end, sent) : 0;
	outcome first = attempt_first(c, pc);
	hd_verdict verdict = c->verdict;
	attempt_others(c, pc, end, sent, outside, first == SENT);
	if (c->n) {
		hd_count_issued(c->core, flow, c->n);
		pass_any(c->core, s, c->warp, c->now);
		return SENT;
	}
	/* A warp is not de-scheduled while another candidate waits for something other than a counter. */
	c->verdict = verdict;
	return first == REFUSED && c->waits ? WAITS : first;
}

/* Of the warps that wait for one place, one can have it. The others are not looked at again (hd_may_have_place). */
static void wait_for_place(hd_scheduler *s, unsigned warp, unsigned pipe)
{
	s->held_by[pipe] &= ~(1u << warp);
	s->for_place[pipe] |= 1u << warp;
	s->awaited |= 1u << pipe;
}

/* The warp is looked at. */
HD_APART void leave_places(hd_scheduler *s, unsigned warp)
{
	s->window_waits &= ~(1u << warp);
	for (uint32_t left = s->awaited; left; left &= left - 1) {
		unsigned pipe = hd_lowest_bit(left);
		s->for_place[pipe] &= ~(1u << warp);
		s->awaited &= ~((uint32_t)!s->for_place[pipe] << pipe);
	}
}

/* Every case of hd_window_issue. */
HD_APART bool look(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, hd_issue_cycle *cycle)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	scan c = {.core = core, .s = s, .now = now, .until = HD_NEVER, .scheduler = scheduler, .warp = warp};
	HD_EVENT(core, picked, s, warp, now);
	outcome result = send_window(&c);
	HD_RECORD_EVENT(core, s, SELECTED, warp, s->flow[warp].pc, s->window.sent[warp], s->deciding >> warp & 1, result == REFUSED, c.verdict,
	                s->watch[warp]);
	switch (result) {
	case SENT:
		core->stats->predecode_decoded += core->decoded_at_issue * c.n;
		cycle->sent += c.n;
		s->used++;
		cycle->slots++;
		return true;
	case BLOCKED:
		s->blocked |= 1u << warp;
		wait_until(s, warp, c.until);
		return true;
	case WAITS: /* the check costs no slot */
		wait_until(s, warp, c.until);
		if (c.place && core->plain) /* an observer sees each look, and a look ends the guess of a warp (speculative_issue.c) */
			wait_for_place(s, warp, core->code[s->flow[warp].pc].pipe);
		return true;
	case LATE: /* only the decoder detects this */
		if (c.found_late && core->decoded_at_issue) {
			cycle->slots++;
			hd_lose_slots(core, s, HD_STALL_CONSTANT, 1, now);
		}
		s->delayed |= 1u << warp;
		wait_until(s, warp, c.until);
		return true;
	case REFUSED: {
		/* MI-2: an instruction that waits for a long-range dependence is no candidate, so such a warp is not picked at all. */
		bool chosen = core->decoded_at_issue && (c.verdict != HD_WAIT_FENCE || core->window == 1);
		hd_deschedule(core, s, warp, c.verdict, chosen, now);
		cycle->slots += chosen;
		return true;
	}
	default: /* BAD */
		hd_stop_at_pc(core, scheduler, warp, now);
		return false;
	}
}

/* The usual case: the instruction at the PC is sent, and none can be sent with it. False: nothing has changed. */
static inline bool send_plain(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now)
{
	uint32_t pc = s->flow[warp].pc;
	const hd_window_row *row = &core->window_rows[pc];
	scan c = {.core = core, .s = s, .now = now, .warp = warp};
	if (row->with || row->alone == pc || attempt(&c, pc, 0, true) != SENT)
		return false;
	hd_count_issued(core, &s->flow[warp], 1);
	pass(core, s, warp, true, now);
	core->stats->predecode_decoded += core->decoded_at_issue;
	return true;
}

bool hd_window_issue(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, hd_issue_cycle *cycle)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	cycle->done |= 1u << warp;
	if (s->awaited)
		leave_places(s, warp);
	if (!core->plain || !send_plain(core, s, warp, now))
		return look(core, scheduler, warp, now, cycle);
	cycle->sent++;
	s->used++;
	cycle->slots++;
	return true;
}
