#ifndef HD_SPILL_H
#define HD_SPILL_H

#include "passes/allocate/allocation.h"

/* Rewrites a->f so that no register marked as spilled is used any more, and clears the marks:
 *
 *  - a register lives in the frame: a load before each use and a store behind each definition, of a short-lived register;
 *  - a register that can be rematerialised is computed again at each use, and its definition is gone;
 *  - a predicate lives in an ordinary register, which may be spilled in a later round. */
void hd_rewrite_spills(hd_allocation *a);

#endif
