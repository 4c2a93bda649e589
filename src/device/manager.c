#include "device/manager.h"

#include "memory/l2.h"

/* Saved states have an address range of their own. */
#define STATE_BASE (UINT64_C(1) << 61)
#define STATE_AREA (UINT64_C(1) << 24)
/* So have task descriptors (PD-37). */
#define DESCRIPTOR_BASE (UINT64_C(1) << 62)
#define DESCRIPTOR_AREA 1024

void hd_manager_init(hd_manager *m, const hd_machine *machine, hd_tasks *tasks, hd_core *const *core, uint32_t cores, hd_l2 *l2, hd_stats *stats,
                     hd_watch *watch)
{
	*m =
	    (hd_manager){.machine = machine, .tasks = tasks, .core = core, .cores = cores, .l2 = l2, .stats = stats, .watch = watch, .changed = true};
	for (uint32_t i = 0; i < tasks->n_host; i++)
		hd_vec_push(&m->coming, tasks->at.at[i]);
}

void hd_manager_free(hd_manager *m)
{
	for (size_t i = 0; i < m->transfers.n; i++)
		hd_saved_free(m->transfers.at[i].saved);
	for (size_t i = 0; i < m->tasks->at.n; i++)
		while (m->tasks->at.at[i] && m->tasks->at.at[i]->n_saved)
			hd_saved_free(hd_saved_take(m->tasks->at.at[i]));
	hd_vec_free(&m->transfers);
	hd_vec_free(&m->coming);
}

/* The grid has CTAs to give. A grid without needs no place in table or list: it is parked until that changes, or it has ended. */
static bool has_left(const hd_grid *grid) { return grid->n_saved || (grid->queue ? grid->items.n != 0 : grid->given < grid->total); }

static void to_list(hd_manager *m, hd_grid *grid, bool at_head)
{
	grid->state = HD_GRID_WAITING;
	hd_grid_put(&m->waiting[grid->priority], grid, at_head);
}

/* -- descriptors -------------------------------------------------------------------------------------------------------------------------------- */

/* Moves the descriptor of a grid through the second level, a sector at a time (PD-37). Returns the cycle in which the last one arrives; `now` without
 * grids.descriptor_bytes. */
static uint64_t move_descriptor(hd_manager *m, const hd_grid *grid, bool write, uint64_t now)
{
	uint64_t address = DESCRIPTOR_BASE + (uint64_t)grid->handle * DESCRIPTOR_AREA, end = now;
	for (uint32_t at = 0; at < m->machine->grids_descriptor_bytes; at += HD_SECTOR_BYTES) {
		uint64_t done = hd_l2_sector(m->l2, now, address + at, write, m->stats);
		end = hd_max_u64(done, end);
		m->stats->grids_descriptor_sectors++;
	}
	return end;
}

/* -- arrivals ----------------------------------------------------------------------------------------------------------------------------------- */

/* Takes the host's grids in their cycle of arrival, and children, which are ready from the launch on, when the launch reaches the task manager. */
static void arrive(hd_manager *m, uint64_t now)
{
	size_t kept = 0;
	for (hd_grid *grid; (grid = m->tasks->ready.first);) {
		hd_grid_take(&m->tasks->ready, grid);
		if (grid->child)
			move_descriptor(m, grid, true, now);
		if (grid->arrival > now)
			hd_vec_push(&m->coming, grid);
		else
			to_list(m, grid, grid->at_head);
	}
	for (size_t i = 0; i < m->coming.n; i++) {
		hd_grid *grid = m->coming.at[i];
		if (grid->arrival > now)
			m->coming.at[kept++] = grid;
		else if (grid->state == HD_GRID_BLOCKED)
			hd_tasks_arrive(m->tasks, grid);
		else
			to_list(m, grid, grid->at_head);
	}
	m->coming.n = kept;
	for (hd_grid *grid; (grid = m->tasks->ready.first);) { /* takes those that arrived just now and wait for nothing else */
		hd_grid_take(&m->tasks->ready, grid);
		to_list(m, grid, grid->at_head);
	}
}

/* -- the table ---------------------------------------------------------------------------------------------------------------------------------- */

static void leave(hd_manager *m, uint32_t place, hd_grid_state state)
{
	m->table[place]->state = state;
	for (m->n_table--; place < m->n_table; place++)
		m->table[place] = m->table[place + 1];
}

static void enter(hd_manager *m, hd_grid *grid, uint64_t now)
{
	uint32_t place = m->n_table++;
	for (; place && m->table[place - 1]->priority < grid->priority; place--)
		m->table[place] = m->table[place - 1];
	m->table[place] = grid;
	grid->state = HD_GRID_RUNNING;
	grid->described = move_descriptor(m, grid, false, now);
}

