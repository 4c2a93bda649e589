#include "report/html.h"

static const char *const colours[HD_CAUSE_COUNT + 1] = {"#d9d9d9", "#9c755f", "#edc948", "#e15759", "#ff9da7", "#f28e2b", "#b07aa1",
                                                        "#76b7b2", "#59a14f", "#8c6bb1", "#d37295", "#499894", "#79706e", "#4e79a7"};

static const char *name_of(unsigned column) { return column == HD_CAUSE_COUNT ? "issued" : hd_cause_names[column]; }

static void escape(hd_text *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&\"", *text))
			hd_text_printf(out, "&#%d;", *text);
		else
			hd_text_put(out, text, 1);
	}
}

static void breakdown(const uint64_t sum[], uint64_t total, hd_text *out)
{
	unsigned y = 0, n = 0;
	for (unsigned i = 0; i <= HD_CAUSE_COUNT; i++)
		n += sum[i] != 0;
	hd_text_printf(out, "<h2>Where the issue slots went</h2>\n<svg viewBox=\"0 0 900 %u\">", n * 24);
	for (int i = HD_CAUSE_COUNT; i >= 0; i--) {
		if (!sum[i])
			continue;
		double share = (double)sum[i] / (double)total;
		hd_text_printf(out,
		               "<text x=\"0\" y=\"%u\">%s</text><rect x=\"120\" y=\"%u\" width=\"%.2f\" height=\"18\" fill=\"%s\"/>"
		               "<text x=\"%.2f\" y=\"%u\">%.1f %% (%llu)</text>\n",
		               y + 14, name_of((unsigned)i), y, 600 * share, colours[i], 126 + 600 * share, y + 14, 100 * share,
		               (unsigned long long)sum[i]);
		y += 24;
	}
	hd_text_printf(out, "</svg>\n");
}

static void over_time(const hd_profile *p, unsigned bins, hd_text *out)
{
	double width = 900.0 / bins;
	uint64_t most = 1;
	for (unsigned b = 0; b < bins; b++)
		most = p->warps[b] > most ? p->warps[b] : most;
	hd_text_printf(out,
	               "<h2>Over time</h2>\n<p>Shares of the issue slots in steps of %llu cycles; the line is the number of warps that are there, "
	               "at most %.1f.</p>\n<svg viewBox=\"0 0 900 230\">",
	               (unsigned long long)p->bin, (double)most / (double)p->bin);
	for (unsigned b = 0; b < bins; b++) {
		uint64_t total = 0;
		double y = 200;
		for (unsigned i = 0; i <= HD_CAUSE_COUNT; i++)
			total += p->slots[b][i];
		for (int i = HD_CAUSE_COUNT; total && i >= 0; i--) {
			double height = 200.0 * (double)p->slots[b][i] / (double)total;
			y -= height;
			if (p->slots[b][i])
				hd_text_printf(out,
				               "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"><title>cycle %llu: %s %.1f "
				               "%%</title></rect>",
				               b * width, y, width, height, colours[i], (unsigned long long)(b * p->bin), name_of((unsigned)i),
				               height / 2);
		}
	}
	hd_text_printf(out, "<polyline fill=\"none\" stroke=\"#000\" stroke-width=\"1.5\" points=\"");
	for (unsigned b = 0; b < bins; b++)
		hd_text_printf(out, "%.1f,%.1f ", (b + 0.5) * width, 200 - 190.0 * (double)p->warps[b] / (double)most);
	hd_text_printf(out, "\"/><text x=\"0\" y=\"222\">0</text><text x=\"900\" y=\"222\" text-anchor=\"end\">cycle %llu</text></svg>\n",
	               (unsigned long long)(bins * p->bin));
}

void hd_report_html(const char *text, const char *title, const hd_profile *p, hd_text *out)
{
	hd_text_printf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Heddle: ");
	escape(out, title);
	hd_text_printf(out,
	               "</title><style>\nbody{font:15px/1.45 sans-serif;max-width:1150px;margin:2em auto;padding:0 1em;color:#222}\n"
	               "pre{font-size:12px;line-height:1.35;overflow-x:auto;background:#f7f7f7;padding:.8em}svg{width:100%%;height:auto;font:13px "
	               "sans-serif}\n@media print{body{margin:0;font-size:11px}pre{font-size:7px;white-space:pre-wrap;background:none}"
	               "rect{print-color-adjust:exact;-webkit-print-color-adjust:exact}svg{break-inside:avoid}}\n</style></head><body>\n<h1>");
	escape(out, title);
	hd_text_printf(out, "</h1>\n");
	if (p) {
		uint64_t sum[HD_CAUSE_COUNT + 1] = {0}, total = 0;
		unsigned bins = 0;
		for (unsigned b = 0; b < HD_PROFILE_BINS; b++) {
			for (unsigned i = 0; i <= HD_CAUSE_COUNT; i++) {
				sum[i] += p->slots[b][i];
				total += p->slots[b][i];
				if (p->slots[b][i])
					bins = b + 1;
			}
		}
		if (total) {
			breakdown(sum, total, out);
			over_time(p, bins, out);
		}
	}
	hd_text_printf(out, "<h2>Counters</h2>\n<pre>");
	escape(out, text);
	hd_text_printf(out, "</pre>\n");
	if (p) {
		hd_text listing = {0};
		hd_profile_listing(p, title, &listing);
		hd_text_printf(out, "<h2>Line by line</h2>\n<pre>");
		escape(out, listing.at);
		hd_text_printf(out, "</pre>\n");
		hd_text_free(&listing);
	}
	hd_text_printf(out, "</body></html>\n");
}
