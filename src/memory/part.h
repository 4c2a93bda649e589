/* The lanes of one access that access one space, and where their bytes are. */
#ifndef HD_PART_H
#define HD_PART_H

#include "memory/memory.h"

typedef struct hd_part {
	hd_space space;
	uint32_t mask, bytes;       /* the lanes, and what each accesses */
	bool store;                 /* a store or an atomic */
	uint64_t address[HD_LANES]; /* without the base of the window; lanes outside of the mask have the address of the lowest lane inside */
	uint8_t *base;              /* shared memory, constant bank, local memory; NULL: global */
	uint8_t **at;               /* host bytes of each lane: HD_LANES places of the caller */
	/* Sectors that are known already, of these lanes and others; NULL: none. With them the addresses may be unset. */
	const hd_sectors *sectors;
} hd_part;

/* The base of the space's window. Traps name generic addresses. */
static inline uint64_t hd_part_window(hd_space space)
{
	return space == HD_SPACE_SHARED ? HD_WINDOW_SHARED : space == HD_SPACE_LOCAL ? HD_WINDOW_LOCAL : 0;
}

/* Fills the trap. Returns false. */
bool hd_part_fault(hd_trap *trap, hd_trap_kind kind, unsigned lane, uint64_t address, unsigned bytes, bool store);
/* Splits the lanes by space: global, shared, local memory, in this order. Returns the number of parts. Their `at`, `bytes` and `store` are not set.
 */
unsigned hd_part_split(const hd_lanes *lanes, const hd_access *access, hd_part parts[3]);
/* Finds the host bytes of each lane of `p`. False with a trap for the first lane that has none. A lane outside of the mask has the address of a lane
 * inside. */
bool hd_part_locate(const hd_lanes *lanes, const hd_memory *memory, hd_memory_hits *hits, const hd_access *access, hd_part *p, hd_trap *trap);
/* The same where hd_part_locate found no place: some lanes may access live memory, or lie outside of every buffer where that is no trap
 * (launch/bounds.h). Those leave the part's mask and are in *outside. Then *trap is that of the first of them, else it means nothing on success. */
bool hd_part_locate_live(const hd_lanes *lanes, hd_memory *memory, hd_part *p, bool *live, uint32_t *outside, hd_trap *trap);
/* The sectors of the part's lanes. */
void hd_part_sectors(const hd_lanes *lanes, const hd_part *p, hd_sectors *out);

#endif
