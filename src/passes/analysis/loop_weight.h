/* How often code runs, as the compiler assumes: 8 iterations for each level of loops, and six levels at most, so that sums do not overflow. */
#ifndef HD_LOOP_WEIGHT_H
#define HD_LOOP_WEIGHT_H

#include "ir/ir.h"

/* Requires: hd_ir_loops was called. */
static inline uint32_t hd_loop_weight(const hd_ir_block *block) { return 1u << 3 * hd_min_u32(block->loop_depth, 6); }

#endif
