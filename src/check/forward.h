/* The fixed point of a forward analysis over the physical graph: the state at the beginning of every block. */
#ifndef HD_CHECK_FORWARD_H
#define HD_CHECK_FORWARD_H

#include "check/graph.h"

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

/* Runs blocks in order of address until no join changes a state, or until no step is left. The states mean nothing in the second case. */
void hd_forward_solve(const hd_code_graph *graph, const hd_forward *forward);

#endif
