#include "device/device.h"

#include "core/core.h"
#include "core/flow/flow.h"
#include "device/manager.h"
#include "device/windows.h"
#include "memory/l2.h"
#include "memory/mmu.h"
#include "memory/slices.h"

enum { POLL_CYCLES = 1 << 16, REST_OF_CORE = 176 << 10 };

typedef struct device {
	hd_cluster *cluster;
	hd_l2 *l2[HD_MAX_DEVICES];
	hd_walker *walker[HD_MAX_DEVICES];
	hd_watch watch;
	hd_windows windows;
	hd_stats *stats; /* of what no cluster counts, and at the end of all */
	hd_trap *trap;
	hd_crossbar *crossbar;    /* NULL: accesses take effect at once */
	hd_outbox **outbox;       /* of each core, with a crossbar */
	uint32_t clusters, cores; /* of all devices */
	hd_core **core;
	hd_region *region;      /* of the cores */
	hd_core_signal *signal; /* of each core, and with memory.slices one for the slices */
	uint32_t signals;
	hd_tasks tasks;
	hd_manager manager;
	uint64_t total; /* CTAs of the host's grids */
} device;

static void stop(hd_trap *trap, hd_trap_kind kind, const hd_launch *launch, uint64_t now, char *text)
{
	*trap = (hd_trap){.kind = kind, .kernel = hd_kernel_name(launch->kernel), .pc = launch->kernel->entry, .cycle = now, .text = text};
}

/* Fills in the place of some warp, for a run that is stopped between cycles. */
static void stop_somewhere(device *d, hd_trap_kind kind, uint64_t now)
{
	hd_trap *trap = d->trap;
	stop(trap, kind, &d->tasks.at.at[0]->launch, now, NULL);
	uint32_t i = 0;
	while (i < d->cores && !hd_core_place(d->core[i], trap))
		i++;
	trap->cycle = now;
	if (kind == HD_TRAP_CYCLES && i < d->cores) {
		/* An endless loop may be one that waits for parked threads (RC-17), so the report shows them. One core is enough. */
		hd_text text = {0};
		hd_core_explain(d->core[i], now, trap, &text);
		trap->text = text.at;
	}
}

/* Nothing can happen any more, and CTAs are left. */
static void stop_hung(device *d, uint64_t now)
{
	hd_text text = {0};
	bool placed = false;
	stop(d->trap, HD_TRAP_DEADLOCK, &d->tasks.at.at[0]->launch, now, NULL);
	for (uint32_t i = 0; i < d->cores; i++) {
		hd_trap other = {0};
		if (hd_core_resident(d->core[i]))
			hd_core_explain(d->core[i], now, placed ? &other : d->trap, &text);
		placed |= hd_core_resident(d->core[i]) != 0;
	}
	if (d->tasks.at.n > 1)
		hd_tasks_explain(&d->tasks, &text);
	d->trap->text = text.at;
}

/* Calls `sample` with the counters after cycle `at`, in which nothing more can happen. */
static void sample(device *d, const hd_run_options *options, uint64_t at)
{
	hd_stats stats = *d->stats;
	for (uint32_t i = 0; i < d->cores; i++)
		hd_core_finish(d->core[i], at + 1);
	for (uint32_t i = 0; i < d->clusters; i++)
		hd_stats_add(&stats, &d->cluster[i].stats);
	stats.run_cycles = at;
	options->sample(options->sample_context, at, &stats);
}

/* One cycle. False: a core has trapped. */
static bool cycle(device *d, uint64_t now)
{
	if (d->crossbar)
		hd_crossbar_arrive(d->crossbar, now);
	for (uint32_t i = 0; i < d->cores; i++) {
		if (d->signal[i].answers <= now)
			hd_core_answers(d->core[i], now);
		if (d->signal[i].next > now && d->signal[i].wish > now)
			continue;
		bool ok = hd_core_tick(d->core[i], now);
		if (d->crossbar)
			hd_crossbar_take(d->crossbar, d->outbox[i]);
		if (!ok) {
			hd_cluster *own = &d->cluster[i / (d->cores / d->clusters)];
			*d->trap = own->trap;
			own->trap = (hd_trap){0};
			return false;
		}
		if (d->signal[i].unfetched || hd_tasks_signal(&d->tasks))
			hd_manager_after(&d->manager, i, now);
		d->signal[i].unfetched = false;
	}
	return true;
}

