/* Where lanes that a branch has separated meet (RC-16). */
#include "../ir_builder.h"
#include "passes/analysis/joins.h"

/* The joins of block `branch`, as digits in order. */
static void expect(const ir_builder *b, uint32_t branch, const char *expected)
{
	hd_ir_link(b->f);
	hd_joins j = hd_joins_new(b->f);
	hd_bits found = hd_bits_new(b->f->blocks.n + 1);
	hd_text text = {0};
	hd_joins_of(&j, branch, &found);
	for (size_t at = hd_bits_next(&found, 0); at < b->f->blocks.n; at = hd_bits_next(&found, at + 1))
		hd_text_printf(&text, "%zu", at);
	assert_string_equal(text.at ? text.at : "", expected);
	hd_text_free(&text);
	hd_bits_free(&found);
	hd_joins_free(&j);
}

TEST(sides_of_an_if_meet_behind_it)
{
	ir_builder b = ir_new(4);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 3);
	ir_jump(&b, 2, 3);
	expect(&b, 0, "3");
	expect(&b, 1, "");
	ir_free(&b);
}

/* `if (0 && (1 || 2)) 3; 4`: two tests lead to 3, three ways to 4. */
TEST(tests_meet_at_the_block_that_they_share)
{
	ir_builder b = ir_new(5);
	ir_branch(&b, 0, p(0), 1, 4);
	ir_branch(&b, 1, p(0), 3, 2);
	ir_branch(&b, 2, p(0), 3, 4);
	ir_jump(&b, 3, 4);
	expect(&b, 0, "4");
	expect(&b, 1, "34");
	expect(&b, 2, "4");
	ir_free(&b);
}

/* Loop 1 to 4: 1 enters an if, 2 breaks to 5, 3 is the end of the if, 4 the latch. */
TEST(a_break_meets_the_others_behind_the_loop_alone)
{
	ir_builder b = ir_new(6);
	ir_jump(&b, 0, 1);
	ir_branch(&b, 1, p(0), 2, 3);
	ir_branch(&b, 2, p(1), 5, 3);
	ir_jump(&b, 3, 4);
	ir_branch(&b, 4, p(2), 1, 5);
	expect(&b, 1, "35"); /* some who enter the if may break, others go round */
	expect(&b, 2, "5");
	expect(&b, 4, "5");
	ir_free(&b);
}

/* Loop 1 to 3 with two latches: 2 goes on at once, 3 does more. */
TEST(a_continue_meets_the_others_at_the_header)
{
	ir_builder b = ir_new(5);
	ir_jump(&b, 0, 1);
	ir_branch(&b, 1, p(0), 4, 2);
	ir_branch(&b, 2, p(0), 1, 3);
	ir_jump(&b, 3, 1);
	expect(&b, 2, "1");
	expect(&b, 1, "4");
	ir_free(&b);
}

/* A return inside of a loop: nobody meets these lanes, and the others need no place for them. */
TEST(lanes_that_leave_for_good_meet_nobody)
{
	ir_builder b = ir_new(5);
	ir_branch(&b, 0, p(0), 1, 2);
	b.f->blocks.at[1]->term = HD_TERM_EXIT;
	expect(&b, 0, "");
	ir_free(&b);
}

/* Lanes leave the inner loop 2 to 3 for the outer one, 1 to 4, and both for 5. */
TEST(lanes_leave_two_loops)
{
	ir_builder b = ir_new(6);
	ir_jump(&b, 0, 1);
	ir_jump(&b, 1, 2);
	ir_branch(&b, 2, p(0), 5, 3);
	ir_branch(&b, 3, p(1), 2, 4);
	ir_branch(&b, 4, p(2), 1, 5);
	expect(&b, 2, "5");
	expect(&b, 3, "45"); /* 5: round the inner loop, out by 2, before or after the others */
	expect(&b, 4, "5");
	ir_free(&b);
}

TEST(dominators_and_loops)
{
	ir_builder b = ir_new(6);
	ir_jump(&b, 0, 1);
	ir_jump(&b, 1, 2);
	ir_branch(&b, 2, p(0), 2, 3);
	ir_branch(&b, 3, p(1), 1, 4);
	ir_jump(&b, 4, 5);
	hd_ir_link(b.f);
	hd_joins j = hd_joins_new(b.f);
	assert_int_equal(j.last[1], 3);
	assert_int_equal(j.last[2], 2);
	assert_int_equal(j.inner[2], 2);
	assert_int_equal(j.inner[3], 1);
	assert_int_equal(j.inner[4], HD_NO_BLOCK);
	assert_int_equal(j.outer[2], 1);
	assert_int_equal(j.outer[1], HD_NO_BLOCK);
	assert_int_equal(hd_joins_loop_without(&j, 2, 4), 1);
	assert_int_equal(hd_joins_loop_without(&j, 2, 3), 2);
	assert_int_equal(hd_joins_loop_without(&j, 3, 1), HD_NO_BLOCK);
	assert_true(hd_joins_dominates(&j, 1, 4));
	assert_true(hd_joins_dominates(&j, 3, 3));
	assert_false(hd_joins_dominates(&j, 4, 3));
	hd_joins_free(&j);
	ir_free(&b);
}

/* Loops 0 to 3 and 2 to 5 cross: the first grows. */
TEST(crossing_loops_become_nested)
{
	ir_builder b = ir_new(7);
	ir_jump(&b, 0, 1);
	ir_jump(&b, 1, 2);
	ir_jump(&b, 2, 3);
	ir_branch(&b, 3, p(0), 1, 4);
	ir_jump(&b, 4, 5);
	ir_branch(&b, 5, p(0), 2, 6);
	hd_ir_link(b.f);
	hd_joins j = hd_joins_new(b.f);
	assert_int_equal(j.last[1], 5);
	assert_int_equal(j.last[2], 5);
	assert_int_equal(j.outer[2], 1);
	assert_int_equal(j.inner[5], 2);
	hd_joins_free(&j);
	ir_free(&b);
}
