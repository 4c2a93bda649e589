/* A forward may-analysis. The fact at a point: for each earlier instruction P, the pipelines whose next instruction could still overtake P's
 * write, and those whose next could still overtake P's reads. A consumer that waits for P settles P for the consumer's pipeline (its queue
 * keeps order) or, when the wait happens in the decoder or in the flow unit, for all of them. Waiting for P's write also settles what entered P's
 * pipeline before P, where latencies are fixed (HZ-25). */
#include "passes/analysis/hazards.h"

/* Masks of the pipelines for which an instruction is not yet settled. The facts at the entry of a block are pages of them, for so many instructions
 * in order, and none where no instruction has a fact: joining blocks is most of the work, and a page is joined by a few vector operations. */
enum { PAGE = 32 };

typedef struct page {
	uint16_t writes[PAGE], reads[PAGE];
} page;

/* What `settle` asks of all that are outstanding, close together. */
typedef struct brief {
	uint8_t pipe;
	bool variable;
	uint16_t latency;
} brief;

typedef struct finder {
	hd_hazards *h;
	const hd_machine *machine;
	uint32_t pages;                   /* of a block */
	page **in;                        /* [block * pages + page], NULL = no facts */
	uint16_t *writes, *reads;         /* current fact of each instruction */
	bool *used;                       /* pages of `writes` and `reads` in which facts may be */
	brief *brief;                     /* of each instruction */
	HD_VEC(uint32_t) live;            /* instructions with a current fact, in order of arrival */
	uint32_t *writer_first, *writers; /* instructions by resource that they write ... */
	uint32_t *reader_first, *readers; /* ... and read */
	HD_VEC(uint32_t) fences_on;       /* all accesses that bar and membar wait for */
	HD_VEC(uint32_t) shared;          /* all that may touch shared memory */
	bool record;
	HD_VEC(hd_edge) wanted; /* of the current consumer */
} finder;

enum { ALL_PIPES = (1 << HD_PIPE_COUNT) - 1 };

static bool settled_by_delay(const hd_machine *m, const hd_accesses *p, const hd_accesses *c)
{
	return p->pipe == c->pipe && !p->variable && p->latency <= HD_MAX_DELAY && !hd_machine_within_pipeline(m);
}

/* Everyone behind a wait for P's counter: all pipelines when it is the flow unit that waits, or the decoder and nothing is sent past it (MI-2). */
static uint16_t settles(const finder *f, uint32_t producer, const hd_accesses *c)
{
	bool decoder = hd_machine_high_latency(f->machine, (hd_class)f->h->accesses[producer].klass);
	return (decoder && !hd_machine_passes_waits(f->machine)) || c->pipe == HD_PIPE_FLOW ? ALL_PIPES : (uint16_t)(1u << c->pipe);
}

static void settle(finder *f, uint32_t producer, bool by_read, uint32_t consumer)
{
	const hd_accesses *p = &f->h->accesses[producer], *c = &f->h->accesses[consumer];
	uint16_t clear = settles(f, producer, c);
	f->reads[producer] &= (uint16_t)~clear;
	if (!by_read)
		f->writes[producer] &= (uint16_t)~clear;
	if (f->h->block[producer] != f->h->block[consumer] || producer >= consumer)
		return;
	/* A guarded producer may be dropped (HZ-16): its counter then falls when it leaves the queue, before older results are written. */
	bool certain = f->h->insts[producer]->guard.kind == HD_OPD_NONE;
	for (size_t i = 0; i < f->live.n; i++) {
		uint32_t older = f->live.at[i];
		const brief *o = &f->brief[older];
		if (o->pipe != p->pipe || (older > producer && older < consumer))
			continue;
		f->reads[older] &= (uint16_t)~clear;
		if (!by_read && certain && !o->variable && o->latency <= p->latency + 1u)
			f->writes[older] &= (uint16_t)~clear;
	}
}

/* Within the block, latest first: what it settles, older ones need no mark for. Then those from other blocks. */
static bool goes_before(const hd_edge *a, const hd_edge *b)
{
	bool a_here = a->producer < a->consumer, b_here = b->producer < b->consumer;
	return a_here != b_here ? a_here : a->producer > b->producer;
}

static int compare_wanted(const void *left, const void *right) { return goes_before(left, right) ? -1 : goes_before(right, left); }

