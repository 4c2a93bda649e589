/* Atomics on halves and on vectors: 64 threads add to one place, and nothing is lost beside it. */
#include "run.h"

#define HEAD                                                                                                                                     \
	".version 8.3\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 room[16];\n.entry k(.param .u64 pin, .param .u64 pout)\n{\n"       \
	".reg .pred %p<4>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nld.param.u64 %rd1, [pin]; ld.param.u64 %rd2, " \
	"[pout];\nmov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n"

/* Runs `body` in 64 threads on the words of `out` (%rd2). */
static void run_body(const char *body, uint32_t out[4])
{
	uint32_t in[4] = {0};
	hd_text text = {0};
	hd_text_printf(&text, "%s%s\nret;\n}\n", HEAD, body);
	run_ptx(text.at, "k", 64, in, sizeof in, out, 16, NULL, 0);
	hd_text_free(&text);
}

static void expect(const char *body, uint32_t first, uint32_t second, uint32_t want_first, uint32_t want_second)
{
	uint32_t out[4] = {first, second, 0x5a5a5a5a, 0x5a5a5a5a};
	run_body(body, out);
	assert_int_equal(out[0], want_first);
	assert_int_equal(out[1], want_second);
	assert_int_equal(out[2], 0x5a5a5a5a);
}

TEST(halves)
{
	/* 1 + 64, in the lower and in the upper half of a word; 64 is 0x5400, 65 is 0x5410. */
	expect("mov.b16 %h1, 0x3c00; atom.global.add.noftz.f16 %h2, [%rd2], %h1;", 0xbeef3c00, 7, 0xbeef5410, 7);
	expect("mov.b16 %h1, 0x3c00; red.global.add.noftz.f16 [%rd2+2], %h1;", 0x3c00beef, 7, 0x5410beef, 7);
	expect("mov.b16 %h1, 0x3f80; red.relaxed.gpu.global.add.noftz.bf16 [%rd2+4], %h1;", 7, 0xbeef3f80, 7, 0xbeef4282);
	expect("mov.b32 %r2, 0x40003c00; atom.add.noftz.f16x2 %r3, [%rd2], %r2;", 0x3c003c00, 7, 0x58085410, 7);
	expect("mov.b32 %r2, 0x40003f80; atom.add.noftz.bf16x2 %r3, [%rd2], %r2;", 0x3f803f80, 7, 0x43014282, 7);
	expect("cvt.rn.f16.u32 %h1, %r1; red.global.max.noftz.f16 [%rd2], %h1;", 0x3c00, 7, 0x53e0, 7);
	expect("cvt.rn.f16.u32 %h1, %r1; red.global.min.noftz.f16 [%rd2], %h1;", 0x3c00, 7, 0, 7);
}

TEST(halves_in_shared_memory)
{
	expect("@%p1 st.shared.u32 [room], 0x3c00beef; bar.sync 0; mov.b16 %h1, 0x3c00; atom.shared.add.noftz.f16 %h2, [room+2], %h1; bar.sync 0;\n"
	       "ld.shared.u32 %r2, [room]; st.global.u32 [%rd2], %r2;",
	       0, 7, 0x5410beef, 7);
	expect("@%p1 st.shared.u32 [room], 0; bar.sync 0; mov.b32 %r2, 0x40003c00; atom.shared.add.noftz.f16x2 %r3, [room], %r2; bar.sync 0;\n"
	       "ld.shared.u32 %r2, [room]; st.global.u32 [%rd2], %r2;",
	       0, 7, 0x58005400, 7);
}

/* The values that the threads found before: 64 different numbers, so their sum is 0 + 1 + ... + 63 = 2016. */
TEST(each_thread_finds_another_value)
{
	expect("mov.b16 %h1, 0x3c00; atom.global.add.noftz.f16 %h2, [%rd2], %h1; cvt.rzi.u32.f16 %r2, %h2; red.global.add.u32 [%rd2+4], %r2;", 0, 0,
	       0x5400, 2016);
}

TEST(under_a_guard)
{
	expect("mov.b16 %h1, 0x3c00; setp.lt.u32 %p2, %r1, 8; @%p2 atom.global.add.noftz.f16 %h2, [%rd2], %h1;", 0, 7, 0x4800, 7);
}

TEST(vectors)
{
	expect("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; atom.global.add.v2.f32 {%f3, %f4}, [%rd2], {%f1, %f2};", 0, 0x3f800000, 0x42800000,
	       0x43010000);
	expect("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; red.global.v2.f32.add [%rd2], {%f1, %f2};", 0, 0, 0x42800000, 0x43000000);
	expect("mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x4000; red.global.add.noftz.v4.f16 [%rd2], {%h1, %h2, %h1, %h2};", 0, 0, 0x58005400, 0x58005400);
	expect("mov.b32 %r2, 0x40003c00; atom.global.v2.f16x2.add.noftz {%r3, %r4}, [%rd2], {%r2, %r2};", 0, 0, 0x58005400, 0x58005400);
	expect("mov.f32 %f1, 0f3F800000; atom.global.add.v2.f32 _, [%rd2], {%f1, %f1};", 0, 0, 0x42800000, 0x42800000);
}

TEST(swaps_of_16_bits)
{
	expect("again: ld.volatile.global.u16 %h1, [%rd2+2]; add.u16 %h2, %h1, 1; atom.global.cas.b16 %h3, [%rd2+2], %h1, %h2; setp.ne.b16 %p2, %h3, "
	       "%h1; @%p2 "
	       "bra again;",
	       0x0001beef, 7, 0x0041beef, 7);
}
