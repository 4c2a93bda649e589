#ifndef HD_VERIFY_H
#define HD_VERIFY_H

#include "passes/allocate/allocation.h"

/* Proves an assignment: on every path, no instruction writes a place that holds a live word of another register. It walks the blocks backward with
 * liveness alone; it shares neither live ranges nor occupied positions with the assignment. False, with a text in `why`, if there is a conflict. */
bool hd_verify_allocation(const hd_allocation *a, hd_text *why);

#endif
