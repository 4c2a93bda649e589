/* HW-4: window_select.sv against src/core/issue/window.c (MI-2 to MI-9). The C unit works on a scheduler of a core, with real queues and counters,
 * and on a random program. The bench takes the module's inputs from them. The macros MACHINE_WARPS to QUEUE_SPACING are the parameters of the module.
 */
#include "replay.h"

#include "core/issue/micro_scheduler.h"
#include "core/issue/window.h"

enum {
	WARP_BITS = RTL_CLOG2(MACHINE_WARPS),
	PIPE_BITS = RTL_CLOG2(PIPES),
	COUNTER_BITS = RTL_CLOG2(FENCE_COUNTERS + 1),
	ROOM_BITS = RTL_CLOG2(MULTI_ISSUE_WINDOW + 1),
	SPACING_BITS = RTL_CLOG2(QUEUE_SPACING + 1),
	SPAN_BITS = RTL_CLOG2(WINDOW_SPAN + 1),
	PC_BITS = 24,
	LEFT_BITS = 5,
	WORDS = 2048,
	BEHIND = 64, /* words at the end at which no warp begins */
	FIFO = 3,
	HAZARD = 3,
	COUNTER_WIDTH = 5,
	HOLD = 1,
	BLOCKING = 5, /* the register that the scoreboard of the bench keeps */
};

