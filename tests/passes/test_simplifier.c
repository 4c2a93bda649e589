/* An instruction becomes a copy, whatever it was. */
#include "../ir_builder.h"
#include "passes/simplify/simplifier.h"

TEST(a_copy_keeps_destination_and_guard)
{
	ir_builder b = ir_new(1);
	hd_simplifier s = {.module = b.m, .function = b.f};
	hd_ir_inst *inst = ir_put3(&b, HD_OP_FFMA, r(1), r(2), r(3), r(4));
	inst->guard = p(5);
	inst->mod = 2;
	inst->sub = 3;
	inst->loc.line = 9;
	hd_opd from = r(6);
	from.last_use = true;
	hd_make_copy(&s, inst, from);
	assert_int_equal(inst->op, HD_OP_MOV);
	assert_int_equal(inst->ns, 1);
	assert_int_equal(inst->s[0].reg, 6);
	assert_false(inst->s[0].last_use);
	assert_int_equal(inst->d[0].reg, 1);
	assert_int_equal(inst->guard.reg, 5);
	assert_int_equal(inst->mod + inst->sub, 0);
	assert_int_equal(inst->loc.line, 9);
	assert_true(s.changed);
	ir_free(&b);
}

TEST(pairs_are_copied_whole)
{
	ir_builder b = ir_new(1);
	hd_simplifier s = {.module = b.m, .function = b.f};
	hd_ir_inst *inst = ir_put(&b, HD_OP_IADD64, rr(2), rr(4), rr(6));
	hd_make_copy(&s, inst, hd_opd_imm(7, 2));
	assert_int_equal(inst->op, HD_OP_MOV64);
	assert_int_equal(inst->s[0].imm, 7);
	ir_free(&b);
}

/* One without sources gets room for one. */
TEST(special_registers)
{
	ir_builder b = ir_new(1);
	hd_simplifier s = {.module = b.m, .function = b.f};
	hd_ir_inst *inst = ir_put(&b, HD_OP_S2R, r(1), none, none), *next = ir_put(&b, HD_OP_MOV, r(2), r(3), none);
	hd_make_copy(&s, inst, r(4));
	assert_int_equal(inst->s[0].reg, 4);
	assert_int_equal(next->op, HD_OP_MOV);
	assert_int_equal(next->d[0].reg, 2);
	ir_free(&b);
}
