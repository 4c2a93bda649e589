#include "core/register_file.h"

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

void hd_rf_write(hd_register_file *file, unsigned warp, unsigned reg, unsigned words, uint32_t mask, const hd_vec32 *value)
{
	hd_vec32 *to = file->at[warp] + reg;
	if (mask == ~0u) {
		memcpy(to, value, words * sizeof *to);
		return;
	}
	uint32_t lanes[HD_LANES];
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		lanes[lane] = (mask >> lane & 1) ? ~0u : 0;
	for (unsigned word = 0; word < words; word++)
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			to[word].v[lane] = (value[word].v[lane] & lanes[lane]) | (to[word].v[lane] & ~lanes[lane]);
}
