#include "report/comparison.h"

#include "report/heat_json.h"
#include "report/json_string.h"

#include <math.h>

const hd_compared_row hd_compared_rows[] = {
    {"cycles", offsetof(hd_compared, stats.run_cycles)},
    {"issued", offsetof(hd_compared, stats.run_issued)},
    {"warp_instructions", offsetof(hd_compared, stats.run_warp_instructions)},
    {"issue_slots", offsetof(hd_compared, stats.run_issue_slots)},
    {"slots_used", offsetof(hd_compared, stats.run_slots_used)},
    {"energy_pj", offsetof(hd_compared, energy_pj)},
    {"energy_uncertainty_pj", offsetof(hd_compared, energy_uncertainty_pj)},
    {"energy_register_file_pj", offsetof(hd_compared, energy_register_file_pj)},
    {"energy_order_pj", offsetof(hd_compared, energy_order_pj)}, /* of keeping registers in order (HZ-38) */
#define STAT(group, name, doc) {#group "." #name, offsetof(hd_compared, stats.group##_##name)},
#include "launch/stats.def"
#undef STAT
};

const unsigned hd_compared_row_count = HD_COUNT(hd_compared_rows);

bool hd_compared_shown(const hd_compared_row *r)
{
	return !strchr(r->name, '.') || strncmp(r->name, "stall.", 6) == 0 || strncmp(r->name, "register_file.", 14) == 0 ||
	       strcmp(r->name, "predecode.flushes") == 0 || strcmp(r->name, "fence.descheduled") == 0;
}

uint64_t hd_compared_value(const hd_compared *c, const hd_compared_row *r)
{
	uint64_t v;
	memcpy(&v, (const char *)c + r->offset, sizeof v);
	return v;
}

const hd_compared *hd_compared_of(const hd_comparison *c, unsigned launch, unsigned machine) { return &c->at[launch * c->n_machines + machine]; }

unsigned hd_compared_base(const hd_comparison *c, unsigned machine) { return c->ablation && machine >= c->n_machines / 2 ? c->n_machines / 2 : 0; }

bool hd_compared_any(const hd_comparison *c, unsigned launch, const hd_compared_row *r)
{
	for (unsigned m = 0; m < c->n_machines; m++)
		if (hd_compared_value(hd_compared_of(c, launch, m), r))
			return true;
	return false;
}

const char *hd_compared_ratio(uint64_t part, uint64_t whole, char text[24])
{
	if (whole)
		snprintf(text, 24, "%.3f", (double)part / (double)whole);
	else
		snprintf(text, 24, "-");
	return text;
}

double hd_compared_mean(const hd_comparison *c, unsigned machine)
{
	double sum = 0;
	unsigned n = 0;
	for (unsigned l = 0; l < c->n_launches; l++) {
		const hd_compared *base = hd_compared_of(c, l, hd_compared_base(c, machine)), *at = hd_compared_of(c, l, machine);
		uint64_t first = base->stats.run_cycles, other = at->stats.run_cycles;
		if (!first || !other || strcmp(base->result, "done") != 0 || strcmp(at->result, "done") != 0)
			continue;
		sum += log((double)other / (double)first);
		n++;
	}
	return n ? exp(sum / n) : 0;
}

const char *hd_compared_outputs(hd_outputs outputs)
{
	return outputs == HD_OUTPUTS_SAME ? "same" : outputs == HD_OUTPUTS_DIFFER ? "DIFFER" : "not compared";
}