/* The cycle before which a window that begins in cycle `next` ends. */
static uint64_t window_end(const device *d, const hd_run_options *options, uint64_t next, uint64_t due)
{
	uint64_t last = options->max_cycles ? hd_min_u64(options->max_cycles, due) : due;
	return hd_windows_end(&d->windows, next, last == UINT64_MAX ? last : last + 1);
}

/* The cycle loop. `now` is the cycle that was simulated last, 0 at the beginning. */
static bool run(device *d, const hd_run_options *options, uint64_t *end)
{
	uint64_t now = 0, poll = POLL_CYCLES, due = options->sample_interval ? options->sample_interval : UINT64_MAX;
	while (d->tasks.open) {
		uint64_t next = hd_manager_step(&d->manager, now + 1);
		if (!d->tasks.open)
			break;
		uint64_t wish = UINT64_MAX; /* what only observers want is no sign of life */
		for (uint32_t i = 0; i < d->signals; i++) {
			next = hd_min_u64(hd_min_u64(d->signal[i].next, d->signal[i].answers), next);
			wish = hd_min_u64(d->signal[i].wish, wish);
		}
		next = next == UINT64_MAX ? next : hd_min_u64(wish, next);
		if (options->max_cycles && next > options->max_cycles && next != UINT64_MAX) {
			*end = options->max_cycles;
			stop_somewhere(d, HD_TRAP_CYCLES, options->max_cycles);
			return false;
		}
		if (next == UINT64_MAX) {
			*end = now;
			stop_hung(d, now);
			return false;
		}
		for (; due < next; due += options->sample_interval)
			sample(d, options, due);
		if (next > now + 1 && d->manager.next <= next)
			hd_manager_step(&d->manager, next); /* after idle cycles an arrival or transfer is due */
		uint64_t until = window_end(d, options, next, due);
		bool ok = until > next + 1 ? hd_windows_run(&d->windows, until, &next, d->trap) : cycle(d, next);
		now = *end = next;
		if (!ok)
			return false;
		if (now >= poll) {
			poll = now + POLL_CYCLES;
			if (options->poll && options->poll(options->context, now, d->manager.ctas_ended, d->total)) {
				stop_somewhere(d, HD_TRAP_INTERRUPTED, now);
				return false;
			}
		}
	}
	return true;
}

/* hd_tasks.refuse: refuses a CTA that no core can hold. */
static const char *refuse(const void *machine, const hd_launch *launch)
{
	hd_occupancy occupancy;
	hd_occupancy_of(machine, launch, &occupancy);
	return occupancy.ctas ? NULL : hd_occupancy_reason(occupancy.limit);
}

static bool no_room(const hd_machine *machine, const hd_launch *launch, hd_trap *trap)
{
	const char *reason = refuse(machine, launch);
	hd_text text = {0};
	if (!reason)
		return false;
	hd_text_printf(&text, "  %s: %u warps, %u registers a thread, %u bytes of shared memory, %u bytes of local memory a thread\n", reason,
	               hd_launch_warps(launch), launch->kernel->registers, hd_launch_shared(launch), launch->kernel->local_bytes);
	stop(trap, HD_TRAP_RESOURCES, launch, 0, text.at);
	return true;
}

/* PD-36: each grid of the host names its device. */
static bool no_device(const hd_machine *machine, const hd_task *task, hd_trap *trap)
{
	hd_text text = {0};
	if (task->device < machine->machine_devices)
		return false;
	hd_text_printf(&text, "  device %u, expected one below machine.devices (%u)\n", task->device, machine->machine_devices);
	stop(trap, HD_TRAP_RESOURCES, &task->launch, 0, text.at);
	return true;
}

/* Fetch handles lines of one geometry only. */
static bool other_lines(const hd_machine *machine, const hd_launch *launch, hd_trap *trap)
{
	uint32_t geometry = launch->program->object->geometry;
	hd_text text = {0};
	if (geometry == machine->predecode_geometry)
		return false;
	hd_text_printf(&text, "  the program's lines are of geometry %s, the machine's (predecode.geometry) are %s\n", hd_geometries[geometry].name,
	               hd_geometries[machine->predecode_geometry].name);
	stop(trap, HD_TRAP_RESOURCES, launch, 0, text.at);
	return true;
}

