/* Instruction types that were not used lately come first (MI; multi_issue.spread). */
#include "passes/schedule/recent_pipes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static hd_recent_pipes start(uint32_t window, uint32_t spread)
{
	hd_machine machine;
	hd_recent_pipes recent;
	hd_machine_default(&machine);
	machine.multi_issue_window = window;
	machine.multi_issue_spread = spread;
	hd_recent_pipes_start(&recent, &machine);
	return recent;
}

static void other_pipes_get_the_bonus(void **state)
{
	hd_recent_pipes recent = start(4, 5);
	assert_int_equal(hd_recent_pipes_bonus(&recent, HD_PIPE_ALU), 5);
	hd_recent_pipes_add(&recent, HD_PIPE_ALU);
	assert_int_equal(hd_recent_pipes_bonus(&recent, HD_PIPE_ALU), 0);
	assert_int_equal(hd_recent_pipes_bonus(&recent, HD_PIPE_SFU), 5);
	hd_recent_pipes_add(&recent, HD_PIPE_NONE); /* a call counts as a type, too */
	assert_int_equal(hd_recent_pipes_bonus(&recent, HD_PIPE_NONE), 0);
}

/* One less than the window is remembered, three at most; a pipe is forgotten when its last instruction is. */
static void a_few_are_remembered(void **state)
{
	static const uint8_t remembered[] = {[2] = 1, [3] = 2, [4] = 3, [8] = 3};
	static const uint32_t windows[] = {2, 3, 4, 8};
	for (unsigned i = 0; i < HD_COUNT(windows); i++) {
		hd_recent_pipes recent = start(windows[i], 1);
		hd_recent_pipes_add(&recent, HD_PIPE_SFU);
		hd_recent_pipes_add(&recent, HD_PIPE_SFU);
		for (unsigned n = 0; n < remembered[windows[i]]; n++) {
			assert_int_equal(hd_recent_pipes_bonus(&recent, HD_PIPE_SFU), 0);
			hd_recent_pipes_add(&recent, HD_PIPE_ALU);
		}
		assert_int_equal(hd_recent_pipes_bonus(&recent, HD_PIPE_SFU), 1);
	}
}

static void without_a_window_there_is_no_bonus(void **state)
{
	hd_recent_pipes recent = start(1, 5);
	hd_recent_pipes_add(&recent, HD_PIPE_ALU);
	assert_int_equal(hd_recent_pipes_bonus(&recent, HD_PIPE_SFU), 0);
	recent = start(4, 0);
	hd_recent_pipes_add(&recent, HD_PIPE_ALU);
	assert_int_equal(hd_recent_pipes_bonus(&recent, HD_PIPE_SFU), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(other_pipes_get_the_bonus),
	    cmocka_unit_test(a_few_are_remembered),
	    cmocka_unit_test(without_a_window_there_is_no_bonus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
