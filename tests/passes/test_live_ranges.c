/* Live ranges as positions: instruction k reads at 2k and writes at 2k + 1. */
#include "../ir_builder.h"
#include "passes/analysis/live_ranges.h"

static void expect_ranges(const hd_live_ranges *l, uint32_t v, const uint32_t (*expected)[2], size_t n)
{
	assert_int_equal(l->of[v].n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(l->of[v].at[i].from, expected[i][0]);
		assert_int_equal(l->of[v].at[i].to, expected[i][1]);
	}
}

TEST(from_the_write_to_the_last_read)
{
	static const uint32_t x[][2] = {{1, 4}}, y[][2] = {{3, 4}}, dead[][2] = {{5, 5}};
	ir_builder b = ir_read(".kernel \"k\"\n.vregs 1 1 1\nb0:\n	movi %0 = 0x1\n	movi %1 = 0x2\n	iadd %2 = %0, %1\n	.exit\n");
	hd_live_ranges l = hd_live_ranges_new(b.f);
	assert_int_equal(l.positions, 8); /* three instructions and the terminator */
	expect_ranges(&l, 0, x, 1);
	expect_ranges(&l, 1, y, 1);
	expect_ranges(&l, 2, dead, 1); /* never read, but written */
	hd_live_ranges_free(&l);
	ir_free(&b);
}

/* Between its last read and its next definition a register leaves a hole. */
TEST(holes_between_values)
{
	static const uint32_t x[][2] = {{1, 2}, {7, 8}};
	ir_builder b = ir_read(".kernel \"k\"\n.vregs 1 1\nb0:\n	movi %0 = 0x1\n	sts{sub=4} %0, %0\n	movi %1 = 0x3\n	movi %0 = 0x4\n"
	                       "	sts{sub=4} %0, %0\n	.exit\n");
	hd_live_ranges l = hd_live_ranges_new(b.f);
	expect_ranges(&l, 0, x, 2);
	hd_live_ranges_free(&l);
	ir_free(&b);
}

/* A guarded definition begins no range: the range goes on from the definition before it. */
TEST(guards_leave_no_hole)
{
	static const uint32_t x[][2] = {{1, 6}};
	ir_builder b = ir_read(".kernel \"k\"\n.vregs 1 0\nb0:\n	movi %0 = 0x1\n	isetp{cmp=eq} %p1 = %0, 0x1\n	@%p1 movi %0 = 0x2\n"
	                       "	sts{sub=4} %0, %0\n	.exit\n");
	hd_live_ranges l = hd_live_ranges_new(b.f);
	expect_ranges(&l, 0, x, 1);
	hd_live_ranges_free(&l);
	ir_free(&b);
}

/* Around a loop a value is live to the end of the blocks, in one range where blocks are neighbours; conditions are read by the terminator. */
TEST(ranges_join_across_blocks)
{
	static const uint32_t whole[][2] = {{1, 9}}, condition[][2] = {{7, 8}};
	ir_builder b = ir_read(".kernel \"k\"\n.vregs 1 0\nb0:\n	movi %0 = 0x1\n	.jump b1\n"
	                       "b1:\n	iadd %0 = %0, 0x1\n	isetp{cmp=lo} %p1 = %0, 0x9\n	.branch %p1 b1 b2\nb2:\n	.exit\n");
	hd_live_ranges l = hd_live_ranges_new(b.f);
	assert_int_equal(l.block_first[1], 4);
	assert_int_equal(l.block_first[2], 10);
	assert_int_equal(l.block_first[3], l.positions);
	/* b1 begins at 4: it reads at 4, writes at 5, compares at 6 and 7, branches at 8 and ends at 9. */
	expect_ranges(&l, 0, whole, 1);
	expect_ranges(&l, 1, condition, 1);
	hd_live_ranges_free(&l);
	ir_free(&b);
}

/* A pair is live while one of its words is. */
TEST(words_of_a_pair_count_together)
{
	static const uint32_t pair[][2] = {{1, 6}};
	ir_builder b = ir_read(
	    ".kernel \"k\"\n.vregs 2\nb0:\n	movi %0 = 0x1\n	sts{sub=4} %0, %0\n	movi %0.1 = 0x2\n	sts{sub=4} %0.1, %0\n	.exit\n");
	hd_live_ranges l = hd_live_ranges_new(b.f);
	expect_ranges(&l, 0, pair, 1);
	hd_live_ranges_free(&l);
	ir_free(&b);
}
