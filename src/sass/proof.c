#include "sass/proof.h"
#include "base/source_name.h"

/* Names of the file near to the one that was asked for. */
static char *near_name(const hd_sass_binary *binary, const hd_sass_selection *s)
{
	hd_arena arena = {0};
	hd_suggestion suggestion = hd_sass_binary_suggestion(binary);
	suggestion.word = s->kernel;
	for (size_t i = 0; i < hd_sass_binary_count(binary); i++) {
		const hd_sass_cubin *cubin = hd_sass_binary_cubin(binary, i);
		for (size_t k = 0; k < cubin->n_functions; k++)
			if (!s->architecture || s->architecture == cubin->architecture)
				hd_source_name_suggest(&suggestion, cubin->functions[k].pretty, &arena);
	}
	char *text = hd_suggestion_text(&suggestion);
	hd_arena_free(&arena);
	return text;
}

void hd_sass_none_selected(const hd_sass_binary *binary, const char *name, const hd_sass_selection *s, bool ptx_only, hd_diag *diag)
{
	hd_text what = {0};
	char *hint = s->kernel ? near_name(binary, s) : NULL;
	if (s->kernel)
		hd_text_printf(&what, " named '%s'", s->kernel);
	if (s->architecture)
		hd_text_printf(&what, " for sm_%u", s->architecture);
	hd_error(diag, (hd_pos){.file = name}, "no function%s in the file%s%s", what.n ? what.at : "", hint ? hint : "",
	         ptx_only ? "; it has PTX without machine code" : "");
	free(hint);
	hd_text_free(&what);
}

static void prove_function(hd_sass_proof *proof, const hd_sass_cubin *cubin, size_t index, const hd_sass_function *f, const hd_sass_proof_options *o)
{
	hd_sass_code code;
	hd_sass_proof_function p = {.cubin = cubin, .cubin_index = index, .function = f};
	hd_sass_options options = {.assume = o->assume, .steps = o->steps};
	hd_sass_code_init(&code, cubin->architecture, f);
	hd_sass_check(&code, &options, &p.result);
	if (o->slack && p.result.verdict == HD_SASS_PROVEN)
		hd_sass_slack_find(&p.slack, &code, &options);
	hd_sass_code_free(&code);
	proof->n[p.result.verdict]++;
	proof->needed |= p.result.needed;
	proof->instructions += p.result.instructions;
	proof->findings += p.result.n_findings;
	hd_vec_push(&proof->functions, p);
}

bool hd_sass_prove(const hd_sass_binary *binary, const char *name, const hd_sass_proof_options *o, hd_sass_proof *proof, hd_diag *diag)
{
	*proof = (hd_sass_proof){.allowed = o->assume, .damaged = hd_sass_binary_damaged(binary)};
	for (size_t i = 0; i < hd_sass_binary_count(binary); i++) {
		const hd_sass_cubin *cubin = hd_sass_binary_cubin(binary, i);
		proof->ptx_only += cubin->ptx_only;
		for (size_t k = 0; k < cubin->n_functions; k++)
			if (hd_sass_selected(&o->selection, cubin, &cubin->functions[k]))
				prove_function(proof, cubin, i, &cubin->functions[k], o);
	}
	proof->verdict = proof->n[HD_SASS_REFUTED] ? HD_SASS_REFUTED : proof->n[HD_SASS_UNKNOWN] || proof->damaged ? HD_SASS_UNKNOWN : HD_SASS_PROVEN;
	if (proof->functions.n)
		return true;
	hd_sass_none_selected(binary, name, &o->selection, proof->ptx_only, diag);
	return false;
}

void hd_sass_proof_free(hd_sass_proof *proof)
{
	for (size_t i = 0; i < proof->functions.n; i++) {
		hd_sass_result_free(&proof->functions.at[i].result);
		hd_sass_slack_free(&proof->functions.at[i].slack);
	}
	hd_vec_free(&proof->functions);
	*proof = (hd_sass_proof){0};
}