/* Refuses a program that uses more fence counters than the machine has (HZ-5). The scoreboard uses none. */
static bool more_counters(const hd_machine *machine, const hd_launch *launch, hd_trap *trap)
{
	uint32_t counters = launch->program->object->counters;
	hd_text text = {0};
	if (counters <= machine->fence_counters || hd_machine_has_scoreboard(machine))
		return false;
	hd_text_printf(&text, "  the program is compiled for %u fence counters, the machine (fence.counters) has %u\n", counters,
	               machine->fence_counters);
	stop(trap, HD_TRAP_RESOURCES, launch, 0, text.at);
	return true;
}

/* RC-10: refuses a kernel that recurses, before it runs. A recursion that the object does not state is a trap at run
 * time. */
static bool may_recurse(const hd_machine *machine, const hd_launch *launch, hd_trap *trap)
{
	if (!hd_machine_members_by_address(machine) || launch->kernel->call_depth != UINT32_MAX)
		return false;
	stop(trap, HD_TRAP_DIVERGENCE, launch, 0,
	     hd_xstrdup(
	         "  the kernel recurses: it needs divergence.membership = flag, because by address activations of one subroutine cannot be told "
	         "apart (RC-10)\n"));
	return true;
}

/* A single grid whose program launches nothing needs room for what a core holds of it at once. Any other run gets room for all that a core can
 * hold. */
static hd_core_size size_for(const hd_machine *machine, const hd_task *list, uint32_t n)
{
	hd_core_size size = {.ctas = machine->machine_max_ctas, .warps = machine->machine_schedulers * machine->machine_warps};
	const hd_object *object = list[0].launch.program->object;
	if (n == 1 && !list[0].queue && !list[0].launch.program->launches) {
		const hd_launch *launch = &list[0].launch;
		uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
		hd_occupancy occupancy;
		hd_occupancy_of(machine, launch, &occupancy);
		size.ctas = (uint32_t)hd_min_u64(occupancy.ctas, ctas);
		size.warps = size.ctas * hd_demand_of(launch).warps;
		size.registers = launch->kernel->registers;
		return size;
	}
	for (uint32_t i = 0; i < n; i++)
		size.registers = hd_max_u32(list[i].launch.kernel->registers, size.registers);
	for (size_t i = 0; i < object->kernels.n; i++)
		size.registers = hd_max_u32(object->kernels.at[i].registers, size.registers);
	return size;
}

/* The levels of memory behind the cores, of each device. */
static void make_memory(device *d, const hd_context *context)
{
	if (context->packets)
		d->crossbar = hd_crossbar_new(context->memory, &d->watch);
	for (uint32_t i = 0; i < context->machine->machine_devices; i++) {
		d->l2[i] = hd_l2_new(context->machine);
		if (context->machine->memory_slices) {
			hd_slices_count(hd_l2_slices(d->l2[i]), d->stats);
			hd_crossbar_set_slices(d->crossbar, hd_l2_slices(d->l2[i]));
		}
		d->walker[i] = hd_walker_new(context->machine, context->memory, d->l2[i]);
	}
}

static void free_memory(device *d, const hd_machine *machine)
{
	for (uint32_t i = 0; i < machine->machine_devices; i++) {
		hd_walker_free(d->walker[i]);
		hd_l2_free(d->l2[i]);
	}
	hd_crossbar_free(d->crossbar);
}

/* About the bytes that the storage of all cores takes. The rest of a core is warps' state, queues, tags, latches and packets. */
static size_t storage_of(const hd_machine *machine, const hd_code *code, hd_core_size size)
{
	size_t registers = (size_t)size.warps * hd_max_u32(size.registers, code->registers) * sizeof(hd_vec32);
	size_t activations = (size_t)size.warps * machine->divergence_call_depth * sizeof(hd_activation);
	size_t flow = size.warps * (sizeof(hd_warp_flow) + (code->syncs ? sizeof(hd_sync) : 0));
	return hd_machine_cores(machine) * (registers + activations + flow + 2 * (size_t)machine->memory_l1_bytes + REST_OF_CORE);
}

