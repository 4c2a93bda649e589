/* A warp's turn without a candidate window (PD-5, PD-7, PD-9, HZ-18, HZ-21): what one call sends, and what it costs. */
#include "stage_rig.h"

#include "core/issue/row_issue.h"

enum { NOW = 100 };

/* The program begins at word 1 and is the test's; warp 0 issues. */
static stage_rig *program(rig *r)
{
	stage_rig *t = stage_new(r);
	stage_start(t);
	t->s->fetch.buffered[0] = 8;
	return t;
}

static rig *two_wide(void)
{
	rig *r = rig_new(4);
	r->machine.predecode_issue_width = 2;
	return r;
}

static hd_issue_cycle turn(stage_rig *t, uint64_t now)
{
	hd_issue_cycle cycle = {0};
	assert_true(hd_row_issue(t->core, 0, 0, now, &cycle));
	return cycle;
}

static void expect_turn(hd_issue_cycle cycle, unsigned slots, unsigned sent, unsigned done)
{
	assert_int_equal(cycle.slots, slots);
	assert_int_equal(cycle.sent, sent);
	assert_int_equal(cycle.done, done);
}

/* PD-5: an instruction takes a slot and goes to its queue; the next one is there, and issues after the delay. */
TEST(an_instruction_takes_a_slot_and_the_warp_goes_on)
{
	for (unsigned cycles = 1; cycles <= 5; cycles += 4) {
		rig *r = rig_new(4);
		rig_put(r, movi(5, 1), delay(cycles));
		rig_put(r, sreg(6, HD_SREG_LANEID), delay(1));
		stage_rig *t = program(r);
		expect_turn(turn(t, NOW), 1, 1, 1);
		assert_int_equal(t->s->flow[0].pc, 2);
		assert_int_equal(t->s->next_pipe[0], 1u << HD_PIPE_COORD);
		assert_int_equal(t->s->queue[HD_PIPE_ALU].fifo_n, 1);
		assert_int_equal(t->s->fetch.buffered[0], 7);
		assert_int_equal(t->s->used, 1);
		assert_int_equal(t->context.stats->divergence_issued_all, 1);
		assert_int_equal(t->context.stats->predecode_decoded, 1);
		assert_int_equal(t->s->delayed, cycles > 1);
		if (cycles > 1)
			assert_int_equal(t->s->wake[0], NOW + cycles);
		stage_free(t);
	}
}

/* A nop issues and goes nowhere. Its delay holds, and counts between the instructions around it (rule 2). */
TEST(a_nop_has_no_queue)
{
	rig *r = rig_new(4);
	rig_put(r, movi(5, 1), delay(2));
	rig_put(r, inst_(HD_OP_NOP), delay(4));
	rig_put(r, movi(6, 1), delay(1));
	stage_rig *t = program(r);
	turn(t, NOW);
	expect_turn(turn(t, NOW + 2), 1, 1, 1);
	assert_int_equal(t->s->queue[HD_PIPE_ALU].fifo_n, 1);
	assert_int_equal(t->s->warp[0].in_flight, 1);
	assert_int_equal(t->s->flow[0].pc, 3);
	assert_int_equal(t->s->wake[0], NOW + 6);
	assert_int_equal(t->context.stats->divergence_issued_all, 2);
	turn(t, NOW + 6);
	assert_int_equal(t->s->queue[HD_PIPE_ALU].fifo[1].gap, 6);
	stage_free(t);
}

typedef struct seen {
	hd_trace trace;
	unsigned n;
	uint32_t pc[2], slots[2];
} seen;

static void note(hd_trace *trace, const hd_trace_event *event)
{
	seen *all = (seen *)trace;
	if (event->kind != HD_TRACE_ISSUE || all->n == 2)
		return;
	all->pc[all->n] = event->pc;
	all->slots[all->n++] = event->slots;
}

/* An observer hears of each instruction, and each of a pair has its slot. */
TEST(an_observer_hears_of_the_issue)
{
	rig *r = two_wide();
	seen all = {.trace = {.event = note}};
	r->options.trace = &all.trace;
	rig_put(r, movi(5, 1), (uint8_t)(HD_HINT_PAIR << 4 | 9));
	rig_put(r, sreg(6, HD_SREG_LANEID), delay(3));
	stage_rig *t = program(r);
	turn(t, NOW);
	assert_int_equal(all.n, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(all.pc[i], 1 + i);
		assert_int_equal(all.slots[i], 1);
	}
	stage_free(t);
}

/* Rule 5: the warp stays at a flow instruction, whose decision says where it continues. */
TEST(the_warp_stays_at_a_flow_instruction)
{
	rig *r = rig_new(4);
	rig_put(r, branch(HD_OP_BRA, 1), delay(1));
	stage_rig *t = program(r);
	expect_turn(turn(t, NOW), 1, 1, 1);
	assert_int_equal(t->s->deciding, 1);
	assert_int_equal(t->s->flow[0].pc, 1);
	assert_int_equal(t->s->fetch.buffered[0], 8);
	assert_int_equal(t->s->queue[HD_PIPE_FLOW].fifo_n, 1);
	stage_free(t);
}

