/* A forward may-analysis on the physical control-flow graph.
 *
 *  1. The fact at a point: for each earlier instruction P, the pipes whose next instruction may come before P's write, and those whose next may come
 *     before P's reads. Those accesses of P are called open for these pipes.
 *  2. An instruction opens its accesses for all pipes when it issues.
 *  3. A consumer that waits for P closes P's accesses for its own pipe, because its queue keeps the order; where the wait happens in the decoder or
 *     in the flow unit, for all pipes.
 *  4. A wait for P's write also closes the writes of instructions that entered P's pipe before P, where latencies are fixed (HZ-25).
 *  5. After the fixed point, each block is run once more to record the hazards. */
#include "passes/analysis/hazards.h"

/* Facts are masks of pipes. A block's facts at its entry are pages of them, a page for PAGE consecutive instructions, and NULL for a page without any
 * fact. Joining blocks is most of the work; a page is joined with a few vector operations. */
enum { PAGE = 32, ALL_PIPES = (1 << HD_PIPE_COUNT) - 1 };

typedef struct page {
	uint16_t writes[PAGE], reads[PAGE];
} page;

/* What the inner loop of close_accesses needs of an instruction, packed for the cache. */
typedef struct timing {
	uint8_t pipe;
	bool variable;
	uint16_t latency;
} timing;

typedef struct finder {
	hd_hazards *h;
	const hd_machine *machine;
	uint32_t pages;                   /* of a block */
	page **entry;                     /* [block * pages + page] */
	uint16_t *writes, *reads;         /* the current facts, by instruction */
	bool *page_used;                  /* of `writes` and `reads`: the page may hold facts */
	timing *timings;                  /* by instruction */
	HD_VEC(uint32_t) open;            /* instructions that may have facts, in order of arrival */
	uint32_t *writer_first, *writers; /* instructions by the resources that they write ... */
	uint32_t *reader_first, *readers; /* ... and read */
	HD_VEC(uint32_t) fenced;          /* accesses that bar and membar wait for */
	HD_VEC(uint32_t) shared;          /* accesses that may touch shared memory */
	bool recording;
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
	return (decoder && !hd_machine_passes_waits(f->machine)) || c->pipe == HD_PIPE_FLOW ? ALL_PIPES : (uint16_t)(1u << c->pipe);
}

