/* Register file: lane vectors and predicates of a scheduler's warps. No part of the core checks whether a register is ready. */
#ifndef HD_CORE_REGISTER_FILE_H
#define HD_CORE_REGISTER_FILE_H

#include "core/code.h"

typedef struct hd_register_file {
	hd_vec32 *at[HD_WARP_SLOTS];                     /* registers of each warp slot */
	uint32_t predicate[HD_WARP_SLOTS][HD_PREDS + 1]; /* the last one is "always" */
	uint32_t gated_lanes;                            /* lanes of a group that is gated apart (RC-22); 0 = groups are not counted */
	uint64_t *groups_written;                        /* with gated_lanes: counts the groups of each register that is written */
} hd_register_file;

extern const hd_vec32 hd_zero[4]; /* the value of RZ, in every width */

/* Begins a warp: all its registers and predicates become zero. */
void hd_rf_warp(hd_register_file *file, unsigned warp, hd_vec32 *registers, uint32_t n);
/* Fills the registers with random values, for tests. A correct program never reads them. */
void hd_rf_junk(hd_register_file *file, unsigned warp, uint32_t n);
/* The value of operand `reg`, as consecutive vectors. */
static inline const hd_vec32 *hd_rf_read(const hd_register_file *file, unsigned warp, unsigned reg)
{
	return reg == HD_RZ ? hd_zero : file->at[warp] + reg;
}
/* Replaces the lanes of `mask` of one vector. */
void hd_rf_merge(hd_vec32 *restrict to, const hd_vec32 *restrict value, uint32_t mask);
/* Writes `words` registers for the lanes of `mask`. */
static inline void hd_rf_write(hd_register_file *file, unsigned warp, unsigned reg, unsigned words, uint32_t mask, const hd_vec32 *value)
{
	hd_vec32 *to = file->at[warp] + reg;
	if (file->gated_lanes)
		*file->groups_written += words * hd_count_bits(hd_bit_groups(mask, file->gated_lanes));
	for (unsigned word = 0; word < words; word++) {
		if (mask == ~0u)
			to[word] = value[word];
		else
			hd_rf_merge(&to[word], &value[word], mask);
	}
}
static inline void hd_rf_write_predicate(hd_register_file *file, unsigned warp, unsigned predicate, uint32_t mask, uint32_t value)
{
	uint32_t *p = &file->predicate[warp][predicate];
	*p = (*p & ~mask) | (value & mask);
}
/* The lanes for which a guard (a predicate or its negation) holds. */
static inline uint32_t hd_rf_guard(const hd_register_file *file, unsigned warp, unsigned predicate, unsigned negated)
{
	return file->predicate[warp][predicate] ^ (negated ? ~0u : 0);
}

#endif
