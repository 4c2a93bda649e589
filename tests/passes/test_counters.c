/* Fence counters and waits: HZ-3, HZ-18, HZ-20, HZ-23 to HZ-25. */
#include "annotate_rig.h"
#include "passes/annotate/counters.h"

static void assign(fixture *x)
{
	link_blocks(x);
	hd_hazard_index index = hd_hazard_index_new(x->b.f, &x->machine);
	hd_assign_counters(&index, &x->machine);
	hd_hazard_index_free(&index);
}

TEST(between_pipelines_a_counter)
{
	/* HZ-20, HZ-23: RAW from ALU to SFU, RAW from load (high latency) to ALU, WAR from store to ALU */
	fixture x = start(1);
	hd_ir_inst *add = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *rcp = put(&x, 0, HD_OP_FRCP, r(6), r(1), none);
	hd_ir_inst *load = put(&x, 0, HD_OP_LDG, r(10), rr(8), none);
	hd_ir_inst *use = put(&x, 0, HD_OP_IADD, r(11), r(10), r(3));
	hd_ir_inst *store = put(&x, 0, HD_OP_STG, none, rr(8), r(2));
	hd_ir_inst *war = put(&x, 0, HD_OP_MOVI, r(2), imm(7), none);
	assign(&x);
	assert_in_range(add->primary, 1, 4);
	assert_int_equal(add->release, 0);
	assert_int_equal(rcp->wait, 1u << (add->primary - 1));
	assert_in_range(load->primary, 5, 6);
	assert_int_equal(use->wait, 1u << (load->primary - 1));
	assert_in_range(store->primary, 5, 6);
	assert_int_equal(store->release, 1);
	assert_int_equal(war->wait, 1u << (store->primary - 1));
	assert_int_not_equal(store->primary, load->primary); /* HZ-24: in rotation */
	stop(&x);
}

TEST(a_dependence_already_waited_for_is_not_marked_again)
{
	/* HZ-25: the second reader is behind the first in the same queue */
	fixture x = start(1);
	put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *last = put(&x, 0, HD_OP_IADD, r(7), r(2), r(3));
	hd_ir_inst *first = put(&x, 0, HD_OP_FRCP, r(6), r(7), none);
	hd_ir_inst *second = put(&x, 0, HD_OP_FRSQ, r(5), r(1), none);
	assign(&x);
	assert_int_equal(first->wait, 1u << (last->primary - 1));
	assert_int_equal(second->wait, 0);
	stop(&x);
}

TEST(another_queue_must_wait_for_itself)
{
	/* The SFU's wait does not hold back the conversion queue. */
	fixture x = start(1);
	hd_ir_inst *p = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *sfu = put(&x, 0, HD_OP_FRCP, r(6), r(1), none);
	hd_ir_inst *cvt = put(&x, 0, HD_OP_I2F, r(5), r(1), none);
	assign(&x);
	assert_int_equal(sfu->wait, 1u << (p->primary - 1));
	assert_int_equal(cvt->wait, 1u << (p->primary - 1));
	stop(&x);
}

TEST(a_guarded_producer_settles_nothing_older)
{
	/* It may be dropped before older results are written (HZ-16). */
	fixture x = start(1);
	hd_ir_inst *old = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *guarded = put(&x, 0, HD_OP_IADD, r(7), r(2), r(3));
	guarded->guard = hd_opd_pred(0, false);
	hd_ir_inst *first = put(&x, 0, HD_OP_FRCP, r(6), r(7), none);
	hd_ir_inst *second = put(&x, 0, HD_OP_FRSQ, r(5), r(1), none);
	assign(&x);
	assert_int_equal(first->wait, 1u << (guarded->primary - 1));
	assert_int_not_equal(old->primary, 0);
	assert_int_equal(second->wait, 1u << (old->primary - 1));
	stop(&x);
}

TEST(the_other_side_of_a_branch_is_physically_behind)
{
	/* 0: if p0 goto 2; 1: then, load r1, jump 3; 2: else writes r1: WAW although no path of a thread has both. */
	fixture x = start(4);
	branch(&x, 0, 2, 1);
	hd_ir_inst *load = put(&x, 1, HD_OP_LDG, r(1), rr(8), none);
	jump(&x, 1, 3);
	hd_ir_inst *other = put(&x, 2, HD_OP_MOVI, r(1), imm(7), none);
	jump(&x, 2, 3);
	put(&x, 3, HD_OP_EXIT, none, none, none);
	assign(&x);
	assert_int_not_equal(load->primary, 0);
	assert_int_equal(other->wait, 1u << (load->primary - 1));
	stop(&x);
}

