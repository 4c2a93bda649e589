/* Whole kernels: calls of every kind, data with addresses, state spaces, tables of branches, operations across lanes. */
#include "run.h"

#define HEADER ".version 6.3\n.target sm_70\n.address_size 64\n"
#define PARAMS "(.param .u64 .ptr .global .align 8 pin, .param .u64 .ptr .global .align 8 pout, .param .u32 pa, .param .u32 pb)\n"
/* out[tid] = %r0 at the end */
#define PROLOGUE                                                                                                                                    \
	"{\n.reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<20>;\n.reg .b64 %in, %out, %slot; .reg .b32 %t, " \
	"%a, "                                                                                                                                      \
	"%b;\nld.param.u64 %in, [pin]; ld.param.u64 %out, [pout]; ld.param.u32 %a, [pa]; ld.param.u32 %b, [pb];\n"                                  \
	"mov.u32 %t, %tid.x; mad.wide.u32 %slot, %t, 4, %out;\n"
#define EPILOGUE "st.global.u32 [%slot], %r0;\nret;\n}\n"

static void run32(const char *text, const char *name, uint32_t a, uint32_t b, uint32_t out[32])
{
	uint32_t in[64], extra[2] = {a, b};
	for (uint32_t i = 0; i < 64; i++)
		in[i] = i * i + 1;
	memset(out, 0, 128);
	run_ptx(text, name, 32, in, sizeof in, out, 128, extra, 256);
}

TEST(calls_with_structs_and_results)
{
	(void)state;
	uint32_t out[32];
	/* 20 bytes in, 20 bytes out; one of its bytes is written by itself; the callee indexes it through a register. */
	run32(HEADER ".func (.param .align 4 .b8 ret[20]) mk(.param .align 4 .b8 s[20], .param .b32 k)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg "
	             ".b16 %rs<3>;\n"
	             "mov.b64 %rd1, s;\nld.param.u32 %r1, [k];\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.param.u32 %r2, [%rd3];\n"
	             "st.param.b32 [ret], %r2;\nld.param.u8 %rs1, [s+17];\nst.param.b8 [ret+6], %rs1;\nld.param.v2.u32 {%r3, %r4}, [s];\n"
	             "add.s32 %r5, %r3, %r4;\nst.param.b32 [ret+16], %r5;\nret;\n}\n"
	             ".entry k" PARAMS PROLOGUE
	             "mov.u16 %rs1, 0x5a;\n{\n.param .align 4 .b8 p0[20];\nst.param.b32 [p0], %t;\nst.param.b32 [p0+4], %a;\n"
	             "st.param.b32 [p0+8], 100;\nst.param.b32 [p0+12], 200;\nst.param.b8 [p0+17], %rs1;\nst.param.b8 [p0+16], 1;\n"
	             ".param .b32 p1;\nand.b32 %r1, %t, 3;\nst.param.b32 [p1], %r1;\n.param .align 4 .b8 r[20];\ncall.uni (r), mk, (p0, p1);\n"
	             "ld.param.b32 %r2, [r];\nld.param.u8 %r3, [r+6];\nld.param.b32 %r4, [r+16];\n}\n"
	             "mad.lo.s32 %r0, %r2, 1000, %r3;\nadd.s32 %r0, %r0, %r4;\n" EPILOGUE,
	      "k", 7, 0, out);
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t picked[4] = {i, 7, 100, 200};
		assert_int_equal(out[i], picked[i & 3] * 1000 + 0x5a + i + 7);
	}
}

