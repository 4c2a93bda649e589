/* Issue past an undecided branch (PD-27): when instructions issue, what a wrong prediction leaves behind, and that values do not show it. */
#include "stage_rig.h"
#include "timeline.h"

#include "core/flow/decide.h"
#include "core/issue/speculation.h"
#include "core/issue/speculative_issue.h"

#define OFF HD_SPECULATE_OFF
#define STATIC HD_SPECULATE_STATIC
#define COUNTERS HD_SPECULATE_COUNTERS

/* `taken`: threads below this number take the branch. */
static hd_inst below(unsigned p, unsigned taken) { return setpi(HD_CMP_LT, p, 0, (int32_t)taken); }

static void expect_counts(const rig *r, unsigned predicted, unsigned mispredicted, unsigned speculated, unsigned squashed)
{
	assert_int_equal(r->stats.predecode_predicted, predicted);
	assert_int_equal(r->stats.predecode_mispredicted, mispredicted);
	assert_int_equal(r->stats.predecode_speculated, speculated);
	assert_int_equal(r->stats.predecode_squashed, squashed);
}

/* -- when instructions issue ------------------------------------------------------------------------------------------------------- */

/* a decides on b, a forward branch over c and d to e. Decided in cycle 18, so f waits for the exit of nothing. */
TEST(instructions_behind_a_branch_issue_before_its_decision)
{
	static const struct {
		unsigned mode, taken, wrong, sent, squashed;
		const char *expected;
	} rows[] = {
	    {OFF, 0, 0, 0, 0, "0:0a 15:0b 18:0c 19:0d 20:0e"},
	    {STATIC, 0, 0, 2, 0, "0:0a 15:0b 16:0c 17:0d 18:0e"}, /* e is where lanes that take the branch resume, so it waits */
	    {OFF, 32, 0, 0, 0, "0:0a 15:0b 20:0e"},
	    {STATIC, 32, 1, 2, 2, "0:0a 15:0b 16:0c 17:0d 20:0e"},
	    {STATIC, 7, 0, 2, 0, "0:0a 15:0b 16:0c 17:0d 18:0e"}, /* the lanes that go on are fewer */
	};
	for (unsigned i = 0; i < 2 * HD_COUNT(rows); i++) {
		rig *r = begin(1, 1);
		r->options.window_of_one = i % 2;
		r->machine.predecode_speculate = (hd_speculate)rows[i / 2].mode;
		rig_put(r, below(0, rows[i / 2].taken), delay(15));
		rig_put(r, guarded(branch(HD_OP_BRA, 13), 0, 0), delay(1));
		for (unsigned k = 0; k < 3; k++)
			rig_put(r, k == 1 ? coord(6) : plain(5 + k), delay(1)); /* in queues that are empty */
		rig_exit(r);
		expect(r, 5, rows[i / 2].expected);
		expect_counts(r, rows[i / 2].mode != OFF, rows[i / 2].wrong, rows[i / 2].sent, rows[i / 2].squashed);
		rig_free(r);
	}
}

/* The warp waits at a flow instruction, at setprio and `hints`, and where the decoder would send it back, with its place in the buffer. It passes a
 * nop. */
