/* Values that were computed before in the block become copies. */
#include "../ir_builder.h"
#include "passes/simplify/common_subexpressions.h"

static void expect(const char *body, const char *expected)
{
	hd_text in = {0}, out = {0};
	hd_text_printf(&in, ".function \"f\"\n.vregs 1 1 1 1 1 1 0 2\n.params %%0, %%1\nb0:\n%s", body);
	hd_text_printf(&out, "b0:\n%s", expected);
	ir_builder b = ir_read(in.at);
	hd_simplifier s = {.module = b.m, .function = b.f, .values = hd_values_new(b.f)};
	hd_merge_common_subexpressions(&s);
	ir_expect(&b, out.at);
	assert_int_equal(s.changed, strcmp(body, expected) != 0);
	hd_values_free(&s.values);
	ir_free(&b);
	hd_text_free(&in);
	hd_text_free(&out);
}

static void stays(const char *body) { expect(body, body); }

TEST(equal_expressions_are_computed_once)
{
	expect("iadd %2 = %0, %1\niadd %3 = %0, %1\niadd %4 = %0, %1\n.ret\n", "iadd %2 = %0, %1\nmov %3 = %2\nmov %4 = %2\n.ret\n");
	expect("iadd %2 = %0, 0x5\nisub %3 = %0, 0x5\niadd %4 = %0, 0x5\n.ret\n", "iadd %2 = %0, 0x5\nisub %3 = %0, 0x5\nmov %4 = %2\n.ret\n");
}

/* However the table of expressions fills up. */
TEST(many_expressions)
{
	hd_text body = {0};
	for (unsigned i = 0; i < 200; i++)
		hd_text_printf(&body, "iadd %%%u = %%0, 0x%x\nsts{sub=4} %%1, %%%u\n", i + 2, i + 1, i + 2);
	hd_text in = {0};
	hd_text_printf(&in, ".function \"f\"\n.vregs");
	for (unsigned i = 0; i < 202; i++)
		hd_text_printf(&in, " 1");
	hd_text_printf(&in, "\n.params %%0, %%1\nb0:\n%s.ret\n", body.at);
	ir_builder b = ir_read(in.at);
	hd_simplifier s = {.module = b.m, .function = b.f, .values = hd_values_new(b.f)};
	hd_merge_common_subexpressions(&s);
	assert_false(s.changed);
	hd_values_free(&s.values);
	ir_free(&b);
	hd_text_free(&in);
	hd_text_free(&body);
}

TEST(everything_must_be_equal)
{
	stays("iadd %2 = %0, %1\niadd %3 = %1, %0\n.ret\n");
	stays("fadd %2 = %0, %1\nfadd{mod=1} %3 = %0, %1\n.ret\n");
	stays("fsetp{cmp=eq} %p6 = %0, %1\nsel %2 = %0, %1, %p6\nsel %3 = %0, %1, !%p6\n.ret\n");
	stays("shl %2 = %0, 0x1\nshl %3 = %0, 0x2\n.ret\n");
}

/* Registers that change, or results that have several definitions. */
TEST(only_values_count)
{
	stays("iadd %2 = %0, %5\nmov %5 = %1\niadd %3 = %0, %5\nmov %5 = %0\n.ret\n");
	stays("iadd %2 = %0, %1\niadd %3 = %0, %1\niadd %3 = %0, %1\n.ret\n");
	stays("isetp{cmp=eq} %p6 = %0, %1\niadd %2 = %0, %1\n@%p6 iadd %3 = %0, %1\n.ret\n");
}

/* Loads may see other values, votes other lanes, clocks other times; a copy is no computation. */
TEST(what_depends_on_more_than_operands_stays)
{
	stays("lds{sub=4} %2 = %0\nlds{sub=4} %3 = %0\n.ret\n");
	stays("s2r{sreg=clock} %2 =\ns2r{sreg=clock} %3 =\n.ret\n");
	stays("mov %2 = %0\nmov %3 = %0\n.ret\n");
	stays("ballot %2 = %0, _\nballot %3 = %0, _\n.ret\n");
}

/* Other blocks, for special registers alone, and only if they come before on every way. */
TEST(special_registers_are_read_once)
{
	expect("s2r{sreg=tid.x} %2 =\niadd %4 = %0, %1\n.jump b1\nb1:\ns2r{sreg=tid.x} %3 =\niadd %5 = %0, %1\n.ret\n",
	       "s2r{sreg=tid.x} %2 =\niadd %4 = %0, %1\n.jump b1\nb1:\nmov %3 = %2\niadd %5 = %0, %1\n.ret\n");
	stays("isetp{cmp=eq} %p6 = %0, %1\n.branch %p6 b1 b2\nb1:\ns2r{sreg=tid.x} %2 =\n.jump b2\nb2:\ns2r{sreg=tid.x} %3 =\n.ret\n");
	stays("s2r{sreg=tid.x} %2 =\ns2r{sreg=tid.y} %3 =\n.ret\n");
}
