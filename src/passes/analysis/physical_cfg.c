#include "passes/analysis/physical_cfg.h"

enum { FEW = 32 /* resume points of a range that has edges of its own to each */ };

static bool ends_with(const hd_ir_block *block, unsigned op) { return block->insts.n && block->insts.at[block->insts.n - 1]->op == op; }

/* With convergence barriers other lanes may run behind the block. */
static bool ends_at_barrier(const hd_ir_block *block, const hd_machine *machine)
{
	return machine->divergence_mode == HD_DIV_BARRIERS &&
	       (ends_with(block, HD_OP_BSYNC) || ends_with(block, HD_OP_YIELD) || ends_with(block, HD_OP_BAR));
}

/* True when lanes may wait at the block behind this one while others run. With the stack a divergent branch leaves either side behind (RC-16). Behind
 * a guarded `exit` or `brk`, and where control only falls through, the lanes that are left go on. With convergence barriers the next block may be a
 * `bar`. */
static bool next_may_wait(const hd_ir_block *block, const hd_machine *machine)
{
	if (machine->divergence_mode != HD_DIV_STACK)
		return machine->divergence_mode == HD_DIV_BARRIERS;
	return block->succ.n > 1 && !ends_with(block, HD_OP_EXIT) && !ends_with(block, HD_OP_BRK);
}

/* Blocks at whose start parked threads can wait: targets of forward branches and jumps over a block, the block behind a backward branch (RC-3, RC-4,
 * RC-5), the block behind a `wsync`, `sync`, `bsync` or `yield` (RC-16), and a block with the flag of a token (RC-21). Lanes that gather at a `bar`
 * wait at its block, to which the one before it leads.
 */
static hd_bits resume_points(const hd_ir_function *f, const hd_machine *machine)
{
	hd_bits resume = hd_bits_new(f->blocks.n + 1);
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		const hd_ir_block *block = f->blocks.at[b];
		if (block->meets)
			hd_bits_add(&resume, b);
		bool next =
		    ends_with(block, HD_OP_SYNC) || ends_with(block, HD_OP_BSYNC) || ends_with(block, HD_OP_YIELD) || ends_with(block, HD_OP_WSYNC);
		for (size_t i = 0; i < block->succ.n; i++) {
			if (block->succ.at[i] > b + 1)
				hd_bits_add(&resume, block->succ.at[i]);
			else
				next = next || block->succ.at[i] <= b || next_may_wait(block, machine);
		}
		if (next)
			hd_bits_add(&resume, b + 1);
	}
	return resume;
}

typedef HD_VEC(uint32_t) node_list;

typedef struct builder {
	const hd_ir_function *f;
	const hd_machine *machine;
	hd_physical_cfg *graph;
	uint32_t *points, n;   /* the resume points, ascending */
	uint32_t *points_from; /* of each block and of the end: how many resume points lie before it */
	bool syncs;            /* lanes wait at a `wsync` in the function; they go on when others come or exit, wherever that is */
	uint32_t leaves;       /* of the tree: n rounded up to a power of two; 0 = there is no tree */
	node_list to;
} builder;

/* Node k of the tree, from 1 on, leads to nodes 2k and 2k + 1; from `leaves` on a node is a resume point. */
static uint32_t tree_node(const builder *b, uint32_t k) { return k < b->leaves ? b->graph->blocks + k - 1 : b->points[k - b->leaves]; }

/* Adds edges to the resume points with numbers from `lo` to before `hi`. */
static void add_range(builder *b, uint32_t lo, uint32_t hi)
{
	if (hi - lo <= FEW) {
		for (uint32_t i = lo; i < hi; i++)
			hd_vec_push(&b->to, b->points[i]);
		return;
	}
	for (lo += b->leaves, hi += b->leaves; lo < hi; lo /= 2, hi /= 2) {
		if (lo & 1)
			hd_vec_push(&b->to, tree_node(b, lo++));
		if (hi & 1)
			hd_vec_push(&b->to, tree_node(b, --hi));
	}
}

static int compare_nodes(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return a < b ? -1 : a > b;
}

/* Sorts the edges from `first` on and drops double ones. */
static void finish_edges(builder *b, size_t first)
{
	size_t kept = first;
	if (b->to.n > first + 1)
		qsort(b->to.at + first, b->to.n - first, sizeof *b->to.at, compare_nodes);
	for (size_t i = first; i < b->to.n; i++)
		if (kept == first || b->to.at[kept - 1] != b->to.at[i])
			b->to.at[kept++] = b->to.at[i];
	b->to.n = kept;
}

/* Adds the resume points among the blocks from `from` to before `to`; returns how many there are. */
static uint32_t add_resume_points(builder *b, uint32_t from, uint32_t to)
{
	uint32_t lo = b->points_from[from], hi = b->points_from[to];
	if (from >= to)
		return 0;
	add_range(b, lo, hi);
	return hi - lo;
}