enum {
	ONE,
	SEVERAL,
	ALL_OF_WINDOW,
	PAIR,
	SKIPS,
	REMEMBERED,
	ADVANCES,
	ALONE_FLOW,
	ALONE_NOP,
	ALONE_WAITS,
	FLOW_FULL,
	AT_MINRC,
	NOT_ARRIVED,
	DEPENDS,
	SAME_PIPE,
	TIME,
	FULL,
	HELD_BACK,
	HELD_OUTSIDE,
	DISTANCE,
	OUTSTANDING,
	WAITERS,
	NO_ROOM,
	NOT_DESCHEDULED,
	BEGINS,
	ENTERS
};
lockstep_bin bench_bins[] = {
    [ONE] = {"one instruction is sent"},
    [SEVERAL] = {"several instructions are sent (MI-7)"},
    [ALL_OF_WINDOW] = {"a whole window is sent"},
    [PAIR] = {"a primary and a secondary that waits for it (MI-6)"},
    [SKIPS] = {"an instruction is sent, and one before it is not"},
    [REMEMBERED] = {"places behind the PC were sent before (MI-8)"},
    [ADVANCES] = {"the PC moves over a place that was sent before"},
    [ALONE_FLOW] = {"a flow instruction is sent alone (MI-9)"},
    [ALONE_NOP] = {"a nop is sent alone"},
    [ALONE_WAITS] = {"an instruction that is sent alone waits for another pipe's time"},
    [FLOW_FULL] = {"a flow instruction waits for its queue"},
    [AT_MINRC] = {"MINRC ends the window"},
    [NOT_ARRIVED] = {"an instruction that has not arrived ends the window"},
    [DEPENDS] = {"a dependence holds an instruction back (MI-5)"},
    [SAME_PIPE] = {"an earlier instruction of its pipe holds one back (MI-4)"},
    [TIME] = {"the first instruction waits for time"},
    [FULL] = {"the first instruction waits for room in its queue"},
    [HELD_BACK] = {"enough secondaries are in the queue (multi_issue.hold)"},
    [HELD_OUTSIDE] = {"the scoreboard blocks an instruction of the window"},
    [DISTANCE] = {"the first instruction waits for its distance"},
    [OUTSTANDING] = {"the warp is de-scheduled: outstanding (HZ-21)"},
    [WAITERS] = {"the warp is de-scheduled: wait counter (HZ-18)"},
    [NO_ROOM] = {"the warp is de-scheduled: no room (HZ-18)"},
    [NOT_DESCHEDULED] = {"the first instruction is refused, and another one waits"},
    [BEGINS] = {"another warp begins in a slot"},
    [ENTERS] = {"a flow instruction is decided"},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

static hd_static code[WORDS];
static hd_window_row rows[WORDS];
static hd_code program = {.at = code, .n_words = WORDS};
static hd_footprint footprint[WORDS];
static hd_scoreboard board;
static hd_stats stats;
static hd_core core;
static hd_scheduler *s;
static hd_activation frames[MACHINE_WARPS];
static uint64_t now = 1000;
static unsigned picking, accepting, lowering, arriving, joining; /* percent */
static lockstep_port *begin_warps, *enter_warps, *place_held, *pick_valid, *pick_warp, *pick_minrc, *place_fetched, *place_pc, *place_alone,
    *first_flow, *place_pipe, *place_at_issue, *place_at_queue, *place_primary, *place_delay, *place_wait, *place_after, *place_behind, *outstanding,
    *waited, *counter_room, *queue_ready, *flow_ready, *queue_hold, *queue_ahead, *queue_distance, *queue_passed, *targets, *push_valid, *alone,
    *advance, *deschedule, *verdict, *watch, *sent, *left, *passed, *held;

static uint16_t some_counters(unsigned percent)
{
	return lockstep_chance(percent) ? (uint16_t)(lockstep_random() & lockstep_random() & ((1u << FENCE_COUNTERS) - 1)) : 0;
}

/* A random program: which pipes, counters, delays, and dependences of instructions on those before them. */
static void write_program(void)
{
	for (uint32_t pc = 0; pc < WORDS; pc++) {
		hd_static *row = &code[pc];
		*row = (hd_static){.next = pc + 1, .room = 1, .kind = HD_KIND_PURE, .pipe = (uint8_t)lockstep_below(PIPES), .delay = 1};
		row->delay = (uint8_t)(lockstep_chance(80) ? 1 : 1 + lockstep_below(15));
		row->wait = (uint8_t)(lockstep_chance(90) ? 0 : lockstep_below(16));
		row->latency = 4;
		footprint[pc].reads[0] = (uint64_t)lockstep_chance(15) << BLOCKING;
		if (lockstep_chance(4)) {
			*row =
			    (hd_static){.next = pc + 1, .room = 1, .kind = HD_KIND_NOP, .pipe = HD_PIPE_NONE, .delay = row->delay, .wait = row->wait};
		} else if (lockstep_chance(4)) {
			row->kind = HD_KIND_FLOW;
			row->pipe = HD_PIPE_FLOW;
		}
		if (row->kind != HD_KIND_NOP) {
			row->at_issue = some_counters(8);
			row->at_queue = (uint16_t)(some_counters(30) & ~row->at_issue);
			/* In every other part of the program two counters have all primaries, so that they get full. */
			unsigned counters = pc >> 8 & 1 ? 2 : FENCE_COUNTERS;
			row->primary = (uint8_t)(lockstep_chance(40) && row->kind != HD_KIND_FLOW ? 1 + lockstep_below(counters) : 0);
		}
	}
	for (uint32_t pc = WORDS; pc-- > 0;) {
		rows[pc].next = pc + 1;
		rows[pc].alone = hd_is_sent_alone(&code[pc]) || pc + 1 == WORDS ? pc : rows[pc + 1].alone;
	}
	for (uint32_t pc = 0; pc < WORDS; pc++) {
		for (uint32_t j = 0; j < HD_WINDOW_SPAN - 1 && j < pc; j++) {
			const hd_static *a = &code[pc - 1 - j], *b = &code[pc];
			uint32_t bit = 1u << j, own = b->primary ? 1u << (b->primary - 1) : 0;
			if (hd_is_sent_alone(a) || hd_is_sent_alone(b))
				break;
			if (a->pipe == b->pipe || (((uint32_t)a->at_issue | a->at_queue) & own))
				rows[pc].behind |= bit;
			if (lockstep_chance(15) || (a->primary && a->primary == b->primary && lockstep_chance(70)))
				rows[pc].after |= bit;
			rows[pc - 1 - j].with |= rows[pc].behind & bit ? 0 : bit << 1;
			rows[pc - 1 - j].before |= (rows[pc].behind | rows[pc].after) & bit ? 0 : bit << 1;
		}
	}
}

void bench_start(void)
{
	const lockstep_name names[] = {
	    LOCKSTEP_PORT(begin_warps),    LOCKSTEP_PORT(enter_warps),    LOCKSTEP_PORT(place_held),    LOCKSTEP_PORT(pick_valid),
	    LOCKSTEP_PORT(pick_warp),      LOCKSTEP_PORT(pick_minrc),     LOCKSTEP_PORT(place_fetched), LOCKSTEP_PORT(place_pc),
	    LOCKSTEP_PORT(place_alone),    LOCKSTEP_PORT(first_flow),     LOCKSTEP_PORT(place_pipe),    LOCKSTEP_PORT(place_at_issue),
	    LOCKSTEP_PORT(place_at_queue), LOCKSTEP_PORT(place_primary),  LOCKSTEP_PORT(place_delay),   LOCKSTEP_PORT(place_wait),
	    LOCKSTEP_PORT(place_after),    LOCKSTEP_PORT(place_behind),   LOCKSTEP_PORT(outstanding),   LOCKSTEP_PORT(waited),
	    LOCKSTEP_PORT(counter_room),   LOCKSTEP_PORT(queue_ready),    LOCKSTEP_PORT(flow_ready),    LOCKSTEP_PORT(queue_hold),
	    LOCKSTEP_PORT(queue_ahead),    LOCKSTEP_PORT(queue_distance), LOCKSTEP_PORT(queue_passed),  LOCKSTEP_PORT(targets),
	    LOCKSTEP_PORT(push_valid),     LOCKSTEP_PORT(alone),          LOCKSTEP_PORT(advance),       LOCKSTEP_PORT(deschedule),
	    LOCKSTEP_PORT(verdict),        LOCKSTEP_PORT(watch),          LOCKSTEP_PORT(sent),          LOCKSTEP_PORT(left),
	    LOCKSTEP_PORT(passed),         LOCKSTEP_PORT(held),
	};
	lockstep_find_all(names, HD_COUNT(names));
	write_program();
	s = hd_xaligned(sizeof *s);
	core.code = code;
	core.window_rows = rows;
	core.footprint = footprint;
	core.window = MULTI_ISSUE_WINDOW;
	core.hold = HOLD;
	core.eligible_places = MULTI_ISSUE_PLACES;
	core.units = HD_GROUPS;
	core.stats = &stats;
	core.wait_counters = true;
	core.scheduler = s;
	core.n_schedulers = 1;
	core.flow = (hd_flow){.code = &program, .stats = &stats, .call_depth = 1};
	s->counted.by_pipe = true;
	s->scoreboard = &board;
	hd_scoreboard_init(&board, 0);
	hd_fence_init(&s->fence, COUNTER_WIDTH, HD_GROUPS);
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		hd_queue_init(&s->queue[pipe], (hd_queue_sizes){pipe == HD_PIPE_FLOW ? 1 : FIFO, HAZARD}, pipe == HD_PIPE_FLOW ? 0 : QUEUE_SPACING,
		              NULL);
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++) {
		s->flow[warp].stack = &frames[warp];
		hd_flow_start(&s->flow[warp], 1 + lockstep_below(WORDS - BEHIND), 1);
		hd_window_start(&s->window, warp);
		for (unsigned pipe = 0; pipe < PIPES; pipe++)
			s->counted.of[warp][pipe].next = 500;
	}
}