/* Clusters with their cores. `window` is the length of a window of time. */
static void make_clusters(device *d, const hd_context *context, hd_core_size size, uint32_t window, uint32_t threads)
{
	const hd_machine *machine = context->machine;
	size_t expected = storage_of(machine, context->code, size);
	if (d->region)
		hd_region_reset(d->region, expected);
	else
		d->region = hd_region_new(expected);
	d->cluster = hd_xaligned(d->clusters * sizeof *d->cluster);
	memset(d->cluster, 0, d->clusters * sizeof *d->cluster);
	d->core = hd_xcalloc(d->cores, sizeof(hd_core *));
	d->outbox = hd_xcalloc(d->cores, sizeof(hd_outbox *));
	for (uint32_t i = 0; i < d->clusters; i++) {
		hd_cluster *c = &d->cluster[i];
		uint32_t of = i / machine->machine_clusters;
		c->cores = machine->machine_cores;
		c->first = i * c->cores;
		c->core = d->core + c->first;
		c->signal = d->signal + c->first;
		c->context = *context;
		c->context.region = d->region;
		c->context.stats = &c->stats;
		c->context.trap = &c->trap;
		c->context.l2 = d->l2[of];
		c->context.walker = d->walker[of];
		c->context.requests = window && !machine->memory_slices ? &c->requests : NULL; /* slices are ahead of the cores */
		hd_icache_init(&c->l15, machine->fetch_l15_lines * hd_line_share(machine->predecode_geometry), 8);
	}
	d->windows = (hd_windows){.cluster = d->cluster,
	                          .clusters = d->clusters,
	                          .cores = d->cores,
	                          .manager = &d->manager,
	                          .tasks = &d->tasks,
	                          .crossbar = d->crossbar,
	                          .outbox = d->outbox,
	                          .watch = &d->watch,
	                          .trace = context->trace,
	                          .threads = threads,
	                          .ahead = machine->memory_l2_latency / 2,
	                          .length = window};
	hd_windows_init(&d->windows);
	for (uint32_t i = 0; i < d->cores; i++) {
		hd_cluster *c = &d->cluster[i / machine->machine_cores];
		d->core[i] = hd_core_new(&c->context, i, size, &c->l15);
		d->outbox[i] = hd_core_outbox(d->core[i]);
	}
}

/* hd_crossbar_waker.answered */
static void answered(void *context, uint32_t core, uint64_t now) { ((const device *)context)->signal[core].answers = now; }

/* hd_crossbar_waker.line: other cores of the cluster may have found the line on its way in the cache that they share. */
static void line_there(void *context, uint32_t core, uint64_t number, uint64_t there)
{
	const device *d = context;
	const hd_cluster *c = &d->cluster[core / (d->cores / d->clusters)];
	for (uint32_t i = 0; i < c->cores; i++)
		hd_core_line(c->core[i], number, there);
}

/* Adds what the cores and clusters have counted to the statistics of the run, whose last cycle is `end`. */
static void free_clusters(device *d, const hd_run_options *options, uint64_t end)
{
	for (uint32_t i = 0; i < d->clusters; i++) {
		hd_cluster *c = &d->cluster[i];
		for (uint32_t k = 0; k < c->cores; k++) {
			hd_core_finish(c->core[k], end + 1);
			hd_core_free(c->core[k]);
		}
		hd_stats_add(d->stats, &c->stats);
		hd_trap_free(&c->trap);
		hd_icache_free(&c->l15);
		hd_requests_free(&c->requests);
	}
	hd_windows_free(&d->windows);
	if (d->region != options->storage)
		hd_region_free(d->region);
	free(d->cluster);
	free(d->core);
	free(d->outbox);
}

