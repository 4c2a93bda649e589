#include "core/execute/register_file.h"

const hd_vec32 hd_zero[4];

void hd_rf_warp(hd_register_file *file, unsigned warp, hd_vec32 *registers, uint32_t n)
{
	file->at[warp] = registers;
	memset(registers, 0, n * sizeof *registers);
	memset(file->predicate[warp], 0, sizeof file->predicate[warp]);
	file->predicate[warp][HD_PT] = ~0u;
}

void hd_rf_junk(hd_register_file *file, unsigned warp, uint32_t n)
{
	uint64_t random = warp;
	for (uint32_t reg = 0; reg < n; reg++) {
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			file->at[warp][reg].v[lane] = (uint32_t)hd_random(&random);
	}
	for (unsigned p = 0; p < HD_PT; p++)
		file->predicate[warp][p] = (uint32_t)hd_random(&random);
}

/* The bit of each lane, so that the host compiler vectorises the loop below. */
static const uint32_t lane_bit[HD_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

void hd_rf_merge(hd_vec32 *restrict to, const hd_vec32 *restrict value, uint32_t mask)
{
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		uint32_t take = -(uint32_t)((mask & lane_bit[lane]) != 0);
		to->v[lane] = (value->v[lane] & take) | (to->v[lane] & ~take);
	}
}
