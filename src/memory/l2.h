/* Second-level cache and DRAM, shared by all cores. Reservations model their finite bandwidth. */
#ifndef HD_L2_H
#define HD_L2_H

#include "memory/cache.h"
#include "memory/memory.h"

/* Memory at and above this address belongs to the machine itself: page tables, the constant bank, local memory, code, saved CTAs, descriptors.
 * Nothing of it is translated, and all of it is in device memory. */
#define HD_OWN_BASE (UINT64_C(1) << 57)

/* The address of the byte `address` of code: instructions have an address range of their own. */
static inline uint64_t hd_l2_code(uint64_t address) { return (UINT64_C(1) << 60) + address; }

/* The slices, where the machine has any (memory.slices); else NULL. They belong to the second level. */
struct hd_slices;
struct hd_slices *hd_l2_slices(hd_l2 *l2);

/* The cycles for which a request of cycle `now` would wait until the second level serves it. */
uint64_t hd_l2_backlog(const hd_l2 *l2, uint64_t now);

/* Requests one sector for a core in cycle `now`. For a read it returns the cycle in which the core has the sector. For a write it returns the cycle
 * in which the second level has taken it. The second level keeps writes and writes them back on eviction. It does not fill a partly written sector
 * from DRAM first, because the bytes are in hd_memory. Sectors of system memory come over the host interface in place of DRAM, and go there with
 * the write (PD-38). With slices this is hd_slices_peek, for whoever has no packets. */
uint64_t hd_l2_sector(hd_l2 *l2, uint64_t now, uint64_t address, bool write, hd_stats *stats);

#endif
