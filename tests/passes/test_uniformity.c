/* Which branches lanes can take differently (RC-16). */
#include "../ir_builder.h"
#include "passes/analysis/resources.h"
#include "passes/analysis/uniformity.h"

enum { MAX_BLOCKS = 8 };

/* The branches of b are divergent as given, a digit a block. */
static void expect(const ir_builder *b, const char *expected)
{
	hd_machine machine;
	char found[MAX_BLOCKS + 1] = "";
	hd_machine_default(&machine);
	hd_resource_set *written = hd_written_resources(b->m, &machine);
	hd_bits divergent = hd_bits_new(b->f->blocks.n + 1);
	hd_ir_link(b->f);
	hd_joins joins = hd_joins_new(b->f);
	hd_find_divergent_branches(b->f, &machine, written, &joins, &divergent);
	hd_joins_free(&joins);
	for (size_t i = 0; i < b->f->blocks.n; i++)
		found[i] = hd_bits_has(&divergent, i) ? '1' : '0';
	assert_string_equal(found, expected);
	hd_bits_free(&divergent);
	free(written);
}

/* Block 0 computes r1, with r2 and p1 at hand, and branches on r1 == 0. */
static void one(hd_ir_inst *(*compute)(ir_builder *), bool kernel, bool divergent)
{
	ir_builder b = {.m = hd_ir_module_new()};
	ir_add_function(&b, "test", kernel, 3)->allocated = true;
	if (compute)
		compute(&b);
	ir_put(&b, HD_OP_ISETP, p(0), r(1), imm(0));
	ir_branch(&b, 0, p(0), 1, 2);
	ir_jump(&b, 1, 2);
	expect(&b, divergent ? "100" : "000");
	ir_free(&b);
}

static hd_ir_inst *special(ir_builder *b, hd_sreg which)
{
	hd_ir_inst *inst = ir_put(b, HD_OP_S2R, r(1), none, none);
	inst->sub = (uint8_t)which;
	return inst;
}
static hd_ir_inst *thread(ir_builder *b) { return special(b, HD_SREG_TIDX); }
static hd_ir_inst *lane_mask(ir_builder *b) { return special(b, HD_SREG_LANEMASK_LT); }
static hd_ir_inst *cta(ir_builder *b) { return special(b, HD_SREG_CTAIDX); }
static hd_ir_inst *parameter(ir_builder *b) { return ir_put(b, HD_OP_MOV, r(1), hd_opd_const(64, 1), none); }
static hd_ir_inst *atomic(ir_builder *b) { return ir_put(b, HD_OP_ATOMG, r(1), rr(4), r(2)); }
static hd_ir_inst *swap(ir_builder *b) { return ir_put3(b, HD_OP_CASG, r(1), rr(4), r(2), r(3)); }
static hd_ir_inst *launch(ir_builder *b) { return ir_put(b, HD_OP_LAUNCH, r(1), rr(4), none); }
static hd_ir_inst *load(ir_builder *b) { return ir_put(b, HD_OP_LDG, r(1), rr(4), none); }
static hd_ir_inst *local(ir_builder *b) { return ir_put(b, HD_OP_LDL, r(1), r(4), none); }
static hd_ir_inst *load_by_thread(ir_builder *b)
{
	special(b, HD_SREG_TIDX)->d[0] = r(4);
	return load(b);
}
static hd_ir_inst *overwritten(ir_builder *b)
{
	thread(b);
	return parameter(b);
}
static hd_ir_inst *partly_overwritten(ir_builder *b)
{
	thread(b);
	hd_ir_inst *inst = parameter(b);
	inst->guard = p(3);
	return inst;
}
static hd_ir_inst *vote(ir_builder *b)
{
	special(b, HD_SREG_TIDX)->d[0] = r(4);
	ir_put(b, HD_OP_ISETP, p(2), r(4), imm(5));
	return ir_put3(b, HD_OP_BALLOT, r(1), imm(UINT32_MAX), p(2), none);
}
static hd_ir_inst *vote_of_some(ir_builder *b)
{
	special(b, HD_SREG_TIDX)->d[0] = r(4);
	return ir_put3(b, HD_OP_BALLOT, r(1), r(4), p(2), none);
}

