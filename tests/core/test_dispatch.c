/* The changes that a decoded instruction makes in the cycle in which it goes to its queue (HZ-6, HZ-17, HZ-22, PD-15, PD-17), and how long the next
 * one waits for it (PD-5). */
#include "stage_rig.h"

#include "core/issue/dispatch.h"

enum { NOW = 100, WARP = 1 };

static stage_rig *program(rig *r)
{
	r->launch.block[0] = 64;
	stage_rig *t = stage_new(r);
	stage_start(t);
	return t;
}

/* HZ-6: a primary raises its counter by all its lane groups, whatever lanes are active; another instruction raises none. */
TEST(a_primary_raises_its_counter)
{
	rig *r = rig_new(4);
	uint32_t plain = rig_put(r, movi(5, 1), delay(1)), raises = rig_put(r, primary(movi(5, 1), 3), delay(1));
	stage_rig *t = program(r);
	t->s->flow[WARP].active = 1;
	hd_dispatch(t->core, 0, WARP, plain, NOW);
	assert_int_equal(t->s->fence.flags[WARP], 0);
	hd_dispatch(t->core, 0, WARP, raises, NOW + 1);
	hd_dispatch(t->core, 0, WARP, raises, NOW + 2);
	assert_int_equal(t->s->fence.value[WARP][2], 2 * HD_GROUPS);
	assert_int_equal(t->s->fence.flags[WARP], 4);
	assert_int_equal(t->s->fence.flags[0], 0);
	assert_int_equal(t->context.stats->fence_raised, 2);
	stage_free(t);
}

/* HZ-17, HZ-22: a secondary raises the wait counters of its low-latency counters, unless wait counters are switched off. */
TEST(a_secondary_raises_wait_counters)
{
	for (unsigned counters = 0; counters < 2; counters++) {
		rig *r = rig_new(4);
		r->machine.fence_wait_counters = counters;
		uint32_t low = rig_put(r, waits(waits(movi(5, 1), 2), 6), delay(1)), high = rig_put(r, waits(movi(5, 1), 6), delay(1));
		uint32_t none = rig_put(r, movi(5, 1), delay(1)), both = rig_put(r, primary(waits(movi(5, 1), 1), 3), delay(1));
		stage_rig *t = program(r);
		hd_dispatch(t->core, 0, WARP, none, NOW);
		assert_int_equal(t->context.stats->fence_waits, 0);
		hd_dispatch(t->core, 0, WARP, high, NOW + 1);
		assert_int_equal(t->context.stats->fence_waits, 1);
		assert_int_equal(t->s->waiters.flags[WARP], 0);
		hd_dispatch(t->core, 0, WARP, low, NOW + 2);
		assert_int_equal(t->context.stats->fence_waits, 2);
		assert_int_equal(t->s->waiters.flags[WARP], counters ? 2 : 0);
		assert_int_equal(t->s->queue[HD_PIPE_ALU].fifo[2].wait, 2); /* the decoder has checked counter 6 */
		hd_dispatch(t->core, 0, WARP, both, NOW + 3);               /* a primary that waits is a secondary, too */
		assert_int_equal(t->s->waiters.flags[WARP], counters ? 3 : 0);
		stage_free(t);
	}
}

/* Without wait counters a primary can raise a counter again that the head of some queue has already found clear. All heads check again. */
TEST(without_wait_counters_the_heads_check_again)
{
	for (unsigned what = 0; what < 3; what++) {
		rig *r = rig_new(4);
		r->machine.fence_wait_counters = what == 1;
		uint32_t at = rig_put(r, what == 2 ? movi(5, 1) : primary(movi(5, 1), 1), delay(1));
		stage_rig *t = program(r);
		t->s->occupied = 1u << HD_PIPE_SFU;
		t->s->queue[HD_PIPE_SFU].next = t->s->queue[HD_PIPE_LSU].next = NOW + 50;
		hd_dispatch(t->core, 0, WARP, at, NOW);
		assert_int_equal(t->s->queue[HD_PIPE_SFU].next, what == 0 ? NOW + 1 : NOW + 50);
		assert_int_equal(t->s->queue[HD_PIPE_LSU].next, NOW + 50);
		stage_free(t);
	}
}

