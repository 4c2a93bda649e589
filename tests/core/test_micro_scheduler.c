/* Which warps issue in a cycle, and the causes of the slots that are lost (PD-8, PD-9, PD-13, PD-14, PD-16). Four warps stand at the same
 * instruction. A string like "20" gives the warps that issued in a cycle, in their order; 'r' is a replay. */
#include "stage_rig.h"

static stage_rig *four_warps(unsigned width)
{
	rig *r = rig_new(4);
	r->machine.predecode_issue_width = width;
	r->machine.queue[HD_PIPE_ALU].fifo = 32;
	r->launch.block[0] = 128;
	for (unsigned i = 0; i < 6; i++)
		rig_put(r, movi(5, 1), delay(1));
	stage_rig *t = stage_new(r);
	stage_start(t);
	memcpy(t->s->macro.order, (const uint8_t[]){2, 0, 3, 1}, 4); /* order of priority */
	memcpy(t->s->macro.next, t->s->macro.order, 4);
	return t;
}

/* A refused load of warp 3 that may issue again from cycle `ready` on. */
static void refused(stage_rig *t, uint64_t ready)
{
	t->s->replay = (hd_replays){.size = 4, .reserved = 1, .n = 1, .next = ready};
	t->s->replay.at[0] = (hd_refused){.ready = ready, .times = 1, .sent = {.warp = 3}};
}

/* Slots that are used or lost so far. */
static uint64_t slots_of(const hd_scheduler *s)
{
	uint64_t slots = s->used;
	for (unsigned cause = 0; cause < HD_STALL_COUNT; cause++)
		slots += s->stall[cause];
	return slots;
}

/* Issues a cycle. Each of its slots is used, or lost for one cause. */
static void expect_cycle(stage_rig *t, uint64_t now, const char *expected)
{
	const hd_queue *queue = &t->s->queue[HD_PIPE_ALU];
	unsigned before = queue->fifo_n, n = 0;
	uint64_t replays = t->context.stats->predecode_replays, slots = slots_of(t->s);
	char got[HD_WARP_SLOTS + 2];
	hd_micro_tick(t->core, t->s, 0, now);
	for (unsigned i = before; i < queue->fifo_n; i++)
		got[n++] = (char)('0' + queue->fifo[i].warp);
	if (t->context.stats->predecode_replays > replays)
		got[n++] = 'r';
	got[n] = 0;
	assert_int_equal(slots_of(t->s), slots + t->core->width);
	assert_string_equal(got, expected);
}

/* PD-13, PD-14: as many warps as there are slots, in the macro scheduler's order, each of them once. */
TEST(warps_issue_in_order_of_priority)
{
	static const struct {
		unsigned width;
		const char *first, *second;
	} rows[] = {{1, "2", "2"}, {2, "20", "20"}, {4, "2031", "2031"}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		stage_rig *t = four_warps(rows[i].width);
		expect_cycle(t, 10, rows[i].first);
		expect_cycle(t, 11, rows[i].second);
		assert_int_equal(t->s->used, 2 * rows[i].width);
		assert_int_equal(t->s->sent[rows[i].width], 2);
		for (unsigned cause = 0; cause < HD_STALL_COUNT; cause++)
			assert_int_equal(t->s->stall[cause], 0);
		stage_free(t);
	}
}

/* The slots that no warp takes have a cause of this cycle. The scheduler checks its warps again in the next one. */
TEST(slots_that_are_left_have_a_cause)
{
	stage_rig *t = four_warps(4);
	t->s->live = 9;
	t->s->delayed = 8;
	t->s->wake[3] = t->s->wake_first = 11;
	expect_cycle(t, 10, "0");
	assert_int_equal(t->s->stall[HD_STALL_DELAY], 3);
	assert_int_equal(t->s->sent[1], 1);
	assert_int_equal(t->s->idle_until, 11);
	expect_cycle(t, 11, "03");
	stage_free(t);
}

/* PD-8: a warp with a hold goes before the others. Of several the first in order goes. A hold counts only when another warp came first in order. */
TEST(holds_go_first)
{
	static const struct {
		uint32_t hold;
		const char *expected;
		unsigned held;
	} rows[] = {{0, "20", 0}, {1 << 3, "32", 1}, {1 << 1 | 1 << 3, "31", 2}, {1 << 2, "20", 0}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		stage_rig *t = four_warps(2);
		t->s->hold = rows[i].hold;
		expect_cycle(t, 10, rows[i].expected);
		assert_int_equal(t->context.stats->predecode_held, rows[i].held);
		assert_int_equal(t->context.stats->predecode_yields, 0);
		stage_free(t);
	}
}

