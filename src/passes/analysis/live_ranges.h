/* Live ranges of virtual registers, as positions in the function. Instruction k reads at position 2k and writes at 2k + 1. k counts through the
 * blocks in their order; each block has one more place, behind its instructions, for its terminator. */
#ifndef HD_LIVE_RANGES_H
#define HD_LIVE_RANGES_H

#include "ir/ir.h"

typedef struct hd_live_range {
	uint32_t from, to; /* both included */
} hd_live_range;

typedef struct hd_live_ranges {
	uint32_t positions;
	struct {
		hd_live_range *at; /* ascending; neither overlapping nor adjacent */
		size_t n, cap;
	} * of; /* by virtual register */
	uint32_t vregs;
	uint32_t *block_first; /* of each block: its first position; and at the end, `positions` */
} hd_live_ranges;

/* A register is live while one of its words is. A result without readers is live at the position where it is written. A definition under a guard
 * does not begin a live range (analysis/liveness.h). The caller frees the result with hd_live_ranges_free. */
hd_live_ranges hd_live_ranges_new(const hd_ir_function *f);
void hd_live_ranges_free(hd_live_ranges *ranges);

#endif
