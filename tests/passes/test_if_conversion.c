/* HZ-30: short branches become guarded instructions, where that changes nothing but time. */
#include "../ir_builder.h"
#include "passes/simplify/if_conversion.h"

static const char head[] = ".kernel \"k\"\n.vregs 0 1 1 1 0\n";

static ir_builder convert(const char *blocks, uint32_t most)
{
	hd_text in = {0};
	hd_text_printf(&in, "%s%s", head, blocks);
	ir_builder b = ir_read(in.at);
	hd_machine machine;
	hd_machine_default(&machine);
	machine.divergence_if_convert = most;
	hd_pass_context context = {.machine = &machine};
	assert_true(hd_pass_if_convert(b.m, &context));
	hd_text_free(&in);
	return b;
}

static void expect(const char *blocks, uint32_t most, const char *expected)
{
	ir_builder b = convert(blocks, most);
	ir_expect(&b, expected);
	ir_free(&b);
}

/* One side, whichever it is: the other one gets the negated condition. */
TEST(a_side_that_comes_back_is_guarded)
{
	expect("b0:\nisetp{cmp=eq} %p0 = %1, 0x0\n.branch %p0 b1 b2\nb1:\nmovi %2 = 0x1\n.jump b2\nb2:\nsts{sub=4} %1, %2\n.exit\n", 4,
	       "b0:\nisetp{cmp=eq} %p0 = %1, 0x0\n@%p0 movi %2 = 0x1\nsts{sub=4} %1, %2\n.exit\n");
	expect("b0:\nisetp{cmp=eq} %p0 = %1, 0x0\n.branch %p0 b2 b1\nb1:\nmovi %2 = 0x1\n.jump b2\nb2:\nsts{sub=4} %1, %2\n.exit\n", 4,
	       "b0:\nisetp{cmp=eq} %p0 = %1, 0x0\n@!%p0 movi %2 = 0x1\nsts{sub=4} %1, %2\n.exit\n");
	expect("b0:\n.branch !%p0 b1 b2\nb1:\nmovi %2 = 0x1\n.jump b2\nb2:\nsts{sub=4} %1, %2\n.exit\n", 4,
	       "b0:\n@!%p0 movi %2 = 0x1\nsts{sub=4} %1, %2\n.exit\n");
}

static const char both[] = "b0:\n.branch %p0 b1 b2\nb1:\nmovi %2 = 0x1\nmovi %3 = 0x3\n.jump b3\nb2:\nmovi %2 = 0x2\n.jump b3\nb3:\n"
                           "sts{sub=4} %1, %2\nsts{sub=4} %1, %3\n.exit\n";

/* Both sides together count. */
TEST(both_sides_are_guarded)
{
	expect(both, 3, "b0:\n@%p0 movi %2 = 0x1\n@%p0 movi %3 = 0x3\n@!%p0 movi %2 = 0x2\nsts{sub=4} %1, %2\nsts{sub=4} %1, %3\n.exit\n");
	expect(both, 2, both);
}

static const char one[] = "b0:\n.branch %p0 b1 b2\nb1:\nmovi %2 = 0x1\nmovi %3 = 0x3\n.jump b2\nb2:\nsts{sub=4} %1, %2\nsts{sub=4} %1, %3\n.exit\n";

TEST(the_limit_is_the_longest)
{
	expect(one, 0, one);
	expect(one, 1, one);
	expect(one, 2, "b0:\n@%p0 movi %2 = 0x1\n@%p0 movi %3 = 0x3\nsts{sub=4} %1, %2\nsts{sub=4} %1, %3\n.exit\n");
}

/* `inst` stands in the side. */
static bool takes(const char *inst)
{
	hd_text in = {0};
	hd_text_printf(&in, "b0:\n.branch %%p0 b1 b2\nb1:\n%s\n.jump b2\nb2:\nsts{sub=4} %%1, %%2\n.exit\n", inst);
	ir_builder b = convert(in.at, 8);
	bool taken = b.f->blocks.n == 1;
	hd_text_free(&in);
	ir_free(&b);
	return taken;
}

