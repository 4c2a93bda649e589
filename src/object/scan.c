#include "object/scan.h"

enum { NAME_BYTES_MAX = 65535 }; /* the limit of the object file */

hd_pos hd_scan_pos(const hd_scan *s) { return (hd_pos){.file = s->file, .line = s->line, .column = (uint32_t)(s->at - s->begin) + 1}; }

void hd_scan_space(hd_scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r'))
		s->at++;
}

bool hd_scan_done(hd_scan *s)
{
	hd_scan_space(s);
	return s->at == s->end || *s->at == ';';
}

bool hd_scan_is(hd_scan *s, const char *text)
{
	size_t n = strlen(text);
	hd_scan_space(s);
	if ((size_t)(s->end - s->at) < n || memcmp(s->at, text, n) != 0)
		return false;
	s->at += n;
	return true;
}

bool hd_scan_want(hd_scan *s, const char *text)
{
	if (hd_scan_is(s, text))
		return true;
	hd_error(s->diag, hd_scan_pos(s), "something else, expected '%s'", text);
	return false;
}

static bool is_letter(char c, bool dots)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || (dots && c == '.');
}

size_t hd_scan_word(hd_scan *s, bool dots, const char **word)
{
	hd_scan_space(s);
	*word = s->at;
	while (s->at < s->end && is_letter(*s->at, dots))
		s->at++;
	return (size_t)(s->at - *word);
}

bool hd_scan_same(const char *word, size_t n, const char *text) { return strlen(text) == n && memcmp(word, text, n) == 0; }

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

bool hd_scan_number(hd_scan *s, const char *what, int64_t low, int64_t high, int64_t *value)
{
	hd_scan_space(s);
	hd_pos pos = hd_scan_pos(s);
	bool minus = hd_scan_is(s, "-");
	if (!minus)
		hd_scan_is(s, "+");
	bool hex = hd_scan_is(s, "0x");
	int base = hex ? 16 : 10;
	uint64_t n = 0;
	const char *start = s->at;
	bool fits = true;
	for (; s->at < s->end && digit(*s->at) < base; s->at++) {
		uint64_t d = (uint64_t)digit(*s->at);
		if (n > (UINT64_MAX - d) / (uint64_t)base)
			fits = false;
		else
			n = n * (uint64_t)base + d;
	}
	bool word = s->at == start || (s->at < s->end && is_letter(*s->at, false));
	fits = fits && n <= (minus ? (uint64_t)1 << 63 : (uint64_t)INT64_MAX);
	int64_t result = !fits ? 0 : !minus ? (int64_t)n : n ? -(int64_t)(n - 1) - 1 : 0;
	if (word || !fits || result < low || result > high) {
		hd_error(s->diag, pos, "bad %s, expected a number from %lld to %lld", what, (long long)low, (long long)high);
		return false;
	}
	*value = result;
	return true;
}

bool hd_scan_u32(hd_scan *s, const char *what, uint32_t *value)
{
	int64_t n;
	if (!hd_scan_number(s, what, 0, UINT32_MAX, &n))
		return false;
	*value = (uint32_t)n;
	return true;
}

bool hd_scan_name(hd_scan *s, const char *what, char **name)
{
	const char *word;
	hd_text t = {0};
	*name = NULL;
	hd_scan_space(s);
	if (s->at == s->end || *s->at != '"') {
		size_t n = hd_scan_word(s, true, &word);
		if (n == 0) {
			hd_error(s->diag, hd_scan_pos(s), "no %s, expected a name, in quotes unless it is a word", what);
			return false;
		}
		if (n == 4 && memcmp(word, "none", 4) == 0)
			return true;
		hd_text_put(&t, word, n);
		*name = t.at;
		return true;
	}
	hd_text_put(&t, "", 0);
	for (s->at++; s->at < s->end && *s->at != '"'; s->at++) {
		char c = *s->at;
		if (c == '\\' && s->end - s->at >= 2 && (s->at[1] == '"' || s->at[1] == '\\')) {
			c = *++s->at;
		} else if (c == '\\') {
			bool ok = s->end - s->at >= 4 && s->at[1] == 'x' && digit(s->at[2]) < 16 && digit(s->at[3]) < 16;
			int value = ok ? digit(s->at[2]) * 16 + digit(s->at[3]) : 0;
			if (value == 0) {
				hd_error(s->diag, hd_scan_pos(s), "bad escape in a name, expected \\\", \\\\ or \\xNN other than \\x00");
				hd_text_free(&t);
				return false;
			}
			c = (char)value;
			s->at += 3;
		} else if (c == '\0') {
			hd_error(s->diag, hd_scan_pos(s), "a zero byte in a name, expected a character");
			hd_text_free(&t);
			return false;
		}
		hd_text_put(&t, &c, 1);
	}
	if (s->at == s->end || t.n > NAME_BYTES_MAX) {
		hd_error(s->diag, hd_scan_pos(s), "a name without an end, or of more than %d bytes, expected '\"'", NAME_BYTES_MAX);
		hd_text_free(&t);
		return false;
	}
	s->at++;
	*name = t.at;
	return true;
}
