#ifndef HD_DELAY_H
#define HD_DELAY_H

#include "config/machine.h"
#include "ir/ir.h"

/* Sets hint and delay of every instruction so that each dependence inside a fixed-latency pipeline keeps its distance on every physical
 * path. Requires: allocated, laid out; counters assigned (calls and returns wait for everything). */
void hd_place_delays(hd_ir_function *function, const hd_machine *machine);

#endif
