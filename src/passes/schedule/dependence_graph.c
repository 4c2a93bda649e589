#include "passes/schedule/dependence_graph.h"

#include "passes/analysis/latency_estimate.h"

enum {
	PHYSICAL_PREDICATE = 256,
	PHYSICAL = 264,
	MAX_READS = 31,  /* sources that get edges; only calls have more, and nothing moves over a call */
	BRANCH_LEAD = 3, /* cycles from the condition of a branch to its decision */
};

uint32_t hd_word_range(const hd_ir_function *f, const hd_opd *o, uint32_t *first)
{
	if (!hd_opd_is_register(o))
		return 0;
	if (!f->allocated) {
		*first = o->reg * 4 + o->sub;
		return o->kind == HD_OPD_PRED ? 1 : o->words;
	}
	if (o->kind == HD_OPD_PRED) {
		*first = PHYSICAL_PREDICATE + o->reg;
		return o->reg < HD_PREDS;
	}
	*first = o->reg + o->sub;
	return o->reg == HD_RZ ? 0 : o->words;
}

size_t hd_word_range_end(const hd_ir_function *f) { return f->allocated ? PHYSICAL : f->vregs.n * 4 + 4; }

/* Who wrote and read a word last. */
typedef struct word_state {
	uint32_t stamp;   /* of the block for which the rest is valid */
	uint32_t writer;  /* node + 1; 0 = none */
	uint32_t readers; /* since that write: a list in `reads`; 0 = none */
} word_state;

typedef struct read_link {
	uint32_t node, next;
} read_link;

struct hd_dependence_state {
	word_state *words;
	uint32_t stamp;
	HD_VEC(read_link) reads; /* reads.at[0] is no read */
	HD_VEC(uint32_t) memory; /* memory instructions since the last wall */
	uint32_t wall;           /* the last instruction that nothing moves over, or 0 */
	uint32_t side_effect;    /* the last instruction with a side effect since the wall, + 1 */
};

static word_state *word_at(struct hd_dependence_state *s, uint32_t word)
{
	word_state *found = &s->words[word];
	if (found->stamp != s->stamp)
		*found = (word_state){.stamp = s->stamp};
	return found;
}

static void add_edge(hd_dependence_graph *g, uint32_t from, uint32_t to, uint32_t latency)
{
	if (from == to)
		return;
	hd_vec_push(&g->edges, (hd_dependence_edge){to, latency, g->nodes.at[from].first_edge});
	g->nodes.at[from].first_edge = (uint32_t)g->edges.n - 1;
	g->nodes.at[to].predecessors++;
}

/* -- registers -------------------------------------------------------------------------------------------------------------------- */

static void add_read(hd_dependence_graph *g, uint32_t n, const hd_opd *o)
{
	uint32_t first = 0, words = hd_word_range(g->f, o, &first);
	for (uint32_t r = first; r < first + words; r++) {
		word_state *at = word_at(g->state, r);
		if (at->writer)
			add_edge(g, at->writer - 1, n, g->nodes.at[at->writer - 1].latency);
		hd_vec_push(&g->state->reads, (read_link){n, at->readers});
		at->readers = (uint32_t)g->state->reads.n - 1;
	}
}

static bool is_load(const hd_ir_inst *inst) { return hd_ir_info(inst->op)->flags & HD_OPF_VAR && inst->nd > 0; }

static void add_write(hd_dependence_graph *g, uint32_t n, const hd_opd *o)
{
	uint32_t first = 0, words = hd_word_range(g->f, o, &first);
	for (uint32_t r = first; r < first + words; r++) {
		word_state *at = word_at(g->state, r);
		/* Also under a guard: then the old value stays in other lanes, and this edge orders both writers. */
		if (at->writer)
			add_edge(g, at->writer - 1, n, 1);
		for (uint32_t k = at->readers; k; k = g->state->reads.at[k].next) {
			const hd_dependence_node *reader = &g->nodes.at[g->state->reads.at[k].node];
			uint32_t latency = is_load(reader->inst) ? reader->latency + g->machine->memory_l1_latency : 1;
			add_edge(g, g->state->reads.at[k].node, n, latency);
		}
		at->writer = n + 1;
		at->readers = 0;
	}
}

