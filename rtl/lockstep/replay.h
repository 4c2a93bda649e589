/* Replay of a recording (rtl/recording.h) on a module: what the machine's C unit got goes into the module, and what the C unit gave is compared with
 * the module's outputs, in each cycle (HW-4). A bench that can replay defines bench_replay, and has a row in rtl/configurations.py. */
#ifndef RTL_REPLAY_H
#define RTL_REPLAY_H

#include "../recording.h"
#include "lockstep.h"

typedef struct replay_event {
	hd_record_kind kind;
	unsigned n;
	uint64_t values[HD_RECORD_VALUES_MAX];
} replay_event;

/* Whether a bench leaves out cycles in which nothing changes. rtl/energy.py wants them, because it divides by cycles. */
#ifdef LOCKSTEP_EVERY_CYCLE
enum { REPLAY_SKIPS = 0 };
#else
enum { REPLAY_SKIPS = 1 };
#endif

/* Which of several units of the recording is replayed, such as the queue of a pipe; an argument of the program. */
extern unsigned replay_instance;

/* Defined by each bench: one cycle, with its n events in their order; calls lockstep_clock once. Before the first cycle of each launch the module is
 * reset and bench_start is called. */
void bench_replay(const replay_event *events, unsigned n);

/* Value i of an event. The program ends with a message if the value is `limit` or more. */
unsigned replay_value(const replay_event *event, unsigned i, uint64_t limit);
/* Compares what the C unit of the bench says with what the machine's said. A difference ends the program. */
void replay_expect(const char *what, uint64_t unit, uint64_t machine);
/* A number of the recording's head; the program ends with a message without it. */
uint64_t replay_head(const char *key);
/* Ends the program because the recording does not fit the module. */
void replay_refuse(const char *why);
/* Ends the program unless a port is free. */
void replay_ports(bool free);

/* Reads the file and calls bench_replay for each cycle, up to `cycles`. */
void replay_run(const char *path, uint64_t cycles);

#endif
