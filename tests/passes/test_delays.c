/* Delays, waits and pairs: PD-5 to PD-7, PD-22. */
#include "annotate_rig.h"
#include "passes/annotate/delays.h"

static void place(fixture *x)
{
	link_blocks(x);
	hd_place_delays(x->b.f, &x->machine);
}

/* Hint and number of the first of two instructions, `d = op a, b` each. */
typedef struct two {
	unsigned op[2];
	hd_opd d[2], a[2], b[2];
} two;

static void expect_first(const two *t, const char *const *settings, hd_hint hint, unsigned number)
{
	fixture x = start(1);
	x.machine.multi_issue_window = 1;
	hd_diag diag = {0};
	for (; settings && *settings; settings++)
		assert_true(hd_machine_set(&x.machine, *settings, &diag));
	hd_ir_inst *first = put(&x, 0, t->op[0], t->d[0], t->a[0], t->b[0]);
	put(&x, 0, t->op[1], t->d[1], t->a[1], t->b[1]);
	place(&x);
	assert_int_equal(first->hint, hint);
	assert_int_equal(first->delay, number);
	stop(&x);
}

TEST(raw_inside_a_pipeline_is_a_delay)
{
	/* PD-5, PD-22: latency 4, so the reader issues 4 cycles later; one instruction stands in between */
	fixture x = start(1);
	hd_ir_inst *p = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *between = put(&x, 0, HD_OP_IADD, r(5), r(2), r(3));
	hd_ir_inst *c = put(&x, 0, HD_OP_IADD, r(4), r(1), r(1));
	place(&x);
	assert_int_equal(p->primary, 0);
	assert_int_equal(c->wait, 0);
	assert_int_equal(p->hint, HD_HINT_DELAY);
	assert_int_equal(p->delay + between->delay, x.machine.latency[HD_CLASS_ALU].latency);
	stop(&x);
}

TEST(waw_inside_a_pipeline_keeps_the_order_of_writes)
{
	/* mul takes 5, alu 4: the second must issue more than 1 later */
	fixture x = start(1);
	hd_ir_inst *p = put(&x, 0, HD_OP_IMUL, r(1), r(2), r(3));
	put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	place(&x);
	assert_int_equal(p->delay, 2);
	stop(&x);
}

/* The distance to what an earlier block made. PD-5: where that leads nowhere else, its last delay keeps it. */
TEST(delays_reach_across_blocks)
{
	fixture x = start(2);
	hd_ir_inst *p = put(&x, 0, HD_OP_DADD, rr(2), rr(4), rr(6));
	jump(&x, 0, 1);
	hd_ir_inst *c = put(&x, 1, HD_OP_DADD, rr(8), rr(2), rr(2));
	place(&x);
	assert_int_equal(p->delay, x.machine.latency[HD_CLASS_F64].latency);
	assert_int_equal(c->hint, HD_HINT_DELAY);
	assert_int_equal(c->delay, 1);
	stop(&x);
}

/* PD-6: where it may lead elsewhere, the consumer waits. */
TEST(a_wait_stays_where_the_way_divides)
{
	fixture x = start(4);
	put(&x, 0, HD_OP_DADD, rr(2), rr(4), rr(6));
	branch(&x, 0, 3, 1);
	hd_ir_inst *c = put(&x, 1, HD_OP_DADD, rr(8), rr(2), rr(2));
	jump(&x, 1, 3);
	put(&x, 3, HD_OP_EXIT, none, none, none);
	place(&x);
	assert_int_equal(c->hint, HD_HINT_WAIT);
	/* Behind the producer: its own cycle, the branch's, and the decision. */
	assert_int_equal(c->delay, x.machine.latency[HD_CLASS_F64].latency - 2 - x.machine.latency[HD_CLASS_FLOW].latency);
	stop(&x);
}

