#ifndef HD_WAITING_BRANCHES_H
#define HD_WAITING_BRANCHES_H

#include "ir/ir.h"

/* HZ-3: an instruction must not wait for the counter that it raises itself. Before each that would, inserts a branch that is never taken, which waits
 * in its place, in the flow unit. Requires: fence counters are assigned. */
void hd_insert_waiting_branches(hd_ir_module *module, hd_ir_function *function);

#endif
