/* The context of a core: what the cores of a cluster share, and the sizes of a core. */
#ifndef HD_CORE_CONTEXT_H
#define HD_CORE_CONTEXT_H

#include "base/region.h"
#include "core/code.h"
#include "memory/icache.h"
#include "core/residency/occupancy.h"
#include "tasks/task.h"
#include "launch/record.h"
#include "launch/trace.h"
#include "launch/units.h"
#include "launch/watch.h"
#include "memory/crossbar.h"

/* Signals of a core to the device. */
typedef struct hd_core_signal {
	_Alignas(64) uint64_t next; /* first cycle after the last tick in which something can happen; UINT64_MAX: none, unless a CTA is started */
	uint64_t wish;              /* first later cycle that an observer wants to see, although nothing may happen in it; UINT64_MAX: none */
	uint64_t answers; /* with memory.slices: cycle of the first answer that the core has not taken (hd_core_answers); UINT64_MAX: none */
	bool unfetched;   /* some CTAs have ended or stopped, and the device has not fetched them (hd_core_ended, hd_core_stopped) */
} hd_core_signal;

/* The context that the cores of a cluster share. Its members outlive the cores. What a cluster changes in a window of time (PA-2), statistics, trap
 * and watch among them, is the cluster's own. */
typedef struct hd_context {
	const hd_machine *machine;
	hd_tasks *tasks;
	const hd_code *code;
	hd_memory *memory;
	hd_region *region; /* for the storage of all cores; NULL: each core allocates its own */
	hd_l2 *l2;
	bool packets;             /* accesses to global memory travel (MT-1), and somebody takes the packets of hd_core_outbox */
	struct hd_walker *walker; /* NULL: no pages (PD-38) */
	hd_stats *stats;
	hd_trap *trap;          /* filled by the core that stops the run */
	hd_core_signal *signal; /* of each core */
	uint32_t cores;
	struct hd_requests *requests; /* of the cluster, for windows of time (PA-2); NULL: there are none */
	uint32_t window;              /* multi_issue.window; 0 = the next instruction alone */
	hd_trace *trace;              /* NULL: no observer */
	hd_recorder *recorder;        /* NULL: no recorder */
	hd_unit_watch *units;         /* NULL: nobody watches units */
	hd_watch *watch;              /* livelock detection */
	bool eager;                   /* hd_run_options.tick_every_cycle: check everything in every cycle */
	bool junk;                    /* hd_run_options.junk */
} hd_context;

typedef struct hd_core hd_core;

/* Sizes of a core's storage on the host. They are bounded by the capacity of the core and by the needs of the run. */
typedef struct hd_core_size {
	uint32_t ctas, warps, registers; /* registers: 32-bit ones of a thread */
} hd_core_size;

#endif
