/* RC-15, by a measure: how many block issues least-address-first makes of the layout pass's order, over the fewest possible for the paths that the
 * lanes take. The fewest: for two lanes exactly, the shortest common supersequence of their paths; for a warp a bound, the sum over blocks of the
 * most executions by any lane. Each lane decides by itself, from nothing but its number and what it has done, so that its path does not depend on the
 * order. For comparison the same with the blocks in another order: the measure must be able to tell. */
#include "../test.h"

#include "../run_pass.h"
#include "passes/schedule/layout.h"

enum { BLOCKS_MAX = 48, STEPS_MAX = 4000, PATH_MAX_ = 400, FUEL = 60 };
typedef enum shape { FORWARD, LOOPS_IN_A_ROW, NESTS, IRREDUCIBLE } shape;

typedef struct graph {
	unsigned n;
	uint32_t succ[BLOCKS_MAX][2]; /* equal: a jump; the last block ends */
	uint32_t out[BLOCKS_MAX];     /* the successor on a shortest way to the end */
	uint32_t weight[BLOCKS_MAX];  /* instructions */
} graph;

static uint32_t any(uint64_t *seed, uint32_t n) { return (uint32_t)(hd_random(seed) >> 20) % n; }

/* A nest of ifs and loops between blocks first and last, exclusive; loops end with a branch back. */
static void nest(graph *g, unsigned first, unsigned last, uint64_t *seed, unsigned deep)
{
	unsigned b = first;
	while (b < last) {
		unsigned room = last - b;
		if (deep && room >= 4 && any(seed, 3)) {
			unsigned size = 3 + any(seed, room - 3), end = b + size;
			if (any(seed, 2)) { /* if with an else: b, then, else, end */
				unsigned middle = b + 2 + any(seed, size - 2);
				g->succ[b][0] = b + 1;
				g->succ[b][1] = middle;
				nest(g, b + 1, middle - 1, seed, deep - 1);
				g->succ[middle - 1][0] = g->succ[middle - 1][1] = end;
				nest(g, middle, end, seed, deep - 1);
			} else { /* loop: b head, body, end - 1 goes back */
				g->succ[b][0] = b + 1;
				g->succ[b][1] = any(seed, 2) ? end : b + 1;
				nest(g, b + 1, end - 1, seed, deep - 1);
				g->succ[end - 1][0] = b;
				g->succ[end - 1][1] = end;
			}
			b = end;
		} else {
			g->succ[b][0] = g->succ[b][1] = b + 1;
			b++;
		}
	}
}

static graph random_graph(shape s, uint64_t *seed)
{
	graph g = {.n = 6 + any(seed, BLOCKS_MAX - 6)};
	unsigned last = g.n - 1;
	for (unsigned b = 0; b < g.n; b++)
		g.weight[b] = 1 + any(seed, 6);
	for (unsigned b = 0; b < last; b++) {
		g.succ[b][0] = g.succ[b][1] = b + 1;
		if (s == FORWARD && any(seed, 3))
			g.succ[b][0] = b + 1 + any(seed, last - b);
		if (s == IRREDUCIBLE && any(seed, 3))
			g.succ[b][0] = 1 + any(seed, last);
	}
	if (s == NESTS)
		nest(&g, 0, last, seed, 4);
	for (unsigned b = 1; s == LOOPS_IN_A_ROW && b + 4 < last; b += 4)
		g.succ[b + 2][0] = b + any(seed, 3);
	/* Distances to the end, so that lanes out of fuel find it. */
	uint32_t far[BLOCKS_MAX];
	for (unsigned b = 0; b < g.n; b++)
		far[b] = b == last ? 0 : 1000;
	for (unsigned round = 0; round < g.n; round++) {
		for (unsigned b = 0; b < last; b++) {
			for (unsigned i = 0; i < 2; i++) {
				if (far[g.succ[b][i]] + 1 < far[b]) {
					far[b] = far[g.succ[b][i]] + 1;
					g.out[b] = g.succ[b][i];
				}
			}
		}
	}
	return g;
}

