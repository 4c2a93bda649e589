#include "sass/way.h"

/* An instruction that overwrites all registers of the finding, or waits for its counters: no way leads through it. */
static bool stops(const hd_sass_instruction *x, const hd_sass_finding *f)
{
	if (x->control.wait_mask & f->counters)
		return true;
	for (unsigned i = 0; i < x->accesses && hd_sass_unguarded(x); i++) {
		const hd_sass_access *a = &x->access[i];
		if (a->write && a->file == f->file && a->first <= f->first && a->first + a->count >= f->first + f->count)
			return true;
	}
	return false;
}

static bool open_between(const hd_sass_graph *g, const hd_sass_finding *f, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (stops(&g->code->at[i], f))
			return false;
	return true;
}

/* A breadth-first search. came[b]: 1 + the block before b; 0: not reached. */
static bool search(const hd_sass_graph *g, const hd_sass_finding *f, bool any, uint32_t *came)
{
	uint32_t from = g->block_of[f->producer], to = g->block_of[f->consumer], head = 0, tail = 0;
	uint32_t *queue = hd_xcalloc((size_t)g->n + 1, sizeof *queue);
	memset(came, 0, g->n * sizeof *came);
	queue[tail++] = from;
	while (head < tail && !came[to]) {
		uint32_t b = queue[head++];
		uint32_t begin = b == from && head == 1 ? f->producer + 1 : g->begin[b];
		if (!any && !open_between(g, f, begin, g->begin[b + 1]))
			continue;
		for (uint32_t i = g->succ_first[b]; i < g->succ_first[b + 1]; i++) {
			if (came[g->succ[i]])
				continue;
			came[g->succ[i]] = b + 1;
			queue[tail++] = g->succ[i];
		}
	}
	free(queue);
	return came[to] != 0;
}

void hd_sass_way_find(const hd_sass_graph *g, hd_sass_finding *f)
{
	uint32_t from = g->block_of[f->producer], to = g->block_of[f->consumer];
	hd_vec_push(&f->path, f->producer);
	if (from != to || f->producer >= f->consumer) {
		uint32_t *came = hd_xcalloc((size_t)g->n + 1, sizeof *came);
		HD_VEC(uint32_t) back = {0};
		bool found = search(g, f, false, came) || search(g, f, true, came);
		for (uint32_t b = to; found && back.n <= g->n; b = came[b] - 1) {
			hd_vec_push(&back, g->begin[b]);
			if (came[b] - 1 == from)
				break;
		}
		for (size_t i = back.n; i-- > 0;)
			hd_vec_push(&f->path, back.at[i]);
		hd_vec_free(&back);
		free(came);
	}
	if (f->path.at[f->path.n - 1] != f->consumer)
		hd_vec_push(&f->path, f->consumer);
}
