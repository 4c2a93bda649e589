#include "passes/annotate/counter_reuse.h"

/* The counters that may be outstanding behind an instruction with those before it. */
static uint32_t step(const hd_hazards *h, const hd_counter_use *use, uint32_t i, uint32_t open)
{
	open &= ~use->waits[i];
	if (h->uses[i].drains) /* a call waits for everything */
		return 0;
	return open | (use->counter[i] ? 1u << use->counter[i] : 0);
}

/* Returns true when the facts at a node's entry, which has an edge from `node`, changed and that node comes no later. */
static bool pass_on(const hd_physical_cfg *graph, uint32_t node, uint32_t open, uint32_t *entry, bool *dirty)
{
	bool again = false;
	for (uint32_t e = graph->first_edge[node]; e < graph->first_edge[node + 1]; e++) {
		uint32_t to = graph->to[e];
		if (!(open & ~entry[to]))
			continue;
		entry[to] |= open;
		dirty[to] = true;
		again |= graph->place[to] <= graph->place[node];
	}
	return again;
}

/* The counters that may be outstanding at the entry of each node. The caller frees the result. */
static uint32_t *open_at_entries(const hd_hazards *h, const hd_counter_use *use)
{
	const hd_physical_cfg *graph = &h->graph;
	uint32_t *entry = hd_xcalloc((size_t)graph->nodes + 1, sizeof *entry);
	bool *dirty = hd_xmalloc((size_t)graph->nodes + 1);
	memset(dirty, 1, (size_t)graph->nodes + 1);
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < graph->nodes; i++) {
			uint32_t node = graph->order[i], open = entry[node];
			if (!dirty[node])
				continue;
			dirty[node] = false;
			for (uint32_t k = node < graph->blocks ? h->block_first[node] : 0; node < graph->blocks && k < h->block_first[node + 1]; k++)
				open = step(h, use, k, open);
			again |= pass_on(graph, node, open, entry, dirty);
		}
	}
	free(dirty);
	return entry;
}

void hd_find_shared_counters(const hd_hazards *h, const hd_counter_use *use, bool *shared)
{
	uint32_t *entry = open_at_entries(h, use);
	for (uint32_t b = 0; b < h->graph.blocks; b++) {
		uint32_t open = entry[b];
		for (uint32_t i = h->block_first[b]; i < h->block_first[b + 1]; i++) {
			shared[i] = use->counter[i] && (open & ~use->waits[i]) >> use->counter[i] & 1;
			open = step(h, use, i, open);
		}
	}
	free(entry);
}

/* -- HZ-35 ----------------------------------------------------------------------------------------------------------------------------------- */

/* Counters are bits: bit k = counter k. */
typedef struct queued {
	uint32_t in[HD_PIPE_COUNT];                              /* counters for which a secondary may wait in the queue of the pipe */
	uint32_t unfollowed[HD_MAX_COUNTERS + 1][HD_PIPE_COUNT]; /* of these, by counter: those of secondaries that no primary of it follows there */
} queued;

typedef struct unsafe_search {
	const hd_hazards *h;
	const hd_counter_use *use;
	uint32_t low;      /* counters for which secondaries wait in queues */
	bool passes_waits; /* a wait in the decoder holds back its own pipe only (docs/timing.md, rule 8) */
	queued *entry;     /* of each node */
} unsafe_search;

/* The waits of instruction i that are over before anything else issues. Where the counter is zero, its primaries have left their queues, and so has
 * everything before them there. */
static void pass_waits(const unsafe_search *s, uint32_t i, queued *q)
{
	bool flow = s->h->uses[i].pipe == HD_PIPE_FLOW;
	uint32_t over = flow ? s->use->waits[i] : s->passes_waits ? 0 : s->use->waits[i] & ~s->low;
	for (uint32_t rest = over & ~1u; rest; rest &= rest - 1) {
		unsigned k = hd_lowest_bit(rest);
		for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
			uint32_t stay = q->unfollowed[k][pipe];
			q->in[pipe] &= stay;
			for (unsigned other = 1; other <= HD_MAX_COUNTERS; other++)
				q->unfollowed[other][pipe] &= stay;
		}
	}
}

