/* The tables of a comparison for a terminal. Machines are side by side. With many machines (ablation) they are one below the other. */
#include "report/comparison.h"

static void one_row(const hd_comparison *c, const char *name, const uint64_t *values, hd_text *out)
{
	char text[24];
	hd_text_printf(out, "  %-30s", name);
	for (unsigned m = 0; m < c->n_machines; m++)
		hd_text_printf(out, " %14llu %8s", (unsigned long long)values[m], m ? hd_compared_ratio(values[m], values[0], text) : "");
	hd_text_printf(out, "\n");
}

static void side_by_side(const hd_comparison *c, unsigned l, hd_text *out)
{
	uint64_t *values = hd_xcalloc(c->n_machines, sizeof *values);
	hd_text_printf(out, "  %-30s", "");
	for (unsigned m = 0; m < c->n_machines; m++)
		hd_text_printf(out, " %14.14s %8s", hd_compared_of(c, l, m)->machine, m ? "ratio" : "");
	hd_text_printf(out, "\n");
	for (unsigned i = 0; i < hd_compared_row_count; i++) {
		const hd_compared_row *row = &hd_compared_rows[i];
		if (!hd_compared_shown(row) || !hd_compared_any(c, l, row))
			continue;
		for (unsigned m = 0; m < c->n_machines; m++)
			values[m] = hd_compared_value(hd_compared_of(c, l, m), row);
		one_row(c, row->name, values, out);
	}
	hd_text_printf(out, "  %-30s", "energy ratio, uncertainty");
	for (unsigned m = 0; m < c->n_machines; m++)
		m ? hd_text_printf(out, " %14s %8.3f", "", hd_compared_of(c, l, m)->energy_ratio_uncertainty)
		  : hd_text_printf(out, " %14s %8s", "", "");
	hd_text_printf(out, "\n");
	for (unsigned m = 0; m < c->n_machines; m++)
		values[m] = hd_compared_of(c, l, m)->state_bits;
	one_row(c, "state bits of a core", values, out);
	for (unsigned m = 0; m < c->n_machines; m++)
		values[m] = hd_compared_of(c, l, m)->comparators;
	one_row(c, "register comparators", values, out);
	for (unsigned m = 0; m < c->n_machines; m++)
		values[m] = hd_compared_of(c, l, m)->divergence_core;
	one_row(c, "divergence bits of a core", values, out);
	hd_text_printf(out, "  %-30s", "result, outputs");
	for (unsigned m = 0; m < c->n_machines; m++) {
		const hd_compared *at = hd_compared_of(c, l, m);
		hd_text_printf(out, " %14s %8s", at->result, !m ? "" : at->outputs == HD_OUTPUTS_NONE ? "-" : hd_compared_outputs(at->outputs));
	}
	hd_text_printf(out, "\n");
	free(values);
}

static double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0.0; }

/* One line for each machine. Ratios are relative to the base of its half. */
static void below_each_other(const hd_comparison *c, unsigned l, hd_text *out)
{
	char text[24];
	hd_text_printf(out, "  %-26s %12s %7s %7s %12s %14s %14s %14s %11s %15s  %s\n", "", "cycles", "ratio", "used", "issued", "reads", "writes",
	               "energy pJ", "state bits", "divergence bits", "outputs");
	for (unsigned m = 0; m < c->n_machines; m++) {
		unsigned base = hd_compared_base(c, m);
		const hd_compared *at = hd_compared_of(c, l, m), *first = hd_compared_of(c, l, base);
		const hd_stats *s = &at->stats;
		if (m == base)
			hd_text_printf(out, "  %s\n", m ? "taken away, one at a time" : "added, one at a time");
		hd_text_printf(
		    out, "    %-24.24s %12llu %7s %6.1f%% %12llu %14llu %14llu %14llu %11u %15u  %s%s%s\n", at->machine,
		    (unsigned long long)s->run_cycles, m == base ? "" : hd_compared_ratio(s->run_cycles, first->stats.run_cycles, text),
		    percent(s->run_slots_used, s->run_issue_slots), (unsigned long long)s->run_issued, (unsigned long long)s->register_file_reads,
		    (unsigned long long)s->register_file_writes, (unsigned long long)at->energy_pj, at->state_bits, at->divergence_core,
		    strcmp(at->result, "done") == 0 ? "" : at->result, strcmp(at->result, "done") == 0 ? "" : ", ", hd_compared_outputs(at->outputs));
	}
}

static void means(const hd_comparison *c, hd_text *out)
{
	hd_text_printf(out, "\nall launches, geometric mean of cycles against %s%s%s:", hd_compared_of(c, 0, 0)->machine, c->ablation ? " and " : "",
	               c->ablation ? hd_compared_of(c, 0, c->n_machines / 2)->machine : "");
	for (unsigned m = 1; m < c->n_machines; m++)
		if (hd_compared_base(c, m) != m)
			hd_text_printf(out, "%s %s %.3f", c->ablation ? "\n " : "", hd_compared_of(c, 0, m)->machine, hd_compared_mean(c, m));
	hd_text_printf(out, "\n");
}

void hd_comparison_text(const hd_comparison *c, hd_text *out)
{
	for (unsigned l = 0; l < c->n_launches; l++) {
		hd_text_printf(out, "%s%s: kernel %s\n", l ? "\n" : "", hd_compared_of(c, l, 0)->launch, hd_compared_of(c, l, 0)->kernel);
		(c->ablation ? below_each_other : side_by_side)(c, l, out);
		for (unsigned m = 1; m < c->n_machines; m++) {
			hd_line_pairs pairs;
			if (hd_compared_lines(c, l, m, c->order, &pairs))
				hd_line_pairs_text(&pairs, hd_compared_of(c, l, hd_compared_base(c, m))->machine, hd_compared_of(c, l, m)->machine,
				                   out);
			hd_vec_free(&pairs);
		}
	}
	if (c->n_launches > 1)
		means(c, out);
}
