#ifndef HD_HINTS_H
#define HD_HINTS_H

#include "config/machine.h"
#include "ir/ir.h"

/* The hints beyond delays, waits and pairs (PD-8 to PD-10, PD-22), where the machine has a carrier for them and honours them. No distance changes: a
 * hint takes the place of a delay whose number it keeps, or that is what `default` does anyhow. Requires: delays are placed, last uses are marked. */
void hd_choose_hints(hd_ir_function *function, const hd_machine *machine);

#endif
