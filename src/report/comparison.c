#include "report/comparison.h"

#include <jansson.h>
#include <math.h>

/* Rows of the tables: counters of stats.def. Energy joins them when a machine counts it. */
typedef struct row {
	const char *name;
	size_t offset;
} row;

static const row rows[] = {
    {"cycles", offsetof(hd_stats, run_cycles)},
    {"issued", offsetof(hd_stats, run_issued)},
    {"warp_instructions", offsetof(hd_stats, run_warp_instructions)},
    {"issue_slots", offsetof(hd_stats, run_issue_slots)},
    {"slots_used", offsetof(hd_stats, run_slots_used)},
#define STAT(group, name, doc) {#group "." #name, offsetof(hd_stats, group##_##name)},
#include "launch/stats.def"
#undef STAT
};

static bool shown(const row *r)
{
	return !strchr(r->name, '.') || strncmp(r->name, "stall.", 6) == 0 || strncmp(r->name, "register_file.", 14) == 0 ||
	       strcmp(r->name, "predecode.flushes") == 0 || strcmp(r->name, "fence.descheduled") == 0;
}

static uint64_t value(const hd_compared *c, const row *r)
{
	uint64_t v;
	memcpy(&v, (const char *)&c->stats + r->offset, sizeof v);
	return v;
}

static const hd_compared *of(const hd_comparison *c, unsigned launch, unsigned machine) { return &c->at[launch * c->n_machines + machine]; }

static bool any(const hd_comparison *c, unsigned launch, const row *r)
{
	for (unsigned m = 0; m < c->n_machines; m++)
		if (value(of(c, launch, m), r))
			return true;
	return false;
}

/* "1.234" or "-" when there is nothing to compare with. */
static const char *ratio(uint64_t part, uint64_t whole, char text[24])
{
	if (whole)
		snprintf(text, 24, "%.3f", (double)part / (double)whole);
	else
		snprintf(text, 24, "-");
	return text;
}

/* Geometric mean over the launches of cycles against the first machine; 0: no launch ran on both. */
static double mean(const hd_comparison *c, unsigned machine)
{
	double sum = 0;
	unsigned n = 0;
	for (unsigned l = 0; l < c->n_launches; l++) {
		uint64_t first = of(c, l, 0)->stats.run_cycles, other = of(c, l, machine)->stats.run_cycles;
		if (!first || !other)
			continue;
		sum += log((double)other / (double)first);
		n++;
	}
	return n ? exp(sum / n) : 0;
}

static void one_row(const hd_comparison *c, unsigned launch, const char *name, const uint64_t *values, hd_text *out)
{
	char text[24];
	hd_text_printf(out, "  %-30s", name);
	for (unsigned m = 0; m < c->n_machines; m++)
		hd_text_printf(out, " %14llu %8s", (unsigned long long)values[m], m ? ratio(values[m], values[0], text) : "");
	hd_text_printf(out, "\n");
	(void)launch;
}

void hd_comparison_text(const hd_comparison *c, hd_text *out)
{
	uint64_t *values = hd_xcalloc(c->n_machines, sizeof *values);
	for (unsigned l = 0; l < c->n_launches; l++) {
		hd_text_printf(out, "%s%s: kernel %s\n  %-30s", l ? "\n" : "", of(c, l, 0)->launch, of(c, l, 0)->kernel, "");
		for (unsigned m = 0; m < c->n_machines; m++)
			hd_text_printf(out, " %14.14s %8s", of(c, l, m)->machine, m ? "ratio" : "");
		hd_text_printf(out, "\n");
		for (unsigned i = 0; i < HD_COUNT(rows); i++) {
			if (!shown(&rows[i]) || !any(c, l, &rows[i]))
				continue;
			for (unsigned m = 0; m < c->n_machines; m++)
				values[m] = value(of(c, l, m), &rows[i]);
			one_row(c, l, rows[i].name, values, out);
		}
		for (unsigned m = 0; m < c->n_machines; m++)
			values[m] = of(c, l, m)->state_bits;
		one_row(c, l, "state bits of a core", values, out);
		hd_text_printf(out, "  %-30s", "result, outputs");
		for (unsigned m = 0; m < c->n_machines; m++)
			hd_text_printf(out, " %14s %8s", of(c, l, m)->result, !m ? "" : of(c, l, m)->same ? "same" : "DIFFER");
		hd_text_printf(out, "\n");
	}
	if (c->n_launches > 1) {
		hd_text_printf(out, "\nall launches, geometric mean of cycles against %s:", of(c, 0, 0)->machine);
		for (unsigned m = 1; m < c->n_machines; m++)
			hd_text_printf(out, " %s %.3f", of(c, 0, m)->machine, mean(c, m));
		hd_text_printf(out, "\n");
	}
	free(values);
}

