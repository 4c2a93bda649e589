/* Names of kernels for people. Only the qualified name of an Itanium-mangled function is undone: it is what a person gives to --kernel. */
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

const char *hd_sass_pretty(const char *name, hd_arena *arena)
{
	if (strncmp(name, "_Z", 2) != 0)
		return name;
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
	const char *pretty = r.good && r.text.n ? hd_arena_strndup(arena, r.text.at, r.text.n) : name;
	hd_text_free(&r.text);
	return pretty;
}