TEST(large_structs_travel_through_the_frame)
{
	(void)state;
	uint32_t out[32];
	run32(HEADER
	      ".func (.param .align 16 .b8 ret[128]) twice(.param .align 16 .b8 s[96], .param .b64 x)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
	      "ld.param.u32 %r1, [s+92];\nld.param.u64 %rd1, [x];\ncvt.u32.u64 %r2, %rd1;\nadd.s32 %r1, %r1, %r2;\nst.param.b32 [ret+124], %r1;\n"
	      "ld.param.v4.b32 {%r3, %r4, %r5, %r6}, [s+16];\nst.param.v4.b32 [ret+32], {%r6, %r5, %r4, %r3};\nret;\n}\n"
	      ".entry k" PARAMS PROLOGUE "{\n.param .align 16 .b8 p0[96];\nst.param.v4.b32 [p0+16], {%t, %a, 3, 4};\nst.param.b32 [p0+92], %b;\n"
	      ".param .b64 p1;\nst.param.b64 [p1], 1000;\n.param .align 16 .b8 r[128];\ncall (r), twice, (p0, p1);\nld.param.b32 %r1, [r+124];\n"
	      "ld.param.v4.b32 {%r2, %r3, %r4, %r5}, [r+32];\n}\nmad.lo.s32 %r0, %r5, 100000, %r1;\nmad.lo.s32 %r0, %r4, 10, %r0;\nadd.s32 %r0, %r0, "
	      "%r2;\n" EPILOGUE,
	      "k", 7, 11, out);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], i * 100000 + 1011 + 70 + 4);
}

TEST(recursion_and_indirect_calls)
{
	(void)state;
	uint32_t out[32];
	run32(HEADER ".func (.param .b32 r) add1(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [x];\nadd.s32 %r1, %r1, 1;\nst.param.b32 "
	             "[r], %r1;\nret;\n}\n"
	             ".func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [x];\nshl.b32 %r1, %r1, 1;\nst.param.b32 "
	             "[r], %r1;\nret;\n}\n"
	             ".func (.param .b32 r) fact(.param .b32 n)\n{\n.reg .b32 %r<9>; .reg .pred %p<2>;\nld.param.u32 %r1, [n];\nmov.u32 %r4, 1;\n"
	             "setp.lt.u32 %p1, %r1, 2;\n@%p1 bra done;\nadd.s32 %r2, %r1, -1;\n{\n.param .b32 a; .param .b32 b;\nst.param.b32 [a], %r2;\n"
	             "call (b), fact, (a);\nld.param.b32 %r3, [b];\n}\nmul.lo.s32 %r4, %r3, %r1;\ndone:\nst.param.b32 [r], %r4;\nret;\n}\n"
	             ".global .align 8 .u64 table[2] = {add1, twice};\n"
	             ".entry k" PARAMS PROLOGUE "and.b32 %r1, %t, 1;\nmul.wide.u32 %rd1, %r1, 8;\nmov.u64 %rd2, table;\nadd.s64 %rd1, %rd1, %rd2;\n"
	             "ld.global.u64 %rd3, [%rd1];\nand.b32 %r5, %t, 7;\n{\n.param .b32 a; .param .b32 b;\nst.param.b32 [a], %r5;\n"
	             "call.uni (b), fact, (a);\nld.param.b32 %r6, [b];\n}\n{\n.param .b32 a; .param .b32 b;\nst.param.b32 [a], %r6;\n"
	             "proto : .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %rd3, (a), proto;\nld.param.b32 %r0, [b];\n}\n"
	             "mov.u64 %rd5, twice;\n{\n.param .b32 a; .param .b32 b;\nst.param.b32 [a], %r0;\n"
	             "proto : .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %rd5, (a), proto;\nld.param.b32 %r0, [b];\n}\n" EPILOGUE,
	      "k", 0, 0, out);
	for (uint32_t i = 0, fact[8] = {1, 1, 2, 6, 24, 120, 720, 5040}; i < 32; i++)
		assert_int_equal(out[i], 2 * (i & 1 ? 2 * fact[i & 7] : fact[i & 7] + 1));
}

TEST(a_kernel_calls_a_kernel)
{
	(void)state;
	uint32_t out[32];
	run32(HEADER
	      ".entry inner" PARAMS PROLOGUE "add.s32 %r0, %a, %t;\n" EPILOGUE ".entry k" PARAMS PROLOGUE
	      "{\n.param .b64 a; .param .b64 b; .param .b32 c; .param .b32 d;\nst.param.b64 [a], %in; st.param.b64 [b], %out; add.s32 %r1, %a, 500;\n"
	      "st.param.b32 [c], %r1; st.param.b32 [d], 0;\ncall inner, (a, b, c, d);\n}\nld.global.u32 %r0, [%slot];\nadd.s32 %r0, %r0, "
	      "%b;\n" EPILOGUE,
	      "k", 1, 10000, out);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], 10501 + i);
}

