#ifndef HD_SERIAL_H
#define HD_SERIAL_H

#include "config/machine.h"
#include "ir/ir.h"

/* The serial mode: every instruction raises a counter, and the next one waits for it; the first one of a block waits for all counters that can be
 * raised. It uses two counters of each latency in turn. If there is one, an instruction waits for the counter that it raises: waiting_branches.h.
 * Requires: allocated, branches are instructions. */
void hd_annotate_serial(hd_ir_function *function, const hd_machine *machine);

#endif
