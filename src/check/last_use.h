#ifndef HD_CHECK_LAST_USE_H
#define HD_CHECK_LAST_USE_H

#include "check/check.h"
#include "check/graph.h"

/* Calls `object_to` for every last-use flag of which it is not proven that no path, no lane and no replay can read the value afterwards (LU-3):
 * `word` bears the flag on register `reg`; `other` is the instruction that stands in the way, or `word` itself. Returns how many flags there are. */
uint64_t hd_check_last_uses(const hd_code_graph *graph, void (*object_to)(void *context, uint32_t word, uint32_t other, int reg), void *context);

#endif
