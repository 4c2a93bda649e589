/* The annotated listing as a table. */
#include "report/html/html.h"
#include "report/html/page.h"

enum { LINE_MAX = 400 /* bytes of a source line */, CONTEXT = 2 /* lines without code that are shown next to lines with code */ };

typedef struct page {
	const hd_profile *p;
	hd_text *out;
	uint64_t total, most, cycles; /* slots of all instructions; slots of the hottest line; of the run */
	HD_VEC(struct plain {
		uint32_t number;
		char *text;
	})
	plain;    /* lines without code that have not been written */
	bool any; /* a line with code has been written */
} page;

static void numbers(const page *l, const hd_profile_row *row)
{
	char a[32];
	uint64_t slots = hd_profile_slots(row), lost = hd_profile_lost(row);
	double share = l->total ? (double)slots / (double)l->total : 0.0, scale = l->most ? 90.0 / (double)l->most : 0;
	hd_text_printf(l->out, "<td>%s</td><td style=\"background:rgba(225,87,89,%.2f)\">%.1f&nbsp;%%</td><td class=\"bars\">",
	               slots ? hd_grouped_digits(slots, a) : "", l->most ? 0.75 * (double)slots / (double)l->most : 0.0, 100.0 * share);
	if (slots)
		hd_text_printf(l->out, "<span class=\"bar\" style=\"width:%.1fpx\"></span><span class=\"bar lost\" style=\"width:%.1fpx\"></span>",
		               scale * (double)row->slots, scale * (double)lost);
	hd_text_printf(l->out, "</td>");
	if (slots)
		hd_text_printf(l->out, "<td>%.1f</td><td>%.1f</td>", hd_profile_share(slots, l->total, l->cycles),
		               hd_profile_share(lost, l->total, l->cycles));
	else
		hd_text_printf(l->out, "<td></td><td></td>");
	hd_text_printf(l->out, "<td>%s</td>", row->issued ? hd_grouped_digits(row->issued, a) : "");
	if (row->issued > row->dropped)
		hd_text_printf(l->out, "<td>%.1f</td>", (double)row->lanes / (double)(row->issued - row->dropped));
	else
		hd_text_printf(l->out, "<td></td>");
	hd_text_printf(l->out, "<td>%s</td>", row->sectors ? hd_grouped_digits(row->sectors, a) : "");
}

static void why(const page *l, const hd_profile_row *row)
{
	char a[32];
	const char *sep = "";
	hd_text_printf(l->out, "<td class=\"why\">");
	for (unsigned i = 0; i < HD_STALL_COUNT; i++) {
		if (!row->lost[i])
			continue;
		hd_text_printf(l->out, "%s%s %s", sep, hd_page_cause(i), hd_grouped_digits(row->lost[i], a));
		sep = ", ";
	}
	for (size_t i = 0; i < row->waits.n; i++) {
		const hd_profile_wait *w = &row->waits.at[i];
		hd_text_printf(l->out, "%s%s for counter %u raised by <a href=\"#L%u\">L%u</a>", i ? ", " : " (", hd_grouped_digits(w->slots, a),
		               w->counter, w->raiser, w->raiser);
	}
	hd_text_printf(l->out, "%s</td></tr>\n", row->waits.n ? ")" : "");
}

static void plain_line(const page *l, const struct plain *line)
{
	hd_text_printf(l->out, "<tr><td colspan=\"8\"></td><td class=\"text dim\">%4u  ", line->number);
	hd_page_escape(l->out, line->text);
	hd_text_printf(l->out, "</td><td></td></tr>\n");
}

/* Writes the collected lines without code: the first few after a line with code, a mark, and the last few before the next line with code. `last`: no
 * further line has code. */
static void flush_plain(page *l, bool last)
{
	size_t n = l->plain.n, head = l->any ? CONTEXT : 0, tail = last ? 0 : CONTEXT;
	for (size_t i = 0; i < n; i++) {
		if (i < head || i + tail >= n)
			plain_line(l, &l->plain.at[i]);
		else if (i == head)
			hd_text_printf(l->out, "<tr><td colspan=\"8\"></td><td class=\"text dim\">      &hellip;</td><td></td></tr>\n");
	}
	for (size_t i = 0; i < n; i++)
		free(l->plain.at[i].text);
	l->plain.n = 0;
}

