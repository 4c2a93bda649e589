/* Which warps can be picked, and why none can (PD-5, PD-6, PD-8, PD-9, PD-13): the sets of a scheduler in, the answer out. */
#include "stage_rig.h"

#include "core/issue/readiness.h"

enum { ROWS = 16 };

/* A scheduler with its four lowest warps live and nothing else set; its rows of code are the test's own. */
typedef struct bed {
	hd_core core;
	hd_stats stats;
	hd_static rows[ROWS];
	hd_scheduler *s;
} bed;

static bed *bed_new(void)
{
	bed *t = hd_xaligned(sizeof *t);
	t->s = hd_xaligned(sizeof *t->s);
	t->core.scheduler = t->s;
	t->core.code = t->rows;
	t->core.stats = &t->stats;
	t->s->live = 0xf;
	t->s->wake_first = t->s->neutral = HD_NEVER;
	hd_macro_init(&t->s->macro, 6, false);
	return t;
}

static void bed_free(bed *t)
{
	free(t->s);
	free(t);
}

/* PD-5: a warp comes back in the cycle of its end and in none before; each warp has an end of its own. */
TEST(a_delay_ends_in_its_cycle)
{
	bed *t = bed_new();
	hd_delay_warp(t->s, 2, 25);
	hd_delay_warp(t->s, 0, 20);
	hd_delay_warp(t->s, 1, 30);
	assert_int_equal(t->s->wake_first, 20);
	assert_int_equal(hd_ready_warps(&t->core, t->s, 0), 8);
	static const struct {
		uint64_t now, first;
		uint32_t ready;
	} steps[] = {{19, 20, 8}, {20, 25, 9}, {24, 25, 9}, {25, 30, 0xd}, {29, 30, 0xd}, {30, HD_NEVER, 0xf}};
	for (unsigned i = 0; i < HD_COUNT(steps); i++) {
		hd_update_readiness(&t->core, t->s, steps[i].now);
		assert_int_equal(hd_ready_warps(&t->core, t->s, 0), steps[i].ready);
		assert_true(t->s->wake_first == steps[i].first);
	}
	bed_free(t);
}

/* With a candidate window `wake` is the time of the window, and `delayed` only names the cause of a lost slot: it does not outlive the wait. */
TEST(the_wait_of_a_window_ends_in_its_cycle)
{
	bed *t = bed_new();
	t->core.window = 4;
	t->s->window_waits = 6;
	t->s->delayed = 7;
	t->s->wake[1] = 10;
	t->s->wake[2] = t->s->wake_first = 8;
	hd_update_readiness(&t->core, t->s, 7);
	assert_int_equal(t->s->delayed, 6); /* warp 0 waits for nothing */
	assert_int_equal(t->s->window_waits, 6);
	hd_update_readiness(&t->core, t->s, 8);
	assert_int_equal(t->s->window_waits, 2);
	assert_int_equal(t->s->delayed, 2);
	assert_int_equal(hd_ready_warps(&t->core, t->s, 0), 0xd);
	hd_update_readiness(&t->core, t->s, 10);
	assert_int_equal(hd_ready_warps(&t->core, t->s, 0), 0xf);
	bed_free(t);
}

/* PD-6: a wait counts from the cycle in which the instruction became the next. Of the wait and a delay that still lasts the longer one counts. */
TEST(a_wait_counts_from_when_the_instruction_is_next)
{
	static const struct {
		uint64_t delayed_until, expected; /* 0: not delayed */
		unsigned wait;
	} rows[] = {{0, 0, 0}, {0, 105, 5}, {104, 105, 5}, {105, 105, 5}, {106, 106, 5}, {103, 103, 0}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		bed *t = bed_new();
		t->s->flow[1].pc = 3;
		t->rows[3] = (hd_static){.wait = (uint8_t)rows[i].wait, .pipe = HD_PIPE_SFU};
		if (rows[i].delayed_until)
			hd_delay_warp(t->s, 1, rows[i].delayed_until);
		hd_next_instruction(&t->core, t->s, 1, 100);
		assert_int_equal(t->s->delayed, rows[i].expected ? 2 : 0);
		if (rows[i].expected)
			assert_int_equal(t->s->wake[1], rows[i].expected);
		assert_int_equal(t->s->next_pipe[1], 1u << HD_PIPE_SFU);
		bed_free(t);
	}
}

/* A candidate window has times of its own for each pipe: they begin when the warp continues. */
TEST(a_window_takes_the_time_at_which_the_warp_continues)
{
	bed *t = bed_new();
	t->core.window = 4;
	t->rows[0] = (hd_static){.wait = 5};
	hd_next_instruction(&t->core, t->s, 1, 100);
	assert_int_equal(t->s->delayed, 0);
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		assert_int_equal(t->s->window.time[1][pipe].wait, 100);
	bed_free(t);
}