TEST(the_warp_waits_at_what_cannot_be_undone)
{
	for (unsigned what = 0; what < 5; what++) {
		static const char *const expected[] = {"0:0a 15:0b 16:0c 18:0d 19:0e", "0:0a 15:0b 16:0c 18:0d 19:0e", "0:0a 15:0b 16:0c 17:0d 18:0e",
		                                       "0:0a 15:0b 16:0c 18:0d 19:0e", "0:0a 15:0b 16:0c 68:0d 69:0e"};
		rig *r = begin(1, 1);
		r->machine.predecode_speculate = STATIC;
		hd_inst d = inst_(what == 0 ? HD_OP_SETPRIO : what == 1 ? HD_OP_HINTS : what == 3 ? HD_OP_BRA : HD_OP_NOP);
		if (what == 3)
			d.imm = 13;
		if (what == 4) {
			r->machine.latency[HD_CLASS_SFU].latency = 50;
			r->machine.fence_classify = HD_CLASSIFY_LATENCY;
		}
		rig_put(r, below(0, 0), delay(15));
		rig_put(r, guarded(branch(HD_OP_BRA, 15), 0, 0), delay(1));
		rig_put(r, what == 4 ? primary(sfu(5), 1) : plain(5), delay(1));
		rig_put(r, what == 4 ? waits(d, 1) : d, delay(1));
		rig_put(r, plain(6), delay(1));
		rig_put(r, inst_(HD_OP_NOP), delay(1));
		rig_exit(r);
		expect(r, 5, expected[what]);
		assert_int_equal(r->stats.predecode_mispredicted, 0);
		assert_int_equal(r->stats.fence_descheduled, what == 4 ? 1 : 0);
		rig_free(r);
	}
}

/* -- values ------------------------------------------------------------------------------------------------------------------------ */

/* Runs with each machine on which the program is right, with and without skipped cycles. `n`: the threads' words, r5 and then r6. */
static void expect_values(rig *r, unsigned (*first)(unsigned thread), unsigned (*second)(unsigned thread))
{
	for (unsigned i = 0; i < 10; i++)
		rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, store(HD_OP_STG, 2, 0, 5), delay(1));
	rig_put(r, store(HD_OP_STG, 2, 128, 6), delay(1));
	rig_exit(r);
	for (unsigned every = 0; every < 2; every++) {
		hd_stats before = r->stats;
		memset(hd_memory_at(r->memory, r->out, 256), 0, 256);
		r->options.tick_every_cycle = every;
		assert_true(rig_run(r));
		for (unsigned thread = 0; thread < 32; thread++) {
			assert_int_equal(rig_out(r, thread), first(thread));
			assert_int_equal(rig_out(r, 32 + thread), second(thread));
		}
		assert_int_equal(rig_stalls(&r->stats) + r->stats.run_slots_used, r->stats.run_issue_slots);
		if (every)
			assert_memory_equal(&before, &r->stats, sizeof before);
	}
}

static rig *values(unsigned mode, unsigned window)
{
	rig *r = rig_new(64);
	r->machine.machine_schedulers = 1;
	r->machine.predecode_speculate = (hd_speculate)mode;
	r->machine.predecode_buffer = 64;
	r->machine.predecode_prefetch = 8;
	r->machine.multi_issue_window = window;
	r->machine.latency[HD_CLASS_FLOW].latency = 12;
	rig_address(r);
	rig_put(r, movi(5, 1), delay(15));
	rig_put(r, movi(6, 1), delay(15));
	return r;
}

static unsigned lane(unsigned thread) { return thread; }
static unsigned one(unsigned thread) { return 1; }
static unsigned three(unsigned thread) { return 3; }
static unsigned four(unsigned thread) { return 4; }
static unsigned six(unsigned thread) { return 6; }
static unsigned eight_below_20(unsigned thread) { return thread < 20 ? 1 : 8; }
static unsigned four_below_20(unsigned thread) { return thread < 20 ? 4 : 11; }

