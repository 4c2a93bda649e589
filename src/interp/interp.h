/* The in-order interpreter, the oracle of the timed machine. It executes the encoded program by the flow unit's rules (least address first,
 * RC-1 to RC-14), without time, queues or counters. It honours barriers and atomics. CTAs run one after the other, but for those of a cooperative
 * launch, which take turns. The warps of a CTA take turns, at barriers and after some thousand instructions, so that a warp may spin for another warp
 * of its CTA; a warp that spins for another CTA of a launch that is not cooperative spins for ever. A CTA in which no warp can ever continue, at
 * barriers or spinning, is a deadlock (RC-17). */
#ifndef HD_INTERP_H
#define HD_INTERP_H

#include "config/machine.h"
#include "launch/order.h"
#include "tasks/task.h"

typedef struct hd_interp_options {
	uint32_t call_depth, grid_depth; /* as in the machine */
	uint64_t max_instructions;       /* warp instructions, after which the launch ends with HD_TRAP_CYCLES; 0: no limit */
	/* Threads of the host that run CTAs of a grid side by side; 0 is 1. Memory, statistics, traps and their texts are those of one thread, as
	 * long as the grid has no data race; after a trap, memory may hold what later CTAs wrote. Grids for which the order of CTAs could matter have
	 * one thread (hd_oracle_may_parallel). */
	uint32_t threads;
	/* With several threads: atomics of different CTAs take effect in the order in which the threads come to them, so that grids with atomics may
	 * have several threads, too. Each is one atomic operation of the host. What they return may differ from run to run; a grid whose CTAs wait
	 * for later ones may wait without an end. */
	bool unordered;
	bool warps_alone; /* no two warps of a CTA side by side: for tests, the same result as long as the CTA has no data race */
	bool (*poll)(void *context, uint64_t instructions, uint64_t ctas_done, uint64_t ctas);
	void *context;
	const hd_enqueuing *enqueuing; /* device queues; may be NULL */
	hd_task_result *results;       /* one for each launch; may be NULL. They receive numbers of CTAs and children, no cycles */
	hd_order *order;               /* observer of memory accesses and of what orders them, or NULL; with one, there is one thread of the host */
} hd_interp_options;

/* As hd_device_run. Fills the groups run and divergence and the instruction counts of memory in `stats`; cycles stay 0. grid_depth is that of the
 * default machine. */
bool hd_interp_run(const hd_launch *launch, hd_memory *memory, const hd_interp_options *options, hd_stats *stats, hd_trap *trap);

/* hd_interp_run for a list of launches of one program (tasks/task.h). Grids run one after the other in an order that the dependences allow,
 * children after the CTAs of their parent, entries of queues in the order of the pushes. A deterministic program has a deterministic result.
 * Priorities and cycles of arrival have no effect. */
bool hd_interp_run_list(const hd_task *list, uint32_t n, hd_memory *memory, const hd_interp_options *options, hd_stats *stats, hd_trap *trap);

/* The same in parts, for programs that are launched often: what runs of one program share, and memory that they use again. Used by one run at a time.
 * The program outlives it. */
typedef struct hd_oracle hd_interp;
hd_interp *hd_interp_new(const hd_program *program);
void hd_interp_free(hd_interp *interp);
bool hd_interp_run_again(hd_interp *interp, const hd_task *list, uint32_t n, hd_memory *memory, const hd_interp_options *options, hd_stats *stats,
                         hd_trap *trap);

#endif
