/* The wait that each fence needs, taken out of compiled programs (MT-3). */
#ifndef LITMUS_WAITS_H
#define LITMUS_WAITS_H

#include "timings.h"

/* Moves the wait for the first access of a thread behind its second access, so that the fence between them orders nothing and registers are still
 * waited for. Where the second is a barrier, the wait of `bar` for the fence, or without one for the access. The variant of the runner has to be
 * `settled`. False when nothing before the second access waits for the first one. */
bool litmus_forget(litmus_runner *runner, unsigned thread);

typedef struct litmus_waiting {
	const litmus_machines *machines;
	unsigned launches; /* with and without each wait, on each machine that has a name */
	uint64_t seed;
	bool count; /* false: a wait is done with as soon as a forbidden outcome has appeared without it */
	bool (*chosen)(const void *context, unsigned shape);
	const void *context;
} litmus_waiting;

/* Takes out the waits of all fences, acquires and releases of the chosen tests whose absence the model notices: CTAs apart, with barriers in pairs,
 * scope of the device. Prints what appeared. Returns the number of failures, which are also printed: a forbidden outcome with the wait, and none
 * without it on any machine. */
unsigned litmus_try_waits(const litmus_waiting *w);

#endif
