/* Control characters in names from outside do not reach the terminal. */
#include "base/plain.h"
#include "../test.h"

static void expect(const char *text, size_t n, const char *expected)
{
	hd_text copy = {0};
	hd_text_put(&copy, text, n);
	hd_text_make_plain(&copy, 0);
	assert_int_equal(copy.n, n);
	assert_memory_equal(copy.at, expected, n + 1);
	hd_text_free(&copy);
}

TEST(control_characters)
{
	expect("a\x1b[2Jb", 6, "a?[2Jb");
	expect("\a\b\r\x7f\x01\x1f", 6, "??????");
	expect("a\0b", 3, "a?b");
	expect("\xc2\x9b"
	       "2J\xc2\x80\xc2\x9f",
	       8, "??2J????");
}

TEST(all_others)
{
	static const char text[] = "a\tb\n ~\xc2\xa0\xc3\x9b\xe2\x82\xac\xf0\x9f\x98\x80\xe0\xa0\x80\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf";
	expect(text, sizeof text - 1, text);
}

TEST(bytes_that_are_no_text)
{
	expect("a\xff\xfe\x80z", 5, "a???z");
	expect("\xc2", 1, "?");
	expect("\xe2\x82", 2, "??");
	expect("\xe2\x82z\xc3\x9b", 5, "??z\xc3\x9b");
	expect("\xc1\xbf\xe0\x9f\xbf\xf0\x8f\xbf\xbf", 9, "?????????"); /* in more bytes than they need */
	expect("\xed\xa0\x80\xf4\x90\x80\x80\xf5\x80\x80\x80", 11, "???????????");
}

TEST(only_behind_the_beginning)
{
	hd_text text = {0};
	hd_text_put(&text, "\r\r\r", 3);
	hd_text_make_plain(&text, 2);
	assert_string_equal(text.at, "\r\r?");
	hd_text_free(&text);
}