static void add_successors(builder *b, uint32_t number)
{
	const hd_ir_block *block = b->f->blocks.at[number];
	uint32_t n = (uint32_t)b->f->blocks.n, furthest = number; /* resume points before this block can come first */
	bool ends = block->term == HD_TERM_EXIT || block->term == HD_TERM_RET || ends_with(block, HD_OP_EXIT);
	bool meets = false; /* control goes to a flag, where it may change sides (RC-21) */
	for (size_t i = 0; i < block->succ.n; i++) {
		meets |= b->f->blocks.at[block->succ.at[i]]->meets;
		hd_vec_push(&b->to, block->succ.at[i]);
		furthest = hd_max_u32(furthest, block->succ.at[i]);
	}
	/* A baseline (RC-16) may take up any side that waits, wherever it lies. */
	bool stack = b->machine->divergence_mode == HD_DIV_STACK && (ends_with(block, HD_OP_SYNC) || ends_with(block, HD_OP_BRK));
	bool others = (ends && (b->syncs || b->machine->divergence_mode != HD_DIV_RESUME)) || ends_with(block, HD_OP_WSYNC);
	if (stack || meets || others || ends_at_barrier(block, b->machine))
		b->graph->resume_points[number] = add_resume_points(b, 0, n);
	/* A warp whose lanes stop looping at a backward branch goes on at the next address. */
	else
		b->graph->resume_points[number] = add_resume_points(b, number + 1, ends ? n : furthest);
}

static void find_points(builder *b)
{
	uint32_t n = b->graph->blocks;
	hd_bits resume = resume_points(b->f, b->machine);
	b->points = hd_xcalloc((size_t)n + 1, sizeof *b->points);
	b->points_from = hd_xcalloc((size_t)n + 2, sizeof *b->points_from);
	for (uint32_t i = 0; i < n; i++) {
		b->points_from[i] = b->n;
		if (hd_bits_has(&resume, i))
			b->points[b->n++] = i;
	}
	b->points_from[n] = b->n;
	for (b->leaves = b->n > FEW ? 1 : 0; b->leaves && b->leaves < b->n; b->leaves *= 2)
		;
	hd_bits_free(&resume);
}

/* The order so far. */
typedef struct sequence {
	uint32_t *at;
	size_t n;
	uint32_t next_block;
} sequence;

static void append_blocks(sequence *s, uint32_t end)
{
	while (s->next_block < end)
		s->at[s->n++] = s->next_block++;
}

/* Appends node k of the tree, which leads to `size` places from resume point `first` on, behind all blocks before that point; then its halves. */
static void append_tree(const builder *b, sequence *s, uint32_t k, uint32_t first, uint32_t size)
{
	if (size == 1)
		return;
	if (first < b->n) /* otherwise the node leads nowhere */
		append_blocks(s, b->points[first]);
	s->at[s->n++] = tree_node(b, k);
	append_tree(b, s, 2 * k, first, size / 2);
	append_tree(b, s, 2 * k + 1, first + size / 2, size / 2);
}

static void find_order(builder *b)
{
	hd_physical_cfg *g = b->graph;
	sequence s = {.at = g->order};
	if (b->leaves)
		append_tree(b, &s, 1, 0, b->leaves);
	append_blocks(&s, g->blocks);
	for (uint32_t i = 0; i < g->nodes; i++)
		g->place[g->order[i]] = i;
}

static void add_tree_edges(builder *b)
{
	for (uint32_t k = 1; k < b->leaves; k++) {
		size_t first = b->to.n;
		b->graph->first_edge[tree_node(b, k)] = (uint32_t)first;
		for (uint32_t half = 2 * k; half < 2 * k + 2; half++) {
			uint32_t leaf = half;
			while (leaf < b->leaves)
				leaf *= 2;
			if (leaf - b->leaves < b->n)
				hd_vec_push(&b->to, tree_node(b, half));
		}
		finish_edges(b, first);
	}
}

hd_physical_cfg hd_physical_cfg_new(const hd_ir_function *f, const hd_machine *machine)
{
	hd_physical_cfg g = {.blocks = (uint32_t)f->blocks.n};
	builder b = {.f = f, .machine = machine, .graph = &g};
	for (uint32_t i = 0; i < g.blocks; i++)
		b.syncs |= ends_with(f->blocks.at[i], HD_OP_WSYNC);
	find_points(&b);
	g.nodes = g.blocks + (b.leaves ? b.leaves - 1 : 0);
	g.first_edge = hd_xcalloc((size_t)g.nodes + 1, sizeof *g.first_edge);
	g.order = hd_xcalloc((size_t)g.nodes + 1, sizeof *g.order);
	g.place = hd_xcalloc((size_t)g.nodes + 1, sizeof *g.place);
	g.resume_points = hd_xcalloc((size_t)g.blocks + 1, sizeof *g.resume_points);
	for (uint32_t i = 0; i < g.blocks; i++) {
		g.first_edge[i] = (uint32_t)b.to.n;
		add_successors(&b, i);
		finish_edges(&b, g.first_edge[i]);
	}
	add_tree_edges(&b);
	g.first_edge[g.nodes] = (uint32_t)b.to.n;
	g.to = b.to.at;
	find_order(&b);
	free(b.points);
	free(b.points_from);
	return g;
}

void hd_physical_cfg_free(hd_physical_cfg *graph)
{
	free(graph->first_edge);
	free(graph->to);
	free(graph->order);
	free(graph->place);
	free(graph->resume_points);
	*graph = (hd_physical_cfg){0};
}
