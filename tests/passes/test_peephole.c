/* One instruction at a time: copies, constants, addresses, negations. The instructions before it only define what it reads. */
#include "../ir_builder.h"
#include "passes/simplify/peephole.h"

/* Simplifies the last instruction of `body` alone. `more`: it says that it changed something. */
static void simplify(const char *body, const char *expected, bool more)
{
	hd_text in = {0}, out = {0};
	hd_text_printf(&in, ".function \"f\"\n.vregs 1 1 1 1 2 2 2 0 0 0 1 1\n.frame 64 4\n.params %%0, %%1, %%4:2\nb0:\n%s.ret\n", body);
	ir_builder b = ir_read(in.at);
	hd_simplifier s = {.module = b.m, .function = b.f, .values = hd_values_new(b.f)};
	hd_ir_inst *last = ir_block(&b, 0)->insts.at[ir_block(&b, 0)->insts.n - 1];
	hd_simplify_inst(&s, last);
	hd_ir_print_inst(last, false, &out);
	assert_string_equal(out.at, expected);
	assert_int_equal(s.changed, more);
	hd_values_free(&s.values);
	ir_free(&b);
	hd_text_free(&in);
	hd_text_free(&out);
}

static void expect(const char *body, const char *expected) { simplify(body, expected, true); }
static void stays(const char *body, const char *last) { simplify(body, last, false); }

TEST(copies_are_looked_through)
{
	expect("mov %2 = %0\niadd %3 = %2, %1\n", "iadd %3 = %0, %1");
	expect("mov %2 = %0\nmov %10 = %2\niadd %3 = %10, %1\n", "iadd %3 = %0, %1");
	expect("mov64 %5:2 = %4:2\niadd %3 = %5.1, %1\n", "iadd %3 = %4.1, %1");
	expect("movi %2 = 0x5\niadd %3 = %1, %2\n", "iadd %3 = %1, 0x5");
	expect("mov64 %5:2 = 0x100000002:2\niadd %3 = %1, %5.1\n", "iadd %3 = %1, 0x1");
	expect("mov64 %5:2 = c[0x40]:2\niadd %3 = %1, %5.1\n", "iadd %3 = %1, c[0x44]");
	/* No value, or not what the format takes. */
	stays("mov %2 = %0\nmov %2 = %0\niadd %3 = %2, %1\n", "iadd %3 = %2, %1");
	stays("movi %2 = 0x5\nmov %10 = c[0x40]\nimad %3 = %1, c[0x44], %2\n", "imad %3 = %1, c[0x44], %2");
	stays("movi %2 = 0x5\nsts{sub=4} %0, %2\n", "sts{sub=4} %0, %2");
	expect("movi %2 = 0x0\nsts{sub=4} %0, %2\n", "sts{sub=4} %0, 0x0");
}

TEST(integers_are_folded)
{
	expect("iadd %3 = 0x5, 0xfffffffe\n", "mov %3 = 0x3");
	expect("imulw.u32 %5:2 = 0xffffffff, 0x2\n", "mov64 %5:2 = 0x1fffffffe:2");
	expect("shl %3 = 0x5, 0x20\n", "mov %3 = 0x0");
	expect("shr.u64 %5:2 = 0x8000000000000000:2, 0x3f\n", "mov64 %5:2 = 0x1:2");
	expect("iadd %3 = %0, 0x0\n", "mov %3 = %0");
	stays("iadd %3 = 0x7, %0\n", "iadd %3 = %0, 0x7"); /* exchanged, and nothing more to find */
	stays("isub %3 = 0x7, %0\n", "isub %3 = 0x7, %0");
	expect("and %3 = %0, 0xffffffff\n", "mov %3 = %0");
	expect("and %3 = %0, 0x0\n", "mov %3 = 0x0");
	expect("and64 %5:2 = %4:2, 0xffffffffffffffff:2\n", "mov64 %5:2 = %4:2");
	stays("and64 %5:2 = %4:2, 0xffffffff:2\n", "and64 %5:2 = %4:2, 0xffffffff:2");
	expect("imul %3 = %0, 0x0\n", "mov %3 = 0x0");
	expect("imul %3 = %0, 0x8\n", "shl %3 = %0, 0x3");
	expect("imul64 %5:2 = %4:2, 0x4:2\n", "shl64 %5:2 = %4:2, 0x2");
	stays("imul %3 = %0, 0x6\n", "imul %3 = %0, 0x6");
	expect("iadd %2 = %0, 0x5\niadd %3 = %2, 0xffffffff\n", "iadd %3 = %0, 0x4");
	expect("iadd %3 = 0x5, 0x6\n", "mov %3 = 0xb");
}