/* The queues pass instructions on, and fence counters fall. */
static void drain(void)
{
	hd_queue_times times;
	hd_sent out;
	s->full = 0;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		hd_queue *queue = &s->queue[pipe];
		if (hd_queue_tick(queue, s->fence.flags, now, lockstep_chance(pipe == HD_PIPE_FLOW ? accepting / 4 : accepting) ? now : now + 1, &out,
		                  &times) &&
		    out.wait)
			hd_waiters_lower(&s->waiters, out.warp, out.wait);
		s->full |= hd_queue_full(queue) ? 1u << pipe : 0;
	}
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++)
		for (unsigned counter = 1; counter <= FENCE_COUNTERS; counter++)
			if (s->fence.value[warp][counter - 1] && lockstep_chance(lowering))
				hd_fence_lower(&s->fence, warp, counter, HD_GROUPS);
}

/* Some warp begins, or its flow instruction is decided. Returns the one that begins, which is not picked in this cycle, or MACHINE_WARPS. */
static unsigned change(void)
{
	unsigned warp = lockstep_below(MACHINE_WARPS);
	bool decided = s->deciding >> warp & 1 && lockstep_chance(30);
	bool begins = !decided && !(s->deciding >> warp & 1) && (s->flow[warp].pc >= WORDS - BEHIND || lockstep_chance(1));
	lockstep_put(begin_warps, 0, MACHINE_WARPS, (uint32_t)begins << warp);
	lockstep_put(enter_warps, 0, MACHINE_WARPS, (uint32_t)(begins || decided) << warp);
	lockstep_cover_if(BEGINS, begins);
	lockstep_cover_if(ENTERS, decided);
	if (!begins && !decided)
		return MACHINE_WARPS;
	s->deciding &= ~(1u << warp);
	s->flow[warp].pc = 1 + lockstep_below(WORDS - BEHIND);
	if (begins)
		hd_window_start(&s->window, warp);
	hd_window_enter(&s->window, warp, now);
	return begins ? warp : MACHINE_WARPS;
}