static json_t *machine_json(const hd_comparison *c, unsigned l, unsigned m)
{
	const hd_compared *at = hd_compared_of(c, l, m);
	json_t *object = json_object(), *ratios = json_object();
	hd_json_set(object, "machine", hd_json_string(at->machine));
	hd_json_set(object, "result", hd_json_string(at->result));
	hd_json_set(object, "outputs_equal", at->outputs == HD_OUTPUTS_NONE ? json_null() : json_boolean(at->outputs == HD_OUTPUTS_SAME));
	hd_json_set(object, "state_bits", json_integer(at->state_bits));
	hd_json_set(object, "window_register_comparators", json_integer(at->comparators));
	hd_json_set(object, "divergence_state_bits", json_integer(at->divergence_core));
	hd_json_set(object, "divergence_state_bits_warp", json_integer(at->divergence_warp));
	for (unsigned i = 0; i < hd_compared_row_count; i++) {
		uint64_t v = hd_compared_value(at, &hd_compared_rows[i]),
		         first = hd_compared_value(hd_compared_of(c, l, hd_compared_base(c, m)), &hd_compared_rows[i]);
		hd_json_set(object, hd_compared_rows[i].name, json_integer((json_int_t)v));
		if (first && hd_compared_shown(&hd_compared_rows[i]))
			hd_json_set(ratios, hd_compared_rows[i].name, json_real((double)v / (double)first));
	}
	hd_json_set(object, "ratio", ratios);
	hd_json_set(object, "energy_ratio_uncertainty", json_real(at->energy_ratio_uncertainty));
	if (at->heat)
		hd_json_set(object, "heat", hd_heat_json(at->heat));
	return object;
}

bool hd_compared_lines(const hd_comparison *c, unsigned l, unsigned m, hd_line_order order, hd_line_pairs *pairs)
{
	unsigned base = hd_compared_base(c, m);
	const hd_heat *first = hd_compared_of(c, l, base)->heat, *second = hd_compared_of(c, l, m)->heat;
	*pairs = (hd_line_pairs){0};
	if (m == base || !first || !second)
		return false;
	hd_line_pairs_make(pairs, first, second, order);
	return true;
}

void hd_comparison_json(const hd_comparison *c, hd_text *out)
{
	json_t *root = json_object(), *launches = json_array();
	hd_json_set(root, "schema", json_string("heddle-compare-1"));
	hd_json_set(root, "ablation", json_boolean(c->ablation));
	for (unsigned l = 0; l < c->n_launches; l++) {
		json_t *launch = json_object(), *machines = json_array();
		hd_json_set(launch, "launch", hd_json_string(hd_compared_of(c, l, 0)->launch));
		hd_json_set(launch, "kernel", hd_json_string(hd_compared_of(c, l, 0)->symbol));
		hd_json_set(launch, "kernel_source_name", hd_json_string(hd_compared_of(c, l, 0)->kernel));
		for (unsigned m = 0; m < c->n_machines; m++)
			hd_json_append(machines, machine_json(c, l, m));
		hd_json_set(launch, "machines", machines);
		hd_json_append(launches, launch);
	}
	hd_json_set(root, "launches", launches);
	hd_json_dump(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9), out);
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
	hd_text_printf(
	    out,
	    "launch,kernel,machine,result,outputs_equal,state_bits,window_register_comparators,divergence_state_bits,divergence_state_bits_warp");
	for (unsigned i = 0; i < hd_compared_row_count; i++)
		hd_text_printf(out, ",%s", hd_compared_rows[i].name);
	hd_text_printf(out, "\n");
	for (unsigned i = 0; i < c->n_launches * c->n_machines; i++) {
		const hd_compared *at = &c->at[i];
		csv_field(out, at->launch);
		csv_field(out, at->symbol);
		csv_field(out, at->machine);
		hd_text_printf(out, "%s,%s,%u,%u,%u,%u", at->result,
		               at->outputs == HD_OUTPUTS_NONE   ? ""
		               : at->outputs == HD_OUTPUTS_SAME ? "1"
		                                                : "0",
		               at->state_bits, at->comparators, at->divergence_core, at->divergence_warp);
		for (unsigned r = 0; r < hd_compared_row_count; r++)
			hd_text_printf(out, ",%llu", (unsigned long long)hd_compared_value(at, &hd_compared_rows[r]));
		hd_text_printf(out, "\n");
	}
}
