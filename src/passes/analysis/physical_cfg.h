/* The physical control-flow graph of a laid-out function (docs/timing.md, "Physical control flow"): where a warp, not a thread, can go from the end
 * of a block. In-flight instructions and fence counters travel along these edges.
 *
 * From one block a warp may go on at every resume point up to its furthest target. So that a function with n blocks has no n * n edges, a range of
 * many resume points is reached through empty nodes: a tree over all resume points, where a node leads to its two halves. */
#ifndef HD_PHYSICAL_CFG_H
#define HD_PHYSICAL_CFG_H

#include "config/machine.h"
#include "ir/ir.h"

typedef struct hd_physical_cfg {
	uint32_t blocks;
	uint32_t nodes;          /* blocks, by their numbers, and then empty nodes */
	uint32_t *first_edge;    /* of each node: offset into `to`; and at the end, the number of edges */
	uint32_t *to;            /* successors, ascending for each node */
	uint32_t *order, *place; /* all nodes in an order in which forward edges lead forward; and of each node, its place there */
	uint32_t *resume_points; /* of each block: at how many of them the warp may go on because threads wait there */
} hd_physical_cfg;

/* Requires: block numbers are the layout order. The caller frees the result with hd_physical_cfg_free. */
hd_physical_cfg hd_physical_cfg_new(const hd_ir_function *function, const hd_machine *machine);
void hd_physical_cfg_free(hd_physical_cfg *graph);

#endif
