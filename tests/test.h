/* Unit tests register themselves: `TEST(name) { ... }` is a test of cmocka, which may use `state`. Files of such tests make one program, whose
 * `main` is in test.c: its arguments name files (test_queue), none means all. */
#ifndef HEDDLE_TESTS_TEST_H
#define HEDDLE_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* `begin` and `end` around one test, or around all of a file with test_around; NULL for none. */
void test_add(const char *file, const char *name, CMUnitTestFunction run, CMFixtureFunction begin, CMFixtureFunction end);
void test_around(const char *file, CMFixtureFunction begin, CMFixtureFunction end);

/* A constructor, an extension of gcc and clang: nothing in C17 runs before main. Those of a file run in order. */
#define TEST_WITH(name, begin, end)                                                                                     \
	static void name(void **state);                                                                                 \
	__attribute__((constructor)) static void register_##name(void) { test_add(__FILE__, #name, name, begin, end); } \
	static void name(void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_AROUND(begin, end) \
	__attribute__((constructor)) static void register_fixture(void) { test_around(__FILE__, begin, end); }

#endif