/* Registers, predicates, memory and counters of a wrong path are not seen, whatever waits before what. */
TEST(a_wrong_path_leaves_nothing)
{
	for (unsigned window = 1; window <= 4; window++) {
		for (unsigned scoreboard = 0; scoreboard < 2; scoreboard++) {
			rig *r = values(STATIC, window);
			r->machine.fence_mode = scoreboard ? HD_DEP_SCOREBOARD : HD_DEP_FENCE;
			rig_put(r, below(0, 32), delay(15));
			uint32_t at = rig_put(r, guarded(inst_(HD_OP_BRA), 0, 0), delay(1));
			rig_put(r, primary(sfu(5), 1), delay(1));                  /* raises a counter */
			rig_put(r, waits(alui(HD_OP_IADD, 6, 5, 3), 1), delay(1)); /* a secondary of it */
			rig_put(r, coord(7), delay(1));
			rig_put(r, primary(by_read(store(HD_OP_STG, 2, 0, 5)), 2), delay(1)); /* memory */
			uint32_t target = rig_put(r, waits(waits(alui(HD_OP_IADD, 6, 6, 2), 1), 2), delay(1));
			r->slots[at].inst.imm = (int32_t)target;
			expect_values(r, one, three);
			assert_int_equal(r->stats.predecode_predicted, 1);
			assert_int_equal(r->stats.predecode_mispredicted, 1);
			assert_true(r->stats.predecode_squashed >= (scoreboard ? 1 : 4));
			assert_int_equal(r->stats.predecode_squashed, r->stats.predecode_speculated);
			rig_free(r);
		}
	}
}

/* Lanes that take the branch do not execute what was sent for all of them, and resume at the target. */
TEST(lanes_that_leave_take_no_part)
{
	for (unsigned mode = OFF; mode <= COUNTERS; mode++) {
		rig *r = values(mode, 1 + mode % 2 * 3);
		rig_put(r, below(0, 20), delay(15));
		uint32_t at = rig_put(r, guarded(inst_(HD_OP_BRA), 0, 0), delay(1));
		rig_put(r, movi(5, 8), delay(4));
		rig_put(r, movi(6, 8), delay(4));
		uint32_t target = rig_put(r, alui(HD_OP_IADD, 6, 6, 3), delay(4));
		r->slots[at].inst.imm = (int32_t)target;
		expect_values(r, eight_below_20, four_below_20);
		expect_counts(r, mode != OFF, 0, mode != OFF, 0);
		rig_free(r);
	}
}

/* The warp does not pass the place where lanes of an earlier branch wait, although the undecided branch goes beyond it. */
TEST(the_warp_waits_where_lanes_resume)
{
	for (unsigned mode = OFF; mode <= STATIC; mode++) {
		rig *r = values(mode, 1 + mode * 3);
		rig_put(r, below(0, 20), delay(15));
		rig_put(r, below(1, 0), delay(15));
		uint32_t first = rig_put(r, guarded(inst_(HD_OP_BRA), 0, 0), delay(1));
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		uint32_t second = rig_put(r, guarded(inst_(HD_OP_BRA), 1, 0), delay(1));
		rig_put(r, movi(5, 8), delay(4));
		uint32_t joint = rig_put(r, coord(6), delay(4)); /* to an empty queue */
		rig_put(r, inst_(HD_OP_NOP), delay(4));
		uint32_t end = rig_put(r, inst_(HD_OP_NOP), delay(4));
		r->slots[first].inst.imm = (int32_t)joint;
		r->slots[second].inst.imm = (int32_t)end;
		expect_values(r, eight_below_20, lane);
		if (mode)
			expect_counts(r, 2, 0, 1, 0);
		rig_free(r);
	}
}

/* Rule 2: the first instruction of the right path keeps its distance from the last one before the branch, which waits in its queue, and not from
 * those that were removed. */
TEST(distances_are_those_behind_the_branch)
{
	for (unsigned window = 1; window <= 4; window += 3) {
		rig *r = values(STATIC, window);
		r->machine.latency[HD_CLASS_SFU].latency = 60;
		r->machine.latency[HD_CLASS_ALU].latency = 9;
		r->machine.latency[HD_CLASS_FLOW].latency = 8;
		rig_put(r, below(0, 32), delay(15));
		rig_put(r, primary(sfu(7), 1), delay(1)); /* 2^0 = 1.0 */
		rig_put(r, waits(alui(HD_OP_IADD, 5, 7, -0x3f7ffffc), 1), delay(1));
		uint32_t at = rig_put(r, guarded(inst_(HD_OP_BRA), 0, 0), delay(1));
		for (unsigned i = 0; i < 3; i++)
			rig_put(r, plain(8 + i), delay(4));
		uint32_t target = rig_put(r, alui(HD_OP_IADD, 6, 5, 2), delay(1));
		r->slots[at].inst.imm = (int32_t)target;
		expect_values(r, four, six);
		assert_int_equal(r->stats.predecode_mispredicted, 1);
		rig_free(r);
	}
}

