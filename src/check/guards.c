/* A forward analysis of predicates, for each lane by itself. A lane goes along logical edges, and these are edges of the physical graph. The other
 * physical edges only remove knowledge.
 *
 *   X1  A predicate and its negation exclude each other.
 *   X2  Take two predicates of unguarded comparisons of one kind with the same operands, which do not change between the two. Both values follow from
 *       one outcome. The outcome of integers is equal, or less or greater for each of signed and unsigned. The outcome of floats is less, equal,
 *       greater or unordered (a NaN). Two literals exclude each other when no outcome satisfies both. They still do after the operands change.
 *   X3  A write of a predicate, guarded or not, ends all that is known of the predicate. A write of an operand's register ends the link between the
 *       predicate and its comparison.
 *   X4  Nothing is known behind a call and at the beginning of a function.
 *   X5  Where paths meet, only what is known on all of them stays known. */
#include "check/guards.h"

#include "check/forward.h"

static unsigned literal(const hd_inst *inst) { return 2u * inst->guard + inst->guard_neg; }

/* The bits of the outcomes for which a comparison is true. `*all` receives the bits of all possible outcomes. */
static unsigned outcomes(const hd_inst *inst, unsigned *all)
{
	/* equal 1; less and lower 2; less and higher 4; greater and lower 8; greater and higher 16 */
	static const uint8_t integer[HD_CMP_COUNT] = {
	    [HD_CMP_EQ] = 1,  [HD_CMP_NE] = 30, [HD_CMP_LT] = 6,  [HD_CMP_LE] = 7,  [HD_CMP_GT] = 24,
	    [HD_CMP_GE] = 25, [HD_CMP_LO] = 10, [HD_CMP_LS] = 11, [HD_CMP_HI] = 20, [HD_CMP_HS] = 21,
	};
	/* equal 1, less 2, greater 4, unordered 8 */
	static const uint8_t floating[HD_CMP_COUNT] = {
	    [HD_CMP_EQ] = 1,   [HD_CMP_NE] = 6,   [HD_CMP_LT] = 2,   [HD_CMP_LE] = 3,   [HD_CMP_GT] = 4,   [HD_CMP_GE] = 5,  [HD_CMP_EQU] = 9,
	    [HD_CMP_NEU] = 14, [HD_CMP_LTU] = 10, [HD_CMP_LEU] = 11, [HD_CMP_GTU] = 12, [HD_CMP_GEU] = 13, [HD_CMP_NUM] = 7, [HD_CMP_NAN] = 8,
	};
	bool is_float = inst->op == HD_OP_FSETP || inst->op == HD_OP_DSETP;
	*all = is_float ? 15 : 31;
	return is_float ? floating[inst->sub] : integer[inst->sub];
}

static bool same_operands(const hd_inst *a, const hd_inst *b)
{
	return a->op == b->op && a->ksel == b->ksel && a->a == b->a && a->b == b->b && a->imm == b->imm;
}

static void exclude(hd_guards *g, unsigned a, unsigned b)
{
	g->excludes[a] |= (uint16_t)(1u << b);
	g->excludes[b] |= (uint16_t)(1u << a);
}

/* X2: comparison x makes predicate p, comparison y makes predicate q. */
static void relate(hd_guards *g, unsigned p, const hd_inst *x, unsigned q, const hd_inst *y)
{
	unsigned all, px = outcomes(x, &all), qy = outcomes(y, &all);
	for (unsigned negated = 0; negated < 4; negated++) {
		unsigned first = negated & 1 ? all & ~px : px, second = negated & 2 ? all & ~qy : qy;
		if (!(first & second))
			exclude(g, 2 * p + (negated & 1), 2 * q + (negated >> 1));
	}
}

/* X3 */
static void forget_predicate(hd_guards *g, unsigned p)
{
	g->compared[p] = 0;
	g->excludes[2 * p] = g->excludes[2 * p + 1] = 0;
	for (unsigned l = 0; l < HD_LITERALS; l++)
		g->excludes[l] &= (uint16_t) ~(3u << 2 * p);
}

static void forget_operand(hd_guards *g, const hd_code_graph *graph, const hd_use *written)
{
	for (unsigned p = 0; p < HD_PREDS; p++) {
		hd_use uses[HD_MAX_USES];
		if (!g->compared[p])
			continue;
		for (unsigned n = hd_inst_reads(&graph->insts[g->compared[p]], uses); n-- > 0;) {
			if (uses[n].words && uses[n].reg < written->reg + written->words && written->reg < uses[n].reg + uses[n].words)
				g->compared[p] = 0;
		}
	}
}

