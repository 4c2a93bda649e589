/* A forward may-analysis on the physical control-flow graph.
 *
 *  1. The fact at a point: for each earlier instruction P, the pipes whose next instruction may come before P's write, and those whose next may come
 *     before P's reads. Those accesses of P are called open for these pipes (open_accesses.h).
 *  2. An instruction opens its accesses for all pipes when it issues.
 *  3. A consumer that waits for P closes P's accesses for its own pipe, because its queue keeps the order; where the wait happens in the decoder or
 *     in the flow unit, for all pipes.
 *  4. A wait for P's write also closes the writes of instructions that entered P's pipe before P, where latencies are fixed (HZ-25).
 *  5. A branch waits for all that is open where that keeps the analysis small: where more than MAX_OPEN instructions are open, and where parked
 *     threads may make the warp go on at more than MAX_RESUME_POINTS places. So the work of a block is bounded, whatever the function's size.
 *  6. After the fixed point, each block is run once more to record the hazards, and once more for what may be outstanding at them. */
#include "passes/analysis/hazards.h"

#include "passes/analysis/open_accesses.h"

enum {
	MAX_OPEN = 256,          /* instructions with open accesses at a branch */
	MAX_RESUME_POINTS = 128, /* at which a warp may go on behind a branch or exit that does not wait */
	MAX_OUTSTANDING = 1024,  /* the latest open instructions, which a consumer may have to wait for without need */
};

typedef enum record { RECORD_NOTHING, RECORD_EDGES, RECORD_OUTSTANDING } record;

typedef struct finder {
	hd_hazards *h;
	const hd_machine *machine;
	hd_open_set *entry; /* of each node of the graph */
	hd_open_set end;    /* of the block that was run last */
	hd_open_accesses open;
	bool *flushes; /* of each instruction: a branch that waits for all that is open */
	record recording;
	HD_VEC(hd_hazard) needed; /* by the current consumer, in the order of comes_first */
} finder;

static bool enforced_by_delay(const hd_machine *m, const hd_resource_use *p, const hd_resource_use *c)
{
	return p->pipe == c->pipe && !p->variable && p->delay_latency <= HD_MAX_DELAY && !hd_machine_within_pipeline(m);
}

/* Pipes for which a wait of `c` for the producer's counter holds: all if the flow unit waits, or if the decoder does and sends nothing past it
 * (MI-2). */
static uint16_t pipes_behind_wait(const finder *f, uint32_t producer, const hd_resource_use *c)
{
	bool decoder = hd_machine_high_latency(f->machine, (hd_class)f->h->uses[producer].klass);
	return (decoder && !hd_machine_passes_waits(f->machine)) || c->pipe == HD_PIPE_FLOW ? HD_ALL_PIPES : (uint16_t)(1u << c->pipe);
}

/* The consumer waits for the producer. */
static void close_accesses(finder *f, uint32_t producer, bool by_read, uint32_t consumer)
{
	const hd_resource_use *p = &f->h->uses[producer];
	uint16_t closed = pipes_behind_wait(f, producer, &f->h->uses[consumer]);
	f->open.reads[producer] &= (uint16_t)~closed;
	if (!by_read)
		f->open.writes[producer] &= (uint16_t)~closed;
	if (f->h->block[producer] != f->h->block[consumer] || producer >= consumer)
		return;
	/* A guarded producer may be dropped (HZ-16). Its counter then falls when it leaves the queue, which is before older results are written. */
	bool certain = f->h->insts[producer]->guard.kind == HD_OPD_NONE;
	const hd_inst_list *same_pipe = hd_open_of_pipe(&f->open, p->pipe);
	for (size_t i = 0; i < same_pipe->n; i++) {
		uint32_t older = same_pipe->at[i];
		const hd_resource_use *o = &f->h->uses[older];
		if (older > producer && older < consumer)
			continue;
		f->open.reads[older] &= (uint16_t)~closed;
		if (!by_read && certain && !o->variable && o->latency <= p->latency + 1u)
			f->open.writes[older] &= (uint16_t)~closed;
	}
}

