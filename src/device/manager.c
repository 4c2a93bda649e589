#include "device/manager.h"

#include "memory/l2.h"

/* Saved states have an address range of their own. */
#define STATE_BASE (UINT64_C(1) << 61)
#define STATE_AREA (UINT64_C(1) << 24)
/* So have task descriptors (PD-37). */
#define DESCRIPTOR_BASE (UINT64_C(1) << 62)
#define DESCRIPTOR_AREA 1024

void hd_manager_init(hd_manager *m, const hd_machine *machine, hd_tasks *tasks, hd_core *const *core, hd_l2 *const *l2, hd_stats *stats,
                     hd_watch *watch)
{
	uint32_t clusters = machine->grids_managers == HD_MANAGERS_DEVICE ? machine->machine_clusters : 1;
	*m = (hd_manager){.machine = machine, .tasks = tasks, .core = core, .l2 = l2, .stats = stats, .watch = watch, .changed = true};
	m->clusters = machine->machine_devices * machine->machine_clusters;
	m->distributors = m->clusters / clusters;
	m->distributor = hd_xcalloc(m->distributors, sizeof *m->distributor);
	for (uint32_t i = 0; i < m->distributors; i++) {
		uint32_t first = i * clusters;
		m->distributor[i] = (hd_distributor){
		    .machine = machine, .stats = stats, .device = first / machine->machine_clusters, .first = first, .clusters = clusters};
	}
	for (uint32_t i = 0; i < tasks->n_host; i++)
		hd_vec_push(&m->coming, tasks->at.at[i]);
}

void hd_manager_free(hd_manager *m)
{
	for (size_t i = 0; i < m->transfers.n; i++)
		hd_saved_free(m->transfers.at[i].saved);
	for (hd_child_grids *child_grids = m->tasks->child_grids; child_grids; child_grids = child_grids->next)
		hd_saved_free(child_grids->saved);
	for (size_t i = 0; i < m->tasks->at.n; i++)
		while (m->tasks->at.at[i] && m->tasks->at.at[i]->n_saved)
			hd_saved_free(hd_saved_take(m->tasks->at.at[i]));
	hd_vec_free(&m->transfers);
	hd_vec_free(&m->coming);
	free(m->distributor);
}

/* -- who runs a grid, and where ---------------------------------------------------------------------------------------------------------------- */

/* The kind whose clusters a grid runs on: its own, or 0 where its kind has none. */
static uint32_t owner(const hd_manager *m, const hd_grid *grid) { return hd_machine_own_clusters(m->machine, grid->kind) ? grid->kind : 0; }

/* Clusters, counted over all devices. */
typedef struct span {
	uint32_t first, end;
} span;

/* The clusters of a kind on a device: kind 0 has the first ones, and the others follow. */
static span clusters_of(const hd_machine *machine, uint32_t device, uint32_t kind)
{
	uint32_t end = (device + 1) * machine->machine_clusters;
	for (uint32_t other = HD_TASK_KINDS; --other > kind;)
		end -= hd_machine_own_clusters(machine, other);
	return (span){kind ? end - hd_machine_own_clusters(machine, kind) : device * machine->machine_clusters, end};
}

/* The clusters of a distributor that grids of a kind run on; empty if there are none. */
static span home(const hd_distributor *distributor, uint32_t kind)
{
	span of = clusters_of(distributor->machine, distributor->device, kind);
	uint32_t first = hd_max_u32(of.first, distributor->first), end = hd_min_u32(of.end, distributor->first + distributor->clusters);
	return (span){first, hd_max_u32(first, end)};
}

static hd_distributor *distributor_of(const hd_manager *m, const hd_grid *grid) { return &m->distributor[grid->distributor - 1]; }

/* Gives a grid to the distributor with the least to do that has clusters for it. Among equals the grids of a device take turns. */
static void deal(hd_manager *m, hd_grid *grid)
{
	uint32_t of_device = m->distributors / m->machine->machine_devices, first = grid->device * of_device, best = UINT32_MAX;
	for (uint32_t i = 0; i < of_device; i++) {
		uint32_t at = first + (m->deal[grid->device] + i) % of_device;
		span clusters = home(&m->distributor[at], owner(m, grid));
		if (clusters.first < clusters.end && (best == UINT32_MAX || m->distributor[at].load < m->distributor[best].load))
			best = at;
	}
	hd_invariant(best != UINT32_MAX, "no task manager for a grid of kind %u", grid->kind);
	m->deal[grid->device] = (best - first + 1) % of_device;
	grid->distributor = best + 1;
	m->distributor[best].load += grid->queue ? 0 : grid->total;
}

