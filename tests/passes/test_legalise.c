/* After legalisation every operand can be encoded. */
#include "../ir_builder.h"
#include "../run_pass.h"
#include "passes/lower/legalise.h"

static void expect(const char *body, const char *expected)
{
	hd_text in = {0}, out = {0};
	hd_text_printf(&in, ".kernel \"k\"\n.vregs 1 1 2 2 0\n.frame 32 4\nb0:\n%s.exit\n", body);
	hd_text_printf(&out, "b0:\n%s.exit\n", expected);
	ir_builder b = ir_read(in.at);
	run_pass(hd_pass_legalise, b.m, NULL);
	ir_expect(&b, out.at);
	ir_free(&b);
	hd_text_free(&in);
	hd_text_free(&out);
}

static void stays(const char *body) { expect(body, body); }

TEST(one_constant_an_instruction)
{
	stays("iadd %0 = %1, 0x5\n");          /* the 16-bit immediate */
	stays("iadd %0 = %1, 0x12345678\n");   /* a literal */
	stays("iadd %0 = %1, c[0x40]\n");      /* a bank word */
	stays("imad %0 = %1, 0x0, c[0x40]\n"); /* zero is a register */
	expect("imad %0 = %1, 0x12345678, c[0x40]\n", "ldc{sub=4 offset=64} %5 = 0x0\nimad %0 = %1, 0x12345678, %5\n");
}

TEST(constants_come_second)
{
	expect("iadd %0 = 0x5, %1\n", "iadd %0 = %1, 0x5\n");
	expect("isetp{cmp=lt} %p4 = 0x5, %1\n", "isetp{cmp=gt} %p4 = %1, 0x5\n");
	expect("isetp{cmp=hs} %p4 = 0x5, %1\n", "isetp{cmp=ls} %p4 = %1, 0x5\n");
	expect("isetp{cmp=eq} %p4 = 0x5, %1\n", "isetp{cmp=eq} %p4 = %1, 0x5\n");
	stays("isub %0 = 0x12345678, %1\n"); /* does not commute */
}

TEST(bank_words_have_limits)
{
	expect("iadd %0 = %1, c[0x400]\n", "ldc{sub=4 offset=1024} %5 = 0x0\niadd %0 = %1, %5\n");
	expect("iadd64 %2:2 = %3:2, c[0x44]:2\n", "ldc{sub=5 offset=68} %5:2 = 0x0\niadd64 %2:2 = %3:2, %5:2\n");
}

TEST(addresses_and_offsets)
{
	stays("ldg{sub=4} %0 = c[0x40]:2\n");
	expect("stg{sub=4} c[0x40]:2, %0\n", "ldc{sub=5 offset=64} %5:2 = 0x0\nstg{sub=4} %5:2, %0\n");
	expect("lds{sub=4 offset=4} %0 = 0x10\n", "lds{sub=4 offset=20} %0 = 0x0\n");
	expect("lds{sub=4} %0 = 0x10000\n", "movi %5 = 0x10000\nlds{sub=4} %0 = %5\n");
	expect("sts{sub=4 offset=40000} %1, %0\n", "movi %6 = 0x9c40\niadd %5 = %1, %6\nsts{sub=4} %5, %0\n");
	/* The bank's end, which no signed offset reaches. */
	expect("ldc{sub=4 offset=4} %0 = 0x80a0\n", "ldc{sub=4 offset=32932} %0 = 0x0\n");
	expect("ldc{sub=4 offset=40000} %0 = %1\n", "movi %6 = 0x9c40\niadd %5 = %1, %6\nldc{sub=4} %0 = %5\n");
	expect("atoms{offset=4} %0 = %1, %1\n", "movi %6 = 0x4\niadd %5 = %1, %6\natoms %0 = %5, %1\n");
	expect("sts{sub=4} %1, 0x7\n", "movi %5 = 0x7\nsts{sub=4} %1, %5\n");
	stays("sts{sub=4} %1, 0x0\n");
}

TEST(frame_addresses)
{
	stays("ldl{sub=4} %0 = frame[0x8]\n");
	stays("mov %0 = frame[0x8]\n");
	expect("ld{sub=4} %0 = %2:2\niadd %1 = frame[0x8], %0\n", "ld{sub=4} %0 = %2:2\nmov %5 = frame[0x8]\niadd %1 = %0, %5\n");
}

TEST(copies_calls_and_barriers)
{
	expect("mov %0 = 0x5\n", "movi %0 = 0x5\n");
	stays("mov %0 = 0x0\n");
	expect("bar 0x40\n", "movi %5 = 0x40\nbar %5\n");
}

/* HZ-4: what a memory instruction would keep in use is taken care of at the end. */
TEST(memory_operands_are_freed)
{
	ir_builder b = ir_read(".kernel \"k\"\n.vregs 1 1 1 0\nb0:\n.jump b1\nb1:\nlds{sub=4} %2 = %0\nsts{sub=4} %1, %2\nsts{sub=4} %0, 0x7\n"
	                       "iadd %1 = %1, 0x4\n.branch %p3 b1 b2\nb2:\n.exit\n");
	run_pass(hd_pass_legalise, b.m, NULL);
	ir_expect(&b, "b0:\nmovi %4 = 0x7\n.jump b1\nb1:\nlds{sub=4} %2 = %0\niadd %1 = %1, 0x4\nsts{sub=4 offset=-4} %1, %2\nsts{sub=4} %0, %4\n"
	              ".branch %p3 b1 b2\nb2:\n.exit\n");
	ir_free(&b);
}

/* The pool has the constants of loops first. */
TEST(literals_are_weighted_by_loops)
{
	hd_text text = {0};
	hd_text_printf(&text,
	               ".kernel \"k\"\n.info 0 %u 0 0 0 0\n.vregs 1 0\nb0:\n\tiadd %%0 = %%0, 0x11111111\n\tiadd %%0 = %%0, 0x11111111\n\t.jump b1\n"
	               "b1:\n\tiadd %%0 = %%0, 0x22222222\n\t.branch %%p1 b1 b2\nb2:\n\t.exit\n",
	               4 * (HD_CONST_WORDS - 2) - HD_BANK_PARAMS);
	ir_builder b = ir_read(text.at);
	run_pass(hd_pass_legalise, b.m, NULL);
	assert_int_equal(b.m->literals.n, 2);
	assert_int_equal(b.m->literals.at[0], 0x22222222);
	ir_free(&b);
	hd_text_free(&text);
}