/* The consumer waits for the producer. */
static void close_accesses(finder *f, uint32_t producer, bool by_read, uint32_t consumer)
{
	const hd_resource_use *p = &f->h->uses[producer];
	uint16_t closed = pipes_behind_wait(f, producer, &f->h->uses[consumer]);
	f->reads[producer] &= (uint16_t)~closed;
	if (!by_read)
		f->writes[producer] &= (uint16_t)~closed;
	if (f->h->block[producer] != f->h->block[consumer] || producer >= consumer)
		return;
	/* A guarded producer may be dropped (HZ-16). Its counter then falls when it leaves the queue, which is before older results are written. */
	bool certain = f->h->insts[producer]->guard.kind == HD_OPD_NONE;
	for (size_t i = 0; i < f->open.n; i++) {
		uint32_t older = f->open.at[i];
		const timing *o = &f->timings[older];
		if (o->pipe != p->pipe || (older > producer && older < consumer))
			continue;
		f->reads[older] &= (uint16_t)~closed;
		if (!by_read && certain && !o->variable && o->latency <= p->latency + 1u)
			f->writes[older] &= (uint16_t)~closed;
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

static void need_all_open(finder *f, uint32_t consumer)
{
	size_t kept = 0;
	for (size_t i = 0; i < f->open.n; i++) {
		uint32_t p = f->open.at[i];
		if (f->writes[p] || f->reads[p])
			hd_vec_push(&f->needed, (hd_hazard){p, consumer, f->writes[p] == 0});
	}
	if (f->needed.n)
		qsort(f->needed.at, f->needed.n, sizeof *f->needed.at, compare_hazards);
	for (size_t i = 0; i < f->needed.n; i++) {
		if (kept == 0 || f->needed.at[kept - 1].producer != f->needed.at[i].producer)
			f->needed.at[kept++] = f->needed.at[i];
	}
	f->needed.n = kept;
}

/* Inserts the hazard in its order. Of two hazards with one producer, the one by write stays. */
static void need(finder *f, uint32_t producer, uint32_t consumer, bool by_read)
{
	hd_hazard edge = {producer, consumer, by_read};
	size_t at = f->needed.n;
	while (at > 0 && comes_first(&edge, &f->needed.at[at - 1]))
		at--;
	if (at > 0 && f->needed.at[at - 1].producer == producer) {
		f->needed.at[at - 1].by_read &= by_read;
		return;
	}
	hd_vec_push(&f->needed, edge);
	memmove(&f->needed.at[at + 1], &f->needed.at[at], (f->needed.n - 1 - at) * sizeof edge);
	f->needed.at[at] = edge;
}

static bool write_open(const finder *f, uint32_t producer, const hd_resource_use *c) { return f->writes[producer] >> c->pipe & 1; }

/* Open writes of the resource: RAW or WAW. */
static void need_writers(finder *f, uint32_t consumer, uint32_t resource)
{
	const hd_resource_use *c = &f->h->uses[consumer];
	for (uint32_t k = f->writer_first[resource]; k < f->writer_first[resource + 1]; k++) {
		uint32_t p = f->writers[k];
		if (write_open(f, p, c) && !enforced_by_delay(f->machine, &f->h->uses[p], c))
			need(f, p, consumer, false);
	}
}

/* Open reads of the resource: WAR. One pipe reads in order. */
static void need_readers(finder *f, uint32_t consumer, uint32_t resource)
{
	const hd_resource_use *c = &f->h->uses[consumer];
	for (uint32_t k = f->reader_first[resource]; k < f->reader_first[resource + 1]; k++) {
		uint32_t p = f->readers[k];
		if ((f->reads[p] >> c->pipe & 1) && f->h->uses[p].pipe != c->pipe)
			need(f, p, consumer, true);
	}
}

static void need_memory(finder *f, uint32_t consumer)
{
	const hd_resource_use *c = &f->h->uses[consumer];
	for (size_t i = 0; c->order & HD_ORDER_FENCE && i < f->fenced.n; i++) {
		if (write_open(f, f->fenced.at[i], c))
			need(f, f->fenced.at[i], consumer, false);
	}
	for (size_t i = 0; c->order & HD_ORDER_SHARED && i < f->shared.n; i++) {
		uint32_t p = f->shared.at[i];
		if (write_open(f, p, c) && f->h->uses[p].pipe != c->pipe)
			need(f, p, consumer, false);
	}
}

static void find_needed(finder *f, uint32_t consumer)
{
	const hd_resource_use *c = &f->h->uses[consumer];
	f->needed.n = 0;
	if (c->pipe == HD_PIPE_NONE)
		return;
	if (c->drains) {
		need_all_open(f, consumer);
		return;
	}
	for (unsigned i = 0; i < c->n_reads; i++)
		need_writers(f, consumer, c->reads[i]);
	for (unsigned i = 0; i < c->n_writes; i++) {
		need_writers(f, consumer, c->writes[i]);
		need_readers(f, consumer, c->writes[i]);
	}
	need_memory(f, consumer);
}

static void record_outstanding(finder *f, uint32_t consumer)
{
	hd_vec_push(&f->h->consumers, consumer);
	hd_vec_push(&f->h->outstanding_first, (uint32_t)f->h->outstanding.n);
	for (size_t i = 0; i < f->open.n; i++) {
		uint32_t p = f->open.at[i];
		if (f->writes[p] || f->reads[p])
			hd_vec_push(&f->h->outstanding, p);
	}
}

/* Applies the waits of an instruction. */
static void consume(finder *f, uint32_t consumer)
{
	find_needed(f, consumer);
	if (f->needed.n == 0)
		return;
	const hd_resource_use *c = &f->h->uses[consumer];
	uint16_t mine = c->drains ? ALL_PIPES : (uint16_t)(1u << c->pipe);
	bool any = false;
	for (size_t i = 0; i < f->needed.n; i++) {
		hd_hazard *edge = &f->needed.at[i];
		/* An earlier one of them may have closed it. */
		if (!((edge->by_read ? f->reads : f->writes)[edge->producer] & mine))
			continue;
		any = true;
		close_accesses(f, edge->producer, edge->by_read, consumer);
		if (f->recording)
			hd_vec_push(&f->h->edges, *edge);
	}
	if (any && f->recording)
		record_outstanding(f, consumer);
}

/* Opens the accesses of an instruction. */
static void produce(finder *f, uint32_t inst)
{
	const hd_resource_use *a = &f->h->uses[inst];
	if (a->drains) {
		for (size_t i = 0; i < f->open.n; i++)
			f->writes[f->open.at[i]] = f->reads[f->open.at[i]] = 0;
		f->open.n = 0;
		return;
	}
	/* The flow unit has decided before anything else of the warp issues. */
	if (a->pipe == HD_PIPE_NONE || a->pipe == HD_PIPE_FLOW || (a->n_reads == 0 && a->n_writes == 0 && a->order == HD_ORDER_NONE))
		return;
	if (!f->writes[inst] && !f->reads[inst])
		hd_vec_push(&f->open, inst);
	f->page_used[inst / PAGE] = true;
	f->writes[inst] = a->n_writes || a->order ? ALL_PIPES : 0;
	f->reads[inst] = a->n_reads ? ALL_PIPES : 0;
}

static void load_entry(finder *f, uint32_t block)
{
	f->open.n = 0;
	for (uint32_t i = 0; i < f->pages; i++) {
		const page *entry = f->entry[(size_t)block * f->pages + i];
		if (entry) {
			memcpy(&f->writes[i * PAGE], entry->writes, sizeof entry->writes);
			memcpy(&f->reads[i * PAGE], entry->reads, sizeof entry->reads);
			for (uint32_t k = 0; k < PAGE; k++) {
				if (entry->writes[k] || entry->reads[k])
					hd_vec_push(&f->open, i * PAGE + k);
			}
		} else if (f->page_used[i]) {
			memset(&f->writes[i * PAGE], 0, sizeof entry->writes);
			memset(&f->reads[i * PAGE], 0, sizeof entry->reads);
		}
		f->page_used[i] = entry != NULL;
	}
}

static void drop_closed(finder *f)
{
	size_t kept = 0;
	for (size_t k = 0; k < f->open.n; k++) {
		if (f->writes[f->open.at[k]] || f->reads[f->open.at[k]])
			f->open.at[kept++] = f->open.at[k];
	}
	f->open.n = kept;
}

/* Afterwards `open`, `writes` and `reads` hold the facts at the end of the block. */
static void run_block(finder *f, uint32_t block)
{
	load_entry(f, block);
	for (uint32_t i = f->h->block_first[block]; i < f->h->block_first[block + 1]; i++) {
		consume(f, i);
		produce(f, i);
		if (f->open.n > 64 && (i & 63) == 0) /* now and then, so that long blocks stay cheap */
			drop_closed(f);
	}
}

/* to |= more; the bits that this adds anywhere. */
static uint16_t add_masks(uint16_t *restrict to, const uint16_t *restrict more)
{
	uint16_t added = 0;
	for (unsigned i = 0; i < PAGE; i++) {
		added |= (uint16_t)(more[i] & ~to[i]);
		to[i] |= more[i];
	}
	return added;
}

/* Adds the current facts to those at the entry of `block`. True: they changed. */
static bool join(finder *f, uint32_t block)
{
	static const page nothing;
	uint16_t added = 0;
	for (uint32_t i = 0; i < f->pages; i++) {
		page **entry = &f->entry[(size_t)block * f->pages + i];
		const uint16_t *writes = &f->writes[i * PAGE], *reads = &f->reads[i * PAGE];
		if (!f->page_used[i])
			continue;
		if (!*entry) {
			if (memcmp(writes, nothing.writes, sizeof nothing.writes) == 0 && memcmp(reads, nothing.reads, sizeof nothing.reads) == 0)
				continue;
			*entry = hd_xcalloc(1, sizeof **entry);
		}
		added |= add_masks((*entry)->writes, writes);
		added |= add_masks((*entry)->reads, reads);
	}
	return added != 0;
}

/* Instructions by the resources that they write, or read: (*list)[(*first)[r]] to before (*list)[(*first)[r + 1]]. */
static void index_resources(const hd_hazards *h, bool writes, uint32_t **first, uint32_t **list)
{
	*first = hd_xcalloc(HD_RES_COUNT + 2, sizeof **first);
	for (uint32_t i = 0; i < h->n; i++) {
		const hd_resource_use *a = &h->uses[i];
		for (unsigned k = 0; k < (writes ? a->n_writes : a->n_reads); k++)
			(*first)[(writes ? a->writes[k] : a->reads[k]) + 2]++;
	}
	for (unsigned r = 2; r < HD_RES_COUNT + 2; r++)
		(*first)[r] += (*first)[r - 1];
	*list = hd_xcalloc((*first)[HD_RES_COUNT + 1], sizeof **list);
	for (uint32_t i = 0; i < h->n; i++) {
		const hd_resource_use *a = &h->uses[i];
		for (unsigned k = 0; k < (writes ? a->n_writes : a->n_reads); k++)
			(*list)[(*first)[(writes ? a->writes[k] : a->reads[k]) + 1]++] = i;
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
			hd_resource_use_of(h->insts[n], !function->kernel, machine, &h->uses[n]);
		}
	}
	h->block_first[function->blocks.n] = n;
}

/* Runs blocks until the facts at their entries no longer change. */
static void solve(finder *f)
{
	const hd_physical_cfg *graph = &f->h->graph;
	bool *dirty = hd_xcalloc(graph->blocks + 1, sizeof *dirty);
	for (uint32_t b = 0; b < graph->blocks; b++)
		dirty[b] = true;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t b = 0; b < graph->blocks; b++) {
			if (!dirty[b])
				continue;
			dirty[b] = false;
			run_block(f, b);
			for (uint32_t e = graph->first_edge[b]; e < graph->first_edge[b + 1]; e++) {
				if (join(f, graph->to[e])) {
					dirty[graph->to[e]] = true;
					again |= graph->to[e] <= b;
				}
			}
		}
	}
	free(dirty);
}

