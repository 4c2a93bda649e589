#include "report/html/page.h"
#include "report/sass.h"

static void cell(hd_text *out, const char *text)
{
	hd_text_printf(out, "<td>");
	hd_page_escape(out, text ? text : "");
	hd_text_printf(out, "</td>");
}

static void function_row(hd_text *out, const hd_sass_proof_function *p)
{
	const hd_sass_result *r = &p->result;
	hd_text needed = {0};
	hd_sass_assumed_print(&needed, r->needed);
	hd_text_printf(out, "<tr>");
	cell(out, p->function->pretty);
	hd_text_printf(out, "<td>sm_%u</td>", p->cubin->architecture);
	cell(out, hd_sass_verdict_name(r->verdict));
	cell(out, needed.at);
	hd_text_printf(out, "<td>%u</td><td>%llu</td><td>%llu</td><td>%llu</td><td>%llu</td>", r->instructions, (unsigned long long)r->by_stall,
	               (unsigned long long)r->by_counter, (unsigned long long)r->by_assumption, (unsigned long long)r->n_findings);
	if (p->slack.n)
		hd_text_printf(out, "<td>%llu of %llu</td>", (unsigned long long)p->slack.won, (unsigned long long)p->slack.cycles);
	hd_text_printf(out, "</tr>\n");
	hd_text_free(&needed);
}

static void assumption_rows(hd_text *out, hd_sass_assumed needed)
{
	if (!needed)
		return;
	hd_text_printf(out, "<h2>Assumptions that the proofs lean on</h2>\n<div "
	                    "class=\"scroll\"><table><tr><th></th><th>text</th><th>evidence</th><th>published source</th></tr>\n");
	for (uint64_t rest = needed; rest; rest &= rest - 1) {
		unsigned i = hd_lowest_bit(rest);
		const hd_sass_assumption_row *a = &hd_sass_assumption_rows[i];
		hd_text_printf(out, "<tr><td>A%u</td>", i + 1);
		cell(out, a->text);
		cell(out, a->evidence);
		cell(out, *a->source ? a->source : "none");
		hd_text_printf(out, "</tr>\n");
	}
	hd_text_printf(out, "</table></div>\n");
}

void hd_sass_report_html(hd_text *out, const char *file, const hd_sass_proof *proof)
{
	hd_text title = {0}, findings = {0}, slack = {0};
	hd_text_printf(&title, "%s: %s", file, hd_sass_verdict_name(proof->verdict));
	hd_page_begin(out, title.at);
	hd_text_printf(out, "<p>%zu functions proven, %zu refuted, %zu unknown; %llu instructions.</p>\n", proof->n[HD_SASS_PROVEN],
	               proof->n[HD_SASS_REFUTED], proof->n[HD_SASS_UNKNOWN], (unsigned long long)proof->instructions);
	hd_text_printf(
	    out, "<div class=\"scroll\"><table><tr><th>function</th><th>architecture</th><th>verdict</th><th>under</th><th>instructions</th><th>by "
	         "stalls</th>"
	         "<th>by counters</th><th>by assumptions</th><th>findings</th><th>cycles to win</th></tr>\n");
	for (size_t i = 0; i < proof->functions.n; i++)
		function_row(out, &proof->functions.at[i]);
	hd_text_printf(out, "</table></div>\n");
	assumption_rows(out, proof->needed);
	hd_sass_proof_print_findings(&findings, file, proof);
	if (findings.n) {
		hd_text_printf(out, "<h2>Findings</h2>\n<pre>");
		hd_page_escape(out, findings.at);
		hd_text_printf(out, "</pre>\n");
	}
	hd_sass_proof_print_slack(&slack, proof);
	if (slack.n) {
		hd_text_printf(out, "<h2>Slack</h2>\n<pre>");
		hd_page_escape(out, slack.at);
		hd_text_printf(out, "</pre>\n");
	}
	hd_page_end(out);
	hd_text_free(&title);
	hd_text_free(&findings);
	hd_text_free(&slack);
}