static json_t *string(const char *text)
{
	json_t *made = json_string(text);
	return made ? made : json_string("(not UTF-8)");
}

static json_t *machine_json(const hd_comparison *c, unsigned l, unsigned m)
{
	const hd_compared *at = of(c, l, m);
	json_t *object = json_object(), *ratios = json_object();
	json_object_set_new(object, "machine", string(at->machine));
	json_object_set_new(object, "result", string(at->result));
	json_object_set_new(object, "outputs_equal", json_boolean(at->same));
	json_object_set_new(object, "state_bits", json_integer(at->state_bits));
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		uint64_t v = value(at, &rows[i]), first = value(of(c, l, 0), &rows[i]);
		json_object_set_new(object, rows[i].name, json_integer((json_int_t)v));
		if (first && shown(&rows[i]))
			json_object_set_new(ratios, rows[i].name, json_real((double)v / (double)first));
	}
	json_object_set_new(object, "ratio", ratios);
	return object;
}

void hd_comparison_json(const hd_comparison *c, hd_text *out)
{
	json_t *root = json_object(), *launches = json_array();
	json_object_set_new(root, "schema", json_string("heddle-compare-1"));
	for (unsigned l = 0; l < c->n_launches; l++) {
		json_t *launch = json_object(), *machines = json_array();
		json_object_set_new(launch, "launch", string(of(c, l, 0)->launch));
		json_object_set_new(launch, "kernel", string(of(c, l, 0)->kernel));
		for (unsigned m = 0; m < c->n_machines; m++)
			json_array_append_new(machines, machine_json(c, l, m));
		json_object_set_new(launch, "machines", machines);
		json_array_append_new(launches, launch);
	}
	json_object_set_new(root, "launches", launches);
	char *text = json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
	hd_invariant(text, "a comparison that JSON cannot hold");
	hd_text_printf(out, "%s\n", text);
	free(text);
	json_decref(root);
}

static void csv_field(hd_text *out, const char *text)
{
	hd_text_printf(out, "\"");
	for (; *text; text++)
		hd_text_printf(out, *text == '"' ? "\"\"" : "%c", *text);
	hd_text_printf(out, "\",");
}

void hd_comparison_csv(const hd_comparison *c, hd_text *out)
{
	hd_text_printf(out, "launch,kernel,machine,result,outputs_equal,state_bits");
	for (unsigned i = 0; i < HD_COUNT(rows); i++)
		hd_text_printf(out, ",%s", rows[i].name);
	hd_text_printf(out, "\n");
	for (unsigned i = 0; i < c->n_launches * c->n_machines; i++) {
		const hd_compared *at = &c->at[i];
		csv_field(out, at->launch);
		csv_field(out, at->kernel);
		csv_field(out, at->machine);
		hd_text_printf(out, "%s,%d,%u", at->result, at->same, at->state_bits);
		for (unsigned r = 0; r < HD_COUNT(rows); r++)
			hd_text_printf(out, ",%llu", (unsigned long long)value(at, &rows[r]));
		hd_text_printf(out, "\n");
	}
}

static void escape(hd_text *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&\"", *text))
			hd_text_printf(out, "&#%d;", *text);
		else
			hd_text_put(out, text, 1);
	}
}

