/* Liveness by words of virtual registers. */
#include "../ir_builder.h"
#include "passes/analysis/liveness.h"

static bool is_live(const hd_liveness *l, const hd_bits *live, uint32_t v, unsigned word) { return hd_bits_has(live, l->first_bit[v] + word); }

static bool live_out(const hd_liveness *l, size_t block, uint32_t v)
{
	hd_bits live = hd_live_set(l);
	hd_live_out(l, block, &live);
	bool found = is_live(l, &live, v, 0);
	hd_bits_free(&live);
	return found;
}

/* %0 is defined before a loop and read in it, %1 is carried by the loop, %2 lives in one block, %4 is read behind the loop. */
static const char loop[] = ".kernel \"k\"\n.vregs 1 1 1 0 1\n"
                           "b0:\n	movi %0 = 0x1\n	movi %1 = 0x2\n	movi %4 = 0x3\n	.jump b1\n"
                           "b1:\n	iadd %2 = %0, %1\n	iadd %1 = %2, 0x1\n	isetp{cmp=lo} %p3 = %1, %0\n	.branch %p3 b1 b2\n"
                           "b2:\n	sts{sub=4} %4, %1\n	.exit\n";

TEST(values_live_around_a_loop)
{
	static const bool expected[2][5] = {{true, true, false, false, true}, {true, true, false, false, true}};
	ir_builder b = ir_read(loop);
	hd_liveness l = hd_liveness_new(b.f);
	for (unsigned block = 0; block < 2; block++)
		for (uint32_t v = 0; v < 5; v++)
			assert_int_equal(live_out(&l, block, v), expected[block][v]);
	for (uint32_t v = 0; v < 5; v++)
		assert_false(live_out(&l, 2, v));
	/* %2 and %3 occur in one block only: they have no bit in the sets of blocks. */
	assert_true(l.first_bit[2] >= l.global_bits && l.first_bit[3] >= l.global_bits);
	assert_true(l.first_bit[0] < l.global_bits);
	assert_int_equal(l.vreg_of_bit[l.first_bit[4]], 4);
	hd_liveness_free(&l);
	ir_free(&b);
}

TEST(a_branch_reads_its_condition)
{
	ir_builder b = ir_read(loop);
	hd_liveness l = hd_liveness_new(b.f);
	hd_bits live = hd_live_set(&l);
	hd_live_out(&l, 1, &live);
	assert_false(is_live(&l, &live, 3, 0));
	hd_live_before_terminator(&l, ir_block(&b, 1), &live);
	assert_true(is_live(&l, &live, 3, 0));
	hd_bits_free(&live);
	hd_liveness_free(&l);
	ir_free(&b);
}

/* A quad is live by its parts: words that are defined one by one are live one by one. */
TEST(words_live_apart)
{
	ir_builder b =
	    ir_read(".kernel \"k\"\n.vregs 4 2\nb0:\n	movi %0 = 0x1\n	movi %0.1 = 0x2\n	movi %0.2 = 0x3\n	movi %0.3 = 0x4\n"
	            "	mov64 %1:2 = c[0x40]:2\n	stg{sub=6} %1:2, %0:4\n	.exit\n");
	hd_liveness l = hd_liveness_new(b.f);
	hd_bits live = hd_live_set(&l);
	for (size_t k = 5; k > 2; k--)
		hd_live_before(&l, ir_block(&b, 0)->insts.at[k], &live);
	/* Before the fourth movi: the first three words. */
	for (unsigned w = 0; w < 4; w++)
		assert_int_equal(is_live(&l, &live, 0, w), w < 3);
	hd_bits_free(&live);
	hd_liveness_free(&l);
	ir_free(&b);
}

/* Under a guard other lanes keep the old value; a scratch register has none. */
TEST(a_guarded_definition_ends_no_live_range)
{
	for (unsigned scratch = 0; scratch < 2; scratch++) {
		ir_builder b = ir_read(".kernel \"k\"\n.vregs 1 0\nb0:\n	@%p1 movi %0 = 0x1\n	sts{sub=4} %0, %0\n	.exit\n");
		b.f->vregs.at[0].scratch = scratch;
		hd_liveness l = hd_liveness_new(b.f);
		hd_bits live = hd_live_set(&l);
		hd_live_before(&l, ir_block(&b, 0)->insts.at[1], &live);
		assert_true(is_live(&l, &live, 0, 0));
		hd_live_before(&l, ir_block(&b, 0)->insts.at[0], &live);
		assert_int_equal(is_live(&l, &live, 0, 0), !scratch);
		assert_true(is_live(&l, &live, 1, 0)); /* the guard is read */
		hd_bits_free(&live);
		hd_liveness_free(&l);
		ir_free(&b);
	}
}

TEST(results_are_read_at_returns)
{
	ir_builder b = ir_read(".function \"f\"\n.vregs 1 1\n.params %0\n.results %1\nb0:\n	mov %1 = %0\n	.jump b1\nb1:\n	.ret\n");
	hd_liveness l = hd_liveness_new(b.f);
	assert_true(live_out(&l, 0, 1));
	assert_false(live_out(&l, 0, 0));
	hd_liveness_free(&l);
	ir_free(&b);
}

/* One word is written before it is read, the other comes from the iteration before: the register is live between blocks, though one block has all of
 * it. */
TEST(a_word_of_the_iteration_before)
{
	ir_builder b = ir_read(".kernel \"k\"\n.vregs 2 2 0\nb0:\n	.jump b1\n"
	                       "b1:\n	movi %0 = 0x1\n	mov64 %1:2 = c[0x40]:2\n	stg{sub=5} %1:2, %0:2\n	movi %0.1 = 0x2\n"
	                       "	isetp{cmp=lo} %p2 = %0, 0x1\n	.branch %p2 b1 b2\nb2:\n	.exit\n");
	hd_liveness l = hd_liveness_new(b.f);
	hd_bits live = hd_live_set(&l);
	hd_live_out(&l, 1, &live);
	assert_false(is_live(&l, &live, 0, 0));
	assert_true(is_live(&l, &live, 0, 1));
	assert_true(l.first_bit[0] < l.global_bits && l.first_bit[1] >= l.global_bits);
	hd_bits_free(&live);
	hd_liveness_free(&l);
	ir_free(&b);
}
