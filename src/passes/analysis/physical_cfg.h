/* The physical control-flow graph of a laid-out function (docs/timing.md, "Physical control flow"): where a warp, not a thread, can go from the end
 * of a block. In-flight instructions and fence counters travel along these edges. */
#ifndef HD_PHYSICAL_CFG_H
#define HD_PHYSICAL_CFG_H

#include "config/machine.h"
#include "ir/ir.h"

typedef struct hd_physical_cfg {
	uint32_t blocks;
	uint32_t *first_edge; /* of each block: offset into `to`; and at the end, the number of edges */
	uint32_t *to;         /* successors, ascending for each block */
} hd_physical_cfg;

/* Requires: block numbers are the layout order. The caller frees the result with hd_physical_cfg_free. */
hd_physical_cfg hd_physical_cfg_new(const hd_ir_function *function, const hd_machine *machine);
void hd_physical_cfg_free(hd_physical_cfg *graph);

#endif