/* A load behind a branch that waits for a load: both wait in queues. */
TEST(a_branch_may_wait_for_long)
{
	for (unsigned taken = 0; taken < 2; taken++) {
		rig *r = values(STATIC, 1);
		r->machine.fence_high_latency = 0;
		rig_put(r, primary(load(HD_OP_LDG, 7, 2, 0), 1), delay(1)); /* 0 */
		rig_put(r, primary(waits(setpi(taken ? HD_CMP_EQ : HD_CMP_NE, 0, 7, 0), 1), 2), delay(1));
		uint32_t at = rig_put(r, waits(guarded(inst_(HD_OP_BRA), 0, 0), 2), delay(1));
		rig_put(r, primary(load(HD_OP_LDG, 6, 2, 0), 3), delay(1));
		rig_put(r, waits(alui(HD_OP_IADD, 6, 6, 3), 3), delay(4));
		rig_put(r, primary(load(HD_OP_LDG, 9, 2, 0), 2), delay(1)); /* waits in the decoder */
		uint32_t target = rig_put(r, waits(waits(alui(HD_OP_IADD, 6, 6, taken ? 2 : 0), 2), 3), delay(1));
		r->slots[at].inst.imm = (int32_t)target;
		expect_values(r, one, three);
		expect_counts(r, 1, taken, 1, taken);
		assert_int_equal(r->stats.fence_descheduled, 0);
		rig_free(r);
	}
}

/* -- predictions ------------------------------------------------------------------------------------------------------------------- */

/* A loop of twelve rounds with a forward branch that is always taken. */
TEST(counters_learn_what_a_branch_does)
{
	for (unsigned mode = STATIC; mode <= COUNTERS; mode++) {
		rig *r = values(mode, 1);
		rig_put(r, movi(7, 0), delay(15));
		rig_put(r, below(0, 32), delay(15));
		uint32_t top = rig_put(r, alui(HD_OP_IADD, 7, 7, 1), delay(15));
		uint32_t over = rig_put(r, guarded(inst_(HD_OP_BRA), 0, 0), delay(1));
		rig_put(r, movi(5, 9), delay(4));
		uint32_t after = rig_put(r, setpi(HD_CMP_LT, 1, 7, 12), delay(15));
		r->slots[over].inst.imm = (int32_t)after;
		rig_put(r, guarded(branch(HD_OP_BRA, top), 1, 0), delay(1));
		rig_put(r, movi(6, 3), delay(4));
		expect_values(r, one, three);
		assert_int_equal(r->stats.predecode_predicted, 24);
		/* The branch back is wrong once, behind the last round. Two wrong ones teach a counter. */
		assert_int_equal(r->stats.predecode_mispredicted, mode == STATIC ? 13 : 3);
		rig_free(r);
	}
}

/* A branch without a guard goes to its target, and the instruction there issues as soon as its line is there. */
TEST(a_jump_is_never_wrong)
{
	rig *r = values(STATIC, 1);
	uint32_t at = rig_put(r, inst_(HD_OP_BRA), delay(1));
	rig_put(r, movi(5, 9), delay(4));
	uint32_t target = rig_put(r, movi(6, 3), delay(4));
	r->slots[at].inst.imm = (int32_t)target;
	expect_values(r, one, three);
	assert_int_equal(r->stats.predecode_predicted, 1);
	assert_int_equal(r->stats.predecode_mispredicted, 0);
	assert_true(r->stats.predecode_speculated > 0);
	rig_free(r);
}

