#include "device/windows.h"

#include "core/execute/events.h"
#include "device/merge_heap.h"

enum {
	CORE_BITS = 16,
	LOGGED = 128, /* cycles of a window at most while events are logged, which bounds the memory for them */
};

static uint64_t key_of(uint64_t cycle, uint32_t core) { return cycle << CORE_BITS | core; }

uint32_t hd_windows_length(const hd_machine *machine, const hd_task *list, uint32_t n, const hd_code *code, const hd_run_options *options)
{
	uint32_t ahead = machine->memory_l2_latency / 2, way = 1 + hd_machine_class_latency(machine, HD_CLASS_LSU);
	bool alone = machine->machine_devices * machine->machine_clusters == 1;
	bool looked_at = (options->trace && options->trace->units) || options->recorder || options->tick_every_cycle || options->cycle_by_cycle;
	bool coupled = machine->memory_constant_bytes || machine->pages_kib || machine->memory_return_groups ||
	               machine->memory_values != HD_VALUES_TRAVEL || list[0].launch.program->launches || options->enqueuing;
	if (machine->memory_slices) /* what is looked up there at once, behind their back: lines of replays, descriptors of later grids */
		coupled |= machine->predecode_refetch || (n > 1 && machine->grids_descriptor_bytes);
	else
		coupled |= code->replays && (machine->predecode_refetch || machine->predecode_replay_misses);
	for (uint32_t i = 0; i < n; i++) {
		const hd_launch *launch = &list[i].launch;
		coupled |= list[i].queue || !launch->grid[0] || !launch->grid[1] || !launch->grid[2];
	}
	/* Answers have to come far enough behind their access for hd_events_add_reserved. */
	if (alone || looked_at || coupled || ahead < HD_WHEEL)
		return 0;
	return machine->memory_slices ? ahead : hd_max_u32(ahead, way) - way;
}

void hd_windows_init(hd_windows *w)
{
	w->notes = w->cluster->context.machine->grids_cta_latency + UINT64_C(1) >= w->length;
	w->heap = hd_xcalloc(w->clusters, sizeof *w->heap);
	w->logs = w->length && w->trace ? hd_event_logs_new(w->clusters, w->trace) : NULL;
	for (uint32_t i = 0; w->logs && i < w->clusters; i++) {
		hd_cluster *c = &w->cluster[i];
		hd_event_log *log = &w->logs->log[i];
		log->cycle = &c->now;
		log->core = &c->turn;
		log->first_core = c->first;
		log->requests = &c->requests;
		c->context.trace = &log->trace;
	}
	w->team = w->length ? hd_team_new(hd_min_u32(w->threads, w->clusters)) : NULL;
}

void hd_windows_free(hd_windows *w)
{
	free(w->heap);
	hd_event_logs_free(w->logs);
	hd_team_free(w->team);
}

/* True when one grid runs and no other can begin before it has ended. A CTA that ends then makes room for one CTA of the grid on its own core: the
 * others had none, or there is no CTA left to begin. */
static bool one_grid(const hd_windows *w)
{
	const hd_manager *m = w->manager;
	uint32_t running = 0;
	if (m->changed || m->transfers.n || hd_tasks_signal(w->tasks) || w->tasks->began + w->tasks->open != w->tasks->n_host + UINT64_C(1))
		return false;
	for (uint32_t i = 0; i < m->distributors; i++) {
		if (hd_distributor_has_waiting(&m->distributor[i]))
			return false;
		for (uint32_t k = 0; k < m->distributor[i].n_table; k++)
			if (m->distributor[i].table[k]->n_saved) /* their way back is that of a transfer */
				return false;
		running += m->distributor[i].n_table;
	}
	return running == 1;
}

uint64_t hd_windows_end(const hd_windows *w, uint64_t from, uint64_t limit)
{
	if (!w->length || !one_grid(w))
		return from;
	limit = hd_min_u64(limit, w->watch->from);
	limit = hd_min_u64(limit, w->manager->next);
	return hd_min_u64(limit, from + (w->logs ? hd_min_u32(w->length, LOGGED) : w->length));
}

/* -- a cluster by itself ------------------------------------------------------------------------------------------------------------------------ */

static uint64_t next_of(const hd_cluster *c)
{
	uint64_t next = HD_NEVER;
	for (uint32_t i = 0; i < c->cores; i++)
		next = hd_min_u64(hd_min_u64(hd_min_u64(c->signal[i].next, c->signal[i].wish), c->signal[i].answers), next);
	return next;
}