/* PD-8: the hint of the next instruction, and no longer than it is the next. A plain hold waits while an earlier memory instruction is in flight. */
TEST(holds_are_those_of_the_next_instruction)
{
	static const struct {
		unsigned effects, memory;
		bool hold, before_replay, for_memory;
	} rows[] = {
	    {HD_EFFECT_HOLD, 1, true, false, false},
	    {HD_EFFECT_HOLD | HD_EFFECT_WAIT_MEMORY, 1, true, false, true},
	    {HD_EFFECT_HOLD | HD_EFFECT_WAIT_MEMORY, 0, true, false, false},
	    {HD_EFFECT_HOLD | HD_EFFECT_PASS_REPLAY, 1, true, true, false},
	    {HD_EFFECT_HOLD | HD_EFFECT_PASS_REPLAY | HD_EFFECT_WAIT_MEMORY, 2, true, true, true},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		bed *t = bed_new();
		t->rows[0].effects = (uint8_t)rows[i].effects;
		t->s->warp[2].memory = rows[i].memory;
		hd_next_instruction(&t->core, t->s, 2, 1);
		assert_int_equal(t->s->hold, rows[i].hold ? 4 : 0);
		assert_int_equal(t->s->hold_before_replay, rows[i].before_replay ? 4 : 0);
		assert_int_equal(t->s->for_memory, rows[i].for_memory ? 4 : 0);
		assert_int_equal(hd_ready_warps(&t->core, t->s, 0), rows[i].for_memory ? 0xb : 0xf);
		t->s->flow[2].pc = 1; /* without a hint */
		hd_next_instruction(&t->core, t->s, 2, 2);
		assert_int_equal(t->s->hold | t->s->hold_before_replay | t->s->for_memory, 0);
		bed_free(t);
	}
}

/* PD-9: a boost or a lower begins in the cycle in which the next instruction is at the head, whatever keeps it from there. */
TEST(an_adjustment_begins_at_the_head)
{
	for (unsigned what = 0; what < 6; what++) {
		bed *t = bed_new();
		uint32_t *sets[] = {&t->s->deciding, &t->s->at_barrier, &t->s->descheduled, &t->s->delayed, &t->s->fetch.starved};
		t->s->adjusting = 2;
		t->s->span[1] = 6;
		if (what < 5)
			*sets[what] = 2;
		hd_update_readiness(&t->core, t->s, 50);
		assert_int_equal(t->s->adjusting, what < 5 ? 2 : 0);
		assert_int_equal(t->s->lowered, what < 5 ? 0 : 2);
		assert_int_equal(t->stats.predecode_lowers, what == 5);
		if (what < 5)
			*sets[what] = 0;
		hd_update_readiness(&t->core, t->s, 60);
		assert_int_equal(t->s->adjusting, 0);
		assert_int_equal(t->s->lowered, what < 5 ? 2 : 0); /* begun in 50, it ends in 56 */
		assert_int_equal(t->s->macro.until[1], what < 5 ? 66 : 56);
		assert_int_equal(t->s->macro.adjust[1], -1);
		bed_free(t);
	}
}

/* A lower lasts its cycles. A boost behind it takes its place, and the macro scheduler learns of each. */
TEST(lowers_end_and_boosts_replace_them)
{
	bed *t = bed_new();
	t->s->adjusting = 3;
	t->s->span[0] = 4;
	t->s->span[1] = 9;
	hd_update_readiness(&t->core, t->s, 10);
	assert_int_equal(t->s->lowered, 3);
	assert_int_equal(t->s->neutral, 14);
	hd_update_readiness(&t->core, t->s, 13);
	assert_int_equal(t->s->lowered, 3);
	hd_update_readiness(&t->core, t->s, 14);
	assert_int_equal(t->s->lowered, 2);
	assert_int_equal(t->s->neutral, 19);
	t->s->adjusting = t->s->boosting = 2;
	hd_update_readiness(&t->core, t->s, 15);
	assert_int_equal(t->s->lowered, 0);
	assert_int_equal(t->s->macro.adjust[1], 1);
	assert_int_equal(t->s->macro.until[1], 24);
	assert_int_equal(t->stats.predecode_boosts, 1);
	assert_int_equal(t->stats.predecode_lowers, 2);
	bed_free(t);
}

