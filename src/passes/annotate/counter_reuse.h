/* When a counter is used again: whether earlier primaries of it may still be outstanding, and whether secondaries may still wait for it in a queue.
 */
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

/* HZ-35: sets unsafe[i] of each primary i that raises a low-latency counter for which an earlier secondary may still wait in a queue. Without wait
 * counters that secondary would wait for i, which may be behind it. Returns true when an entry changed; entries that are set stay set. In functions
 * with calls, and in those that are called, every primary with a low-latency counter is unsafe. */
bool hd_find_unsafe_reuse(const hd_hazards *hazards, const hd_counter_use *use, const hd_machine *machine, bool *unsafe);

#endif