static void put_window(unsigned warp)
{
	const hd_warp_flow *flow = &s->flow[warp];
	for (unsigned i = 0; i < WINDOW_SPAN; i++) {
		uint32_t pc = flow->pc + i;
		const hd_static *row = &code[pc];
		lockstep_put(place_fetched, i, 1, pc < s->fetch.have[warp]);
		lockstep_put(place_pc, i * PC_BITS, PC_BITS, pc);
		lockstep_put(place_alone, i, 1, hd_is_sent_alone(row));
		lockstep_put(place_held, i, 1, row->kind != HD_KIND_NOP && footprint[pc].reads[0] & board.writing[warp][0]);
		lockstep_put(place_pipe, i * PIPE_BITS, PIPE_BITS, row->pipe < PIPES ? row->pipe : 0);
		lockstep_put(place_at_issue, i * FENCE_COUNTERS, FENCE_COUNTERS, row->at_issue);
		lockstep_put(place_at_queue, i * FENCE_COUNTERS, FENCE_COUNTERS, row->at_queue);
		lockstep_put(place_primary, i * COUNTER_BITS, COUNTER_BITS, row->primary);
		lockstep_put(place_delay, i * 4, 4, row->delay);
		lockstep_put(place_wait, i * 4, 4, row->wait);
		lockstep_put(place_after, i * (WINDOW_SPAN - 1), WINDOW_SPAN - 1, rows[pc].after & ((UINT64_C(1) << (WINDOW_SPAN - 1)) - 1));
		lockstep_put(place_behind, i * (WINDOW_SPAN - 1), WINDOW_SPAN - 1, rows[pc].behind & ((UINT64_C(1) << (WINDOW_SPAN - 1)) - 1));
	}
	lockstep_put(first_flow, 0, 1, code[flow->pc].kind == HD_KIND_FLOW);
	lockstep_put(pick_minrc, 0, PC_BITS, hd_min_u32(flow->minrc, (1u << PC_BITS) - 1));
	lockstep_put(outstanding, 0, FENCE_COUNTERS, s->fence.flags[warp]);
	lockstep_put(waited, 0, FENCE_COUNTERS, s->waiters.flags[warp]);
	for (unsigned i = 0; i < FENCE_COUNTERS; i++)
		lockstep_put(counter_room, i * ROOM_BITS, ROOM_BITS,
		             hd_min_u32((uint32_t)(s->fence.limit - s->fence.value[warp][i]) / HD_GROUPS, MULTI_ISSUE_WINDOW));
	lockstep_put(flow_ready, 0, 1, !hd_queue_full(&s->queue[HD_PIPE_FLOW]));
	for (unsigned pipe = 0; pipe < PIPES; pipe++) {
		const hd_queue *queue = &s->queue[pipe];
		uint64_t distance = s->counted.of[warp][pipe].next - queue->of[warp].counted,
		         since = now + 1 + queue->fifo_n - queue->of[warp].entered;
		lockstep_put(queue_ready, pipe, 1, !hd_queue_full(queue));
		lockstep_put(queue_hold, pipe, 1, queue->hazard_n >= HOLD);
		lockstep_put(queue_ahead, pipe * LEFT_BITS, LEFT_BITS, queue->fifo_n);
		lockstep_put(queue_distance, pipe * SPACING_BITS, SPACING_BITS, hd_min_u64(distance, QUEUE_SPACING));
		lockstep_put(queue_passed, pipe * SPACING_BITS, SPACING_BITS,
		             hd_queue_empty(queue) ? QUEUE_SPACING : hd_min_u64(since, QUEUE_SPACING));
	}
}

/* The words that arrived, and MINRC: both behind everything that the warp has sent. */
static void bound(unsigned warp)
{
	uint32_t pc = s->flow[warp].pc, most = s->window.sent[warp] ? 32 - (uint32_t)__builtin_clz(s->window.sent[warp]) : 1;
	bool joins = lockstep_chance(joining) && most < WINDOW_SPAN;
	s->flow[warp].minrc = joins ? pc + most + lockstep_below(WINDOW_SPAN - most) : HD_INF;
	s->fetch.have[warp] = pc + (lockstep_chance(arriving) || most >= WINDOW_SPAN ? WINDOW_SPAN : most + lockstep_below(WINDOW_SPAN - most));
	s->fetch.buffered[warp] = 0;
}