/* The path of a lane, alone. */
static unsigned walk(const graph *g, uint64_t seed, unsigned lane, uint32_t path[PATH_MAX_])
{
	unsigned n = 0;
	uint64_t mood = seed * 31 + lane * 7919 + 1;
	uint32_t at = 0;
	for (;;) {
		path[n++] = at;
		if (at == g->n - 1)
			return n;
		assert_true(n < PATH_MAX_);
		bool yes = hd_random(&mood) >> 17 & 1;
		at = n >= FUEL ? g->out[at] : g->succ[at][!yes];
	}
}

/* Issues of a warp, least address first; place[b] is the address of block b. */
static uint64_t issues(const graph *g, const uint32_t *place, unsigned lanes, uint32_t path[][PATH_MAX_], const unsigned *length)
{
	unsigned at[HD_LANES] = {0};
	uint64_t sum = 0;
	for (;;) {
		uint32_t lowest = UINT32_MAX, block = 0;
		for (unsigned lane = 0; lane < lanes; lane++) {
			if (at[lane] < length[lane] && place[path[lane][at[lane]]] < lowest) {
				block = path[lane][at[lane]];
				lowest = place[block];
			}
		}
		if (lowest == UINT32_MAX)
			return sum;
		sum += g->weight[block];
		for (unsigned lane = 0; lane < lanes; lane++)
			at[lane] += at[lane] < length[lane] && path[lane][at[lane]] == block;
	}
}

/* Weight of the shortest common supersequence. */
static uint64_t fewest_of_two(const graph *g, const uint32_t *a, unsigned n, const uint32_t *b, unsigned m)
{
	static uint32_t best[PATH_MAX_ + 1][PATH_MAX_ + 1];
	for (unsigned i = n + 1; i-- > 0;) {
		for (unsigned j = m + 1; j-- > 0;) {
			if (i == n && j == m) {
				best[i][j] = 0;
				continue;
			}
			uint32_t least = UINT32_MAX;
			if (i < n && j < m && a[i] == b[j])
				least = best[i + 1][j + 1] + g->weight[a[i]];
			if (i < n && best[i + 1][j] + g->weight[a[i]] < least)
				least = best[i + 1][j] + g->weight[a[i]];
			if (j < m && best[i][j + 1] + g->weight[b[j]] < least)
				least = best[i][j + 1] + g->weight[b[j]];
			best[i][j] = least;
		}
	}
	return best[0][0];
}

static uint64_t bound(const graph *g, unsigned lanes, uint32_t path[][PATH_MAX_], const unsigned *length)
{
	uint64_t sum = 0;
	for (uint32_t b = 0; b < g->n; b++) {
		unsigned most = 0;
		for (unsigned lane = 0; lane < lanes; lane++) {
			unsigned count = 0;
			for (unsigned i = 0; i < length[lane]; i++)
				count += path[lane][i] == b;
			most = count > most ? count : most;
		}
		sum += (uint64_t)most * g->weight[b];
	}
	return sum;
}

/* The pass's order; blocks that nothing reaches have no place. */
static void laid_out(const graph *g, uint32_t place[BLOCKS_MAX])
{
	hd_ir_module *m = hd_ir_module_new();
	hd_ir_function *f = hd_ir_function_new(m, "test");
	f->kernel = true;
	hd_ir_vreg_new(f, 0);
	for (uint32_t b = 0; b < g->n; b++) {
		hd_ir_block *block;
		hd_ir_block_new(m, f);
		block = f->blocks.at[b];
		block->loc.line = b;
		block->term = b + 1 == g->n ? HD_TERM_EXIT : g->succ[b][0] == g->succ[b][1] ? HD_TERM_JUMP : HD_TERM_BRANCH;
		if (block->term == HD_TERM_BRANCH)
			block->pred = hd_opd_pred(0, false);
		for (unsigned i = 0; i < (block->term == HD_TERM_BRANCH ? 2u : block->term == HD_TERM_JUMP ? 1u : 0u); i++)
			hd_vec_push(&block->succ, g->succ[b][i]);
	}
	run_pass(hd_pass_layout, m, NULL);
	for (uint32_t i = 0; i < f->blocks.n; i++)
		place[f->blocks.at[i]->loc.line] = i;
	hd_ir_module_free(m);
}

