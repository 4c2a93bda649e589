/* When a counter is used again: for each primary of an assignment, whether earlier primaries of its counter may still be outstanding. */
#ifndef HD_COUNTER_REUSE_H
#define HD_COUNTER_REUSE_H

#include "passes/analysis/hazards.h"

/* An assignment of counters, by instruction. */
typedef struct hd_counter_use {
	const uint8_t *counter; /* that it raises; 0 = none */
	const uint32_t *waits;  /* that it waits for: bit k = counter k */
} hd_counter_use;

/* Sets shared[i] of each primary i that may raise its counter while another primary, or an earlier turn of itself, is outstanding on it. A wait ends
 * that: a primary does not raise a counter for which a secondary still waits in a queue (HZ-18). `shared` has room for all instructions. */
void hd_find_shared_counters(const hd_hazards *hazards, const hd_counter_use *use, bool *shared);

#endif