/* Threads that exit leave; nobody exits, some do, or the warp ends, and what was sent goes with it. */
TEST(a_guarded_exit_is_passed)
{
	static const unsigned exits[] = {0, 20, 32};
	for (unsigned i = 0; i < HD_COUNT(exits); i++) {
		rig *r = values(STATIC, 1 + i);
		rig_put(r, below(0, exits[i]), delay(15));
		rig_put(r, guarded(inst_(HD_OP_EXIT), 0, 0), delay(1));
		rig_put(r, store(HD_OP_STG, 2, 0, 5), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		for (unsigned thread = 0; thread < 32; thread++)
			assert_int_equal(rig_out(r, thread), thread >= exits[i]);
		expect_counts(r, 1, exits[i] == 32, 1, exits[i] == 32);
		rig_free(r);
	}
}

/* -- the state of a scheduler ------------------------------------------------------------------------------------------------------ */

enum { NOW = 100, EXITS = 99 };

/* A stage rig whose warp 0 is at a flow instruction at word 1: a branch to `target`, guarded unless `always`, or an exit. Up to word 6 follow an
 * instruction of each kind. */
static stage_rig *at_branch(hd_speculate mode, unsigned window, uint32_t target, bool always)
{
	rig *r = rig_new(4);
	r->machine.predecode_speculate = mode;
	r->machine.multi_issue_window = window;
	r->machine.queue[HD_PIPE_COORD].fifo = 1;
	r->machine.memory_constant_bytes = 2048;
	r->launch.block[0] = 64;
	hd_inst at = target == EXITS ? inst_(HD_OP_EXIT) : branch(HD_OP_BRA, target);
	rig_put(r, always ? at : guarded(at, 0, 0), delay(15));
	rig_put(r, primary(sreg(5, HD_SREG_LANEID), 1), delay(3));
	rig_put(r, waits(movi(6, 1), 1), delay(2));
	rig_put(r, primary(load(HD_OP_LDG, 7, 2, 0), 2), delay(1));
	rig_put(r, movi(8, 1), delay(1));
	rig_put(r, movi(9, 1), delay(1));
	stage_rig *t = stage_new(r);
	stage_start(t);
	t->s->fetch.buffered[0] = 8;
	return t;
}

static void issue(stage_rig *t, uint64_t now)
{
	hd_issue_cycle cycle = {0};
	t->s->delayed = t->s->window_waits = 0;
	assert_true(hd_speculative_issue(t->core, 0, 0, now, &cycle));
	assert_true(cycle.done & 1);
}

static void decide(stage_rig *t, uint32_t mask, uint64_t now)
{
	hd_flight *flight = stage_flight(t, 0, 1, mask);
	hd_decide(t->core, 0, flight, now);
	hd_pool_return(&t->core->pool, flight);
}

/* Where the warp goes on, and how far. */
TEST(the_warp_goes_to_the_predicted_address)
{
	static const struct {
		uint32_t target, minrc, start, bound; /* start 0: it waits */
		bool always;
	} rows[] = {
	    {5, HD_INF, 2, 5, false}, {5, HD_INF, 5, HD_INF, true}, {5, 4, 2, 4, false},
	    {5, 2, 0, 0, false},      {5, 5, 0, 0, true},           {5, 6, 5, 6, true},
	    {1, HD_INF, 1, 2, false}, {1, 2, 1, 2, true},           {EXITS, HD_INF, 2, HD_INF, false},
	    {EXITS, 3, 2, 3, false},  {EXITS, HD_INF, 0, 0, true},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		stage_rig *t = at_branch(STATIC, 1, rows[i].target, rows[i].always);
		t->s->flow[0].minrc = rows[i].minrc;
		issue(t, NOW);
		bool guesses = rows[i].start;
		assert_int_equal(t->s->guessing, guesses);
		assert_int_equal(t->s->deciding, !guesses);
		assert_int_equal(t->s->fence.flags[0], guesses ? HD_UNDECIDED : 0);
		assert_int_equal(t->s->flow[0].pc, guesses ? rows[i].start : 1);
		assert_int_equal(t->s->flow[0].minrc, guesses ? rows[i].bound : rows[i].minrc);
		assert_int_equal(t->s->fetch.buffered[0], rows[i].start == 2 ? 7 : guesses ? 0 : 8);
		assert_int_equal(t->context.stats->predecode_flushes, rows[i].start != 2 && guesses);
		stage_free(t);
	}
}

/* A wrong prediction: everything is as it was behind the branch, and other warps that waited for a queue look again. */
TEST(a_squash_brings_the_scheduler_back)
{
	for (unsigned window = 1; window <= 4; window += 3) {
		stage_rig *t = at_branch(STATIC, window, 6, false);
		hd_scheduler *s = t->s;
		issue(t, NOW);
		struct hd_count counts[HD_PIPE_COUNT];
		struct hd_window_time time[HD_PIPE_COUNT];
		memcpy(counts, s->counted.of[0], sizeof counts);
		memcpy(time, s->speculation->of[0].time, sizeof time);
		s->speculation->of[0].ready = window > 1 ? NOW : NOW + 40;
		for (unsigned i = 0; i < 3; i++)
			issue(t, NOW + 20 * i + 20);
		unsigned sent = (unsigned)t->context.stats->predecode_speculated;
		assert_true(sent == 3 || window > 1);
		assert_int_equal(s->full, 1u << HD_PIPE_COORD);
		assert_int_equal(s->waiters.flags[0], 1);
		assert_int_equal(s->fence.flags[0], HD_UNDECIDED | 3);
		assert_int_equal(s->warp[0].in_flight, 1 + sent);
		assert_int_equal(s->warp[0].memory, 1);
		s->delayed = s->blocked = s->for_second = s->for_constant = 1;
		s->window_waits = 3;
		s->held_by[HD_PIPE_COORD] = 2;
		s->window.sent[0] = window > 1 ? 4 : 0;
		decide(t, ~0u, NOW + 30);
		assert_int_equal(t->context.stats->predecode_squashed, sent);
		assert_int_equal(t->context.stats->predecode_mispredicted, 1);
		assert_int_equal(s->full, 0);
		assert_int_equal(s->occupied, 1u << HD_PIPE_FLOW);
		assert_int_equal(s->waiters.flags[0], 0);
		assert_int_equal(s->fence.flags[0], 0);
		assert_int_equal(s->warp[0].in_flight, 1);
		assert_int_equal(s->warp[0].memory, 0);
		assert_int_equal(s->guessing | s->deciding | s->for_constant | s->blocked | s->for_second | s->window_waits, 0);
		assert_int_equal(s->delayed, window == 1); /* by the branch itself */
		assert_true(window > 1 || s->wake[0] == NOW + 40);
		assert_int_equal(s->window.sent[0], 0);
		assert_int_equal(s->flow[0].pc, 6);
		assert_int_equal(s->flow[0].minrc, HD_INF);
		assert_memory_equal(s->counted.of[0], counts, sizeof counts);
		for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
			assert_int_equal(s->queue[pipe].of[0].counted, s->speculation->of[0].counted[pipe]);
			assert_int_equal(s->window.time[0][pipe].ready, time[pipe].ready);
		}
		stage_free(t);
	}
}

