#include "passes/lower/regions.h"

/* The join only ends the thread, and nobody has to be there together. */
bool hd_regions_only_ends(const hd_ir_block *block) { return block->term == HD_TERM_EXIT && block->insts.n == 0; }

static bool has_one_entry(const hd_regions *p, uint32_t header)
{
	for (uint32_t b = header + 1; b <= p->joins.last[header]; b++) {
		const hd_ir_block *block = p->function->blocks.at[b];
		for (size_t i = 0; i < block->pred_blocks.n; i++)
			if (!hd_joins_in_loop(&p->joins, header, block->pred_blocks.at[i]))
				return false;
	}
	return header != 0;
}

bool hd_regions_goes_round(const hd_regions *p, uint32_t join, uint32_t block)
{
	return p->joins.last[join] != HD_NO_BLOCK && hd_joins_in_loop(&p->joins, join, block);
}

static hd_region place(const hd_regions *p, uint32_t branch, uint32_t join)
{
	uint32_t loop = hd_joins_loop_without(&p->joins, branch, join);
	hd_region r = {.block = branch, .join = join, .round = hd_regions_goes_round(p, join, branch)};
	if (loop != HD_NO_BLOCK && has_one_entry(p, loop)) {
		r.block = loop;
		r.before_loop = true;
	}
	return r;
}

/* The loop in which the lanes are registered. */
uint32_t hd_region_loop(const hd_regions *p, const hd_region *r) { return r->before_loop ? p->joins.outer[r->block] : p->joins.inner[r->block]; }

/* Every lane that comes to the place of `b` has come through that of `a` in the same iteration. */
static bool covers(const hd_regions *p, const hd_region *a, const hd_region *b)
{
	if (a->join != b->join || a->round != b->round || hd_region_loop(p, a) != hd_region_loop(p, b))
		return false;
	if (a->block == b->block)
		return a->before_loop || !b->before_loop;
	return hd_joins_dominates(&p->joins, a->block, b->block) && !(a->before_loop && hd_joins_in_loop(&p->joins, a->block, b->block));
}

static void drop_covered(hd_regions *p)
{
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->n && !p->at[i].dropped; k++)
			p->at[i].dropped = k != i && !p->at[k].dropped && covers(p, &p->at[k], &p->at[i]);
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++)
		if (!p->at[i].dropped)
			p->at[n++] = p->at[i];
	p->n = n;
}

/* Of loops with the same last block, lanes reach the end of the inner one first. */
uint64_t hd_region_order(const hd_regions *p, const hd_region *r)
{
	if (!r->round)
		return (2 * (uint64_t)r->join) << 32;
	return (2 * (uint64_t)p->joins.last[r->join] + 1) << 32 | (UINT32_MAX - r->join);
}

hd_regions hd_regions_new(const hd_ir_function *f, const hd_machine *machine, const hd_resource_set *written)
{
	hd_regions regions = {.function = f, .joins = hd_joins_new(f)};
	uint32_t n = (uint32_t)f->blocks.n;
	hd_bits divergent = hd_bits_new((size_t)n + 1), joins = hd_bits_new((size_t)n + 1);
	hd_find_divergent_branches(f, machine, written, &regions.joins, &divergent);
	for (size_t b = hd_bits_next(&divergent, 0); b < n; b = hd_bits_next(&divergent, b + 1)) {
		hd_bits_clear(&joins);
		hd_joins_of(&regions.joins, (uint32_t)b, &joins);
		for (size_t at = hd_bits_next(&joins, 0); at < n; at = hd_bits_next(&joins, at + 1))
			if (!hd_regions_only_ends(f->blocks.at[at]))
				hd_vec_push(&regions, place(&regions, (uint32_t)b, (uint32_t)at));
	}
	drop_covered(&regions);
	hd_bits_free(&joins);
	regions.divergent = divergent;
	return regions;
}

void hd_regions_free(hd_regions *regions)
{
	hd_joins_free(&regions->joins);
	hd_bits_free(&regions->divergent);
	free(regions->at);
	*regions = (hd_regions){0};
}
