#include "check/path.h"

static bool outstanding_at(const hd_fact_list *in, uint32_t word)
{
	for (size_t i = 0; i < in->n; i++) {
		if (in->at[i].word == word)
			return true;
	}
	return false;
}

/* Breadth first from block `from`, over blocks at whose entry the producer is outstanding. came[b]: the block before b, plus 1; 0 = not reached. The
 * block `from` itself is reached only if a way leads back to it. */
static bool search(const hd_code_graph *g, const hd_fact_list *in, uint32_t producer, uint32_t from, uint32_t to, uint32_t *came)
{
	uint32_t *queue = hd_xcalloc((size_t)g->n + 1, sizeof *queue), head = 0, tail = 0;
	queue[tail++] = from;
	while (head < tail && !came[to]) {
		uint32_t b = queue[head++];
		for (uint32_t s = g->succ_first[b]; s < g->succ_first[b + 1]; s++) {
			uint32_t next = g->succ[s];
			if (came[next] || !outstanding_at(&in[next], producer))
				continue;
			came[next] = b + 1;
			queue[tail++] = next;
		}
	}
	free(queue);
	return came[to] != 0;
}

void hd_path_find(const hd_code_graph *g, const hd_fact_list *in, hd_finding *finding)
{
	uint32_t from = hd_block_at(g, finding->producer), to = hd_block_at(g, finding->consumer);
	hd_vec_push(&finding->path, finding->producer);
	if (from != to || finding->producer >= finding->consumer) {
		uint32_t *came = hd_xcalloc((size_t)g->n + 1, sizeof *came);
		HD_VEC(uint32_t) back = {0};
		if (search(g, in, finding->producer, from, to, came)) {
			uint32_t b = to;
			do {
				hd_vec_push(&back, g->begin[b]);
				b = came[b] - 1;
			} while (b != from);
		}
		for (size_t i = back.n; i-- > 0;)
			hd_vec_push(&finding->path, back.at[i]);
		hd_vec_free(&back);
		free(came);
	}
	if (finding->path.at[finding->path.n - 1] != finding->consumer)
		hd_vec_push(&finding->path, finding->consumer);
}
