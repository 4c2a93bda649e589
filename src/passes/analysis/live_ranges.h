/* Where each virtual register is alive, as ranges of positions. Instruction k (counted through the blocks, each block with one more place for its
 * terminator) reads at position 2k and writes at 2k + 1. */
#ifndef HD_INTERVALS_H
#define HD_INTERVALS_H

#include "passes/analysis/liveness.h"

typedef struct hd_range {
	uint32_t from, to; /* both included */
} hd_range;

typedef struct hd_intervals {
	uint32_t positions;
	struct {
		hd_range *at; /* ascending */
		size_t n, cap;
	} * of; /* by virtual register */
	uint32_t vregs;
	uint32_t *block_first; /* position of each block's start; blocks + 1 */
} hd_intervals;

hd_intervals hd_intervals_new(const hd_ir_function *f);
void hd_intervals_free(hd_intervals *intervals);

#endif
