/* hd_source_name_match: what stands for which function. */
#include "../test.h"

#include "base/source_name.h"

static const hd_name_match other = HD_NAME_OTHER, part = HD_NAME_PART, whole = HD_NAME_WHOLE;

typedef struct row {
	const char *wanted, *full;
	const hd_name_match *match;
} row;

static void expect(const row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (hd_source_name_match(rows[i].wanted, rows[i].full) != *rows[i].match)
			fail_msg("'%s' for '%s': expected %u", rows[i].wanted, rows[i].full, (unsigned)*rows[i].match);
}

TEST(plain_names_and_namespaces)
{
	static const row rows[] = {
	    {"f", "f", &whole},
	    {"f", "g", &other},
	    {"f", "ff", &other},
	    {"ff", "f", &other},
	    {"", "f", &other},
	    {"f", "ns::f", &part},
	    {"ns::f", "ns::f", &whole},
	    {"b::f", "a::b::f", &part},
	    {"::f", "a::f", &other},
	    {"a::f", "f", &other},
	    {"b::f", "ab::f", &other},
	    {"ns", "ns::f", &other},
	    {"ns::", "ns::f", &other},
	    {"ns :: f", "ns::f", &whole},
	    {"f", "(anonymous namespace)::f", &part},
	    {"(anonymous namespace)::f", "(anonymous namespace)::f", &whole},
	    {"f", "(anonymous namespace)::f(int)", &part},
	    {"f", "box<int>::f", &part},
	    {"box<int>::f", "box<int>::f", &whole},
	    {"box::f", "box<int>::f", &other},
	};
	(void)state;
	expect(rows, HD_COUNT(rows));
}

TEST(template_arguments)
{
	static const row rows[] = {
	    {"t", "t<float>", &part},
	    {"t<float>", "t<float>", &whole},
	    {"t<int>", "t<float>", &other},
	    {"t<float>", "t<float, 4>", &part},
	    {"t<float,4>", "t<float, 4>", &whole},
	    {"t<float , 4 >", "ns::t<float, 4>", &part},
	    {"t<float, 4, 5>", "t<float, 4>", &other},
	    {"t<flo>", "t<float>", &other},
	    {"t<>", "t<float>", &other},
	    {"t<>", "t<>", &whole},
	    {"t", "t", &whole},
	    {"t<float>", "t", &other},
	    {"t<unsigned int>", "t<unsigned int>", &whole},
	    {"t<unsignedint>", "t<unsigned int>", &other},
	    {"t<box<int>>", "t<box<int>>", &whole},
	    {"t<box<int> >", "t<box<int>>", &whole},
	    {"t<box<int>", "t<box<int>>", &other},
	    {"t<(short)1>", "t<(short)1>", &whole},
	    {"t", "t<(short)1>(int)", &part},
	};
	(void)state;
	expect(rows, HD_COUNT(rows));
}

TEST(parameters)
{
	static const row rows[] = {
	    {"f(int*)", "f(int *)", &whole},
	    {"f(int *)", "f(float *)", &other},
	    {"f", "f(int *)", &whole},
	    {"f()", "f(int *)", &other},
	    {"f()", "f()", &whole},
	    {"f(int*)", "f", &other},
	    {"ns::f(int*, float)", "ns::f(int *, float)", &whole},
	    {"f(int*, float)", "ns::f<3>(int *, float)", &part},
	    {"f(float const*)", "f(const float *)", &whole},
	    {"f(const float*)", "f(float const *)", &whole},
	    {"f(float* const*)", "f(const float **)", &other},
	    {"f(volatile const int*)", "f(const volatile int *)", &whole},
	    {"f(box<float const*>)", "f(box<const float *>)", &whole},
	    {"f(const box<int>*)", "f(box<int> const*)", &whole},
	    {"f(const box<int> volatile*)", "f(box<int> volatile const*)", &whole},
	    {"f(const a::b*)", "f(a::b const *)", &whole},
	    {"f(float, const int)", "f(float, int const)", &whole},
	    {"f(int", "f(int)", &other},
	    {"f)", "f)", &other},
	    {"(int)", "f(int)", &other},
	};
	(void)state;
	expect(rows, HD_COUNT(rows));
}

TEST(hostile)
{
	static const char *const odd[] = {"<",      ">", ")",     "(",       "f<",      "f>", "f((((", "f))))",
	                                  "f<<<<>", ",", "const", "f(const", "f<const", "::", "f(,)"};
	char *deep = hd_xcalloc(5000, 1);
	(void)state;
	for (size_t i = 0; i < HD_COUNT(odd); i++) {
		hd_source_name_match(odd[i], "f<int>(int *)");
		hd_source_name_match("f", odd[i]);
		hd_source_name_match(odd[i], odd[i]);
	}
	memset(deep, '<', 4999);
	assert_int_equal(hd_source_name_match(deep, deep), HD_NAME_OTHER);
	memset(deep, 'f', 4999);
	assert_int_equal(hd_source_name_match(deep, deep), HD_NAME_OTHER); /* longer than any name */
	snprintf(deep, 100, "f%.*s%.*s", 40, "<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<", 40, ">>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>");
	assert_int_equal(hd_source_name_match(deep, deep), HD_NAME_OTHER); /* nested too deep */
	free(deep);
}

static void expect_suggestion(const char *word, const char *full, const char *expected)
{
	hd_arena arena = {0};
	hd_suggestion suggestion = {.word = word};
	hd_source_name_suggest(&suggestion, full, &arena);
	if (expected)
		assert_string_equal(suggestion.nearest, expected);
	else
		assert_null(suggestion.nearest);
	hd_arena_free(&arena);
}

TEST(suggestions)
{
	(void)state;
	expect_suggestion("mxied", "ns::mixed<float>(float *)", "mixed");
	expect_suggestion("ns::mxied<float>", "ns::mixed<float>", "ns::mixed<float>");
	expect_suggestion("nothing", "ns::mixed<float>", NULL);
	expect_suggestion("mxied", "mixed", "mixed");
}