TEST(addresses_go_into_offsets)
{
	expect("iadd64 %5:2 = %4:2, 0x10:2\nldg{sub=4 offset=4} %3 = %5:2\n", "ldg{sub=4 offset=20} %3 = %4:2");
	expect("iadd %2 = %0, 0xfffffff8\nsts{sub=4} %2, %1\n", "sts{sub=4 offset=-8} %0, %1");
	stays("iadd64 %5:2 = %4:2, 0x8000:2\nldg{sub=4} %3 = %5:2\n", "ldg{sub=4} %3 = %5:2");
	stays("iadd %2 = %0, 0x7fff\nsts{sub=4 offset=1} %2, %1\n", "sts{sub=4 offset=1} %2, %1");
	stays("iadd %2 = %0, 0x8\natoms %3 = %2, %1\n", "atoms %3 = %2, %1"); /* has no offset */
	expect("iadd %2 = frame[0x10], 0x4\nldl{sub=4} %3 = %2\n", "ldl{sub=4 offset=4} %3 = frame[0x10]");
	expect("ldc{sub=4 offset=4} %3 = 0x40\n", "mov %3 = c[0x44]");
	stays("ldc{sub=5 offset=4} %5:2 = 0x40\n", "ldc{sub=5 offset=4} %5:2 = 0x40"); /* misaligned */
	stays("ldc{sub=4} %3 = 0x400\n", "ldc{sub=4} %3 = 0x400");                     /* beyond the bank */
}

TEST(negations_go_into_sums)
{
	expect("fneg %2 = %0\nfadd %3 = %1, %2\n", "fsub %3 = %1, %0");
	expect("fneg %2 = %0\nfadd %3 = %2, %1\n", "fsub %3 = %1, %0");
	expect("fneg %2 = %0\nfsub %3 = %1, %2\n", "fadd %3 = %1, %0");
	expect("fneg %2 = %0\nffma %3 = %1, %2, %10\n", "fnfma %3 = %1, %0, %10");
	expect("fneg %2 = %0\nffma %3 = %1, %10, %2\n", "ffms %3 = %1, %10, %0");
	expect("dneg %5:2 = %4:2\ndadd %6:2 = %4:2, %5:2\n", "dsub %6:2 = %4:2, %4:2");
	stays("fneg %2 = %0\nfmul %3 = %1, %2\n", "fmul %3 = %1, %2");
}

TEST(predicates_are_looked_through)
{
	static const char set[] = "isetp{cmp=eq} %p7 = %0, 0x1\n";
	static const struct {
		const char *plop, *expected;
	} rows[] = {{"plop{sub=240} %p8 = %p7, _, _\n", "@%p7 mov %3 = %0"},
	            {"plop{sub=15} %p8 = %p7, _, _\n", "@!%p7 mov %3 = %0"},
	            {"plop{sub=240} %p8 = !%p7, _, _\n", "@!%p7 mov %3 = %0"},
	            {"plop{sub=15} %p8 = !%p7, _, _\n", "@%p7 mov %3 = %0"},
	            {"plop{sub=128} %p8 = %p7, %p9, _\n", "@%p8 mov %3 = %0"}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_text text = {0};
		hd_text_printf(&text, "%s%s@%%p8 mov %%3 = %%0\n", set, rows[i].plop);
		simplify(text.at, rows[i].expected, i < 4);
		hd_text_free(&text);
	}
	/* A carry-in cannot be negated. */
	stays("isetp{cmp=eq} %p7 = %0, 0x1\nplop{sub=15} %p8 = %p7, _, _\niaddc %3, _ = %0, %1, %p8\n", "iaddc %3, _ = %0, %1, %p8");
}