/* A wrong prediction fetches anew, even where the warp goes on behind the branch: what it holds is of the predicted path. */
TEST(a_wrong_prediction_fetches_anew)
{
	stage_rig *t = at_branch(STATIC, 1, 1, false);
	issue(t, NOW);
	assert_int_equal(t->s->flow[0].pc, 1);
	assert_int_equal(t->context.stats->predecode_flushes, 1);
	t->s->fetch.buffered[0] = 8;
	decide(t, 0, NOW + 30);
	assert_int_equal(t->context.stats->predecode_mispredicted, 1);
	assert_int_equal(t->s->flow[0].pc, 2);
	assert_int_equal(t->context.stats->predecode_flushes, 2);
	assert_int_equal(t->s->fetch.buffered[0], 0);
	stage_free(t);
}

/* The conditions of a right prediction. */
TEST(a_decision_is_compared_with_the_prediction)
{
	static const struct {
		uint32_t pc, minrc, active;
		bool goes_on, right;
	} rows[] = {
	    {2, 5, 0xff, true, true},  {2, 9, 0xff, true, true},   {2, 5, 0x0f, true, true},   {5, 9, 0xff, true, false},
	    {2, 4, 0xff, true, false}, {2, 5, 0x1ff, true, false}, {2, 5, 0xff, false, false},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		stage_rig *t = at_branch(STATIC, 1, 5, false);
		t->s->flow[0].active = 0xff;
		issue(t, NOW);
		issue(t, NOW + 20);
		hd_flight *flight = stage_flight(t, 0, 1, 0);
		hd_speculation_return(t->s, 0, 1);
		assert_int_equal(t->s->flow[0].pc, 1);
		assert_int_equal(t->s->flow[0].minrc, HD_INF);
		t->s->flow[0].pc = rows[i].pc;
		t->s->flow[0].minrc = rows[i].minrc;
		t->s->flow[0].active = rows[i].active;
		t->s->window_waits = 1;
		assert_int_equal(hd_speculation_end(t->core, 0, flight, rows[i].goes_on, NOW + 30), rows[i].right);
		assert_int_equal(t->s->window_waits, 0);
		assert_int_equal(t->s->fence.flags[0] & HD_UNDECIDED, 0);
		assert_int_equal(t->s->queue[HD_PIPE_COORD].fifo_n, rows[i].right);
		assert_int_equal(t->s->queue[HD_PIPE_COORD].fifo[0].mask, rows[i].right ? rows[i].active : 0xff);
		hd_pool_return(&t->core->pool, flight);
		stage_free(t);
	}
}

