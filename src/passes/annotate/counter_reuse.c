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