/* HZ-3, around a loop: `def` does not raise the counter of its consumer `use`, which comes before it and is a primary itself. */
TEST(not_the_counter_of_a_consumer_around_a_loop)
{
	fixture x = start(3);
	x.machine.fence_counters = 3;
	x.machine.fence_high_latency = 1; /* two counters are left, for all primaries here */
	x.machine.fence_classify = HD_CLASSIFY_LATENCY;
	x.machine.fence_threshold = 1000;
	x.machine.fence_wait_counters = false; /* nothing but this rule and the rotation tells them apart */
	jump(&x, 0, 1);
	hd_ir_inst *use = put(&x, 1, HD_OP_FRCP, r(1), r(5), none);
	put(&x, 1, HD_OP_IADD, r(20), r(1), r(3)); /* the ALU waits for `use` here */
	hd_ir_inst *other = put(&x, 1, HD_OP_IADD, r(7), r(3), r(3));
	put(&x, 1, HD_OP_FRCP, r(8), r(7), none);
	hd_ir_inst *def = put(&x, 1, HD_OP_IADD, r(5), r(3), r(3));
	branch(&x, 1, 1, 2);
	put(&x, 2, HD_OP_EXIT, none, none, none);
	assign(&x);
	assert_int_not_equal(use->primary, 0);
	assert_int_not_equal(other->primary, 0);
	assert_int_not_equal(def->primary, 0);
	assert_true(use->wait >> (def->primary - 1) & 1);
	assert_int_not_equal(def->primary, use->primary);
	stop(&x);
}

/* HZ-24: the second load from shared memory shares a counter with the first. Its consumer would otherwise wait for the load from global memory. */
TEST(a_short_latency_does_not_join_a_long_one)
{
	fixture x = start(1);
	hd_ir_inst *global = put(&x, 0, HD_OP_LDG, r(10), rr(8), none);
	hd_ir_inst *first = put(&x, 0, HD_OP_LDS, r(12), r(4), none);
	hd_ir_inst *second = put(&x, 0, HD_OP_LDS, r(14), r(4), none);
	put(&x, 0, HD_OP_IADD, r(20), r(12), r(3));
	put(&x, 0, HD_OP_IADD, r(21), r(14), r(3));
	put(&x, 0, HD_OP_IADD, r(22), r(10), r(3));
	assign(&x);
	assert_int_not_equal(first->primary, global->primary);
	assert_int_equal(second->primary, first->primary);
	stop(&x);
}

TEST(loop_carried_dependences_are_found)
{
	/* block 1 loops: reads r1 in the SFU at its start, writes r1 in the ALU at its end */
	fixture x = start(3);
	jump(&x, 0, 1);
	hd_ir_inst *use = put(&x, 1, HD_OP_FRCP, r(2), r(1), none);
	hd_ir_inst *def = put(&x, 1, HD_OP_IADD, r(1), r(3), r(3));
	branch(&x, 1, 1, 2);
	put(&x, 2, HD_OP_EXIT, none, none, none);
	assign(&x);
	assert_int_not_equal(def->primary, 0);
	assert_true(use->wait >> (def->primary - 1) & 1);
	assert_int_not_equal(use->primary, 0); /* WAR from use to def */
	assert_int_equal(use->release, 1);
	assert_true(def->wait >> (use->primary - 1) & 1);
	assert_int_not_equal(use->primary, def->primary); /* HZ-3 */
	stop(&x);
}

TEST(barriers_wait_for_memory)
{
	fixture x = start(1);
	hd_ir_inst *store = put(&x, 0, HD_OP_STS, none, r(1), r(2));
	hd_ir_inst *load = put(&x, 0, HD_OP_LDS, r(3), r(1), none);
	hd_ir_inst *bar = put(&x, 0, HD_OP_BAR, none, r(HD_RZ), none);
	assign(&x);
	assert_int_not_equal(store->primary, 0);
	assert_int_equal(store->release, 0);
	assert_int_equal(bar->wait, 1u << (store->primary - 1) | 1u << (load->primary - 1));
	stop(&x);
}

TEST(calls_settle_everything)
{
	fixture x = start(1);
	hd_ir_inst *load = put(&x, 0, HD_OP_LDG, r(1), rr(8), none);
	put(&x, 0, HD_OP_IADD, r(5), r(6), r(6));
	hd_ir_inst *last = put(&x, 0, HD_OP_IADD, r(7), r(6), r(6));
	hd_ir_inst *call = put(&x, 0, HD_OP_CALL, none, none, none);
	call->callee = 1;
	ir_add_function(&x.b, "callee", false, 1)->allocated = x.b.f->laid_out = true;
	x.b.f = x.b.m->functions.at[0];
	hd_ir_inst *after = put(&x, 0, HD_OP_FRCP, r(2), r(1), none);
	assign(&x);
	assert_int_equal(call->wait, 1u << (load->primary - 1) | 1u << (last->primary - 1));
	assert_int_equal(after->wait, 0);
	stop(&x);
}

/* HZ-24: a counter that nobody waits for in vain is better than one in turn. Two loads whose consumers come one after the other, and a third one. */
TEST(unneeded_waits_are_avoided)
{
	fixture x = start(1);
	x.machine.fence_counters = 4;
	x.machine.fence_high_latency = 2;
	hd_ir_inst *first = put(&x, 0, HD_OP_LDG, r(1), rr(8), none);
	hd_ir_inst *second = put(&x, 0, HD_OP_LDG, r(2), rr(8), none);
	put(&x, 0, HD_OP_IADD, r(3), r(1), r(1)); /* waits for the first */
	hd_ir_inst *third = put(&x, 0, HD_OP_LDG, r(4), rr(8), none);
	put(&x, 0, HD_OP_IADD, r(5), r(2), r(2)); /* would wait for the third if that had the counter of the second */
	put(&x, 0, HD_OP_IADD, r(6), r(4), r(4));
	assign(&x);
	assert_int_not_equal(first->primary, second->primary);
	assert_int_equal(third->primary, first->primary);
	stop(&x);
}