/* A bar of the slots of a machine, drawn to the scale of the launch's slowest. */
static void bar(const hd_comparison *c, unsigned l, unsigned m, hd_text *out)
{
	static const char *const colours[] = {"#4e79a7", "#d9d9d9", "#9c755f", "#edc948", "#e15759", "#ff9da7", "#f28e2b",
	                                      "#b07aa1", "#76b7b2", "#59a14f", "#bab0ac", "#d37295", "#499894"};
	const hd_compared *at = of(c, l, m);
	uint64_t most = 1;
	for (unsigned i = 0; i < c->n_machines; i++)
		if (of(c, l, i)->stats.run_issue_slots > most)
			most = of(c, l, i)->stats.run_issue_slots;
	double x = 130;
	unsigned colour = 0;
	hd_text_printf(out, "<text x=\"0\" y=\"%u\">", m * 26 + 16);
	escape(out, at->machine);
	hd_text_printf(out, "</text>");
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		if (strcmp(rows[i].name, "slots_used") != 0 && strncmp(rows[i].name, "stall.", 6) != 0)
			continue;
		double width = 770.0 * (double)value(at, &rows[i]) / (double)most;
		if (width > 0)
			hd_text_printf(out, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"20\" fill=\"%s\"><title>%s: %llu slots</title></rect>",
			               x, m * 26, width, colours[colour % HD_COUNT(colours)], rows[i].name, (unsigned long long)value(at, &rows[i]));
		x += width;
		colour++;
	}
	if (m + 1 < c->n_machines)
		return;
	for (unsigned i = 0, n = 0; i < HD_COUNT(rows); i++) {
		if (strcmp(rows[i].name, "slots_used") != 0 && strncmp(rows[i].name, "stall.", 6) != 0)
			continue;
		unsigned y = c->n_machines * 26 + 14 + n / 6 * 18;
		hd_text_printf(out, "<rect x=\"%u\" y=\"%u\" width=\"10\" height=\"10\" fill=\"%s\"/><text class=\"key\" x=\"%u\" y=\"%u\">%s</text>",
		               n % 6 * 150, y, colours[n % HD_COUNT(colours)], n % 6 * 150 + 14, y + 9,
		               rows[i].name + (strchr(rows[i].name, '.') ? 6 : 0));
		n++;
	}
}

void hd_comparison_html(const hd_comparison *c, hd_text *out)
{
	char text[24];
	hd_text_printf(out,
	               "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Heddle: machines compared</title><style>\n"
	               "body{font:15px/1.45 sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222}\n"
	               "table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:.2em .7em;text-align:right;border-bottom:"
	               "1px solid #ddd}\ntd:first-child,th:first-child{text-align:left}.bad{color:#b00;font-weight:bold}svg{width:100%%;height:auto;"
	               "font:13px sans-serif}.key{font-size:12px}.scroll{overflow-x:auto}\n@media print{body{margin:0;font-size:11px}"
	               "section{break-inside:avoid}rect{print-color-adjust:exact}}\n</style></head><body>\n<h1>Machines compared</h1>\n");
	for (unsigned l = 0; l < c->n_launches; l++) {
		hd_text_printf(out, "<section><h2>");
		escape(out, of(c, l, 0)->launch);
		hd_text_printf(out, "</h2><p>Kernel ");
		escape(out, of(c, l, 0)->kernel);
		hd_text_printf(out, ". Issue slots: issued, and lost by cause.</p>\n<svg viewBox=\"0 0 900 %u\">", c->n_machines * 26 + 70);
		for (unsigned m = 0; m < c->n_machines; m++)
			bar(c, l, m, out);
		hd_text_printf(out, "</svg>\n<div class=\"scroll\"><table><tr><th></th>");
		for (unsigned m = 0; m < c->n_machines; m++) {
			hd_text_printf(out, "<th>");
			escape(out, of(c, l, m)->machine);
			hd_text_printf(out, "</th>%s", m ? "<th>ratio</th>" : "");
		}
		hd_text_printf(out, "</tr>\n");
		for (unsigned i = 0; i < HD_COUNT(rows); i++) {
			if (!shown(&rows[i]) || !any(c, l, &rows[i]))
				continue;
			hd_text_printf(out, "<tr><td>%s</td>", rows[i].name);
			for (unsigned m = 0; m < c->n_machines; m++) {
				uint64_t v = value(of(c, l, m), &rows[i]);
				hd_text_printf(out, "<td>%llu</td>", (unsigned long long)v);
				if (m)
					hd_text_printf(out, "<td>%s</td>", ratio(v, value(of(c, l, 0), &rows[i]), text));
			}
			hd_text_printf(out, "</tr>\n");
		}
		hd_text_printf(out, "<tr><td>state bits of a core</td>");
		for (unsigned m = 0; m < c->n_machines; m++)
			hd_text_printf(out, "<td>%u</td>%s", of(c, l, m)->state_bits, m ? "<td></td>" : "");
		hd_text_printf(out, "</tr>\n<tr><td>result, outputs</td>");
		for (unsigned m = 0; m < c->n_machines; m++) {
			const hd_compared *at = of(c, l, m);
			hd_text_printf(out, "<td>%s</td>", at->result);
			if (m)
				hd_text_printf(out, "<td%s>%s</td>", at->same ? "" : " class=\"bad\"", at->same ? "same" : "DIFFER");
		}
		hd_text_printf(out, "</tr></table></div></section>\n");
	}
	hd_text_printf(out, "</body></html>\n");
}