TEST(data_and_its_initialisers)
{
	(void)state;
	uint32_t out[32];
	run32(
	    HEADER
	    ".global .align 4 .u32 words[4] = {10, 20, 30, 40};\n.const .align 2 .u16 halves[2][2] = {{1, 2}, {3, 0xffff}};\n"
	    ".global .align 8 .u64 ptr = words+8;\n.global .align 8 .u64 gptr = generic(words)+4;\n.const .align 4 .f32 fl[2] = {0f40000000, 3.0};\n"
	    ".global .align 8 .b8 packed[12] = {7, 0, 0, 0, 0xFF(words), 0xFF00(words), 0xFF0000(words), 0xFF000000(words), "
	    "0xFF00000000(words), 0xFF0000000000(words), 0xFF000000000000(words), 0xFF00000000000000(words)};\n.global .align 4 .b8 zero[8];\n"
	    ".entry k" PARAMS PROLOGUE
	    "ld.global.u64 %rd1, [ptr];\nld.global.u32 %r1, [%rd1];\nld.global.u64 %rd2, [gptr];\nld.u32 %r2, [%rd2];\nadd.s32 %r0, %r1, %r2;\n"
	    "ld.const.u16 %r3, [halves+6];\nadd.s32 %r0, %r0, %r3;\nld.const.f32 %f1, [fl+4];\ncvt.rzi.u32.f32 %r4, %f1;\nadd.s32 %r0, %r0, %r4;\n"
	    "ld.global.u32 %r5, [packed+4];\nld.global.u32 %r6, [packed+8];\nmov.b64 %rd3, {%r5, %r6};\nld.global.u32 %r7, [%rd3+12];\n"
	    "add.s32 %r0, %r0, %r7;\nld.global.u32 %r8, [zero+4];\nadd.s32 %r0, %r0, %r8;\n" EPILOGUE,
	    "k", 0, 0, out);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], 30 + 20 + 65535 + 3 + 40);
}

TEST(state_spaces_and_generic_addresses)
{
	(void)state;
	uint32_t out[32];
	/* Each thread writes through generic addresses into shared (static and dynamic), local and global memory, and reads back plainly. */
	run32(HEADER
	      ".extern .shared .align 16 .b8 dyn[];\n"
	      ".func (.param .b32 r) bump(.param .b64 p)\n{\n.reg .b64 %rd<3>; .reg .b32 %r<3>;\nld.param.u64 %rd1, [p];\nld.u32 %r1, "
	      "[%rd1];\nadd.s32 %r1, %r1, 1;\n"
	      "st.u32 [%rd1], %r1;\nst.param.b32 [r], %r1;\nret;\n}\n"
	      ".entry other" PARAMS PROLOGUE
	      ".shared .align 4 .b8 much[400];\nmov.u64 %rd1, much;\nst.shared.u32 [%rd1], %a;\nld.shared.u32 %r0, [much];\n" EPILOGUE
	      ".entry k" PARAMS "{\n.shared .align 4 .b8 mine[128];\n.local .align 8 .b8 depot[64];\n"
	      ".reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .pred %p<4>; .reg .b64 %SP, %SPL, %in, %out, %slot; .reg .b32 %t, %a, %b;\n"
	      "ld.param.u64 %out, [pout]; mov.u32 %t, %tid.x; mad.wide.u32 %slot, %t, 4, %out;\nmov.u64 %SPL, depot;\ncvta.local.u64 %SP, %SPL;\n"
	      "mul.wide.u32 %rd1, %t, 4;\nmov.u64 %rd2, mine;\nadd.s64 %rd3, %rd2, %rd1;\ncvta.shared.u64 %rd4, %rd3;\n"
	      "mov.u64 %rd5, dyn;\nadd.s64 %rd6, %rd5, %rd1;\ncvta.shared.u64 %rd7, %rd6;\n"
	      "and.b32 %r1, %t, 7;\nmul.wide.u32 %rd8, %r1, 8;\nadd.s64 %rd9, %SP, %rd8;\nadd.s64 %rd10, %SPL, %rd8;\n"
	      "st.shared.u32 [%rd3], %t;\nst.shared.u32 [%rd6], 1000;\nst.local.u32 [%rd10], 5;\nst.global.u32 [%slot], 70000;\n"
	      "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd4; call (b), bump, (a); ld.param.b32 %r2, [b]; }\n"
	      "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd7; call (b), bump, (a); ld.param.b32 %r3, [b]; }\n"
	      "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd9; call (b), bump, (a); ld.param.b32 %r4, [b]; }\n"
	      "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %slot; call (b), bump, (a); ld.param.b32 %r5, [b]; }\n"
	      "ld.shared.u32 %r6, [%rd3];\nld.shared.u32 %r7, [%rd6];\nld.local.u32 %r8, [%rd10];\nld.global.u32 %r9, [%slot];\n"
	      "add.s32 %r0, %r6, %r7; add.s32 %r0, %r0, %r8; add.s32 %r0, %r0, %r9;\nisspacep.shared %p1, %rd4; isspacep.local %p2, %rd9; "
	      "isspacep.global %p3, %slot;\n"
	      "and.pred %p1, %p1, %p2; and.pred %p1, %p1, %p3; isspacep.global %p2, %rd7; not.pred %p2, %p2; and.pred %p1, %p1, %p2;\n"
	      "selp.b32 %r10, 500000, 0, %p1; add.s32 %r0, %r0, %r10;\n" EPILOGUE,
	      "k", 0, 0, out);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], i + 1 + 1001 + 6 + 70001 + 500000);
}

