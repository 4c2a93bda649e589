#include "passes/lower/convergence_barriers.h"

typedef struct solver {
	hd_regions *regions;
	const hd_ir_function *f;
	uint32_t n;
	hd_bits *live; /* by region: the blocks at whose end lanes may be registered */
	hd_bits reach; /* blocks at whose end lanes can still come to the join */
	uint32_t *queue;
} solver;

/* The lane arrives at the join of the region. */
static bool arrives(const solver *s, const hd_region *r, uint32_t from, uint32_t to)
{
	return to == r->join && hd_regions_goes_round(s->regions, to, from) == r->round;
}

/* The lane goes round a loop that contains the join or the place. */
static bool starts_anew(const solver *s, const hd_region *r, uint32_t from, uint32_t to)
{
	const hd_joins *joins = &s->regions->joins;
	if (to > from)
		return false;
	bool place_inside = hd_joins_in_loop(joins, to, r->block) && !(r->before_loop && r->block == to);
	return place_inside || hd_joins_in_loop(joins, to, r->join);
}

/* Backwards from the join, to the place where the lanes are registered. */
static void find_reach(solver *s, const hd_region *r)
{
	size_t n = 0;
	hd_bits_clear(&s->reach);
	s->queue[n++] = r->join;
	for (bool first = true; n; first = false) {
		uint32_t to = s->queue[--n];
		if (!first && !r->before_loop && to == r->block)
			continue;
		const hd_ir_block *block = s->f->blocks.at[to];
		for (size_t i = 0; i < block->pred_blocks.n; i++) {
			uint32_t from = block->pred_blocks.at[i];
			if (hd_bits_has(&s->reach, from) || (first ? !arrives(s, r, from, to) : to == r->join || starts_anew(s, r, from, to)))
				continue;
			hd_bits_add(&s->reach, from);
			s->queue[n++] = from;
		}
	}
}

/* Forwards from the place, as far as lanes are registered. */
static void find_live(solver *s, const hd_region *r, hd_bits *live)
{
	size_t n = 0;
	if (hd_bits_has(&s->reach, r->block)) {
		hd_bits_add(live, r->block);
		s->queue[n++] = r->block;
	}
	while (n) {
		uint32_t from = s->queue[--n];
		const hd_ir_block *block = s->f->blocks.at[from];
		for (size_t i = 0; i < block->succ.n; i++) {
			uint32_t to = block->succ.at[i];
			if (arrives(s, r, from, to) || starts_anew(s, r, from, to) || !hd_bits_has(&s->reach, to) || hd_bits_has(live, to))
				continue;
			hd_bits_add(live, to);
			s->queue[n++] = to;
		}
	}
}

/* Lanes that the branch separates come to the join by two edges, or leave the loop at different times. */
static bool may_meet(const solver *s, const hd_region *r, const hd_bits *live)
{
	const hd_ir_block *join = s->f->blocks.at[r->join];
	unsigned edges = 0;
	for (size_t i = 0; i < join->pred_blocks.n; i++)
		edges += arrives(s, r, join->pred_blocks.at[i], r->join) && hd_bits_has(live, join->pred_blocks.at[i]);
	return edges > !r->before_loop;
}

static bool intersect(const hd_bits *a, const hd_bits *b, uint32_t n)
{
	for (size_t i = hd_bits_next(a, 0); i < n; i = hd_bits_next(a, i + 1))
		if (hd_bits_has(b, i))
			return true;
	return false;
}

/* Can a lane be registered with both, or come to the join of one while it is registered with the other? */
static bool interfere(const solver *s, size_t i, size_t k)
{
	const hd_regions *all = s->regions;
	return intersect(&s->live[i], &s->live[k], s->n) || hd_bits_has(&s->live[i], all->at[k].join) || hd_bits_has(&s->live[k], all->at[i].join);
}

static bool same_join(const hd_region *a, const hd_region *b) { return a->join == b->join && a->round == b->round; }

