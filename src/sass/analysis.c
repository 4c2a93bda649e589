#include "sass/analysis.h"

enum { STEPS_OF_STORING = 16 };

static void run(void *context, uint32_t block)
{
	hd_sass_analysis *a = context;
	hd_sass_state_begin(&a->state, &a->in[block]);
	for (uint32_t i = a->graph->begin[block]; i < a->graph->begin[block + 1]; i++) {
		hd_sass_state_wait(&a->state, i);
		hd_sass_state_issue(&a->state, i);
	}
	a->out.n = 0;
	hd_sass_state_end(&a->state, &a->out);
}

static bool join(void *context, uint32_t from, uint32_t to)
{
	hd_sass_analysis *a = context;
	hd_flow_graph flow = {.steps = a->graph->steps};
	bool first = !a->seen[to];
	size_t before = a->in[to].n;
	(void)from;
	a->seen[to] = true;
	bool changed = hd_sass_pending_join(&a->in[to], &a->out, a->state.keeping != HD_SASS_FORGETS);
	return hd_flow_spend(&flow, a->out.n + STEPS_OF_STORING * (a->in[to].n - before)) && (changed || first);
}

static bool begins(void *context, uint32_t block)
{
	hd_sass_analysis *a = context;
	return a->graph->entered[block];
}

void hd_sass_analysis_init(hd_sass_analysis *a, const hd_sass_graph *g, hd_sass_keeping keeping)
{
	hd_flow_graph flow = hd_sass_flow_of(g);
	*a = (hd_sass_analysis){.graph = g,
	                        .latencies = hd_sass_latencies_new(g->code->architecture),
	                        .in = hd_xcalloc((size_t)g->n + 1, sizeof *a->in),
	                        .seen = hd_xcalloc((size_t)g->n + 1, sizeof *a->seen)};
	hd_sass_state_init(&a->state, g, a->latencies, keeping);
	hd_flow_solve(&flow, &(hd_forward){.run = run, .join = join, .begins = begins, .analysis = a});
}

void hd_sass_analysis_free(hd_sass_analysis *a)
{
	for (uint32_t b = 0; b < a->graph->n; b++)
		hd_vec_free(&a->in[b]);
	free(a->in);
	free(a->seen);
	hd_vec_free(&a->out);
	hd_sass_state_free(&a->state);
	free(a->latencies);
}
