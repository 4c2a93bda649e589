/* The state of a heddle, for the units of this room. */
#ifndef HD_API_STATE_H
#define HD_API_STATE_H

#include "api/api.h"
#include "api/machine_code.h"
#include "base/output.h"
#include "base/region.h"
#include "check/check.h"
#include "launch/bounds.h"
#include "report/heat.h"
#include "report/roofline.h"
#include "sanitizer/races.h"
#include "trace/trace_file.h"

enum { HD_API_MEMORY_GIB = 4, HD_API_TRACES = 8 /* at a time */ };

/* A trace that heddle_trace asked for. */
typedef struct hd_api_trace {
	hd_trace_format format;
	char *path;
	hd_trace_limits limits;
} hd_api_trace;

struct heddle {
	hd_machine machine;
	hd_text settings; /* single keys that the caller changed, for the report */
	hd_diag diag;
	hd_memory *memory;
	hd_region *storage; /* hd_run_options.storage; NULL before the first timed run */
	hd_bounds *bounds;  /* HEDDLE_BOUNDS=warn; NULL: an access outside of every buffer is a trap */
	hd_object *object;
	hd_program *program;
	hd_machine_code *machine_code; /* NULL: the program is our own code; otherwise object and program have no code */
	const char *wanted;            /* hd_api_want_kernel */
	char *path;      /* of the program, for messages */
	char *source;    /* of a program that came as a string; NULL: it is in the file */
	bool unproven;   /* the program runs on any machine */
	bool compatible; /* with the machine as it is now: it was compiled for it, or looked at */
	hd_trace *trace;
	bool hazards; /* the sanitizer watches the runs that follow */
	bool races;   /* the race detector observes functional runs that follow */
	hd_races_options race_options;
	bool profiling;               /* the profile counts the runs that follow */
	HD_VEC(hd_api_trace) traces;  /* of the runs that follow */
	hd_output_set *trace_outputs; /* NULL: traces take their names when a run ends */
	hd_check_report proof;        /* of the last heddle_check */
	hd_text text;                 /* of the last instruction or finding that was described */
	hd_stage_call *stage;
	void *stage_context;
	uint64_t copied_bytes, copied_cycles; /* to the device since the last run (PD-38) */
	hd_ceilings ceilings;                 /* of the machine as it is now, if has_ceilings */
	bool has_ceilings;
	/* the last run */
	bool ran;
	const hd_kernel *kernel;
	hd_task *tasks; /* n_tasks */
	hd_task_result *results;
	unsigned n_tasks;
	hd_launch launch; /* the first launch of the list */
	bool functional;
	hd_stats stats;
	hd_energy_series energy;
	size_t energy_steps;
	hd_trap_kind ended;
	hd_text trap_text;
	hd_text printed;
	double seconds;
	hd_sanitizer *sanitizer; /* NULL: the sanitizer did not watch the run */
	hd_races *race_detector; /* NULL: it did not observe the run */
	hd_profile *profile;     /* NULL: heddle_profile was off, or the run was functional */
	hd_heat heat;            /* made by the first heddle_line_count after a run or build; without a program before */
};

/* Releases all that belongs to the last run. */
void hd_api_forget_run(heddle *h);
/* False and a message when no program was built. */
bool hd_api_has_program(heddle *h);
/* False and a message also when the program is machine code of a real GPU. */
bool hd_api_has_own_code(heddle *h);
/* The kernel of a symbol, or of a name in the source; with NULL the first one. NULL and a message when there is no such kernel, or more than one. */
const hd_kernel *hd_api_kernel(heddle *h, const char *name);

#endif
