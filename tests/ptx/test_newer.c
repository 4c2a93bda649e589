/* Features of newer architectures and compilers: comparisons of halves into values, memory of a function, cache hints, an elected lane. */
#include "run.h"

#define HEAD                                                                                                                                  \
	".version 8.3\n.target sm_90\n.address_size 64\n.entry k(.param .u64 pin, .param .u64 pout, .param .u32 pa, .param .u32 pb)\n{\n"     \
	".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>;\nld.param.u64 %rd1, [pin]; ld.param.u64 %rd2, [pout];\n"     \
	"ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; mov.u32 %r3, %tid.x; mul.wide.u32 %rd3, %r3, 4; add.s64 %rd3, %rd3, %rd2;\n" \
	"mov.u32 %r0, 77;\n"

/* The value that `body` leaves in %r0, of two words of input in %r1 and %r2; `threads` results. */
static void run_body(const char *body, uint32_t a, uint32_t b, uint32_t threads, uint32_t *out)
{
	uint32_t in[4] = {a, b, 0, 0};
	hd_text text = {0};
	hd_text_put(&text, HEAD, sizeof HEAD - 1);
	hd_text_put(&text, body, strlen(body));
	hd_text_printf(&text, "\nst.global.u32 [%%rd3], %%r0;\nret;\n}\n");
	run_ptx(text.at, "k", threads, in, sizeof in, out, threads * sizeof *out, NULL, 0);
	hd_text_free(&text);
}

static void expect(const char *body, uint32_t a, uint32_t b, uint32_t wanted)
{
	uint32_t out[1];
	run_body(body, a, b, 1, out);
	assert_int_equal(out[0], wanted);
}

TEST(set_of_halves)
{
	/* 1.5, -2 against 1.5, 3 */
	expect("set.eq.u32.f16x2 %r0, %r1, %r2;", 0xc0003e00, 0x42003e00, 0x0000ffff);
	expect("set.lt.f16x2.f16x2 %r0, %r1, %r2;", 0xc0003e00, 0x42003e00, 0x3c000000);
	expect("setp.ne.u32 %p1, %r1, 0; set.le.and.f16x2.f16x2 %r0, %r1, %r2, %p1;", 0xc0003e00, 0x42003e00, 0x3c003c00);
	/* 1, 2 against 1, 5 */
	expect("set.ne.bf16x2.bf16x2 %r0, %r1, %r2;", 0x40003f80, 0x40a03f80, 0x3f800000);
	expect("cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; set.gt.f16.f16 %h3, %h1, %h2; cvt.u32.u16 %r0, %h3;", 0x4200, 0x3e00, 0x3c00);
	expect("cvt.u16.u32 %h1, %r1; set.eq.u16.f16 %h3, %h1, %h1; cvt.u32.u16 %r0, %h3;", 0x4200, 0, 0xffff);
	expect("cvt.u16.u32 %h1, %r1; set.num.u16.f16 %h3, %h1, %h1; cvt.u32.u16 %r0, %h3;", 0x7e00, 0, 0);
	expect("cvt.u16.u32 %h1, %r1; cvt.rni.s32.bf16 %r0, %h1;", 0x4020, 0, 2);            /* 2.5 */
	expect("cvt.u16.u32 %h1, %r1; cvt.rzi.s32.bf16 %r0, %h1;", 0xc0fd, 0, (uint32_t)-7); /* -7.9 */
}

/* Two blocks do not overlap, each is aligned, and what is restored is taken again. */
TEST(memory_of_a_function)
{
	expect("cvt.u64.u32 %rd4, %r1; alloca.u64 %rd5, %rd4, 16; cvta.local.u64 %rd5, %rd5; alloca.u64 %rd6, 8; cvta.local.u64 %rd6, %rd6;\n"
	       "st.u32 [%rd5], 5; st.u32 [%rd6], 7; ld.u32 %r4, [%rd5]; sub.s64 %rd7, %rd6, %rd5; cvt.u32.u64 %r5, %rd7; and.b64 %rd8, %rd5, 15;\n"
	       "cvt.u32.u64 %r6, %rd8; mad.lo.u32 %r0, %r5, 10, %r4; mad.lo.u32 %r0, %r6, 1000, %r0;",
	       12, 0, 16 * 10 + 5);
	expect("stacksave.u64 %rd4; alloca.u64 %rd5, 64, 16; stackrestore.u64 %rd4; alloca.u64 %rd6, 16, 8; sub.s64 %rd7, %rd5, %rd6; cvt.u32.u64 "
	       "%r0, %rd7;",
	       0, 0, 0);
}

