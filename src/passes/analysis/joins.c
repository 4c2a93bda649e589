#include "passes/analysis/joins.h"

static void find_loops(hd_joins *j)
{
	uint32_t n = j->n, depth, *open = hd_xcalloc((size_t)n + 1, sizeof *open);
	for (uint32_t b = 0; b < n; b++) {
		const hd_ir_block *block = j->function->blocks.at[b];
		for (size_t s = 0; s < block->succ.n; s++) {
			uint32_t h = block->succ.at[s];
			if (h <= b && (j->last[h] == HD_NO_BLOCK || j->last[h] < b))
				j->last[h] = b;
		}
	}
	for (bool again = true; again;) {
		again = false;
		depth = 0;
		for (uint32_t b = 0; b < n; b++) {
			while (depth && j->last[open[depth - 1]] < b)
				depth--;
			if (j->last[b] != HD_NO_BLOCK) {
				j->outer[b] = depth ? open[depth - 1] : HD_NO_BLOCK;
				for (uint32_t d = 0; d < depth; d++) {
					again |= j->last[open[d]] < j->last[b];
					j->last[open[d]] = hd_max_u32(j->last[open[d]], j->last[b]);
				}
				open[depth++] = b;
			}
			j->inner[b] = depth ? open[depth - 1] : HD_NO_BLOCK;
		}
	}
	free(open);
}

/* Cooper, Harvey and Kennedy. `rank`: the place of each reachable block in reverse post-order. */
static void find_dominators(hd_joins *j)
{
	uint32_t count, *order = hd_ir_rpo(j->function, &count), *rank = hd_xcalloc((size_t)j->n + 1, sizeof *rank);
	for (uint32_t i = 0; i < count; i++)
		rank[order[i]] = i;
	if (count)
		j->dominator[order[0]] = order[0];
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 1; i < count; i++) {
			const hd_ir_block *block = j->function->blocks.at[order[i]];
			uint32_t best = HD_NO_BLOCK;
			for (size_t p = 0; p < block->pred_blocks.n; p++) {
				uint32_t from = block->pred_blocks.at[p];
				if (j->dominator[from] == HD_NO_BLOCK)
					continue;
				while (best != HD_NO_BLOCK && best != from) {
					if (rank[best] > rank[from])
						best = j->dominator[best];
					else
						from = j->dominator[from];
				}
				best = from;
			}
			again |= best != j->dominator[order[i]];
			j->dominator[order[i]] = best;
		}
	}
	free(order);
	free(rank);
}

static uint32_t *no_blocks(size_t n)
{
	uint32_t *list = hd_xcalloc(n + 1, sizeof *list);
	memset(list, 0xff, (n + 1) * sizeof *list);
	return list;
}

hd_joins hd_joins_new(const hd_ir_function *function)
{
	uint32_t n = (uint32_t)function->blocks.n;
	hd_joins j = {function, n, no_blocks(n), no_blocks(n), no_blocks(n), no_blocks(n), no_blocks(2 * (size_t)n)};
	find_loops(&j);
	find_dominators(&j);
	return j;
}

void hd_joins_free(hd_joins *j)
{
	free(j->last);
	free(j->inner);
	free(j->outer);
	free(j->dominator);
	free(j->label);
	*j = (hd_joins){0};
}

bool hd_joins_dominates(const hd_joins *j, uint32_t above, uint32_t below)
{
	if (j->dominator[above] == HD_NO_BLOCK || j->dominator[below] == HD_NO_BLOCK)
		return above == below;
	while (below != above && below != j->dominator[below])
		below = j->dominator[below];
	return below == above;
}

uint32_t hd_joins_loop_without(const hd_joins *j, uint32_t block, uint32_t other)
{
	uint32_t found = HD_NO_BLOCK;
	for (uint32_t h = j->inner[block]; h != HD_NO_BLOCK && !hd_joins_in_loop(j, h, other); h = j->outer[h])
		found = h;
	return found;
}

/* A node is a block v, or n + h: the end of the loop with header h, to which its backward edges lead. The lanes that come to a node all have the
 * node's label, or the node joins lanes with different labels, and becomes the label of what follows it. */
static void come(const hd_joins *j, uint32_t node, uint32_t label, hd_bits *found)
{
	uint32_t *at = &j->label[node];
	if (*at == HD_NO_BLOCK) {
		*at = label;
	} else if (*at != label && *at != node) {
		*at = node;
		hd_bits_add(found, node < j->n ? node : node - j->n);
	}
}

static void follow(const hd_joins *j, uint32_t b, uint32_t from, uint32_t to, uint32_t label, hd_bits *found)
{
	if (to > from)
		come(j, to, label, found);
	else if (to <= b) /* Lanes stay together in a loop that they have entered behind the branch. */
		come(j, j->n + to, label, found);
}

/* All ways through the loop with header h have been followed once. Lanes that come to its end go round, and may leave at every exit. */
static void go_round(const hd_joins *j, uint32_t b, uint32_t h, hd_bits *found)
{
	uint32_t label = j->label[j->n + h];
	if (label == HD_NO_BLOCK)
		return;
	for (uint32_t from = h; from <= j->last[h]; from++) {
		const hd_ir_block *block = j->function->blocks.at[from];
		for (size_t s = 0; s < block->succ.n; s++)
			if (!hd_joins_in_loop(j, h, block->succ.at[s]))
				follow(j, b, from, block->succ.at[s], label, found);
	}
}

void hd_joins_of(const hd_joins *j, uint32_t b, hd_bits *found)
{
	const hd_ir_block *branch = j->function->blocks.at[b];
	uint32_t h = j->inner[b];
	if (branch->term != HD_TERM_BRANCH || branch->succ.at[0] == branch->succ.at[1])
		return;
	memset(j->label, 0xff, 2 * (size_t)j->n * sizeof *j->label);
	for (uint32_t side = 0; side < 2; side++) /* labels that no node has */
		follow(j, b, b, branch->succ.at[side], 2 * j->n + side, found);
	for (uint32_t v = b + 1; v < j->n; v++) {
		const hd_ir_block *block = j->function->blocks.at[v];
		for (; h != HD_NO_BLOCK && j->last[h] < v; h = j->outer[h])
			go_round(j, b, h, found);
		for (size_t s = 0; s < block->succ.n && j->label[v] != HD_NO_BLOCK; s++)
			follow(j, b, v, block->succ.at[s], j->label[v], found);
	}
}
