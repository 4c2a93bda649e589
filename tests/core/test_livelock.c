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

static void a_loop_that_changes_nothing_is_a_deadlock(void **state)
{
	hd_inst still = movi(4, 7);
	assert_int_equal(spin(&still, 1), HD_TRAP_DEADLOCK);
}

/* The period of the state is 2, not 1. */
static void a_state_that_recurs_later_is_a_deadlock(void **state)
{
	hd_inst toggle = alui(HD_OP_XOR, 4, 4, 1);
	assert_int_equal(spin(&toggle, 1), HD_TRAP_DEADLOCK);
}

static void a_loop_that_counts_is_not_a_deadlock(void **state)
{
	hd_inst count = alui(HD_OP_IADD, 4, 4, 1);
	assert_int_equal(spin(&count, 1), HD_TRAP_CYCLES);
}

static void a_loop_that_reads_a_clock_is_not_a_deadlock(void **state)
{
	hd_inst read[] = {sreg(4, HD_SREG_CLOCK), movi(4, 0)};
	assert_int_equal(spin(read, 2), HD_TRAP_CYCLES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_loop_that_changes_nothing_is_a_deadlock),
	    cmocka_unit_test(a_state_that_recurs_later_is_a_deadlock),
	    cmocka_unit_test(a_loop_that_counts_is_not_a_deadlock),
	    cmocka_unit_test(a_loop_that_reads_a_clock_is_not_a_deadlock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