/* Two bits a branch, up to 3 and down to 0. They count opposites alone, and only where they are asked for. */
TEST(a_counter_has_two_bits)
{
	for (unsigned mode = STATIC; mode <= COUNTERS; mode++) {
		static const uint8_t up[] = {1, 2, 3, 3}, down[] = {2, 1, 0, 0};
		for (unsigned back = 0; back < 2; back++) {
			stage_rig *t = at_branch((hd_speculate)mode, 1, back ? 1 : 5, false);
			hd_speculation *all = t->s->speculation;
			hd_flight *flight = stage_flight(t, 0, 1, 0);
			for (unsigned i = 0; i < 8; i++) {
				bool opposite = i < 4;
				t->s->flow[0].pc = back ? (opposite ? 2 : 1) : (opposite ? 5 : 2);
				t->s->window_waits = 1;
				hd_speculation_end(t->core, 0, flight, true, NOW);
				assert_int_equal(t->s->window_waits, 0);
				assert_int_equal(all->counter[1], mode == STATIC ? 0 : opposite ? up[i] : down[i - 4]);
			}
			for (uint8_t counter = 0; counter < 4; counter++) {
				stage_rig *u = at_branch((hd_speculate)mode, 1, back ? 1 : 5, false);
				u->s->speculation->counter[1] = counter;
				issue(u, NOW);
				assert_int_equal(u->s->flow[0].pc, back == (counter < 2) ? (back ? 1 : 5) : 2);
				stage_free(u);
			}
			hd_pool_return(&t->core->pool, flight);
			stage_free(t);
		}
	}
}