/* HZ-20, fence.split: as many high-latency counters as cost least; the machine's number where it is all the same, or where nothing may be chosen. */
TEST(the_split_follows_the_program)
{
	static const uint32_t expected[] = {2, 5};
	for (unsigned loads = 0; loads < 2; loads++) {
		fixture x = start(1);
		for (unsigned i = 0; i < 6 * loads; i++)
			put(&x, 0, HD_OP_LDG, r(10 + i), rr(8), none);
		for (unsigned i = 0; i < 6 * loads; i++)
			put(&x, 0, HD_OP_IADD, r(20 + i), r(10 + i), r(1));
		link_blocks(&x);
		hd_hazard_index index = hd_hazard_index_new(x.b.f, &x.machine);
		assert_int_equal(hd_choose_split(&index, 1, &x.machine), expected[loads]);
		hd_hazard_index_free(&index);
		stop(&x);
	}
}

/* Two low-latency counters, one high-latency one. */
static fixture start_with_two(void)
{
	fixture x = start(1);
	x.machine.fence_counters = 3;
	x.machine.fence_high_latency = 1;
	x.machine.fence_classify = HD_CLASSIFY_LATENCY;
	x.machine.fence_threshold = 1000;
	return x;
}

/* HZ-3: a primary does not take the counter that it waits for, though its turn has come and another costs waits. */
TEST(not_the_counter_that_it_waits_for)
{
	fixture x = start_with_two();
	hd_ir_inst *first = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *second = put(&x, 0, HD_OP_I2F, r(7), r(2), none);
	hd_ir_inst *middle = put(&x, 0, HD_OP_FRCP, r(4), r(1), none); /* waits for the first */
	put(&x, 0, HD_OP_FRCP, r(8), r(7), none);
	put(&x, 0, HD_OP_I2F, r(5), r(4), none);
	assign(&x);
	assert_int_not_equal(first->primary, second->primary);
	assert_int_equal(middle->wait, 1u << (first->primary - 1));
	assert_int_equal(middle->primary, second->primary);
	stop(&x);
}

/* HZ-18: nor a counter for which a secondary still waits in its queue, as the decoder would send it back. */
TEST(not_a_counter_that_is_still_waited_for)
{
	for (unsigned wait_counters = 0; wait_counters < 2; wait_counters++) {
		fixture x = start_with_two();
		x.machine.fence_wait_counters = wait_counters;
		hd_ir_inst *first = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
		hd_ir_inst *second = put(&x, 0, HD_OP_IADD, r(7), r(2), r(3));
		put(&x, 0, HD_OP_FRCP, r(4), r(1), none); /* waits for the first in its queue */
		hd_ir_inst *third = put(&x, 0, HD_OP_IADD, r(9), r(2), r(3));
		for (unsigned i = 0; i < 12; i++)
			put(&x, 0, HD_OP_IADD, r(20 + i), r(2), r(3));
		put(&x, 0, HD_OP_I2F, r(10), r(7), none);
		put(&x, 0, HD_OP_I2F, r(11), r(9), none);
		assign(&x);
		assert_int_equal(third->primary, wait_counters ? second->primary : first->primary);
		stop(&x);
	}
}

/* HZ-8, HZ-18: not a counter that is full for long, though its turn has come. A wait for the counter makes room. */
TEST(not_a_counter_that_is_full)
{
	static const struct {
		uint32_t bits;
		bool wait, as_first;
	} rows[] = {{12, false, true}, {5, false, true}, {4, false, false}, {4, true, true}};
	for (unsigned row = 0; row < HD_COUNT(rows); row++) {
		fixture x = start_with_two();
		x.machine.fence_bits = rows[row].bits;
		x.machine.fence_wait_counters = false;
		hd_ir_inst *first = put(&x, 0, HD_OP_FRCP, r(1), r(2), none), *second = put(&x, 0, HD_OP_IADD, r(7), r(2), r(3));
		if (rows[row].wait)
			put(&x, 0, HD_OP_I2F, r(8), r(1), none);
		hd_ir_inst *third = put(&x, 0, HD_OP_IADD, r(9), r(2), r(3));
		for (unsigned i = 0; i < 40; i++)
			put(&x, 0, HD_OP_IADD, r(20 + i), r(2), r(3));
		put(&x, 0, HD_OP_I2F, r(10), r(1), none);
		put(&x, 0, HD_OP_I2F, r(11), r(7), none);
		put(&x, 0, HD_OP_I2F, r(12), r(9), none);
		assign(&x);
		assert_int_not_equal(first->primary, second->primary);
		assert_int_equal(third->primary, rows[row].as_first ? first->primary : second->primary);
		stop(&x);
	}
}
