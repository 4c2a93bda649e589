/* The builder of sub-instructions: new registers, guards and destinations for the last one alone. */
#include "../ir_builder.h"
#include "passes/lower/expander.h"

typedef struct fixture {
	ir_builder b;
	hd_expander x;
} fixture;

/* `@p0 fadd{mod=2} r3 = r1, r2`, as if it were a pseudo operation. */
static fixture start(void)
{
	fixture f = {.b = ir_new(1)};
	for (unsigned i = 0; i < 4; i++)
		hd_ir_vreg_new(f.b.f, i ? 1 : 0);
	hd_ir_inst *inst = ir_put(&f.b, HD_OP_FADD, r(3), r(1), r(2));
	inst->guard = p(0);
	inst->mod = 2;
	inst->loc.line = 17;
	f.x = (hd_expander){.module = f.b.m, .function = f.b.f, .inst = inst};
	return f;
}

static void stop(fixture *f)
{
	hd_vec_free(&f->x.out);
	ir_free(&f->b);
}

TEST(results_have_the_width_of_the_operation)
{
	fixture f = start();
	hd_opd one = hd_expand_op(&f.x, HD_OP_FADD, r(1), r(2), none), two = hd_expand_op(&f.x, HD_OP_IMULWU, r(1), r(2), none),
	       predicate = hd_expand_sub(&f.x, HD_OP_FSETP, HD_CMP_EQ, 0, r(1), r(2));
	assert_int_equal(one.words, 1);
	assert_int_equal(two.words, 2);
	assert_int_equal(predicate.kind, HD_OPD_PRED);
	assert_int_equal(one.reg, 4);
	assert_int_equal(predicate.reg, 6);
	assert_int_equal(f.b.f->vregs.at[5].words, 2);
	stop(&f);
}

TEST(sources_end_with_none)
{
	fixture f = start();
	hd_expand_op(&f.x, HD_OP_FRCP, r(1), none, none);
	hd_expand_op(&f.x, HD_OP_FFMA, r(1), r(2), r(3));
	assert_int_equal(f.x.out.at[0]->ns, 1);
	assert_int_equal(f.x.out.at[1]->ns, 3);
	hd_expand_op(&f.x, HD_OP_FADD, r(1), r(2), none);
	assert_int_equal(f.x.out.at[2]->ns, 2);
	assert_int_equal(f.x.out.at[1]->s[2].reg, 3);
	assert_int_equal(f.x.out.at[0]->loc.line, 17);
	assert_int_equal(f.x.out.at[0]->guard.kind, HD_OPD_NONE);
	stop(&f);
}

TEST(selects_by_width)
{
	fixture f = start();
	hd_expand_select(&f.x, p(0), r(1), r(2));
	hd_expand_select(&f.x, p(0), imm(1), r(2));
	hd_expand_select(&f.x, p(0), hd_opd_imm(1, 2), hd_opd_imm(2, 2));
	assert_int_equal(f.x.out.at[0]->op, HD_OP_SEL);
	assert_int_equal(f.x.out.at[0]->s[0].reg, 1);
	assert_int_equal(f.x.out.at[0]->s[2].kind, HD_OPD_PRED);
	assert_int_equal(f.x.out.at[2]->op, HD_OP_SEL64);
	stop(&f);
}

TEST(the_last_one_writes_the_destination)
{
	fixture f = start();
	hd_expand_sub(&f.x, HD_OP_I2F, 5, 1, r(1), none);
	assert_int_equal(f.x.out.at[0]->sub, 5);
	assert_int_equal(f.x.out.at[0]->mod, 1);
	hd_expand_op(&f.x, HD_OP_FADD, r(1), r(2), none);
	hd_expand_rounded(&f.x);
	hd_expand_result(&f.x, 0);
	assert_int_equal(f.x.out.at[1]->mod, 2);
	assert_int_equal(f.x.out.at[1]->d[0].reg, 3);
	assert_int_equal(f.x.out.at[1]->guard.kind, HD_OPD_PRED);
	assert_int_equal(f.x.out.at[0]->guard.kind, HD_OPD_NONE);
	assert_int_not_equal(f.x.out.at[0]->d[0].reg, 3);
	stop(&f);
}