TEST(hints_mean_nothing)
{
	expect("createpolicy.fractional.L2::evict_last.b64 %rd4, 1.0; ld.global.L2::cache_hint.u32 %r0, [%rd1], %rd4;", 9, 0, 9);
	expect("createpolicy.range.L2::evict_last.L2::evict_first.b64 %rd4, [%rd1], 64, 128; st.global.L2::cache_hint.u32 [%rd1+8], %r1, %rd4;\n"
	       "red.global.add.L2::cache_hint.u32 [%rd1+8], %r2, %rd4; atom.global.add.L2::cache_hint.u32 %r0, [%rd1+8], 1, %rd4;",
	       30, 4, 34);
	expect("ld.global.nc.L1::no_allocate.L2::128B.u32 %r0, [%rd1]; prefetch.global.L2::evict_last [%rd1]; applypriority.global.L2::evict_normal "
	       "[%rd1], 128;",
	       3, 0, 3);
	expect("discard.global.L2 [%rd1], 128; mov.u32 %r0, 4;", 0, 0, 4);
}

TEST(one_lane_is_elected)
{
	uint32_t out[32];
	run_body("elect.sync %r4|%p1, 0xfffffff0; selp.u32 %r5, 100, 0, %p1; add.u32 %r0, %r4, %r5;", 0, 0, 32, out);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], i == 4 ? 104 : 4);
	run_body("elect.sync _|%p1, 0xffffffff; selp.u32 %r0, 1, 0, %p1;", 0, 0, 32, out);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], i == 0);
}

/* The word in which groups of several warps meet is zero at first, lies beside the kernel's own variables, and is the same for all threads. */
TEST(reserved_shared_memory)
{
	uint32_t out[64];
	run_body("{ .shared .align 4 .b8 own[64]; mov.u32 %r4, %reserved_smem_offset_1; mov.u32 %r5, own; ld.shared.u32 %r6, [%r4]; bar.sync 0;\n"
	         "atom.shared.add.u32 %r7, [%r4], 1; atom.shared.add.u32 %r8, [%r5], 5; bar.sync 0; ld.shared.u32 %r9, [%r4]; ld.shared.u32 %r10, "
	         "[%r5];\nmad.lo.u32 %r0, %r9, 1000, %r10; mad.lo.u32 %r0, %r6, 1000000, %r0; }",
	         0, 0, 64, out);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], 64000 + 320);
	expect(
	    "mov.u32 %r4, %reserved_smem_offset_begin; mov.u32 %r5, %reserved_smem_offset_end; mov.u32 %r6, %reserved_smem_offset_cap; sub.u32 %r0, "
	    "%r5, %r4; sub.u32 %r0, %r0, %r6;",
	    0, 0, 0);
	expect("mov.u32 %r0, %reserved_smem_offset_cap;", 0, 0, 288);
}

/* A sink in a vector that is stored leaves its bytes as they are. Every set of sinks, of every kind of vector. */
TEST(stores_with_sinks)
{
	static const struct {
		const char *type, *reg;
		unsigned lanes, bytes;
	} kinds[] = {{"v2.b8", "%h1", 2, 1},  {"v4.b8", "%h1", 4, 1},  {"v2.b16", "%h1", 2, 2}, {"v4.b16", "%h1", 4, 2},  {"v8.b16", "%h1", 8, 2},
	             {"v2.b32", "%r5", 2, 4}, {"v4.b32", "%r5", 4, 4}, {"v8.b32", "%r5", 8, 4}, {"v2.b64", "%rd5", 2, 8}, {"v4.b64", "%rd5", 4, 8}};
	for (size_t k = 0; k < HD_COUNT(kinds); k++)
		for (unsigned set = 0; set < 1u << kinds[k].lanes; set++) {
			hd_text text = {0};
			uint8_t in[32] = {0}, out[32];
			hd_text_put(&text, HEAD, sizeof HEAD - 1);
			hd_text_printf(&text,
			               "mov.b64 %%rd5, 0x0807060504030201; mov.b32 %%r5, 0x04030201; mov.b16 %%h1, 0x0201;\nst.global.%s [%%rd2], {",
			               kinds[k].type);
			for (unsigned i = 0; i < kinds[k].lanes; i++)
				hd_text_printf(&text, "%s%s", i ? ", " : "", set >> i & 1 ? "_" : kinds[k].reg);
			hd_text_printf(&text, "};\nret;\n}\n");
			memset(out, 0xee, sizeof out);
			run_ptx(text.at, "k", 1, in, sizeof in, out, sizeof out, NULL, 0);
			for (unsigned i = 0; i < sizeof out; i++) {
				bool kept = i / kinds[k].bytes >= kinds[k].lanes || (set >> i / kinds[k].bytes & 1);
				if (out[i] != (kept ? 0xee : i % kinds[k].bytes + 1))
					fail_msg("byte %u is %x\n%s", i, out[i], text.at);
			}
			hd_text_free(&text);
		}
}
