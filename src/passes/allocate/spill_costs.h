#ifndef HD_SPILL_COSTS_H
#define HD_SPILL_COSTS_H

#include "passes/allocate/allocation.h"

/* Sets `weight` and `rematerialise_from` of every virtual register. A register can be rematerialised if it has one definition, which writes all of it
 * in all lanes from a constant, and all reads are of the whole register. Requires: loop depths. */
void hd_find_spill_costs(hd_allocation *a);

#endif