/* The tick of the core whose turn it is has come to its end, or as far as it could. False: the cluster does not go on. */
static bool ticked(hd_cluster *c, bool ok)
{
	c->last = c->now;
	if (!ok) {
		c->state = HD_CLUSTER_TRAPPED;
		return false;
	}
	if (c->requests.stops) {
		c->state = HD_CLUSTER_STOPPED;
		return false;
	}
	c->ended |= c->signal[c->turn].unfetched;
	return true;
}

/* Runs the cluster from the core whose turn it is until it stops, or has completed all cycles before w->limit. */
static void advance(const hd_windows *w, hd_cluster *c)
{
	while (c->now < w->limit) {
		for (; c->turn < c->cores; c->turn++) {
			if (c->signal[c->turn].answers <= c->now)
				hd_core_answers(c->core[c->turn], c->now);
			if ((c->signal[c->turn].next <= c->now || c->signal[c->turn].wish <= c->now) &&
			    !ticked(c, hd_core_tick(c->core[c->turn], c->now)))
				return;
		}
		if (c->ended && !w->notes) {
			c->state = HD_CLUSTER_ENDED;
			return;
		}
		c->now = next_of(c);
		c->turn = 0;
	}
	c->state = c->now < w->end ? HD_CLUSTER_RUNS : HD_CLUSTER_DONE;
}

/* The cluster goes on with the next cycle in which something happens. */
static void next_cycle(hd_cluster *c)
{
	c->ended = false;
	c->now = next_of(c);
	c->turn = 0;
	c->state = HD_CLUSTER_RUNS;
}

static void begin(const hd_windows *w, hd_cluster *c)
{
	c->requests.open = true;
	c->requests.window = w->serial;
	c->requests.ahead = w->ahead;
	c->served = 0;
	c->watch = (hd_watch){.from = w->watch->from};
	c->context.watch = &c->watch;
	next_cycle(c);
}

/* Completes the tick that stopped. Requires: everything before it is priced. */
static void complete(hd_cluster *c)
{
	c->requests.direct = c->requests.stops == HD_STOP_MEMORY;
	c->requests.stops = HD_STOP_NOT;
	bool ok = hd_core_tick(c->core[c->turn], c->now);
	if (!ticked(c, ok))
		return;
	c->turn++;
	c->state = HD_CLUSTER_RUNS;
}

static bool can_run(const hd_windows *w, const hd_cluster *c) { return c->state == HD_CLUSTER_RUNS && c->now < w->limit; }

static void run_one(void *context, uint32_t item)
{
	const hd_windows *w = context;
	if (can_run(w, &w->cluster[item]))
		advance(w, &w->cluster[item]);
}

/* Runs all clusters that can go on by themselves until `limit`. False: there are none. Each cluster is the same item of the team's work every time.
 */
static bool run_alone(hd_windows *w, uint64_t limit)
{
	uint32_t n = 0, last = 0;
	w->limit = limit;
	for (uint32_t i = 0; i < w->clusters; i++) {
		if (can_run(w, &w->cluster[i])) {
			last = i;
			n++;
		}
	}
	if (n == 1)
		run_one(w, last);
	else if (n)
		hd_team_run(w->team, w->clusters, run_one, w);
	return n;
}

/* -- the shared side ---------------------------------------------------------------------------------------------------------------------------- */

static uint64_t next_request(const hd_cluster *c)
{
	if (c->served == c->requests.list.n)
		return UINT64_MAX;
	const hd_request *request = &c->requests.list.at[c->served];
	return key_of(request->cycle, request->core);
}

/* Prices the requests of all clusters up to and including those with the key `last`, in order. */
static void serve(hd_windows *w, uint64_t last)
{
	hd_merge_entry *heap = w->heap;
	uint32_t n = 0;
	for (uint32_t i = 0; i < w->clusters; i++) {
		uint64_t key = next_request(&w->cluster[i]);
		if (key <= last && key != UINT64_MAX)
			heap[n++] = (hd_merge_entry){key, i};
	}
	hd_merge_heap_build(heap, n);
	while (n) {
		hd_cluster *c = &w->cluster[heap[0].list];
		do {
			hd_requests_serve(&c->requests, c->served++, c->context.l2, &c->stats);
			heap[0].key = next_request(c);
		} while (heap[0].key == key_of(c->requests.list.at[c->served - 1].cycle, c->requests.list.at[c->served - 1].core));
		if (heap[0].key > last || heap[0].key == UINT64_MAX)
			heap[0] = heap[--n];
		hd_merge_heap_sink(heap, n);
	}
}

