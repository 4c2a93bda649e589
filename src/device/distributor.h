/* The work distributor of one task manager (PD-19, PD-36): the lists in which ready grids wait, one for each priority, and the table of the grids
 * that run. It decides which grids are in the table. manager.h decides which distributor a grid belongs to, and which CTAs begin.
 *
 * grids.order = priority: a free place goes to the head of the highest list that is not empty. A grid that waits while the table is full takes the
 * place of a running one of lower priority (grids.evict), which returns to the head of its list. The table is sorted by priority, then by arrival.
 * grids.order = round_robin: lists take turns at free places. With grids.time_slice, a grid that has had its place so long gives it to one that
 * waits, and goes to the tail of its list. The table is a circle: its first grid is the next to begin a CTA. */
#ifndef HD_DISTRIBUTOR_H
#define HD_DISTRIBUTOR_H

#include "config/machine.h"
#include "tasks/task.h"

enum { HD_TABLE_MAX = 64 };

typedef struct hd_distributor {
	const hd_machine *machine;
	hd_stats *stats;
	uint32_t device;
	uint32_t first, clusters; /* clusters of the distributor, counted over all devices */
	hd_grid_list waiting[HD_PRIORITIES];
	hd_grid *table[HD_TABLE_MAX];
	uint32_t n_table;
	uint32_t list;                /* that gave the last grid to the table (grids.order = round_robin) */
	uint32_t turn[HD_TASK_KINDS]; /* core that gets the next CTA, if it has room; for each kind with clusters of its own, and kind 0 */
	uint64_t load;                /* CTAs of its grids that have not ended; those of queues do not count */
} hd_distributor;

/* True when the grid has CTAs to begin or continue, now or later. A grid without needs no place in table or list: it is parked until that changes, or
 * it has ended. */
bool hd_grid_has_work(const hd_grid *grid);
/* True when a grid waits in a list. */
bool hd_distributor_has_waiting(const hd_distributor *distributor);
/* Puts a grid that is ready into the list of its priority. */
void hd_distributor_put(hd_distributor *distributor, hd_grid *grid, bool at_head);
/* Removes grids that have nothing left to give and nothing running, and queues that have run empty, from the table. A CTA that waits for child grids
 * without a place (PD-32) does not run. */
void hd_distributor_tidy(hd_distributor *distributor);
/* Gives places to grids that wait. Calls `enter` for each that gets one. */
void hd_distributor_fill(hd_distributor *distributor, uint64_t now, void (*enter)(void *context, hd_grid *grid, uint64_t now), void *context);
/* The cycle in which a place of the table falls to a grid that waits; UINT64_MAX: none does by itself. */
uint64_t hd_distributor_due(const hd_distributor *distributor);

#endif
