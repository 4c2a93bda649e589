/* From 32 lane addresses to the sectors, lines and passes that a memory has to serve. */
#ifndef HD_COALESCE_H
#define HD_COALESCE_H

#include "isa/isa.h"

typedef struct hd_sectors {
	uint64_t at[HD_LANES]; /* distinct sector addresses (multiples of 32), in the order of the first lane of each */
	unsigned n;
	unsigned lines; /* distinct 128-byte lines among them */
} hd_sectors;

/* Naturally aligned accesses touch one sector each. */
void hd_coalesce(const uint64_t address[HD_LANES], uint32_t mask, hd_sectors *out);

/* Number of passes that banked memory (banks of 4 bytes) needs: the largest number of distinct words in one bank, where lanes of one word share
 * it. 64- and 128-bit accesses are served in 2 and 4 parts of the warp. For atomics lanes of one word do not share. At least 1. */
unsigned hd_bank_passes(const uint32_t address[HD_LANES], uint32_t mask, unsigned bytes, unsigned banks, bool atomic);

/* The lanes that one pass of banked memory serves, from the lowest on; for a wide access lanes of its first part. Not for atomics. 0 only if mask
 * is 0. */
uint32_t hd_bank_pass(const uint32_t address[HD_LANES], uint32_t mask, unsigned bytes, unsigned banks);

/* The largest number of lanes with one address: how often an atomic unit must work on that address. */
unsigned hd_same_address(const uint64_t address[HD_LANES], uint32_t mask);

#endif
