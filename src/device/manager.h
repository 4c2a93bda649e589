/* Task managers and work distributor (PD-19, PD-36). Ready grids wait in the lists of a task manager, and run when they are in its table
 * (distributor.h). There is one for each device or for each cluster (grids.managers). A grid belongs to one of them, on its own device: to the one
 * whose grids have the fewest CTAs left. CTAs go from the table to the cores of the task manager as room appears, one to each core in turn. Room goes
 * to the highest priority; while a grid waits for room, grids of lower priority get none. With grids.order = round_robin, grids begin one CTA each in
 * turn.
 *
 * Kinds of program can have clusters of their own (grids.clusters_1). A cluster that has no work runs CTAs of other task managers (grids.managers =
 * help) and of other kinds (grids.lend).
 *
 * Eviction (grids.evict). Running CTAs of a grid that has lost its place continue (drain), or are stopped and saved where a higher grid needs their
 * room (save, core/residency/preempt.h). Saved CTAs continue first when their grid has its turn again. A queue that has run empty gives up its place
 * until something is pushed. */
#ifndef HD_MANAGER_H
#define HD_MANAGER_H

#include "core/core.h"
#include "core/residency/preempt.h"
#include "device/distributor.h"

/* A CTA under way between a core and memory. */
typedef struct hd_transfer {
	uint64_t cycle; /* cycle in which it arrives */
	uint32_t core, cta;
	hd_grid *grid;
	hd_saved *saved; /* on its way out; NULL: on its way in */
} hd_transfer;

typedef struct hd_manager {
	const hd_machine *machine;
	hd_tasks *tasks;
	hd_core *const *core;
	hd_l2 *const *l2; /* of each device */
	hd_stats *stats;
	hd_watch *watch;
	uint32_t clusters;           /* of all devices */
	hd_distributor *distributor; /* those of device 0 first */
	uint32_t distributors;
	uint32_t deal[HD_MAX_DEVICES]; /* distributor of a device that gets the next grid, if no other has less to do */
	HD_VEC(hd_grid *) coming;      /* not yet arrived, by cycle */
	HD_VEC(hd_transfer) transfers;
	uint64_t areas; /* number of the next save area */
	uint64_t next;  /* first cycle in which an arrival or transfer is due */
	bool hopes;     /* an arrival or transfer is due, which may end an apparent livelock (RC-17) */
	bool changed;   /* the distributor may have something to do now */
	uint64_t ctas_ended;
} hd_manager;

/* `core` and `l2`: those of device 0 first. */
void hd_manager_init(hd_manager *manager, const hd_machine *machine, hd_tasks *tasks, hd_core *const *core, hd_l2 *const *l2, hd_stats *stats,
                     hd_watch *watch);
void hd_manager_free(hd_manager *manager);
/* For hd_manager_step: a cycle in which there is something to do. */
uint64_t hd_manager_act(hd_manager *manager, uint64_t now);
/* Does everything that comes before the cores' tick of cycle `now`. Returns the first cycle in which the call may be needed again; `now` if a CTA
 * has begun. */
static inline uint64_t hd_manager_step(hd_manager *manager, uint64_t now)
{
	return manager->changed || now >= manager->next ? hd_manager_act(manager, now) : manager->next;
}
/* Called after the core's tick of cycle `now`, or of a later one in windows of time, when the core or the task table signals: CTAs that had ended by
 * then or stopped, grids that were launched. */
void hd_manager_after(hd_manager *manager, uint32_t core, uint64_t now);

#endif