/* All that is outstanding. */
static void want_all(finder *f, uint32_t consumer)
{
	size_t kept = 0;
	for (size_t i = 0; i < f->live.n; i++) {
		uint32_t p = f->live.at[i];
		if (f->writes[p] || f->reads[p])
			hd_vec_push(&f->wanted, (hd_edge){p, consumer, f->writes[p] == 0});
	}
	if (f->wanted.n)
		qsort(f->wanted.at, f->wanted.n, sizeof *f->wanted.at, compare_wanted);
	for (size_t i = 0; i < f->wanted.n; i++) {
		if (kept == 0 || f->wanted.at[kept - 1].producer != f->wanted.at[i].producer)
			f->wanted.at[kept++] = f->wanted.at[i];
	}
	f->wanted.n = kept;
}

/* Keeps `wanted` in that order. */
static void want(finder *f, uint32_t producer, uint32_t consumer, bool by_read)
{
	hd_edge edge = {producer, consumer, by_read};
	size_t at = f->wanted.n;
	while (at > 0 && goes_before(&edge, &f->wanted.at[at - 1]))
		at--;
	if (at > 0 && f->wanted.at[at - 1].producer == producer) {
		f->wanted.at[at - 1].by_read &= by_read;
		return;
	}
	hd_vec_push(&f->wanted, edge);
	memmove(&f->wanted.at[at + 1], &f->wanted.at[at], (f->wanted.n - 1 - at) * sizeof edge);
	f->wanted.at[at] = edge;
}

static bool open_write(const finder *f, uint32_t producer, const hd_accesses *c) { return f->writes[producer] >> c->pipe & 1; }

static void find_wanted(finder *f, uint32_t consumer)
{
	const hd_accesses *c = &f->h->accesses[consumer];
	f->wanted.n = 0;
	if (c->pipe == HD_PIPE_NONE)
		return;
	if (c->drain) {
		want_all(f, consumer);
		return;
	}
	for (unsigned i = 0; i < c->n_reads; i++) {
		for (uint32_t k = f->writer_first[c->reads[i]]; k < f->writer_first[c->reads[i] + 1]; k++) {
			uint32_t p = f->writers[k];
			if (open_write(f, p, c) && !settled_by_delay(f->machine, &f->h->accesses[p], c))
				want(f, p, consumer, false);
		}
	}
	for (unsigned i = 0; i < c->n_writes; i++) {
		for (uint32_t k = f->writer_first[c->writes[i]]; k < f->writer_first[c->writes[i] + 1]; k++) {
			uint32_t p = f->writers[k];
			if (open_write(f, p, c) && !settled_by_delay(f->machine, &f->h->accesses[p], c))
				want(f, p, consumer, false);
		}
		for (uint32_t k = f->reader_first[c->writes[i]]; k < f->reader_first[c->writes[i] + 1]; k++) {
			uint32_t p = f->readers[k];
			/* One pipe reads in order. */
			if ((f->reads[p] >> c->pipe & 1) && f->h->accesses[p].pipe != c->pipe)
				want(f, p, consumer, true);
		}
	}
	if (c->order & HD_ORDER_FENCE) {
		for (size_t i = 0; i < f->fences_on.n; i++) {
			if (open_write(f, f->fences_on.at[i], c))
				want(f, f->fences_on.at[i], consumer, false);
		}
	}
	if (c->order & HD_ORDER_SHARED) {
		for (size_t i = 0; i < f->shared.n; i++) {
			uint32_t p = f->shared.at[i];
			if (open_write(f, p, c) && f->h->accesses[p].pipe != c->pipe)
				want(f, p, consumer, false);
		}
	}
}

static void consume(finder *f, uint32_t consumer)
{
	find_wanted(f, consumer);
	if (f->wanted.n == 0)
		return;
	const hd_accesses *c = &f->h->accesses[consumer];
	uint16_t mine = c->drain ? ALL_PIPES : (uint16_t)(1u << c->pipe);
	bool any = false;
	for (size_t i = 0; i < f->wanted.n; i++) {
		hd_edge *edge = &f->wanted.at[i];
		bool write_open = (f->writes[edge->producer] & mine) != 0, read_open = (f->reads[edge->producer] & mine) != 0;
		if (edge->by_read ? !read_open : !write_open)
			continue;
		any = true;
		settle(f, edge->producer, edge->by_read, consumer);
		if (f->record)
			hd_vec_push(&f->h->edges, *edge);
	}
	if (!any || !f->record)
		return;
	hd_vec_push(&f->h->consumers, consumer);
	hd_vec_push(&f->h->snap_first, (uint32_t)f->h->snapshots.n);
	for (size_t i = 0; i < f->live.n; i++) {
		uint32_t p = f->live.at[i];
		if (f->writes[p] || f->reads[p])
			hd_vec_push(&f->h->snapshots, p);
	}
}