/* The order in which a consumer's hazards are looked at. Producers before it in its block, the latest first: a wait for a late one may make waits for
 * older ones unnecessary. Then those from other blocks or from behind it. */
static bool comes_first(const hd_hazard *a, const hd_hazard *b)
{
	bool a_before = a->producer < a->consumer, b_before = b->producer < b->consumer;
	return a_before != b_before ? a_before : a->producer > b->producer;
}

static int compare_hazards(const void *left, const void *right) { return comes_first(left, right) ? -1 : comes_first(right, left); }

static void need(finder *f, uint32_t producer, uint32_t consumer, bool by_read) { hd_vec_push(&f->needed, (hd_hazard){producer, consumer, by_read}); }

/* Of hazards with one producer, one by write stays. */
static void sort_needed(finder *f)
{
	size_t kept = 0;
	if (f->needed.n > 1)
		qsort(f->needed.at, f->needed.n, sizeof *f->needed.at, compare_hazards);
	for (size_t i = 0; i < f->needed.n; i++) {
		if (kept > 0 && f->needed.at[kept - 1].producer == f->needed.at[i].producer)
			f->needed.at[kept - 1].by_read &= f->needed.at[i].by_read;
		else
			f->needed.at[kept++] = f->needed.at[i];
	}
	f->needed.n = kept;
}

static void need_all_open(finder *f, uint32_t consumer)
{
	const hd_inst_list *all = hd_open_all(&f->open);
	for (size_t i = 0; i < all->n; i++)
		need(f, all->at[i], consumer, f->open.writes[all->at[i]] == 0);
}

static bool write_open(const finder *f, uint32_t producer, const hd_resource_use *c) { return f->open.writes[producer] >> c->pipe & 1; }

/* Open writes of the resource: RAW or WAW. With `overwrites` also open reads: WAR. One pipe reads in order. */
static void need_accesses(finder *f, uint32_t consumer, uint32_t resource, bool overwrites)
{
	const hd_resource_use *c = &f->h->uses[consumer];
	const hd_inst_list *list = hd_open_on_resource(&f->open, resource);
	for (size_t i = 0; i < list->n; i++) {
		uint32_t p = list->at[i];
		const hd_resource_use *a = &f->h->uses[p];
		if (write_open(f, p, c) && hd_open_writes(&f->open, p, resource) && !enforced_by_delay(f->machine, a, c))
			need(f, p, consumer, false);
		if (overwrites && f->open.reads[p] >> c->pipe & 1 && hd_open_reads(&f->open, p, resource) && a->pipe != c->pipe)
			need(f, p, consumer, true);
	}
}

static void need_memory(finder *f, uint32_t consumer)
{
	const hd_resource_use *c = &f->h->uses[consumer];
	if (!(c->order & (HD_ORDER_FENCE | HD_ORDER_SHARED)))
		return;
	const hd_inst_list *ordered = hd_open_ordered(&f->open);
	for (size_t i = 0; i < ordered->n; i++) {
		uint32_t p = ordered->at[i];
		const hd_resource_use *a = &f->h->uses[p];
		bool passes = a->order & HD_ORDER_ACCESS || (a->order & HD_ORDER_FENCE && a->pipe != c->pipe);
		bool fenced = c->order & HD_ORDER_FENCE && passes;
		bool shared = c->order & HD_ORDER_SHARED && a->order & HD_ORDER_SHARED && a->pipe != c->pipe;
		if ((fenced || shared) && write_open(f, p, c))
			need(f, p, consumer, false);
	}
}

static void find_needed(finder *f, uint32_t consumer)
{
	const hd_resource_use *c = &f->h->uses[consumer];
	f->needed.n = 0;
	if (c->pipe == HD_PIPE_NONE)
		return;
	if (c->drains || f->flushes[consumer]) {
		need_all_open(f, consumer);
		sort_needed(f);
		return;
	}
	for (unsigned i = 0; i < c->n_reads; i++)
		need_accesses(f, consumer, c->reads[i], false);
	for (unsigned i = 0; i < c->n_writes; i++)
		if (c->writes[i] != HD_RES_ORDER) /* two that come first in orders are not ordered themselves */
			need_accesses(f, consumer, c->writes[i], true);
	need_memory(f, consumer);
	sort_needed(f);
}

