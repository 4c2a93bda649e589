/* The files of tests in a program, and its `main` where it has none of its own. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 256, MAX_TESTS = 128 };

typedef struct test_file {
	const char *path;
	struct CMUnitTest tests[MAX_TESTS];
	size_t n;
	CMFixtureFunction begin, end;
} test_file;

static test_file files[MAX_FILES];
static size_t n_files;

static test_file *file_of(const char *path)
{
	for (size_t i = 0; i < n_files; i++)
		if (!strcmp(files[i].path, path))
			return &files[i];
	if (n_files == MAX_FILES)
		abort();
	files[n_files].path = path;
	return &files[n_files++];
}

void test_add(const char *file, const char *name, CMUnitTestFunction run, CMFixtureFunction begin, CMFixtureFunction end)
{
	test_file *f = file_of(file);
	if (f->n == MAX_TESTS)
		abort();
	f->tests[f->n++] = (struct CMUnitTest){name, run, begin, end, NULL};
}

void test_around(const char *file, CMFixtureFunction begin, CMFixtureFunction end)
{
	test_file *f = file_of(file);
	f->begin = begin;
	f->end = end;
}

static int is_named(const char *path, const char *word)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t length = strlen(word);
	return !strncmp(name, word, length) && (name[length] == '.' || !name[length]);
}

int main(int argc, char **argv)
{
	int failed = 0;
	size_t ran = 0;
	for (size_t i = 0; i < n_files; i++) {
		int wanted = argc < 2;
		for (int k = 1; k < argc; k++)
			wanted |= is_named(files[i].path, argv[k]);
		if (!wanted)
			continue;
		failed += _cmocka_run_group_tests(files[i].path, files[i].tests, files[i].n, files[i].begin, files[i].end);
		ran++;
	}
	if (ran < (argc < 2 ? 1 : (size_t)argc - 1)) {
		fprintf(stderr, "%s: no such file of tests\n", argv[0]);
		return 2;
	}
	return failed;
}
