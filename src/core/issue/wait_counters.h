/* Wait counters (HZ-17, HZ-18, HZ-22): for each low-latency fence counter, the number of secondaries that wait for it, were sent, and have not left
 * their queue. The decoder does not send a primary on that counter before this number is zero. */
#ifndef HD_CORE_WAIT_COUNTERS_H
#define HD_CORE_WAIT_COUNTERS_H

#include "core/issue/status.h"

typedef struct hd_waiters {
	uint16_t value[HD_WARP_SLOTS][HD_MAX_COUNTERS];
	uint16_t flags[HD_WARP_SLOTS];
	hd_late late; /* HZ-36 */
} hd_waiters;

/* Counts a secondary that is sent and waits for the counters `mask`. */
static inline void hd_waiters_raise(hd_waiters *waiters, unsigned warp, uint32_t mask)
{
	waiters->flags[warp] |= (uint16_t)mask;
	for (; mask; mask &= mask - 1)
		waiters->value[warp][hd_lowest_bit(mask)]++;
}

/* Removes a secondary that its queue passed on or dropped. Returns the counters that became zero, none
 * where that is published later. */
static inline uint32_t hd_waiters_lower(hd_waiters *waiters, unsigned warp, uint32_t mask)
{
	uint32_t clear = 0;
	for (; mask; mask &= mask - 1) {
		unsigned i = hd_lowest_bit(mask);
		hd_invariant(waiters->value[warp][i] > 0, "wait counter %u of warp slot %u falls below zero", i + 1, warp);
		if (!--waiters->value[warp][i])
			clear |= 1u << i;
	}
	if (waiters->late.on && clear) {
		hd_late_note(&waiters->late, warp, clear);
		return 0;
	}
	waiters->flags[warp] &= (uint16_t)~clear;
	return clear;
}

/* Publishes the counters of late.mask[which][warp] that are still zero. Returns true if there is one. */
static inline bool hd_waiters_publish_late(hd_waiters *waiters, unsigned which, unsigned warp)
{
	uint16_t before = waiters->flags[warp];
	for (uint32_t left = hd_late_take(&waiters->late, which, warp); left; left &= left - 1)
		if (!waiters->value[warp][hd_lowest_bit(left)])
			waiters->flags[warp] &= (uint16_t) ~(left & -left);
	return waiters->flags[warp] != before;
}

#endif
