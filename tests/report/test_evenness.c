/* MI-16: the evenness of the pipelines' use, from the statistics of a run. */
#include "../test.h"

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

TEST(equal_use_is_one)
{
	assert_float_equal(of(1, 40, 8, 4 * 100 + 4 * 4), 1.0, 1e-12);
	assert_float_equal(of(2, 40, 8, 4 * 100 + 4 * 4), 1.0, 1e-12);
}

TEST(use_in_one_span_of_four_is_a_quarter) { assert_float_equal(of(1, 0, 12, 144), 0.25, 1e-12); }

/* A pipe with much use counts more: 40 cycles in two spans of four, 4 evenly. */
TEST(pipes_count_by_their_use) { assert_float_equal(of(1, 40, 4, 800 + 4), (400.0 + 4.0) / 804.0, 1e-12); }

TEST(nothing_is_zero) { assert_float_equal(of(1, 0, 0, 0), 0.0, 0.0); }
