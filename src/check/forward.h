/* The fixed point of a forward analysis over the physical graph: what holds at the beginning of every block. */
#ifndef HD_CHECK_FORWARD_H
#define HD_CHECK_FORWARD_H

#include "check/graph.h"

/* One analysis. It keeps what holds at the beginning of each block itself. */
typedef struct hd_forward {
	/* Finds what holds at the end of a block from what holds at its beginning. */
	void (*run)(void *analysis, uint32_t block);
	/* Joins what holds at the end of block `from`, which `run` found last, to what holds at the beginning of block `to`. Returns true when
	 * that changed. Requires: one block can change only finitely often. */
	bool (*join)(void *analysis, uint32_t from, uint32_t to);
	/* True for a block that is to be run even if no join changes it. NULL: all are. */
	bool (*begins)(void *analysis, uint32_t block);
	void *analysis;
} hd_forward;

/* Runs blocks, in order of address, until no join changes anything. */
void hd_forward_solve(const hd_code_graph *graph, const hd_forward *forward);

#endif
