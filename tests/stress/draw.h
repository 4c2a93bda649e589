/* Draws a whole machine description: every key of machine.def, the latency table, the queue table and the lanes of the pipes. */
#ifndef HD_STRESS_DRAW_H
#define HD_STRESS_DRAW_H

#include "config/machine.h"

/* The same seed gives the same machine, as long as the keys do not change. The loader takes the result (hd_machine_validate). Some machines differ
 * from the default in a few keys, others in every key. What is never drawn, or from a part of its range alone, stands in draw.c with the reason. */
void stress_draw_machine(uint64_t seed, hd_machine *machine);

#endif
