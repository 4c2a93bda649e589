#include "device/device.h"

#include "core/core.h"
#include "device/distributor.h"

enum { POLL_CYCLES = 1 << 16 };

typedef struct device {
	hd_context context;
	hd_watch watch;
	uint32_t clusters, cores;
	hd_icache *l15; /* of each cluster */
	hd_core **core;
	hd_distributor distributor;
	uint64_t ended;
} device;

static void stop(hd_trap *trap, hd_trap_kind kind, const hd_launch *launch, uint64_t now, char *text)
{
	*trap = (hd_trap){.kind = kind, .kernel = launch->kernel->name, .pc = launch->kernel->entry, .cycle = now, .text = text};
}

/* For a run that is stopped between cycles: some warp's place. */
static void stop_somewhere(device *d, hd_trap_kind kind, uint64_t now)
{
	hd_trap *trap = d->context.trap;
	stop(trap, kind, d->context.launch, now, NULL);
	uint32_t i = 0;
	while (i < d->cores && !hd_core_place(d->core[i], trap))
		i++;
	trap->cycle = now;
	if (kind == HD_TRAP_CYCLES && i < d->cores) {
		/* A loop that never ends may be one that waits for parked threads (RC-17): show them. One core is enough. */
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
	stop(d->context.trap, HD_TRAP_DEADLOCK, d->context.launch, now, NULL);
	for (uint32_t i = 0; i < d->cores; i++) {
		hd_trap other = {0};
		if (hd_core_resident(d->core[i]))
			hd_core_explain(d->core[i], now, placed ? &other : d->context.trap, &text);
		placed |= hd_core_resident(d->core[i]) != 0;
	}
	d->context.trap->text = text.at;
}

/* The counters as they are after cycle `at`, in which nothing can happen any more. */
static void sample(device *d, const hd_run_options *options, uint64_t at)
{
	hd_stats *stats = d->context.stats;
	for (uint32_t i = 0; i < d->cores; i++)
		hd_core_finish(d->core[i], at + 1);
	stats->run_cycles = at;
	options->sample(options->sample_context, at, stats);
	stats->run_cycles = 0;
}

/* The cycles. `now` is the cycle that has just been done, 0 at the beginning. */
static bool run(device *d, const hd_run_options *options, uint64_t *end)
{
	uint64_t now = 0, poll = POLL_CYCLES, due = options->sample_interval ? options->sample_interval : UINT64_MAX;
	uint64_t total = d->distributor.total;
	while (d->ended < total) {
		uint64_t next = UINT64_MAX;
		if (hd_distributor_place(&d->distributor, d->core, d->cores, now + 1))
			next = now + 1;
		for (uint32_t i = 0; i < d->cores; i++)
			if (hd_core_next(d->core[i]) < next)
				next = hd_core_next(d->core[i]);
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
		now = *end = next;
		for (uint32_t i = 0; i < d->cores; i++) {
			if (hd_core_next(d->core[i]) > now)
				continue;
			if (!hd_core_tick(d->core[i], now))
				return false;
			d->ended += hd_core_ended(d->core[i]);
		}
		if (now >= poll) {
			poll = now + POLL_CYCLES;
			if (options->poll && options->poll(options->context, now, d->ended, total)) {
				stop_somewhere(d, HD_TRAP_INTERRUPTED, now);
				return false;
			}
		}
	}
	return true;
}

static bool no_room(const hd_machine *machine, const hd_launch *launch, hd_trap *trap, uint32_t *capacity)
{
	hd_text text = {0};
	hd_occupancy occupancy;
	hd_occupancy_of(machine, launch, &occupancy);
	*capacity = occupancy.ctas;
	if (*capacity)
		return false;
	hd_text_printf(&text, "  %s: %u warps, %u registers a thread, %u bytes of shared memory, %u bytes of local memory a thread\n",
	               hd_occupancy_reason(occupancy.limit), (hd_launch_threads(launch) + HD_LANES - 1) / HD_LANES, launch->kernel->registers,
	               hd_launch_shared(launch), launch->kernel->local_bytes);
	stop(trap, HD_TRAP_RESOURCES, launch, 0, text.at);
	return true;
}

/* Fetch takes lines of one geometry only. */
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

/* RC-10: a program compiled for another membership, found out before it runs. What a file does not say of itself is a trap when it happens. */
static bool may_recurse(const hd_machine *machine, const hd_launch *launch, hd_trap *trap)
{
	if (machine->divergence_mode != HD_DIV_RESUME || machine->divergence_membership != HD_MEMBER_RANGE ||
	    launch->kernel->call_depth != UINT32_MAX)
		return false;
	stop(trap, HD_TRAP_DIVERGENCE, launch, 0,
	     hd_xstrdup("  the program recurses: compiled for divergence.membership = flag, it cannot run with range, where activations of one "
	                "subroutine cannot be told apart (RC-10)\n"));
	return true;
}

bool hd_device_run(const hd_machine *machine, const hd_launch *launch, hd_memory *memory, const hd_run_options *options, hd_stats *stats,
                   hd_trap *trap)
{
	static const hd_run_options none;
	hd_diag diag = {0};
	uint32_t capacity, window = machine->multi_issue_window > 1 || (options && options->window_of_one) ? machine->multi_issue_window : 0;
	uint64_t end = 0;
	memset(stats, 0, sizeof *stats);
	*trap = (hd_trap){0};
	if (!options)
		options = &none;
	if (may_recurse(machine, launch, trap) || other_lines(machine, launch, trap) || no_room(machine, launch, trap, &capacity))
		return false;
	hd_bank *bank = hd_bank_new(launch, &diag);
	if (!bank) {
		stop(trap, HD_TRAP_RESOURCES, launch, 0, diag.text.at ? hd_xstrdup(diag.text.at) : NULL);
		hd_diag_free(&diag);
		return false;
	}
	hd_code *code = hd_code_new(machine, launch->program, window > 0);
	hd_l2 *l2 = hd_l2_new(machine);
	device d = {.clusters = machine->machine_clusters, .cores = machine->machine_clusters * machine->machine_cores};
	d.context =
	    (hd_context){machine, launch, bank, code, memory, l2, stats, trap, d.cores, window, options->trace, &d.watch, options->tick_every_cycle};
	uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	d.watch.from = HD_QUIET;
	hd_distributor_init(&d.distributor, launch->grid);
	if (capacity > ctas)
		capacity = (uint32_t)ctas;
	d.l15 = hd_xcalloc(d.clusters, sizeof *d.l15);
	d.core = hd_xcalloc(d.cores, sizeof(hd_core *));
	for (uint32_t i = 0; i < d.clusters; i++)
		hd_icache_init(&d.l15[i], machine->fetch_l15_lines * (HD_LINE_WORDS / hd_geometries[machine->predecode_geometry].line_words), 8);
	for (uint32_t i = 0; i < d.cores; i++)
		d.core[i] = hd_core_new(&d.context, i, capacity, &d.l15[i / machine->machine_cores]);

	bool ok = run(&d, options, &end);

	stats->run_cycles = end;
	for (uint32_t i = 0; i < d.cores; i++) {
		hd_core_finish(d.core[i], end + 1);
		hd_core_free(d.core[i]);
	}
	for (uint32_t i = 0; i < d.clusters; i++)
		hd_icache_free(&d.l15[i]);
	stats->run_lane_slots = stats->run_warp_instructions * HD_LANES;
	free(d.core);
	free(d.l15);
	hd_l2_free(l2);
	hd_code_free(code);
	free(bank);
	hd_diag_free(&diag);
	return ok;
}
