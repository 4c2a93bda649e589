/* How much constant memory a kernel uses. The object code has one segment for all variables, so this reads the text of PTX: the names of `.const`
 * variables that stand in the kernel's body or in the body of a device function of the module, which the kernel may call. */
#include "cuda/state.h"

#include <ctype.h>

static bool is_of_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.'; }

/* The next word of names from `at`, or NULL. *n: its length. */
static const char *next_word(const char *at, const char *end, size_t *n)
{
	while (at < end && !is_of_name(*at))
		at++;
	const char *begin = at;
	while (at < end && is_of_name(*at))
		at++;
	*n = (size_t)(at - begin);
	return *n ? begin : NULL;
}

static bool is_word(const char *word, size_t n, const char *text) { return word && strlen(text) == n && memcmp(word, text, n) == 0; }

/* The body behind `at`: from its brace to the brace that closes it. *end is behind that. */
static const char *body_at(const char *at, const char **end)
{
	const char *begin = at + strcspn(at, "{;");
	*end = begin + (*begin != 0);
	if (*begin != '{')
		return NULL;
	unsigned depth = 0;
	for (const char *c = begin; *c; c++) {
		depth += *c == '{';
		depth -= *c == '}';
		*end = c + 1;
		if (!depth)
			break;
	}
	return begin;
}

static bool names(const char *begin, const char *end, const char *name)
{
	size_t n;
	for (const char *word = next_word(begin, end, &n); word; word = next_word(word + n, end, &n))
		if (is_word(word, n, name))
			return true;
	return false;
}

/* True when the kernel, or a device function, names the variable. */
static bool uses(const char *text, const char *kernel, const char *variable)
{
	const char *end = text + strlen(text);
	size_t n;
	for (const char *word = next_word(text, end, &n); word; word = next_word(word + n, end, &n)) {
		bool entry = is_word(word, n, ".entry");
		if (!entry && !is_word(word, n, ".func"))
			continue;
		const char *behind, *body = body_at(word, &behind);
		const char *named = next_word(word + n, behind, &n);
		if ((!entry || is_word(named, n, kernel)) && body && names(body, behind, variable))
			return true;
		word = behind;
		n = 0;
	}
	return false;
}

/* The name that a declaration gives: the last word before its brackets, its value or its end. */
static bool declares(const char *at, const char *end, const char *name)
{
	const char *stop = at + strcspn(at, "[=;"), *last = NULL;
	size_t n, length = 0;
	stop = stop < end ? stop : end;
	for (const char *word = next_word(at, stop, &n); word; word = next_word(word + n, stop, &n)) {
		last = word;
		length = n;
	}
	return is_word(last, length, name);
}

static bool is_constant(const char *text, const char *name)
{
	const char *end = text + strlen(text);
	size_t n;
	for (const char *word = next_word(text, end, &n); word; word = next_word(word + n, end, &n))
		if (is_word(word, n, ".const") && declares(word + n, end, name))
			return true;
	return false;
}

uint64_t hu_constant_bytes(const char *text, const char *kernel, const hd_object *code)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < code->variables.n; i++) {
		const hd_variable *v = &code->variables.at[i];
		if (is_constant(text, v->name) && uses(text, kernel, v->name))
			bytes += v->size;
	}
	return bytes;
}
