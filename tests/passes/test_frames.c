/* Addresses of frames: static ones, or a stack (docs/compiler.md). */
#include "../ir_builder.h"
#include "passes/allocate/allocation.h"
#include "passes/allocate/frames.h"

static void needs(const char *text, bool expected)
{
	ir_builder b = ir_read(text);
	assert_int_equal(hd_module_needs_stack(b.m), expected);
	ir_free(&b);
}

TEST(when_a_stack_is_needed)
{
	needs(".kernel \"k\"\n.frame 100000 4\nb0:\n.exit\n", false); /* nothing is called */
	needs(".kernel \"k\"\n.frame 4096 4\nb0:\ncall.f{to=2}\n.exit\n.function \"f\"\n.frame 4096 4\nb0:\n.ret\n", false);
	needs(".kernel \"k\"\n.frame 4096 4\nb0:\ncall.f{to=2}\n.exit\n.function \"f\"\n.frame 4100 4\nb0:\n.ret\n", true);
	needs(".kernel \"k\"\nb0:\ncall.f{to=2}\n.exit\n.function \"f\"\nb0:\ncall.f{to=2}\n.ret\n", true);
	needs(".kernel \"k\"\n.vregs 1\nb0:\ncall.f %0\n.exit\n", true);
}

static hd_opd frame(uint32_t of, uint32_t bytes) { return (hd_opd){.kind = HD_OPD_FRAME, .words = 1, .reg = of, .imm = bytes}; }

/* main calls a and b, a calls b. Frames of 20, 16 and 8 bytes; each stores at its frame + 4, and main has the address of b's frame + 8. */
static ir_builder chain(uint32_t main_bytes)
{
	static const uint32_t bytes[] = {20, 16, 8};
	ir_builder b = {.m = hd_ir_module_new()};
	for (unsigned i = 0; i < 3; i++) {
		ir_add_function(&b, i == 0 ? "main" : i == 1 ? "a" : "b", i == 0, 1)->frame_bytes = i ? bytes[i] : main_bytes;
		b.f->allocated = true;
		ir_put(&b, HD_OP_STL, none, frame(0, 0), r(1))->offset = 4;
		for (unsigned callee = i + 1; callee < 3; callee++)
			ir_put(&b, HD_OP_CALL, none, none, none)->callee = (int32_t)callee;
	}
	b.f = b.m->functions.at[0];
	ir_put(&b, HD_OP_MOVI, r(2), frame(HD_CALLEE_FRAME + 2, 8), none);
	ir_put(&b, HD_OP_MOVI, r(3), frame(0, 8), none);
	return b;
}

static const hd_ir_inst *inst(const ir_builder *b, unsigned f, size_t k) { return b->m->functions.at[f]->blocks.at[0]->insts.at[k]; }

/* Each behind the highest frame of its callers, at multiples of 16. */
TEST(static_frames)
{
	hd_diag diag = {0};
	ir_builder b = chain(20);
	assert_true(hd_finish_frames(b.m, false, &diag));
	static const uint32_t expected[] = {0, 32, 48};
	for (unsigned f = 0; f < 3; f++) {
		assert_int_equal(b.m->functions.at[f]->frame_base, expected[f]);
		assert_int_equal(inst(&b, f, 0)->offset, expected[f] + 4);
		assert_int_equal(inst(&b, f, 0)->s[0].reg, HD_RZ);
	}
	assert_int_equal(inst(&b, 0, 3)->s[0].imm, 48 + 8);
	assert_int_equal(inst(&b, 0, 4)->s[0].imm, 8);
	ir_free(&b);
}

/* Two callers of one function, with frames of different sizes, in both orders. */
TEST(the_highest_caller_decides)
{
	for (unsigned large = 1; large <= 2; large++) {
		hd_diag diag = {0};
		ir_builder b = {.m = hd_ir_module_new()};
		for (unsigned i = 0; i < 4; i++) {
			ir_add_function(&b, "f", i == 0, 1)->frame_bytes = i == large ? 160 : 16;
			for (unsigned callee = i ? 3 : 1; callee < (i ? 4u : 3u) && callee != i; callee++)
				ir_put(&b, HD_OP_CALL, none, none, none)->callee = (int32_t)callee;
		}
		assert_true(hd_finish_frames(b.m, false, &diag));
		assert_int_equal(b.m->functions.at[3]->frame_base, 16 + 160);
		ir_free(&b);
	}
}

TEST(alignment_is_the_module_s)
{
	hd_diag diag = {0};
	ir_builder b = chain(20);
	b.m->functions.at[2]->frame_align = 64;
	assert_true(hd_finish_frames(b.m, false, &diag));
	assert_int_equal(b.m->functions.at[1]->frame_base, 64);
	assert_int_equal(b.m->functions.at[2]->frame_base, 128);
	ir_free(&b);
}

/* Relative to the stack pointer: a callee's frame begins where the own one ends. */
TEST(frames_on_a_stack)
{
	hd_diag diag = {0};
	ir_builder b = chain(40000);
	b.block = 0;
	ir_put(&b, HD_OP_IADD, r(0), r(0), frame(0, 0));
	assert_true(hd_finish_frames(b.m, true, &diag));
	assert_int_equal(b.f->frame_base, UINT32_MAX);
	assert_int_equal(inst(&b, 0, 0)->s[0].reg, HD_STACK_POINTER);
	assert_int_equal(inst(&b, 0, 0)->offset, 4);
	assert_int_equal(inst(&b, 0, 3)->s[0].imm, 40000 + 8);
	assert_int_equal(inst(&b, 0, 4)->s[0].imm, 8);
	/* The adjustment in steps that fit the immediate. */
	uint32_t sum = 0;
	for (size_t k = 5; k < ir_block(&b, 0)->insts.n; k++) {
		assert_true(inst(&b, 0, k)->s[1].imm <= INT16_MAX);
		sum += (uint32_t)inst(&b, 0, k)->s[1].imm;
	}
	assert_int_equal(ir_block(&b, 0)->insts.n, 5 + 3);
	assert_int_equal(sum, 40000);
	ir_free(&b);
}

TEST(too_large_frames_are_an_error)
{
	hd_diag diag = {0};
	ir_builder b = chain(40000);
	assert_false(hd_finish_frames(b.m, false, &diag));
	assert_non_null(
	    strstr(diag.text.at, "a: error: the stack of a thread is 40016 bytes deep, expected at most 32768: the frames of main -> a; "));
	hd_diag_free(&diag);
	ir_free(&b);
}
