/* Task manager and work distributor (PD-19). Ready grids wait in a list for each priority, put at its head or tail. The distributor has a table with
 * a place for each running grid. A free place goes to the grid of the highest priority that has waited longest. CTAs go from the table to cores as
 * room appears, one to each core in turn. Room goes to the highest priority; while a grid waits for room, grids of lower priority get none.
 *
 * Eviction (grids.evict). A grid that waits while the table is full takes the place of a running one of lower priority, which returns to the head
 * of its list with the CTAs that have not begun. Its running CTAs continue (drain), or are stopped and saved where a higher grid needs their room
 * (save, core/residency/preempt.h). Saved CTAs continue first when their grid has its turn again. A queue that has run empty gives up its place
 * until something is pushed. */
#ifndef HD_MANAGER_H
#define HD_MANAGER_H

#include "core/residency/preempt.h"

enum { HD_TABLE_MAX = 64 };

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
	hd_l2 *l2;
	hd_stats *stats;
	hd_watch *watch;
	uint32_t cores;
	uint32_t turn; /* core that gets the next CTA, if it has room */
	hd_grid_list waiting[HD_PRIORITIES];
	hd_grid *table[HD_TABLE_MAX]; /* by priority, then in the order of arrival */
	uint32_t n_table;
	HD_VEC(hd_grid *) coming; /* not yet arrived, by cycle */
	HD_VEC(hd_transfer) transfers;
	uint64_t areas; /* number of the next save area */
	uint64_t next;  /* first cycle in which an arrival or transfer is due */
	bool hopes;     /* an arrival or transfer is due, which may end an apparent livelock (RC-17) */
	bool changed;   /* the distributor may have something to do now */
	uint64_t ctas_ended;
} hd_manager;

void hd_manager_init(hd_manager *manager, const hd_machine *machine, hd_tasks *tasks, hd_core *const *core, uint32_t cores, hd_l2 *l2,
                     hd_stats *stats, hd_watch *watch);
void hd_manager_free(hd_manager *manager);
/* Does everything that comes before the cores' tick of cycle `now`. Returns the first cycle in which the call may be needed again; `now` if a CTA
 * has begun. */
uint64_t hd_manager_step(hd_manager *manager, uint64_t now);
/* Called after the core's tick of cycle `now`, when the core or the task table signals: CTAs that ended or stopped, grids that were launched. */
void hd_manager_after(hd_manager *manager, uint32_t core, uint64_t now);

#endif