/* divergent waited at the head of a loop, in every turn, for what was made before the loop. With a value of the turn before it has to. */
TEST(a_loop_does_not_wait_for_what_was_made_before_it)
{
	for (unsigned carried = 0; carried < 2; carried++) {
		fixture x = start(3);
		hd_ir_inst *p = put(&x, 0, HD_OP_IADD, r(1), r(3), r(3));
		jump(&x, 0, 1);
		hd_ir_inst *c = put(&x, 1, HD_OP_IADD, r(2), r(1), r(1));
		if (carried)
			put(&x, 1, HD_OP_IMULHIU, r(1), r(4), r(4));
		branch(&x, 1, 1, 2);
		put(&x, 2, HD_OP_EXIT, none, none, none);
		x.machine.latency[HD_CLASS_MUL].latency = 7;
		place(&x);
		assert_int_equal(c->hint, carried ? HD_HINT_WAIT : HD_HINT_DELAY);
		if (carried)
			assert_int_equal(c->delay, 7 - 2 - x.machine.latency[HD_CLASS_FLOW].latency);
		else
			assert_int_equal(p->delay, x.machine.latency[HD_CLASS_ALU].latency);
		stop(&x);
	}
}

/* The latency left at the end of a block counts from where its own dependences must have pushed the end. */
TEST(the_chain_behind_a_result_counts)
{
	fixture x = start(4);
	put(&x, 0, HD_OP_DADD, rr(2), rr(4), rr(6));
	put(&x, 0, HD_OP_IADD, r(12), r(13), r(13));
	put(&x, 0, HD_OP_DADD, rr(8), rr(2), rr(2)); /* 12 cycles later */
	branch(&x, 0, 3, 1);
	hd_ir_inst *c = put(&x, 1, HD_OP_DADD, rr(10), rr(2), rr(2));
	jump(&x, 1, 3);
	put(&x, 3, HD_OP_EXIT, none, none, none);
	place(&x);
	assert_int_equal(c->hint, HD_HINT_DELAY);
	stop(&x);
}

TEST(the_delay_is_that_of_the_table)
{
	/* PD-5, PD-22 */
	static const char *const nine[] = {"latency.alu.latency=9", NULL};
	const two t = {{HD_OP_IADD, HD_OP_IADD}, {r(1), r(4)}, {r(2), r(1)}, {r(3), r(1)}};
	expect_first(&t, NULL, HD_HINT_DELAY, 4);
	expect_first(&t, nine, HD_HINT_DELAY, 9);
}

TEST(pairs_are_independent_and_of_different_pipes)
{
	/* PD-7, PD-22 */
	static const char *const wide[] = {"predecode.issue_width=2", NULL}, *const off[] = {"predecode.issue_width=2", "predecode.pair=false", NULL},
	                         *const window[] = {"predecode.issue_width=2", "multi_issue.window=4", NULL};
	const two t = {{HD_OP_IADD, HD_OP_FRCP}, {r(1), r(4)}, {r(2), r(5)}, {r(3), none}},
	          raw = {{HD_OP_IADD, HD_OP_FRCP}, {r(1), r(4)}, {r(2), r(1)}, {r(3), none}},
	          war = {{HD_OP_IADD, HD_OP_FRCP}, {r(1), r(2)}, {r(2), r(5)}, {r(3), none}},
	          waw = {{HD_OP_IADD, HD_OP_FRCP}, {r(1), r(1)}, {r(2), r(5)}, {r(3), none}},
	          same = {{HD_OP_IADD, HD_OP_IADD}, {r(1), r(4)}, {r(2), r(5)}, {r(3), r(3)}};
	expect_first(&t, wide, HD_HINT_PAIR, 1);
	expect_first(&t, NULL, HD_HINT_DELAY, 1);
	expect_first(&t, off, HD_HINT_DELAY, 1);
	expect_first(&t, window, HD_HINT_DELAY, 1);
	expect_first(&raw, wide, HD_HINT_DELAY, 1);
	expect_first(&war, wide, HD_HINT_DELAY, 1);
	expect_first(&waw, wide, HD_HINT_DELAY, 1);
	expect_first(&same, wide, HD_HINT_DELAY, 1);
}