/* Only primaries have a counter, so only they matter as outstanding. */
static void record_outstanding(finder *f, uint32_t consumer)
{
	const hd_inst_list *all = hd_open_all(&f->open);
	hd_vec_push(&f->h->consumers, consumer);
	hd_vec_push(&f->h->outstanding_first, (uint32_t)f->h->outstanding.n);
	for (size_t i = all->n > MAX_OUTSTANDING ? all->n - MAX_OUTSTANDING : 0; i < all->n; i++)
		if (f->h->primary[all->at[i]])
			hd_vec_push(&f->h->outstanding, all->at[i]);
}

/* Applies the waits of an instruction. */
static void consume(finder *f, uint32_t consumer)
{
	find_needed(f, consumer);
	if (f->needed.n == 0)
		return;
	const hd_resource_use *c = &f->h->uses[consumer];
	uint16_t mine = c->drains || f->flushes[consumer] ? HD_ALL_PIPES : (uint16_t)(1u << c->pipe);
	bool any = false;
	for (size_t i = 0; i < f->needed.n; i++) {
		hd_hazard *edge = &f->needed.at[i];
		/* An earlier one of them may have closed it. */
		if (!((edge->by_read ? f->open.reads : f->open.writes)[edge->producer] & mine))
			continue;
		any = true;
		close_accesses(f, edge->producer, edge->by_read, consumer);
		if (f->recording == RECORD_EDGES)
			hd_vec_push(&f->h->edges, *edge);
	}
	if (any && f->recording == RECORD_OUTSTANDING)
		record_outstanding(f, consumer);
}

/* Opens the accesses of an instruction. */
static void produce(finder *f, uint32_t inst)
{
	const hd_resource_use *a = &f->h->uses[inst];
	if (a->drains)
		hd_open_clear(&f->open);
	/* The flow unit has decided before anything else of the warp issues. */
	else if (a->pipe != HD_PIPE_NONE && a->pipe != HD_PIPE_FLOW)
		hd_open_issue(&f->open, inst, f->h->insts[inst]->guard.kind == HD_OPD_NONE);
}

/* Afterwards f->open holds the facts at the end of the block. */
static void run_block(finder *f, uint32_t block)
{
	hd_open_load(&f->open, &f->entry[block]);
	for (uint32_t i = f->h->block_first[block]; i < f->h->block_first[block + 1]; i++) {
		bool branch = f->h->insts[i]->op == HD_OP_BRA || f->h->insts[i]->op == HD_OP_BRK;
		if (branch && !f->recording && f->open.all.n > MAX_OPEN && hd_open_all(&f->open)->n > MAX_OPEN)
			f->flushes[i] = true;
		consume(f, i);
		produce(f, i);
	}
}

static void number_instructions(hd_hazards *h, const hd_ir_function *function, const hd_machine *machine)
{
	for (size_t b = 0; b < function->blocks.n; b++)
		h->n += (uint32_t)function->blocks.at[b]->insts.n;
	h->insts = hd_xcalloc(h->n, sizeof *h->insts);
	h->uses = hd_xcalloc(h->n, sizeof *h->uses);
	h->block = hd_xcalloc(h->n, sizeof *h->block);
	h->primary = hd_xcalloc(h->n, sizeof *h->primary);
	h->block_first = hd_xcalloc(function->blocks.n + 1, sizeof *h->block_first);
	uint32_t n = 0;
	for (uint32_t b = 0; b < function->blocks.n; b++) {
		const hd_ir_block *block = function->blocks.at[b];
		h->block_first[b] = n;
		for (size_t i = 0; i < block->insts.n; i++, n++) {
			h->insts[n] = block->insts.at[i];
			h->block[n] = b;
			hd_resource_use_of(h->insts[n], hd_may_leave_function(function), machine, &h->uses[n]);
		}
	}
	h->block_first[function->blocks.n] = n;
}

