#include "report/line_pairs.h"

#include <math.h>

static int by_source(const void *a, const void *b)
{
	const hd_line_pair *x = a, *y = b;
	if (!x->file || !y->file)
		return x->file ? -1 : y->file ? 1 : strcmp(x->text, y->text);
	int order = strcmp(x->file, y->file);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int by_difference(const void *a, const void *b)
{
	const hd_line_pair *x = a, *y = b;
	double one = fabs(x->cycles[1] - x->cycles[0]), other = fabs(y->cycles[1] - y->cycles[0]);
	return one > other ? -1 : one < other ? 1 : by_source(a, b);
}

static void put(hd_line_pair *pair, unsigned which, const hd_heat *heat, const hd_profile_row *row)
{
	pair->cycles[which] = hd_profile_share(hd_profile_slots(row), heat->slots, heat->cycles);
	pair->stalled[which] = hd_profile_share(hd_profile_lost(row), heat->slots, heat->cycles);
	pair->issued[which] = row->issued;
}

/* Lines that ran on neither machine are left out. */
static void add(hd_line_pairs *pairs, const hd_line_pair *pair)
{
	if (pair->cycles[0] > 0 || pair->cycles[1] > 0 || pair->issued[0] || pair->issued[1])
		hd_vec_push(pairs, *pair);
}

static void rest(hd_line_pairs *pairs, const char *text, const hd_heat *const heats[2], const hd_profile_row *first, const hd_profile_row *second)
{
	hd_line_pair pair = {.text = text};
	put(&pair, 0, heats[0], first);
	put(&pair, 1, heats[1], second);
	add(pairs, &pair);
}

void hd_line_pairs_make(hd_line_pairs *pairs, const hd_heat *first, const hd_heat *second, hd_line_order order)
{
	const hd_heat *const heats[2] = {first, second};
	for (unsigned which = 0; which < 2; which++) {
		const hd_heat *heat = heats[which], *other = heats[!which];
		for (size_t i = 0; i < heat->lines.n; i++) {
			const hd_heat_line *line = &heat->lines.at[i], *match = hd_heat_find(other, line->file, line->line);
			hd_line_pair pair = {.file = line->file, .line = line->line, .text = line->text};
			if (match && which)
				continue; /* it is there since the first turn */
			put(&pair, which, heat, &line->sum);
			if (match)
				put(&pair, !which, other, &match->sum);
			add(pairs, &pair);
		}
	}
	rest(pairs, "instructions without a source line", heats, &first->no_line, &second->no_line);
	rest(pairs, "no instruction", heats, &first->no_instruction, &second->no_instruction);
	if (pairs->n)
		qsort(pairs->at, pairs->n, sizeof *pairs->at, order == HD_LINES_BY_SOURCE ? by_source : by_difference);
}

void hd_line_pairs_text(const hd_line_pairs *pairs, const char *first, const char *second, hd_text *out)
{
	hd_text_printf(out, "  cycles of each line, stalled ones among them: %s, %s, difference\n", first, second);
	for (size_t i = 0; i < pairs->n; i++) {
		const hd_line_pair *p = &pairs->at[i];
		hd_text_printf(out, "  %12.1f %12.1f %12.1f %12.1f %+12.1f  ", p->cycles[0], p->stalled[0], p->cycles[1], p->stalled[1],
		               p->cycles[1] - p->cycles[0]);
		if (p->file)
			hd_text_printf(out, "%s:%u  ", strrchr(p->file, '/') ? strrchr(p->file, '/') + 1 : p->file, p->line);
		const char *text = p->text ? p->text : "";
		hd_text_printf(out, "%.100s\n", text + strspn(text, " \t"));
	}
}
