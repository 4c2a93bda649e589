#include "passes/analysis/recursion.h"

#include "passes/analysis/call_graph.h"

#define NOT_REACHED UINT32_MAX

/* A breadth-first search, so that it finds the shortest cycle. */
typedef struct search {
	uint32_t *caller;        /* by function: from which it was reached first */
	const hd_ir_inst **call; /* and by which call */
	uint32_t *queue;
} search;

/* Can `root` be reached from `root` by calls? */
static bool reaches_itself(const hd_call_graph *graph, uint32_t root, search *s)
{
	size_t head = 0, tail = 0;
	for (uint32_t i = 0; i < graph->functions; i++)
		s->caller[i] = NOT_REACHED;
	s->queue[tail++] = root;
	while (head < tail) {
		uint32_t f = s->queue[head++];
		for (size_t i = 0; i < graph->calls[f].n; i++) {
			hd_call c = graph->calls[f].at[i];
			if (s->caller[c.callee] != NOT_REACHED)
				continue;
			s->caller[c.callee] = f;
			s->call[c.callee] = c.inst;
			if (c.callee == root)
				return true;
			s->queue[tail++] = c.callee;
		}
	}
	return false;
}

/* Describes the calls from `root` back to it; the last one is the error's position. Uses the queue for the functions in reverse order. */
static void report(const hd_ir_module *module, uint32_t root, const search *s, const hd_pass_context *context)
{
	size_t n = 0;
	uint32_t at = root;
	do {
		s->queue[n++] = at;
		at = s->caller[at];
	} while (at != root);
	hd_text text = {0};
	hd_text_printf(&text, "'%s'", hd_ir_function_name(module->functions.at[root]));
	for (size_t i = n; i-- > 0;) {
		uint32_t callee = s->queue[i];
		hd_text_printf(&text, "%s calls %s'%s'", i + 1 < n ? ", which" : "",
		               s->call[callee]->callee < 0 ? "through a pointer what may be " : "",
		               hd_ir_function_name(module->functions.at[callee]));
	}
	const hd_ir_loc *loc = &s->call[root]->loc;
	const char *caller = module->functions.at[s->caller[root]]->name;
	const char *file = loc->line && loc->file < module->files.n ? module->files.at[loc->file] : caller;
	bool entry = context->machine->divergence_membership == HD_MEMBER_ENTRY;
	hd_error(context->diag, (hd_pos){.file = file, .line = loc->line, .column = loc->column},
	         "recursion: %s; with divergence.membership = %s, expected flag", text.at,
	         entry ? "entry no layout has all callers before their callees (RC-20)"
	               : "range activations of one subroutine cannot be told apart (RC-10)");
	hd_text_free(&text);
}

/* Is there a kernel from which no function that may recurse is reached? `recursive`: a bit a function. */
static bool any_kernel_is_free(const hd_ir_module *module, const hd_call_graph *graph, const hd_bits *recursive, search *s)
{
	for (uint32_t k = 0; k < graph->functions; k++) {
		bool free_of_it = module->functions.at[k]->kernel && !reaches_itself(graph, k, s);
		for (uint32_t f = 0; f < graph->functions; f++)
			free_of_it &= s->caller[f] == NOT_REACHED || !hd_bits_has(recursive, f);
		if (free_of_it)
			return true;
	}
	return false;
}

bool hd_refuse_recursion(const hd_ir_module *module, const hd_pass_context *context)
{
	size_t n = module->functions.n;
	bool ok = true;
	if (!hd_machine_members_by_address(context->machine))
		return true;
	hd_call_graph graph = hd_call_graph_new(module);
	search s = {hd_xcalloc(n + 1, sizeof *s.caller), hd_xcalloc(n + 1, sizeof *s.call), hd_xcalloc(n + 1, sizeof *s.queue)};
	hd_bits recursive = hd_bits_new(n + 1);
	for (uint32_t f = 0; f < n; f++)
		if (reaches_itself(&graph, f, &s))
			hd_bits_add(&recursive, f);
	uint32_t first = (uint32_t)hd_bits_next(&recursive, 0);
	if (first < n && !any_kernel_is_free(module, &graph, &recursive, &s)) {
		ok = false;
		reaches_itself(&graph, first, &s);
		report(module, first, &s, context);
	}
	hd_bits_free(&recursive);
	hd_call_graph_free(&graph);
	free(s.caller);
	free(s.call);
	free(s.queue);
	return ok;
}