TEST(tables_of_branches)
{
	(void)state;
	uint32_t out[32];
	run32(HEADER ".entry k" PARAMS PROLOGUE "and.b32 %r1, %t, 3;\nmov.u32 %r0, 0;\nts: .branchtargets la, lb, lc, lb;\nsetp.gt.u32 %p1, %t, 27;\n"
	             "@%p1 bra out;\nbrx.idx %r1, ts;\nla:\nadd.s32 %r0, %r0, 1;\nlb:\nadd.s32 %r0, %r0, 10;\nbra.uni out;\nlc:\nmov.u32 %r0, "
	             "7;\nout:\n" EPILOGUE,
	      "k", 0, 0, out);
	for (uint32_t i = 0, want[4] = {11, 10, 7, 10}; i < 32; i++)
		assert_int_equal(out[i], i > 27 ? 0 : want[i & 3]);
}

TEST(operations_across_lanes)
{
	(void)state;
	uint32_t out[32];
	run32(HEADER
	      ".entry k" PARAMS PROLOGUE "shfl.sync.bfly.b32 %r1|%p1, %t, 1, 31, -1;\nshfl.sync.up.b32 %r2|%p2, %t, 3, 0, -1;\n"
	      "selp.u32 %r3, 1, 0, %p2;\nsetp.lt.u32 %p3, %t, 5;\nvote.sync.ballot.b32 %r4, %p3, -1;\nvote.sync.any.pred %p4, %p3, -1;\n"
	      "vote.sync.all.pred %p5, %p3, -1;\nselp.u32 %r5, 1, 0, %p4;\nselp.u32 %r6, 1, 0, %p5;\nshr.u32 %r7, %t, 4;\nmatch.any.sync.b32 %r8, "
	      "%r7, -1;\n"
	      "popc.b32 %r8, %r8;\nmov.u32 %r9, %laneid;\nmov.u32 %r10, %lanemask_lt;\npopc.b32 %r10, %r10;\n"
	      "add.s32 %r0, %r1, %r2;\nmad.lo.s32 %r0, %r3, 100, %r0;\nmad.lo.s32 %r0, %r4, 1000, %r0;\nmad.lo.s32 %r0, %r5, 100000, %r0;\n"
	      "mad.lo.s32 %r0, %r6, 1000000, %r0;\nmad.lo.s32 %r0, %r8, 1000000, %r0;\nsub.s32 %r11, %r10, %r9;\nadd.s32 %r0, %r0, %r11;\n" EPILOGUE,
	      "k", 0, 0, out);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], (i ^ 1) + (i >= 3 ? i - 3 : i) + (i >= 3) * 100 + 31 * 1000 + 100000 + 16 * 1000000);
}

