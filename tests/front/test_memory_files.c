/* Sources in memory: clang finds them by their names, messages and line tables name them, and no folder sees any of it. */
#include "front/front.h"
#include "front/process.h"
#include "../test.h"

#include <dirent.h>
#include <unistd.h>

static hd_memory_file file(const char *name, const char *text) { return (hd_memory_file){.name = name, .bytes = text, .size = strlen(text)}; }

static void clang_finds_each_file_by_its_name(void **state)
{
	static const char *const arguments[] = {"-I" HD_MEMORY_FOLDER, "-fdebug-compilation-dir=" HD_MEMORY_FOLDER, NULL};
	const hd_memory_file files[] = {
	    file("p.cl", "# 1 \"p.cl\"\n#include \"deep/in/a.h\"\n#include \"quo\\te.h\"\nkernel void k(global int *y) { *y = A + B + 100; }\n"),
	    file("deep/in/a.h", "#include \"b.h\"\n#define A 20\n"),
	    file("deep/in/b.h", "#define B 3\n"),
	    file("quo\\te.h", "#if A + B != 23\n#error no\n#endif\n"),
	};
	hd_front_options options = {.arguments = arguments, .debug_lines = true, .files = files, .n_files = HD_COUNT(files)};
	hd_diag diag = {0};
	size_t size;
	char *ptx = hd_front_compile("p.cl", &options, &size, &diag);
	if (!ptx)
		fail_msg("%s", diag.text.at);
	assert_int_equal(diag.text.n, 0);
	assert_non_null(strstr(ptx, "123"));
	assert_non_null(strstr(ptx, "\"" HD_MEMORY_FOLDER "\" \"p.cl\""));
	assert_null(strstr(ptx, "/proc"));
	free(ptx);
}

static void messages_have_the_names(void **state)
{
	static const char *const include[] = {"-I" HD_MEMORY_FOLDER, NULL};
	const hd_memory_file files[] = {file("p.cl", "#include \"a.h\"\nkernel void k(void) { unknown(); }\n"),
	                                file("a.h", "int wrong = nothing;\n")};
	hd_front_options options = {.arguments = include, .files = files, .n_files = HD_COUNT(files)};
	hd_diag diag = {0};
	size_t size;
	assert_null(hd_front_compile("p.cl", &options, &size, &diag));
	assert_non_null(strstr(diag.text.at, "In file included from p.cl:1:"));
	assert_non_null(strstr(diag.text.at, HD_MEMORY_FOLDER "/a.h:1:"));
	assert_non_null(strstr(diag.text.at, "\np.cl:2:"));
	assert_null(strstr(diag.text.at, "/proc"));
	hd_diag_free(&diag);
}

static void descriptors_are_closed(void **state)
{
	int before = dup(0), after;
	close(before);
	hd_memory_files files = {0};
	hd_diag diag = {0};
	const hd_memory_file list[] = {file("a", "1"), file("b", "")};
	assert_true(hd_memory_files_open(&files, list, 2, HD_PROCESS_FIRST_FILE, &diag));
	assert_int_equal(files.fds.n, 3);
	hd_memory_files_close(&files);
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

static void no_folder_sees_any_of_it(void **state)
{
	char folder[] = "/tmp/heddle-memory-XXXXXX";
	const hd_memory_file files[] = {file("p.cl", "kernel void k(global int *y) { *y = 1; }\n")};
	hd_front_options options = {.files = files, .n_files = 1};
	hd_diag diag = {0};
	size_t size;
	assert_non_null(mkdtemp(folder));
	setenv("TMPDIR", folder, 1);
	free(hd_front_compile("p.cl", &options, &size, &diag));
	/* A crash of clang is the case in which clang writes files: out of memory is one. */
	const hd_memory_file large[] = {file("p.cl", "constant int t[200000000] = {1};\nkernel void k(global int *y) { *y = t[*y]; }\n")};
	options.files = large;
	setenv("HEDDLE_CLANG_MEMORY", "80", 1);
	assert_null(hd_front_compile("p.cl", &options, &size, &diag));
	unsetenv("HEDDLE_CLANG_MEMORY");
	unsetenv("TMPDIR");
	assert_non_null(strstr(diag.text.at, "asked for more memory than 80 MiB"));
	assert_null(strstr(diag.text.at, "Stack dump"));
	hd_diag_free(&diag);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(clang_finds_each_file_by_its_name),
	    cmocka_unit_test(messages_have_the_names),
	    cmocka_unit_test(descriptors_are_closed),
	    cmocka_unit_test(no_folder_sees_any_of_it),
	};
	return cmocka_run_group_tests_name("memory_files", tests, NULL, NULL);
}
