/* Plain code: comments become blanks and literals quotation marks, each byte in its place. Expectations have ~ for a quotation mark. */
#include "front/plain_code.h"
#include "../test.h"

static void is(const char *text, const char *expected)
{
	char *code = hd_plain_code(text);
	for (char *at = code; (at = strchr(at, '"'));)
		*at = '~';
	if (strcmp(code, expected) != 0)
		fail_msg("of\n%s\nexpected\n%s\nfound\n%s", text, expected, code);
	free(code);
}

TEST(code_stays)
{
	is("", "");
	is("a / b /= *c; \\ d\t\n<<<\r\n>>>", "a / b /= *c; \\ d\t\n<<<\r\n>>>");
	is("\\", "\\");
}

TEST(comments_are_blanks)
{
	is("a/*b*/c", "a     c");
	is("a/***/c/*/*/d", "a     c     d");
	is("a/*\n*/c", "a     c");
	is("a//b\nc", "a   \nc");
	is("a//b\r\nc", "a    \nc");
	is("a///*b\nc*/", "a     \nc*/");
	is("a/*//b*/c", "a       c");
	is("a//", "a  ");
	is("a/*b", "a   ");
	is("a/*", "a  ");
	is("a/*b*", "a    ");
	is("a//'\n\"//\"/*\"*/", "a   \n~~~~     ");
}

TEST(literals_are_quotes)
{
	is("f(\"b\", 'c')", "f(~~~, ~~~)");
	is("\"\\\"/*\"a'\\''b", "~~~~~~a~~~~b");
	is("\"\\\\\"a", "~~~~a");
	is("\"'\"a'\"'", "~~~a~~~");
	is("\"\" \"\"", "~~ ~~");
	is("u8\"(\"_s L')'", "u8~~~_s L~~~");
}

/* Clang says what is wrong with them; what follows stays code. */
TEST(literals_end_with_their_line)
{
	is("#error don't\na'b'", "#error don~~\na~~~");
	is("\"a\nb\"c", "~~\nb~~");
	is("\"a", "~~");
	is("\"a\\", "~~~");
	is("'", "~");
}

TEST(digit_separators_began_characters)
{
	is("1'000, 0x1'f), 'a'", "1'000, 0x1'f), ~~~");
	is(".5'0 + a1'b'", ".5'0 + a1~~~");
	is("1'", "1~");
	is("1'('", "1~~~");
}

TEST(raw_strings_ended_at_their_first_quote)
{
	is("R\"(a\"b)\"c", "R~~~~~~~c");
	is("R\"(\n//\\\n)\" d", "R~~~~~~~~~ d");
	is("R\"x()\"y)x\"c", "R~~~~~~~~~c");
	is("LR\"()\"a uR\"()\"a UR\"()\"a u8R\"()\"a", "LR~~~~a uR~~~~a UR~~~~a u8R~~~~a");
	is("R\"(a", "R~~~");
	is("R\"(a) \"", "R~~~~~~");
	is("R\"0123456789abcdef(\"//)0123456789abcdef\"c", "R~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~c");
	/* These are none. */
	is("MR\"(\"a)", "MR~~~a)");
	is("R'('a)\"b\"", "R~~~a)~~~");
	is("R \"(\"a)", "R ~~~a)");
	is("R\"0123456789abcdefg(\"a)", "R~~~~~~~~~~~~~~~~~~~~a)");
	is("R\"a b(\"a)", "R~~~~~~a)");
	is("R\"", "R~");
}

TEST(joined_lines_are_one)
{
	is("//a\\\nb\nc", "      \nc");
	is("//a\\ \t\r\nb\nc", "         \nc");
	is("//a\\\n\\\n\nc", "       \nc");
	is("//a\\b\nc", "     \nc");
	is("/\\\n/a\nc", "     \nc");
	is("/\\\n*a*\\\n/c", "         c");
	is("\"a\\\n(\"b", "~~  ~~b");
	is("\"a\\\\\n\"(\"b", "~~~  ~~~b");
	is("\"\"\\\n(", "~~  (");
	is("ker\\\nnel <\\\n<", "kerrrnel <  <");
	is("1\\\n'\\\n0", "111'''0");
	is("\\\na\\\n", "  aaa");
	is("R\\\n\"(\\\n\"a)", "RRR~~  ~a)");
	is("R\"()\"\\\n(", "R~~~~  (");
}

TEST(words_have_their_letters)
{
	static const char in[] = "azAZ09_\x80\xff", out[] = " -<>(){}[]:,.;'\"/*\\\n`@^";
	for (const char *c = in; *c; c++)
		assert_true(hd_is_in_word(*c));
	for (const char *c = out; *c; c++)
		assert_false(hd_is_in_word(*c));
	assert_false(hd_is_in_word('\0'));
}
