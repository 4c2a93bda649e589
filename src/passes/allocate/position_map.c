#include "passes/allocate/position_map.h"

/* Mask of the positions from `from` to `to` that lie in the word of `from`; *n: how many. */
static uint64_t positions_mask(uint32_t from, uint32_t to, uint32_t *n)
{
	*n = hd_min_u32(64 - (from & 63), to - from + 1);
	return (*n < 64 ? (UINT64_C(1) << *n) - 1 : UINT64_MAX) << (from & 63);
}

hd_position_map hd_position_map_new(uint32_t positions)
{
	return (hd_position_map){hd_bits_new((size_t)positions + 64), hd_bits_new((size_t)positions / 64 + 64)};
}

void hd_position_map_free(hd_position_map *map)
{
	hd_bits_free(&map->positions);
	hd_bits_free(&map->words);
}

static bool is_free(const hd_bits *set, uint32_t from, uint32_t to)
{
	for (uint32_t n, p = from; p <= to; p += n) {
		if (set->w[p >> 6] & positions_mask(p, to, &n))
			return false;
	}
	return true;
}

bool hd_position_map_is_free(const hd_position_map *map, uint32_t from, uint32_t to)
{
	uint32_t first = from >> 6, last = to >> 6;
	if (last - first < 2)
		return is_free(&map->positions, from, to);
	return is_free(&map->positions, from, from | 63) && is_free(&map->positions, to & ~63u, to) && is_free(&map->words, first + 1, last - 1);
}

void hd_position_map_add(hd_position_map *map, uint32_t from, uint32_t to)
{
	for (uint32_t n, p = from; p <= to; p += n) {
		map->positions.w[p >> 6] |= positions_mask(p, to, &n);
		hd_bits_add(&map->words, p >> 6);
	}
}

void hd_position_map_remove(hd_position_map *map, uint32_t from, uint32_t to)
{
	for (uint32_t n, p = from; p <= to; p += n) {
		uint64_t *word = &map->positions.w[p >> 6];
		*word &= ~positions_mask(p, to, &n);
		if (!*word)
			hd_bits_del(&map->words, p >> 6);
	}
}
