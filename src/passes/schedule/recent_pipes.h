/* Instructions of different types side by side (MI, multi_issue.spread): what the list scheduler asks when there is a candidate window.
 *
 * Of one type at most one a cycle is sent, so a run of one type longer than the window hides everything else from it. An instruction whose type is
 * none of the last ones placed therefore counts as `spread` cycles nearer the critical path. More would make the path itself longer: a warp that is
 * alone would lose more than the window gains. */
#ifndef HD_PASSES_SPREAD_H
#define HD_PASSES_SPREAD_H

#include "config/machine.h"

enum {
	HD_SPREAD_MEMORY = 3
}; /* instructions looked back upon, at most: a run of more hides others from a window of 4, and longer windows gain nothing */

typedef struct hd_spread {
	uint32_t cycles;                        /* 0 = off */
	uint8_t memory, last[HD_SPREAD_MEMORY]; /* pipes of the last ones, a ring */
	uint32_t n;                             /* placed in this block */
	uint8_t count[HD_PIPE_COUNT + 1];       /* how often each is there */
} hd_spread;

/* A block begins. */
void hd_spread_start(hd_spread *spread, const hd_machine *machine);
/* An instruction of `pipe` was placed. */
void hd_spread_put(hd_spread *spread, unsigned pipe);
/* Cycles by which one of `pipe` counts as nearer the critical path. */
static inline uint32_t hd_spread_bonus(const hd_spread *spread, unsigned pipe) { return spread->count[pipe] ? 0 : spread->cycles; }

#endif