void hd_guards_step(hd_guards *g, const hd_code_graph *graph, uint32_t word)
{
	const hd_inst *inst = &graph->insts[word];
	hd_use uses[HD_MAX_USES];
	if ((inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX) && !hd_is_never(inst)) { /* X4 */
		*g = (hd_guards){.reached = g->reached};
		return;
	}
	for (unsigned n = hd_inst_writes(inst, uses); n-- > 0;) {
		if (uses[n].words)
			forget_operand(g, graph, &uses[n]);
		else
			forget_predicate(g, uses[n].reg);
	}
	if (hd_ops[inst->op].format != HD_F_SETP || inst->d >= HD_PREDS || !hd_is_unguarded(inst))
		return;
	for (unsigned q = 0; q < HD_PREDS; q++) {
		const hd_inst *other = &graph->insts[g->compared[q]];
		if (g->compared[q] && same_operands(inst, other))
			relate(g, inst->d, inst, q, other);
	}
	g->compared[inst->d] = word;
}

/* X5. Returns true when `in` changed. */
static bool join_guards(hd_guards *in, const hd_guards *out, const hd_code_graph *graph)
{
	bool changed = false;
	if (!in->reached) {
		*in = *out;
		return true;
	}
	for (unsigned p = 0; p < HD_PREDS; p++) {
		const hd_inst *a = &graph->insts[in->compared[p]], *b = &graph->insts[out->compared[p]];
		if (!in->compared[p] || (out->compared[p] && same_operands(a, b) && a->sub == b->sub))
			continue;
		in->compared[p] = 0;
		changed = true;
	}
	for (unsigned l = 0; l < HD_LITERALS; l++) {
		changed |= (in->excludes[l] & ~out->excludes[l]) != 0;
		in->excludes[l] &= out->excludes[l];
	}
	return changed;
}

/* X4. A block to which no edge leads begins without knowledge, too. */
static void mark_entries(const hd_code_graph *graph, hd_guards *in)
{
	const hd_object *object = graph->object;
	bool *entered = hd_xcalloc((size_t)graph->n + 1, sizeof *entered);
	for (uint32_t s = 0; s < graph->n_succ; s++)
		entered[graph->succ[s]] = true;
	for (uint32_t b = 0; b < graph->n; b++)
		in[b].reached = !entered[b];
	for (size_t i = 0; i < object->functions.n; i++)
		in[hd_function_entry(graph, i)].reached = true;
	for (size_t i = 0; i < object->kernels.n; i++)
		in[hd_block_at(graph, object->kernels.at[i].entry)].reached = true;
	free(entered);
}

typedef struct guards_analysis {
	const hd_code_graph *graph;
	hd_guards *in; /* by block: at its beginning */
	hd_guards out; /* at the end of the block that ran last */
} guards_analysis;

static bool begins(void *analysis, uint32_t block)
{
	const guards_analysis *a = analysis;
	return a->in[block].reached;
}

static void run(void *analysis, uint32_t block)
{
	guards_analysis *a = analysis;
	const hd_code_graph *g = a->graph;
	hd_spend_steps(g, HD_LITERALS + g->begin[block + 1] - g->begin[block]);
	a->out = a->in[block];
	for (uint32_t word = g->begin[block]; word < g->begin[block + 1]; word++) {
		if (!hd_is_scheduling_word(g, word))
			hd_guards_step(&a->out, g, word);
	}
}

static bool join(void *analysis, uint32_t from, uint32_t to)
{
	(void)from;
	guards_analysis *a = analysis;
	return join_guards(&a->in[to], &a->out, a->graph);
}

hd_guards *hd_guards_new(const hd_code_graph *graph)
{
	guards_analysis a = {.graph = graph, .in = hd_xcalloc((size_t)graph->n + 1, sizeof *a.in)};
	mark_entries(graph, a.in);
	hd_forward_solve(graph, &(hd_forward){.run = run, .join = join, .begins = begins, .analysis = &a});
	return a.in;
}

bool hd_guards_exclude(const hd_guards *g, const hd_inst *a, const hd_inst *b)
{
	if (a->guard >= HD_PREDS || b->guard >= HD_PREDS || !g->reached)
		return false;
	unsigned l = literal(a), m = literal(b);
	return l == (m ^ 1) || (g->excludes[l] >> m & 1); /* X1 */
}
