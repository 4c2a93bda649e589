/* Signs of progress of a run, for the detection of warps that spin for ever (RC-17, core/observe/livelock.h). One for the whole machine. */
#ifndef HD_WATCH_H
#define HD_WATCH_H

#include "base/base.h"

enum { HD_QUIET = 1 << 16 };

typedef struct hd_watch {
	uint64_t from; /* cycle in which watching begins */
	bool on;
	uint64_t epoch;    /* states kept in an earlier epoch are no longer comparable */
	uint32_t running;  /* warps with a thread left */
	uint32_t waiting;  /* number of these at a barrier */
	uint32_t spinning; /* number of these whose state has recurred in this epoch, at a barrier or not */
	uint32_t idle;     /* while on: warps at a barrier whose state has not recurred in this epoch */
	uint64_t arrived;  /* while on: the latest cycle in which a warp became idle that is not known to repeat itself */
	uint64_t due;      /* arrival of the last store or atomic that has left its core (MT-1) */
	uint32_t stuck;    /* packets that wait in the crossbar for their slice (MT-4) */
	uint64_t settled;  /* while on: the latest `due` of the states that have recurred in this epoch, when they were kept */
	uint64_t kept;     /* while on: the earliest cycle from which a state was kept that has recurred in this epoch */
} hd_watch;

/* A sign of progress in cycle `now`. */
static inline void hd_watch_progress(hd_watch *watch, uint64_t now)
{
	watch->from = now + HD_QUIET;
	watch->on = false;
}

#endif
