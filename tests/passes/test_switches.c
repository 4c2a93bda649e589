/* Switches become trees of comparisons. */
#include "../ir_builder.h"
#include "../run_pass.h"
#include "passes/lower/switches.h"

/* A switch on %1 in block 0 of n blocks. */
static ir_builder start(const uint32_t *targets, unsigned count, unsigned blocks)
{
	ir_builder b = ir_new(blocks);
	ir_vreg(&b, 0);
	ir_block(&b, 0)->term = HD_TERM_SWITCH;
	ir_block(&b, 0)->index = ir_vreg(&b, 1);
	ir_block(&b, 0)->loc.line = 9;
	for (unsigned i = 0; i < count; i++)
		hd_vec_push(&ir_block(&b, 0)->succ, targets[i]);
	return b;
}

/* The block that a value gets to, and the comparisons on its way. */
static uint32_t follow(const ir_builder *b, uint32_t value, unsigned *steps)
{
	uint32_t at = 0;
	for (*steps = 0; ir_block(b, at)->term == HD_TERM_BRANCH; ++*steps) {
		const hd_ir_block *block = ir_block(b, at);
		const hd_ir_inst *compare = block->insts.at[block->insts.n - 1];
		assert_int_equal(compare->op, HD_OP_ISETP);
		assert_int_equal(compare->sub, HD_CMP_LO);
		assert_int_equal(compare->s[0].reg, 1);
		assert_int_equal(compare->d[0].reg, block->pred.reg);
		assert_int_equal(block->loc.line, 9);
		at = block->succ.at[value < compare->s[1].imm ? 0 : 1];
	}
	return at;
}

TEST(every_value_gets_to_its_target)
{
	static const uint32_t targets[] = {1, 2, 3, 3, 3, 3, 4, 5};
	ir_builder b = start(targets, HD_COUNT(targets), 6);
	run_pass(hd_pass_switches, b.m, NULL);
	for (uint32_t value = 0; value < HD_COUNT(targets); value++) {
		unsigned steps;
		assert_int_equal(follow(&b, value, &steps), targets[value]);
		assert_true(steps <= 3);
	}
	/* Values 2 and 3, and 4 and 5, share a target: two comparisons less. */
	assert_int_equal(b.f->blocks.n, 6 + 4);
	ir_free(&b);
}

TEST(one_target_needs_no_comparison)
{
	static const uint32_t targets[] = {1, 1, 1};
	ir_builder b = start(targets, HD_COUNT(targets), 2);
	run_pass(hd_pass_switches, b.m, NULL);
	assert_int_equal(b.f->blocks.n, 2);
	assert_int_equal(ir_block(&b, 0)->term, HD_TERM_JUMP);
	assert_int_equal(ir_block(&b, 0)->succ.n, 1);
	assert_int_equal(ir_block(&b, 0)->succ.at[0], 1);
	assert_int_equal(ir_block(&b, 0)->index.kind, HD_OPD_NONE);
	ir_free(&b);
}

/* Instructions before the switch stay before the comparison; a switch can lead back to its own block. */
TEST(a_block_keeps_its_instructions)
{
	static const uint32_t targets[] = {0, 1};
	ir_builder b = start(targets, HD_COUNT(targets), 2);
	ir_put(&b, HD_OP_MOVI, r(1), imm(0), none);
	run_pass(hd_pass_switches, b.m, NULL);
	ir_expect(&b, "b0:\nmovi %1 = 0x0\nisetp{cmp=lo} %p2 = %1, 0x1 @0:9:0\n.branch %p2 b0 b1 @0:9:0\nb1:\n.exit\n");
	ir_free(&b);
}
