/* One core: schedulers with their warps, queues and pipelines, and the units that they share: instruction cache, load/store unit, shared memory. */
#ifndef HD_CORE_H
#define HD_CORE_H

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

/* `l15` is the second instruction cache of the core's cluster. */
hd_core *hd_core_new(const hd_context *context, uint32_t number, hd_core_size size, hd_icache *l15);
void hd_core_free(hd_core *core);

/* True when the core has room for one more CTA of this demand (PD-20). */
bool hd_core_fits(const hd_core *core, const hd_demand *demand);
/* Takes room for a CTA of the grid, and begins it in cycle `now`, before the tick of that cycle, or grids.cta_latency later. Requires: it fits.
 * `item` is the entry of a queue. */
void hd_core_start(hd_core *core, uint64_t now, hd_grid *grid, const uint32_t cta[3], uint64_t number, uint64_t item);
/* Simulates one cycle. In a window of time the tick can stop before it is complete (hd_requests.stops); with hd_requests.resumes the next call for
 * the cycle completes it. It also accounts for the cycles since the last call, in which nothing could happen. False: trap. */
bool hd_core_tick(hd_core *core, uint64_t now);
/* With memory.slices: takes the answers that the core knows from cycle `now` on, before the tick of that cycle. Sets the core's signal. */
void hd_core_answers(hd_core *core, uint64_t now);
/* With memory.slices: a line of instructions that a core of the cluster has asked for is there in cycle `there`, which is to come. */
void hd_core_line(hd_core *core, uint64_t number, uint64_t there);
/* Before cycle `end`, with which a window is over: memory instructions whose requests are priced are done when the answers say, and what the window
 * held back goes on. Sets the core's signal. */
void hd_core_answer(hd_core *core, uint64_t end);
/* The grids of the CTAs that have ended by cycle `now` and were not reported yet, one entry for each CTA; *n entries. Their room is free then. */
hd_grid *const *hd_core_ended(hd_core *core, uint64_t now, uint32_t *n);
/* The cycle of the first end that hd_core_ended has not reported; UINT64_MAX: it has reported all. */
uint64_t hd_core_end(const hd_core *core);
/* Where the core leaves its packets; NULL without hd_context.packets. */
hd_outbox *hd_core_outbox(hd_core *core);
/* Number of resident CTAs. */
uint32_t hd_core_resident(const hd_core *core);
/* Adds the skipped cycles before `now` to the statistics, and the core's own counts to those of the context. Call it at the end of a run, or between
 * two cycles, where `now` is the next cycle. */
void hd_core_finish(hd_core *core, uint64_t now);
/* Appends lines of text about what each warp of a core with CTAs waits for. *trap receives the place of a waiting warp, if there is one. */
void hd_core_explain(const hd_core *core, uint64_t now, hd_trap *trap, hd_text *text);
/* Fills in the place of any warp, for a run that is stopped from outside. False when the core has no warp. */
bool hd_core_place(const hd_core *core, hd_trap *trap);

#endif
