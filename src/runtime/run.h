/* Runs launches on the machine or in the interpreter, with everything that the environment asks for: bounds, races, printing, progress, reports. */
#ifndef HR_RUN_H
#define HR_RUN_H

#include "runtime/priority_mutex.h"
#include "runtime/setting.h"
#include "tasks/event.h"
#include "tasks/task.h"

struct hd_oracle;

typedef struct hr_run {
	hd_launch *launch; /* the whole of what runs, for reports and messages; gets its number and print buffer */
	hd_memory *memory; /* the caller has its lock */
	/* Makes the list of launches, after the launch has its print buffer. NULL: it is `launch` alone. The tasks live until the end. */
	hd_task *(*list)(void *context, uint32_t *n);
	void *context;
	uint32_t priority;            /* of a launch without `list`, in the task lists (PD-36) */
	const hd_enqueuing *queues;   /* or NULL */
	struct hd_oracle **interp;    /* of the program, made at the first run in the interpreter; the caller frees it with hd_interp_free */
	const char *file, *source;    /* of the program: its name, and its text or NULL */
	void (*leave)(void *leaving); /* called when the memory is not used any more, before anything is printed */
	void *leaving;
} hr_run;

typedef struct hr_run_result {
	hd_trap_kind ended;
	uint64_t ns;     /* simulated nanoseconds; in the interpreter, those of the host */
	hd_text message; /* of the trap, also printed; the caller frees */
	bool no_room;    /* there is no memory for the print buffer: nothing has run */
} hr_run_result;

enum { HR_PRINT_BYTES = 1 << 20 }; /* bytes of arguments that a launch can print; the minimum of OpenCL's full profile */

void hr_run_launch(const hr_run *run, hr_run_result *result);
/* PD-36: of the launches of a queue in the task lists. Child grids, which have their parent's, can have one above and below. */
uint32_t hr_priority_in_lists(hr_priority priority);

#endif
