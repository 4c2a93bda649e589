/* The pipes of the instructions placed last, so that list scheduling mixes instruction types (MI; key multi_issue.spread).
 *
 * With a candidate window one instruction of a type is sent in a cycle at most, so a run of one type that is longer than the window hides everything
 * behind it. An instruction whose pipe none of the last ones used therefore counts as `spread` cycles nearer the critical path. A greater preference
 * would make the critical path itself longer: a single warp would lose more than the window gains. */
#ifndef HD_RECENT_PIPES_H
#define HD_RECENT_PIPES_H

#include "config/machine.h"

/* Instructions that are remembered, at most: a longer run hides others from a window of 4, and longer windows gain nothing from more. */
enum { HD_RECENT_PIPES = 3 };

typedef struct hd_recent_pipes {
	uint32_t bonus;                      /* in cycles; 0 = there is no window */
	uint8_t size, last[HD_RECENT_PIPES]; /* a ring */
	uint32_t n;                          /* instructions placed in this block */
	uint8_t count[HD_PIPE_COUNT + 1];    /* of each pipe in the ring; HD_PIPE_NONE counts as one */
} hd_recent_pipes;

/* A block begins. */
void hd_recent_pipes_start(hd_recent_pipes *recent, const hd_machine *machine);
/* An instruction of `pipe` was placed. */
void hd_recent_pipes_add(hd_recent_pipes *recent, unsigned pipe);
/* Cycles by which an instruction of `pipe` counts as nearer the critical path. */
static inline uint32_t hd_recent_pipes_bonus(const hd_recent_pipes *recent, unsigned pipe) { return recent->count[pipe] ? 0 : recent->bonus; }

#endif
