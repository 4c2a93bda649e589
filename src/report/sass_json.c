#include "report/json_string.h"
#include "report/sass.h"

static json_t *number(uint64_t value) { return json_integer((json_int_t)value); }

static json_t *assumptions(hd_sass_assumed set)
{
	json_t *list = json_array();
	for (uint64_t rest = set; rest; rest &= rest - 1) {
		char name[8];
		snprintf(name, sizeof name, "A%u", hd_lowest_bit(rest) + 1);
		hd_json_append(list, json_string(name));
	}
	return list;
}

static json_t *place(const hd_sass_code *code, uint32_t at)
{
	json_t *row = json_object();
	const char *file;
	uint32_t line;
	hd_text text = {0};
	if (at < code->n)
		hd_sass_print(&code->at[at], &text);
	while (text.n && (text.at[text.n - 1] == ' ' || text.at[text.n - 1] == ';'))
		text.at[--text.n] = 0;
	hd_json_set(row, "address", number((uint64_t)at * HD_SASS_BYTES));
	hd_json_set(row, "text", hd_json_string(text.at ? text.at : ""));
	text.n = 0;
	if (at < code->n)
		hd_sass_print_control(code->at[at].control, &text);
	hd_json_set(row, "control", hd_json_string(text.n ? text.at : ""));
	if (hd_sass_line_of(code, at, &file, &line)) {
		hd_json_set(row, "file", hd_json_string(file));
		hd_json_set(row, "line", number(line));
	}
	hd_text_free(&text);
	return row;
}

static json_t *counters(unsigned mask)
{
	json_t *list = json_array();
	for (uint64_t rest = mask; rest; rest &= rest - 1)
		hd_json_append(list, number(hd_lowest_bit(rest)));
	return list;
}

static json_t *finding(const hd_sass_code *code, const hd_sass_finding *f)
{
	static const char *const hazards[] = {"RAW", "WAW", "WAR"};
	static const char *const lacks[] = {"cycles", "counter", "wait", "stall", "assumption"};
	json_t *row = json_object(), *path = json_array();
	hd_text registers = {0};
	hd_sass_registers_print(&registers, f->file, f->first, f->count);
	hd_json_set(row, "hazard", json_string(hazards[f->hazard]));
	hd_json_set(row, "registers", json_string(registers.at));
	hd_json_set(row, "lacks", json_string(lacks[f->lack]));
	hd_json_set(row, "missing_cycles", number(f->missing));
	hd_json_set(row, "needed_cycles", number(f->needed));
	hd_json_set(row, "source", json_string(hd_sass_latency_source(f->source)));
	hd_json_set(row, "counters", counters(f->counters));
	hd_json_set(row, "assumptions", assumptions(f->under));
	hd_json_set(row, "first", place(code, f->producer));
	hd_json_set(row, "second", place(code, f->consumer));
	for (size_t i = 0; i < f->path.n; i++)
		hd_json_append(path, number((uint64_t)f->path.at[i] * HD_SASS_BYTES));
	hd_json_set(row, "path", path);
	hd_text_free(&registers);
	return row;
}

static json_t *doubt(const hd_sass_code *code, const hd_sass_doubt *d)
{
	json_t *row = json_object();
	hd_json_set(row, "reason", json_string(hd_sass_doubt_name(d->kind)));
	hd_json_set(row, "at", place(code, d->at));
	if (d->other != d->at)
		hd_json_set(row, "then", place(code, d->other));
	return row;
}

static json_t *slack(const hd_sass_code *code, const hd_sass_slack *s)
{
	json_t *row = json_object(), *list = json_array();
	hd_json_set(row, "cycles", number(s->cycles));
	hd_json_set(row, "cycles_won", number(s->won));
	hd_json_set(row, "waits", number(s->waits));
	hd_json_set(row, "waits_not_needed", number(s->redundant_waits));
	for (uint32_t i = 0; i < s->n; i++) {
		json_t *x = place(code, i);
		hd_json_set(x, "slack", number(s->stall[i]));
		hd_json_set(x, "waits_not_needed", counters(s->redundant[i]));
		hd_json_append(list, x);
	}
	hd_json_set(row, "instructions", list);
	return row;
}