static void cover_targets(uint32_t pc, uint32_t before, uint64_t now_sent, unsigned n, bool first_alone)
{
	unsigned highest = 0, count = (unsigned)__builtin_popcountll(now_sent);
	uint32_t raised = 0, open = ~before;
	lockstep_cover_if(ONE, count == 1 && !first_alone);
	lockstep_cover_if(SEVERAL, count > 1);
	lockstep_cover_if(ALL_OF_WINDOW, count == MULTI_ISSUE_WINDOW || (MULTI_ISSUE_WINDOW > 4 && count > 3));
	for (unsigned i = 0; i < WINDOW_SPAN; i++) {
		if (!(now_sent >> i & 1))
			continue;
		highest = i;
		lockstep_cover_if(PAIR, code[pc + i].at_queue & raised);
		raised |= code[pc + i].primary ? 1u << (code[pc + i].primary - 1) : 0;
	}
	for (unsigned i = 0; i < highest; i++)
		lockstep_cover_if(SKIPS, open >> i & 1 && !(now_sent >> i & 1));
	lockstep_cover_if(REMEMBERED, before != 0);
	lockstep_cover_if(ADVANCES, n > 0 && before & ((UINT64_C(1) << n) - 1));
}

/* Counts why the first instruction of a window was not sent, or what ended the window. */
static void cover_first(unsigned warp, uint32_t pc, uint64_t ready, uint32_t full)
{
	const hd_static *row = &code[pc];
	bool is_alone = hd_is_sent_alone(row), outside = s->descheduled >> warp & 1;
	if (is_alone) {
		lockstep_cover_if(ALONE_WAITS, ready > now);
		lockstep_cover_if(FLOW_FULL, ready <= now && row->kind == HD_KIND_FLOW && full >> HD_PIPE_FLOW & 1);
		return;
	}
	const hd_queue *queue = &s->queue[row->pipe];
	uint64_t gap = hd_min_u64(s->counted.of[warp][row->pipe].next + row->wait - queue->of[warp].counted, queue->spacing);
	bool room = !(full >> row->pipe & 1), on_time = ready <= now;
	bool holds = row->at_queue & s->fence.flags[warp] && queue->hazard_n >= HOLD;
	lockstep_cover_if(TIME, !on_time);
	lockstep_cover_if(FULL, on_time && !room);
	lockstep_cover_if(HELD_BACK, on_time && room && holds);
	lockstep_cover_if(DISTANCE, on_time && room && !holds && !hd_queue_empty(queue) && queue->of[warp].entered + gap > now + 1 + queue->fifo_n);
	lockstep_cover_if(NOT_DESCHEDULED, on_time && room && !holds && row->at_issue & s->fence.flags[warp] && !outside);
}

