/* LU-1: pseudo operations become sub-instructions, in the order of the source's example. */
#include "../ir_builder.h"
#include "../run_pass.h"
#include "passes/lower/expand.h"

static void expect(const char *body, const char *expected)
{
	hd_text in = {0}, out = {0};
	hd_text_printf(&in, ".function \"f\"\n.vregs 1 1 1 1 1 1 1 1 1 0\nb0:\n%s\n.ret\n", body);
	hd_text_printf(&out, "b0:\n%s.ret\n", expected);
	ir_builder b = ir_read(in.at);
	run_pass(hd_pass_expand, b.m, NULL);
	ir_expect(&b, out.at);
	ir_free(&b);
	hd_text_free(&in);
	hd_text_free(&out);
}

/* The source's example, in its order. */
TEST(test_LU_1_dp4)
{
	expect("@!%p9 dp4{mod=3} %8 = %0, %1, %2, %3, %4, %5, %6, %7",
	       "fmul{mod=3} %10 = %0, %4\nfmul{mod=3} %11 = %1, %5\nffma{mod=3} %12 = %2, %6, %10\nffma{mod=3} %13 = %3, %7, %11\n"
	       "@!%p9 fadd{mod=3} %8 = %12, %13\n");
	expect("dp2 %0 = %0, %1, %2, %3", "fmul %10 = %0, %2\nffma %0 = %1, %3, %10\n");
	expect("dp3 _ = %0, %1, %2, %3, %4, %5", "");
}

TEST(test_LU_1_norm3)
{
	expect("norm3 %1, %2, %0 = %0, %1, %2", "fmul %10 = %0, %0\nffma %11 = %1, %1, %10\nffma %12 = %2, %2, %11\nfrsq %13 = %12\n"
	                                        "fsetp{cmp=eq} %p14 = %12, 0x0\nsel %15 = 0x0, %13, %p14\nfmul %16 = %0, %15\nfmul %17 = %1, %15\n"
	                                        "fmul %18 = %2, %15\nmov %1 = %16\nmov %2 = %17\nmov %0 = %18\n");
}

/* A pseudo operation without a wanted result goes; a call stays, and keeps its place. */
TEST(test_what_is_not_expanded) { expect("idiv.u32 _ = %0, %1\ncall.f{to=1}\nmov %1 = %0", "call.f{to=1}\nmov %1 = %0\n"); }
