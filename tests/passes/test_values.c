/* Which virtual registers are values: one definition, whole, without a guard, dominating all uses. */
#include "../ir_builder.h"
#include "passes/simplify/values.h"

static hd_opd reg(uint32_t v, unsigned words) { return hd_opd_reg(v, words); }

/* 0 branches to 1 and 2, which meet in 3; 3 is a loop. */
TEST(dominators)
{
	static const uint32_t expected[] = {0, 0, 0, 0, 3};
	ir_builder b = ir_new(6);
	ir_vreg(&b, 0);
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 3);
	ir_jump(&b, 2, 3);
	ir_branch(&b, 3, p(0), 3, 4);
	hd_values v = hd_values_new(b.f);
	assert_int_equal(v.reachable, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(v.dominator[i], expected[i]);
	assert_true(hd_dominates(&v, 0, 4) && hd_dominates(&v, 3, 4) && hd_dominates(&v, 2, 2));
	assert_false(hd_dominates(&v, 1, 3) || hd_dominates(&v, 4, 3) || hd_dominates(&v, 2, 1));
	hd_values_free(&v);
	ir_free(&b);
}

/* %0 to %7 in the order of the comments. */
TEST(what_is_a_value)
{
	static const bool expected[] = {
	    true,  /* a parameter that is never written */
	    false, /* a parameter that is written */
	    true,  /* one definition */
	    false, /* two */
	    false, /* one under a guard */
	    false, /* a pair in parts */
	    false, /* defined on one side of a branch, read behind */
	    true,  /* a predicate, read as guard and as condition */
	    false, /* half of a pair */
	};
	ir_builder b =
	    ir_read(".function \"f\"\n.vregs 1 1 1 1 1 2 1 0 2\n.params %0, %1\n.results %2\nb0:\n"
	            "mov %1 = %0\nmov %2 = %0\nmov %3 = %0\nmov %3 = %0\nisetp{cmp=eq} %p7 = %0, 0x1\n@%p7 mov %4 = %0\n"
	            "mov %5 = %0\nmov %5.1 = %0\nmov %8 = %0\n.branch %p7 b1 b2\nb1:\nmov %6 = %0\n.jump b2\nb2:\nsts{sub=4} %6, %2\n.ret\n");
	hd_values v = hd_values_new(b.f);
	for (uint32_t i = 0; i < HD_COUNT(expected); i++)
		assert_int_equal(v.of[i].is_value, expected[i]);
	assert_true(hd_is_value(&v, &(hd_opd){.kind = HD_OPD_PRED, .reg = 7}));
	assert_false(hd_is_value(&v, &(hd_opd){.kind = HD_OPD_IMM, .words = 1}));
	hd_values_free(&v);
	ir_free(&b);
}

/* In a loop, a definition behind the use does not dominate it; nor does one in the same instruction. */
TEST(uses_before_the_definition)
{
	ir_builder b = ir_read(".kernel \"k\"\n.vregs 1 1 0\nb0:\n.jump b1\nb1:\nsts{sub=4} %0, %0\nmovi %0 = 0x1\niadd %1 = %1, 0x1\n.branch "
	                       "%p2 b1 b2\nb2:\n.exit\n");
	hd_values v = hd_values_new(b.f);
	assert_false(v.of[0].is_value);
	assert_false(v.of[1].is_value);
	hd_values_free(&v);
	ir_free(&b);
}

/* Results are read at returns, conditions by branches. */
TEST(terminators_are_uses)
{
	ir_builder b = ir_read(".function \"f\"\n.vregs 1 0\n.results %0\nb0:\n.branch %p1 b1 b2\nb1:\nmovi %0 = 0x1\n.jump b2\nb2:\n.ret\n");
	hd_values v = hd_values_new(b.f);
	assert_false(v.of[0].is_value);
	hd_values_free(&v);
	ir_free(&b);
	b = ir_read(
	    ".kernel \"k\"\n.vregs 0 0\nb0:\n.branch %p1 b1 b2\nb1:\nplop{sub=240} %p0 = %p1, _, _\n.jump b2\nb2:\n.branch %p0 b2 b3\nb3:\n.exit\n");
	v = hd_values_new(b.f);
	assert_false(v.of[0].is_value);
	hd_values_free(&v);
	ir_free(&b);
}

TEST(definitions_of_whole_registers)
{
	ir_builder b = ir_read(".function \"f\"\n.vregs 1 2\n.params %0\nb0:\nmov64 %1:2 = c[0x40]:2\nsts{sub=4} %0, %1\n.ret\n");
	hd_values v = hd_values_new(b.f);
	hd_opd whole = reg(1, 2), part = reg(1, 1), high = hd_opd_sub(1, 1, 1), parameter = reg(0, 1);
	assert_ptr_equal(hd_definition_of(&v, &whole), ir_block(&b, 0)->insts.at[0]);
	assert_null(hd_definition_of(&v, &part));
	assert_null(hd_definition_of(&v, &high));
	assert_null(hd_definition_of(&v, &parameter));
	assert_int_equal(v.of[1].position, 1);
	hd_values_free(&v);
	ir_free(&b);
}
