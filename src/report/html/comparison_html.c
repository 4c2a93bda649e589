/* A comparison as a page. It shows the ratios of cycles of all launches, then the issue slots and counters of each launch. */
#include "report/comparison.h"
#include "report/html/page.h"

static void name(hd_text *out, const char *tag, const char *text, const char *after)
{
	hd_text_printf(out, "<%s>", tag);
	hd_page_escape(out, text);
	hd_text_printf(out, "</%.*s>%s", (int)strcspn(tag, " "), tag, after);
}

/* The name for a narrow column: the machine's name, or in an ablation the difference to its base ("+fence"). */
static const char *short_name(const hd_comparison *c, unsigned m)
{
	const char *text = hd_compared_of(c, 0, m)->machine, *base = hd_compared_of(c, 0, hd_compared_base(c, m))->machine;
	size_t length = strlen(base);
	return c->ablation && strncmp(text, base, length) == 0 && text[length] ? text + length : text;
}

/* A cell with a ratio. A better ratio is green, a worse one red. */
static void ratio_cell(hd_text *out, double ratio)
{
	if (ratio <= 0)
		hd_text_printf(out, "<td class=\"dim\">-</td>");
	else
		hd_text_printf(out, "<td class=\"%s\">%.3f</td>", ratio < 0.995 ? "good" : ratio > 1.005 ? "bad" : "dim", ratio);
}

/* The summary of all launches. A launch is a long line, so the summary shows the name of the kernel and a number. */
static void summary(const hd_comparison *c, hd_text *out)
{
	hd_text_printf(out, "<section class=\"keep\"><h2 id=\"all\">All launches</h2><p>Cycles, as a ratio to <b>");
	hd_page_escape(out, hd_compared_of(c, 0, 0)->machine);
	hd_text_printf(out, "</b>%s: below 1 is faster. The last line is the geometric mean.</p><div class=\"scroll\"><table><tr><th>launch</th>",
	               c->ablation ? " (left) and to the machine with all mechanisms (right)" : "");
	for (unsigned m = 0; m < c->n_machines; m++)
		name(out, "th", short_name(c, m), "");
	hd_text_printf(out, "</tr>\n");
	for (unsigned l = 0; l < c->n_launches; l++) {
		char text[32];
		hd_text_printf(out, "<tr><td><a href=\"#launch%u\">%u</a> ", l + 1, l + 1);
		hd_page_escape(out, hd_compared_of(c, l, 0)->kernel);
		hd_text_printf(out, "</td>");
		for (unsigned m = 0; m < c->n_machines; m++) {
			unsigned base = hd_compared_base(c, m);
			uint64_t cycles = hd_compared_of(c, l, m)->stats.run_cycles, first = hd_compared_of(c, l, base)->stats.run_cycles;
			if (m == base)
				hd_text_printf(out, "<td>%s</td>", hd_grouped_digits(cycles, text));
			else
				ratio_cell(out, first && cycles ? (double)cycles / (double)first : 0);
		}
		hd_text_printf(out, "</tr>\n");
	}
	hd_text_printf(out, "<tr class=\"first\"><td>geometric mean</td>");
	for (unsigned m = 0; m < c->n_machines; m++) {
		if (m == hd_compared_base(c, m))
			hd_text_printf(out, "<td></td>");
		else
			ratio_cell(out, hd_compared_mean(c, m));
	}
	hd_text_printf(out, "</tr></table></div></section>\n");
}