/* The scheduler picks a warp, and the C unit selects. */
static void pick(unsigned not_this)
{
	unsigned warp = lockstep_below(MACHINE_WARPS);
	hd_issue_cycle cycle = {0};
	bool on = warp != not_this && lockstep_chance(picking) && !(s->deciding >> warp & 1) && s->flow[warp].pc < WORDS - BEHIND;
	lockstep_put(pick_valid, 0, 1, on);
	lockstep_put(pick_warp, 0, WARP_BITS, warp);
	if (!on) {
		lockstep_eval();
		lockstep_expect(targets, 0, WINDOW_SPAN, 0);
		lockstep_expect(deschedule, 0, 1, 0);
		return;
	}
	bound(warp);
	memset(&board, 0, sizeof board);
	hd_scoreboard_init(&board, 0);
	board.writing[warp][0] = (uint64_t)lockstep_chance(30) << BLOCKING;
	put_window(warp);
	lockstep_eval();
	uint32_t pc = s->flow[warp].pc, before = s->window.sent[warp], full = s->full, end = rows[pc].alone;
	const hd_static *row = &code[pc];
	uint64_t ready = 0;
	for (unsigned pipe = 0; pipe < PIPES; pipe++) {
		const struct hd_window_time *time = &s->window.time[warp][pipe];
		if (hd_is_sent_alone(row) || pipe == row->pipe)
			ready = hd_max_u64(ready, hd_max_u64(time->ready, time->wait + row->wait));
	}
	lockstep_cover_if(AT_MINRC, s->flow[warp].minrc < end && s->flow[warp].minrc < s->fetch.have[warp]);
	lockstep_cover_if(NOT_ARRIVED, s->fetch.have[warp] < end && s->fetch.have[warp] < s->flow[warp].minrc);
	hd_invariant(hd_window_issue(&core, 0, warp, now, &cycle), "the bench's program has an instruction everywhere");

	unsigned n = s->flow[warp].pc - pc;
	bool flow = s->deciding >> warp & 1, out = s->descheduled >> warp & 1;
	uint64_t now_sent = (((uint64_t)s->window.sent[warp] << n) | ((UINT64_C(1) << n) - 1)) & ~(uint64_t)before;
	now_sent |= flow;
	lockstep_expect(targets, 0, WINDOW_SPAN, now_sent);
	lockstep_expect(advance, 0, SPAN_BITS, n);
	lockstep_expect(alone, 0, 1, hd_is_sent_alone(row) && now_sent);
	uint32_t pipes = 0;
	for (unsigned i = 0; i < WINDOW_SPAN; i++)
		pipes |= now_sent >> i & 1 && !hd_is_sent_alone(row) ? 1u << code[pc + i].pipe : 0;
	lockstep_expect(push_valid, 0, PIPES, pipes);
	/* In the machine no warp is de-scheduled that has a scoreboard. */
	if (!board.writing[warp][0])
		lockstep_expect(deschedule, 0, 1, out);
	if (out && !board.writing[warp][0]) {
		hd_verdict why = s->for_waiters >> warp & 1 ? HD_WAIT_WAITERS : s->for_room >> warp & 1 ? HD_WAIT_ROOM : HD_WAIT_FENCE;
		lockstep_expect(verdict, 0, 2, why);
		lockstep_expect(watch, 0, FENCE_COUNTERS, s->watch[warp]);
		lockstep_cover(why == HD_WAIT_WAITERS ? WAITERS : why == HD_WAIT_ROOM ? NO_ROOM : OUTSTANDING);
	}
	lockstep_cover_if(HELD_OUTSIDE, lockstep_get(place_held, 0, 1) || (now_sent && lockstep_get(place_held, 1, 1)));
	lockstep_cover_if(ALONE_FLOW, flow);
	lockstep_cover_if(ALONE_NOP, now_sent && row->kind == HD_KIND_NOP);
	if (now_sent)
		cover_targets(pc, before, now_sent, n, hd_is_sent_alone(row));
	else
		cover_first(warp, pc, ready, full);
	for (uint32_t i = 1; i < WINDOW_SPAN && pc + i < end && now_sent & 1; i++) {
		uint32_t unsent = 0;
		for (uint32_t j = 0; j < i; j++)
			unsent |= (uint32_t) !((before | now_sent) >> (i - 1 - j) & 1) << j;
		lockstep_cover_if(DEPENDS, rows[pc + i].after & unsent && !(rows[pc + i].behind & unsent));
		lockstep_cover_if(SAME_PIPE, code[pc + i].pipe == row->pipe && !(before >> i & 1));
	}
	s->descheduled = s->for_waiters = s->for_room = s->window_waits = s->delayed = s->blocked = 0;
}

static void compare_state(void)
{
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++) {
		lockstep_expect(sent, warp * WINDOW_SPAN, WINDOW_SPAN, s->window.sent[warp]);
		for (unsigned pipe = 0; pipe < PIPES; pipe++) {
			const struct hd_window_time *time = &s->window.time[warp][pipe];
			unsigned at = warp * PIPES + pipe;
			lockstep_expect(left, at * LEFT_BITS, LEFT_BITS, time->ready > now ? time->ready - now : 0);
			lockstep_expect(passed, at * 4, 4, time->wait > now ? 0 : hd_min_u64(now - time->wait, 15));
			if (time->ready > now)
				lockstep_expect(held, at, 1, time->wait > now);
		}
	}
}

void bench_cycle(void)
{
	if (lockstep_chance(1) || !picking) {
		picking = 30 + lockstep_below(71);
		accepting = 10 + lockstep_below(91);
		lowering = lockstep_chance(20) ? 0 : 1 + lockstep_below(60);
		arriving = lockstep_below(101);
		joining = lockstep_below(60);
	}
	drain();
	pick(change());
	lockstep_clock();
	now++;
	compare_state();
}

#ifdef LOCKSTEP_REPLAY
enum { REPLAY_WORDS = 1 << 16, OF_PIPES = 10 /* values of PICKED before those by pipe */, RECORDED_PIPES = PIPES + 1 };

