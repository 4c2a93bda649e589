#ifndef HD_LINEAR_SCAN_H
#define HD_LINEAR_SCAN_H

#include "passes/allocate/allocation.h"

/* Gives every virtual register of a->f a place (hd_vreg_info.place), so that no two whose live ranges overlap share one, and none is live across a
 * call that changes its place. False: there are not enough places; some registers are marked as spilled, the assignment is not complete, and the
 * function must be rewritten (hd_rewrite_spills) before the next try. `spill_all`: marks all registers that can be spilled. *used: highest register +
 * 1. Requires: hd_lower_calls, loop depths, no register marked as spilled. */
bool hd_assign_places(hd_allocation *a, bool spill_all, uint32_t *used);

#endif