static json_t *function(const hd_sass_proof_function *p)
{
	const hd_sass_result *r = &p->result;
	json_t *row = json_object(), *findings = json_array(), *doubts = json_array();
	bool details = r->verdict != HD_SASS_PROVEN || p->slack.n;
	hd_sass_code code = {0};
	if (details)
		hd_sass_code_init(&code, p->cubin->architecture, p->function);
	hd_json_set(row, "name", hd_json_string(p->function->name));
	hd_json_set(row, "demangled", hd_json_string(p->function->pretty));
	hd_json_set(row, "kernel", json_boolean(p->function->kernel));
	hd_json_set(row, "entry", number(p->cubin_index));
	hd_json_set(row, "architecture", number(p->cubin->architecture));
	hd_json_set(row, "toolkit", number(p->cubin->toolkit));
	hd_json_set(row, "verdict", json_string(hd_sass_verdict_name(r->verdict)));
	hd_json_set(row, "assumptions", assumptions(r->needed));
	hd_json_set(row, "instructions", number(r->instructions));
	hd_json_set(row, "blocks", number(r->blocks));
	hd_json_set(row, "by_stall", number(r->by_stall));
	hd_json_set(row, "by_counter", number(r->by_counter));
	hd_json_set(row, "by_assumption", number(r->by_assumption));
	hd_json_set(row, "by_guard", number(r->by_guard));
	for (size_t i = 0; i < r->findings.n; i++)
		hd_json_append(findings, finding(&code, &r->findings.at[i]));
	hd_json_set(row, "findings", findings);
	hd_json_set(row, "findings_total", number(r->n_findings));
	for (size_t i = 0; i < r->doubts.n; i++)
		hd_json_append(doubts, doubt(&code, &r->doubts.at[i]));
	hd_json_set(row, "unknown", doubts);
	hd_json_set(row, "unknown_total", number(r->n_doubts));
	if (p->slack.n)
		hd_json_set(row, "slack", slack(&code, &p->slack));
	hd_sass_code_free(&code);
	return row;
}

static json_t *assumption_rows(hd_sass_assumed needed, hd_sass_assumed allowed)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < HD_SASS_ASSUMPTIONS; i++) {
		const hd_sass_assumption_row *a = &hd_sass_assumption_rows[i];
		json_t *row = json_object();
		char name[8];
		snprintf(name, sizeof name, "A%u", i + 1);
		hd_json_set(row, "name", json_string(name));
		hd_json_set(row, "text", json_string(a->text));
		hd_json_set(row, "evidence", json_string(a->evidence));
		hd_json_set(row, "source", json_string(a->source));
		hd_json_set(row, "allowed", json_boolean(allowed >> i & 1));
		hd_json_set(row, "needed", json_boolean(needed >> i & 1));
		hd_json_append(list, row);
	}
	return list;
}

void hd_sass_report_json(hd_text *out, const char *file, const hd_sass_proof *proof)
{
	json_t *root = json_object(), *functions = json_array();
	hd_json_set(root, "schema", json_string("heddle-sass-check-1"));
	hd_json_set(root, "file", hd_json_string(file));
	hd_json_set(root, "verdict", json_string(hd_sass_verdict_name(proof->verdict)));
	hd_json_set(root, "proven", number(proof->n[HD_SASS_PROVEN]));
	hd_json_set(root, "refuted", number(proof->n[HD_SASS_REFUTED]));
	hd_json_set(root, "unknown", number(proof->n[HD_SASS_UNKNOWN]));
	hd_json_set(root, "ptx_only", number(proof->ptx_only));
	hd_json_set(root, "damaged", number(proof->damaged));
	hd_json_set(root, "instructions", number(proof->instructions));
	hd_json_set(root, "findings_total", number(proof->findings));
	hd_json_set(root, "assumptions", assumption_rows(proof->needed, proof->allowed));
	for (size_t i = 0; i < proof->functions.n; i++)
		hd_json_append(functions, function(&proof->functions.at[i]));
	hd_json_set(root, "functions", functions);
	hd_json_dump(root, JSON_INDENT(1), out);
	json_decref(root);
}
