#include "base/source_name.h"

enum { NAME_MAX_BYTES = 2048, DEPTH_MAX = 32 };

/* A name without needless blanks, and where its parts are. */
typedef struct parts {
	char text[NAME_MAX_BYTES];
	size_t n;
	size_t base, arguments, params; /* where the name itself, "<" and "(" begin; `arguments` and `params` may be the end of the one before */
	bool good;
} parts;

static bool in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

static void put(parts *p, const char *text, size_t n)
{
	if (p->n + n >= sizeof p->text) {
		p->good = false;
		return;
	}
	memcpy(p->text + p->n, text, n);
	p->n += n;
	p->text[p->n] = 0;
}

static void put_word(parts *p, const char *word, size_t n)
{
	if (p->n && in_word(p->text[p->n - 1]))
		put(p, " ", 1);
	put(p, word, n);
}

/* Behind a type, the qualifiers that stood before it: `const float *` becomes `float const*`, as c++filt writes it. */
static void put_qualifiers(parts *p, unsigned *held)
{
	static const char *const words[] = {"const", "volatile"};
	for (unsigned i = 0; i < HD_COUNT(words); i++)
		if (*held >> i & 1)
			put_word(p, words[i], strlen(words[i]));
	*held = 0;
}

/* The bit of a qualifier that begins a type; 0: the word is none. */
static unsigned qualifier(const char *word, size_t n)
{
	return n == 5 && memcmp(word, "const", n) == 0 ? 1 : n == 8 && memcmp(word, "volatile", n) == 0 ? 2 : 0;
}

/* Copies `from` without needless blanks. Types begin behind `<`, `(` and `,`. */
static void normalize(const char *from, parts *p)
{
	unsigned held[DEPTH_MAX] = {0}, depth = 0;
	bool begins = false;
	*p = (parts){.good = true};
	while (*from && p->good) {
		size_t n = 0;
		while (in_word(from[n]))
			n++;
		unsigned bit = n && begins ? qualifier(from, n) : 0;
		if (bit) {
			held[depth] |= bit;
		} else if (n) {
			put_word(p, from, n);
			begins = false;
		} else if (*from != ' ' && *from != '\t') {
			n = 1;
			bool opens = *from == '<' || *from == '(', closes = *from == '>' || *from == ')';
			if (!opens && *from != ':')
				put_qualifiers(p, &held[depth]);
			depth = opens ? depth + 1 : closes && depth ? depth - 1 : depth;
			p->good &= depth < DEPTH_MAX;
			put(p, from, 1);
			begins = opens || *from == ',';
		}
		from += n ? n : 1;
	}
}

/* Finds the parts: parameters are the last parentheses of the whole, template arguments the angle brackets before them. */
static void split(parts *p)
{
	size_t end = p->n;
	unsigned depth = 0;
	p->params = p->n;
	for (size_t i = p->n; p->n && p->text[p->n - 1] == ')' && i-- > 0;) {
		depth += p->text[i] == ')';
		depth -= p->text[i] == '(' && depth;
		if (p->text[i] == '(' && !depth) {
			p->params = end = i;
			break;
		}
	}
	p->arguments = end;
	depth = 0;
	for (size_t i = end; end && p->text[end - 1] == '>' && i-- > 0;) {
		depth += p->text[i] == '>';
		depth -= p->text[i] == '<' && depth;
		if (p->text[i] == '<' && !depth) {
			p->arguments = i;
			break;
		}
	}
	p->base = p->arguments;
	while (p->base && in_word(p->text[p->base - 1]))
		p->base--;
}

static bool same(const parts *a, size_t from_a, size_t to_a, const parts *b, size_t from_b, size_t to_b)
{
	return to_a - from_a == to_b - from_b && memcmp(a->text + from_a, b->text + from_b, to_a - from_a) == 0;
}

/* "<float>" begins "<float,4>". */
static bool begins_list(const parts *wanted, const parts *full)
{
	size_t n = wanted->params - wanted->arguments;
	if (n < 2 || n > full->params - full->arguments || memcmp(wanted->text + wanted->arguments, full->text + full->arguments, n - 1) != 0)
		return false;
	char next = full->text[full->arguments + n - 1];
	return next == ',' || next == '>';
}

/* "b::" ends "a::b::". */
static bool ends_scope(const parts *wanted, const parts *full)
{
	size_t n = wanted->base, at = full->base - n;
	return n <= full->base && memcmp(wanted->text, full->text + at, n) == 0 && (n == 0 || at == 0 || full->text[at - 1] == ':');
}

hd_name_match hd_source_name_match(const char *wanted_text, const char *full_text)
{
	parts wanted, full;
	normalize(wanted_text, &wanted);
	normalize(full_text, &full);
	if (!wanted.good || !full.good || !wanted.n)
		return HD_NAME_OTHER;
	split(&wanted);
	split(&full);
	bool has_arguments = wanted.arguments < wanted.params, has_params = wanted.params < wanted.n;
	if (wanted.base == wanted.arguments || !same(&wanted, wanted.base, wanted.arguments, &full, full.base, full.arguments) ||
	    !ends_scope(&wanted, &full))
		return HD_NAME_OTHER;
	if ((has_arguments && !begins_list(&wanted, &full)) || (has_params && !same(&wanted, wanted.params, wanted.n, &full, full.params, full.n)))
		return HD_NAME_OTHER;
	return same(&wanted, 0, wanted.params, &full, 0, full.params) ? HD_NAME_WHOLE : HD_NAME_PART;
}

void hd_source_name_suggest(hd_suggestion *suggestion, const char *full, hd_arena *arena)
{
	parts p;
	normalize(full, &p);
	if (p.good) {
		split(&p);
		hd_suggest(suggestion, hd_arena_strndup(arena, p.text + p.base, p.arguments - p.base));
	}
	hd_suggest(suggestion, full);
}