static void add_register_edges(hd_dependence_graph *g, uint32_t n)
{
	const hd_ir_inst *inst = g->nodes.at[n].inst;
	for (unsigned i = 0; i < inst->ns && i < MAX_READS; i++)
		add_read(g, n, &inst->s[i]);
	add_read(g, n, &inst->guard);
	for (unsigned i = 0; i < inst->nd; i++)
		add_write(g, n, &inst->d[i]);
}

/* -- memory and side effects ------------------------------------------------------------------------------------------------------ */

static bool is_wall(const hd_ir_inst *inst)
{
	return inst->op == HD_IR_CALLF || hd_ir_tells(inst) ||
	       (inst->op < HD_OP_COUNT && hd_ops[inst->op].flags & HD_OPF_FLOW && inst->op != HD_OP_BAR);
}

static bool is_plain_access(const hd_ir_inst *inst)
{
	const hd_op_info *row = hd_ir_info(inst->op);
	return hd_op_accesses(row) && !(row->flags & HD_OPF_ATOMIC);
}

/* Does it keep its order among its like and with all memory instructions? */
static bool is_ordered(const hd_ir_inst *inst)
{
	bool clock = inst->op == HD_OP_S2R && inst->sub >= HD_SREG_CLOCK;
	if (inst->op == HD_OP_BAR || inst->op == HD_OP_MEMBAR || clock)
		return true;
	return is_plain_access(inst) && inst->mod == HD_CACHE_VOLATILE;
}

static bool same_operand(const hd_opd *a, const hd_opd *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->sub == b->sub && a->words == b->words && a->imm == b->imm;
}

/* Can two memory instructions touch one byte? `redefined`: the base register of the earlier one was written in between. */
static bool may_alias(const hd_ir_inst *a, const hd_ir_inst *b, bool redefined)
{
	const hd_op_info *ra = hd_ir_info(a->op), *rb = hd_ir_info(b->op);
	hd_space sa = hd_op_space(ra), sb = hd_op_space(rb);
	if ((ra->flags | rb->flags) & HD_OPF_READONLY)
		return false;
	if (sa != HD_SPACE_NONE && sb != HD_SPACE_NONE && sa != sb)
		return false;
	if (redefined || sa != sb || !is_plain_access(a) || !is_plain_access(b) || !same_operand(&a->s[0], &b->s[0]))
		return true;
	int64_t first = a->offset, second = b->offset;
	return first < second + (int64_t)hd_size_bytes(b->sub) && second < first + (int64_t)hd_size_bytes(a->sub);
}

/* Was the base register of this memory instruction written after it? */
static bool base_redefined(hd_dependence_graph *g, uint32_t earlier)
{
	uint32_t first = 0, words = hd_word_range(g->f, &g->nodes.at[earlier].inst->s[0], &first);
	for (uint32_t r = first; r < first + words; r++) {
		if (word_at(g->state, r)->writer > earlier + 1)
			return true;
	}
	return false;
}

static void add_memory_edges(hd_dependence_graph *g, uint32_t n, bool ordered)
{
	struct hd_dependence_state *s = g->state;
	const hd_ir_inst *inst = g->nodes.at[n].inst;
	for (size_t i = s->memory.n; i-- > 0;) {
		uint32_t m = s->memory.at[i];
		const hd_ir_inst *earlier = g->nodes.at[m].inst;
		bool stores = (hd_ir_info(inst->op)->flags | hd_ir_info(earlier->op)->flags) & HD_OPF_STORE;
		if (ordered || is_ordered(earlier) || (stores && may_alias(earlier, inst, base_redefined(g, m))))
			add_edge(g, m, n, 1);
	}
	hd_vec_push(&s->memory, n);
}

