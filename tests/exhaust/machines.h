/* The machines for which programs are proven, and the timings with which they run. A timing is the same machine with other values of what neither
 * compiler nor checker counts on (docs/timing.md): latencies of memory, initiation intervals, sizes of queues and tables, other warps, fetch. */
#ifndef MACHINES_H
#define MACHINES_H

#include "frame.h"

enum {
	MACHINE_SINGLE,
	MACHINE_NO_SPLIT,
	MACHINE_WINDOW,
	MACHINE_PASSES,
	MACHINE_PAIRS,
	MACHINE_NARROW,
	MACHINE_BY_LATENCY,
	MACHINE_LONG,
	MACHINE_SHORT,
	MACHINES
};
enum { ALL_MACHINES = (1 << MACHINES) - 1, TIMING_SETTINGS = 12, MAX_TIMINGS = 32 };

typedef struct timing {
	const char *name;
	const char *settings[TIMING_SETTINGS]; /* ends with NULL */
	uint8_t threads;                       /* 8, or, with two warps, 40; subject_threads */
	uint8_t values;                        /* frame_values */
	bool wide;                             /* one of the wider set */
} timing;
extern const timing timings[];
extern const unsigned n_timings;

typedef struct subject {
	const char *name;
	bool full_warps; /* the machine treats lanes of one warp differently: every lane has a thread */
	hd_machine machine;
	hd_machine timed[MAX_TIMINGS];
} subject;

void subject_init(subject *s, unsigned number);
/* Threads of a run with a timing: as few as show what there is to see, because threads cost time. */
unsigned subject_threads(const subject *s, unsigned with);
/* `heddle --set` arguments of the machine with a timing. */
void subject_settings(unsigned number, unsigned with, hd_text *out);

#endif
