#ifndef HD_LAST_USE_H
#define HD_LAST_USE_H

#include "config/machine.h"
#include "ir/ir.h"

/* Sets the last-use flag of source operands (LU-2, LU-3) whose value the machine then need not write to the register file. Changes nothing else.
 * Requires: all functions are allocated, branches are instructions, delays are placed. */
void hd_mark_last_uses(hd_ir_module *module, const hd_machine *machine);

#endif
