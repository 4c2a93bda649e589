/* The fixed point of a forward analysis over a graph of blocks: the state at the beginning of every block. Both checkers use it (src/check proves our
 * own code, src/sass real code). */
#ifndef HD_FLOW_H
#define HD_FLOW_H

#include "base/base.h"

/* A graph of `n` blocks. The successors of block b are succ[succ_first[b]] to succ[succ_first[b + 1] - 1]. */
typedef struct hd_flow_graph {
	uint32_t n;
	const uint32_t *succ_first, *succ;
	uint64_t *steps; /* steps of work that are left; NULL: any number */
} hd_flow_graph;

/* One analysis. It stores the state at the beginning of each block itself. */
typedef struct hd_forward {
	/* Computes the state at the end of a block from the state at its beginning. */
	void (*run)(void *analysis, uint32_t block);
	/* Joins the state at the end of block `from`, which `run` computed last, to the state at the beginning of block `to`. Returns true when that
	 * state changed. Requires: the state of a block can change only finitely often. */
	bool (*join)(void *analysis, uint32_t from, uint32_t to);
	/* True for a block that must run even if no join changes it. NULL: every block must run. */
	bool (*begins)(void *analysis, uint32_t block);
	void *analysis;
} hd_forward;

/* Counts `n` steps of work. Returns false when no step is left. */
static inline bool hd_flow_spend(const hd_flow_graph *graph, uint64_t n)
{
	if (!graph->steps)
		return true;
	*graph->steps -= hd_min_u64(*graph->steps, n);
	return *graph->steps > 0;
}
/* Runs blocks in order of their numbers until no join changes a state, or until no step is left. The states mean nothing in the second case. */
void hd_flow_solve(const hd_flow_graph *graph, const hd_forward *forward);

#endif
