/* RC-16: push before divergent branches, sync where their sides meet. Blocks are printed with what the pass adds. */
#include "../ir_builder.h"
#include "../run_pass.h"
#include "passes/lower/reconvergence.h"

/* p0 is divergent, p1 is not. */
static ir_builder start(unsigned blocks)
{
	ir_builder b = ir_new(blocks);
	b.f->allocated = true;
	ir_put(&b, HD_OP_S2R, r(1), none, none)->sub = HD_SREG_TIDX;
	ir_put(&b, HD_OP_ISETP, p(0), r(1), imm(0));
	return b;
}

/* The last block does something, so that it is worth to meet there. */
static void fill_last(ir_builder *b)
{
	b->block = (uint32_t)b->f->blocks.n - 1;
	ir_put(b, HD_OP_MOVI, r(2), imm(7), none);
}

#define HEAD "b0:\ns2r{sreg=tid.x} r1 =\nisetp{cmp=eq} p0 = r1, 0x0\n"

/* RC-21 */
static void expect_flags(ir_builder *b, const char *expected)
{
	hd_machine machine;
	hd_machine_default(&machine);
	machine.divergence_mode = HD_DIV_STACK;
	machine.divergence_pop = HD_POP_FLAG;
	run_pass(hd_pass_reconverge, b->m, &machine);
	ir_expect(b, expected);
	ir_free(b);
}

static void expect(ir_builder *b, hd_divergence mode, const char *expected)
{
	hd_machine machine;
	hd_machine_default(&machine);
	machine.divergence_mode = mode;
	run_pass(hd_pass_reconverge, b->m, &machine);
	ir_expect(b, expected);
	ir_free(b);
}

TEST(an_if_pushes_its_join)
{
	ir_builder b = start(4);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 3);
	ir_jump(&b, 2, 3);
	fill_last(&b);
	expect(&b, HD_DIV_STACK, HEAD "push{to=4}\n.branch p0 b1 b2\nb1:\n.jump b3\nb2:\n.jump b3\nb3:\nsync\n.jump b4\nb4:\nmovi r2 = 0x7\n.exit\n");
}

/* RC-21: the first instruction of the block in which lanes meet has the flag, be it a push. A block without one gets a sync. */
TEST(flags_need_no_block)
{
	ir_builder b = start(4);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 3);
	ir_jump(&b, 2, 3);
	fill_last(&b);
	expect_flags(&b, HEAD "push{to=4}\n.branch p0 b1 b2\nb1:\n.jump b3\nb2:\n.jump b3\nb3: meets\nmovi r2 = 0x7\n.exit\n");
	/* A loop with two latches, to which both sides of an if go: those who come from outside meet before the push, those who go round at the
	 * header.
	 */
	b = start(6);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 2);
	ir_branch(&b, 2, p(0), 5, 3);
	b.block = 2;
	ir_put(&b, HD_OP_MOVI, r(3), imm(1), none);
	ir_branch(&b, 3, p(0), 2, 4);
	ir_jump(&b, 4, 2);
	fill_last(&b);
	expect_flags(&b, HEAD "push{to=3}\n.branch p0 b1 b2\nb1:\n.jump b2\nb2: meets\npush{to=7}\n.jump b3\nb3: meets\nmovi r3 = 0x1\n"
	                      ".branch p0 b6 b4\nb4:\npush{to=4}\n.branch p0 b3 b5\nb5:\n.jump b3\nb6: meets\nmovi r2 = 0x7\n.exit\n");
}

/* RC-21. Lanes go on behind the sync of a join that is empty. The sync was put into the join's own block, before its branch, so annotation knew of no
 * resume point there: random programs were not proven. */
TEST(a_sync_of_a_flag_ends_its_block)
{
	ir_builder b = start(6);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 3);
	ir_jump(&b, 2, 3);
	ir_branch(&b, 3, p(1), 5, 4);
	ir_jump(&b, 4, 5);
	fill_last(&b);
	expect_flags(&b, HEAD "push{to=4}\n.branch p0 b1 b2\nb1:\n.jump b3\nb2:\n.jump b3\nb3:\nsync\n.jump b4\nb4:\n.branch p1 b6 b5\n"
	                      "b5:\n.jump b6\nb6:\nmovi r2 = 0x7\n.exit\n");
	/* An empty join that pushes has the flag. */
	b = start(6);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 3);
	ir_jump(&b, 2, 3);
	ir_branch(&b, 3, p(0), 5, 4);
	ir_jump(&b, 4, 5);
	fill_last(&b);
	expect_flags(&b, HEAD "push{to=4}\n.branch p0 b1 b2\nb1:\n.jump b3\nb2:\n.jump b3\nb3: meets\npush{to=6}\n.branch p0 b5 b4\n"
	                      "b4:\n.jump b5\nb5: meets\nmovi r2 = 0x7\n.exit\n");
	/* The empty header of a loop: those who go round meet at a sync, those who enter before the push. */
	b = start(6);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 2);
	ir_branch(&b, 2, p(0), 5, 3);
	ir_branch(&b, 3, p(0), 2, 4);
	ir_jump(&b, 4, 2);
	fill_last(&b);
	expect_flags(&b, HEAD "push{to=3}\n.branch p0 b1 b2\nb1:\n.jump b2\nb2: meets\npush{to=8}\n.jump b3\nb3:\nsync\n.jump b4\nb4:\n"
	                      ".branch p0 b7 b5\nb5:\npush{to=4}\n.branch p0 b3 b6\nb6:\n.jump b3\nb7: meets\nmovi r2 = 0x7\n.exit\n");
}

