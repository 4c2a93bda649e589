/* Fence counters (HZ-5 to HZ-8): a matrix of one row a warp slot, and one flag a counter that says "outstanding". */
#ifndef HD_CORE_FENCE_COUNTERS_H
#define HD_CORE_FENCE_COUNTERS_H

#include "core/code.h"

enum { HD_FENCE_LIMIT = (1 << HD_FENCE_BITS) - 1 }; /* what a counter holds */

typedef struct hd_fence {
	uint16_t value[HD_WARP_SLOTS][HD_MAX_COUNTERS]; /* [warp slot][counter - 1], in lane groups */
	uint16_t flags[HD_WARP_SLOTS];                  /* status logic: bit counter - 1 set = outstanding */
	uint16_t limit;
} hd_fence;

typedef enum hd_fence_status {
	HD_FENCE_OUTSTANDING, /* still outstanding */
	HD_FENCE_CLEAR,       /* has just become zero */
	HD_FENCE_BAD,         /* would leave its range: nothing was changed, the simulation stops (HZ-8) */
} hd_fence_status;

static inline void hd_fence_init(hd_fence *fence, uint16_t limit)
{
	memset(fence, 0, sizeof *fence);
	fence->limit = limit;
}

/* The decoder sends a primary (HZ-6). */
static inline hd_fence_status hd_fence_raise(hd_fence *fence, unsigned warp, unsigned counter, unsigned groups)
{
	uint16_t *value = &fence->value[warp][counter - 1];
	if (*value + groups > fence->limit)
		return HD_FENCE_BAD;
	*value = (uint16_t)(*value + groups);
	fence->flags[warp] |= (uint16_t)(1u << (counter - 1));
	return HD_FENCE_OUTSTANDING;
}

/* Monitor (HZ-7) or queue (HZ-16): `groups` lane groups are resolved. */
static inline hd_fence_status hd_fence_lower(hd_fence *fence, unsigned warp, unsigned counter, unsigned groups)
{
	uint16_t *value = &fence->value[warp][counter - 1];
	if (groups > *value)
		return HD_FENCE_BAD;
	*value = (uint16_t)(*value - groups);
	if (*value)
		return HD_FENCE_OUTSTANDING;
	fence->flags[warp] &= (uint16_t) ~(1u << (counter - 1));
	return HD_FENCE_CLEAR;
}

#endif