/* PD-9: a lowered warp issues when no other can. */
TEST(lowered_warps_yield)
{
	static const struct {
		uint32_t lowered, hold;
		const char *expected;
		unsigned yields;
	} rows[] = {{1 << 2, 0, "031", 3}, {1 << 2 | 1, 0, "312", 2}, {0xf, 0, "203", 0}, {1 << 1, 0, "203", 0}, {1 << 2, 1 << 2, "203", 0}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		stage_rig *t = four_warps(3);
		t->s->lowered = rows[i].lowered;
		t->s->hold = rows[i].hold;
		expect_cycle(t, 10, rows[i].expected);
		assert_int_equal(t->context.stats->predecode_yields, rows[i].yields);
		stage_free(t);
	}
}

/* PD-16, PD-8: a replay goes before the warps, and takes a slot that counts as lost. Only a hold of the kind `hold.replay` goes before it. */
TEST(a_replay_goes_before_the_warps)
{
	for (unsigned what = 0; what < 4; what++) {
		stage_rig *t = four_warps(1);
		refused(t, what == 3 ? 11 : 10);
		t->s->hold = what == 1 || what == 2 ? 1 << 1 : 0;
		t->s->hold_before_replay = what == 2 ? 1 << 1 : 0;
		expect_cycle(t, 10, what == 2 ? "1" : what == 3 ? "2" : "r");
		assert_int_equal(t->s->stall[HD_STALL_REPLAY], what < 2);
		assert_int_equal(t->s->used, what >= 2);
		stage_free(t);
	}
	/* With a second slot the first warp in order follows in the same cycle. */
	stage_rig *t = four_warps(2);
	refused(t, 10);
	expect_cycle(t, 10, "2r");
	assert_true(t->s->replay.latched);
	stage_free(t);
}

/* A scheduler that could not issue checks its warps again when something touched it, when a delay ends, or when a replay is ready. Until then it
 * repeats the cause. */
TEST(nothing_is_checked_before_it_can_change)
{
	for (unsigned what = 0; what < 3; what++) {
		stage_rig *t = four_warps(2);
		hd_scheduler *s = t->s;
		s->live = 0x6;
		s->at_barrier = 2;
		s->delayed = 4;
		s->wake[2] = s->wake_first = what == 0 ? 13 : 20;
		if (what == 1)
			refused(t, 13);
		expect_cycle(t, 10, "");
		assert_int_equal(s->idle_cause, HD_STALL_DELAY);
		assert_int_equal(s->idle_until, what == 2 ? 20 : 13);
		s->at_barrier = 0; /* without `touched` the scheduler does not notice */
		expect_cycle(t, 11, "");
		expect_cycle(t, 12, "");
		assert_int_equal(s->stall[HD_STALL_DELAY], 6);
		assert_int_equal(s->sent[0], 3);
		s->touched = what == 2;
		expect_cycle(t, 13, what == 0 ? "21" : what == 1 ? "1r" : "1");
		assert_false(s->touched && what == 2);
		stage_free(t);
	}
}

/* A run that stops in the middle of a cycle: the slots that are left have the cause `other`, so that the account adds up. */
TEST(a_stop_closes_the_account)
{
	stage_rig *t = four_warps(4);
	t->s->flow[0].pc = HD_LINE_WORDS; /* a scheduling word */
	expect_cycle(t, 10, "2");
	assert_true(t->core->stopped);
	assert_int_equal(t->context.trap->kind, HD_TRAP_PC);
	assert_int_equal(t->s->stall[HD_STALL_OTHER], 3);
	stage_free(t);
}

static char looks[64];

static void note_look(const hd_core *core, const hd_scheduler *s, unsigned warp, uint64_t now) { looks[strlen(looks)] = (char)('0' + warp); }

/* MI-2: of the windows that wait for one place the first gets it. An observer sees the looks at the others, which have no effect. */
TEST(an_observer_sees_each_look)
{
	static const hd_observer observer = {.picked = note_look};
	rig *r = rig_new(4);
	r->machine.multi_issue_window = 4;
	r->machine.predecode_issue_width = 2;
	r->machine.queue[HD_PIPE_ALU].fifo = 1;
	r->launch.block[0] = 128;
	for (unsigned i = 0; i < 6; i++)
		rig_put(r, movi(5, 1), delay(1));
	stage_rig *t = stage_new(r);
	stage_start(t);
	memcpy(t->s->macro.order, (const uint8_t[]){2, 0, 3, 1}, 4);
	memcpy(t->s->macro.next, t->s->macro.order, 4);
	hd_observe(t->core, &observer);
	memset(looks, 0, sizeof looks);
	stage_ticks(t, 1, 3);
	assert_string_equal(looks, "203120312031");
	stage_free(t);
}