TEST(other_machines_need_nothing)
{
	ir_builder b = start(3);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 2);
	expect(&b, HD_DIV_RESUME, HEAD ".branch p0 b1 b2\nb1:\n.jump b2\nb2:\n.exit\n");
}

TEST(uniform_branches_need_nothing)
{
	ir_builder b = start(3);
	ir_branch(&b, 0, p(1), 1, 2);
	ir_jump(&b, 1, 2);
	expect(&b, HD_DIV_STACK, HEAD ".branch p1 b1 b2\nb1:\n.jump b2\nb2:\n.exit\n");
}

/* A join that only ends the thread is not worth a push. */
TEST(nobody_waits_to_exit)
{
	ir_builder b = start(4);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 3);
	ir_jump(&b, 2, 3);
	expect(&b, HD_DIV_STACK, HEAD ".branch p0 b1 b2\nb1:\n.jump b3\nb2:\n.jump b3\nb3:\n.exit\n");
}

/* 1 and 2 are a loop that lanes leave at different times: push before it, once. */
TEST(a_loop_is_pushed_before_it)
{
	ir_builder b = start(4);
	ir_jump(&b, 0, 1);
	ir_branch(&b, 1, p(0), 3, 2);
	ir_jump(&b, 2, 1);
	fill_last(&b);
	expect(&b, HD_DIV_STACK,
	       HEAD ".jump b1\nb1:\npush{to=5}\n.jump b2\nb2:\n.branch p0 b4 b3\nb3:\n.jump b2\nb4:\nsync\n.jump b5\nb5:\nmovi r2 = 0x7\n.exit\n");
}

/* Sides that meet inside of the loop do so in every iteration. */
TEST(a_join_inside_a_loop_is_pushed_there)
{
	ir_builder b = start(5);
	ir_jump(&b, 0, 1);
	ir_branch(&b, 1, p(0), 2, 3);
	ir_jump(&b, 2, 3);
	ir_branch(&b, 3, p(1), 1, 4);
	expect(&b, HD_DIV_STACK,
	       HEAD ".jump b1\nb1:\npush{to=4}\n.branch p0 b2 b3\nb2:\n.jump b3\nb3:\nsync\n.jump b4\nb4:\n.branch p1 b1 b5\nb5:\n.exit\n");
}

/* A second entry into the loop: the push stays before the branch. */
TEST(a_loop_with_two_entries_is_pushed_inside)
{
	ir_builder b = start(4);
	ir_branch(&b, 0, p(1), 1, 2);
	ir_branch(&b, 1, p(0), 3, 2);
	ir_jump(&b, 2, 1);
	fill_last(&b);
	expect(&b, HD_DIV_STACK,
	       HEAD ".branch p1 b1 b2\nb1:\npush{to=4}\n.branch p0 b3 b2\nb2:\n.jump b1\nb3:\nsync\n.jump b4\nb4:\nmovi r2 = 0x7\n.exit\n");
}

/* An if around a loop that leaves to the same join: one push is enough. */
TEST(what_is_pushed_is_not_pushed_again)
{
	ir_builder b = start(4);
	ir_branch(&b, 0, p(0), 3, 1);
	ir_branch(&b, 1, p(0), 3, 2);
	ir_jump(&b, 2, 1);
	fill_last(&b);
	expect(&b, HD_DIV_STACK,
	       HEAD "push{to=4}\n.branch p0 b3 b1\nb1:\n.branch p0 b3 b2\nb2:\n.jump b1\nb3:\nsync\n.jump b4\nb4:\nmovi r2 = 0x7\n.exit\n");
}

/* Loop 1 to 4: 1 begins an if, 2 breaks to 5, 3 is the end of the if, 4 the latch. The place of the break is pushed before the loop, that of the if
 * in every iteration. */