void hd_sass_proof_function_print(hd_text *text, const hd_sass_proof_function *p)
{
	const hd_sass_result *r = &p->result;
	hd_sass_code code;
	if (r->verdict == HD_SASS_PROVEN)
		return;
	hd_sass_code_init(&code, p->cubin->architecture, p->function);
	hd_text_printf(text, "%s (sm_%u): %s\n", p->function->pretty, p->cubin->architecture, hd_sass_verdict_name(r->verdict));
	for (size_t i = 0; i < r->findings.n; i++)
		hd_sass_finding_print(text, &code, &r->findings.at[i]);
	if (r->n_findings > r->findings.n)
		hd_text_printf(text, "  %llu more findings\n", (unsigned long long)(r->n_findings - r->findings.n));
	for (size_t i = 0; i < r->doubts.n; i++)
		hd_sass_doubt_print(text, &code, &r->doubts.at[i]);
	if (r->n_doubts > r->doubts.n)
		hd_text_printf(text, "  %llu more places are unknown\n", (unsigned long long)(r->n_doubts - r->doubts.n));
	hd_sass_code_free(&code);
}

void hd_sass_proof_print_findings(hd_text *text, const char *name, const hd_sass_proof *proof)
{
	for (size_t i = 0; i < proof->functions.n; i++) {
		if (proof->functions.at[i].result.verdict != HD_SASS_PROVEN)
			hd_text_printf(text, "%s: error: ", name);
		hd_sass_proof_function_print(text, &proof->functions.at[i]);
	}
}

static void print_under(hd_text *text, hd_sass_assumed needed)
{
	if (!needed)
		return;
	hd_text_printf(text, " under ");
	hd_sass_assumed_print(text, needed);
}

void hd_sass_proof_print_summary(hd_text *text, const char *name, const hd_sass_proof *proof)
{
	for (size_t i = 0; i < proof->functions.n; i++) {
		const hd_sass_proof_function *p = &proof->functions.at[i];
		const hd_sass_result *r = &p->result;
		hd_text_printf(text, "%s: %s (sm_%u): %s", name, p->function->pretty, p->cubin->architecture, hd_sass_verdict_name(r->verdict));
		print_under(text, r->needed);
		hd_text_printf(text, "; %u instructions; covered %llu by stalls, %llu by counters, %llu by assumptions\n", r->instructions,
		               (unsigned long long)r->by_stall, (unsigned long long)r->by_counter, (unsigned long long)r->by_assumption);
	}
	for (uint64_t rest = proof->needed; rest; rest &= rest - 1) {
		unsigned i = hd_lowest_bit(rest);
		const char *source = hd_sass_assumption_rows[i].source;
		hd_text_printf(text, "A%u: %s [%s]\n", i + 1, hd_sass_assumption_rows[i].text, *source ? source : "no published source");
	}
	hd_text_printf(text, "%s: %zu proven, %zu refuted, %zu unknown; %llu instructions\n", name, proof->n[HD_SASS_PROVEN],
	               proof->n[HD_SASS_REFUTED], proof->n[HD_SASS_UNKNOWN], (unsigned long long)proof->instructions);
	if (proof->damaged)
		hd_text_printf(text, "%s: %zu entries are damaged, and not checked\n", name, proof->damaged);
	if (proof->ptx_only)
		hd_text_printf(text, "%s: %zu entries have PTX only, which is no machine code\n", name, proof->ptx_only);
}

void hd_sass_proof_print_slack(hd_text *text, const hd_sass_proof *proof)
{
	for (size_t i = 0; i < proof->functions.n; i++) {
		const hd_sass_proof_function *p = &proof->functions.at[i];
		hd_sass_code code;
		if (!p->slack.n)
			continue;
		hd_sass_code_init(&code, p->cubin->architecture, p->function);
		hd_text_printf(text, "%s (sm_%u)\n", p->function->pretty, p->cubin->architecture);
		hd_sass_slack_print(text, &code, &p->slack);
		hd_sass_code_free(&code);
	}
}
