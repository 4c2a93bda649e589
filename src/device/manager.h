/* Task manager and work distributor (PD-19). Grids that are ready wait in a list for each priority, put at its head or tail. The distributor has a
 * table with a place for each running grid; whoever waits longest at the highest priority takes a free one. From the table CTAs go to cores as
 * room appears, one to each core in turn; room goes to the highest priority, and while a grid waits for room those of lower priority get none.
 *
 * Eviction (grids.evict). A grid that waits while the table is full takes the place of a running one of lower priority, which goes back to the head
 * of its list with the CTAs that have not begun. Its CTAs that run go on (drain), or are stopped and saved where a higher grid wants their room
 * (save, core/residency/preempt.h); saved ones go on first when their grid has its turn again. A queue that has run empty gives up its place until
 * something is pushed. */
#ifndef HD_MANAGER_H
#define HD_MANAGER_H

#include "core/residency/preempt.h"

enum { HD_TABLE_MAX = 64 };

/* A CTA under way between a core and memory. */
typedef struct hd_transfer {
	uint64_t cycle; /* in which it is there */
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
	uint32_t turn; /* core that is asked first */
	hd_grid_list waiting[HD_PRIORITIES];
	hd_grid *table[HD_TABLE_MAX]; /* by priority, and then in the order in which they came */
	uint32_t n_table;
	HD_VEC(hd_grid *) coming; /* not yet arrived, by cycle */
	HD_VEC(hd_transfer) transfers;
	uint64_t areas; /* where states are saved: number of the next one */
	uint64_t next;  /* first cycle in which something comes, by itself */
	bool hopes;     /* something comes by itself, which may end what seems to go round for ever (RC-17) */
	bool changed;   /* there may be something to do now */
	uint64_t ctas_ended;
} hd_manager;

void hd_manager_init(hd_manager *manager, const hd_machine *machine, hd_tasks *tasks, hd_core *const *core, uint32_t cores, hd_l2 *l2,
                     hd_stats *stats, hd_watch *watch);
void hd_manager_free(hd_manager *manager);
/* What is to happen before the cores' tick of cycle `now`. The first cycle in which that may have to be done again, `now` if a CTA has begun. */
uint64_t hd_manager_step(hd_manager *manager, uint64_t now);
/* The core has done its tick of cycle `now`, and has news, or the task table has: CTAs that ended or stopped, grids that were launched. */
void hd_manager_after(hd_manager *manager, uint32_t core, uint64_t now);

#endif