TEST(atomics)
{
	(void)state;
	uint32_t out[32];
	run32(
	    HEADER
	    ".global .align 8 .u64 total;\n.shared .align 4 .u32 most;\n.entry k" PARAMS PROLOGUE
	    "st.shared.u32 [most], 0;\nbar.sync 0;\nmov.u64 %rd1, total;\ncvt.u64.u32 %rd2, %t;\natom.global.add.u64 %rd3, [%rd1], %rd2;\n"
	    "red.shared.max.u32 [most], %t;\nbar.sync 0;\nld.volatile.global.u64 %rd4, [total];\nld.shared.u32 %r1, [most];\ncvt.u32.u64 %r0, %rd4;\n"
	    "mad.lo.s32 %r0, %r1, 1000, %r0;\n" EPILOGUE,
	    "k", 0, 0, out);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], 31 * 1000 + 31 * 32 / 2);
}

TEST(barriers_that_reduce)
{
	(void)state;
	uint32_t in[1] = {0}, out[64] = {0};
	/* Two warps, one of which is all true; a loop uses the barrier again and again. */
	run_ptx(
	    HEADER
	    ".entry k" PARAMS PROLOGUE "mov.u32 %r0, 0;\nmov.u32 %r1, 0;\nagain:\nadd.s32 %r2, %t, %r1;\nsetp.lt.u32 %p1, %r2, 40;\n"
	    "bar.red.popc.u32 %r3, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, 64, !%p1;\n"
	    "mad.lo.s32 %r0, %r0, 3, %r3;\nselp.u32 %r4, 1000, 0, %p2;\nselp.u32 %r5, 5, 0, %p3;\nadd.s32 %r0, %r0, %r4;\nadd.s32 %r0, %r0, %r5;\n"
	    "add.s32 %r1, %r1, 20;\nsetp.lt.u32 %p4, %r1, 60;\n@%p4 bra again;\n" EPILOGUE,
	    "k", 64, in, sizeof in, out, sizeof out, NULL, 0);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], ((40 + 5) * 3 + 20 + 5) * 3 + 0 + 5);
}

/* A variable that two kernels reach has one place in both; their own variables may lie over each other; dynamic memory comes after all. */
TEST(shared_memory_of_several_kernels)
{
	(void)state;
	hd_diag diag = {0};
	static const char text[] = HEADER ".shared .align 4 .b8 common[8];\n.extern .shared .align 16 .b8 dyn[];\n"
	                                  ".func f()\n{\n.reg .b64 %rd<3>;\nmov.u64 %rd1, common;\nst.shared.u32 [%rd1], 1;\nret;\n}\n"
	                                  ".entry a()\n{\n.shared .align 4 .b8 own[100];\nst.shared.u32 [own], 2;\ncall f;\nret;\n}\n"
	                                  ".entry b()\n{\n.shared .align 4 .b8 own[20];\n.reg .b64 %rd<3>;\nst.shared.u32 [own], 3;\ncall "
	                                  "f;\nmov.u64 %rd1, dyn;\nst.shared.u32 [%rd1], 4;\nret;\n}\n"
	                                  ".entry c()\n{\n.reg .b64 %rd<3>;\nmov.u64 %rd1, dyn;\nst.shared.u32 [%rd1], 5;\nret;\n}\n";
	hd_ir_module *module = hd_ptx_read(text, strlen(text), "test.ptx", &diag);
	assert_non_null(module);
	const uint32_t want[] = {108, 32, 0};
	unsigned kernels = 0;
	for (size_t i = 0; i < module->functions.n; i++)
		if (module->functions.at[i]->kernel)
			assert_int_equal(module->functions.at[i]->info.shared_bytes, want[kernels++]);
	assert_int_equal(kernels, 3);
	hd_ir_module_free(module);
	hd_diag_free(&diag);
}

TEST(a_function_with_two_names)
{
	(void)state;
	uint32_t out[32];
	run32(HEADER ".func (.param .b32 r) other(.param .b32 x);\n"
	             ".func (.param .b32 r) plus(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [x];\nadd.s32 %r1, %r1, 9;\nst.param.b32 "
	             "[r], %r1;\nret;\n}\n"
	             ".entry k" PARAMS PROLOGUE
	             "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %t; call (y), other, (x); ld.param.b32 %r0, [y]; }\n" EPILOGUE
	             ".alias other, plus;\n",
	      "k", 0, 0, out);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], i + 9);
}

