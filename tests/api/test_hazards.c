/* The hazard sanitizer from C (docs/sanitizer.md): heddle_hazards, heddle_violations, and what a run says of them. */
#include <stdio.h>
#include <stdlib.h>
#include "../test.h"

#include "heddle/heddle.h"

/* A program of the regressions: one CTA of 64 threads with a buffer for output and one of zeros. */
static heddle *built(const char *program)
{
	const char *source = getenv("HEDDLE_SOURCE");
	char path[4096];
	heddle *h = heddle_new();
	snprintf(path, sizeof path, "%s/tests/regressions/programs/%s", source ? source : ".", program);
	if (!heddle_build(h, path, NULL))
		fail_msg("%s", heddle_messages(h));
	return h;
}

static heddle_status run(heddle *h, bool functional)
{
	static const uint32_t zeros[256];
	const heddle_arg args[] = {heddle_pointer(heddle_buffer(h, "out", zeros, 256)), heddle_pointer(heddle_buffer(h, "in", zeros, 1024))};
	const heddle_launch launch = {.grid = {1}, .block = {64}, .args = args, .n_args = 2, .functional = functional};
	heddle_clear(h);
	return heddle_run(h, &launch);
}

/* The run ends as it does without a watcher; what was found is a number, and a message. */
TEST(a_violation_is_counted_and_told)
{
	heddle *h = built("shared_memory_by_two_pipes.hasm");
	uint64_t cycles = 0, watched = 0;
	assert_int_equal(run(h, false), HEDDLE_DONE);
	assert_true(heddle_stat(h, "run.cycles", &cycles));
	assert_int_equal(heddle_violations(h), 0);
	assert_string_equal(heddle_messages(h), "");
	heddle_hazards(h, true);
	assert_int_equal(run(h, false), HEDDLE_DONE);
	assert_true(heddle_stat(h, "run.cycles", &watched));
	assert_int_equal(watched, cycles);
	assert_true(heddle_violations(h) > 0);
	assert_non_null(strstr(heddle_messages(h), "memory order on shared memory"));
	heddle_free(h);
}

/* The number is that of the last run, and a run that nobody watched has none. */
TEST(the_number_is_of_the_last_run)
{
	heddle *h = built("shared_memory_by_two_pipes.hasm");
	heddle_hazards(h, true);
	assert_int_equal(run(h, false), HEDDLE_DONE);
	uint64_t once = heddle_violations(h);
	assert_true(once > 0);
	assert_int_equal(run(h, false), HEDDLE_DONE);
	assert_int_equal(heddle_violations(h), once);
	assert_int_equal(run(h, true), HEDDLE_DONE);
	assert_int_equal(heddle_violations(h), 0);
	assert_string_equal(heddle_messages(h), "");
	heddle_hazards(h, false);
	assert_int_equal(run(h, false), HEDDLE_DONE);
	assert_int_equal(heddle_violations(h), 0);
	heddle_free(h);
}

TEST(nothing_is_said_of_a_program_that_is_right)
{
	heddle *h = built("complementary_guards.hasm");
	heddle_hazards(h, true);
	assert_int_equal(run(h, false), HEDDLE_DONE);
	assert_int_equal(heddle_violations(h), 0);
	assert_string_equal(heddle_messages(h), "");
	heddle_free(h);
}
