#include "launch/first_bars.h"

/* The nodes of the graph: the words of the program, then a node for the indirect branches of each function, for those outside of all functions, and
 * for all indirect calls. With these nodes the graph has few edges, however many targets there are. */
typedef struct bar_graph {
	const hd_program *program;
	uint32_t nodes, calls; /* `calls`: the node of indirect calls */
	uint32_t *first;       /* by node: its first entry of `from`; nodes + 1 */
	uint32_t *from;        /* the nodes before each node */
	bool counting;         /* edges are only counted, in first[to + 1] */
} bar_graph;

static bool is_bar(const hd_slot *slot) { return !slot->is_ss && slot->inst.op == HD_OP_BAR && !hd_is_never(&slot->inst); }

static void add_edge(bar_graph *g, uint32_t from, uint32_t to)
{
	if (g->counting)
		g->first[to + 1]++;
	else
		g->from[g->first[to]++] = from;
}

static uint32_t branches_of(const bar_graph *g, uint32_t word)
{
	const hd_object *object = g->program->object;
	const hd_function *function = hd_object_function(object, word);
	return g->program->n_slots + (uint32_t)(function ? (size_t)(function - object->functions.at) : object->functions.n);
}

static void add_edges_of(bar_graph *g, uint32_t word)
{
	const hd_inst *inst = &g->program->slots[word].inst;
	uint32_t next = hd_object_after(g->program->object, word);
	if (hd_falls_through(inst) && next < g->program->n_slots)
		add_edge(g, word, next);
	if (hd_is_never(inst))
		return;
	switch (inst->op) {
	case HD_OP_BRA:
	case HD_OP_BRK:
	case HD_OP_CALL:
		if ((uint32_t)inst->imm < g->program->n_slots)
			add_edge(g, word, (uint32_t)inst->imm);
		break;
	case HD_OP_BRX:
		add_edge(g, word, branches_of(g, word));
		break;
	case HD_OP_CALLX:
		add_edge(g, word, g->calls);
		break;
	default:
		break;
	}
}

static void add_edges(bar_graph *g)
{
	const hd_object *object = g->program->object;
	for (uint32_t word = 0; word < g->program->n_slots; word++)
		if (!g->program->slots[word].is_ss)
			add_edges_of(g, word);
	for (size_t i = 0; i < object->targets.n; i++) {
		uint32_t target = object->targets.at[i];
		if (target >= g->program->n_slots)
			continue;
		add_edge(g, branches_of(g, target), target);
		if (hd_object_indirect_target(object, target, target, true))
			add_edge(g, g->calls, target);
	}
}

static void build(bar_graph *g)
{
	g->calls = g->program->n_slots + (uint32_t)g->program->object->functions.n + 1;
	g->nodes = g->calls + 1;
	g->first = hd_xcalloc((size_t)g->nodes + 1, sizeof *g->first);
	g->counting = true;
	add_edges(g);
	for (uint32_t node = 0; node < g->nodes; node++)
		g->first[node + 1] += g->first[node];
	g->from = hd_xcalloc((size_t)g->first[g->nodes] + 1, sizeof *g->from);
	g->counting = false;
	add_edges(g); /* moves each first[node] to the end of the node's entries, where the next node's begin */
	memmove(g->first + 1, g->first, g->nodes * sizeof *g->first);
	g->first[0] = 0;
}

/* From each `bar` backward, the lowest first: what is reached is reached by the lowest. A `bar` that all lanes execute hides those behind it. */
static void spread(const bar_graph *g, uint32_t bar, uint32_t *first_bar, uint32_t *stack)
{
	uint32_t n = 0;
	stack[n++] = bar;
	first_bar[bar] = bar;
	while (n) {
		uint32_t node = stack[--n];
		for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++) {
			uint32_t before = g->from[i];
			bool hides = before < g->program->n_slots && is_bar(&g->program->slots[before]) && hd_is_unguarded(&g->program->slots[before].inst);
			if (hides || first_bar[before] != HD_NO_BAR)
				continue;
			first_bar[before] = bar;
			stack[n++] = before;
		}
	}
}

uint32_t *hd_first_bars_new(const hd_program *program)
{
	bar_graph g = {.program = program};
	uint32_t bar = 0;
	while (bar < program->n_slots && !is_bar(&program->slots[bar]))
		bar++;
	if (bar == program->n_slots)
		return NULL;
	build(&g);
	size_t n = (size_t)g.nodes + HD_LINE_WORDS; /* a line more: a PC may be behind the end of the code until that is noticed */
	uint32_t *first_bar = hd_xcalloc(n, sizeof *first_bar), *stack = hd_xcalloc(n, sizeof *stack);
	memset(first_bar, 0xff, n * sizeof *first_bar);
	for (; bar < program->n_slots; bar++)
		if (is_bar(&program->slots[bar]) && first_bar[bar] == HD_NO_BAR)
			spread(&g, bar, first_bar, stack);
	free(stack);
	free(g.from);
	free(g.first);
	return first_bar;
}

void hd_first_bars_explain(const hd_program *program, uint32_t pc, uint32_t lanes, uint32_t waiting, uint32_t where, hd_text *out)
{
	hd_text_printf(out, "  lanes 0x%08x of the warp come to the barrier of the CTA at ", lanes);
	hd_program_print_place(program, pc, out);
	hd_text_printf(out, " while lanes 0x%08x wait at ", waiting);
	hd_program_print_place(program, where, out);
	hd_text_printf(out, ", from where they can come to ");
	if (program->first_bars[where] == pc)
		hd_text_printf(out, "the same barrier");
	else
		hd_text_printf(out, "the barrier at ");
	if (program->first_bars[where] != pc)
		hd_program_print_place(program, program->first_bars[where], out);
	hd_text_printf(
	    out, "\n  The lowest address goes first, and a barrier counts warps, so it would let go without them. It must stand behind all code "
	         "that leads to it, as the compiler places it (compile.layout = least).\n");
}