/* PD-9: boost and lower wait for the next instruction to be at the head. The later of two counts. */
TEST(boosts_and_lowers_are_noted)
{
	rig *r = rig_new(4);
	rig_put(r, movi(5, 1), (uint8_t)(HD_HINT_BOOST << 4 | 9));
	rig_put(r, movi(5, 1), (uint8_t)(HD_HINT_LOWER << 4 | 4));
	rig_put(r, movi(5, 1), delay(1));
	stage_rig *t = program(r);
	turn(t, NOW);
	assert_int_equal(t->s->adjusting & t->s->boosting, 1);
	assert_int_equal(t->s->span[0], 9);
	turn(t, NOW + 1);
	assert_int_equal(t->s->adjusting, 1);
	assert_int_equal(t->s->boosting, 0);
	assert_int_equal(t->s->span[0], 4);
	t->s->adjusting = 0;
	turn(t, NOW + 2);
	assert_int_equal(t->s->adjusting, 0);
	stage_free(t);
}

/* HZ-18, HZ-21: an instruction that the decoder refuses costs the slot. Nothing is sent, and the warp stays where it is. */
TEST(a_refusal_costs_the_slot)
{
	static const struct {
		hd_stall cause;
		uint16_t watch;
	} rows[] = {{HD_STALL_HIGH_LATENCY, 0x20}, {HD_STALL_WAIT_COUNTER, 1}, {HD_STALL_COUNTER_FULL, 1}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = rig_new(4);
		rig_put(r, primary(waits(movi(5, 1), 6), 1), delay(1));
		stage_rig *t = program(r);
		if (i == 0)
			hd_fence_raise(&t->s->fence, 0, 6, HD_GROUPS);
		else if (i == 1)
			hd_waiters_raise(&t->s->waiters, 0, 1);
		while (i == 2 && !(t->s->fence.full[0] & 1))
			hd_fence_raise(&t->s->fence, 0, 1, HD_GROUPS);
		expect_turn(turn(t, NOW), 1, 0, 1);
		assert_int_equal(t->s->descheduled, 1);
		assert_int_equal(t->s->watch[0], rows[i].watch);
		assert_int_equal(t->s->stall[rows[i].cause], 1);
		assert_int_equal(t->s->flow[0].pc, 1);
		assert_int_equal(t->s->used | t->s->occupied, 0);
		stage_free(t);
	}
}

/* PD-7: both issue in one cycle, no counted cycle lies between them (rule 2), and the second's delay counts. */
TEST(a_pair_takes_two_slots_of_one_cycle)
{
	rig *r = two_wide();
	rig_put(r, movi(5, 1), (uint8_t)(HD_HINT_PAIR << 4 | 9));
	rig_put(r, sreg(6, HD_SREG_LANEID), delay(3));
	rig_put(r, movi(7, 1), delay(1));
	stage_rig *t = program(r);
	expect_turn(turn(t, NOW), 2, 2, 1);
	assert_int_equal(t->s->used, 2);
	assert_int_equal(t->s->flow[0].pc, 3);
	assert_int_equal(t->s->wake[0], NOW + 3);
	assert_int_equal(t->s->fetch.buffered[0], 6);
	assert_int_equal(t->context.stats->predecode_pairs, 1);
	assert_int_equal(t->context.stats->predecode_split, 0);
	turn(t, NOW + 3);
	assert_int_equal(t->s->queue[HD_PIPE_COORD].of[0].counted, 0);
	assert_int_equal(t->s->queue[HD_PIPE_ALU].fifo[1].gap, 3);
	stage_free(t);
}