static void add_order_edges(hd_dependence_graph *g, uint32_t n)
{
	struct hd_dependence_state *s = g->state;
	const hd_ir_inst *inst = g->nodes.at[n].inst;
	unsigned flags = hd_ir_info(inst->op)->flags;
	if (is_wall(inst)) {
		for (uint32_t i = s->wall; i < n; i++)
			add_edge(g, i, n, 1);
		s->wall = n;
		s->memory.n = 0;
		s->side_effect = n + 1;
		return;
	}
	if (s->wall || (n > 0 && is_wall(g->nodes.at[0].inst)))
		add_edge(g, s->wall, n, 1);
	bool ordered = is_ordered(inst);
	if (flags & HD_OPF_SIDE || ordered) {
		if (s->side_effect)
			add_edge(g, s->side_effect - 1, n, 1);
		s->side_effect = n + 1;
	}
	if (flags & HD_OPF_MEM || ordered)
		add_memory_edges(g, n, ordered);
}

/* -- the graph -------------------------------------------------------------------------------------------------------------------- */

static bool decides_branch(const hd_ir_block *block, const hd_ir_inst *inst)
{
	for (unsigned i = 0; block->term == HD_TERM_BRANCH && i < inst->nd; i++)
		if (inst->d[i].kind == HD_OPD_PRED && inst->d[i].reg == block->pred.reg)
			return true;
	return false;
}

static void find_heights(hd_dependence_graph *g, const hd_ir_block *block)
{
	for (size_t n = g->nodes.n; n-- > 0;) {
		hd_dependence_node *at = &g->nodes.at[n];
		/* The branch waits for its condition. */
		at->height = decides_branch(block, at->inst) ? at->latency + BRANCH_LEAD : 1;
		for (uint32_t e = at->first_edge; e; e = g->edges.at[e].next)
			at->height = hd_max_u32(at->height, g->edges.at[e].latency + g->nodes.at[g->edges.at[e].to].height);
	}
}

void hd_dependence_graph_build(hd_dependence_graph *g, const hd_ir_block *block)
{
	struct hd_dependence_state *s = g->state;
	s->stamp++;
	g->nodes.n = g->edges.n = s->reads.n = s->memory.n = 0;
	s->wall = s->side_effect = 0;
	hd_vec_push(&g->edges, (hd_dependence_edge){0});
	hd_vec_push(&s->reads, (read_link){0});
	for (size_t i = 0; i < block->insts.n; i++) {
		hd_ir_inst *inst = block->insts.at[i];
		hd_dependence_node node = {.inst = inst, .latency = hd_expected_latency(g->machine, inst->op)};
		node.pipe = inst->op < HD_OP_COUNT ? (uint8_t)hd_machine_op_pipe(g->machine, inst->op) : HD_PIPE_NONE;
		hd_vec_push(&g->nodes, node);
	}
	for (uint32_t n = 0; n < g->nodes.n; n++) {
		add_order_edges(g, n);
		add_register_edges(g, n);
	}
	find_heights(g, block);
}

hd_dependence_graph hd_dependence_graph_new(const hd_ir_function *f, const hd_machine *machine)
{
	hd_dependence_graph g = {.machine = machine, .f = f, .state = hd_xcalloc(1, sizeof *g.state)};
	g.state->words = hd_xcalloc(hd_word_range_end(f), sizeof *g.state->words);
	return g;
}

void hd_dependence_graph_free(hd_dependence_graph *g)
{
	hd_vec_free(&g->nodes);
	hd_vec_free(&g->edges);
	hd_vec_free(&g->state->reads);
	hd_vec_free(&g->state->memory);
	free(g->state->words);
	free(g->state);
	*g = (hd_dependence_graph){0};
}