/* Runs the list on a device whose tasks are set. Requires: the launches fit the machine. */
static bool run_list(const hd_machine *configured, const hd_task *list, uint32_t n, device *d, hd_memory *memory, const hd_run_options *options)
{
	const hd_object *object = list[0].launch.program->object;
	const hd_machine mine = hd_machine_split(configured, object->counters, object->split), *machine = &mine;
	uint32_t window = hd_machine_has_window(machine) || (options->window_of_one && machine->predecode_carrier != HD_CARRIER_REGISTER)
	                      ? machine->multi_issue_window
	                      : 0;
	uint64_t end = 0;
	hd_code *code = hd_code_new(machine, list[0].launch.program, window > 0);
	hd_memory_set_page(memory, hd_machine_page(machine));
	d->clusters = machine->machine_devices * machine->machine_clusters;
	d->cores = hd_machine_cores(machine);
	d->signals = d->cores + (machine->memory_slices != 0);
	d->region = options->storage;
	d->signal = hd_xaligned(d->signals * sizeof *d->signal);
	d->signal[d->signals - 1] = (hd_core_signal){.next = UINT64_MAX, .wish = UINT64_MAX, .answers = UINT64_MAX};
	d->watch.from = HD_QUIET;
	d->tasks.refuse = refuse;
	d->tasks.machine = machine;
	d->tasks.memory = memory;
	d->tasks.enqueuing = options->enqueuing;
	const hd_context context = {
	    .machine = machine,
	    .tasks = &d->tasks,
	    .code = code,
	    .memory = memory,
	    .signal = d->signal,
	    .cores = d->cores,
	    .window = window,
	    .trace = options->trace,
	    .recorder = options->recorder,
	    .units = options->trace ? options->trace->units : NULL,
	    .watch = &d->watch,
	    .eager = options->tick_every_cycle || options->recorder,
	    .junk = options->junk,
	    .packets = machine->memory_values == HD_VALUES_TRAVEL,
	};
	make_memory(d, &context);
	make_clusters(d, &context, size_for(machine, list, n), hd_windows_length(machine, list, n, code, options), hd_threads(options->threads));
	for (uint32_t i = 0; i < n; i++)
		d->total += d->tasks.at.at[i]->total;
	hd_manager_init(&d->manager, machine, &d->tasks, d->core, d->l2, d->stats, &d->watch);

	if (machine->memory_slices)
		hd_crossbar_set_waker(d->crossbar, (hd_crossbar_waker){&d->signal[d->cores].next, answered, line_there, d});
	bool ok = run(d, options, &end);
	if (machine->memory_slices)
		hd_crossbar_set_waker(d->crossbar, (hd_crossbar_waker){0}); /* no core goes on */
	if (d->crossbar)
		hd_crossbar_arrive(d->crossbar, UINT64_MAX); /* what has left before a trap or the last cycle */

	d->stats->run_cycles = end;
	d->stats->grids_launched = d->tasks.spawned;
	d->stats->grids_deepest = d->tasks.deepest;
	free_clusters(d, options, end);
	d->stats->run_lane_slots = d->stats->run_warp_instructions * machine->machine_lanes;
	hd_manager_free(&d->manager);
	free_memory(d, machine);
	free(d->signal);
	hd_code_free(code);
	return ok;
}

bool hd_device_run_list(const hd_machine *machine, const hd_task *list, uint32_t n, hd_memory *memory, const hd_run_options *options, hd_stats *stats,
                        hd_trap *trap)
{
	static const hd_run_options none;
	hd_diag diag = {0};
	device d = {.stats = stats, .trap = trap};
	bool ok = true;
	memset(stats, 0, sizeof *stats);
	*trap = (hd_trap){0};
	for (uint32_t i = 0; i < n; i++)
		hd_invariant(hd_launch_lanes(&list[i].launch) == machine->machine_lanes, "launch %u has warps of %u threads, the machine of %u", i,
		             hd_launch_lanes(&list[i].launch), machine->machine_lanes);
	for (uint32_t i = 0; i < n && ok; i++)
		ok = !may_recurse(machine, &list[i].launch, trap) && !other_lines(machine, &list[i].launch, trap) &&
		     !more_counters(machine, &list[i].launch, trap) && !no_device(machine, &list[i], trap) &&
		     !no_room(machine, &list[i].launch, trap);
	if (ok && !hd_tasks_init(&d.tasks, list, n, (hd_task_limits){machine->grids_depth, machine->grids_pending, machine->grids_entries}, &diag)) {
		stop(trap, HD_TRAP_RESOURCES, &list[0].launch, 0, diag.text.at ? hd_xstrdup(diag.text.at) : NULL);
		ok = false;
	}
	if (ok)
		ok = run_list(machine, list, n, &d, memory, options ? options : &none);
	for (uint32_t i = 0; options && options->results && i < n && i < d.tasks.n_host; i++)
		options->results[i] = d.tasks.at.at[i]->result;
	hd_tasks_free(&d.tasks);
	hd_diag_free(&diag);
	return ok;
}

bool hd_device_run(const hd_machine *machine, const hd_launch *launch, hd_memory *memory, const hd_run_options *options, hd_stats *stats,
                   hd_trap *trap)
{
	hd_task task = {.launch = *launch};
	task.launch.lanes = machine->machine_lanes;
	return hd_device_run_list(machine, &task, 1, memory, options, stats, trap);
}
