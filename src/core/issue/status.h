/* The publication of counters' status where it is not that of each cycle (HZ-36): counters that fell to zero, and whose flags do not say so yet. */
#ifndef HD_CORE_STATUS_H
#define HD_CORE_STATUS_H

#include "core/code.h"

typedef struct hd_late {
	uint16_t mask[2][HD_WARP_SLOTS]; /* [which][warp slot], bit counter - 1; those of mask[1] are asked for */
	uint32_t any[2];                 /* warp slots with such counters */
	bool on;                         /* the flags do not follow the counters in each cycle */
} hd_late;

static inline void hd_late_note(hd_late *late, unsigned warp, uint32_t mask)
{
	late->mask[0][warp] |= (uint16_t)mask;
	late->any[0] |= 1u << warp;
}

static inline uint16_t hd_late_of(const hd_late *late, unsigned warp) { return late->mask[0][warp] | late->mask[1][warp]; }

/* Removes the counters of mask[which][warp] and returns them. */
static inline uint16_t hd_late_take(hd_late *late, unsigned which, unsigned warp)
{
	uint16_t mask = late->mask[which][warp];
	late->mask[which][warp] = 0;
	late->any[which] &= ~(1u << warp);
	return mask;
}

/* Asks for the status of all that fell. Requires: mask[1] is empty. */
static inline void hd_late_ask(hd_late *late)
{
	memcpy(late->mask[1], late->mask[0], sizeof late->mask[1]);
	memset(late->mask[0], 0, sizeof late->mask[0]);
	late->any[1] = late->any[0];
	late->any[0] = 0;
}

#endif
