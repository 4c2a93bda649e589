/* Fixed latencies that earlier blocks leave, and waits that move to the end of predecessors (PD-5, PD-6; docs/timing.md). */
#include "../ir_builder.h"
#include "passes/analysis/residual_latency.h"

typedef struct fixture {
	ir_builder b;
	hd_machine m;
	hd_residual_latency l;
} fixture;

static fixture start(unsigned blocks, uint32_t window)
{
	fixture x = {.b = ir_new_allocated(blocks)};
	hd_machine_default(&x.m);
	x.m.multi_issue_window = window;
	return x;
}

static void analyse(fixture *x)
{
	hd_ir_link(x->b.f);
	hd_ir_loops(x->b.f);
	x->l = hd_residual_latency_new(x->b.f, &x->m);
}

static void stop(fixture *x)
{
	hd_residual_latency_free(&x->l);
	ir_free(&x->b);
}

/* Cycles until r`reg` may be read in the pipe at the beginning of the block. */
static unsigned left(const fixture *x, uint32_t block, unsigned reg, hd_pipe pipe)
{
	const hd_residuals *in = &x->l.in[block];
	for (size_t i = 0; i < in->n; i++)
		if (in->at[i].at == reg * HD_FIXED_PIPES + pipe)
			return in->at[i].cycles;
	return 0;
}

TEST(what_the_end_of_a_block_leaves)
{
	fixture x = start(2, 1);
	unsigned f64 = x.m.latency[HD_CLASS_F64].latency;
	ir_put(&x.b, HD_OP_DADD, rr(2), rr(4), rr(6));
	ir_put(&x.b, HD_OP_IADD, r(12), r(13), r(13));
	ir_jump(&x.b, 0, 1);
	analyse(&x);
	assert_int_equal(left(&x, 1, 2, HD_PIPE_F64), f64 - 2);
	assert_int_equal(left(&x, 1, 3, HD_PIPE_F64), f64 - 2);
	assert_int_equal(left(&x, 1, 2, HD_PIPE_ALU), 0); /* a counter orders other pipes */
	assert_int_equal(left(&x, 1, 12, HD_PIPE_ALU), x.m.latency[HD_CLASS_ALU].latency - 1);
	stop(&x);
}

/* By rule 7 instructions of other pipes count for nothing with a window. */
TEST(a_window_has_a_clock_for_each_pipe)
{
	fixture x = start(2, 4);
	ir_put(&x.b, HD_OP_DADD, rr(2), rr(4), rr(6));
	ir_put(&x.b, HD_OP_IADD, r(12), r(13), r(13));
	ir_jump(&x.b, 0, 1);
	analyse(&x);
	assert_int_equal(left(&x, 1, 2, HD_PIPE_F64), x.m.latency[HD_CLASS_F64].latency - 1);
	assert_int_equal(hd_issue_clock(&x.m, HD_PIPE_F64), HD_PIPE_F64);
	x.m.multi_issue_window = 1;
	assert_int_equal(hd_issue_clock(&x.m, HD_PIPE_F64), 0);
	stop(&x);
}

/* A reader in the block has waited; a chain of dependences takes its latencies; a drain leaves nothing. */
TEST(what_the_block_itself_waits_for)
{
	fixture x = start(4, 1);
	unsigned f64 = x.m.latency[HD_CLASS_F64].latency;
	ir_put(&x.b, HD_OP_DADD, rr(2), rr(4), rr(6));
	ir_jump(&x.b, 0, 1);
	x.b.block = 1;
	ir_put(&x.b, HD_OP_DADD, rr(8), rr(2), rr(2)); /* waits for r2 */
	ir_jump(&x.b, 1, 2);
	x.b.block = 2;
	ir_put(&x.b, HD_OP_DADD, rr(10), rr(4), rr(4));
	ir_put(&x.b, HD_OP_DADD, rr(14), rr(10), rr(10)); /* a latency later */
	ir_jump(&x.b, 2, 3);
	analyse(&x);
	assert_int_equal(left(&x, 1, 2, HD_PIPE_F64), f64 - 1);
	assert_int_equal(left(&x, 2, 2, HD_PIPE_F64), 0);
	assert_int_equal(left(&x, 2, 8, HD_PIPE_F64), f64 - 1);
	assert_int_equal(left(&x, 3, 8, HD_PIPE_F64), 0);
	assert_int_equal(left(&x, 3, 14, HD_PIPE_F64), f64 - 1);
	stop(&x);

	x = start(2, 1);
	ir_put(&x.b, HD_OP_DADD, rr(2), rr(4), rr(6));
	ir_put(&x.b, HD_OP_CALL, none, none, none)->callee = 0;
	ir_jump(&x.b, 0, 1);
	analyse(&x);
	assert_int_equal(left(&x, 1, 2, HD_PIPE_F64), 0);
	stop(&x);
}