/* Removes grids that have nothing left to give and nothing running, and queues that have run empty, from the table. */
static void tidy(hd_manager *m)
{
	for (uint32_t i = m->n_table; i-- > 0;) {
		const hd_grid *grid = m->table[i];
		if (grid->state == HD_GRID_OVER || (!has_left(grid) && grid->done == grid->total))
			leave(m, i, grid->state == HD_GRID_OVER ? HD_GRID_OVER : HD_GRID_PARKED);
	}
}

static bool evict(hd_manager *m, uint32_t priority)
{
	hd_grid *victim = m->n_table ? m->table[m->n_table - 1] : NULL; /* the lowest priority, and of that the youngest */
	if (m->machine->grids_evict == HD_EVICT_NONE || !victim || victim->priority >= priority)
		return false;
	leave(m, m->n_table - 1, HD_GRID_PARKED);
	victim->result.evictions++;
	m->stats->grids_evictions++;
	if (has_left(victim))
		to_list(m, victim, true);
	return true;
}

static void fill_table(hd_manager *m, uint64_t now)
{
	for (unsigned priority = HD_PRIORITIES; priority-- > 0;) {
		hd_grid_list *list = &m->waiting[priority];
		for (hd_grid *grid; (grid = list->first);) {
			if (m->n_table >= m->machine->grids_slots && !evict(m, priority))
				return;
			hd_grid_take(list, grid);
			enter(m, grid, now);
		}
	}
}

/* -- CTAs --------------------------------------------------------------------------------------------------------------------------------------- */

/* Moves the bytes of a saved CTA through the second level, a sector at a time. Returns the cycle in which the last one arrives. */
static uint64_t move_state(hd_manager *m, uint64_t area, uint64_t bytes, bool out, uint64_t now)
{
	uint64_t end = now;
	for (uint64_t at = 0; at < bytes; at += HD_SECTOR_BYTES) {
		uint64_t done = hd_l2_sector(m->l2, now, STATE_BASE + area * STATE_AREA + at, out, m->stats);
		end = hd_max_u64(done, end);
	}
	m->stats->grids_saved_bytes += bytes;
	return end + 1;
}

static void start(hd_manager *m, uint32_t core, hd_grid *grid, uint64_t now)
{
	uint32_t at[3];
	uint64_t number, item;
	if (grid->n_saved) {
		hd_saved *saved = hd_saved_take(grid);
		uint64_t bytes = hd_saved_bytes(saved), area = hd_saved_area(saved);
		uint32_t cta = hd_core_load(m->core[core], saved, now);
		hd_vec_push(&m->transfers, ((hd_transfer){.cycle = move_state(m, area, bytes, false, now), .core = core, .cta = cta, .grid = grid}));
		grid->transit++;
		return;
	}
	hd_tasks_give(m->tasks, grid, now, at, &number, &item);
	hd_core_start(m->core[core], now, grid, at, number, item);
}

static bool has_work(const hd_grid *grid, uint64_t now) { return grid->described <= now && (grid->n_saved || hd_grid_has(grid, now)); }

/* Starts as many CTAs as there is room for, one on each core in turn. True when any has begun. *stuck: CTAs are left. */
static bool place(hd_manager *m, hd_grid *grid, uint64_t now, bool *stuck)
{
	bool placed = false;
	uint32_t without = 0;
	hd_demand demand = hd_demand_of(&grid->launch);
	while (has_work(grid, now) && without < m->cores) {
		uint32_t core = m->turn;
		m->turn = core + 1 == m->cores ? 0 : core + 1;
		if (!hd_core_fits(m->core[core], &demand)) {
			without++;
			continue;
		}
		start(m, core, grid, now);
		without = 0;
		placed = true;
	}
	*stuck = has_work(grid, now);
	return placed;
}

/* The grid waits for room: stops as many CTAs of lower priority as necessary, the lowest and youngest first. */
static void make_room(hd_manager *m, const hd_grid *grid, uint64_t now)
{
	uint64_t wanted = grid->n_saved + (grid->queue ? grid->items.n : grid->total - grid->given);
	hd_demand demand = hd_demand_of(&grid->launch);
	for (uint32_t i = 0; i < m->cores && wanted; i++) {
		uint32_t fit = hd_core_will_fit(m->core[i], &demand, 0);
		wanted -= hd_min_u64(fit, wanted);
	}
	for (bool stopped = true; wanted && stopped;) {
		stopped = false;
		for (uint32_t i = 0; i < m->cores && wanted; i++) {
			uint32_t victim = hd_core_victim(m->core[i], grid->priority), before = hd_core_will_fit(m->core[i], &demand, 0);
			if (victim == UINT32_MAX || hd_core_will_fit(m->core[i], &demand, grid->priority) == before)
				continue; /* no victim on this core */
			hd_core_stop_cta(m->core[i], victim, now);
			uint32_t more = hd_core_will_fit(m->core[i], &demand, 0) - before;
			wanted -= hd_min_u64(more, wanted);
			stopped = true;
		}
	}
}

