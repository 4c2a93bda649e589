/* What the wait of an instruction proves of earlier ones; the rules are in settle.c. */
#ifndef HD_CHECK_SETTLE_H
#define HD_CHECK_SETTLE_H

#include "check/facts.h"

/* The instruction at `word` is the next one, and goes to a pipe. */
void hd_settle(hd_facts *facts, const hd_code_graph *graph, const hd_effects *effects, const hd_machine *machine, uint32_t word);

#endif
