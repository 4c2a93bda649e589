/* The machine as a whole: runs a list of launches, and the grids that they launch, cycle by cycle. */
#ifndef HD_DEVICE_H
#define HD_DEVICE_H

#include "base/region.h"
#include "config/machine.h"
#include "core/residency/occupancy.h"
#include "tasks/task.h"
#include "launch/record.h"
#include "launch/trace.h"

/* Options and callbacks of a run. All are optional. */
typedef struct hd_run_options {
	uint64_t max_cycles; /* 0 = no limit (an endless loop then ends only by `stop`); interpreter: warp instructions */
	/* Called at most every 2^16 cycles; true ends the run with HD_TRAP_INTERRUPTED. `cycle` and the number of CTAs done are for progress
	 * displays. */
	bool (*poll)(void *context, uint64_t cycle, uint64_t ctas_done, uint64_t ctas);
	void *context;
	/* Called for each event when not NULL (traces); costs nothing when NULL. */
	hd_trace *trace;
	/* Learns what goes into and out of the units of one scheduler; NULL: nobody does. The run then ticks every cycle. */
	hd_recorder *recorder;
	/* Energy over time: called with the counters after every cycle that is a multiple of sample_interval (0: never). It is not called for the
	 * last cycle, after which the caller has the counters. */
	uint64_t sample_interval;
	void (*sample)(void *context, uint64_t cycle, const hd_stats *stats);
	void *sample_context;
	/* For the state of the cores. The caller keeps it from run to run, so that the host need not clear new pages for each launch. It serves one
	 * run at a time. NULL: the run makes its own. */
	hd_region *storage;
	uint32_t threads;      /* of the host that simulate clusters side by side (PA-1): results do not depend on it; 0: hd_threads */
	bool tick_every_cycle; /* never skip idle cycles: the statistics must not change (test) */
	bool junk;             /* test: a new warp's registers hold random values instead of zeros; the results of a correct program do not change */
	const hd_enqueuing *enqueuing; /* device queues; may be NULL */
	hd_task_result *results;       /* one for each launch; may be NULL */
	bool cycle_by_cycle;           /* test: no windows of time (PA-2): the statistics of a run without a trap do not change */
	bool window_of_one;            /* test: multi_issue.window = 1 goes through the candidate window; the statistics do not change */
} hd_run_options;

/* Runs the launch to its end. True when it ended normally; false with *trap filled otherwise (memory then holds everything written so far).
 * Overwrites `stats`. Deterministic: the result depends on the arguments alone. */
bool hd_device_run(const hd_machine *machine, const hd_launch *launch, hd_memory *memory, const hd_run_options *options, hd_stats *stats,
                   hd_trap *trap);

/* hd_device_run for a list of launches of one program (tasks/task.h). */
bool hd_device_run_list(const hd_machine *machine, const hd_task *list, uint32_t n, hd_memory *memory, const hd_run_options *options, hd_stats *stats,
                        hd_trap *trap);

#endif
