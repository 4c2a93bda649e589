#ifndef HD_WAITING_BRANCHES_H
#define HD_WAITING_BRANCHES_H

#include "ir/ir.h"

/* HZ-3: an instruction must not wait for the counter that it raises itself. Before each that would, inserts a branch that is never taken, which waits
 * in its place, in the flow unit. Requires: fence counters are assigned. */
void hd_insert_waiting_branches(hd_ir_module *module, hd_ir_function *function);

/* Inserts a branch that nobody takes behind every MAX_GUARDED instructions under guards that follow each other without a branch. What a guarded
 * instruction writes replaces nothing (analysis/open_accesses.h), so the analysis of hazards needs places where it can wait for all that is open. */
void hd_insert_places_to_wait(hd_ir_module *module, hd_ir_function *function);

#endif