static void record_all(finder *f)
{
	hd_hazards *h = f->h;
	f->recording = true;
	for (uint32_t b = 0; b < h->graph.blocks; b++)
		run_block(f, b);
	for (size_t i = 0; i < h->edges.n; i++)
		h->primary[h->edges.at[i].producer] = true;
}

/* Only primaries have a counter, so only they matter as outstanding. */
static void keep_primaries(hd_hazards *h)
{
	size_t kept = 0, n = h->outstanding.n;
	hd_vec_push(&h->outstanding_first, (uint32_t)n);
	for (size_t i = 0, at = 0; i < h->consumers.n; i++) {
		h->outstanding_first.at[i] = (uint32_t)kept;
		for (; at < h->outstanding_first.at[i + 1]; at++) {
			if (h->primary[h->outstanding.at[at]])
				h->outstanding.at[kept++] = h->outstanding.at[at];
		}
	}
	h->outstanding.n = h->outstanding_first.at[h->consumers.n] = kept;
}

static finder finder_new(hd_hazards *h, const hd_machine *machine)
{
	finder f = {.h = h, .machine = machine, .pages = h->n / PAGE + 1};
	f.entry = hd_xcalloc((size_t)h->graph.blocks * f.pages + 1, sizeof *f.entry);
	f.writes = hd_xcalloc((size_t)f.pages * PAGE, sizeof *f.writes);
	f.reads = hd_xcalloc((size_t)f.pages * PAGE, sizeof *f.reads);
	f.page_used = hd_xcalloc(f.pages, sizeof *f.page_used);
	f.timings = hd_xcalloc(h->n + 1, sizeof *f.timings);
	index_resources(h, true, &f.writer_first, &f.writers);
	index_resources(h, false, &f.reader_first, &f.readers);
	for (uint32_t i = 0; i < h->n; i++) {
		const hd_resource_use *a = &h->uses[i];
		f.timings[i] = (timing){a->pipe, a->variable, a->latency};
		if (a->order & HD_ORDER_ACCESS)
			hd_vec_push(&f.fenced, i);
		if (a->order & HD_ORDER_SHARED)
			hd_vec_push(&f.shared, i);
	}
	return f;
}

static void finder_free(finder *f)
{
	for (size_t i = 0; i < (size_t)f->h->graph.blocks * f->pages; i++)
		free(f->entry[i]);
	free(f->entry);
	free(f->page_used);
	free(f->timings);
	free(f->writes);
	free(f->reads);
	free(f->writer_first);
	free(f->writers);
	free(f->reader_first);
	free(f->readers);
	hd_vec_free(&f->open);
	hd_vec_free(&f->fenced);
	hd_vec_free(&f->shared);
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
	keep_primaries(h);
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
