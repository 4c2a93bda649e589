/* Facts that the wait of an instruction proves about earlier instructions. The rules are in settle.c. */
#ifndef HD_CHECK_SETTLE_H
#define HD_CHECK_SETTLE_H

#include "check/facts.h"

/* Settles the facts by the waits of the instruction at `word`, which is the next one to issue and goes to a pipe. */
void hd_settle(hd_facts *facts, const hd_code_graph *graph, const hd_effects *effects, const hd_machine *machine, uint32_t word);

#endif