/* Cycles that a block in between takes are over. Nothing is left behind a call. */
TEST(blocks_in_between)
{
	for (unsigned call = 0; call < 2; call++) {
		fixture x = start(3, 1);
		ir_put(&x.b, HD_OP_DADD, rr(2), rr(4), rr(6));
		ir_jump(&x.b, 0, 1);
		x.b.block = 1;
		for (unsigned i = 0; i < 3; i++)
			ir_put(&x.b, HD_OP_IADD, r(12 + i), r(20), r(20));
		if (call)
			ir_put(&x.b, HD_OP_CALL, none, none, none)->callee = 0;
		ir_jump(&x.b, 1, 2);
		analyse(&x);
		assert_int_equal(left(&x, 2, 2, HD_PIPE_F64), call ? 0 : x.m.latency[HD_CLASS_F64].latency - 4);
		stop(&x);
	}
}

/* Where ways meet the longest latency counts, whichever way comes first; and what a loop leaves, its header hands on. */
TEST(ways_meet_and_loops_turn)
{
	for (unsigned late = 1; late <= 2; late++) {
		fixture x = start(4, 1);
		unsigned f64 = x.m.latency[HD_CLASS_F64].latency;
		ir_branch(&x.b, 0, p(0), 2, 1);
		for (unsigned block = 1; block <= 2; block++) {
			x.b.block = block;
			ir_put(&x.b, HD_OP_DADD, rr(2), rr(4), rr(6));
			if (block != late)
				ir_put(&x.b, HD_OP_IADD, r(12), r(13), r(13));
			ir_jump(&x.b, block, 3);
		}
		analyse(&x);
		assert_int_equal(left(&x, 3, 2, HD_PIPE_F64), f64 - 1);
		stop(&x);
	}
	fixture x = start(4, 1);
	ir_jump(&x.b, 0, 1);
	ir_branch(&x.b, 1, p(0), 3, 2);
	x.b.block = 2;
	ir_put(&x.b, HD_OP_DADD, rr(2), rr(4), rr(6));
	ir_jump(&x.b, 2, 1);
	analyse(&x);
	assert_int_equal(left(&x, 3, 2, HD_PIPE_F64), x.m.latency[HD_CLASS_F64].latency - 1);
	stop(&x);
}

/* A wait behind a loop does not become a delay of each of its iterations. */
TEST(waits_do_not_move_into_loops)
{
	fixture x = start(3, 1);
	ir_jump(&x.b, 0, 1);
	x.b.block = 1;
	ir_put(&x.b, HD_OP_IADD, r(1), r(3), r(3));
	ir_branch(&x.b, 1, p(0), 1, 2);
	x.b.block = 2;
	ir_put(&x.b, HD_OP_IADD, r(2), r(1), r(1));
	analyse(&x);
	hd_clock_cycles slack[3] = {{{14}}, {{14}}, {{14}}};
	assert_true(left(&x, 2, 1, HD_PIPE_ALU) > 0);
	hd_move_waits(&x.l, slack);
	assert_int_equal(x.l.tail_delay[1].cycles[0], 0);
	stop(&x);
}

/* Counters order everything where delays cannot. */
TEST(nothing_without_delays)
{
	fixture x = start(2, 1);
	x.m.predecode_carrier = HD_CARRIER_NONE;
	ir_put(&x.b, HD_OP_DADD, rr(2), rr(4), rr(6));
	ir_jump(&x.b, 0, 1);
	analyse(&x);
	assert_int_equal(left(&x, 1, 2, HD_PIPE_F64), 0);
	hd_clock_cycles slack[2] = {{{15}}, {{15}}};
	assert_false(hd_move_waits(&x.l, slack));
	stop(&x);
}