/* PD-15: the queue gets the instruction as it was issued: cycle, lanes, warp, number. */
TEST(the_queue_gets_the_instruction_as_issued)
{
	rig *r = rig_new(4);
	rig_put(r, movi(5, 1), delay(1));
	uint32_t at = rig_put(r, sreg(5, HD_SREG_LANEID), delay(1));
	stage_rig *t = program(r);
	t->s->flow[WARP].active = 0xff;
	t->core->serial = 77;
	hd_dispatch(t->core, 0, WARP, at, NOW);
	const hd_sent *sent = &t->s->queue[HD_PIPE_COORD].fifo[0];
	assert_int_equal(t->s->queue[HD_PIPE_COORD].fifo_n, 1);
	assert_int_equal(t->s->queue[HD_PIPE_COORD].next, NOW + 1);
	assert_int_equal(t->s->occupied, 1u << HD_PIPE_COORD);
	assert_int_equal(sent->cycle, NOW);
	assert_int_equal(sent->pc, at);
	assert_int_equal(sent->mask, 0xff);
	assert_int_equal(sent->number, 77);
	assert_int_equal(sent->warp, WARP);
	stage_free(t);
}

/* Rule 2: the queue learns how many cycles the program counted between two instructions of the pipe, not how many passed. */
TEST(the_queue_gets_the_counted_distance)
{
	rig *r = rig_new(4);
	uint32_t first = rig_put(r, movi(5, 1), delay(3)), second = rig_put(r, movi(6, 1), delay(1));
	stage_rig *t = program(r);
	hd_dispatch(t->core, 0, WARP, first, NOW);
	hd_dispatch(t->core, 0, WARP, second, NOW + 40);
	assert_int_equal(t->s->queue[HD_PIPE_ALU].fifo[1].gap, 3);
	stage_free(t);
}

/* HZ-15, PD-17: a queue is full when its last place is taken; instructions in flight are counted, those of memory by themselves, too. */
TEST(full_queues_and_instructions_in_flight_are_noted)
{
	rig *r = rig_new(4);
	r->machine.queue[HD_PIPE_LSU].fifo = 2;
	uint32_t at = rig_put(r, load(HD_OP_LDG, 5, 2, 0), delay(1)), other = rig_put(r, movi(5, 1), delay(1));
	stage_rig *t = program(r);
	hd_dispatch(t->core, 0, WARP, at, NOW);
	assert_int_equal(t->s->full, 0);
	hd_dispatch(t->core, 0, WARP, other, NOW);
	hd_dispatch(t->core, 0, WARP, at, NOW + 1);
	assert_int_equal(t->s->full, 1u << HD_PIPE_LSU);
	assert_int_equal(t->s->warp[WARP].in_flight, 3);
	assert_int_equal(t->s->warp[WARP].memory, 2);
	assert_int_equal(t->s->warp[0].in_flight, 0);
	stage_free(t);
}

/* The baseline's scoreboard knows from now on what is read and written. */
TEST(the_scoreboard_learns_of_the_instruction)
{
	rig *r = rig_new(4);
	r->machine.fence_mode = HD_DEP_SCOREBOARD;
	uint32_t writes = rig_put(r, movi(5, 1), delay(1)), reads = rig_put(r, alui(HD_OP_IADD, 6, 5, 1), delay(1));
	stage_rig *t = program(r);
	assert_true(hd_scoreboard_ready(t->s->scoreboard, WARP, &t->core->footprint[reads]));
	hd_dispatch(t->core, 0, WARP, writes, NOW);
	assert_false(hd_scoreboard_ready(t->s->scoreboard, WARP, &t->core->footprint[reads]));
	assert_true(hd_scoreboard_ready(t->s->scoreboard, 0, &t->core->footprint[reads]));
	stage_free(t);
}

/* PD-5: a delay of more than a cycle counts from when the FIFO can hand on what was sent. Flow instructions and nops wait in no such FIFO. */
TEST(a_delay_counts_behind_the_fifo)
{
	static const struct {
		unsigned delay, kind, in_fifo;
		uint64_t expected;
	} rows[] = {{1, HD_KIND_PURE, 5, 1},   {2, HD_KIND_PURE, 1, 2}, {2, HD_KIND_PURE, 0, 2}, {2, HD_KIND_PURE, 2, 3},
	            {4, HD_KIND_MEMORY, 5, 8}, {4, HD_KIND_FLOW, 5, 4}, {4, HD_KIND_NOP, 5, 4}};
	hd_scheduler *s = hd_xaligned(sizeof *s);
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_static row = {.delay = (uint8_t)rows[i].delay, .kind = (uint8_t)rows[i].kind, .pipe = HD_PIPE_CVT};
		s->queue[HD_PIPE_CVT].fifo_n = (uint8_t)rows[i].in_fifo;
		assert_int_equal(hd_delay_behind(s, &row), rows[i].expected);
	}
	free(s);
}
