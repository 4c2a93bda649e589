/* One program: checked, and run on the timed machine. */
#ifndef TRIAL_H
#define TRIAL_H

#include "check/check.h"
#include "frame.h"
#include "launch/launch.h"
#include "machines.h"

/* Why a refuted program may be right with every timing: the first cause that holds. */
typedef enum cause {
	CAUSE_COUNTER,   /* the counter is one of the other latency set: the machine waits for it, too */
	CAUSE_TYPE,      /* the hint names another type: rule 7 is broken, not this program */
	CAUSE_LAST_USE,  /* the flagged value was not dropped, or nothing reads it later */
	CAUSE_CALL,      /* something is outstanding at a call, a return or an exit, and the code behind does not need it */
	CAUSE_FENCE,     /* bar or membar: no thread of this program reads too early, or caches do not hold bytes (docs/timing.md) */
	CAUSE_GUARDS,    /* no lane executes both: @p0 and @!p0, or the sides of a branch */
	CAUSE_ENTERED,   /* the second instruction waits until the first has entered: their latencies then order the writes */
	CAUSE_SAME_PATH, /* both take the same way through memory, which keeps the order */
	CAUSE_ONE_CYCLE, /* both write in one cycle, and the machine happens to do it in order */
	CAUSE_FLOW,      /* a branch between them takes longer than the latency, or parts the lanes */
	CAUSE_VALUE,     /* the wrong value has no effect on the result */
	CAUSES
} cause;
extern const char *const cause_names[CAUSES];

typedef struct verdict {
	bool proven, ran;
	hd_hazard_kind kind; /* of the first finding, when it is not proven */
	int wrong;           /* timing with which it is wrong, -1 = none */
	cause cause;         /* of a refuted program that is right with every timing */
} verdict;

/* The timings of a program. It runs until one of them gives wrong bytes. */
typedef enum effort {
	EFFORT_SAMPLE, /* proven: the first timing and three others in turn; one refuted program in eight: all timings but the wider set */
	EFFORT_FULL,   /* proven: the first timing and five others in turn; refuted: all but the wider set, and one of that in turn */
	EFFORT_WIDE,   /* proven: all but the wider set, and one of that in turn; refuted: all */
} effort;

typedef struct trial {
	subject s;
	frame frame;
	effort most;
	hd_memory *memory;
	uint64_t address;
	uint8_t *bytes, begin[FRAME_VALUES][FRAME_BYTES], oracle[FRAME_VALUES][FRAME_BYTES];
	bool known[FRAME_VALUES]; /* the interpreter has run */
	uint64_t number, runs;
	uint64_t wrong_by[MAX_TIMINGS];
} trial;

/* Machine `number`. The caller frees. */
trial *trial_new(unsigned number, effort most);
void trial_free(trial *t);
/* `fresh`: the instructions are others than the last time, so that the interpreter has to run. t->frame.object is the program afterwards. */
verdict trial_run(trial *t, const tiny *core, bool fresh);

#endif
