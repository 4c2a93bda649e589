/* The barriers of a CTA, numbered 0..15. They count warps (RC-17). */
#ifndef HD_CORE_BARRIERS_H
#define HD_CORE_BARRIERS_H

#include "core/code.h"

enum { HD_BARRIERS = 16 };

typedef struct hd_barriers {
	uint16_t arrived[HD_BARRIERS]; /* arrivals of the phase now running */
	uint32_t waiting[HD_BARRIERS]; /* warps of the CTA that wait there */
	uint32_t came[HD_BARRIERS];    /* warps of the CTA that have arrived, waiting or not: for messages */
} hd_barriers;

/* A warp arrives, and waits if `wait`. True when that completes the barrier: *release are the warps that waited for it (the one that came
 * last is not among them), and the barrier is ready for its next phase. */
static inline bool hd_barrier_arrive(hd_barriers *barriers, unsigned number, unsigned warp, unsigned expected, bool wait, uint32_t *release)
{
	if (++barriers->arrived[number] >= expected) {
		*release = barriers->waiting[number];
		barriers->arrived[number] = 0;
		barriers->waiting[number] = barriers->came[number] = 0;
		return true;
	}
	barriers->came[number] |= 1u << warp;
	if (wait)
		barriers->waiting[number] |= 1u << warp;
	return false;
}

#endif