/* The cluster that goes on first of those that wait for the shared side. CTAs that end in a cycle are dealt with between it and the next one. */
static hd_cluster *first_waiting(const hd_windows *w)
{
	hd_cluster *first = NULL;
	uint64_t least = UINT64_MAX;
	for (uint32_t i = 0; i < w->clusters; i++) {
		hd_cluster *c = &w->cluster[i];
		uint64_t key = c->state == HD_CLUSTER_STOPPED ? key_of(c->now, c->first + c->turn)
		               : c->state == HD_CLUSTER_ENDED ? key_of(c->now, (1u << CORE_BITS) - 1)
		                                              : UINT64_MAX;
		if (key < least) {
			least = key;
			first = c;
		}
	}
	return first;
}

/* CTAs have ended in cycle `now`, which all clusters have completed that CTAs can begin on: the task manager begins others in their place. False: the
 * grid has ended, and with it the window. */
static bool deal(hd_windows *w, uint64_t now)
{
	uint32_t open = w->tasks->open;
	for (uint32_t i = 0; i < w->clusters; i++) {
		hd_cluster *c = &w->cluster[i];
		for (uint32_t core = 0; core < c->cores; core++) {
			if (!c->signal[core].unfetched || hd_core_end(c->core[core]) != now)
				continue;
			hd_manager_after(w->manager, c->first + core, now);
			c->signal[core].unfetched = hd_core_end(c->core[core]) != UINT64_MAX;
		}
	}
	if (w->tasks->open != open)
		return false;
	if (w->logs)
		w->logs->beginning = now + 1;
	hd_manager_step(w->manager, now + 1);
	if (w->logs)
		w->logs->beginning = 0;
	return true;
}

/* Some clusters have stopped, because CTAs ended in cycle `now`. False: the grid has ended. */
static bool cta_ends(hd_windows *w, uint64_t now)
{
	if (!deal(w, now))
		return false;
	for (uint32_t i = 0; i < w->clusters; i++)
		if (w->cluster[i].state == HD_CLUSTER_ENDED && w->cluster[i].now == now)
			next_cycle(&w->cluster[i]);
	return true;
}

/* With hd_windows.notes: deals with all CTAs that ended in the window, in order. */
static void read_notes(hd_windows *w)
{
	for (;;) {
		uint64_t first = UINT64_MAX;
		for (uint32_t i = 0; i < w->clusters; i++)
			for (uint32_t core = 0; w->cluster[i].ended && core < w->cluster[i].cores; core++)
				first = hd_min_u64(hd_core_end(w->cluster[i].core[core]), first);
		if (first == UINT64_MAX || !deal(w, first))
			return;
	}
}

/* The cores of a cluster get the answers, and the crossbar gets their packets. */
static void close(const hd_windows *w, hd_cluster *c)
{
	c->requests.open = false;
	c->context.watch = w->watch;
	w->watch->running += c->watch.running;
	w->watch->waiting += c->watch.waiting;
	w->watch->from = hd_max_u64(c->watch.from, w->watch->from);
	for (uint32_t i = 0; i < c->cores; i++) {
		hd_core_answer(c->core[i], w->end);
		hd_crossbar_take(w->crossbar, w->outbox[c->first + i]);
	}
	hd_requests_clear(&c->requests);
}

/* The trap of the least (cycle, core) goes to *trap. True when there is none. */
static bool no_trap(const hd_windows *w, hd_trap *trap)
{
	hd_cluster *first = NULL;
	for (uint32_t i = 0; i < w->clusters; i++)
		if (w->cluster[i].state == HD_CLUSTER_TRAPPED && (!first || w->cluster[i].now < first->now))
			first = &w->cluster[i];
	if (!first)
		return true;
	*trap = first->trap;
	first->trap = (hd_trap){0};
	return false;
}

bool hd_windows_run(hd_windows *w, uint64_t end, uint64_t *now, hd_trap *trap)
{
	w->serial++;
	w->end = end;
	hd_crossbar_arrive(w->crossbar, end - 1);
	if (w->logs)
		w->logs->open = true;
	for (uint32_t i = 0; i < w->clusters; i++)
		begin(w, &w->cluster[i]);
	for (;;) {
		hd_cluster *c = first_waiting(w);
		/* One thread saves visits and runs each cluster as far as possible. Several share out what lies before the next stop. */
		if (run_alone(w, c && w->team ? c->now + 1 : end))
			continue;
		if (!c)
			break;
		if (c->state == HD_CLUSTER_STOPPED) {
			serve(w, key_of(c->now, c->first + c->turn));
			complete(c);
		} else if (!cta_ends(w, c->now)) {
			break;
		}
	}
	serve(w, UINT64_MAX);
	if (w->notes)
		read_notes(w);
	if (w->logs)
		hd_event_logs_close(w->logs);
	for (uint32_t i = 0; i < w->clusters; i++) {
		close(w, &w->cluster[i]);
		*now = hd_max_u64(w->cluster[i].last, *now);
	}
	return no_trap(w, trap);
}