static struct replay_row {
	uint32_t next, after, behind;
	uint16_t at_issue, at_queue;
	uint8_t alone, flow, pipe, primary, delay, wait;
} replay_rows[REPLAY_WORDS];
static uint32_t replay_pc[WINDOW_SPAN]; /* of each place */

static void replay_row(const replay_event *event)
{
	replay_rows[replay_value(event, 0, REPLAY_WORDS)] = (struct replay_row){
	    .next = replay_value(event, 1, REPLAY_WORDS),
	    .alone = (uint8_t)replay_value(event, 2, 2),
	    .flow = (uint8_t)replay_value(event, 3, 2),
	    .pipe = (uint8_t)replay_value(event, 4, RECORDED_PIPES + 1),
	    .at_issue = (uint16_t)replay_value(event, 5, 1u << FENCE_COUNTERS),
	    .at_queue = (uint16_t)replay_value(event, 6, 1u << FENCE_COUNTERS),
	    .primary = (uint8_t)replay_value(event, 7, FENCE_COUNTERS + 1),
	    .delay = (uint8_t)replay_value(event, 8, 16),
	    .wait = (uint8_t)replay_value(event, 9, 16),
	    .after = (uint32_t)event->values[10],
	    .behind = (uint32_t)event->values[11],
	};
}

/* The places of the window are the same in all cycles; the module gets them anew in each. */
static void replay_places(const replay_event *picked, uint32_t held_places)
{
	uint32_t pc = replay_value(picked, 1, REPLAY_WORDS);
	for (unsigned i = 0; i < WINDOW_SPAN; i++, pc = replay_rows[pc].next) {
		const struct replay_row *row = &replay_rows[pc];
		replay_pc[i] = pc;
		lockstep_put(place_fetched, i, 1, pc < picked->values[3]);
		lockstep_put(place_pc, i * PC_BITS, PC_BITS, pc);
		lockstep_put(place_alone, i, 1, row->alone);
		lockstep_put(place_held, i, 1, held_places >> i & 1);
		lockstep_put(place_pipe, i * PIPE_BITS, PIPE_BITS, row->pipe < PIPES ? row->pipe : 0);
		lockstep_put(place_at_issue, i * FENCE_COUNTERS, FENCE_COUNTERS, row->at_issue);
		lockstep_put(place_at_queue, i * FENCE_COUNTERS, FENCE_COUNTERS, row->at_queue);
		lockstep_put(place_primary, i * COUNTER_BITS, COUNTER_BITS, row->primary);
		lockstep_put(place_delay, i * 4, 4, row->delay);
		lockstep_put(place_wait, i * 4, 4, row->wait);
		lockstep_put(place_after, i * (WINDOW_SPAN - 1), WINDOW_SPAN - 1, row->after);
		lockstep_put(place_behind, i * (WINDOW_SPAN - 1), WINDOW_SPAN - 1, row->behind);
	}
	lockstep_put(first_flow, 0, 1, replay_rows[replay_pc[0]].flow);
}

static void replay_inputs(const replay_event *picked, unsigned warp)
{
	lockstep_put(pick_warp, 0, WARP_BITS, warp);
	lockstep_put(pick_minrc, 0, PC_BITS, hd_min_u64(picked->values[2], (1u << PC_BITS) - 1));
	lockstep_put(outstanding, 0, FENCE_COUNTERS, picked->values[5]);
	lockstep_put(waited, 0, FENCE_COUNTERS, picked->values[6]);
	lockstep_put(flow_ready, 0, 1, !(picked->values[7] >> HD_PIPE_FLOW & 1));
	for (unsigned i = 0; i < FENCE_COUNTERS; i++)
		lockstep_put(counter_room, i * ROOM_BITS, ROOM_BITS, hd_min_u64(picked->values[9] >> 4 * i & 15, MULTI_ISSUE_WINDOW));
	for (unsigned pipe = 0; pipe < PIPES; pipe++) {
		unsigned at = OF_PIPES + pipe, spaced = warp * PIPES + pipe;
		lockstep_put(queue_ready, pipe, 1, !(picked->values[7] >> pipe & 1));
		lockstep_put(queue_hold, pipe, 1, picked->values[8] >> pipe & 1);
		lockstep_put(queue_ahead, pipe * LEFT_BITS, LEFT_BITS, replay_value(picked, at, 1u << LEFT_BITS));
		lockstep_put(queue_distance, pipe * SPACING_BITS, SPACING_BITS, replay_value(picked, at + RECORDED_PIPES, QUEUE_SPACING + 1));
		lockstep_put(queue_passed, pipe * SPACING_BITS, SPACING_BITS, hd_min_u64(picked->values[at + 2 * RECORDED_PIPES], QUEUE_SPACING));
		lockstep_expect(left, spaced * LEFT_BITS, LEFT_BITS, picked->values[at + 3 * RECORDED_PIPES]);
		if (!lockstep_get(enter_warps, warp, 1))
			lockstep_expect(passed, spaced * 4, 4, picked->values[at + 4 * RECORDED_PIPES]);
	}
	lockstep_expect(sent, warp * WINDOW_SPAN, WINDOW_SPAN, picked->values[4]);
}