/* Runs blocks until the facts at their entries no longer change. */
static void solve(finder *f)
{
	const hd_physical_cfg *graph = &f->h->graph;
	bool *dirty = hd_xmalloc((size_t)graph->nodes + 1);
	memset(dirty, 1, (size_t)graph->nodes + 1);
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < graph->nodes; i++) {
			uint32_t node = graph->order[i];
			if (!dirty[node])
				continue;
			dirty[node] = false;
			if (node < graph->blocks) {
				run_block(f, node);
				hd_open_store(&f->open, &f->end);
			}
			const hd_open_set *end = node < graph->blocks ? &f->end : &f->entry[node];
			for (uint32_t e = graph->first_edge[node]; e < graph->first_edge[node + 1]; e++) {
				if (hd_open_set_join(&f->entry[graph->to[e]], end)) {
					dirty[graph->to[e]] = true;
					again |= graph->place[graph->to[e]] <= i;
				}
			}
		}
	}
	free(dirty);
}

static void record_all(finder *f)
{
	hd_hazards *h = f->h;
	f->recording = RECORD_EDGES;
	for (uint32_t b = 0; b < h->graph.blocks; b++)
		run_block(f, b);
	for (size_t i = 0; i < h->edges.n; i++)
		h->primary[h->edges.at[i].producer] = true;
	f->recording = RECORD_OUTSTANDING;
	for (uint32_t b = 0; b < h->graph.blocks; b++)
		run_block(f, b);
	hd_vec_push(&h->outstanding_first, (uint32_t)h->outstanding.n);
}

/* The last instruction of each block with many resume points behind it waits, if it can. */
static void flush_wide_branches(finder *f)
{
	const hd_hazards *h = f->h;
	for (uint32_t b = 0; b < h->graph.blocks; b++) {
		uint32_t last = h->block_first[b + 1];
		if (h->graph.resume_points[b] > MAX_RESUME_POINTS && last > h->block_first[b] && h->uses[last - 1].pipe == HD_PIPE_FLOW)
			f->flushes[last - 1] = true;
	}
}

static finder finder_new(hd_hazards *h, const hd_machine *machine)
{
	finder f = {.h = h, .machine = machine};
	bool order_matters = false;
	for (uint32_t i = 0; i < h->n; i++)
		order_matters |= h->uses[i].order & HD_ORDER_FENCE || h->uses[i].drains;
	f.entry = hd_xcalloc((size_t)h->graph.nodes + 1, sizeof *f.entry);
	f.flushes = hd_xcalloc((size_t)h->n + 1, sizeof *f.flushes);
	f.open = hd_open_new(h->uses, h->n, order_matters);
	flush_wide_branches(&f);
	return f;
}

static void finder_free(finder *f)
{
	for (uint32_t i = 0; i < f->h->graph.nodes; i++)
		hd_open_set_free(&f->entry[i]);
	free(f->entry);
	free(f->flushes);
	hd_open_set_free(&f->end);
	hd_open_free(&f->open);
	hd_vec_free(&f->needed);
}

hd_hazards *hd_hazards_find(const hd_ir_function *function, const hd_machine *machine)
{
	hd_hazards *h = hd_xcalloc(1, sizeof *h);
	number_instructions(h, function, machine);
	h->graph = hd_physical_cfg_new(function, machine);
	finder f = finder_new(h, machine);
	solve(&f);
	record_all(&f);
	finder_free(&f);
	return h;
}

void hd_hazards_free(hd_hazards *h)
{
	if (!h)
		return;
	free(h->insts);
	free(h->uses);
	free(h->block);
	free(h->block_first);
	free(h->primary);
	hd_physical_cfg_free(&h->graph);
	hd_vec_free(&h->edges);
	hd_vec_free(&h->consumers);
	hd_vec_free(&h->outstanding_first);
	hd_vec_free(&h->outstanding);
	free(h);
}
