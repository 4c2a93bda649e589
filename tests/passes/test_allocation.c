/* State shared by the parts of the allocator: virtual registers with their information, and small instructions. */
#include "../ir_builder.h"
#include "passes/allocate/allocation.h"

static const hd_opd always = {0};

static hd_allocation start(ir_builder *b)
{
	*b = ir_new(1);
	ir_vreg(b, 2);
	hd_allocation a = {.module = b->m, .f = b->f, .stack_pointer = UINT32_MAX, .zero = UINT32_MAX};
	hd_allocation_extend(&a);
	return a;
}

static void stop(ir_builder *b, hd_allocation *a)
{
	hd_vec_free(&a->info);
	ir_free(b);
}

TEST(new_registers_have_their_information)
{
	ir_builder b;
	hd_allocation a = start(&b);
	assert_int_equal(a.info.n, 1);
	assert_int_equal(a.info.at[0].fixed, HD_NOT_FIXED);
	uint32_t plain = hd_allocation_vreg(&a, 2, HD_NOT_FIXED, false), fixed = hd_allocation_vreg(&a, 1, 7, false);
	hd_opd scratch = hd_allocation_scratch(&a, 4);
	assert_false(a.info.at[plain].short_lived || b.f->vregs.at[plain].scratch);
	assert_int_equal(b.f->vregs.at[plain].words, 2);
	/* A fixed register is never spilled, and other lanes may read it. */
	assert_true(a.info.at[fixed].short_lived);
	assert_int_equal(a.info.at[fixed].fixed, 7);
	assert_false(b.f->vregs.at[fixed].scratch);
	assert_false(b.f->vregs.at[hd_allocation_vreg(&a, 1, 8, true)].scratch);
	assert_true(a.info.at[scratch.reg].short_lived && b.f->vregs.at[scratch.reg].scratch);
	assert_int_equal(scratch.words, 4);
	stop(&b, &a);
}

TEST(shared_registers_are_made_once)
{
	ir_builder b;
	hd_allocation a = start(&b);
	hd_opd sp = hd_allocation_stack_pointer(&a), zero = hd_allocation_zero(&a);
	assert_int_equal(a.info.at[sp.reg].fixed, HD_STACK_POINTER);
	assert_int_equal(a.info.at[zero.reg].fixed, HD_RZ);
	assert_int_equal(hd_allocation_stack_pointer(&a).reg, sp.reg);
	assert_int_equal(hd_allocation_zero(&a).reg, zero.reg);
	stop(&b, &a);
}

TEST(instructions)
{
	ir_builder b;
	hd_allocation a = start(&b);
	hd_ir_insts out = {0};
	hd_ir_loc loc = {.line = 3};
	hd_opd frame = {.kind = HD_OPD_FRAME, .words = 1}, one = hd_allocation_scratch(&a, 1),
	       guard = hd_opd_pred(hd_allocation_vreg(&a, 0, HD_NOT_FIXED, true), true);
	hd_append_copy(&a, &out, rr(0), rr(0), loc);
	hd_append_copy(&a, &out, one, imm(5), loc);
	hd_append_copy(&a, &out, one, one, loc);
	hd_append_copy(&a, &out, rr(0), hd_opd_imm(5, 2), loc);
	hd_append_movi(&a, &out, one, frame, loc);
	hd_append_add(&a, &out, one, one, imm(4), loc);
	hd_append_local_load(&a, &out, rr(0), frame, 8, &always, loc);
	hd_append_local_store(&a, &out, frame, 12, one, &guard, loc);
	hd_ir_replace_insts(ir_block(&b, 0), &out);
	ir_expect(
	    &b, "b0:\nmov64 %0:2 = %0:2 @0:3:0\nmovi %1 = 0x5 @0:3:0\nmov %1 = %1 @0:3:0\nmov64 %0:2 = 0x5:2 @0:3:0\nmovi %1 = frame[0x0] @0:3:0\n"
	        "iadd %1 = %1, 0x4 @0:3:0\nldl{sub=5 offset=8} %0:2 = frame[0x0] @0:3:0\n@!%p2 stl{sub=4 offset=12} frame[0x0], %1 @0:3:0\n.exit\n");
	stop(&b, &a);
}

TEST(clobbers_by_place)
{
	const hd_clobber c = {.registers = {UINT64_C(1) << 9, 0, UINT64_C(1) << 2, 0}, .predicates = 1u << 3};
	assert_true(hd_clobbers(&c, 9) && hd_clobbers(&c, 130) && hd_clobbers(&c, HD_FIRST_PREDICATE_PLACE + 3));
	assert_false(hd_clobbers(&c, 8) || hd_clobbers(&c, 66) || hd_clobbers(&c, HD_FIRST_PREDICATE_PLACE + 2));
	assert_true(hd_clobbers(NULL, 8)); /* an indirect call */
}