/* PD-7: the first issues alone when the second cannot issue in this cycle, and its own number is then its delay. */
TEST(a_pair_is_split_when_its_second_cannot_issue)
{
	enum { NOTHING, NO_SLOT, NOT_FETCHED, RESUME, FULL, HIGH, ROOM, WAITERS, COUNT };
	for (unsigned what = NOTHING; what < COUNT; what++) {
		rig *r = two_wide();
		rig_put(r, movi(5, 1), (uint8_t)(HD_HINT_PAIR << 4 | 9));
		rig_put(r, waits(primary(sreg(6, HD_SREG_LANEID), 2), 6), delay(3));
		rig_put(r, movi(7, 1), delay(1));
		stage_rig *t = program(r);
		hd_scheduler *s = t->s;
		hd_issue_cycle cycle = {0};
		switch (what) {
		case NO_SLOT:
			cycle.slots = 1;
			break;
		case NOT_FETCHED:
			s->fetch.have[0] = 2;
			break;
		case RESUME: /* MI-9: lane 31 resumes before the second */
			s->flow[0].active = ~0u >> 1;
			s->flow[0].rc[31] = s->flow[0].minrc = 2;
			break;
		case FULL:
			s->full = 1u << HD_PIPE_COORD;
			break;
		case HIGH:
			hd_fence_raise(&s->fence, 0, 6, HD_GROUPS);
			break;
		case ROOM:
			while (!(s->fence.full[0] & 2))
				hd_fence_raise(&s->fence, 0, 2, HD_GROUPS);
			break;
		case WAITERS:
			hd_waiters_raise(&s->waiters, 0, 2);
			break;
		default:
			break;
		}
		bool pair = what == NOTHING;
		assert_true(hd_row_issue(t->core, 0, 0, NOW, &cycle));
		assert_int_equal(cycle.sent, pair ? 2 : 1);
		assert_int_equal(cycle.slots, pair || what == NO_SLOT ? 2 : 1);
		assert_int_equal(s->flow[0].pc, pair ? 3 : 2);
		assert_int_equal(s->wake[0], NOW + (pair ? 3 : 9));
		assert_int_equal(t->context.stats->predecode_split, !pair);
		assert_int_equal(s->descheduled, 0);
		if (what == RESUME)
			assert_int_equal(s->flow[0].active, ~0u);
		stage_free(t);
	}
}

/* The baseline: an instruction that the scoreboard refuses costs no slot, so that another warp can have it. A nop reads nothing. */
TEST(a_scoreboard_costs_no_slot)
{
	rig *r = rig_new(4);
	r->machine.fence_mode = HD_DEP_SCOREBOARD;
	rig_put(r, movi(5, 1), delay(1));
	rig_put(r, inst_(HD_OP_NOP), delay(1));
	rig_put(r, alui(HD_OP_IADD, 6, 5, 1), delay(1));
	stage_rig *t = program(r);
	expect_turn(turn(t, NOW), 1, 1, 1);
	expect_turn(turn(t, NOW + 1), 1, 1, 1);
	expect_turn(turn(t, NOW + 2), 0, 0, 0);
	assert_int_equal(t->s->blocked, 1);
	assert_int_equal(t->s->flow[0].pc, 3);
	hd_scoreboard_written(t->s->scoreboard, 0, &t->core->footprint[1]);
	expect_turn(turn(t, NOW + 3), 1, 1, 1);
	stage_free(t);
}

/* PD-21: a constant operand that is absent costs the slot, and the warp comes back when it is there. */
TEST(an_absent_constant_costs_the_slot)
{
	rig *r = rig_new(4);
	r->machine.memory_constant_bytes = 1024;
	rig_put(r, movc(5, 16), delay(1));
	stage_rig *t = program(r);
	expect_turn(turn(t, NOW), 1, 0, 1);
	uint64_t there = t->s->wake[0];
	assert_true(there > NOW);
	assert_int_equal(t->s->delayed & t->s->for_constant, 1);
	assert_int_equal(t->s->stall[HD_STALL_CONSTANT], 1);
	assert_int_equal(t->s->flow[0].pc, 1);
	expect_turn(turn(t, there), 1, 1, 1);
	assert_int_equal(t->s->for_constant, 0);
	stage_free(t);
}

/* The second of a pair issues later when its constant is absent. It is not the next instruction yet, so the warp does not wait for the constant. */
TEST(an_absent_constant_splits_a_pair)
{
	rig *r = two_wide();
	r->machine.memory_constant_bytes = 1024;
	rig_put(r, sreg(6, HD_SREG_LANEID), (uint8_t)(HD_HINT_PAIR << 4 | 1));
	rig_put(r, movc(5, 16), delay(1));
	stage_rig *t = program(r);
	expect_turn(turn(t, NOW), 1, 1, 1);
	assert_int_equal(t->s->for_constant | t->s->delayed, 0);
	assert_int_equal(t->context.stats->predecode_split, 1);
	stage_free(t);
}

/* Control has run out of the code: a trap that names the address, and no slot is taken. */
TEST(a_word_that_is_no_instruction_stops_the_run)
{
	rig *r = rig_new(4);
	rig_put(r, movi(5, 1), delay(1));
	stage_rig *t = program(r);
	hd_issue_cycle cycle = {0};
	t->s->flow[0].pc = HD_LINE_WORDS;
	assert_false(hd_row_issue(t->core, 0, 0, NOW, &cycle));
	assert_true(t->core->stopped);
	assert_int_equal(t->context.trap->kind, HD_TRAP_PC);
	assert_int_equal(t->context.trap->address, HD_LINE_WORDS);
	assert_int_equal(t->context.trap->cycle, NOW);
	expect_turn(cycle, 0, 0, 1);
	stage_free(t);
}
