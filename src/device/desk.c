#include "device/desk.h"

bool hd_desk_has_left(const hd_grid *grid) { return grid->n_saved || (grid->queue ? grid->items.n != 0 : grid->given < grid->total); }

bool hd_desk_waits(const hd_desk *desk)
{
	for (unsigned priority = 0; priority < HD_PRIORITIES; priority++)
		if (desk->waiting[priority].first)
			return true;
	return false;
}

void hd_desk_put(hd_desk *desk, hd_grid *grid, bool at_head)
{
	grid->state = HD_GRID_WAITING;
	hd_grid_put(&desk->waiting[grid->priority], grid, at_head);
}

static bool in_turns(const hd_desk *desk) { return desk->machine->grids_order == HD_ORDER_TURNS; }

static void leave(hd_desk *desk, uint32_t place, hd_grid_state state)
{
	desk->table[place]->state = state;
	for (desk->n_table--; place < desk->n_table; place++)
		desk->table[place] = desk->table[place + 1];
}

static void enter_table(hd_desk *desk, hd_grid *grid, uint64_t now)
{
	uint32_t place = desk->n_table++;
	for (; place && !in_turns(desk) && desk->table[place - 1]->priority < grid->priority; place--)
		desk->table[place] = desk->table[place - 1];
	desk->table[place] = grid;
	grid->state = HD_GRID_RUNNING;
	grid->entered = now;
}

void hd_desk_tidy(hd_desk *desk)
{
	for (uint32_t i = desk->n_table; i-- > 0;) {
		const hd_grid *grid = desk->table[i];
		if (grid->state == HD_GRID_OVER || (!hd_desk_has_left(grid) && grid->done + grid->joining == grid->given))
			leave(desk, i, grid->state == HD_GRID_OVER ? HD_GRID_OVER : HD_GRID_PARKED);
	}
}

/* Takes the grid in a place out of the table. It goes back to its list if it has CTAs left. */
static void give_up(hd_desk *desk, uint32_t place, bool at_head)
{
	hd_grid *grid = desk->table[place];
	leave(desk, place, HD_GRID_PARKED);
	grid->result.evictions++;
	desk->stats->grids_evictions++;
	if (hd_desk_has_left(grid))
		hd_desk_put(desk, grid, at_head);
}

static bool evict(hd_desk *desk, uint32_t priority)
{
	const hd_grid *victim = desk->n_table ? desk->table[desk->n_table - 1] : NULL; /* the lowest priority, and of that the youngest */
	if (desk->machine->grids_evict == HD_EVICT_NONE || !victim || victim->priority >= priority)
		return false;
	give_up(desk, desk->n_table - 1, true);
	return true;
}

/* The cycle in which a grid of the table could begin its first CTA. A turn begins then, so that every turn is of use. */
static uint64_t since(const hd_grid *grid) { return hd_max_u64(grid->entered, grid->described); }

/* The place of the grid whose turn began first. */
static uint32_t oldest(const hd_desk *desk)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < desk->n_table; i++)
		if (since(desk->table[i]) < since(desk->table[best]))
			best = i;
	return best;
}

uint64_t hd_desk_due(const hd_desk *desk)
{
	uint32_t turn = desk->machine->grids_turn;
	if (!turn || desk->n_table < desk->machine->grids_slots || !hd_desk_waits(desk))
		return UINT64_MAX;
	return since(desk->table[oldest(desk)]) + turn;
}

/* The next list with a grid, after the one that gave the last grid, from high to low; NULL: all are empty. */
static hd_grid_list *next_list(hd_desk *desk)
{
	for (unsigned i = 0; i < HD_PRIORITIES; i++) {
		desk->list = desk->list ? desk->list - 1 : HD_PRIORITIES - 1;
		if (desk->waiting[desk->list].first)
			return &desk->waiting[desk->list];
	}
	return NULL;
}

typedef void (*entered)(void *context, hd_grid *grid, uint64_t now);

static void fill_in_turns(hd_desk *desk, uint64_t now, entered enter, void *context)
{
	while (desk->n_table < desk->machine->grids_slots || hd_desk_due(desk) <= now) {
		hd_grid_list *list = next_list(desk); /* before the oldest grid goes back to a list, so that it is not the next one itself */
		if (!list)
			return;
		if (desk->n_table >= desk->machine->grids_slots)
			give_up(desk, oldest(desk), false);
		hd_grid *grid = list->first;
		hd_grid_take(list, grid);
		enter_table(desk, grid, now);
		enter(context, grid, now);
	}
}

void hd_desk_fill(hd_desk *desk, uint64_t now, entered enter, void *context)
{
	if (in_turns(desk)) {
		fill_in_turns(desk, now, enter, context);
		return;
	}
	for (unsigned priority = HD_PRIORITIES; priority-- > 0;) {
		hd_grid_list *list = &desk->waiting[priority];
		for (hd_grid *grid; (grid = list->first);) {
			if (desk->n_table >= desk->machine->grids_slots && !evict(desk, priority))
				return;
			hd_grid_take(list, grid);
			enter_table(desk, grid, now);
			enter(context, grid, now);
		}
	}
}
