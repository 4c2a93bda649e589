/* Text of source files: what an object names, or what was built under this name. */
#include "../test.h"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "report/source.h"

static char folder[] = "/tmp/heddle-source-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[2][128];
	static unsigned turn;
	snprintf(path[turn ^= 1], sizeof path[0], "%s/%s", folder, name);
	return path[turn];
}

static void put(const char *name, const char *text, size_t size)
{
	hd_diag diag = {0};
	assert_true(hd_write_file(path_of(name), text, size, &diag));
	hd_diag_free(&diag);
}

static void is(const char *path, const hd_input *input, const char *expected)
{
	char *text = hd_source_read(path, input);
	if (expected) {
		assert_non_null(text);
		assert_string_equal(text, expected);
	} else {
		assert_null(text);
	}
	free(text);
}

static void sources_are_read_by_their_endings(void **state)
{
	put("a.cl", "one\n", 4);
	put("id_rsa", "secret", 6);
	mkdir(path_of("folder.cl"), 0700);
	is(path_of("a.cl"), &(hd_input){0}, "one\n");
	is(path_of("id_rsa"), &(hd_input){0}, NULL);
	is(path_of("folder.cl"), &(hd_input){0}, NULL);
	is(path_of("absent.cl"), &(hd_input){0}, NULL);
	rmdir(path_of("folder.cl"));
	assert_int_equal(symlink("/dev/null", path_of("device.cl")), 0);
	is(path_of("device.cl"), &(hd_input){0}, NULL);
	unlink(path_of("device.cl"));
	unlink(path_of("id_rsa"));
}

static void the_input_stands_for_a_name_of_its_own(void **state)
{
	/* The compiler was in another folder. What the user gave may have any ending. */
	const char *given = path_of("a.cl");
	is("elsewhere/a.cl", &(hd_input){.path = given}, "one\n");
	is("elsewhere/b.cl", &(hd_input){.path = given}, NULL);
	put("kernel", "two\n", 4);
	is("kernel", &(hd_input){.path = path_of("kernel")}, "two\n");
	unlink(path_of("kernel"));
}

static void a_text_goes_before_files_of_its_name(void **state)
{
	is(path_of("a.cl"), &(hd_input){.path = "a.cl", .text = "three\n"}, "three\n");
	is(path_of("a.cl"), &(hd_input){.path = "b.cl", .text = "three\n"}, "one\n");
	is("folder/a.cl", &(hd_input){.path = "other/a.cl", .text = "three\n"}, "three\n");
}

static void large_files_are_not_listed(void **state)
{
	char *large = hd_xcalloc(HD_LISTED_MAX + 2, 1);
	memset(large, 'x', HD_LISTED_MAX + 1);
	put("large.cl", large, HD_LISTED_MAX + 1);
	is(path_of("large.cl"), &(hd_input){0}, NULL);
	is("large.cl", &(hd_input){.path = "large.cl", .text = large}, NULL);
	large[HD_LISTED_MAX] = '\0';
	is("large.cl", &(hd_input){.path = "large.cl", .text = large}, large);
	free(large);
	unlink(path_of("large.cl"));
	unlink(path_of("a.cl"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sources_are_read_by_their_endings),
	                                   cmocka_unit_test(the_input_stands_for_a_name_of_its_own),
	                                   cmocka_unit_test(a_text_goes_before_files_of_its_name), cmocka_unit_test(large_files_are_not_listed)};
	if (!mkdtemp(folder))
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(folder);
	return failed;
}
