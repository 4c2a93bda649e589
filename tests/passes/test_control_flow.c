/* Needless blocks and edges. */
#include "../ir_builder.h"
#include "passes/simplify/control_flow.h"

static void expect(const char *blocks, bool changed, const char *expected)
{
	hd_text in = {0};
	hd_text_printf(&in, ".kernel \"k\"\n.vregs 1 0\n%s", blocks);
	ir_builder b = ir_read(in.at);
	assert_int_equal(hd_simplify_control_flow(b.f), changed);
	ir_expect(&b, expected);
	ir_free(&b);
	hd_text_free(&in);
}

TEST(a_block_joins_its_only_predecessor)
{
	expect("b0:\nmovi %0 = 0x1\n.jump b1\nb1:\nmovi %0 = 0x2\n.jump b2\nb2:\nmovi %0 = 0x3\n.exit\n", true,
	       "b0:\nmovi %0 = 0x1\nmovi %0 = 0x2\nmovi %0 = 0x3\n.exit\n");
}

/* With several predecessors it stays, and so does the entry. */
TEST(other_blocks_stay)
{
	static const char join[] = "b0:\n.branch %p1 b1 b2\nb1:\nmovi %0 = 0x1\n.jump b3\nb2:\nmovi %0 = 0x2\n.jump b3\nb3:\nmovi %0 = 0x3\n.exit\n";
	static const char loop[] = "b0:\nmovi %0 = 0x1\n.jump b0\n";
	static const char round[] = "b0:\nmovi %0 = 0x1\n.branch %p1 b1 b2\nb1:\nmovi %0 = 0x2\n.jump b0\nb2:\n.exit\n";
	expect(join, false, join);
	expect(loop, false, loop);
	expect(round, false, round);
}

TEST(edges_skip_blocks_that_only_jump)
{
	expect("b0:\n.branch %p1 b1 b2\nb1:\n.jump b3\nb2:\nmovi %0 = 0x1\n.jump b3\nb3:\nmovi %0 = 0x2\n.exit\n", true,
	       "b0:\n.branch %p1 b2 b1\nb1:\nmovi %0 = 0x1\n.jump b2\nb2:\nmovi %0 = 0x2\n.exit\n");
}

TEST(a_branch_with_equal_sides_is_a_jump)
{
	expect("b0:\n.branch %p1 b1 b2\nb1:\n.jump b3\nb2:\n.jump b3\nb3:\nmovi %0 = 0x2\n.exit\n", true, "b0:\nmovi %0 = 0x2\n.exit\n");
	expect("b0:\n.branch %p1 b1 b2\nb1:\n.jump b3\nb2:\n.jump b3\nb3:\nmovi %0 = 0x2\n.branch %p1 b3 b4\nb4:\n.exit\n", true,
	       "b0:\n.jump b1\nb1:\nmovi %0 = 0x2\n.branch %p1 b1 b2\nb2:\n.exit\n");
}

/* Unreachable blocks go; that alone is no change for others to look at. Jumps in a circle end. */
TEST(unreachable_blocks_and_circles)
{
	expect("b0:\n.exit\nb1:\nmovi %0 = 0x1\n.jump b0\n", false, "b0:\n.exit\n");
	expect("b0:\nmovi %0 = 0x1\n.branch %p1 b1 b3\nb1:\n.jump b2\nb2:\n.jump b1\nb3:\n.exit\n", true,
	       "b0:\nmovi %0 = 0x1\n.branch %p1 b1 b2\nb1:\n.jump b1\nb2:\n.exit\n");
}
