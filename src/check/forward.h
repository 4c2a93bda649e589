/* Forward analyses (base/flow.h) over the physical graph of our own code. */
#ifndef HD_CHECK_FORWARD_H
#define HD_CHECK_FORWARD_H

#include "base/flow.h"
#include "check/graph.h"

/* Runs blocks in order of address until no join changes a state, or until no step is left. The states mean nothing in the second case. */
void hd_forward_solve(const hd_code_graph *graph, const hd_forward *forward);

#endif
