/* MI-16: the evenness of the pipelines' use, from the statistics of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/evenness.h"

/* Four spans of one issue slot, or of two. */
static double of(uint32_t width, uint64_t alu, uint64_t lsu, uint64_t squares)
{
	hd_machine machine;
	hd_machine_default(&machine);
	machine.predecode_issue_width = width;
	hd_stats stats = {
	    .run_issue_slots = (uint64_t)4 * HD_ENTRY_SPAN * width, .pipe_busy_alu = alu, .pipe_busy_lsu = lsu, .entry_squares = squares};
	return hd_evenness(&machine, &stats);
}

static void equal_use_is_one(void **state)
{
	assert_float_equal(of(1, 40, 8, 4 * 100 + 4 * 4), 1.0, 1e-12);
	assert_float_equal(of(2, 40, 8, 4 * 100 + 4 * 4), 1.0, 1e-12);
}

static void use_in_one_span_of_four_is_a_quarter(void **state) { assert_float_equal(of(1, 0, 12, 144), 0.25, 1e-12); }

/* A pipe with much use counts more: 40 cycles in two spans of four, 4 evenly. */
static void pipes_count_by_their_use(void **state) { assert_float_equal(of(1, 40, 4, 800 + 4), (400.0 + 4.0) / 804.0, 1e-12); }

static void nothing_is_zero(void **state) { assert_float_equal(of(1, 0, 0, 0), 0.0, 0.0); }

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(equal_use_is_one),
	    cmocka_unit_test(use_in_one_span_of_four_is_a_quarter),
	    cmocka_unit_test(pipes_count_by_their_use),
	    cmocka_unit_test(nothing_is_zero),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
