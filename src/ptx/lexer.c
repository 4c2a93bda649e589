#include "ptx/lexer.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%'; }
static bool is_word(char c) { return is_word_start(c) || is_digit(c); }

static int digit_of(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

void ptx_lexer_init(ptx_lexer *lexer, const char *text, size_t size)
{
	*lexer = (ptx_lexer){.at = text, .end = text + size, .line_start = text, .line = 1, .fresh = true};
}

static void new_line(ptx_lexer *lexer)
{
	lexer->line++;
	lexer->line_start = lexer->at;
	lexer->fresh = true;
}

/* False, with the position of an unclosed comment in `token`. */
static bool skip_blank(ptx_lexer *lexer, ptx_token *token)
{
	while (lexer->at < lexer->end) {
		char c = *lexer->at;
		if (c == '\n') {
			lexer->at++;
			new_line(lexer);
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\0') {
			lexer->at++;
		} else if (c == '/' && lexer->end - lexer->at > 1 && lexer->at[1] == '/') {
			while (lexer->at < lexer->end && *lexer->at != '\n')
				lexer->at++;
		} else if (c == '/' && lexer->end - lexer->at > 1 && lexer->at[1] == '*') {
			ptx_place start = {lexer->line, (uint32_t)(lexer->at - lexer->line_start) + 1};
			bool closed = false;
			for (lexer->at += 2; lexer->at < lexer->end && !closed;) {
				char d = *lexer->at++;
				if (d == '\n')
					new_line(lexer);
				else if (d == '*' && lexer->at < lexer->end && *lexer->at == '/')
					closed = true;
			}
			if (!closed) {
				token->pos = start;
				return false;
			}
			lexer->at++;
		} else {
			break;
		}
	}
	return true;
}

static void bad(ptx_token *token, const char *why)
{
	token->kind = PTX_T_BAD;
	token->why = why;
}

static void lex_bits(ptx_lexer *lexer, ptx_token *token, unsigned digits, uint8_t kind)
{
	lexer->at += 2;
	for (unsigned i = 0; i < digits; i++) {
		if (lexer->at >= lexer->end || digit_of(*lexer->at) > 15) {
			bad(token, digits == 8 ? "expected 8 hexadecimal digits after 0f" : "expected 16 hexadecimal digits after 0d");
			return;
		}
		token->value = token->value << 4 | (unsigned)digit_of(*lexer->at++);
	}
	token->kind = kind;
}

static void lex_decimal_float(ptx_lexer *lexer, ptx_token *token, const char *stop)
{
	char buffer[64];
	size_t n = (size_t)(stop - lexer->at);
	double value;
	if (n >= sizeof buffer) {
		bad(token, "a decimal number of more than 63 characters");
	} else {
		memcpy(buffer, lexer->at, n);
		buffer[n] = '\0';
		value = strtod(buffer, NULL);
		memcpy(&token->value, &value, 8);
		token->kind = PTX_T_F64;
	}
	lexer->at = stop;
}

static void lex_number(ptx_lexer *lexer, ptx_token *token)
{
	const char *p = lexer->at, *end = lexer->end;
	char second = end - p > 1 ? p[1] : '\0';
	unsigned base = 10;
	bool overflow = false;
	if (*p == '0' && (second == 'f' || second == 'F')) {
		lex_bits(lexer, token, 8, PTX_T_F32);
		goto tail;
	}
	if (*p == '0' && (second == 'd' || second == 'D')) {
		lex_bits(lexer, token, 16, PTX_T_F64);
		goto tail;
	}
	const char *q = p;
	while (q < end && is_digit(*q))
		q++;
	if (q < end && (*q == '.' || *q == 'e' || *q == 'E') && !(*p == '0' && (second == 'x' || second == 'X')) &&
	    (*q != '.' || (end - q > 1 && is_digit(q[1])) || end - q == 1 || !is_word(q[1]))) {
		if (*q == '.')
			for (q++; q < end && is_digit(*q);)
				q++;
		if (q < end && (*q == 'e' || *q == 'E')) {
			q++;
			if (q < end && (*q == '+' || *q == '-'))
				q++;
			while (q < end && is_digit(*q))
				q++;
		}
		lex_decimal_float(lexer, token, q);
		goto tail;
	}
	token->kind = PTX_T_INT;
	if (*p == '0' && (second == 'x' || second == 'X' || second == 'b' || second == 'B')) {
		base = second == 'x' || second == 'X' ? 16 : 2;
		lexer->at += 2;
		if (lexer->at >= end || digit_of(*lexer->at) >= (int)base)
			bad(token, "a number without digits");
	} else if (*p == '0') {
		base = 8;
	}
	while (lexer->at < end && digit_of(*lexer->at) < (int)base) {
		uint64_t digit = (unsigned)digit_of(*lexer->at++);
		overflow |= token->value > (UINT64_MAX - digit) / base;
		token->value = token->value * base + digit;
	}
	if (lexer->at < end && *lexer->at == 'U')
		lexer->at++;
	if (overflow)
		bad(token, "a number that does not fit 64 bits");
tail:
	if (lexer->at < end && is_word(*lexer->at)) {
		while (lexer->at < end && is_word(*lexer->at))
			lexer->at++;
		if (token->kind != PTX_T_BAD)
			bad(token, "a malformed number");
	}
	token->length = (uint32_t)(lexer->at - token->text);
}

static void lex_string(ptx_lexer *lexer, ptx_token *token)
{
	token->text = ++lexer->at;
	while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n')
		lexer->at += *lexer->at == '\\' && lexer->end - lexer->at > 1 && lexer->at[1] != '\n' ? 2 : 1;
	token->length = (uint32_t)(lexer->at - token->text);
	token->kind = PTX_T_STRING;
	if (lexer->at >= lexer->end || *lexer->at != '"')
		bad(token, "a string that does not end on its line");
	else
		lexer->at++;
}

void ptx_lex(ptx_lexer *lexer, ptx_token *token)
{
	*token = (ptx_token){.kind = PTX_T_END};
	if (!skip_blank(lexer, token)) {
		token->text = lexer->at;
		bad(token, "a comment that is never closed");
		return;
	}
	token->pos = (ptx_place){lexer->line, (uint32_t)(lexer->at - lexer->line_start) + 1};
	token->text = lexer->at;
	token->first = lexer->fresh;
	lexer->fresh = false;
	if (lexer->at >= lexer->end)
		return;
	char c = *lexer->at;
	if (is_digit(c)) {
		lex_number(lexer, token);
	} else if (is_word_start(c)) {
		token->kind = PTX_T_WORD;
		while (lexer->at < lexer->end && is_word(*lexer->at))
			lexer->at++;
		token->length = (uint32_t)(lexer->at - token->text);
	} else if (c == '.' && lexer->end - lexer->at > 1 && is_word(lexer->at[1])) {
		token->kind = PTX_T_DOT;
		token->text = ++lexer->at;
		while (lexer->at < lexer->end &&
		       (is_word(*lexer->at) || (*lexer->at == ':' && lexer->end - lexer->at > 2 && lexer->at[1] == ':' && is_word(lexer->at[2]))))
			lexer->at += *lexer->at == ':' ? 2 : 1;
		token->length = (uint32_t)(lexer->at - token->text);
	} else if (c == '"') {
		lex_string(lexer, token);
	} else if (c > ' ' && c < 127) {
		token->kind = PTX_T_PUNCT;
		token->punct = c;
		token->length = 1;
		lexer->at++;
	} else {
		bad(token, "a character that no PTX token begins with");
		while (lexer->at < lexer->end && (*lexer->at <= ' ' || *lexer->at >= 127) && *lexer->at != '\n')
			lexer->at++;
	}
}
