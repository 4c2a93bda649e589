#ifndef HD_CHECK_LAST_USE_H
#define HD_CHECK_LAST_USE_H

#include "check/check.h"
#include "check/graph.h"

/* Proves each last-use flag: no path, no lane and no replay reads the value afterwards (LU-3). Calls `object_to` for every flag without a proof.
 * `word` has the flag on register `reg`. `other` is the instruction that is the reason, or `word` itself. Returns the number of flags. */
uint64_t hd_check_last_uses(const hd_code_graph *graph, const hd_machine *machine,
                            void (*object_to)(void *context, uint32_t word, uint32_t other, int reg), void *context);

#endif