TEST(a_break_does_not_widen_the_if_around_it)
{
	ir_builder b = start(6);
	ir_jump(&b, 0, 1);
	ir_branch(&b, 1, p(0), 2, 3);
	ir_branch(&b, 2, p(0), 5, 3);
	ir_jump(&b, 3, 4);
	ir_branch(&b, 4, p(1), 1, 5);
	fill_last(&b);
	expect(&b, HD_DIV_STACK,
	       HEAD ".jump b1\nb1:\npush{to=8}\n.jump b2\nb2:\npush{to=5}\n.branch p0 b3 b4\nb3:\n.branch p0 b7 b4\nb4:\nsync\n.jump b5\n"
	            "b5:\n.jump b6\nb6:\n.branch p1 b2 b7\nb7:\nsync\n.jump b8\nb8:\nmovi r2 = 0x7\n.exit\n");
}

/* Loop 1 to 3 with two latches: lanes that go round early wait for the others at the header. Those who enter the loop do not. */
TEST(a_continue_waits_at_the_header)
{
	ir_builder b = start(5);
	ir_jump(&b, 0, 1);
	ir_branch(&b, 1, p(1), 4, 2);
	ir_branch(&b, 2, p(0), 1, 3);
	ir_jump(&b, 3, 1);
	fill_last(&b);
	expect(&b, HD_DIV_STACK,
	       HEAD
	       ".jump b1\nb1:\nsync\n.jump b2\nb2:\n.branch p1 b5 b3\nb3:\npush{to=2}\n.branch p0 b1 b4\nb4:\n.jump b1\nb5:\nmovi r2 = 0x7\n.exit\n");
}

/* `if (0 && (1 || 2)) 3; 4`: the place that is reached last is pushed first. Block 1 is where both begin. */
TEST(joins_of_one_place_nest)
{
	ir_builder b = start(5);
	ir_branch(&b, 0, p(0), 3, 2);
	ir_jump(&b, 1, 3);
	ir_branch(&b, 2, p(0), 3, 4);
	ir_jump(&b, 3, 4);
	fill_last(&b);
	expect(&b, HD_DIV_STACK,
	       HEAD "push{to=6}\npush{to=4}\n.branch p0 b3 b2\nb1:\n.jump b3\nb2:\n.branch p0 b3 b5\nb3:\nsync\n.jump b4\nb4:\n.jump b5\n"
	            "b5:\nsync\n.jump b6\nb6:\nmovi r2 = 0x7\n.exit\n");
}

TEST(convergence_barriers_register_and_wait)
{
	ir_builder b = start(4);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 3);
	ir_jump(&b, 2, 3);
	fill_last(&b);
	expect(&b, HD_DIV_BARRIERS, HEAD "bssy\n.branch p0 b1 b2\nb1:\n.jump b3\nb2:\n.jump b3\nb3:\nbsync\n.jump b4\nb4:\nmovi r2 = 0x7\n.exit\n");
}

/* The loop of a_break_does_not_widen_the_if_around_it: 0 is the barrier behind the loop, 1 that of the if. Lanes that break leave 1. */
TEST(a_break_leaves_the_barrier_of_the_if)
{
	ir_builder b = start(6);
	ir_jump(&b, 0, 1);
	ir_branch(&b, 1, p(0), 2, 3);
	ir_branch(&b, 2, p(0), 5, 3);
	ir_jump(&b, 3, 4);
	ir_branch(&b, 4, p(1), 1, 5);
	fill_last(&b);
	expect(&b, HD_DIV_BARRIERS,
	       HEAD ".jump b1\nb1:\nbssy\n.jump b2\nb2:\nbssy{offset=1}\n.branch p0 b3 b4\nb3:\n@p0 break{offset=1}\n.branch p0 b7 b4\n"
	            "b4:\nbsync{offset=1}\n.jump b5\nb5:\n.jump b6\nb6:\n.branch p1 b2 b7\nb7:\nbsync\n.jump b8\nb8:\nmovi r2 = 0x7\n.exit\n");
}

/* 2 goes past the join 3. Where one edge alone leads out, the lanes leave behind it, and nobody else has to issue the break. */
TEST(lanes_leave_behind_their_edge)
{
	ir_builder b = start(5);
	ir_branch(&b, 0, p(0), 1, 3);
	ir_branch(&b, 1, p(0), 2, 3);
	ir_jump(&b, 2, 4);
	ir_jump(&b, 3, 4);
	fill_last(&b);
	expect(&b, HD_DIV_BARRIERS,
	       HEAD "bssy\nbssy{offset=1}\n.branch p0 b1 b3\nb1:\n.branch p0 b2 b3\nb2:\nbreak{offset=1}\n.jump b5\nb3:\nbsync{offset=1}\n.jump b4\n"
	            "b4:\n.jump b5\nb5:\nbsync\n.jump b6\nb6:\nmovi r2 = 0x7\n.exit\n");
}