static void shuffled(const graph *g, uint32_t place[BLOCKS_MAX], uint64_t *seed)
{
	for (uint32_t b = 0; b < g->n; b++)
		place[b] = b;
	for (uint32_t b = g->n - 1; b > 0; b--) {
		uint32_t other = any(seed, b + 1), t = place[b];
		place[b] = place[other];
		place[other] = t;
	}
}

typedef struct measured {
	uint64_t two, fewest, two_shuffled;  /* pairs of lanes */
	uint64_t warp, bound, warp_shuffled; /* 32 lanes */
	unsigned exact, graphs;              /* graphs in which a warp reaches the bound */
} measured;

static measured measure(shape s, unsigned graphs)
{
	static uint32_t path[HD_LANES][PATH_MAX_];
	measured m = {.graphs = graphs};
	for (unsigned i = 0; i < graphs; i++) {
		uint64_t seed = 1000u * (unsigned)s + i + 1;
		graph g = random_graph(s, &seed);
		uint32_t place[BLOCKS_MAX] = {0}, other[BLOCKS_MAX];
		unsigned length[HD_LANES];
		laid_out(&g, place);
		shuffled(&g, other, &seed);
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			length[lane] = walk(&g, seed, lane, path[lane]);
		uint64_t two = issues(&g, place, 2, path, length), fewest = fewest_of_two(&g, path[0], length[0], path[1], length[1]);
		uint64_t warp = issues(&g, place, HD_LANES, path, length), least = bound(&g, HD_LANES, path, length);
		assert_true(fewest <= two && least <= warp && bound(&g, 2, path, length) <= fewest);
		m.two += two;
		m.fewest += fewest;
		m.two_shuffled += issues(&g, other, 2, path, length);
		m.warp += warp;
		m.bound += least;
		m.warp_shuffled += issues(&g, other, HD_LANES, path, length);
		m.exact += warp == least;
	}
	print_message("two lanes: %.3f of the fewest (shuffled %.3f); a warp: %.3f of the bound (shuffled %.3f), exactly in %u of %u\n",
	              (double)m.two / (double)m.fewest, (double)m.two_shuffled / (double)m.fewest, (double)m.warp / (double)m.bound,
	              (double)m.warp_shuffled / (double)m.bound, m.exact, m.graphs);
	return m;
}

/* Without loops every block is issued once at most, whatever the jumps: joins lie behind all that leads to them. */
TEST(rc_15_forward_code_is_issued_once)
{
	measured m = measure(FORWARD, 300);
	assert_int_equal(m.exact, m.graphs);
	assert_int_equal(m.two, m.fewest);
	assert_true(m.two_shuffled * 100 > m.fewest * 110);
	assert_true(m.warp_shuffled * 100 > m.bound * 130);
}

/* Loops without branches inside, one after the other: as often as the lane with most turns. */
TEST(rc_15_loops_wait_for_their_last_lane)
{
	measured m = measure(LOOPS_IN_A_ROW, 200);
	assert_int_equal(m.exact, m.graphs);
	assert_int_equal(m.two, m.fewest);
	assert_true(m.warp_shuffled * 100 > m.bound * 120);
}

TEST(rc_15_nests_of_ifs_and_loops)
{
	measured m = measure(NESTS, 300);
	assert_true(m.two * 100 <= m.fewest * 105);
	assert_true(m.two_shuffled * 100 > m.two * 110);
	assert_true(m.warp_shuffled * 100 > m.warp * 120);
}

/* Cycles with several entries everywhere. */
TEST(rc_15_irreducible_graphs)
{
	measured m = measure(IRREDUCIBLE, 300);
	assert_true(m.two * 100 <= m.fewest * 115);
	assert_true(m.two_shuffled * 100 > m.two * 105);
	assert_true(m.warp_shuffled * 100 > m.warp * 110);
}
