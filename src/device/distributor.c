#include "device/distributor.h"

bool hd_grid_has_work(const hd_grid *grid) { return grid->n_saved || (grid->queue ? grid->items.n != 0 : grid->given < grid->total); }

bool hd_distributor_has_waiting(const hd_distributor *distributor)
{
	for (unsigned priority = 0; priority < HD_PRIORITIES; priority++)
		if (distributor->waiting[priority].first)
			return true;
	return false;
}

void hd_distributor_put(hd_distributor *distributor, hd_grid *grid, bool at_head)
{
	grid->state = HD_GRID_WAITING;
	hd_grid_put(&distributor->waiting[grid->priority], grid, at_head);
}

static bool is_round_robin(const hd_distributor *distributor) { return distributor->machine->grids_order == HD_ORDER_ROUND_ROBIN; }

static void leave(hd_distributor *distributor, uint32_t place, hd_grid_state state)
{
	distributor->table[place]->state = state;
	for (distributor->n_table--; place < distributor->n_table; place++)
		distributor->table[place] = distributor->table[place + 1];
}

static void enter_table(hd_distributor *distributor, hd_grid *grid, uint64_t now)
{
	uint32_t place = distributor->n_table++;
	for (; place && !is_round_robin(distributor) && distributor->table[place - 1]->priority < grid->priority; place--)
		distributor->table[place] = distributor->table[place - 1];
	distributor->table[place] = grid;
	grid->state = HD_GRID_RUNNING;
	grid->entered = now;
}

void hd_distributor_tidy(hd_distributor *distributor)
{
	for (uint32_t i = distributor->n_table; i-- > 0;) {
		const hd_grid *grid = distributor->table[i];
		if (grid->state == HD_GRID_ENDED || (!hd_grid_has_work(grid) && grid->done + grid->joining == grid->given))
			leave(distributor, i, grid->state == HD_GRID_ENDED ? HD_GRID_ENDED : HD_GRID_PARKED);
	}
}

/* Takes the grid in a place out of the table. It goes back to its list if it has CTAs left. */
static void give_up(hd_distributor *distributor, uint32_t place, bool at_head)
{
	hd_grid *grid = distributor->table[place];
	leave(distributor, place, HD_GRID_PARKED);
	grid->result.evictions++;
	distributor->stats->grids_evictions++;
	if (hd_grid_has_work(grid))
		hd_distributor_put(distributor, grid, at_head);
}

static bool evict(hd_distributor *distributor, uint32_t priority)
{
	const hd_grid *victim =
	    distributor->n_table ? distributor->table[distributor->n_table - 1] : NULL; /* the lowest priority, and of that the youngest */
	if (distributor->machine->grids_evict == HD_EVICT_NONE || !victim || victim->priority >= priority)
		return false;
	give_up(distributor, distributor->n_table - 1, true);
	return true;
}

/* The cycle in which a grid of the table could begin its first CTA. A time slice begins then, so that each is of use. */
static uint64_t since(const hd_grid *grid) { return hd_max_u64(grid->entered, grid->described); }

/* The place of the grid whose time slice began first. */
static uint32_t oldest(const hd_distributor *distributor)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < distributor->n_table; i++)
		if (since(distributor->table[i]) < since(distributor->table[best]))
			best = i;
	return best;
}

uint64_t hd_distributor_due(const hd_distributor *distributor)
{
	uint32_t slice = distributor->machine->grids_time_slice;
	if (!slice || distributor->n_table < distributor->machine->grids_slots || !hd_distributor_has_waiting(distributor))
		return UINT64_MAX;
	return since(distributor->table[oldest(distributor)]) + slice;
}

/* The next list with a grid, after the one that gave the last grid, from high to low; NULL: all are empty. */
static hd_grid_list *next_list(hd_distributor *distributor)
{
	for (unsigned i = 0; i < HD_PRIORITIES; i++) {
		distributor->list = distributor->list ? distributor->list - 1 : HD_PRIORITIES - 1;
		if (distributor->waiting[distributor->list].first)
			return &distributor->waiting[distributor->list];
	}
	return NULL;
}

typedef void (*entered)(void *context, hd_grid *grid, uint64_t now);

static void fill_round_robin(hd_distributor *distributor, uint64_t now, entered enter, void *context)
{
	while (distributor->n_table < distributor->machine->grids_slots || hd_distributor_due(distributor) <= now) {
		hd_grid_list *list = next_list(distributor); /* before the oldest grid goes back to a list, so that it is not the next one itself */
		if (!list)
			return;
		if (distributor->n_table >= distributor->machine->grids_slots)
			give_up(distributor, oldest(distributor), false);
		hd_grid *grid = list->first;
		hd_grid_take(list, grid);
		enter_table(distributor, grid, now);
		enter(context, grid, now);
	}
}

void hd_distributor_fill(hd_distributor *distributor, uint64_t now, entered enter, void *context)
{
	if (is_round_robin(distributor)) {
		fill_round_robin(distributor, now, enter, context);
		return;
	}
	for (unsigned priority = HD_PRIORITIES; priority-- > 0;) {
		hd_grid_list *list = &distributor->waiting[priority];
		for (hd_grid *grid; (grid = list->first);) {
			if (distributor->n_table >= distributor->machine->grids_slots && !evict(distributor, priority))
				return;
			hd_grid_take(list, grid);
			enter_table(distributor, grid, now);
			enter(context, grid, now);
		}
	}
}
