#include "study/expression.h"

enum { NESTING_MAX = 40, WORD_MAX = 64 };
/* Keeps sums and products of two values within 64 bits. */
#define VALUE_MAX INT64_C(1000000000)

typedef struct value {
	int64_t number;
	char word[WORD_MAX]; /* not empty: a word */
} value;

typedef struct parser {
	const char *text, *at;
	hd_name_fn *find;
	void *context;
	hd_pos pos;
	hd_diag *diag;
	unsigned depth;
	bool failed;
} parser;

static value none(parser *p, const char *what)
{
	if (!p->failed)
		hd_error(p->diag, p->pos, "'%.200s' is no expression: %s at character %zu", p->text, what, (size_t)(p->at - p->text) + 1);
	p->failed = true;
	return (value){0};
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static void blanks(parser *p) { p->at += strspn(p->at, " \t"); }

/* Takes a sign, or a word of letters that ends here. */
static bool take(parser *p, const char *sign)
{
	size_t n = strlen(sign);
	blanks(p);
	if (strncmp(p->at, sign, n) != 0 || (is_letter(*sign) && (is_letter(p->at[n]) || is_digit(p->at[n]) || p->at[n] == '.')))
		return false;
	p->at += n;
	return true;
}

static int64_t number_of(parser *p, const value *v)
{
	if (v->word[0] && !p->failed) {
		hd_error(p->diag, p->pos, "'%.200s': %s is no key and no number", p->text, v->word);
		p->failed = true;
	}
	return v->number;
}

static value number(parser *p, int64_t n) { return n > VALUE_MAX || n < -VALUE_MAX ? none(p, "a number beyond 10^9") : (value){.number = n}; }

static value disjunction(parser *p);

static value name(parser *p)
{
	value v = {0};
	char text[40];
	size_t n = 0;
	while (is_letter(p->at[n]) || is_digit(p->at[n]) || (n && strchr(".+-", p->at[n]) && p->at[n] && is_letter(p->at[n + 1])))
		n++;
	if (n >= WORD_MAX)
		return none(p, "a word that is too long");
	memcpy(v.word, p->at, n);
	p->at += n;
	if (!p->find(p->context, v.word, text)) {
		if (strchr(v.word, '.'))
			number_of(p, &v);
		return v;
	}
	uint64_t whole;
	if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
		return (value){.number = *text == 't'};
	if (hd_read_number(text, strlen(text), (uint64_t)VALUE_MAX, &whole) == HD_NUMBER_GOOD)
		return (value){.number = (int64_t)whole};
	snprintf(v.word, sizeof v.word, "%s", text);
	return v;
}

static value primary(parser *p)
{
	blanks(p);
	if (p->failed)
		return (value){0};
	if (++p->depth > NESTING_MAX)
		return none(p, "nested too deep");
	value v;
	if (take(p, "(")) {
		v = disjunction(p);
		if (!take(p, ")"))
			v = none(p, "expected )");
	} else if (take(p, "-")) {
		v = primary(p);
		v = number(p, -number_of(p, &v));
	} else if (take(p, "true")) {
		v = (value){.number = 1};
	} else if (take(p, "false")) {
		v = (value){0};
	} else if (is_digit(*p->at)) {
		uint64_t whole = 0;
		size_t n = strspn(p->at, "0123456789");
		v = hd_read_number(p->at, n, (uint64_t)VALUE_MAX, &whole) == HD_NUMBER_GOOD ? (value){.number = (int64_t)whole}
		                                                                            : none(p, "a number beyond 10^9");
		p->at += n;
	} else {
		v = is_letter(*p->at) ? name(p) : none(p, "expected a key, a number or (");
	}
	p->depth--;
	return v;
}

static value product(parser *p)
{
	value left = primary(p);
	for (;;) {
		char sign = take(p, "*") ? '*' : take(p, "/") ? '/' : take(p, "%") ? '%' : '\0';
		if (!sign || p->failed)
			return left;
		value right = primary(p);
		int64_t a = number_of(p, &left), b = number_of(p, &right);
		if (sign != '*' && b == 0)
			return none(p, "a division by zero");
		left = number(p, sign == '*' ? a * b : sign == '/' ? a / b : a % b);
	}
}

static value sum(parser *p)
{
	value left = product(p);
	for (;;) {
		char sign = take(p, "+") ? '+' : take(p, "-") ? '-' : '\0';
		if (!sign || p->failed)
			return left;
		value right = product(p);
		int64_t a = number_of(p, &left), b = number_of(p, &right);
		left = number(p, sign == '+' ? a + b : a - b);
	}
}

static value comparison(parser *p)
{
	static const char *const signs[] = {"!=", "<=", ">=", "==", "=", "<", ">"};
	value left = sum(p);
	unsigned i = 0;
	while (i < HD_COUNT(signs) && !take(p, signs[i]))
		i++;
	if (i == HD_COUNT(signs) || p->failed)
		return left;
	value right = sum(p);
	bool equality = i == 0 || i == 3 || i == 4;
	if (equality && (left.word[0] || right.word[0]))
		return (value){.number = (strcmp(left.word, right.word) == 0) == (i != 0)};
	int64_t a = number_of(p, &left), b = number_of(p, &right);
	const bool results[] = {a != b, a <= b, a >= b, a == b, a == b, a<b, a> b};
	return (value){.number = results[i]};
}

static value negation(parser *p)
{
	unsigned n = 0;
	while (take(p, "not"))
		n++;
	value v = comparison(p);
	return n ? (value){.number = (number_of(p, &v) != 0) == (n % 2 == 0)} : v;
}

static value conjunction(parser *p)
{
	value left = negation(p);
	while (!p->failed && take(p, "and")) {
		value right = negation(p);
		int64_t a = number_of(p, &left), b = number_of(p, &right);
		left = (value){.number = a && b};
	}
	return left;
}

static value disjunction(parser *p)
{
	value left = conjunction(p);
	while (!p->failed && take(p, "or")) {
		value right = conjunction(p);
		int64_t a = number_of(p, &left), b = number_of(p, &right);
		left = (value){.number = a || b};
	}
	return left;
}

bool hd_expression(const char *text, hd_name_fn *find, void *context, int64_t *result, hd_pos pos, hd_diag *diag)
{
	parser p = {.text = text, .at = text, .find = find, .context = context, .pos = pos, .diag = diag};
	value v = disjunction(&p);
	blanks(&p);
	if (!p.failed && *p.at)
		none(&p, "unexpected text");
	*result = p.failed ? 0 : number_of(&p, &v);
	return !p.failed;
}
