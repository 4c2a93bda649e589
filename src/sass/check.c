/* The analysis finds what is outstanding at the entry of every block. A last pass judges every instruction. */
#include "sass/check.h"

#include "sass/analysis.h"
#include "sass/judge.h"
#include "sass/way.h"

const char *hd_sass_verdict_name(hd_sass_verdict verdict)
{
	return verdict == HD_SASS_PROVEN ? "proven" : verdict == HD_SASS_REFUTED ? "refuted" : "unknown";
}

/* A call of another section, or the return to one: nothing may be outstanding, and the contract is an assumption. */
static void judge_boundary(hd_sass_judge *j, const hd_sass_state *state, uint32_t block)
{
	const hd_sass_graph *g = j->graph;
	const hd_sass_instruction *last = &g->code->at[g->begin[block + 1] - 1];
	if (!(g->call_out[block] || g->return_out[block]) || hd_sass_never(last))
		return;
	hd_sass_judge_boundary(j, state, g->begin[block + 1] - 1);
	if (j->options->assume & HD_SASS_ASSUME(CALL_SETTLED))
		hd_sass_clauses_add(&j->clauses, HD_SASS_ASSUME(CALL_SETTLED));
	else
		hd_sass_add_doubt(j->result, HD_SASS_DOUBT_CALL, g->begin[block + 1] - 1, g->begin[block + 1] - 1);
}

static void judge_all(hd_sass_analysis *a, hd_sass_judge *j)
{
	const hd_sass_graph *g = a->graph;
	uint64_t ended = a->state.ended;
	for (uint32_t b = 0; b < g->n; b++) {
		if (!g->reached[b])
			continue;
		hd_sass_state_begin(&a->state, &a->in[b]);
		for (uint32_t i = g->begin[b]; i < g->begin[b + 1]; i++) {
			hd_sass_state_wait(&a->state, i);
			hd_sass_judge_instruction(j, &a->state, i);
			hd_sass_state_issue(&a->state, i);
		}
		judge_boundary(j, &a->state, b);
	}
	j->result->by_counter = a->state.ended - ended;
	for (size_t i = 0; i < j->result->findings.n; i++)
		hd_sass_way_find(g, &j->result->findings.at[i]);
}

static void doubt_instructions(const hd_sass_code *code, hd_sass_result *r)
{
	if (!code->n)
		hd_sass_add_doubt(r, HD_SASS_DOUBT_EMPTY, 0, 0);
	for (uint32_t i = 0; i < code->n; i++)
		if (!code->at[i].row)
			hd_sass_add_doubt(r, HD_SASS_DOUBT_INSTRUCTION, i, i);
}

static void judge_function(const hd_sass_graph *g, const hd_sass_options *options, hd_sass_result *r)
{
	hd_sass_analysis a;
	hd_flow_graph flow = hd_sass_flow_of(g);
	hd_sass_judge *j = hd_xcalloc(1, sizeof *j);
	const hd_sass_observer *o = options->observer;
	hd_sass_analysis_init(&a, g, !o ? HD_SASS_FORGETS : o->cover ? HD_SASS_KEEPS : HD_SASS_REMEMBERS);
	*j = (hd_sass_judge){.graph = g, .latencies = a.latencies, .options = options, .result = r};
	if (hd_flow_spend(&flow, 0))
		judge_all(&a, j);
	r->needed = hd_sass_clauses_least(&j->clauses);
	hd_vec_free(&j->clauses.list);
	free(j);
	hd_sass_analysis_free(&a);
}

hd_sass_verdict hd_sass_check(const hd_sass_code *code, const hd_sass_options *options, hd_sass_result *r)
{
	uint64_t steps = options->steps ? options->steps : HD_SASS_STEPS;
	hd_sass_graph g;
	hd_sass_doubt_list doubts = {0};
	*r = (hd_sass_result){.instructions = code->n};
	doubt_instructions(code, r);
	hd_sass_graph_init(&g, code, &steps, &doubts);
	for (size_t i = 0; i < doubts.n; i++)
		hd_sass_add_doubt(r, doubts.at[i].kind, doubts.at[i].at, doubts.at[i].other);
	hd_vec_free(&doubts);
	r->blocks = g.n;
	if (steps && code->n)
		judge_function(&g, options, r);
	if (!steps)
		hd_sass_add_doubt(r, HD_SASS_DOUBT_WORK, 0, 0);
	hd_sass_graph_free(&g);
	r->verdict = r->n_findings ? HD_SASS_REFUTED : r->n_doubts ? HD_SASS_UNKNOWN : HD_SASS_PROVEN;
	return r->verdict;
}

void hd_sass_result_free(hd_sass_result *r)
{
	for (size_t i = 0; i < r->findings.n; i++)
		hd_vec_free(&r->findings.at[i].path);
	hd_vec_free(&r->findings);
	hd_vec_free(&r->doubts);
	*r = (hd_sass_result){0};
}