TEST(what_each_lane_has_of_its_own)
{
	one(thread, true, true);
	one(lane_mask, true, true);
	one(atomic, true, true);
	one(launch, true, true); /* each lane gets the number of its own grid */
	one(swap, true, true);
	one(local, true, true);
	one(load_by_thread, true, true);
	one(partly_overwritten, true, true);
	one(vote_of_some, true, true);
	one(NULL, false, true); /* a register of a function is an argument, or anything */
}

TEST(what_all_lanes_have_alike)
{
	one(NULL, true, false); /* a kernel's registers are zero */
	one(cta, true, false);
	one(parameter, true, false);
	one(load, true, false);
	one(overwritten, true, false);
	one(vote, true, false);
}

/* Block 0 branches by thread; 1 writes r1; at 2 the sides meet, and r1 is divergent there. r3, which no side writes, is not. */
TEST(sides_bring_different_values)
{
	for (unsigned reg = 1; reg <= 3; reg += 2) {
		ir_builder b = ir_new_allocated(5);
		special(&b, HD_SREG_TIDX)->d[0] = r(4);
		ir_put(&b, HD_OP_ISETP, p(0), r(4), imm(0));
		ir_branch(&b, 0, p(0), 1, 2);
		b.block = 1;
		ir_put(&b, HD_OP_MOVI, r(1), imm(7), none);
		ir_jump(&b, 1, 2);
		b.block = 2;
		ir_put(&b, HD_OP_ISETP, p(1), r(reg), imm(0));
		ir_branch(&b, 2, p(1), 3, 4);
		ir_jump(&b, 3, 4);
		expect(&b, reg == 1 ? "10100" : "10000");
		ir_free(&b);
	}
}

/* Inside of a side lanes are together: a loop there is uniform. Behind a loop that lanes leave at different times, its counter is not. */
TEST(loops)
{
	for (unsigned by_thread = 0; by_thread < 2; by_thread++) {
		ir_builder b = ir_new_allocated(4);
		special(&b, by_thread ? HD_SREG_TIDX : HD_SREG_CTAIDX)->d[0] = r(4);
		ir_jump(&b, 0, 1);
		b.block = 1;
		ir_put(&b, HD_OP_IADD, r(1), r(1), imm(1));
		ir_put(&b, HD_OP_ISETP, p(0), r(1), r(4));
		ir_branch(&b, 1, p(0), 1, 2);
		b.block = 2;
		ir_put(&b, HD_OP_ISETP, p(1), r(1), imm(5));
		ir_branch(&b, 2, p(1), 3, 3);
		expect(&b, by_thread ? "0110" : "0000");
		ir_free(&b);
	}
}

/* By function, what it or a callee writes; an indirect call may write everything. */
TEST(functions_write_what_their_callees_write)
{
	hd_machine machine;
	hd_machine_default(&machine);
	ir_builder b = ir_new_allocated(1);
	ir_put(&b, HD_OP_CALL, none, none, none)->callee = 1;
	ir_put(&b, HD_OP_MOVI, r(70), imm(1), none);
	ir_add_function(&b, "callee", false, 1)->allocated = true;
	ir_put(&b, HD_OP_ISETP, p(5), r(1), r(2));
	ir_add_function(&b, "pointer", false, 1)->allocated = true;
	ir_put(&b, HD_OP_CALLX, none, r(9), none);
	hd_resource_set *written = hd_written_resources(b.m, &machine);
	assert_int_equal(written[0].words[1], 1u << (70 - 64));
	assert_int_equal(written[0].words[HD_RES_PRED / 64], 1u << 5);
	assert_int_equal(written[1].words[1], 0);
	assert_int_equal(written[2].words[0], UINT64_MAX);
	free(written);
	ir_free(&b);
}
