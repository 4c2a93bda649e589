#include "front/widen.h"

enum { ELEMENTS_MAX = 4 };

static const struct {
	const char *text, *narrow, *convert; /* `text` ends where the number of the first register begins */
	size_t list;                         /* where the list of registers begins in it */
} kinds[] = {
    {".b16 \t{%f", "b16", "cvt.f32.f16", sizeof ".b16 \t" - 1},
    {".b16 \t{%fd", "b16", "cvt.f64.f16", sizeof ".b16 \t" - 1},
    {".f32 \t{%fd", "f32", "cvt.f64.f32", sizeof ".f32 \t" - 1},
};

/* Writes the load whose line begins at `line`, if it is one of those, and gives the place behind it. NULL otherwise. `at`: the type, in the line. */
static const char *mend(const char *line, const char *at, size_t kind, hd_text *out)
{
	const char *list = at + kinds[kind].list, *close = strchr(list, '}'), *end = strchr(list, '\n');
	size_t n = 0, length;
	if (strncmp(line, "\tld.", 4) != 0 || at[strlen(kinds[kind].text)] < '0' || at[strlen(kinds[kind].text)] > '9' || !close || !end ||
	    close > end)
		return NULL;
	hd_text_printf(out, "\t{ .reg .%s %%narrow<%d>; %.*s\t{%%narrow0", kinds[kind].narrow, ELEMENTS_MAX, (int)(list - line - 2), line + 1);
	for (const char *comma = list; comma < close; comma++)
		if (*comma == ',')
			hd_text_printf(out, ", %%narrow%zu", ++n);
	hd_text_printf(out, "%.*s", (int)(end - close), close);
	n = 0;
	for (const char *name = list + 1; name < close; name += length + 1) {
		name += *name == ' ';
		length = strcspn(name, ",}");
		hd_text_printf(out, " %s %.*s, %%narrow%zu;", kinds[kind].convert, (int)length, name, n++);
	}
	hd_text_printf(out, " }");
	return end;
}

/* The first of them from `at` on. */
static const char *find(const char *at, size_t *kind)
{
	const char *first = NULL;
	for (size_t i = 0; i < HD_COUNT(kinds); i++) {
		const char *found = strstr(at, kinds[i].text);
		if (found && (!first || found <= first)) {
			first = found;
			*kind = i;
		}
	}
	return first;
}

char *hd_front_mend_loads(char *ptx, size_t *size)
{
	size_t kind = 0;
	const char *at = ptx, *found = find(at, &kind);
	hd_text out = {0};
	if (!found)
		return ptx;
	for (; found; found = find(at, &kind)) {
		const char *line = found;
		while (line > at && line[-1] != '\n')
			line--;
		hd_text_put(&out, at, (size_t)(line - at));
		const char *end = mend(line, found, kind, &out);
		at = end ? end : found + 1;
		if (!end)
			hd_text_put(&out, line, (size_t)(at - line));
	}
	hd_text_put(&out, at, strlen(at));
	free(ptx);
	*size = out.n;
	return out.at;
}