/* Bars of the issue slots of each machine, scaled to the slowest machine of the launch. */
static void bars(const hd_comparison *c, unsigned l, hd_text *out)
{
	const double BARS = 85; /* of 100, of the room: cycles stand behind the bars */
	uint64_t most = 1, sum[HD_STALL_COUNT + 1] = {0};
	char text[32];
	for (unsigned m = 0; m < c->n_machines; m++) {
		const hd_compared *at = hd_compared_of(c, l, m);
		most = hd_max_u64(at->stats.run_issue_slots, most);
		sum[HD_STALL_COUNT] += at->stats.run_slots_used;
		for (unsigned i = 0; i < HD_STALL_COUNT; i++)
			sum[i] += at->stats.stall[i];
	}
	hd_text_printf(out, "<div class=\"rows plain\">\n");
	for (unsigned m = 0; m < c->n_machines; m++) {
		const hd_compared *at = hd_compared_of(c, l, m);
		hd_text_printf(out, "<div class=\"row\"><span class=\"name\">");
		hd_page_escape(out, at->machine);
		hd_text_printf(out, "</span><span class=\"track parts\">");
		for (int i = HD_STALL_COUNT; i >= 0; i--) {
			uint64_t slots = i == HD_STALL_COUNT ? at->stats.run_slots_used : at->stats.stall[i];
			if (slots)
				hd_text_printf(out, "<i style=\"width:%.2f%%;background:%s\" title=\"%s: %s slots, %.1f %%\"></i>",
				               BARS * (double)slots / (double)most, hd_page_colour((unsigned)i), hd_page_cause((unsigned)i),
				               hd_grouped_digits(slots, text), 100.0 * (double)slots / (double)at->stats.run_issue_slots);
		}
		hd_text_printf(out, "<small>%s</small></span></div>\n", hd_grouped_digits(at->stats.run_cycles, text));
	}
	hd_text_printf(out, "</div>\n");
	hd_page_legend(out, sum);
}

static void cell(const hd_comparison *c, unsigned m, uint64_t value, uint64_t first, bool ratios, hd_text *out)
{
	char number[32], ratio[24];
	hd_text_printf(out, "<td>%s", hd_grouped_digits(value, number));
	if (ratios && m != hd_compared_base(c, m))
		hd_text_printf(out, "<br><small>%s</small>", hd_compared_ratio(value, first, ratio));
	hd_text_printf(out, "</td>");
}

/* Writes a name such as "register_file.reads" with blanks. */
static void row_name(hd_text *out, const char *text)
{
	hd_text_printf(out, "<tr><td>");
	for (; *text; text++)
		hd_text_printf(out, "%s", *text == '_' ? " " : *text == '.' ? ": " : (char[]){*text, '\0'});
	hd_text_printf(out, "</td>");
}

static void table(const hd_comparison *c, unsigned l, hd_text *out)
{
	hd_text_printf(out, "<div class=\"scroll\"><table><tr><th></th>");
	for (unsigned m = 0; m < c->n_machines; m++)
		name(out, "th", short_name(c, m), "");
	hd_text_printf(out, "</tr>\n");
	for (unsigned i = 0; i < hd_compared_row_count; i++) {
		const hd_compared_row *row = &hd_compared_rows[i];
		if (!hd_compared_shown(row) || !hd_compared_any(c, l, row))
			continue;
		row_name(out, row->name);
		for (unsigned m = 0; m < c->n_machines; m++)
			cell(c, m, hd_compared_value(hd_compared_of(c, l, m), row),
			     hd_compared_value(hd_compared_of(c, l, hd_compared_base(c, m)), row), true, out);
		hd_text_printf(out, "</tr>\n");
	}
	row_name(out, "state bits of a core");
	for (unsigned m = 0; m < c->n_machines; m++)
		cell(c, m, hd_compared_of(c, l, m)->state_bits, 0, false, out);
	hd_text_printf(out, "</tr>\n");
	row_name(out, "register comparators of a core");
	for (unsigned m = 0; m < c->n_machines; m++)
		cell(c, m, hd_compared_of(c, l, m)->comparators, 0, false, out);
	hd_text_printf(out, "</tr>\n");
	row_name(out, "divergence bits of a core");
	for (unsigned m = 0; m < c->n_machines; m++)
		cell(c, m, hd_compared_of(c, l, m)->divergence_core, 0, false, out);
	hd_text_printf(out, "</tr>\n");
	row_name(out, "result");
	for (unsigned m = 0; m < c->n_machines; m++)
		name(out, "td", hd_compared_of(c, l, m)->result, "");
	hd_text_printf(out, "</tr>\n");
	row_name(out, "outputs, against the first");
	for (unsigned m = 0; m < c->n_machines; m++) {
		hd_outputs outputs = hd_compared_of(c, l, m)->outputs;
		hd_text_printf(out, "<td class=\"%s\">%s</td>",
		               outputs == HD_OUTPUTS_DIFFER ? "bad"
		               : outputs == HD_OUTPUTS_SAME ? "good"
		                                            : "dim",
		               hd_compared_outputs(outputs));
	}
	hd_text_printf(out, "</tr></table></div>\n");
}

