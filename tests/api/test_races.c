/* The race detector from C (MT-5, docs/sanitizer.md): heddle_races, heddle_race_count, and what a run says of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../test.h"

#include "heddle/heddle.h"

static heddle_status run(heddle *h, const char *kernel, bool functional)
{
	static const uint32_t zeros[64];
	const heddle_arg args[] = {heddle_pointer(heddle_buffer(h, "words", zeros, sizeof zeros))};
	const heddle_launch launch = {.kernel = kernel, .grid = {1}, .block = {32}, .args = args, .n_args = 1, .functional = functional};
	heddle_clear(h);
	return heddle_run(h, &launch);
}

TEST(races_are_errors_but_no_fault)
{
	const char *source = getenv("HEDDLE_SOURCE");
	char path[4096];
	heddle *h = heddle_new();
	snprintf(path, sizeof path, "%s/tests/races/table.ptx", source ? source : ".");
	if (!heddle_build(h, path, NULL))
		fail_msg("%s", heddle_messages(h));
	assert_int_equal(run(h, "lockstep", true), HEDDLE_DONE);
	assert_int_equal(heddle_race_count(h), 0);
	heddle_races(h, true, 0);
	assert_int_equal(run(h, "lockstep", true), HEDDLE_DONE);
	assert_int_equal(heddle_race_count(h), 32);
	assert_non_null(strstr(heddle_messages(h), "data race on shared memory"));
	assert_int_equal(run(h, "synchronised", true), HEDDLE_DONE);
	assert_int_equal(heddle_race_count(h), 0);
	assert_string_equal(heddle_messages(h), "");
	assert_int_equal(run(h, "lockstep", false), HEDDLE_DONE);
	assert_int_equal(heddle_race_count(h), 0);
	heddle_races(h, true, 1); /* no room for anything */
	assert_int_equal(run(h, "lockstep", true), HEDDLE_DONE);
	assert_int_equal(heddle_race_count(h), 0);
	assert_non_null(strstr(heddle_messages(h), "96 accesses were not looked at"));
	heddle_races(h, false, 0);
	assert_int_equal(run(h, "lockstep", true), HEDDLE_DONE);
	assert_int_equal(heddle_race_count(h), 0);
	heddle_free(h);
}