/* PD-13: each reason to wait excludes a warp, and so does the full queue of its next instruction, or its turn in this cycle. */
TEST(every_reason_to_wait_excludes_a_warp)
{
	bed *t = bed_new();
	hd_scheduler *s = t->s;
	uint32_t *sets[] = {&s->deciding, &s->at_barrier, &s->descheduled, &s->delayed, &s->for_memory, &s->fetch.starved, &s->blocked};
	for (unsigned i = 0; i < HD_COUNT(sets); i++) {
		*sets[i] = 1u << i % 4;
		assert_int_equal(hd_ready_warps(&t->core, s, 0), 0xf & ~(1u << i % 4));
		*sets[i] = 0;
	}
	assert_int_equal(hd_ready_warps(&t->core, s, 6), 9);
	for (unsigned warp = 0; warp < 4; warp++)
		s->next_pipe[warp] = (uint16_t)(1u << (warp % 2 ? HD_PIPE_SFU : HD_PIPE_ALU));
	s->full = 1u << HD_PIPE_SFU;
	assert_int_equal(hd_ready_warps(&t->core, s, 0), 5);
	s->full |= 1u << HD_PIPE_ALU;
	assert_int_equal(hd_ready_warps(&t->core, s, 0), 0);
	/* A window chooses the instruction itself: neither the queue of the instruction at the PC nor the scoreboard excludes the warp. */
	t->core.window = 4;
	s->blocked = 1;
	s->window_waits = 4;
	assert_int_equal(hd_ready_warps(&t->core, s, 0), 0xb);
	bed_free(t);
}

/* One warp in each state: the cause of a lost slot is that of the warp closest to issue. When that warp goes, the next one has its turn. */
TEST(the_cause_is_that_of_the_warp_closest_to_issue)
{
	bed *t = bed_new();
	hd_scheduler *s = t->s;
	s->live = 0xffff;
	for (unsigned warp = 0; warp < HD_WARP_SLOTS; warp++)
		s->next_pipe[warp] = 1u << HD_PIPE_ALU;
	s->next_pipe[0] = 1u << HD_PIPE_SFU;
	s->full = 1u << HD_PIPE_SFU;
	s->queue[HD_PIPE_SFU].hazard_size = 8;
	s->queue[HD_PIPE_SFU].hazard_n = 1;
	s->blocked = 1u << 1;
	s->delayed = 1u << 2 | 1u << 3;
	s->for_constant = 1u << 2;
	s->for_memory = 1u << 4;
	s->deciding = 1u << 5;
	s->fetch.starved = 1u << 6 | 1u << 7; /* the decoder empties the buffer of a descheduled warp */
	s->descheduled = 7u << 7;
	s->for_waiters = 1u << 7;
	s->for_room = 1u << 8;
	s->at_barrier = 1u << 10;
	static const hd_stall expected[] = {
	    HD_STALL_QUEUE_FULL, HD_STALL_SCOREBOARD,   HD_STALL_CONSTANT,     HD_STALL_DELAY,        HD_STALL_HOLD,    HD_STALL_FLOW,
	    HD_STALL_FETCH,      HD_STALL_WAIT_COUNTER, HD_STALL_COUNTER_FULL, HD_STALL_HIGH_LATENCY, HD_STALL_BARRIER,
	};
	s->live = 0x7ff;
	assert_int_equal(hd_idle_cause(s), HD_STALL_QUEUE_FULL);
	s->queue[HD_PIPE_SFU].hazard_n = 0; /* nothing waits there for a counter: the pipe is the bottleneck */
	assert_int_equal(hd_idle_cause(s), HD_STALL_UNIT_BUSY);
	s->queue[HD_PIPE_SFU].hazard_size = 0; /* without a hazard queue instructions wait in the FIFO (HZ-32) */
	assert_int_equal(hd_idle_cause(s), HD_STALL_QUEUE_FULL);
	s->queue[HD_PIPE_SFU].hazard_size = 8;
	s->queue[HD_PIPE_SFU].hazard_n = 1;
	for (unsigned warp = 0; warp < HD_COUNT(expected); warp++, s->live &= s->live - 1)
		assert_int_equal(hd_idle_cause(s), expected[warp]);
	assert_int_equal(s->live, 0);
	assert_int_equal(hd_idle_cause(s), HD_STALL_NO_WARP);
	bed_free(t);
}

/* A full queue is a cause only for a warp that could issue into it now. */
TEST(a_full_queue_is_no_cause_for_a_warp_that_waits_anyway)
{
	static const hd_stall expected[] = {HD_STALL_DELAY, HD_STALL_SCOREBOARD, HD_STALL_HOLD};
	for (unsigned i = 0; i < HD_COUNT(expected); i++) {
		bed *t = bed_new();
		uint32_t *sets[] = {&t->s->delayed, &t->s->blocked, &t->s->for_memory};
		t->s->live = 1;
		t->s->next_pipe[0] = t->s->full = 1u << HD_PIPE_SFU;
		*sets[i] = 1;
		assert_int_equal(hd_idle_cause(t->s), expected[i]);
		bed_free(t);
	}
}
