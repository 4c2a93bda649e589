/* The machines that programs are proven for, and the timings that they run with: the same machine but for what neither compiler nor checker counts on
 * (docs/timing.md): memory's latencies, initiation intervals, sizes of queues and tables, other warps, fetch. */
#ifndef MACHINES_H
#define MACHINES_H

#include "frame.h"

enum { MACHINE_SINGLE, MACHINE_NO_SPLIT, MACHINE_WINDOW, MACHINE_PASSES, MACHINE_PAIRS, MACHINE_NARROW, MACHINE_BY_LATENCY, MACHINES };
enum { ALL_MACHINES = (1 << MACHINES) - 1, TIMING_SETTINGS = 12, MAX_TIMINGS = 32 };

typedef struct timing {
	const char *name;
	const char *settings[TIMING_SETTINGS]; /* ends with NULL */
	uint8_t threads;                       /* 8, or, with two warps, 40 */
	uint8_t values;                        /* frame_values */
	bool wide;                             /* one of the wider set */
} timing;
extern const timing timings[];
extern const unsigned n_timings;

typedef struct subject {
	const char *name;
	hd_machine machine;
	hd_machine timed[MAX_TIMINGS];
} subject;

void subject_init(subject *s, unsigned number);
/* `heddle --set` arguments of the machine with a timing. */
void subject_settings(unsigned number, unsigned with, hd_text *out);

#endif