static void send(const unsafe_search *s, uint32_t i, queued *q)
{
	unsigned pipe = s->h->uses[i].pipe;
	if (pipe >= HD_PIPE_FLOW) /* the flow unit has decided before anything else issues */
		return;
	uint32_t waits = s->use->waits[i] & s->low;
	q->in[pipe] |= waits;
	for (unsigned k = 1; k <= HD_MAX_COUNTERS && waits; k++)
		q->unfollowed[k][pipe] |= waits;
	if (s->use->counter[i])
		q->unfollowed[s->use->counter[i]][pipe] = 0;
}

static bool may_wait(const queued *q, unsigned counter)
{
	uint32_t any = 0;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		any |= q->in[pipe];
	return any >> counter & 1;
}

static void run_block(const unsafe_search *s, uint32_t block, queued *q)
{
	for (uint32_t i = s->h->block_first[block]; i < s->h->block_first[block + 1]; i++) {
		pass_waits(s, i, q);
		send(s, i, q);
	}
}

static bool join_queued(queued *into, const queued *more)
{
	bool changed = false;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		changed |= (more->in[pipe] & ~into->in[pipe]) != 0;
		into->in[pipe] |= more->in[pipe];
		for (unsigned k = 1; k <= HD_MAX_COUNTERS; k++) {
			changed |= (more->unfollowed[k][pipe] & ~into->unfollowed[k][pipe]) != 0;
			into->unfollowed[k][pipe] |= more->unfollowed[k][pipe];
		}
	}
	return changed;
}

static void solve(const unsafe_search *s)
{
	const hd_physical_cfg *graph = &s->h->graph;
	bool *dirty = hd_xmalloc((size_t)graph->nodes + 1);
	memset(dirty, 1, (size_t)graph->nodes + 1);
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < graph->nodes; i++) {
			uint32_t node = graph->order[i];
			queued q = s->entry[node];
			if (!dirty[node])
				continue;
			dirty[node] = false;
			if (node < graph->blocks)
				run_block(s, node, &q);
			for (uint32_t e = graph->first_edge[node]; e < graph->first_edge[node + 1]; e++) {
				if (!join_queued(&s->entry[graph->to[e]], &q))
					continue;
				dirty[graph->to[e]] = true;
				again |= graph->place[graph->to[e]] <= i;
			}
		}
	}
	free(dirty);
}

/* A function that calls, or that is called: lanes of other functions come to it, and what they left in queues is not known. */
static bool has_calls(const hd_hazards *h)
{
	for (uint32_t i = 0; i < h->n; i++)
		if (h->uses[i].drains)
			return true;
	return false;
}

bool hd_find_unsafe_reuse(const hd_hazards *h, const hd_counter_use *use, const hd_machine *machine, bool *unsafe)
{
	uint32_t all = (2u << machine->fence_counters) - 2;
	unsafe_search s = {.h = h,
	                   .use = use,
	                   .low = all & ~(hd_machine_high_mask(machine) << 1),
	                   .passes_waits = hd_machine_passes_waits(machine),
	                   .entry = hd_xcalloc((size_t)h->graph.nodes + 1, sizeof(queued))};
	bool changed = false, calls = has_calls(h);
	solve(&s);
	for (uint32_t b = 0; b < h->graph.blocks; b++) {
		queued q = s.entry[b];
		for (uint32_t i = h->block_first[b]; i < h->block_first[b + 1]; i++) {
			unsigned k = use->counter[i];
			pass_waits(&s, i, &q);
			if (k && s.low >> k & 1 && (calls || may_wait(&q, k)) && !unsafe[i])
				changed = unsafe[i] = true;
			send(&s, i, &q);
		}
	}
	free(s.entry);
	return changed;
}