/* A result of block 0 is read first thing in block 1, which is a loop or not. Block 0 leads only there, or also to block 2. */
static void start_two(fixture *x, bool loop, bool only)
{
	*x = start(3, 1);
	ir_put(&x->b, HD_OP_IADD, r(1), r(3), r(3));
	ir_jump(&x->b, 0, 1);
	if (!only)
		ir_branch(&x->b, 0, p(0), 2, 1);
	x->b.block = 1;
	ir_put(&x->b, HD_OP_IADD, r(2), r(1), r(1));
	ir_jump(&x->b, 1, 2);
	if (loop)
		ir_branch(&x->b, 1, p(0), 1, 2);
	analyse(x);
}

TEST(waits_move_out_of_loops)
{
	fixture x;
	start_two(&x, true, true);
	unsigned wait = x.m.latency[HD_CLASS_ALU].latency - 1;
	hd_clock_cycles slack[3] = {{{14}}, {{14}}, {{14}}};
	assert_int_equal(left(&x, 1, 1, HD_PIPE_ALU), wait);
	assert_true(hd_move_waits(&x.l, slack));
	assert_int_equal(x.l.tail_delay[0].cycles[0], wait);
	assert_int_equal(x.l.tail_delay[1].cycles[0], 0);
	assert_int_equal(left(&x, 1, 1, HD_PIPE_ALU), 0);
	stop(&x);
}

/* To where it is executed less often, or only on this way. */
TEST(waits_move_where_that_costs_nothing)
{
	for (unsigned i = 0; i < 4; i++) {
		fixture x;
		hd_clock_cycles slack[3] = {{{14}}, {{14}}, {{14}}};
		start_two(&x, i & 1, i & 2);
		assert_int_equal(hd_move_waits(&x.l, slack), i > 0);
		stop(&x);
	}
}

TEST(a_wait_that_has_no_room_stays)
{
	fixture x;
	start_two(&x, true, true);
	hd_clock_cycles slack[3] = {{{(uint8_t)(x.m.latency[HD_CLASS_ALU].latency - 2)}}, {{14}}, {{14}}};
	assert_false(hd_move_waits(&x.l, slack));
	assert_int_equal(x.l.tail_delay[0].cycles[0], 0);
	stop(&x);
}

/* PD-6, RC-21: block 1 falls into a loop whose head has a flag, so control also goes to block 3. The delay for the loop and a wait in block 3 pass at
 * the same time: they were added, and random programs were not proven. Behind a flow instruction, and with a window, the wait begins after the delay.
 */
TEST(a_wait_overlaps_the_delay_before_it)
{
	for (unsigned i = 0; i < 4; i++) {
		fixture x = start(4, i == 2 ? 4 : 1);
		uint32_t reader = i == 3 ? 2 : 3;
		hd_clock_cycles slack[4];
		memset(slack, 14, sizeof slack);
		x.m.divergence_mode = HD_DIV_STACK;
		ir_branch(&x.b, 0, p(0), 3, 1);
		x.b.block = 1;
		ir_put(&x.b, HD_OP_DADD, rr(6), rr(4), rr(4));
		ir_put(&x.b, HD_OP_DADD, rr(2), rr(4), rr(4));
		if (i == 1)
			ir_put(&x.b, HD_OP_PUSH, none, none, none)->callee = 3;
		ir_jump(&x.b, 1, 2);
		x.b.block = 2;
		ir_put(&x.b, HD_OP_DADD, rr(8), rr(6), rr(6));
		ir_block(&x.b, 2)->meets = i < 3;
		ir_branch(&x.b, 2, p(0), 2, 3);
		x.b.block = 3;
		ir_put(&x.b, HD_OP_DADD, rr(10), rr(2), rr(2));
		analyse(&x);
		unsigned before = left(&x, reader, 2, HD_PIPE_F64);
		assert_true(hd_move_waits(&x.l, slack));
		assert_int_equal(x.l.tail_delay[1].cycles[hd_issue_clock(&x.m, HD_PIPE_F64)], before - 1);
		assert_int_equal(left(&x, reader, 2, HD_PIPE_F64), i == 0 ? before : 1);
		stop(&x);
	}
}
