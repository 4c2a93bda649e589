/* The physical control-flow graph of a laid-out function (docs/timing.md): where a warp, not a thread, can go from the end of a block. */
#ifndef HD_PHYSICAL_H
#define HD_PHYSICAL_H

#include "config/machine.h"
#include "ir/ir.h"

typedef struct hd_physical {
	uint32_t blocks;
	uint32_t *first; /* blocks + 1 offsets into `to` */
	uint32_t *to;    /* successors of each block, ascending */
} hd_physical;

/* Requires: block numbers are the layout order. The caller frees with hd_physical_free. */
hd_physical hd_physical_new(const hd_ir_function *function, const hd_machine *machine);
void hd_physical_free(hd_physical *graph);

#endif
