/* The barriers of a CTA, numbered 0..15. They count warps (RC-17). A barrier for the whole CTA expects the warps with a thread left, so that no
 * warp waits for one that has ended. A barrier with a number of threads expects the corresponding number of warps, however many are left. A barrier
 * at which a warp joins does not let its warps go when it is complete: they then wait for the child grids of the CTA (PD-32). */
#ifndef HD_CORE_BARRIERS_H
#define HD_CORE_BARRIERS_H

#include "core/code.h"

enum { HD_BARRIERS = 16 };

typedef struct hd_barriers {
	uint32_t warps;                 /* number of warps at the begin of the CTA */
	uint32_t ended;                 /* warps among these without a thread left */
	uint16_t arrived[HD_BARRIERS];  /* arrivals of the current phase */
	uint16_t expected[HD_BARRIERS]; /* warps that it needs; 0 = all of the CTA */
	uint32_t waiting[HD_BARRIERS];  /* warps of the CTA that wait there */
	uint32_t came[HD_BARRIERS];     /* warps of the CTA that have arrived, waiting or not */
	uint16_t joins;                 /* barriers at which a warp joins in this phase */
	uint32_t joining;               /* warps of complete barriers that wait for child grids */
} hd_barriers;

/* True when enough warps have arrived: *release are the warps that waited, and the barrier is ready for its next phase. After a join they are in
 * barriers->joining, and *release is empty. */
static inline bool hd_barrier_complete(hd_barriers *barriers, unsigned number, uint32_t *release)
{
	uint32_t there = (uint32_t)__builtin_popcount(barriers->came[number] | barriers->ended);
	if (barriers->expected[number] ? barriers->arrived[number] < barriers->expected[number] : there < barriers->warps)
		return false;
	*release = barriers->waiting[number];
	if (barriers->joins >> number & 1) {
		barriers->joining |= *release;
		*release = 0;
		barriers->joins &= (uint16_t) ~(1u << number);
	}
	barriers->arrived[number] = 0;
	barriers->waiting[number] = barriers->came[number] = 0;
	return true;
}

/* A warp arrives, and waits if `wait`; `expected` 0 = the whole CTA. True when this completes the barrier. The last warp is not in *release, and it
 * is among the joining ones if it waits. */
static inline bool hd_barrier_arrive(hd_barriers *barriers, unsigned number, unsigned warp, unsigned expected, bool wait, uint32_t *release)
{
	bool joins = barriers->joins >> number & 1;
	barriers->arrived[number]++;
	barriers->expected[number] = (uint16_t)expected;
	barriers->came[number] |= 1u << warp;
	if (hd_barrier_complete(barriers, number, release)) {
		barriers->joining |= (uint32_t)(joins && wait) << warp;
		return true;
	}
	if (wait)
		barriers->waiting[number] |= 1u << warp;
	return false;
}

/* A warp has no thread left. Returns the warps that waited only for it. */
static inline uint32_t hd_barrier_end(hd_barriers *barriers, unsigned warp)
{
	uint32_t all = 0, release;
	barriers->ended |= 1u << warp;
	for (unsigned number = 0; number < HD_BARRIERS; number++)
		if (barriers->arrived[number] && !barriers->expected[number] && hd_barrier_complete(barriers, number, &release))
			all |= release;
	return all;
}

/* A warp of the CTA joins: it arrives at the barrier next. */
static inline void hd_barrier_join(hd_barriers *barriers, unsigned number) { barriers->joins |= (uint16_t)(1u << number); }

#endif
