/* A set of positions of a function, for questions about long ranges: 64 positions are a word, and a bit for each word says whether it has any. So a
 * question about a range costs a step for each 4096 positions. */
#ifndef HD_POSITION_MAP_H
#define HD_POSITION_MAP_H

#include "base/base.h"

typedef struct hd_position_map {
	hd_bits positions;
	hd_bits words; /* those that have a position */
} hd_position_map;

/* An empty map for positions below `positions`. The caller frees it with hd_position_map_free. */
hd_position_map hd_position_map_new(uint32_t positions);
void hd_position_map_free(hd_position_map *map);
/* Has the map none of the positions from `from` to `to`, both included? */
bool hd_position_map_is_free(const hd_position_map *map, uint32_t from, uint32_t to);
/* Adds the positions from `from` to `to`, both included, or takes them out. */
void hd_position_map_add(hd_position_map *map, uint32_t from, uint32_t to);
void hd_position_map_remove(hd_position_map *map, uint32_t from, uint32_t to);

#endif
