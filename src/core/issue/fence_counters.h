/* Fence counters (HZ-5 to HZ-8): a matrix with one row for each warp slot, and two flags for each counter. "Outstanding" concerns instructions that
 * wait for the counter. "Full" means that the counter cannot count one more primary. Such a primary waits in the decoder (HZ-18).
 *
 * The adjustments of one cycle may come in any order (HZ-8). A counter may leave its range meanwhile. Only its value after all adjustments of the
 * cycle counts (hd_fence_wrong). */
#ifndef HD_CORE_FENCE_COUNTERS_H
#define HD_CORE_FENCE_COUNTERS_H

#include "core/issue/status.h"

typedef struct hd_fence {
	int16_t value[HD_WARP_SLOTS][HD_MAX_COUNTERS]; /* [warp slot][counter - 1], in units: lane groups, instructions or lanes (HZ-31) */
	/* Status logic, by warp slot; bit counter - 1. */
	uint16_t flags[HD_WARP_SLOTS]; /* outstanding */
	uint16_t full[HD_WARP_SLOTS];  /* no room for the units of one more primary */
	int16_t limit;                 /* largest value of a counter */
	int16_t units;                 /* of a primary */
	uint32_t suspect;              /* warp slots in which a counter left its range in this cycle */
	hd_late late;                  /* HZ-36 */
} hd_fence;

/* The levels that a counter reached when it fell, as a mask. */
enum hd_fence_change {
	HD_FENCE_CLEAR = 1, /* zero */
	HD_FENCE_ROOM = 2,  /* no longer full */
};

/* Notes a counter that fell to zero and is published later. Its flag stays. */
static inline void hd_fence_publish_later(hd_fence *fence, unsigned warp, unsigned counter)
{
	hd_late_note(&fence->late, warp, 1u << (counter - 1));
	fence->flags[warp] |= (uint16_t)(1u << (counter - 1));
}

/* Publishes the counters of late.mask[which][warp] that are still zero. Returns them. */
static inline uint16_t hd_fence_publish_late(hd_fence *fence, unsigned which, unsigned warp)
{
	uint16_t clear = 0;
	for (uint32_t left = hd_late_take(&fence->late, which, warp); left; left &= left - 1)
		clear |= (uint16_t)(fence->value[warp][hd_lowest_bit(left)] ? 0 : left & -left);
	fence->flags[warp] &= (uint16_t)~clear;
	return clear;
}

/* `bits`: width of a counter (fence.bits). `units`: the units by which a primary raises its counter, at most 2^bits - 1, so that each counter has
 * room for at least one primary. */
static inline void hd_fence_init(hd_fence *fence, unsigned bits, unsigned units)
{
	memset(fence, 0, sizeof *fence);
	fence->limit = (int16_t)((1 << bits) - 1);
	fence->units = (int16_t)units;
}

static inline void hd_fence_publish(hd_fence *fence, unsigned warp, unsigned counter, int value)
{
	uint16_t bit = (uint16_t)(1u << (counter - 1));
	fence->value[warp][counter - 1] = (int16_t)value;
	fence->flags[warp] = (uint16_t)(value ? fence->flags[warp] | bit : fence->flags[warp] & ~bit);
	fence->full[warp] = (uint16_t)(value + fence->units > fence->limit ? fence->full[warp] | bit : fence->full[warp] & ~bit);
	if (value < 0 || value > fence->limit)
		fence->suspect |= 1u << warp;
}

/* Raises the counter of a primary that the decoder sends by `units` (HZ-6). Requires: the counter is not full. */
static inline void hd_fence_raise(hd_fence *fence, unsigned warp, unsigned counter, unsigned units)
{
	hd_fence_publish(fence, warp, counter, fence->value[warp][counter - 1] + (int)units);
}

/* Lowers a counter by `units`, which the monitor (HZ-7) or the queue (HZ-16) resolves. Returns a mask of hd_fence_change; without
 * HD_FENCE_CLEAR where that is published later. */
static inline unsigned hd_fence_lower(hd_fence *fence, unsigned warp, unsigned counter, unsigned units)
{
	uint16_t was_full = fence->full[warp];
	unsigned zero = HD_FENCE_CLEAR;
	int value = fence->value[warp][counter - 1] - (int)units;
	hd_fence_publish(fence, warp, counter, value);
	if (fence->late.on && value == 0) {
		hd_fence_publish_later(fence, warp, counter);
		zero = 0;
	}
	return (value == 0 ? zero : 0) | (was_full != fence->full[warp] ? HD_FENCE_ROOM : 0);
}

/* Finds the first counter of a `suspect` warp that is outside of its range. False if there is none. Call it at the end of a cycle. */
static inline bool hd_fence_wrong(hd_fence *fence, unsigned *warp, unsigned *counter)
{
	for (; fence->suspect; fence->suspect &= fence->suspect - 1) {
		*warp = hd_lowest_bit(fence->suspect);
		for (*counter = 1; *counter <= HD_MAX_COUNTERS; ++*counter) {
			int value = fence->value[*warp][*counter - 1];
			if (value < 0 || value > fence->limit)
				return true;
		}
	}
	return false;
}

#endif
