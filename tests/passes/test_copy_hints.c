/* Which places make copies vanish. */
#include "../ir_builder.h"
#include "passes/allocate/copy_hints.h"

static void expect(const hd_copy_hints *h, uint32_t v, unsigned i, uint32_t other, int32_t delta, uint32_t weight)
{
	const hd_copy_hint *hint = &h->all.at[h->first[v] + i];
	assert_true(h->first[v] + i < h->first[v + 1]);
	assert_int_equal(hint->vreg, v);
	assert_int_equal(hint->other, other);
	assert_int_equal(hint->delta, delta);
	assert_int_equal(hint->weight, weight);
}

static unsigned count(const hd_copy_hints *h, uint32_t v) { return h->first[v + 1] - h->first[v]; }

/* Both ways; a part of a register at its distance from the beginning. */
TEST(copies_hint_both_ways)
{
	ir_builder b =
	    ir_read(".kernel \"k\"\n.vregs 1 2 4 1 0\nb0:\nmov %0 = %1.1\nmov64 %2.2:2 = %1:2\nmovi %3 = 0x1\niadd %3 = %0, %0\nmov %3 = 0x5\n"
	            "plop{sub=240} %p4 = %p4, _, _\n.exit\n");
	hd_ir_link(b.f);
	hd_ir_loops(b.f);
	hd_copy_hints h = hd_copy_hints_new(b.f);
	assert_int_equal(h.all.n, 4);
	expect(&h, 0, 0, 1, 1, 1); /* %0 at the place of %1, plus 1 */
	expect(&h, 1, 0, 0, -1, 1);
	expect(&h, 1, 1, 2, 2, 1);
	expect(&h, 2, 0, 1, -2, 1);
	assert_int_equal(count(&h, 0), 1);
	assert_int_equal(count(&h, 1), 2);
	assert_int_equal(count(&h, 3), 0);
	hd_copy_hints_free(&h);
	ir_free(&b);
}

/* The heaviest first: those in loops. */
TEST(loops_come_first)
{
	ir_builder b = ir_read(".kernel \"k\"\n.vregs 1 1 1 0\nb0:\nmov %0 = %1\n.jump b1\nb1:\nmov %0 = %2\n.branch %p3 b1 b2\nb2:\n.exit\n");
	hd_ir_link(b.f);
	hd_ir_loops(b.f);
	hd_copy_hints h = hd_copy_hints_new(b.f);
	expect(&h, 0, 0, 2, 0, 8);
	expect(&h, 0, 1, 1, 0, 1);
	hd_copy_hints_free(&h);
	ir_free(&b);
}
