/* The whole pass: counters, waiting branches, delays, flags and hints fit together; the serial mode; the split. */
#include "../run_pass.h"
#include "annotate_rig.h"
#include "passes/annotate/annotate.h"

static void annotate(fixture *x) { run_pass(hd_pass_annotate, x->b.m, &x->machine); }

/* A load, its consumer, and a chain in the consumer's pipe. */
TEST(everything_is_annotated)
{
	fixture x = start(1);
	x.machine.multi_issue_window = 1;
	hd_ir_inst *load = put(&x, 0, HD_OP_LDG, r(1), rr(8), none);
	hd_ir_inst *use = put(&x, 0, HD_OP_IADD, r(2), r(1), r(3));
	hd_ir_inst *next = put(&x, 0, HD_OP_IADD, r(4), r(2), r(3));
	annotate(&x);
	assert_int_equal(load->hint, HD_HINT_MAY_REPLAY);
	assert_int_equal(use->wait, 1u << (load->primary - 1));
	assert_int_equal(use->delay, x.machine.latency[HD_CLASS_ALU].latency);
	assert_true(use->s[0].last_use && next->s[0].last_use);
	stop(&x);
}

TEST(two_counters_are_enough)
{
	/* HZ-3 with K = 2, one low, one high: a chain through three pipelines, every link primary and secondary. */
	fixture x = start(1);
	x.machine.fence_counters = 2;
	x.machine.fence_high_latency = 1;
	x.machine.fence_throughput = 1; /* all of them low */
	put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	put(&x, 0, HD_OP_FRCP, r(4), r(1), none);
	put(&x, 0, HD_OP_I2F, r(5), r(4), none);
	put(&x, 0, HD_OP_IADD, r(6), r(5), r(5));
	annotate(&x);
	const hd_ir_block *block = x.b.f->blocks.at[0];
	unsigned branches = 0;
	for (size_t i = 0; i < block->insts.n; i++) {
		const hd_ir_inst *inst = block->insts.at[i];
		assert_true(inst->primary <= 2);
		assert_false(inst->primary && inst->wait >> (inst->primary - 1) & 1);
		branches += inst->op == HD_OP_BRA;
	}
	assert_int_equal(branches, 2);
	stop(&x);
}

/* A scoreboard orders what counters would. The program pays nothing for counters that have no effect. */
TEST(a_scoreboard_needs_no_counters)
{
	fixture x = start(1);
	x.machine.fence_mode = HD_DEP_SCOREBOARD;
	x.machine.fence_counters = 2;
	x.machine.fence_high_latency = 1;
	x.machine.fence_throughput = 1;
	put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	put(&x, 0, HD_OP_FRCP, r(4), r(1), none);
	put(&x, 0, HD_OP_I2F, r(5), r(4), none);
	put(&x, 0, HD_OP_IADD, r(6), r(5), r(5));
	annotate(&x);
	const hd_ir_block *block = x.b.f->blocks.at[0];
	assert_int_equal(block->insts.n, 4);
	for (size_t i = 0; i < block->insts.n; i++)
		assert_true(!block->insts.at[i]->primary && !block->insts.at[i]->wait);
	assert_true(block->insts.at[1]->s[0].last_use);
	stop(&x);
}

/* Delays are placed behind the waiting branches: these have hints, too. */
TEST(waiting_branches_have_hints)
{
	fixture x = start(1);
	x.machine.multi_issue_window = 1;
	x.machine.fence_counters = 2;
	x.machine.fence_high_latency = 1;
	x.machine.fence_classify = HD_CLASSIFY_LATENCY;
	x.machine.fence_threshold = 1000;
	put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	put(&x, 0, HD_OP_FRCP, r(4), r(1), none);
	put(&x, 0, HD_OP_I2F, r(5), r(4), none);
	annotate(&x);
	const hd_ir_block *block = ir_block(&x.b, 0);
	assert_int_equal(block->insts.n, 4);
	for (size_t i = 0; i < block->insts.n; i++)
		assert_true(block->insts.at[i]->hint != HD_HINT_DEFAULT && block->insts.at[i]->delay > 0);
	stop(&x);
}

TEST(last_uses_have_a_switch)
{
	for (unsigned flags = 0; flags < 2; flags++) {
		fixture x = start(1);
		x.machine.last_use_flags = flags;
		put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
		hd_ir_inst *use = put(&x, 0, HD_OP_IADD, r(4), r(1), r(3));
		annotate(&x);
		assert_int_equal(use->s[0].last_use, flags);
		stop(&x);
	}
}

/* HZ-20: the machine that comes back has the split of the program, unless it is fixed, or none at all. */
TEST(the_split_comes_back)
{
	static const struct {
		hd_split split;
		uint32_t high, expected;
	} rows[] = {{HD_SPLIT_PROGRAM, 2, 5}, {HD_SPLIT_FIXED, 2, 2}, {HD_SPLIT_PROGRAM, 0, 0}};
	for (unsigned row = 0; row < HD_COUNT(rows); row++) {
		fixture x = start(1);
		x.machine.fence_split = rows[row].split;
		x.machine.fence_high_latency = rows[row].high;
		for (unsigned i = 0; i < 6; i++)
			put(&x, 0, HD_OP_LDG, r(10 + i), rr(8), none);
		for (unsigned i = 0; i < 6; i++)
			put(&x, 0, HD_OP_IADD, r(20 + i), r(10 + i), r(1));
		annotate(&x);
		assert_int_equal(x.machine.fence_high_latency, rows[row].expected);
		stop(&x);
	}
}

TEST(the_serial_mode)
{
	fixture x = start(1);
	hd_diag diag = {0};
	hd_ir_inst *first = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *second = put(&x, 0, HD_OP_IADD, r(4), r(5), r(6));
	const hd_pass_context context = {.machine = &x.machine, .serial = true, .diag = &diag};
	assert_true(hd_pass_annotate(x.b.m, &context));
	assert_int_not_equal(first->primary, 0);
	assert_int_equal(second->wait, 1u << (first->primary - 1));
	stop(&x);
}
