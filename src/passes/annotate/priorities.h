#ifndef HD_PRIORITY_H
#define HD_PRIORITY_H

#include "config/machine.h"
#include "ir/ir.h"

/* BASE and STEP of a kernel's priorities into function->info, where the machine takes them from the program (PD-12, PD-22); else, and
 * where nothing is gained by spreading its warps, 0 and 0: all in the middle. Requires loop depths. Callees are not counted. */
void hd_choose_priorities(hd_ir_function *function, const hd_machine *machine);

#endif