static void pair_row(const hd_line_pair *p, double most, hd_text *out)
{
	double difference = p->cycles[1] - p->cycles[0];
	for (unsigned which = 0; which < 2; which++)
		hd_text_printf(out, "%s<td style=\"background:rgba(225,87,89,%.2f)\">%.1f</td><td>%.1f</td>", which ? "" : "<tr>",
		               most > 0 ? 0.75 * p->cycles[which] / most : 0, p->cycles[which], p->stalled[which]);
	hd_text_printf(out, "<td class=\"%s\">%+.1f</td><td class=\"text\">",
	               difference < -0.05  ? "good"
	               : difference > 0.05 ? "bad"
	                                   : "dim",
	               difference);
	if (p->file) {
		hd_text_printf(out, "<b>");
		hd_page_escape(out, strrchr(p->file, '/') ? strrchr(p->file, '/') + 1 : p->file);
		hd_text_printf(out, ":%u</b>  ", p->line);
	}
	hd_page_escape(out, p->text ? p->text : "");
	hd_text_printf(out, "</td></tr>\n");
}

/* Source lines of a machine and its base, twice: as in the source, and with the largest difference first. */
static void line_tables(const hd_comparison *c, unsigned l, unsigned m, hd_text *out)
{
	static const char *const titles[] = {"in the order of the source", "the largest difference first"};
	hd_line_pairs pairs;
	for (hd_line_order turn = 0; turn < HD_COUNT(titles); turn++) {
		hd_line_order order = turn ? (hd_line_order)!c->order : c->order;
		double most = 0;
		if (!hd_compared_lines(c, l, m, order, &pairs))
			return;
		for (size_t i = 0; i < pairs.n; i++)
			for (unsigned which = 0; which < 2; which++)
				most = pairs.at[i].cycles[which] > most ? pairs.at[i].cycles[which] : most;
		hd_text_printf(out, "<details%s><summary>Cycles of each source line on ", turn ? "" : " open");
		hd_page_escape(out, hd_compared_of(c, l, hd_compared_base(c, m))->machine);
		hd_text_printf(out, " and ");
		hd_page_escape(out, hd_compared_of(c, l, m)->machine);
		hd_text_printf(out, ", %s</summary><div class=\"scroll\"><table class=\"code\"><tr>", titles[order]);
		name(out, "th", hd_compared_of(c, l, hd_compared_base(c, m))->machine, "<th>stalled</th>");
		name(out, "th", hd_compared_of(c, l, m)->machine, "<th>stalled</th><th>difference</th><th class=\"left\">line</th></tr>\n");
		for (size_t i = 0; i < pairs.n; i++)
			pair_row(&pairs.at[i], most, out);
		hd_text_printf(out, "</table></div></details>\n");
		hd_vec_free(&pairs);
	}
}

void hd_comparison_html(const hd_comparison *c, hd_text *out)
{
	hd_page_begin(out, c->ablation ? "ablation" : "machines compared");
	hd_text_printf(out, "<h1>%s</h1>\n<p class=\"sub\">Heddle. %u launch%s on %u machines: ",
	               c->ablation ? "Mechanisms added and removed" : "Machines compared", c->n_launches, c->n_launches == 1 ? "" : "es",
	               c->n_machines);
	for (unsigned m = 0; m < c->n_machines; m++) {
		hd_text_printf(out, "%s", m ? ", " : "");
		hd_page_escape(out, hd_compared_of(c, 0, m)->machine);
	}
	hd_text_printf(out, ".</p>\n");
	if (c->n_launches > 1 || c->ablation)
		summary(c, out);
	for (unsigned l = 0; l < c->n_launches; l++) {
		hd_text_printf(out, "<section><h2 id=\"launch%u\">%u. ", l + 1, l + 1);
		hd_page_escape(out, hd_compared_of(c, l, 0)->kernel);
		hd_text_printf(out, "</h2><p class=\"sub\"><code>");
		hd_page_escape(out, hd_compared_of(c, l, 0)->launch);
		hd_text_printf(out, "</code></p>\n<p>Issue slots, used and lost by cause; the number behind a bar is the cycles.</p>\n");
		bars(c, l, out);
		table(c, l, out);
		for (unsigned m = 1; m < c->n_machines; m++)
			line_tables(c, l, m, out);
		hd_text_printf(out, "</section>\n");
	}
	hd_page_end(out);
}
