/* The warps of a run as blocks of its page: where each was, from when to when, and whose it was. */
#ifndef HD_EXPLORE_WARPS_H
#define HD_EXPLORE_WARPS_H

#include "explore/block.h"
#include "explore/follow.h"

enum { HD_WARPS_EACH = 16384 /* of a block */, HD_WARPS_MAX = 1 << 20 /* of a page; the others are counted only */ };

typedef struct hd_warps hd_warps;
/* Blocks go to `blocks`, which outlives it. */
hd_warps *hd_warps_new(hd_blocks *blocks);
/* A warp that ended in cycle `end`. */
void hd_warps_add(hd_warps *warps, size_t place, const hd_resident *warp, uint64_t end);
/* Writes the rest and frees it. */
void hd_warps_end(hd_warps *warps);

#endif