static void produce(finder *f, uint32_t inst)
{
	const hd_accesses *a = &f->h->accesses[inst];
	if (a->drain) {
		for (size_t i = 0; i < f->live.n; i++)
			f->writes[f->live.at[i]] = f->reads[f->live.at[i]] = 0;
		f->live.n = 0;
		return;
	}
	/* The flow unit is decided before anything else issues. */
	if (a->pipe == HD_PIPE_NONE || a->pipe == HD_PIPE_FLOW || (a->n_reads == 0 && a->n_writes == 0 && a->order == HD_ORDER_NONE))
		return;
	if (!f->writes[inst] && !f->reads[inst]) {
		hd_vec_push(&f->live, inst);
	}
	f->used[inst / PAGE] = true;
	f->writes[inst] = a->n_writes || a->order ? ALL_PIPES : 0;
	f->reads[inst] = a->n_reads ? ALL_PIPES : 0;
}

/* Runs one block from its entry facts; afterwards `live`, `writes`, `reads` hold the facts at its end. */
static void run_block(finder *f, uint32_t block)
{
	f->live.n = 0;
	for (uint32_t i = 0; i < f->pages; i++) {
		const page *in = f->in[(size_t)block * f->pages + i];
		if (in) {
			memcpy(&f->writes[i * PAGE], in->writes, sizeof in->writes);
			memcpy(&f->reads[i * PAGE], in->reads, sizeof in->reads);
			for (uint32_t k = 0; k < PAGE; k++) {
				if (in->writes[k] || in->reads[k])
					hd_vec_push(&f->live, i * PAGE + k);
			}
		} else if (f->used[i]) {
			memset(&f->writes[i * PAGE], 0, sizeof in->writes);
			memset(&f->reads[i * PAGE], 0, sizeof in->reads);
		}
		f->used[i] = in != NULL;
	}
	for (uint32_t i = f->h->block_first[block]; i < f->h->block_first[block + 1]; i++) {
		consume(f, i);
		produce(f, i);
		/* Drop what is settled now and then, so that long blocks stay cheap. */
		if (f->live.n > 64 && (i & 63) == 0) {
			size_t kept = 0;
			for (size_t k = 0; k < f->live.n; k++) {
				if (f->writes[f->live.at[k]] || f->reads[f->live.at[k]])
					f->live.at[kept++] = f->live.at[k];
			}
			f->live.n = kept;
		}
	}
}

/* Adds `more` to `to`: what that changes. */
static uint16_t add_masks(uint16_t *restrict to, const uint16_t *restrict more)
{
	uint16_t changed = 0;
	for (unsigned i = 0; i < PAGE; i++) {
		changed |= (uint16_t)(more[i] & ~to[i]);
		to[i] |= more[i];
	}
	return changed;
}

/* Adds the current facts to the entry of `block`. */
static bool join(finder *f, uint32_t block)
{
	static const page nothing;
	uint16_t changed = 0;
	for (uint32_t i = 0; i < f->pages; i++) {
		page **in = &f->in[(size_t)block * f->pages + i];
		const uint16_t *writes = &f->writes[i * PAGE], *reads = &f->reads[i * PAGE];
		if (!f->used[i])
			continue;
		if (!*in) {
			if (memcmp(writes, nothing.writes, sizeof nothing.writes) == 0 && memcmp(reads, nothing.reads, sizeof nothing.reads) == 0)
				continue;
			*in = hd_xcalloc(1, sizeof **in);
		}
		changed |= add_masks((*in)->writes, writes);
		changed |= add_masks((*in)->reads, reads);
	}
	return changed != 0;
}

static void index_resources(finder *f, bool writes, uint32_t **first, uint32_t **list)
{
	const hd_hazards *h = f->h;
	*first = hd_xcalloc(HD_RES_COUNT + 2, sizeof **first);
	for (uint32_t i = 0; i < h->n; i++) {
		const hd_accesses *a = &h->accesses[i];
		for (unsigned k = 0; k < (writes ? a->n_writes : a->n_reads); k++)
			(*first)[(writes ? a->writes[k] : a->reads[k]) + 2]++;
	}
	for (unsigned r = 2; r < HD_RES_COUNT + 2; r++)
		(*first)[r] += (*first)[r - 1];
	*list = hd_xcalloc((*first)[HD_RES_COUNT + 1], sizeof **list);
	for (uint32_t i = 0; i < h->n; i++) {
		const hd_accesses *a = &h->accesses[i];
		for (unsigned k = 0; k < (writes ? a->n_writes : a->n_reads); k++)
			(*list)[(*first)[(writes ? a->writes[k] : a->reads[k]) + 1]++] = i;
	}
}

