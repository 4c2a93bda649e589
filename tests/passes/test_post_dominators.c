/* Immediate post-dominators, and where the sides of a branch meet (RC-16). */
#include "../ir_builder.h"
#include "passes/analysis/post_dominators.h"

static hd_post_dominators find(const ir_builder *b)
{
	hd_ir_link(b->f);
	return hd_post_dominators_new(b->f);
}

static void sides_meet_at_the_join(void **state)
{
	ir_builder b = ir_new(5);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 3);
	ir_jump(&b, 2, 3);
	ir_jump(&b, 3, 4);
	hd_post_dominators d = find(&b);
	static const uint32_t expected[] = {3, 3, 3, 4, 5};
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(d.immediate[i], expected[i]);
	assert_int_equal(hd_reconvergence_point(&d, b.f, 0), 3);
	assert_int_equal(hd_reconvergence_point(&d, b.f, 1), HD_NO_BLOCK); /* no branch */
	assert_true(hd_post_dominates(&d, 4, 0));
	assert_true(hd_post_dominates(&d, 2, 2));
	assert_false(hd_post_dominates(&d, 1, 0));
	hd_post_dominators_free(&d);
	ir_free(&b);
}

/* 0 branches to 1, which exits, or to 2; 2 branches to 3 or 4, which meet in 5. Without the first exit the branch of 2 would not have a place to
 * meet. */
static void an_early_exit_does_not_count(void **state)
{
	ir_builder b = ir_new(6);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_branch(&b, 2, p(0), 3, 4);
	ir_branch(&b, 3, p(1), 1, 5);
	ir_jump(&b, 4, 5);
	hd_post_dominators d = find(&b);
	assert_int_equal(d.round[0], 1);
	assert_int_equal(d.round[1], 2);
	assert_int_equal(hd_reconvergence_point(&d, b.f, 2), 5);
	/* One side does not come: nothing to meet. */
	assert_int_equal(hd_reconvergence_point(&d, b.f, 0), HD_NO_BLOCK);
	assert_int_equal(hd_reconvergence_point(&d, b.f, 3), HD_NO_BLOCK);
	hd_post_dominators_free(&d);
	ir_free(&b);
}

/* A loop without an end; a branch with equal sides. */
static void blocks_without_a_meeting_place(void **state)
{
	ir_builder b = ir_new(4);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 1);
	ir_branch(&b, 2, p(0), 3, 3);
	hd_post_dominators d = find(&b);
	assert_int_equal(d.round[1], 0);
	assert_int_equal(d.immediate[1], HD_NO_BLOCK);
	assert_int_equal(hd_reconvergence_point(&d, b.f, 0), HD_NO_BLOCK);
	assert_int_equal(hd_reconvergence_point(&d, b.f, 2), HD_NO_BLOCK);
	hd_post_dominators_free(&d);
	ir_free(&b);
}

static void a_loop_is_left_through_its_exit(void **state)
{
	ir_builder b = ir_new(4);
	ir_jump(&b, 0, 1);
	ir_branch(&b, 1, p(0), 2, 3);
	ir_jump(&b, 2, 1);
	hd_post_dominators d = find(&b);
	assert_int_equal(d.immediate[1], 3);
	assert_int_equal(d.immediate[2], 1);
	assert_int_equal(hd_reconvergence_point(&d, b.f, 1), 3);
	hd_post_dominators_free(&d);
	ir_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sides_meet_at_the_join),
	    cmocka_unit_test(an_early_exit_does_not_count),
	    cmocka_unit_test(blocks_without_a_meeting_place),
	    cmocka_unit_test(a_loop_is_left_through_its_exit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
