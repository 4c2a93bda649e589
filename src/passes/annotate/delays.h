#ifndef HD_DELAYS_H
#define HD_DELAYS_H

#include "config/machine.h"
#include "ir/ir.h"

/* Sets `hint` and `delay` of every instruction to delays, waits and pairs (PD-5 to PD-7, PD-22), so that each dependence inside a fixed-latency pipe
 * keeps its distance on every physical path (docs/timing.md, "What must be covered, and with what"). Requires: allocated, branches are instructions,
 * loop depths; fence counters are assigned: at calls and returns nothing is outstanding. */
void hd_place_delays(hd_ir_function *function, const hd_machine *machine);

#endif