/* A value that another pipe computes: the consumer waits in the decoder, and the delay before it is extended to when the result is there. */
TEST(delays_extend_to_what_the_decoder_waits_for)
{
	for (unsigned high = 0; high < 2; high++) {
		fixture x = start(1);
		x.machine.multi_issue_window = 1;
		x.machine.fence_classify = HD_CLASSIFY_LATENCY;
		x.machine.fence_threshold = high ? 1 : 1000;
		put(&x, 0, HD_OP_FRCP, r(1), r(2), none);
		hd_ir_inst *before = put(&x, 0, HD_OP_IADD, r(3), r(4), r(4));
		put(&x, 0, HD_OP_IADD, r(5), r(1), r(4));
		place(&x);
		/* The result is there in cycle 1 + latency, and enters a cycle behind its issue; `before` issues in cycle 1. */
		assert_int_equal(before->delay, high ? x.machine.latency[HD_CLASS_SFU].latency - 1 : 1);
		stop(&x);
	}
}

/* Rule 7: with a window each pipe has its own clock. */
TEST(a_window_counts_by_pipes)
{
	for (uint32_t window = 1; window <= 4; window += 3) {
		fixture x = start(1);
		x.machine.multi_issue_window = window;
		hd_ir_inst *p1 = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
		put(&x, 0, HD_OP_FRCP, r(4), r(5), none);
		put(&x, 0, HD_OP_FRCP, r(6), r(5), none);
		hd_ir_inst *c = put(&x, 0, HD_OP_IADD, r(7), r(1), r(1));
		place(&x);
		/* Without one, two cycles pass before c anyway, and the delay before it takes the rest. */
		assert_int_equal(p1->delay, window == 1 ? 1 : x.machine.latency[HD_CLASS_ALU].latency);
		assert_int_equal(c->hint, HD_HINT_DELAY);
		stop(&x);
	}
}

/* Behind a call nothing is outstanding. */
TEST(calls_leave_nothing)
{
	fixture x = start(1);
	put(&x, 0, HD_OP_DADD, rr(2), rr(4), rr(6));
	hd_ir_inst *call = put(&x, 0, HD_OP_CALL, none, none, none), *c = put(&x, 0, HD_OP_DADD, rr(8), rr(2), rr(2));
	call->callee = 0;
	place(&x);
	assert_int_equal(c->hint, HD_HINT_DELAY);
	assert_int_equal(c->delay, 1);
	stop(&x);
}

/* The successor of a flow instruction issues when that is decided: a delay cannot reach across it, so the consumer waits. */
TEST(no_delay_across_a_branch)
{
	fixture x = start(1);
	x.machine.multi_issue_window = 1;
	hd_ir_inst *p1 = put(&x, 0, HD_OP_DADD, rr(2), rr(4), rr(6)), *bra = ir_put_bra(&x.b, 0, hd_opd_pred(HD_PT, true));
	hd_ir_inst *c = put(&x, 0, HD_OP_DADD, rr(8), rr(2), rr(2));
	place(&x);
	assert_int_equal(p1->delay, 1);
	assert_int_equal(bra->delay, 1);
	assert_int_equal(c->hint, HD_HINT_WAIT);
	assert_int_equal(c->delay, x.machine.latency[HD_CLASS_F64].latency - 2 - x.machine.latency[HD_CLASS_FLOW].latency);
	stop(&x);
}

/* PD-7: not in the cycle of the instruction before if something older needs more distance. */
TEST(a_second_that_must_wait_is_no_pair)
{
	fixture x = start(1);
	x.machine.multi_issue_window = 1;
	x.machine.predecode_issue_width = 2;
	put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *middle = put(&x, 0, HD_OP_FRCP, r(2), r(5), none); /* overwrites a source of the first: no pair */
	put(&x, 0, HD_OP_IADD, r(6), r(1), r(3));
	place(&x);
	assert_int_equal(middle->hint, HD_HINT_DELAY);
	assert_int_equal(middle->delay, x.machine.latency[HD_CLASS_ALU].latency - 1);
	stop(&x);
}
