/* Second-level cache and DRAM, shared by all cores: finite bandwidth by reservation. */
#ifndef HD_L2_H
#define HD_L2_H

#include "memory/cache.h"
#include "memory/memory.h"

/* One sector asked for by a core in cycle `now`: the cycle in which the core has it (a read) or in which the second level has taken it (a
 * write). Writes are kept and written back on eviction; a partly written sector is not filled from DRAM first (its bytes are in hd_memory). */
uint64_t hd_l2_sector(hd_l2 *l2, uint64_t now, uint64_t address, bool write, hd_stats *stats);

#endif
