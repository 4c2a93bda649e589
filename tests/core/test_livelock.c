/* RC-17: warps that repeat a state for ever are a deadlock; warps that change something are not. */
#include "rig.h"

#include "launch/watch.h"

enum { LIMIT = 4 * HD_QUIET };

static hd_trap_kind spin(const hd_inst *body, unsigned n)
{
	rig *r = rig_new(4);
	r->options.max_cycles = LIMIT;
	uint32_t first = rig_here(r);
	for (unsigned i = 0; i < n; i++)
		rig_put(r, body[i], delay(15));
	rig_put(r, branch(HD_OP_BRA, first), delay(15));
	rig_exit(r);
	assert_false(rig_run(r));
	hd_trap_kind kind = r->trap.kind;
	rig_free(r);
	return kind;
}

TEST(a_loop_that_changes_nothing_is_a_deadlock)
{
	hd_inst still = movi(4, 7);
	assert_int_equal(spin(&still, 1), HD_TRAP_DEADLOCK);
}

/* The period of the state is 2, not 1. */
TEST(a_state_that_recurs_later_is_a_deadlock)
{
	hd_inst toggle = alui(HD_OP_XOR, 4, 4, 1);
	assert_int_equal(spin(&toggle, 1), HD_TRAP_DEADLOCK);
}

TEST(a_loop_that_counts_is_not_a_deadlock)
{
	hd_inst count = alui(HD_OP_IADD, 4, 4, 1);
	assert_int_equal(spin(&count, 1), HD_TRAP_CYCLES);
}

TEST(a_loop_that_reads_a_clock_is_not_a_deadlock)
{
	hd_inst read[] = {sreg(4, HD_SREG_CLOCK), movi(4, 0)};
	assert_int_equal(spin(read, 2), HD_TRAP_CYCLES);
}

/* -- barriers: to pass one is no progress by itself ---------------------------------------------------------------------------------------- */

/* Three warps; r0 is the number of the thread, p1 holds in warp 0, p2 in warps 0 and 1. */
static rig *begin_three(void)
{
	rig *r = rig_new(4);
	r->options.max_cycles = LIMIT;
	r->launch.block[0] = 96;
	rig_put(r, sreg(0, HD_SREG_TIDX), delay(15));
	rig_put(r, movc(2, 16), delay(15));
	rig_put(r, movc(3, 17), delay(15));
	rig_put(r, setpi(HD_CMP_LT, 1, 0, 32), delay(15));
	rig_put(r, setpi(HD_CMP_LT, 2, 0, 64), delay(15));
	rig_put(r, movi(6, 64), delay(15));
	return r;
}

static uint32_t put_jump(rig *r, hd_inst i) { return rig_put(r, i, delay(15)); }

/* A barrier of two warps. */
static void put_barrier_of_two(rig *r, unsigned number)
{
	hd_inst i = bar(number);
	i.b = 6;
	r->slots[rig_put(r, i, delay(15))].words[1] = 1;
}

static hd_trap_kind end_three(rig *r)
{
	bool ok = rig_run(r);
	hd_trap_kind kind = ok ? HD_TRAP_NONE : r->trap.kind;
	rig_free(r);
	return kind;
}

TEST(warps_that_meet_for_ever_are_a_deadlock)
{
	rig *r = begin_three();
	uint32_t first = rig_here(r);
	rig_put(r, bar(0), delay(15));
	put_jump(r, branch(HD_OP_BRA, first));
	assert_int_equal(end_three(r), HD_TRAP_DEADLOCK);
}

/* The last warp to come counts; nobody else does. */
TEST(warps_that_wait_for_one_that_counts_are_not)
{
	rig *r = begin_three();
	uint32_t first = rig_here(r);
	rig_put(r, guarded(alui(HD_OP_IADD, 4, 4, 1), 1, 0), delay(15));
	rig_put(r, bar(0), delay(15));
	put_jump(r, branch(HD_OP_BRA, first));
	assert_int_equal(end_three(r), HD_TRAP_CYCLES);
}

/* Warp 2 waits at another barrier, where nobody comes, while warps 0 and 1 meet for ever. */
TEST(a_warp_that_nobody_meets_is_part_of_the_deadlock)
{
	rig *r = begin_three();
	uint32_t away = put_jump(r, guarded(branch(HD_OP_BRA, 0), 2, 1));
	uint32_t first = rig_here(r);
	put_barrier_of_two(r, 0);
	put_jump(r, branch(HD_OP_BRA, first));
	r->slots[away].inst.imm = (int32_t)rig_here(r);
	put_barrier_of_two(r, 1);
	rig_exit(r);
	assert_int_equal(end_three(r), HD_TRAP_DEADLOCK);
}

/* Warps 0 and 1 repeat themselves until they read a 1. Warp 2 counts for long, then comes to their barrier and waits there for a moment. One of the
 * two releases it, and it writes the 1. */
TEST(a_warp_that_is_released_later_goes_on)
{
	rig *r = begin_three();
	uint32_t away = put_jump(r, guarded(branch(HD_OP_BRA, 0), 2, 1));
	uint32_t first = rig_here(r);
	put_barrier_of_two(r, 0);
	hd_inst ld = load(HD_OP_LDG, 5, 2, 0);
	ld.mod = HD_CACHE_VOLATILE;
	rig_put(r, primary(ld, 5), delay(15));
	rig_put(r, waits(setpi(HD_CMP_EQ, 3, 5, 0), 5), delay(15));
	put_jump(r, guarded(branch(HD_OP_BRA, first), 3, 0));
	rig_exit(r);
	r->slots[away].inst.imm = (int32_t)rig_here(r);
	rig_put(r, movi(4, 0), delay(15));
	uint32_t count = rig_here(r);
	rig_put(r, alui(HD_OP_IADD, 4, 4, 1), delay(15));
	rig_put(r, setpi(HD_CMP_LT, 4, 4, 3000), delay(15));
	put_jump(r, guarded(branch(HD_OP_BRA, count), 4, 0));
	put_barrier_of_two(r, 0);
	rig_put(r, movi(7, 1), delay(15));
	rig_put(r, store(HD_OP_STG, 2, 0, 7), delay(15));
	rig_exit(r);
	assert_int_equal(end_three(r), HD_TRAP_NONE);
}
