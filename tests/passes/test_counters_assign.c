/* The assignments of fence.assign (HZ-34) and fence.deadlock_free (HZ-35). */
#include "annotate_rig.h"
#include "passes/annotate/counters.h"
#include "passes/annotate/waiting_branches.h"

static const hd_assign every[] = {HD_ASSIGN_COST, HD_ASSIGN_ROTATE, HD_ASSIGN_UNSHARED};

static void assign(fixture *x)
{
	link_blocks(x);
	hd_hazard_index index = hd_hazard_index_new(x->b.f, &x->machine);
	hd_assign_counters(&index, &x->machine);
	hd_hazard_index_free(&index);
}

/* `low` low-latency counters, one high-latency one that nothing calls for. */
static fixture start_with(hd_assign how, uint32_t low)
{
	fixture x = start(1);
	x.machine.fence_assign = how;
	x.machine.fence_counters = low + 1;
	x.machine.fence_high_latency = 1;
	x.machine.fence_classify = HD_CLASSIFY_LATENCY;
	x.machine.fence_threshold = 1000;
	return x;
}

/* HZ-34, HZ-24: of four instructions three are primaries, and the fourth depends on the first and the third. With two counters these two share one. A
 * consumer of the second one waits for the other counter alone, in the pipe of the fourth instruction or in another one. Without sharing the third
 * waits for its counter first. */
TEST(what_one_secondary_depends_on_shares_a_counter)
{
	for (unsigned i = 0; i < 2 * HD_COUNT(every); i++) {
		bool two_pipes = i % 2;
		fixture x = start_with(every[i / 2], 2);
		hd_ir_inst *first = put(&x, 0, HD_OP_IADD, r(1), r(8), r(9)), *second = put(&x, 0, HD_OP_IADD, r(2), r(8), r(9));
		hd_ir_inst *third = put(&x, 0, HD_OP_I2F, r(3), r(9), none), *both = put(&x, 0, HD_OP_STS, none, r(1), r(3));
		hd_ir_inst *one = two_pipes ? put(&x, 0, HD_OP_FRCP, r(4), r(2), none) : put(&x, 0, HD_OP_STS, none, r(2), r(8));
		assign(&x);
		assert_int_not_equal(first->primary, second->primary);
		assert_int_equal(third->primary, first->primary);
		assert_int_equal(both->wait, 1u << (first->primary - 1));
		assert_int_equal(one->wait, 1u << (second->primary - 1));
		assert_int_equal(third->wait, every[i / 2] == HD_ASSIGN_UNSHARED ? both->wait : 0);
		stop(&x);
	}
}

/* HZ-34: a counter of a fellow comes before one that rested longer, and a free one before both. */
TEST(rotation_shares_only_when_no_counter_is_free)
{
	for (uint32_t low = 2; low <= 3; low++) {
		fixture x = start_with(HD_ASSIGN_ROTATE, low);
		hd_ir_inst *second = put(&x, 0, HD_OP_IADD, r(2), r(8), r(9)), *first = put(&x, 0, HD_OP_F2F, r(1), r(8), none);
		hd_ir_inst *third = put(&x, 0, HD_OP_IADD, r(3), r(8), r(9));
		put(&x, 0, HD_OP_STS, none, r(1), r(3));
		for (unsigned i = 0; i < 20; i++) /* sharing with the second costs nothing */
			put(&x, 0, HD_OP_IADD, r(20 + i), r(8), r(9));
		put(&x, 0, HD_OP_FRCP, r(4), r(2), none);
		assign(&x);
		assert_int_not_equal(first->primary, second->primary);
		assert_int_not_equal(third->primary, second->primary);
		assert_true((third->primary == first->primary) == (low == 2));
		stop(&x);
	}
}

/* HZ-34: a counter is free again behind a wait for it, whatever that costs (HZ-18). Of free ones the one that rested longest is next. */
TEST(free_counters_rotate)
{
	for (unsigned i = 0; i < HD_COUNT(every); i++) {
		fixture x = start_with(every[i], 3);
		hd_ir_inst *first = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3)), *other = put(&x, 0, HD_OP_IADD, r(7), r(2), r(3));
		put(&x, 0, HD_OP_FRCP, r(4), r(1), none); /* waits for the first in its queue */
		hd_ir_inst *third = put(&x, 0, HD_OP_IADD, r(9), r(2), r(3)), *fourth = put(&x, 0, HD_OP_IADD, r(12), r(2), r(3));
		for (unsigned k = 0; k < 12; k++)
			put(&x, 0, HD_OP_IADD, r(20 + k), r(2), r(3));
		put(&x, 0, HD_OP_I2F, r(10), r(7), none);
		put(&x, 0, HD_OP_I2F, r(11), r(9), none);
		put(&x, 0, HD_OP_I2F, r(13), r(12), none);
		assign(&x);
		assert_int_not_equal(third->primary, first->primary); /* the third counter rested longer */
		assert_int_not_equal(third->primary, other->primary);
		assert_true((fourth->primary == first->primary) == (every[i] != HD_ASSIGN_COST));
		stop(&x);
	}
}

/* HZ-34: around a loop, too, nothing shares: the primary waits for what it raised a turn before, in a branch of its own (HZ-3). */
TEST(unshared_around_a_loop)
{
	for (unsigned i = 0; i < HD_COUNT(every); i++) {
		fixture x = start(3);
		x.machine.fence_assign = every[i];
		jump(&x, 0, 1);
		hd_ir_inst *store = put(&x, 1, HD_OP_STG, none, rr(8), r(1));
		branch(&x, 1, 1, 2);
		put(&x, 2, HD_OP_IADD, r(1), r(2), r(3));
		assign(&x);
		bool waits = store->wait >> (store->primary - 1) & 1;
		assert_int_equal(waits, every[i] == HD_ASSIGN_UNSHARED);
		hd_insert_waiting_branches(x.b.m, x.b.f);
		assert_int_equal(x.b.f->blocks.at[1]->insts.n, waits ? 3 : 2);
		stop(&x);
	}
}

/* HZ-35: a primary whose low-latency counters may all still be waited for in a queue gets a high-latency one. */
TEST(without_deadlocks_a_counter_is_not_raised_too_early)
{
	for (unsigned safe = 0; safe < 2; safe++) {
		fixture x = start_with(HD_ASSIGN_COST, 2);
		hd_ir_inst *primary[3], *secondary[3];
		x.machine.fence_deadlock_free = safe;
		for (unsigned i = 0; i < 3; i++) {
			primary[i] = put(&x, 0, HD_OP_IADD, r(10 + i), r(2), r(3));
			secondary[i] = put(&x, 0, HD_OP_FRCP, r(20 + i), r(10 + i), none);
		}
		assign(&x);
		unsigned high = 0;
		for (unsigned i = 0; i < 3; i++) {
			high += primary[i]->primary == 3;
			assert_int_equal(secondary[i]->wait, 1u << (primary[i]->primary - 1));
		}
		assert_int_equal(high, safe);
		stop(&x);
	}
}