/* A queue in which another instruction waits is left alone. */
TEST(a_queue_in_use_is_not_filled)
{
	for (unsigned used = 0; used < 2; used++) {
		stage_rig *t = at_branch(STATIC, 1, 6, false);
		if (used)
			hd_queue_push(&t->s->queue[HD_PIPE_COORD], &(hd_sent){.cycle = 90, .pc = 2, .warp = 1}, 0);
		t->s->queue[HD_PIPE_COORD].fifo_size = 1;
		issue(t, NOW);
		issue(t, NOW + 20);
		assert_int_equal(t->context.stats->predecode_speculated, !used);
		assert_int_equal(t->s->deciding, used);
		t->s->queue[HD_PIPE_COORD].fifo_n = 0;
		stage_free(t);
	}
}

/* A warp that waits for a place in a queue that schedulers share is looked at whenever the queue changes: the look may end its guess. */
TEST(a_guess_is_looked_at_before_a_full_queue)
{
	rig *r = rig_new(1);
	hd_issue_cycle cycle = {0};
	r->machine.multi_issue_window = 4;
	r->machine.predecode_speculate = STATIC;
	rig_put(r, plain(5), delay(1));
	stage_rig *t = stage_new(r);
	stage_start(t);
	t->s->guessing = 1;
	t->s->full = 1u << HD_PIPE_ALU;
	assert_true(t->core->issue(t->core, 0, 0, 10, &cycle));
	assert_int_equal(t->s->window_waits, 1);
	hd_windows_retry_pipe(t->core, t->s, HD_PIPE_ALU);
	assert_int_equal(t->s->window_waits, 0);
	stage_free(t);
}

/* -- configuration ----------------------------------------------------------------------------------------------------------------- */

TEST(what_cannot_live_with_it_is_refused)
{
	static const char *const rows[][3] = {
	    {"fence.wait_counters=false", NULL, "fence.wait_counters"},
	    {"multi_issue.queues=shared", NULL, "multi_issue.queues"},
	    {"divergence.minrc=ignore", NULL, "divergence.minrc"},
	    {"machine.shared_pipes=f64", NULL, "machine.shared_pipes"},
	    {"predecode.geometry=wide", "fence.counters=16", "fence.counters"},
	};
	for (unsigned i = 0; i < 2 * HD_COUNT(rows); i++) {
		hd_machine machine;
		hd_diag diag = {0};
		hd_machine_default(&machine);
		for (unsigned k = 0; k < 2 && rows[i / 2][k]; k++)
			assert_true(hd_machine_set(&machine, rows[i / 2][k], &diag));
		assert_true(hd_machine_set(&machine, i % 2 ? "predecode.speculate=static" : "predecode.speculate=off", &diag));
		assert_int_equal(hd_machine_validate(&machine, NULL, &diag), i % 2 == 0);
		if (i % 2) {
			assert_non_null(strstr(diag.text.at, "predecode.speculate"));
			assert_non_null(strstr(diag.text.at, rows[i / 2][2]));
		}
		hd_diag_free(&diag);
	}
}

/* -- observers --------------------------------------------------------------------------------------------------------------------- */

typedef struct seen {
	hd_trace trace;
	unsigned issued, dropped;
} seen;

static void note(hd_trace *trace, const hd_trace_event *e)
{
	seen *all = (seen *)trace;
	all->issued += e->kind == HD_TRACE_ISSUE;
	all->dropped += e->kind == HD_TRACE_DROP;
}

TEST(an_observer_hears_of_what_is_squashed)
{
	rig *r = values(STATIC, 1);
	seen all = {.trace = {.event = note}};
	r->options.trace = &all.trace;
	rig_put(r, below(0, 32), delay(15));
	uint32_t at = rig_put(r, guarded(inst_(HD_OP_BRA), 0, 0), delay(1));
	rig_put(r, plain(5), delay(1));
	rig_put(r, coord(6), delay(1));
	rig_put(r, sfu(7), delay(1));
	uint32_t target = rig_put(r, inst_(HD_OP_NOP), delay(1));
	r->slots[at].inst.imm = (int32_t)target;
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(all.dropped, 3);
	assert_int_equal(all.issued, r->stats.run_issued);
	assert_int_equal(r->stats.predecode_squashed, 3);
	rig_free(r);
}
