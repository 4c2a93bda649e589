#include "passes/analysis/post_dominators.h"

typedef struct path_entry {
	uint32_t block;
	size_t next_predecessor;
} path_entry;

typedef struct solver {
	hd_post_dominators *p;
	const hd_ir_function *f;
	uint32_t *order;  /* blocks of this round, in post-order of a walk from its ends against the edges */
	uint32_t *number; /* place in `order`; the virtual exit, n, comes last */
	uint32_t count;
} solver;

static bool is_end(const hd_ir_block *block) { return block->term == HD_TERM_RET || block->term == HD_TERM_EXIT; }

static void walk(solver *s, uint32_t root, uint32_t round)
{
	HD_VEC(path_entry) path = {0};
	if (s->p->round[root])
		return;
	s->p->round[root] = round;
	hd_vec_push(&path, (path_entry){root, 0});
	while (path.n) {
		path_entry *top = &path.at[path.n - 1];
		const hd_ir_block *block = s->f->blocks.at[top->block];
		if (top->next_predecessor == block->pred_blocks.n) {
			s->number[top->block] = s->count;
			s->order[s->count++] = top->block;
			path.n--;
			continue;
		}
		uint32_t from = block->pred_blocks.at[top->next_predecessor++];
		if (!s->p->round[from]) {
			s->p->round[from] = round;
			hd_vec_push(&path, (path_entry){from, 0});
		}
	}
	hd_vec_free(&path);
}

static uint32_t common_post_dominator(const solver *s, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (s->number[a] < s->number[b])
			a = s->p->immediate[a];
		while (s->number[b] < s->number[a])
			b = s->p->immediate[b];
	}
	return a;
}

/* Iterates over the blocks of one round to the fixed point (Cooper, Harvey and Kennedy, on the reversed graph). */
static void solve(solver *s, uint32_t round)
{
	hd_post_dominators *p = s->p;
	s->number[p->n] = s->count;
	p->immediate[p->n] = p->n;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = s->count; i-- > 0;) {
			uint32_t b = s->order[i];
			const hd_ir_block *block = s->f->blocks.at[b];
			uint32_t best = is_end(block) ? p->n : HD_NO_BLOCK;
			for (size_t k = 0; k < block->succ.n; k++) {
				uint32_t to = block->succ.at[k];
				if (p->round[to] == round && p->immediate[to] != HD_NO_BLOCK)
					best = best == HD_NO_BLOCK ? to : common_post_dominator(s, best, to);
			}
			again |= best != p->immediate[b];
			p->immediate[b] = best;
		}
	}
}

hd_post_dominators hd_post_dominators_new(const hd_ir_function *f)
{
	uint32_t n = (uint32_t)f->blocks.n, last = n;
	hd_post_dominators p = {n, hd_xcalloc((size_t)n + 1, sizeof(uint32_t)), hd_xcalloc((size_t)n + 1, sizeof(uint32_t))};
	solver s = {.p = &p, .f = f};
	s.order = hd_xcalloc((size_t)n + 1, sizeof *s.order);
	s.number = hd_xcalloc((size_t)n + 1, sizeof *s.number);
	for (uint32_t b = 0; b < n; b++) {
		p.immediate[b] = HD_NO_BLOCK;
		if (is_end(f->blocks.at[b]))
			last = b;
	}
	for (uint32_t round = 1; round <= 2; round++) {
		s.count = 0;
		for (uint32_t b = 0; b < n; b++)
			if (is_end(f->blocks.at[b]) && (round == 2 || b == last))
				walk(&s, b, round);
		solve(&s, round);
	}
	free(s.order);
	free(s.number);
	return p;
}

void hd_post_dominators_free(hd_post_dominators *p)
{
	free(p->round);
	free(p->immediate);
	*p = (hd_post_dominators){0};
}

uint32_t hd_reconvergence_point(const hd_post_dominators *p, const hd_ir_function *f, uint32_t b)
{
	const hd_ir_block *block = f->blocks.at[b];
	if (block->term != HD_TERM_BRANCH || !p->round[b] || p->immediate[b] >= p->n || block->succ.at[0] == block->succ.at[1])
		return HD_NO_BLOCK;
	for (size_t s = 0; s < 2; s++)
		if (p->round[block->succ.at[s]] != p->round[b])
			return HD_NO_BLOCK;
	return p->immediate[b];
}

bool hd_post_dominates(const hd_post_dominators *p, uint32_t to, uint32_t from)
{
	while (from < p->n && from != to)
		from = p->immediate[from];
	return from == to;
}
