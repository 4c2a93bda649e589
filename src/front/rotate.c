#include "front/rotate.h"

/* What clang writes, line for line:
 *	.reg .u32 %amt2;
 *	shl.b64 	%lhs, SOURCE, N;          (or shr.b64)
 *	sub.u32 	%amt2, 64, N;                                                                            */
static const char declaration[] = "\t.reg .u32 %amt2;\n";

static bool skip(const char **at, const char *text)
{
	size_t n = strlen(text);
	if (strncmp(*at, text, n) != 0)
		return false;
	*at += n;
	return true;
}

/* Takes the text up to `end` and passes `end`; false if the line ends before. */
static bool take(const char **at, char end, const char **word, int *length)
{
	*word = *at;
	while (**at != end) {
		if (**at == '\0' || **at == '\n')
			return false;
		++*at;
	}
	*length = (int)(*at - *word);
	++*at;
	return true;
}

/* Writes the corrected rotation that begins at the declaration, and moves past it. */
static bool mend(const char **at, hd_text *out)
{
	const char *p = *at, *shift, *source, *amount, *again;
	int source_length, amount_length, again_length;
	if (!skip(&p, declaration))
		return false;
	shift = p;
	if (!(skip(&p, "\tshl.b64 \t%lhs, ") || skip(&p, "\tshr.b64 \t%lhs, ")) || !take(&p, ',', &source, &source_length) || !skip(&p, " ") ||
	    !take(&p, ';', &amount, &amount_length) || !skip(&p, "\n\tsub.u32 \t%amt2, 64, ") || !take(&p, ';', &again, &again_length))
		return false;
	if (amount_length != again_length || strncmp(amount, again, (size_t)amount_length) != 0)
		return false;
	hd_text_printf(out, "\t.reg .u32 %%amt2; .reg .u32 %%amt; and.b32 %%amt, %.*s, 63;\n", amount_length, amount);
	hd_text_printf(out, "%.*s%.*s, %%amt;\n\tsub.u32 \t%%amt2, 64, %%amt;", (int)strlen("\tshl.b64 \t%lhs, "), shift, source_length, source);
	*at = p;
	return true;
}

char *hd_front_mend_rotations(char *ptx, size_t *size)
{
	if (!strstr(ptx, declaration))
		return ptx;
	hd_text out = {0};
	const char *at = ptx, *found;
	while ((found = strstr(at, declaration))) {
		hd_text_put(&out, at, (size_t)(found - at));
		at = found;
		if (!mend(&at, &out)) {
			hd_text_put(&out, at, strlen(declaration));
			at += strlen(declaration);
		}
	}
	hd_text_put(&out, at, strlen(at));
	free(ptx);
	*size = out.n;
	return out.at;
}
