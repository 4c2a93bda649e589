#include "front/plain_code.h"

enum { RAW_DELIMITER_LIMIT = 16 }; /* of the standard */

bool hd_is_in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (unsigned char)c >= 0x80;
}

/* Behind the backslash-newlines at `at`. As in compilers, blanks may stand before the line's end. */
static size_t skip_joints(const char *text, size_t at)
{
	while (text[at] == '\\') {
		size_t end = at + 1 + strspn(text + at + 1, " \t\v\f\r");
		if (text[end] != '\n')
			break;
		at = end + 1;
	}
	return at;
}

/* Where the byte stands that follows the one at `at` when lines are joined. Texts end with a zero, which nothing follows. */
static size_t after(const char *text, size_t at) { return skip_joints(text, at + 1); }

static size_t end_of_line_comment(const char *text, size_t at)
{
	while (text[at] && text[at] != '\n')
		at = after(text, at);
	return at;
}

/* `at`: behind the opening. */
static size_t end_of_block_comment(const char *text, size_t at)
{
	while (text[at] && !(text[at] == '*' && text[after(text, at)] == '/'))
		at = after(text, at);
	return text[at] ? after(text, after(text, at)) : at;
}

/* Behind the comment at `at`, or behind backslash-newlines. */
static size_t skip_blank(const char *text, size_t at)
{
	size_t next = after(text, at);
	if (text[at] == '/' && text[next] == '/')
		return end_of_line_comment(text, next);
	if (text[at] == '/' && text[next] == '*')
		return end_of_block_comment(text, after(text, next));
	return skip_joints(text, at);
}

/* `at`: the opening quote, here and below. */
static size_t end_of_literal(const char *text, size_t at)
{
	char quote = text[at];
	for (at = after(text, at); text[at] && text[at] != quote && text[at] != '\n'; at = after(text, at))
		if (text[at] == '\\' && text[after(text, at)])
			at = after(text, at);
	return at + (text[at] == quote);
}

static size_t end_of_raw_literal(const char *text, size_t at)
{
	char close[RAW_DELIMITER_LIMIT + 3];
	size_t begin = at + 1, n = strcspn(text + begin, "( )\\\"\t\v\f\n");
	if (n > RAW_DELIMITER_LIMIT || text[begin + n] != '(')
		return end_of_literal(text, at);
	snprintf(close, sizeof close, ")%.*s\"", (int)n, text + begin);
	const char *end = strstr(text + begin + n, close);
	return end ? (size_t)(end - text) + strlen(close) : at + strlen(text + at);
}

/* Numbers have their separators: 1'000. */
static size_t end_of_word(const char *text, size_t at)
{
	bool number = text[at] >= '0' && text[at] <= '9';
	while (hd_is_in_word(text[at]) || (number && text[at] == '\'' && hd_is_in_word(text[after(text, at)])))
		at = after(text, at);
	return at;
}

static bool is_raw_prefix(const char *word, size_t n)
{
	static const char *const prefixes[] = {"R", "LR", "uR", "UR", "u8R"};
	for (size_t i = 0; i < HD_COUNT(prefixes); i++)
		if (strlen(prefixes[i]) == n && memcmp(prefixes[i], word, n) == 0)
			return true;
	return false;
}

static void fill_literal(char *code, const char *text, size_t begin, size_t end)
{
	memset(code + begin, ' ', end - begin);
	for (size_t at = begin; at < end; at = after(text, at))
		code[at] = '"';
}

/* A word; the raw string that it begins, too. Within it, backslash-newlines become the letter before. */
static size_t take_word(char *code, const char *text, size_t at)
{
	size_t end = end_of_word(text, at);
	for (size_t letter = at, next; letter < end; letter = next) {
		next = after(text, letter);
		memset(code + letter, text[letter], next - letter);
	}
	if (text[end] != '"' || !is_raw_prefix(text + at, end - at))
		return end;
	size_t quote = end;
	end = end_of_raw_literal(text, quote);
	memset(code + quote, '"', end - quote);
	return end;
}

static size_t take(char *code, const char *text, size_t at)
{
	size_t end = skip_blank(text, at);
	if (end > at) {
		memset(code + at, ' ', end - at);
		return end;
	}
	if (text[at] == '"' || text[at] == '\'') {
		end = end_of_literal(text, at);
		fill_literal(code, text, at, end);
		return end;
	}
	return hd_is_in_word(text[at]) ? take_word(code, text, at) : at + 1;
}

char *hd_plain_code(const char *text)
{
	size_t size = strlen(text);
	char *code = hd_xmalloc(size + 1);
	memcpy(code, text, size + 1);
	for (size_t at = 0; text[at];)
		at = take(code, text, at);
	return code;
}
