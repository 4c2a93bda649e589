#include "passes/analysis/call_graph.h"

int32_t hd_callee(const hd_ir_inst *inst)
{
	if (inst->op == HD_OP_CALLX)
		return HD_INDIRECT_CALL;
	return inst->op == HD_IR_CALLF || inst->op == HD_OP_CALL ? inst->callee : HD_NO_CALL;
}

static void add_calls(hd_call_graph *graph, const hd_ir_module *module, uint32_t caller, const hd_ir_inst *inst)
{
	int32_t callee = hd_callee(inst);
	if (callee >= 0)
		hd_vec_push(&graph->calls[caller], (hd_call){(uint32_t)callee, inst});
	for (uint32_t f = 0; callee == HD_INDIRECT_CALL && f < graph->functions; f++)
		if (module->functions.at[f]->address_taken)
			hd_vec_push(&graph->calls[caller], (hd_call){f, inst});
}

hd_call_graph hd_call_graph_new(const hd_ir_module *module)
{
	hd_call_graph graph = {.functions = (uint32_t)module->functions.n};
	graph.calls = hd_xcalloc((size_t)graph.functions + 1, sizeof *graph.calls);
	for (uint32_t f = 0; f < graph.functions; f++) {
		const hd_ir_function *function = module->functions.at[f];
		for (size_t b = 0; b < function->blocks.n; b++)
			for (size_t i = 0; i < function->blocks.at[b]->insts.n; i++)
				add_calls(&graph, module, f, function->blocks.at[b]->insts.at[i]);
	}
	return graph;
}

void hd_call_graph_free(hd_call_graph *graph)
{
	for (uint32_t f = 0; f < graph->functions; f++)
		hd_vec_free(&graph->calls[f]);
	free(graph->calls);
	*graph = (hd_call_graph){0};
}

typedef enum visit { NEW, ON_PATH, DONE } visit;

typedef struct path_entry {
	uint32_t function;
	size_t next_call;
} path_entry;

typedef struct walker {
	const hd_call_graph *graph;
	uint8_t *visit; /* of each function */
	bool *recursive;
	uint32_t *order;
	uint32_t n;
	bool indirect; /* indirect calls count */
	HD_VEC(path_entry) path;
} walker;

/* `callee` is on the path: it and everything behind it on the path are in a cycle. */
static void mark_cycle(walker *w, uint32_t callee)
{
	for (size_t i = w->path.n; i-- > 0;) {
		w->recursive[w->path.at[i].function] = true;
		if (w->path.at[i].function == callee)
			break;
	}
}

/* Depth first, without recursion: chains of calls can be long. */
static void visit_function(walker *w, uint32_t root)
{
	if (w->visit[root] != NEW)
		return;
	w->visit[root] = ON_PATH;
	hd_vec_push(&w->path, (path_entry){root, 0});
	while (w->path.n) {
		path_entry *top = &w->path.at[w->path.n - 1];
		if (top->next_call == w->graph->calls[top->function].n) {
			w->visit[top->function] = DONE;
			w->order[w->n++] = top->function;
			w->path.n--;
			continue;
		}
		const hd_call *call = &w->graph->calls[top->function].at[top->next_call++];
		if (hd_callee(call->inst) == HD_INDIRECT_CALL && !w->indirect)
			continue;
		if (w->visit[call->callee] == NEW) {
			w->visit[call->callee] = ON_PATH;
			hd_vec_push(&w->path, (path_entry){call->callee, 0});
		} else if (w->visit[call->callee] == ON_PATH) {
			mark_cycle(w, call->callee);
		}
	}
}

static uint32_t *order_calls(const hd_ir_module *module, bool indirect, bool **recursive)
{
	size_t n = module->functions.n;
	hd_call_graph graph = hd_call_graph_new(module);
	walker w = {.graph = &graph,
	            .indirect = indirect,
	            .visit = hd_xcalloc(n + 1, 1),
	            .recursive = hd_xcalloc(n + 1, sizeof(bool)),
	            .order = hd_xcalloc(n + 1, sizeof(uint32_t))};
	for (uint32_t f = 0; f < n; f++)
		visit_function(&w, f);
	free(w.visit);
	hd_vec_free(&w.path);
	hd_call_graph_free(&graph);
	*recursive = w.recursive;
	return w.order;
}

uint32_t *hd_call_order(const hd_ir_module *module, bool **recursive) { return order_calls(module, false, recursive); }

uint32_t *hd_callers_first(const hd_ir_module *module)
{
	size_t n = module->functions.n;
	bool *recursive;
	uint32_t *order = order_calls(module, true, &recursive);
	free(recursive);
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t other = order[i];
		order[i] = order[n - 1 - i];
		order[n - 1 - i] = other;
	}
	return order;
}
