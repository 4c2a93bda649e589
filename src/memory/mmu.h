/* Virtual memory (PD-38): a TLB for each core, a second one that all cores share, and behind it the walker of the page table.
 *
 * Translation stands between the first caches and the second level: first caches find lines by virtual addresses, so only what they lack is
 * translated, as are stores and atomics. The machine's own addresses (HD_OWN_BASE) are not. An access to a page that nothing maps stops the run
 * before it gets here (hd_memory_fault), so every page has a frame.
 *
 * A translation under way is in both TLBs already, so further accesses to the page wait for it without another request, even when it has lost its
 * place meanwhile: accesses of a core to one page keep their order. A walk reads one entry after
 * the other through the second-level cache. */
#ifndef HD_MMU_H
#define HD_MMU_H

#include "memory/memory.h"

/* The page walker that all cores share. */
typedef struct hd_walker hd_walker;
/* The page table is that of `memory` as it is now. NULL when the machine has no pages (pages.kib = 0). */
hd_walker *hd_walker_new(const hd_machine *machine, const hd_memory *memory, hd_l2 *l2);
void hd_walker_free(hd_walker *walker);

/* NULL when `walker`, which outlives it, is NULL. */
hd_mmu *hd_mmu_new(const hd_machine *machine, hd_walker *walker);
void hd_mmu_free(hd_mmu *mmu);
/* Makes *address, which is requested in cycle `now`, physical. Returns the cycle, `now` or later, from which the translation is there. */
uint64_t hd_mmu_translate(hd_mmu *mmu, uint64_t now, uint64_t *address, hd_stats *stats);

/* Makes *address physical, as above. Returns the cycles that a request to the second level, made in cycle `now` and with this address next, comes
 * later for its translation; 0 without an mmu. The second level reserves its bandwidth in cycle `now` all the same, so that a request which waits for
 * a walk holds back no others. What the request waits for the second level in any case is no part of these cycles. */
uint64_t hd_mmu_late(hd_mmu *mmu, uint64_t now, uint64_t *address, hd_stats *stats);
/* The same for a request that is made of the second level in cycle now + further, because its slice is farther away. Returns the cycle in which the
 * request has its translation and leaves the core; `further` is no part of that. */
uint64_t hd_mmu_leaves(hd_mmu *mmu, uint64_t now, uint64_t further, uint64_t *address, uint64_t *late, hd_stats *stats);

#endif
