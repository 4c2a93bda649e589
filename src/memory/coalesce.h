/* From 32 lane addresses to what a memory has to serve. */
#ifndef HD_COALESCE_H
#define HD_COALESCE_H

#include "isa/isa.h"

typedef struct hd_sectors {
	uint64_t at[HD_LANES]; /* distinct sector addresses (multiples of 32), in order of the first lane that needs each */
	unsigned n;
	unsigned lines; /* distinct 128-byte lines among them */
} hd_sectors;

/* Naturally aligned accesses touch one sector each. */
void hd_coalesce(const uint64_t address[HD_LANES], uint32_t mask, hd_sectors *out);

/* Passes that banked memory (banks of 4 bytes) needs: the largest number of distinct words that one bank is asked for, lanes that want the
 * same word sharing it; 64- and 128-bit accesses go in 2 and 4 parts of the warp. For atomics lanes of one word do not share.
 * At least 1. */
unsigned hd_bank_passes(const uint32_t address[HD_LANES], uint32_t mask, unsigned bytes, unsigned banks, bool atomic);

/* Lanes that one pass of banked memory serves, from the lowest on; of a wide access those of its first part. Not for atomics. Never 0 unless
 * mask is. */
uint32_t hd_bank_pass(const uint32_t address[HD_LANES], uint32_t mask, unsigned bytes, unsigned banks);

/* Largest number of lanes that name one address: how often an atomic unit must work on it. */
unsigned hd_same_address(const uint64_t address[HD_LANES], uint32_t mask);

#endif