TEST(accesses_and_arithmetic_take_a_guard)
{
	assert_true(takes("lds{sub=4} %2 = %1"));
	assert_true(takes("sts{sub=4} %1, %2"));
	assert_true(takes("atoms{sub=0} %2 = %1, %3"));
	assert_true(takes("isetp{cmp=eq} %p4 = %1, 0x0"));
	assert_true(takes("s2r{sreg=tid.x} %2 ="));
}

/* Barriers, other lanes, guards that are there already, and what writes the condition. */
TEST(other_instructions_keep_the_branch)
{
	assert_false(takes("bar 0x0"));
	assert_false(takes("membar"));
	assert_false(takes("shfl{mod=3} %2 = %1, %2, %3"));
	assert_false(takes("@%p4 movi %2 = 0x1"));
	assert_false(takes("isetp{cmp=eq} %p0 = %1, 0x0"));
	assert_false(takes("movi %2 = 0x1\nisetp{cmp=eq} %p0 = %1, 0x0"));
}

/* A side with another way in, one that ends the kernel, one that goes elsewhere, a loop, the entry. */
TEST(other_shapes_stay)
{
	static const char *const blocks[] = {
	    "b0:\n.branch %p4 b1 b2\nb1:\n.branch %p0 b2 b3\nb2:\nmovi %2 = 0x1\n.jump b3\nb3:\nsts{sub=4} %1, %2\n.exit\n",
	    "b0:\n.branch %p0 b1 b2\nb1:\nmovi %2 = 0x1\n.exit\nb2:\nsts{sub=4} %1, %2\n.exit\n",
	    "b0:\n.branch %p0 b1 b2\nb1:\nmovi %2 = 0x1\n.jump b1\nb2:\nsts{sub=4} %1, %2\n.exit\n",
	    "b0:\nmovi %2 = 0x1\n.branch %p0 b1 b2\nb1:\nmovi %2 = 0x2\n.jump b0\nb2:\nsts{sub=4} %1, %2\n.exit\n",
	    "b0:\nmovi %2 = 0x1\n.branch %p0 b0 b1\nb1:\nsts{sub=4} %1, %2\n.exit\n",
	};
	for (size_t i = 0; i < HD_COUNT(blocks); i++)
		expect(blocks[i], 8, blocks[i]);
}

/* The inner one of two branches; what has become one block with it may be guarded itself when no guard is left in it. */
TEST(the_inner_branch_is_guarded)
{
	expect("b0:\n.branch %p0 b1 b4\nb1:\n.branch %p4 b2 b3\nb2:\nmovi %2 = 0x1\n.jump b3\nb3:\nmovi %3 = 0x1\n.jump b4\nb4:\n"
	       "sts{sub=4} %1, %2\nsts{sub=4} %1, %3\n.exit\n",
	       8, "b0:\n.branch %p0 b1 b2\nb1:\n@%p4 movi %2 = 0x1\nmovi %3 = 0x1\n.jump b2\nb2:\nsts{sub=4} %1, %2\nsts{sub=4} %1, %3\n.exit\n");
}

/* A register of the side alone is scratch: its guarded definition ends its life. One that lives on is not, nor one of the block before. */
TEST(registers_of_a_side_are_scratch)
{
	ir_builder b = convert(
	    "b0:\nmovi %1 = 0x8\n.branch %p0 b1 b2\nb1:\nlds{sub=4} %3 = %1\niadd %2 = %3, 0x1\n.jump b2\nb2:\nsts{sub=4} %1, %2\n.exit\n", 4);
	assert_int_equal(b.f->blocks.n, 1);
	assert_false(b.f->vregs.at[0].scratch || b.f->vregs.at[1].scratch || b.f->vregs.at[2].scratch);
	assert_true(b.f->vregs.at[3].scratch);
	ir_free(&b);
	/* It is read before it is written there: the value of the turn before. */
	b = convert("b0:\n.branch %p0 b1 b2\nb1:\niadd %3 = %3, 0x1\nsts{sub=4} %1, %3\n.jump b2\nb2:\n.branch %p4 b0 b3\nb3:\n.exit\n", 4);
	assert_int_equal(b.f->blocks.n, 2);
	assert_false(b.f->vregs.at[3].scratch);
	ir_free(&b);
}