/* The lowest barrier that no region with which this one interferes has. */
static uint32_t choose(const solver *s, size_t which, const hd_bits *yields)
{
	const hd_regions *all = s->regions;
	uint32_t taken = 0;
	for (size_t i = 0; i < all->n; i++) {
		if (all->at[i].barrier == HD_NO_BARRIER)
			continue;
		if (same_join(&all->at[i], &all->at[which]))
			return all->at[i].barrier;
	}
	/* All regions of the join, because they share the barrier. */
	for (size_t k = 0; k < all->n; k++)
		for (size_t i = 0; i < all->n && same_join(&all->at[k], &all->at[which]); i++)
			if (all->at[i].barrier != HD_NO_BARRIER &&
			    (interfere(s, i, k) || intersect(&s->live[i], yields, s->n) || intersect(&s->live[k], yields, s->n)))
				taken |= 1u << all->at[i].barrier;
	for (uint32_t barrier = 0; barrier < HD_BARRIER_REGISTERS; barrier++)
		if (!(taken >> barrier & 1))
			return barrier;
	return HD_NO_BARRIER;
}

static void add_leavings(const solver *s, size_t which, hd_leavings *leavings)
{
	const hd_region *r = &s->regions->at[which];
	for (size_t from = hd_bits_next(&s->live[which], 0); from < s->n; from = hd_bits_next(&s->live[which], from + 1)) {
		const hd_ir_block *block = s->f->blocks.at[from];
		for (uint32_t side = 0; side < block->succ.n; side++) {
			uint32_t to = block->succ.at[side];
			bool stays = !starts_anew(s, r, (uint32_t)from, to) && hd_bits_has(&s->live[which], to), known = false;
			if (arrives(s, r, (uint32_t)from, to) || stays || (s->f->kernel && hd_regions_only_ends(s->f->blocks.at[to])))
				continue;
			for (size_t i = 0; i < leavings->n; i++)
				known |= leavings->at[i].block == from && leavings->at[i].side == side && leavings->at[i].barrier == r->barrier;
			if (!known)
				hd_vec_push(leavings, ((hd_leaving){(uint32_t)from, side, r->barrier}));
		}
	}
}

/* Regions in the order of their places, and at one place the join that lanes reach last first: outer regions come first. */
static int compare(const hd_regions *all, const hd_region *a, const hd_region *b)
{
	uint64_t x = 2 * (uint64_t)a->block + !a->before_loop, y = 2 * (uint64_t)b->block + !b->before_loop;
	if (x == y) {
		x = hd_region_order(all, b);
		y = hd_region_order(all, a);
	}
	return x < y ? -1 : x > y;
}

static void sort(hd_regions *all)
{
	for (size_t i = 1; i < all->n; i++) {
		hd_region r = all->at[i];
		size_t k = i;
		for (; k && compare(all, &r, &all->at[k - 1]) < 0; k--)
			all->at[k] = all->at[k - 1];
		all->at[k] = r;
	}
}

void hd_assign_barriers(hd_regions *all, const hd_bits *yields, hd_leavings *leavings)
{
	uint32_t n = (uint32_t)all->function->blocks.n;
	solver s = {.regions = all, .f = all->function, .n = n, .reach = hd_bits_new((size_t)n + 1)};
	s.live = hd_xcalloc(all->n + 1, sizeof *s.live);
	s.queue = hd_xcalloc((size_t)n + 1, sizeof *s.queue);
	sort(all);
	for (size_t i = 0; i < all->n; i++) {
		all->at[i].barrier = HD_NO_BARRIER;
		s.live[i] = hd_bits_new((size_t)n + 1);
		find_reach(&s, &all->at[i]);
		find_live(&s, &all->at[i], &s.live[i]);
	}
	for (size_t i = 0; i < all->n; i++)
		all->at[i].barrier = may_meet(&s, &all->at[i], &s.live[i]) ? choose(&s, i, yields) : HD_NO_BARRIER;
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].barrier != HD_NO_BARRIER)
			add_leavings(&s, i, leavings);
	size_t left = 0;
	for (size_t i = 0; i < all->n; i++) {
		hd_bits_free(&s.live[i]);
		if (all->at[i].barrier != HD_NO_BARRIER)
			all->at[left++] = all->at[i];
	}
	all->n = left;
	hd_bits_free(&s.reach);
	free(s.live);
	free(s.queue);
}