/* A loop that lanes leave at different times, and that may wait for a value of another lane. Without an atomic it does not. */
TEST(spinning_loops_yield)
{
	for (unsigned spins = 0; spins < 3; spins++) {
		ir_builder b = start(3);
		ir_jump(&b, 0, 1);
		b.block = 1;
		hd_ir_inst *inst = spins == 2 ? ir_put(&b, HD_OP_ATOMG, r(4), rr(6), r(2)) : ir_put(&b, HD_OP_LDG, r(4), rr(6), none);
		inst->mod = spins == 1 ? HD_CACHE_VOLATILE : 0;
		inst->sub = spins == 2 ? 0 : HD_SIZE_32;
		ir_branch(&b, 1, p(0), 1, 2);
		fill_last(&b);
		hd_machine machine;
		hd_machine_default(&machine);
		machine.divergence_mode = HD_DIV_BARRIERS;
		run_pass(hd_pass_reconverge, b.m, &machine);
		const hd_ir_block *loop = ir_block(&b, 2);
		assert_int_equal(loop->insts.at[loop->insts.n - 1]->op == HD_OP_YIELD, spins != 0);
		assert_int_equal(loop->term, spins ? HD_TERM_JUMP : HD_TERM_BRANCH);
		ir_free(&b);
	}
}

/* Lanes gather at a `bar` (RC-17), so it is a block of its own, and what is inserted goes to the blocks around it. */
TEST(a_bar_is_a_block_of_its_own)
{
	ir_builder b = start(4);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 3);
	ir_jump(&b, 2, 3);
	b.block = 3;
	ir_put(&b, HD_OP_BAR, none, r(HD_RZ), none);
	ir_put(&b, HD_OP_BAR, none, r(HD_RZ), none);
	ir_put(&b, HD_OP_MOVI, r(2), imm(7), none);
	expect(&b, HD_DIV_BARRIERS,
	       HEAD "bssy\n.branch p0 b1 b2\nb1:\n.jump b3\nb2:\n.jump b3\nb3:\nbsync\n.jump b4\nb4:\n.jump b5\nb5:\nbar r255\n.jump b6\nb6:\n.jump "
	            "b7\nb7:\nbar r255\n.jump b8\nb8:\nmovi r2 = 0x7\n.exit\n");
}

/* Groups of different functions can take turns where there are calls and `bar`, with convergence barriers alone. */
TEST(calls_and_bars_make_functions_take_turns)
{
	for (unsigned what = 0; what < 8; what++) {
		ir_builder b = start(1);
		if (what & 1)
			ir_put(&b, HD_OP_BAR, none, r(HD_RZ), none);
		if (what & 2)
			ir_put(&b, HD_OP_CALLX, none, rr(2), none);
		hd_machine machine;
		hd_machine_default(&machine);
		machine.divergence_mode = what & 4 ? HD_DIV_BARRIERS : HD_DIV_STACK;
		run_pass(hd_pass_reconverge, b.m, &machine);
		assert_int_equal(b.f->switches, what == 7);
		ir_free(&b);
	}
}

/* Twenty ifs inside each other: sixteen barriers, from the outside. */
TEST(the_innermost_regions_go_without)
{
	enum { DEEP = 20 };
	ir_builder b = start(2 * DEEP + 1);
	for (uint32_t i = 0; i < DEEP; i++)
		ir_branch(&b, i, p(0), i + 1, 2 * DEEP - i);
	for (uint32_t i = DEEP; i < 2 * DEEP; i++)
		ir_jump(&b, i, i + 1);
	fill_last(&b);
	hd_machine machine;
	hd_machine_default(&machine);
	machine.divergence_mode = HD_DIV_BARRIERS;
	run_pass(hd_pass_reconverge, b.m, &machine);
	unsigned found[3] = {0};
	for (uint32_t i = 0; i < b.f->blocks.n; i++)
		for (size_t k = 0; k < ir_block(&b, i)->insts.n; k++) {
			const hd_ir_inst *inst = ir_block(&b, i)->insts.at[k];
			found[0] += inst->op == HD_OP_BSSY;
			found[1] += inst->op == HD_OP_BSYNC;
			found[2] |= inst->op == HD_OP_BSSY ? 1u << inst->offset : 0;
			assert_int_equal(inst->op == HD_OP_BSSY && i != (uint32_t)inst->offset, 0);
		}
	assert_int_equal(found[0], 16);
	assert_int_equal(found[1], 16);
	assert_int_equal(found[2], 0xffff);
	ir_free(&b);
}
