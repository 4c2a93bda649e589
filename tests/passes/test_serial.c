/* The serial mode: every instruction waits for the one before it. */
#include "annotate_rig.h"
#include "passes/annotate/serial.h"

TEST(each_waits_for_the_one_before)
{
	fixture x = start(2);
	x.machine.fence_threshold = 6;
	hd_ir_inst *add = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *load = put(&x, 0, HD_OP_LDG, r(4), rr(6), none);
	hd_ir_inst *nop = put(&x, 0, HD_OP_NOP, none, none, none);
	hd_ir_inst *other = put(&x, 0, HD_OP_IADD, r(5), r(2), r(3));
	x.b.block = 0;
	ir_jump(&x.b, 0, 1);
	hd_ir_inst *bra = ir_put_bra(&x.b, 1, none), *next = put(&x, 1, HD_OP_IADD, r(1), r(2), r(3));
	add->release = 1;
	hd_annotate_serial(x.b.f, &x.machine);
	/* Low latency 1 and 2, high latency 5 and 6, in turn. */
	assert_int_equal(add->primary, 1);
	assert_int_equal(load->primary, 6);
	assert_int_equal(other->primary, 1);
	/* The first of a block waits for all that can be raised; then each for one. */
	assert_int_equal(add->wait, 0x33);
	assert_int_equal(load->wait, 1u << 0);
	assert_int_equal(nop->wait, 0);
	assert_int_equal(nop->primary, 0);
	assert_int_equal(other->wait, 1u << 5);
	assert_int_equal(bra->wait, 1u << 0);
	assert_int_equal(bra->primary, 0);
	assert_int_equal(next->wait, 0x33);
	assert_int_equal(add->hint, HD_HINT_DELAY);
	assert_int_equal(add->delay, 1);
	assert_int_equal(add->release, 0);
	stop(&x);
}

TEST(one_counter_of_each_latency)
{
	fixture x = start(1);
	x.machine.fence_counters = 2;
	x.machine.fence_high_latency = 1;
	hd_ir_inst *first = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3)), *second = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_annotate_serial(x.b.f, &x.machine);
	assert_int_equal(first->wait, 3);
	assert_int_equal(first->primary, 1);
	assert_int_equal(second->primary, 1);
	stop(&x);
}

/* HZ-35: two low-latency counters in turn deadlock without wait counters. */
TEST(free_of_deadlocks)
{
	fixture x = start(1);
	x.machine.fence_deadlock_free = true;
	hd_ir_inst *first = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3)), *second = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_annotate_serial(x.b.f, &x.machine);
	assert_int_equal(first->primary, 5);
	assert_int_equal(second->primary, 6);
	assert_int_equal(second->wait, 1u << 4);
	stop(&x);
}

/* Without high-latency counters all are low. */
TEST(no_split)
{
	fixture x = start(1);
	x.machine.fence_high_latency = 0;
	put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *load = put(&x, 0, HD_OP_LDG, r(4), rr(6), none);
	hd_annotate_serial(x.b.f, &x.machine);
	assert_int_equal(load->primary, 2);
	assert_int_equal(ir_block(&x.b, 0)->insts.at[0]->wait, 3);
	stop(&x);
}
