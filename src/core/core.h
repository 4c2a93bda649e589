/* One core: schedulers with their warps, queues and pipelines, and what they share: instruction cache, load/store unit, shared memory. */
#ifndef HD_CORE_H
#define HD_CORE_H

#include "core/code.h"
#include "core/fetch/icache.h"
#include "core/residency/occupancy.h"
#include "tasks/task.h"
#include "launch/trace.h"
#include "launch/watch.h"
#include "memory/memory.h"

/* What a core tells without being asked. */
typedef struct hd_core_signal {
	uint64_t next; /* first cycle after the last tick in which something can happen; UINT64_MAX: never, unless a CTA is started */
	bool news;     /* CTAs have ended or stopped, and nobody has asked which (hd_core_ended, hd_core_stopped) */
} hd_core_signal;

/* What all cores of a run share. Everything in it outlives them. */
typedef struct hd_context {
	const hd_machine *machine;
	hd_tasks *tasks;
	const hd_code *code;
	hd_memory *memory;
	hd_l2 *l2;
	hd_stats *stats;
	hd_trap *trap;          /* filled by the core that stops the run */
	hd_core_signal *signal; /* of each core */
	uint32_t cores;
	uint32_t window; /* multi_issue.window; 0 = the next instruction alone */
	hd_trace *trace; /* NULL: nobody watches */
	hd_watch *watch; /* for livelocks */
	bool eager;      /* hd_run_options.tick_every_cycle: look everywhere in every cycle */
	bool junk;       /* hd_run_options.junk */
} hd_context;

typedef struct hd_core hd_core;

/* What a core keeps room for in the host's memory: no more than what it can hold, and no more than the run can need. */
typedef struct hd_core_size {
	uint32_t ctas, warps, registers; /* registers: 32-bit ones of a thread */
} hd_core_size;

/* `l15` is the second instruction cache of the core's cluster. */
hd_core *hd_core_new(const hd_context *context, uint32_t number, hd_core_size size, hd_icache *l15);
void hd_core_free(hd_core *core);

/* True when a further CTA fits that takes so much (PD-20). */
bool hd_core_fits(const hd_core *core, const hd_demand *demand);
/* Begins a CTA of the grid in cycle `now`, before the tick of that cycle; it fits. `item`: a queue's entry. */
void hd_core_start(hd_core *core, uint64_t now, hd_grid *grid, const uint32_t cta[3], uint64_t number, uint64_t item);
/* One cycle. Cycles since the last call in which nothing could happen are accounted for here. False: trap. */
bool hd_core_tick(hd_core *core, uint64_t now);
/* The grids of the CTAs that ended since the last call, one each; *n of them. */
hd_grid *const *hd_core_ended(hd_core *core, uint32_t *n);
/* CTAs there now. */
uint32_t hd_core_resident(const hd_core *core);
/* Cycles up to `now` (exclusive) that were skipped are put into the statistics, and the core's own counts into the context's.
 * At the end of a run, or between two cycles of it: then `now` is the cycle that comes next. */
void hd_core_finish(hd_core *core, uint64_t now);
/* Who waits for what in a core that holds CTAs, as lines of text; *trap gets the place of a warp that waits, if there is one. */
void hd_core_explain(const hd_core *core, uint64_t now, hd_trap *trap, hd_text *text);
/* The place of some warp, for a run that is stopped from outside. False when there is none. */
bool hd_core_place(const hd_core *core, hd_trap *trap);

#endif