/* The module's choice for a recorded one. True when something is sent, which changes state. */
static bool replay_pick(const replay_event *picked, const replay_event *selected, uint32_t held_places)
{
	unsigned warp = replay_value(picked, 0, MACHINE_WARPS), n = 0;
	bool out = selected->values[4];
	replay_places(picked, held_places);
	replay_inputs(picked, warp);
	lockstep_put(pick_valid, 0, 1, 1);
	lockstep_eval();
	while (n < WINDOW_SPAN - 1 && replay_pc[n] != selected->values[1])
		n++;
	uint64_t now_sent = ((selected->values[2] << n) | ((UINT64_C(1) << n) - 1)) & ~picked->values[4];
	now_sent |= selected->values[3];
	bool is_alone = replay_rows[replay_pc[0]].alone;
	uint32_t pipes = 0;
	for (unsigned i = 0; i < WINDOW_SPAN; i++)
		pipes |= now_sent >> i & 1 && !is_alone ? 1u << replay_rows[replay_pc[i]].pipe : 0;
	lockstep_expect(targets, 0, WINDOW_SPAN, now_sent);
	lockstep_expect(advance, 0, SPAN_BITS, n);
	lockstep_expect(alone, 0, 1, is_alone && now_sent);
	lockstep_expect(push_valid, 0, PIPES, pipes);
	lockstep_expect(deschedule, 0, 1, out);
	if (out) {
		lockstep_expect(verdict, 0, 2, selected->values[5]);
		lockstep_expect(watch, 0, FENCE_COUNTERS, selected->values[6]);
	}
	return now_sent;
}

static uint32_t replay_held(const replay_event *event, const replay_event *picked)
{
	uint32_t pc = replay_value(picked, 1, REPLAY_WORDS), place = 0;
	for (; place < WINDOW_SPAN && pc != event->values[1]; place++)
		pc = replay_rows[pc].next;
	return place < WINDOW_SPAN ? 1u << place : 0;
}

/* The machine looks at several warps in a cycle, because one of which nothing can be sent takes no issue slot. The module looks at one. What sends
 * nothing changes nothing, so only the pick that sends something is followed by a clock edge. */
void bench_replay(const replay_event *all, unsigned n)
{
	const replay_event *picked = NULL, *sends[2] = {NULL, NULL};
	uint32_t held_places = 0, held_of_send = 0;
	lockstep_zero(begin_warps);
	lockstep_zero(enter_warps);
	for (unsigned i = 0; i < n; i++) {
		if (all[i].kind == HD_RECORD_WINDOW_ROW)
			replay_row(&all[i]);
		else if (all[i].kind == HD_RECORD_WARP)
			lockstep_put(begin_warps, replay_value(&all[i], 0, MACHINE_WARPS), 1, 1);
		else if (all[i].kind == HD_RECORD_WINDOW_ENTERS)
			lockstep_put(enter_warps, replay_value(&all[i], 0, MACHINE_WARPS), 1, 1);
	}
	for (unsigned i = 0; i < n; i++) {
		if (all[i].kind == HD_RECORD_PICKED) {
			picked = &all[i];
			held_places = 0;
		} else if (all[i].kind == HD_RECORD_HELD && picked) {
			held_places |= replay_held(&all[i], picked);
		} else if (all[i].kind == HD_RECORD_SELECTED && picked && replay_pick(picked, &all[i], held_places)) {
			if (sends[0])
				replay_refuse("two warps send in a cycle");
			sends[0] = picked;
			sends[1] = &all[i];
			held_of_send = held_places;
		}
	}
	lockstep_put(pick_valid, 0, 1, sends[0] != NULL);
	if (sends[0])
		replay_pick(sends[0], sends[1], held_of_send);
	lockstep_clock();
}
#endif
