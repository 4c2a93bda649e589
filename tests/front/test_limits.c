/* The bounds of clang: what the environment may say, and what is reported. */
#include "front/limits.h"
#include "../test.h"

static void without_variables_the_table_holds(void **state)
{
	hd_process_limits limits;
	hd_diag diag = {0};
	assert_true(hd_limits_read(&limits, &diag));
	assert_int_equal(limits.memory, 1024u << 20);
	assert_int_equal(limits.cpu, 120);
	assert_int_equal(limits.time, 600);
	assert_int_equal(limits.output, 64 << 20);
	assert_int_equal(diag.errors, 0);
}

static void a_variable_sets_its_bound(void **state)
{
	hd_process_limits limits;
	hd_diag diag = {0};
	setenv("HEDDLE_CLANG_MEMORY", "1048576", 1);
	setenv("HEDDLE_CLANG_CPU", "0", 1);
	setenv("HEDDLE_CLANG_TIME", "", 1);
	assert_true(hd_limits_read(&limits, &diag));
	assert_int_equal(limits.memory, UINT64_C(1) << 40);
	assert_int_equal(limits.cpu, 0);
	assert_int_equal(limits.time, 600);
	unsetenv("HEDDLE_CLANG_MEMORY");
	unsetenv("HEDDLE_CLANG_CPU");
	unsetenv("HEDDLE_CLANG_TIME");
}

static void what_is_no_bound_is_refused(void **state)
{
	static const char *const wrong[] = {"-1", "1.5", "much", "1048577", "99999999999999999999999999", " 1", "1 "};
	for (size_t i = 0; i < HD_COUNT(wrong); i++) {
		hd_process_limits limits;
		hd_diag diag = {0};
		setenv("HEDDLE_CLANG_MEMORY", wrong[i], 1);
		assert_false(hd_limits_read(&limits, &diag));
		hd_text wanted = {0};
		hd_text_printf(&wanted, "HEDDLE_CLANG_MEMORY: error: cannot be '%s', expected a number of MiB from 1 to 1048576, or 0 for no limit\n",
		               wrong[i]);
		assert_string_equal(diag.text.at, wanted.at);
		hd_text_free(&wanted);
		hd_diag_free(&diag);
	}
	unsetenv("HEDDLE_CLANG_MEMORY");
}

static void a_message_says_which_how_much_and_how_to_raise_it(void **state)
{
	hd_process_limits limits = {.memory = 7 << 20, .cpu = 9};
	hd_diag diag = {0};
	hd_limits_error(&diag, (hd_pos){.file = "a.cl"}, "clang", HD_PROCESS_LIMIT_MEMORY, &limits);
	hd_limits_error(&diag, (hd_pos){.file = "a.cl"}, "clang", HD_PROCESS_LIMIT_CPU, &limits);
	assert_string_equal(diag.text.at,
	                    "a.cl: error: clang was ended: it asked for more memory than 7 MiB; the environment variable HEDDLE_CLANG_MEMORY sets "
	                    "another limit, 0 none\n"
	                    "a.cl: error: clang was ended: it used the processor for more than 9 seconds; the environment variable "
	                    "HEDDLE_CLANG_CPU sets another limit, 0 none\n");
	hd_diag_free(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(without_variables_the_table_holds),
	    cmocka_unit_test(a_variable_sets_its_bound),
	    cmocka_unit_test(what_is_no_bound_is_refused),
	    cmocka_unit_test(a_message_says_which_how_much_and_how_to_raise_it),
	};
	return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