static bool distribute(hd_manager *m, uint64_t now)
{
	bool placed = false, stuck = false;
	uint32_t floor = 0; /* lowest priority that may get room */
	for (uint32_t i = 0; i < m->n_table && m->table[i]->priority >= floor; i++) {
		if (!has_work(m->table[i], now))
			continue;
		placed |= place(m, m->table[i], now, &stuck);
		if (!stuck)
			continue;
		floor = m->table[i]->priority;
		if (m->machine->grids_evict == HD_EVICT_SAVE)
			make_room(m, m->table[i], now);
	}
	return placed;
}

/* -- the cycle ---------------------------------------------------------------------------------------------------------------------------------- */

static void finish_transfers(hd_manager *m, uint64_t now)
{
	size_t kept = 0;
	for (size_t i = 0; i < m->transfers.n; i++) {
		hd_transfer t = m->transfers.at[i];
		if (t.cycle > now) {
			m->transfers.at[kept++] = t;
			continue;
		}
		t.grid->transit--;
		m->changed = true;
		if (t.saved) {
			hd_core_release(m->core[t.core], t.cta, now);
			hd_saved_put(t.saved);
			if (t.grid->state == HD_GRID_PARKED)
				to_list(m, t.grid, true);
		} else {
			hd_core_resume(m->core[t.core], t.cta, now);
		}
	}
	m->transfers.n = kept;
}

/* A pushed entry can start a CTA only after the push has reached the task manager, and any CTA only after the grid's descriptor. */
static uint64_t next_by_itself(const hd_manager *m, uint64_t now)
{
	uint64_t next = UINT64_MAX;
	for (size_t i = 0; i < m->coming.n; i++)
		next = hd_min_u64(m->coming.at[i]->arrival, next);
	for (size_t i = 0; i < m->transfers.n; i++)
		next = hd_min_u64(m->transfers.at[i].cycle, next);
	for (uint32_t i = 0; i < m->n_table; i++) {
		const hd_grid *grid = m->table[i];
		if (grid->described > now)
			next = hd_min_u64(grid->described, next);
		if (grid->items.n && grid->items.at[grid->items.head].ready > now && grid->items.at[grid->items.head].ready < next)
			next = grid->items.at[grid->items.head].ready;
	}
	return next;
}

/* Counts one more running warp for livelock detection. */
static void hope(hd_manager *m)
{
	bool hopes = m->next != UINT64_MAX;
	m->watch->running += hopes && !m->hopes;
	m->watch->running -= !hopes && m->hopes;
	m->hopes = hopes;
}

uint64_t hd_manager_step(hd_manager *m, uint64_t now)
{
	if (!m->changed && now < m->next)
		return m->next;
	finish_transfers(m, now);
	arrive(m, now);
	if (m->tasks->queues_may_end) {
		hd_tasks_close(m->tasks, now);
		arrive(m, now);
	}
	tidy(m);
	fill_table(m, now);
	tidy(m);
	m->changed = false;
	bool placed = distribute(m, now);
	hd_tasks_sweep(m->tasks);
	m->next = next_by_itself(m, now);
	hope(m);
	return placed ? now : m->next;
}

void hd_manager_after(hd_manager *m, uint32_t core, uint64_t now)
{
	uint32_t n;
	hd_grid *const *ended = hd_core_ended(m->core[core], &n);
	for (uint32_t i = 0; i < n; i++)
		hd_tasks_done(m->tasks, ended[i], now);
	m->ctas_ended += n;
	m->changed |= n || hd_tasks_signal(m->tasks);
	const uint8_t *stopped = hd_core_stopped(m->core[core], &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t cta = stopped[i];
		hd_saved *saved = hd_core_unload(m->core[core], cta);
		hd_grid *grid = hd_saved_grid(saved);
		hd_saved_set_area(saved, m->areas++);
		grid->transit++;
		grid->result.saved++;
		m->stats->grids_ctas_saved++;
		hd_transfer t = {.core = core, .cta = cta, .grid = grid, .saved = saved};
		t.cycle = move_state(m, hd_saved_area(saved), hd_saved_bytes(saved), true, now + 1);
		hd_vec_push(&m->transfers, t);
		m->next = hd_min_u64(t.cycle, m->next);
		hope(m);
	}
}