/* clang 22: registers without a type, immediates in vectors, `U` behind numbers, 16-bit scraps in scopes of one line. */
TEST(what_newer_compilers_write)
{
	(void)state;
	uint32_t in[1] = {0}, out[128] = {0};
	run_ptx(HEADER
	        "\t// .globl k\n.visible .entry k(\n\t.param .u64 .ptr .align 1 k_param_0,\n\t.param .u64 .ptr .global .align 16 "
	        "k_param_1\n)\n.reqntid 32\n{\n"
	        "\t.reg .pred \t%p<3>;\n\t.reg .b16 \t%rs<4>;\n\t.reg .b32 \t%r<12>;\n\t.reg .b64 \t%rd<9>;\n// %bb.0:\n"
	        "\tld.param.b64 \t%rd1, [k_param_1];\n\tcvta.to.global.u64 \t%rd2, %rd1;\n\tmov.u32 \t%r1, %tid.x;\n\tcvt.rn.f32.u32 \t%r2, %r1;\n"
	        "\tfma.rn.f32 \t%r3, %r2, 0f40000000, 0f3F800000;\n\tcvt.rzi.u32.f32 \t%r4, %r3;\n\tprmt.b32 \t%r5, %r4, 0, 0x4440U;\n"
	        "\tmul.wide.u32 \t%rd3, %r1, 16;\n\tadd.s64 \t%rd4, %rd2, %rd3;\n\t{ .reg .b16 tmp; mov.b32 {tmp, %rs1}, %r3; }\n\tcvt.u32.u16 "
	        "\t%r6, %rs1;\n"
	        "\tsetp.ne.b32 \t%p1, %r1, 3;\n\t@%p1 bra \t$L__BB0_2;\n\tmov.b32 \t%r5, 77;\n$L__BB0_2:\n"
	        "\tst.global.v4.b32 \t[%rd4], {%r5, 7, 0f3F800000, %r6};\n\tret;\n                                        // -- End function\n}\n",
	        "k", 32, in, sizeof in, out, sizeof out, NULL, 0);
	for (uint32_t i = 0; i < 32; i++) {
		float x = (float)i * 2 + 1;
		uint32_t bits;
		memcpy(&bits, &x, 4);
		assert_int_equal(out[4 * i], i == 3 ? 77 : 2 * i + 1);
		assert_int_equal(out[4 * i + 1], 7);
		assert_int_equal(out[4 * i + 2], 0x3f800000);
		assert_int_equal(out[4 * i + 3], bits >> 16);
	}
}

TEST(small_parameters)
{
	(void)state;
	uint64_t in = 0, out[6] = {0};
	const uint32_t bytes[2] = {0x8081ff7f, 0x12345678};
	run_ptx(
	    HEADER
	    ".entry k(.param .u64 pin, .param .u64 pout, .param .u8 a, .param .s8 b, .param .u16 c, .param .align 1 .b8 d[3])\n{\n"
	    ".reg .b64 %rd<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>;\nld.param.u64 %rd1, [pout];\nld.param.u8 %rs1, [a];\nld.param.s8 %r1, [b];\n"
	    "ld.param.s16 %rd2, [c];\nld.param.u8 %r2, [d+2];\nld.param.s8 %rd3, [d];\ncvt.u64.u16 %rd4, %rs1;\nst.global.u64 [%rd1], %rd4;\n"
	    "st.global.u32 [%rd1+8], %r1;\nst.global.u64 [%rd1+16], %rd2;\nst.global.u32 [%rd1+24], %r2;\nst.global.u64 [%rd1+32], %rd3;\nret;\n}\n",
	    "k", 1, &in, 8, out, sizeof out, bytes, 0);
	assert_int_equal(out[0], 0x7f);
	assert_int_equal(out[1], 0xffffffff);
	assert_true(out[2] == UINT64_C(0xffffffffffff8081));
	assert_int_equal(out[3], 0x34);
	assert_int_equal(out[4], 0x78);
}