static void to_list(hd_manager *m, hd_grid *grid, bool at_head)
{
	if (!grid->distributor)
		deal(m, grid);
	hd_distributor_put(distributor_of(m, grid), grid, at_head);
}

/* -- descriptors -------------------------------------------------------------------------------------------------------------------------------- */

/* Moves the descriptor of a grid through the second level, a sector at a time (PD-37). Returns the cycle in which the last one arrives; `now` without
 * grids.descriptor_bytes. */
static uint64_t move_descriptor(hd_manager *m, const hd_grid *grid, bool write, uint64_t now)
{
	uint64_t address = DESCRIPTOR_BASE + (uint64_t)grid->handle * DESCRIPTOR_AREA, end = now;
	for (uint32_t at = 0; at < m->machine->grids_descriptor_bytes; at += HD_SECTOR_BYTES) {
		uint64_t done = hd_l2_sector(m->l2[grid->device], now, address + at, write, m->stats);
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

/* hd_distributor_fill.enter */
static void entered(void *context, hd_grid *grid, uint64_t now) { grid->described = move_descriptor(context, grid, false, now); }

/* -- CTAs --------------------------------------------------------------------------------------------------------------------------------------- */

/* Moves the bytes of a saved CTA through the second level, a sector at a time. Returns the cycle in which the last one arrives. */
static uint64_t move_state(hd_manager *m, const hd_grid *grid, uint64_t area, uint64_t bytes, bool out, uint64_t now)
{
	uint64_t end = now;
	for (uint64_t at = 0; at < bytes; at += HD_SECTOR_BYTES) {
		uint64_t done = hd_l2_sector(m->l2[grid->device], now, STATE_BASE + area * STATE_AREA + at, out, m->stats);
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
		hd_child_grids *child_grids = hd_saved_child_grids(saved);
		if (child_grids && child_grids->joining == HD_JOINING_RETURNING) {
			m->stats->grids_join_saved += now - child_grids->since;
			child_grids->joining = HD_JOINING_NOT;
		}
		uint64_t bytes = hd_saved_bytes(saved), area = hd_saved_area(saved);
		uint32_t cta = hd_core_load(m->core[core], saved, now);
		hd_vec_push(&m->transfers,
		            ((hd_transfer){.cycle = move_state(m, grid, area, bytes, false, now), .core = core, .cta = cta, .grid = grid}));
		grid->transit++;
		return;
	}
	hd_tasks_give(m->tasks, grid, now + m->machine->grids_cta_latency, at, &number, &item);
	hd_core_start(m->core[core], now, grid, at, number, item);
}

static bool has_work(const hd_grid *grid, uint64_t now) { return grid->described <= now && (grid->n_saved || hd_grid_has(grid, now)); }

/* Starts a CTA of the grid on the first core of the clusters, from core *turn on, that has room. False: none has. */
static bool place_one(hd_manager *m, hd_grid *grid, span clusters, uint32_t *turn, uint64_t now)
{
	uint32_t first = clusters.first * m->machine->machine_cores, end = clusters.end * m->machine->machine_cores;
	hd_demand demand = hd_demand_of(&grid->launch);
	if (*turn < first || *turn >= end)
		*turn = first;
	for (uint32_t without = first; without < end; without++) {
		uint32_t core = *turn;
		*turn = core + 1 == end ? first : core + 1;
		if (hd_core_fits(m->core[core], &demand)) {
			start(m, core, grid, now);
			return true;
		}
	}
	return false;
}

/* Starts as many CTAs as there is room for, one on each core in turn. True when any has begun. */
static bool place(hd_manager *m, hd_grid *grid, span clusters, uint32_t *turn, uint64_t now)
{
	bool placed = false;
	while (has_work(grid, now) && place_one(m, grid, clusters, turn, now))
		placed = true;
	return placed;
}

/* The grid waits for room: stops as many CTAs of lower priority as necessary, the lowest and youngest first. */
static void make_room(hd_manager *m, const hd_grid *grid, span clusters, uint64_t now)
{
	uint32_t first = clusters.first * m->machine->machine_cores, end = clusters.end * m->machine->machine_cores;
	uint64_t wanted = grid->n_saved + (grid->queue ? grid->items.n : grid->total - grid->given);
	hd_demand demand = hd_demand_of(&grid->launch);
	for (uint32_t i = first; i < end && wanted; i++) {
		uint32_t fit = hd_core_will_fit(m->core[i], &demand, 0);
		wanted -= hd_min_u64(fit, wanted);
	}
	for (bool stopped = true; wanted && stopped;) {
		stopped = false;
		for (uint32_t i = first; i < end && wanted; i++) {
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

/* grids.order = priority. Grids of kinds with different clusters do not wait for each other. */
static bool distribute_by_priority(hd_manager *m, hd_distributor *distributor, uint64_t now)
{
	bool placed = false;
	uint32_t floor[HD_TASK_KINDS] = {0}; /* lowest priority that may get room */
	for (uint32_t i = 0; i < distributor->n_table; i++) {
		hd_grid *grid = distributor->table[i];
		uint32_t kind = owner(m, grid);
		span clusters = home(distributor, kind);
		if (grid->priority < floor[kind] || !has_work(grid, now))
			continue;
		placed |= place(m, grid, clusters, &distributor->turn[kind], now);
		if (!has_work(grid, now))
			continue;
		floor[kind] = grid->priority;
		if (m->machine->grids_evict == HD_EVICT_SAVE)
			make_room(m, grid, clusters, now);
	}
	return placed;
}

/* grids.order = round_robin. The first of the table is the next to begin a CTA, and then the last to begin another one. */
static bool distribute_round_robin(hd_manager *m, hd_distributor *distributor, uint64_t now)
{
	bool placed = false;
	for (uint32_t without = 0; without < distributor->n_table;) {
		hd_grid *grid = distributor->table[0];
		uint32_t kind = owner(m, grid);
		bool began = has_work(grid, now) && place_one(m, grid, home(distributor, kind), &distributor->turn[kind], now);
		without = began ? 0 : without + 1;
		placed |= began;
		for (uint32_t i = 1; i < distributor->n_table; i++)
			distributor->table[i - 1] = distributor->table[i];
		distributor->table[distributor->n_table - 1] = grid;
	}
	return placed;
}

/* True when a grid that this cluster belongs to has, or may soon have, a CTA to begin. */
static bool has_own_work(const hd_manager *m, uint32_t cluster, uint64_t now)
{
	for (uint32_t d = 0; d < m->distributors; d++) {
		const hd_distributor *distributor = &m->distributor[d];
		if (cluster < distributor->first || cluster >= distributor->first + distributor->clusters)
			continue;
		for (uint32_t i = 0; i < distributor->n_table; i++) {
			span clusters = home(distributor, owner(m, distributor->table[i]));
			if (has_work(distributor->table[i], now) && clusters.first <= cluster && cluster < clusters.end)
				return true;
		}
	}
	return false;
}

/* Clusters without work of their own run CTAs of other distributors of the device, and of other kinds. */
static bool help(hd_manager *m, uint32_t cluster, uint64_t now)
{
	uint32_t turn = 0;
	uint64_t before = m->stats->grids_helped;
	span here = {cluster, cluster + 1};
	for (uint32_t d = 0; d < m->distributors; d++) {
		const hd_distributor *distributor = &m->distributor[d];
		bool inside = distributor->first <= cluster && cluster < distributor->first + distributor->clusters;
		if (distributor->device != cluster / m->machine->machine_clusters || (!inside && m->machine->grids_managers != HD_MANAGERS_HELP))
			continue;
		for (uint32_t i = 0; i < distributor->n_table; i++) {
			span of = clusters_of(m->machine, distributor->device, owner(m, distributor->table[i]));
			if (!m->machine->grids_lend && (cluster < of.first || cluster >= of.end))
				continue;
			while (has_work(distributor->table[i], now) && place_one(m, distributor->table[i], here, &turn, now))
				m->stats->grids_helped++;
		}
	}
	return m->stats->grids_helped != before;
}

static bool distribute(hd_manager *m, uint64_t now)
{
	bool placed = false, helps = m->machine->grids_lend || m->machine->grids_managers == HD_MANAGERS_HELP;
	for (uint32_t i = 0; i < m->distributors; i++)
		placed |=
		    (m->machine->grids_order == HD_ORDER_ROUND_ROBIN ? distribute_round_robin : distribute_by_priority)(m, &m->distributor[i], now);
	for (uint32_t cluster = 0; helps && cluster < m->clusters; cluster++)
		if (!has_own_work(m, cluster, now))
			placed |= help(m, cluster, now);
	return placed;
}

/* -- joins (PD-32) ----------------------------------------------------------------------------------------------------------------------------- */

/* A CTA can begin or continue that was not among those of its grid before. */
static void one_more(hd_manager *m, hd_saved *saved, hd_grid *grid)
{
	hd_saved_put(saved);
	if (grid->state == HD_GRID_PARKED)
		to_list(m, grid, true);
}

/* A CTA that waits in its place loses it. */
static void lose_place(hd_manager *m, hd_child_grids *child_grids, uint64_t now)
{
	if (!child_grids || child_grids->joining != HD_JOINING_RESIDENT)
		return;
	m->stats->grids_join_kept += now - child_grids->since;
	child_grids->joining = HD_JOINING_NOT;
}

/* The state of a CTA is out. */
static void came_out(hd_manager *m, hd_saved *saved, hd_grid *grid, uint64_t now)
{
	hd_child_grids *child_grids = hd_saved_child_grids(saved);
	if (!hd_saved_joins(saved)) {
		one_more(m, saved, grid);
		return;
	}
	child_grids->joining = HD_JOINING_SAVED;
	child_grids->since = now;
	child_grids->saved = saved;
	grid->joining++;
}

/* CTAs whose child grids have ended go on: in their places, or when they get one. */
static void end_joins(hd_manager *m, uint64_t now)
{
	for (size_t i = 0; i < m->tasks->joined.n; i++) {
		hd_child_grids *child_grids = m->tasks->joined.at[i];
		if (child_grids->open)
			continue; /* a warp that does not wait has launched one more */
		if (child_grids->joining == HD_JOINING_RESIDENT) {
			lose_place(m, child_grids, now);
			hd_core_end_join(m->core[child_grids->core], child_grids->cta, now);
		} else if (child_grids->joining == HD_JOINING_SAVED) {
			hd_saved *saved = child_grids->saved;
			hd_grid *grid = hd_saved_grid(saved);
			child_grids->saved = NULL;
			child_grids->joining = HD_JOINING_RETURNING;
			grid->joining--;
			one_more(m, saved, grid);
		}
	}
	m->tasks->joined.n = 0;
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
			came_out(m, t.saved, t.grid, now);
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
	for (uint32_t d = 0; d < m->distributors; d++) {
		next = hd_min_u64(hd_distributor_due(&m->distributor[d]), next);
		for (uint32_t i = 0; i < m->distributor[d].n_table; i++) {
			const hd_grid *grid = m->distributor[d].table[i];
			if (grid->described > now)
				next = hd_min_u64(grid->described, next);
			if (grid->items.n && grid->items.at[grid->items.head].ready > now && grid->items.at[grid->items.head].ready < next)
				next = grid->items.at[grid->items.head].ready;
		}
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

uint64_t hd_manager_act(hd_manager *m, uint64_t now)
{
	finish_transfers(m, now);
	arrive(m, now);
	if (m->tasks->queues_may_end) {
		hd_tasks_close(m->tasks, now);
		arrive(m, now);
	}
	end_joins(m, now);
	for (uint32_t i = 0; i < m->distributors; i++) {
		hd_distributor_tidy(&m->distributor[i]);
		hd_distributor_fill(&m->distributor[i], now, entered, m);
		hd_distributor_tidy(&m->distributor[i]);
	}
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
	hd_grid *const *ended = hd_core_ended(m->core[core], now, &n);
	for (uint32_t i = 0; i < n; i++) {
		distributor_of(m, ended[i])->load -= !ended[i]->queue;
		hd_tasks_done(m->tasks, ended[i], now);
	}
	m->ctas_ended += n;
	m->changed |= n || hd_tasks_signal(m->tasks);
	const uint8_t *stopped = hd_core_stopped(m->core[core], &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t cta = stopped[i];
		hd_saved *saved = hd_core_unload(m->core[core], cta);
		hd_grid *grid = hd_saved_grid(saved);
		lose_place(m, hd_saved_child_grids(saved), now);
		hd_saved_set_area(saved, m->areas++);
		grid->transit++;
		grid->result.saved++;
		m->stats->grids_ctas_saved++;
		hd_transfer t = {.core = core, .cta = cta, .grid = grid, .saved = saved};
		t.cycle = move_state(m, grid, hd_saved_area(saved), hd_saved_bytes(saved), true, now + 1);
		hd_vec_push(&m->transfers, t);
		m->next = hd_min_u64(t.cycle, m->next);
		hope(m);
	}
}