/* The callbacks of a first pass, which finds the scale of the bars. */
static void no_file(void *context, const char *path) { (void)context, (void)path; }
static void most_none(void *context, const hd_profile_row *row)
{
	uint64_t *most = context, slots = hd_profile_slots(row);
	*most = slots > *most ? slots : *most;
}
static void most_line(void *context, uint32_t number, const char *text, size_t length, const hd_profile_row *sum)
{
	(void)number, (void)text, (void)length;
	if (sum)
		most_none(context, sum);
}
static void most_instruction(void *context, uint32_t pc, const hd_profile_row *row)
{
	(void)pc;
	most_none(context, row);
}

static void file(void *context, const char *path)
{
	page *l = context;
	flush_plain(l, true);
	l->any = false;
	hd_text_printf(l->out, "<tr><th>slots</th><th>share</th><th></th><th>cycles</th><th>stalled</th><th>issued</th><th>lanes</th><th>sectors</"
	                       "th><th class=\"left\">");
	hd_page_escape(l->out, path ? path : "without a source line");
	hd_text_printf(l->out, "</th><th class=\"left\">lost</th></tr>\n");
}

static bool ran(const hd_profile_row *row) { return row->issued || hd_profile_slots(row); }

static void line(void *context, uint32_t number, const char *text, size_t length, const hd_profile_row *sum)
{
	page *l = context;
	char copy[LINE_MAX + 1];
	if (length > LINE_MAX)
		length = LINE_MAX;
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (!sum || !ran(sum)) { /* the page omits code that did not run */
		hd_vec_push(&l->plain, (struct plain){number, hd_xstrdup(copy)});
		return;
	}
	flush_plain(l, false);
	l->any = true;
	hd_text_printf(l->out, "<tr class=\"src\">");
	numbers(l, sum);
	hd_text_printf(l->out, "<td class=\"text\"><b>%4u</b>  ", number);
	hd_page_escape(l->out, copy);
	hd_text_printf(l->out, "</td>");
	why(l, sum);
}

static void instruction(void *context, uint32_t pc, const hd_profile_row *row)
{
	page *l = context;
	hd_text text = {0};
	if (!ran(row))
		return;
	hd_inst_print(&text, &l->p->program->slots[pc].inst);
	hd_text_printf(l->out, "<tr id=\"L%u\">", pc);
	numbers(l, row);
	hd_text_printf(l->out, "<td class=\"text\">      <span class=\"dim\">L%-4u</span> ", pc);
	hd_page_escape(l->out, text.at);
	hd_text_printf(l->out, "</td>");
	why(l, row);
	hd_text_free(&text);
}

static void none(void *context, const hd_profile_row *row)
{
	page *l = context;
	flush_plain(l, true);
	hd_text_printf(l->out, "<tr class=\"src\">");
	numbers(l, row);
	hd_text_printf(l->out, "<td class=\"text\">no instruction</td>");
	why(l, row);
}

void hd_html_listing(const hd_report *r, const hd_profile *p, hd_text *out)
{
	page l = {.p = p, .out = out, .total = hd_profile_total(p), .cycles = r->stats->run_cycles};
	char number[32];
	hd_profile_list(p, &r->input, &(hd_listing){&l.most, no_file, most_line, most_instruction, most_none});
	hd_text_printf(out,
	               "<section><h2 id=\"lines\">Line by line</h2>\n<p>Slots: issue slots that a line or an instruction took, used (blue) and lost "
	               "while it was the next "
	               "to issue (red); they add up to all %s. Cycles: its share of the run's cycles by slots; stalled: the lost part of it. Lanes: "
	               "active when it "
	               "executed, on average of 32. Sectors: of 32 bytes, of global and local memory.</p>\n<div class=\"scroll\"><table "
	               "class=\"code\">\n",
	               hd_grouped_digits(l.total, number));
	hd_profile_list(p, &r->input, &(hd_listing){&l, file, line, instruction, none});
	hd_text_printf(out, "</table></div></section>\n");
	hd_vec_free(&l.plain);
}
