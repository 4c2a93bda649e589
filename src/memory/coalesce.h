/* Converts the addresses of 32 lanes to the sectors, lines and passes that a memory serves. */
#ifndef HD_COALESCE_H
#define HD_COALESCE_H

#include "memory/lanes.h"

typedef struct hd_sectors {
	unsigned n;
	unsigned lines;           /* distinct 128-byte lines among them */
	uint32_t lanes[HD_LANES]; /* of each sector */
	uint64_t at[HD_LANES];    /* distinct sector addresses (multiples of 32), in the order of the first lane of each */
} hd_sectors;

/* Requires natural alignment, so that the access of a lane touches one sector. */
void hd_coalesce(const hd_lanes *lanes, const uint64_t address[HD_LANES], uint32_t mask, hd_sectors *out);

/* The sectors of the lanes in `mask` among those of more lanes: the same as hd_coalesce of the lanes, if each sector has all its lanes in the mask or
 * none. */
void hd_sectors_within(const hd_sectors *all, uint32_t mask, hd_sectors *out);

/* Number of passes that banked memory needs (banks of 4 bytes), at least 1. It is the largest number of distinct words in one bank. Lanes that access
 * one word share it, except for atomics. 64- and 128-bit accesses are served in 2 and 4 parts of the warp. */
unsigned hd_bank_passes(const uint32_t address[HD_LANES], uint32_t mask, unsigned bytes, unsigned banks, bool atomic);

/* The lanes that one pass of banked memory serves, beginning with the lowest. A pass of a wide access serves lanes of one part of the warp. Atomics
 * share no word, and of the lanes with one address the lowest goes first. 0 only if `mask` is 0. */
uint32_t hd_bank_pass(const uint32_t address[HD_LANES], uint32_t mask, unsigned bytes, unsigned banks, bool atomic);

/* The largest number of lanes with one address. An atomic unit needs one operation on this address for each of them. */
unsigned hd_same_address(const uint64_t address[HD_LANES], uint32_t mask);

#endif
