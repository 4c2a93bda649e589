/* Names of functions for people, as they give them to --kernel. */
#include "base/demangle.h"
#include "sass/cubin.h"

typedef struct reader {
	const char *at;
	hd_text text;
	bool good;
} reader;

static bool digit(char c) { return c >= '0' && c <= '9'; }

/* LENGTH NAME */
static void source_name(reader *r)
{
	size_t length = 0;
	while (digit(*r->at) && length < 4096)
		length = length * 10 + (size_t)(*r->at++ - '0');
	if (length == 0 || strnlen(r->at, length) < length) {
		r->good = false;
		return;
	}
	bool unnamed = length >= 10 && strncmp(r->at, "_GLOBAL__N", 10) == 0;
	if (unnamed)
		hd_text_printf(&r->text, "(anonymous namespace)");
	else
		hd_text_put(&r->text, r->at, length);
	r->at += length;
}

/* I ... E, of any depth; numbers before names are skipped as names, so that an E in a name does not end the list. */
static void template_arguments(reader *r)
{
	unsigned depth = 0;
	do {
		if (*r->at == 0) {
			r->good = false;
			return;
		}
		if (digit(*r->at)) {
			reader skipped = {.at = r->at, .good = true};
			source_name(&skipped);
			hd_text_free(&skipped.text);
			r->at = skipped.good ? skipped.at : r->at + 1;
			continue;
		}
		if (*r->at == 'L') { /* a literal: its digits are no length */
			while (*r->at && *r->at != 'E' && !(r->at[0] == 'L' && digit(r->at[1])))
				r->at++;
			if (r->at[0] == 'L') { /* an enumerator's type is a name */
				r->at++;
				continue;
			}
			r->at += *r->at == 'E';
			continue;
		}
		depth += *r->at == 'I' || *r->at == 'N' || *r->at == 'J' || *r->at == 'X';
		depth -= *r->at == 'E';
		r->at++;
	} while (depth);
	hd_text_printf(&r->text, "<...>");
}

static void nested_name(reader *r)
{
	bool first = true;
	while (r->good && *r->at != 'E') {
		if (*r->at == 'I') {
			template_arguments(r);
		} else if (digit(*r->at)) {
			if (!first)
				hd_text_printf(&r->text, "::");
			source_name(r);
		} else {
			r->good = false;
		}
		first = false;
	}
}

/* The name alone, with "<...>" for template arguments: for what hd_demangle does not understand. NULL: neither does this. */
static const char *abbreviated(const char *name, hd_arena *arena)
{
	reader r = {.at = name + 2, .good = true};
	r.at += *r.at == 'L'; /* internal linkage */
	if (*r.at == 'N') {
		r.at++;
		nested_name(&r);
	} else {
		source_name(&r);
		if (r.good && *r.at == 'I')
			template_arguments(&r);
	}
	const char *pretty = r.good && r.text.n ? hd_arena_strndup(arena, r.text.at, r.text.n) : NULL;
	hd_text_free(&r.text);
	return pretty;
}

void hd_sass_names(const char *name, hd_arena *arena, const char **pretty, const char **signature)
{
	hd_demangled d;
	*pretty = *signature = name;
	if (hd_demangle(name, &d)) {
		*pretty = hd_arena_strndup(arena, d.name, strlen(d.name));
		if (d.whole)
			*signature = hd_demangled_signature(&d, arena);
		hd_demangled_free(&d);
	} else if (strncmp(name, "_Z", 2) == 0) {
		const char *some = abbreviated(name, arena);
		*pretty = some ? some : name;
	}
}

static int by_pretty(const void *a, const void *b)
{
	return strcmp((*(hd_sass_function *const *)a)->pretty, (*(hd_sass_function *const *)b)->pretty);
}

/* Two functions of one name, overloads or instances of one template, must not look the same. */
void hd_sass_tell_apart(hd_sass_cubin *cubin, hd_arena *arena)
{
	size_t n = cubin->n_functions;
	hd_sass_function **sorted = hd_arena_alloc(arena, (n + 1) * sizeof *sorted);
	for (size_t i = 0; i < n; i++)
		sorted[i] = &cubin->functions[i];
	qsort(sorted, n, sizeof *sorted, by_pretty);
	for (size_t begin = 0, end; begin < n; begin = end) {
		for (end = begin + 1; end < n && strcmp(sorted[begin]->pretty, sorted[end]->pretty) == 0;)
			end++;
		for (size_t i = begin; end - begin > 1 && i < end; i++)
			sorted[i]->pretty = sorted[i]->signature;
	}
}