static void number(hd_hazards *h, const hd_ir_function *function, const hd_machine *machine)
{
	for (size_t b = 0; b < function->blocks.n; b++)
		h->n += (uint32_t)function->blocks.at[b]->insts.n;
	h->insts = hd_xcalloc(h->n, sizeof *h->insts);
	h->accesses = hd_xcalloc(h->n, sizeof *h->accesses);
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
			hd_accesses_of(h->insts[n], machine, &h->accesses[n]);
		}
	}
	h->block_first[function->blocks.n] = n;
}

static void solve(finder *f)
{
	uint32_t blocks = f->h->graph.blocks;
	bool *dirty = hd_xcalloc(blocks + 1, sizeof *dirty);
	for (uint32_t b = 0; b < blocks; b++)
		dirty[b] = true;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t b = 0; b < blocks; b++) {
			if (!dirty[b])
				continue;
			dirty[b] = false;
			run_block(f, b);
			for (uint32_t e = f->h->graph.first[b]; e < f->h->graph.first[b + 1]; e++) {
				uint32_t to = f->h->graph.to[e];
				if (join(f, to)) {
					dirty[to] = true;
					again |= to <= b;
				}
			}
		}
	}
	free(dirty);
}

/* Who has no counter is no part of a snapshot. */
static void keep_primaries(hd_hazards *h)
{
	size_t kept = 0, n = h->snapshots.n;
	hd_vec_push(&h->snap_first, (uint32_t)n);
	for (size_t i = 0, at = 0; i < h->consumers.n; i++) {
		h->snap_first.at[i] = (uint32_t)kept;
		for (; at < h->snap_first.at[i + 1]; at++) {
			if (h->primary[h->snapshots.at[at]])
				h->snapshots.at[kept++] = h->snapshots.at[at];
		}
	}
	h->snapshots.n = h->snap_first.at[h->consumers.n] = kept;
}

hd_hazards *hd_hazards_find(const hd_ir_function *function, const hd_machine *machine)
{
	hd_hazards *h = hd_xcalloc(1, sizeof *h);
	number(h, function, machine);
	h->graph = hd_physical_new(function, machine);
	finder f = {.h = h, .machine = machine};
	f.pages = h->n / PAGE + 1;
	f.in = hd_xcalloc((size_t)h->graph.blocks * f.pages + 1, sizeof *f.in);
	f.writes = hd_xcalloc((size_t)f.pages * PAGE, sizeof *f.writes);
	f.reads = hd_xcalloc((size_t)f.pages * PAGE, sizeof *f.reads);
	f.used = hd_xcalloc(f.pages, sizeof *f.used);
	f.brief = hd_xcalloc(h->n + 1, sizeof *f.brief);
	for (uint32_t i = 0; i < h->n; i++)
		f.brief[i] = (brief){h->accesses[i].pipe, h->accesses[i].variable, h->accesses[i].latency};
	index_resources(&f, true, &f.writer_first, &f.writers);
	index_resources(&f, false, &f.reader_first, &f.readers);
	for (uint32_t i = 0; i < h->n; i++) {
		if (h->accesses[i].order & HD_ORDER_ACCESS)
			hd_vec_push(&f.fences_on, i);
		if (h->accesses[i].order & HD_ORDER_SHARED)
			hd_vec_push(&f.shared, i);
	}
	solve(&f);
	f.record = true;
	for (uint32_t b = 0; b < h->graph.blocks; b++)
		run_block(&f, b);
	for (size_t i = 0; i < h->edges.n; i++)
		h->primary[h->edges.at[i].producer] = true;
	keep_primaries(h);

	for (size_t i = 0; i < (size_t)h->graph.blocks * f.pages; i++)
		free(f.in[i]);
	free(f.in);
	free(f.used);
	free(f.brief);
	free(f.writes);
	free(f.reads);
	free(f.writer_first);
	free(f.writers);
	free(f.reader_first);
	free(f.readers);
	hd_vec_free(&f.live);
	hd_vec_free(&f.fences_on);
	hd_vec_free(&f.shared);
	hd_vec_free(&f.wanted);
	return h;
}

void hd_hazards_free(hd_hazards *h)
{
	if (!h)
		return;
	free(h->insts);
	free(h->accesses);
	free(h->block);
	free(h->block_first);
	free(h->primary);
	hd_physical_free(&h->graph);
	hd_vec_free(&h->edges);
	hd_vec_free(&h->consumers);
	hd_vec_free(&h->snap_first);
	hd_vec_free(&h->snapshots);
	free(h);
}
