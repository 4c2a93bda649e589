/* Launches and runs (heddle/heddle.h). */
#include "api/arguments.h"
#include "api/print.h"
#include "api/traces.h"
#include "base/team.h"
#include "device/device.h"
#include "interp/interp.h"

enum { PRINT_BYTES = 1 << 20, PROFILE_ENERGY_STEPS = 128 /* of an HTML report */ };

/* Translates the launch. False and errors in the heddle's diag if the launch is impossible. */
static bool prepare(heddle *h, const heddle_launch *from, hd_launch *to)
{
	const hd_kernel *kernel = hd_api_kernel(h, from->kernel);
	*to = (hd_launch){0};
	if (!kernel)
		return false;
	uint32_t dynamic = 0;
	uint8_t *params = hd_xcalloc(1, kernel->param_bytes);
	to->params = params;
	if (!hd_arguments_bind(kernel, from->args, from->n_args, params, &dynamic, &h->diag))
		return false;
	*to = (hd_launch){.program = h->program,
	                  .kernel = kernel,
	                  .params = params,
	                  .work_dim = 1,
	                  .dynamic_shared = dynamic + from->dynamic_shared,
	                  .lanes = h->machine.machine_lanes};
	for (int i = 0; i < 3; i++) {
		to->grid[i] = from->grid[i] ? from->grid[i] : 1;
		to->block[i] = from->block[i] ? from->block[i] : 1;
		to->offset[i] = from->offset[i];
		if (from->grid[i] > 1 || from->block[i] > 1)
			to->work_dim = (uint32_t)i + 1;
	}
	/* Checks the launch itself (block too large, ...) before the clock starts, because such errors are bad input. */
	return hd_launch_check(to, &h->diag);
}

bool hd_api_check_launch(heddle *h, const heddle_launch *launch)
{
	hd_launch unused;
	bool ok = prepare(h, launch, &unused);
	free((void *)(uintptr_t)unused.params); /* const, but owned */
	return ok;
}

/* Checks the indices of the list. They must exist, and a grid must be later in the list than the grids that it waits for. */
static bool check_places(heddle *h, const heddle_grid *grids, unsigned n, unsigned i)
{
	const heddle_grid *g = &grids[i];
	bool ok = g->priority < HD_PRIORITIES && g->kind < HD_TASK_KINDS && g->device < h->machine.machine_devices && (!g->n_entries || g->queue) &&
	          (!g->n_producers || g->queue);
	for (unsigned k = 0; k < g->n_after; k++)
		ok = ok && g->after[k] < i;
	for (unsigned k = 0; k < g->n_producers; k++)
		ok = ok && g->producers[k] < n;
	if (!ok)
		hd_error(
		    &h->diag, (hd_pos){0},
		    "grid %u of %u: expected a priority from 0 to %d, a kind from 0 to %d, a device below machine.devices (%u), dependences on grids "
		    "before it, producers and entries of a queue only",
		    i, n, HD_PRIORITIES - 1, HD_TASK_KINDS - 1, h->machine.machine_devices);
	return ok;
}

static bool prepare_all(heddle *h, const heddle_grid *grids, unsigned n)
{
	h->tasks = hd_xcalloc(n, sizeof *h->tasks);
	h->results = hd_xcalloc(n, sizeof *h->results);
	h->n_tasks = n;
	for (unsigned i = 0; i < n; i++) {
		const heddle_grid *from = &grids[i];
		hd_task *to = &h->tasks[i];
		if (!prepare(h, &from->launch, &to->launch) || !check_places(h, grids, n, i))
			return false;
		if (from->queue)
			to->launch.grid[0] = to->launch.grid[1] = to->launch.grid[2] = 1;
		to->launch.grid_id = i;
		to->priority = from->priority;
		to->kind = from->kind;
		to->device = from->device;
		to->at_head = from->at_head;
		to->arrival = from->arrival;
		to->after = from->after;
		to->n_after = from->n_after;
		to->queue = from->queue;
		to->producers = from->producers;
		to->n_producers = from->n_producers;
		to->items = from->entries;
		to->n_items = from->n_entries;
	}
	h->kernel = h->tasks[0].launch.kernel;
	if (!hd_print_open(&h->tasks[0].launch, h->memory, PRINT_BYTES, &h->diag))
		return false;
	for (unsigned i = 1; i < n; i++) {
		h->tasks[i].launch.print_buffer = h->tasks[0].launch.print_buffer;
		h->tasks[i].launch.print_bytes = h->tasks[0].launch.print_bytes;
	}
	h->launch = h->tasks[0].launch;
	return true;
}

static void copy_results(const heddle *h, heddle_grid_result *results)
{
	for (unsigned i = 0; results && i < h->n_tasks; i++) {
		const hd_task_result *from = &h->results[i];
		uint64_t timed = !h->functional; /* a functional run has no cycles */
		results[i] = (heddle_grid_result){.begun = from->begun,
		                                  .ended = from->ended,
		                                  .arrival = from->arrival * timed,
		                                  .begin = from->begin * timed,
		                                  .end = from->end * timed,
		                                  .ctas = from->ctas,
		                                  .children = from->children,
		                                  .pushed = from->pushed,
		                                  .evictions = from->evictions,
		                                  .saved = from->saved};
	}
}

static void run_timed(heddle *h, const heddle_launch *launch, hd_trace *own, hd_trap *trap)
{
	if (!h->storage)
		h->storage = hd_region_new(0);
	hd_run_options options = {.max_cycles = launch->max_cycles,
	                          .threads = launch->threads,
	                          .poll = launch->poll,
	                          .context = launch->context,
	                          .storage = h->storage,
	                          .results = h->results};
	hd_watchers all = {0};
	if (h->hazards) {
		h->sanitizer = hd_sanitizer_new(h->program);
		hd_watchers_add(&all, hd_sanitizer_watcher(h->sanitizer));
	}
	if (h->profiling) {
		h->profile = hd_profile_new(&h->machine, h->program);
		hd_watchers_add(&all, &h->profile->trace);
	}
	if (h->trace)
		hd_watchers_add(&all, h->trace);
	if (own)
		hd_watchers_add(&all, own);
	options.trace = all.n > 1 ? &all.trace : all.at[0];
	options.sample_interval = h->energy.interval;
	options.sample = hd_energy_series_sample;
	options.sample_context = &h->energy;
	hd_device_run_list(&h->machine, h->tasks, h->n_tasks, h->memory, &options, &h->stats, trap);
	hd_energy_series_sample(&h->energy, h->stats.run_cycles, &h->stats);
	if (!heddle_violations(h))
		return;
	hd_violations_print(&h->diag.text, hd_sanitizer_found(h->sanitizer), HD_DIAG_MAX, h->program);
	h->diag.errors++;
}

/* Machine code has an untimed interpreter alone. */
static bool runs_as_asked(heddle *h, const heddle_launch *launch, unsigned n)
{
	const char *what = !h->machine_code                                              ? NULL
	                   : !launch->functional                                         ? "runs without time so far, expected --functional"
	                   : n > 1                                                       ? "runs one launch at a time"
	                   : h->races                                                    ? "is not looked at for races"
	                   : launch->offset[0] || launch->offset[1] || launch->offset[2] ? "has no global offset"
	                                                                                 : NULL;
	if (what)
		hd_error(&h->diag, (hd_pos){.file = h->path}, "machine code of a real GPU %s", what);
	return !what;
}

static void run_functional(heddle *h, const heddle_launch *launch, hd_trap *trap)
{
	hd_interp *interp = hd_interp_new(h->program);
	hd_interp_options options = {.call_depth = h->machine.divergence_call_depth,
	                             .grid_depth = h->machine.grids_depth,
	                             .max_instructions = launch->max_cycles,
	                             .threads = hd_threads(launch->threads),
	                             .unordered = hd_unordered_atomics(),
	                             .poll = launch->poll,
	                             .context = launch->context,
	                             .results = h->results};
	if (h->races) {
		h->race_detector = hd_races_new(h->program, h->memory, &h->race_options);
		options.order = hd_races_observer(h->race_detector);
	}
	hd_interp_run_again(interp, h->tasks, h->n_tasks, h->memory, &options, &h->stats, trap);
	hd_interp_free(interp);
	if (!h->race_detector)
		return;
	hd_races_print(&h->diag.text, hd_races_found_of(h->race_detector), HD_DIAG_MAX, h->program);
	h->diag.errors += heddle_race_count(h) != 0;
}

/* HEDDLE_BOUNDS: what an access outside of every buffer does. Each run reports its places anew. */
static bool choose_bounds(heddle *h)
{
	const char *chosen = getenv("HEDDLE_BOUNDS");
	bool warns = chosen && strcmp(chosen, "warn") == 0;
	if (chosen && *chosen && !warns && strcmp(chosen, "trap") != 0) {
		hd_error(&h->diag, (hd_pos){0}, "HEDDLE_BOUNDS cannot be '%.40s', expected trap or warn", chosen);
		return false;
	}
	hd_bounds_free(h->bounds);
	h->bounds = warns ? hd_bounds_new() : NULL;
	hd_memory_set_bounds(h->memory, h->bounds);
	return true;
}

heddle_status heddle_run_grids(heddle *h, const heddle_grid *grids, unsigned n, heddle_grid_result *results)
{
	const heddle_launch *launch = &grids[0].launch;
	hd_api_forget_run(h);
	if (n == 0)
		hd_error(&h->diag, (hd_pos){0}, "a list of no grids, expected at least one");
	if (n && !runs_as_asked(h, launch, n))
		return HEDDLE_BAD_INPUT;
	if (n == 0 || !prepare_all(h, grids, n) || (!launch->functional && !hd_api_compatible(h)))
		return HEDDLE_BAD_INPUT;
	if (!choose_bounds(h))
		return HEDDLE_BAD_INPUT;
	h->functional = launch->functional;
	hd_api_traces traces = {0};
	if (!launch->functional && !hd_api_traces_open(&traces, h))
		return HEDDLE_BAD_INPUT;
	hd_trap trap = {0};
	h->stats = (hd_stats){0};
	hd_memory_set_page(h->memory, hd_machine_page(&h->machine));
	hd_energy_series_begin(&h->energy, &h->machine, h->profiling && !h->energy_steps ? PROFILE_ENERGY_STEPS : h->energy_steps);
	double begin = hd_now();
	if (h->machine_code) {
		if (!hd_machine_code_run(h->machine_code, &h->launch, h->memory, launch, &h->stats, &trap, &h->diag))
			return HEDDLE_BAD_INPUT;
	} else if (launch->functional)
		run_functional(h, launch, &trap);
	else
		run_timed(h, launch, traces.watchers.n ? &traces.watchers.trace : NULL, &trap);
	h->seconds = hd_now() - begin;
	h->ran = true;
	h->stats.host_interface_to_device_bytes = h->copied_bytes;
	h->stats.host_interface_copy_cycles = h->copied_cycles;
	h->copied_bytes = h->copied_cycles = 0;
	h->ended = trap.kind;
	if (h->bounds)
		hd_bounds_take(h->bounds, &h->diag.text);
	copy_results(h, results);
	if (trap.kind != HD_TRAP_NONE) {
		hd_trap_print(&h->trap_text, &trap, &h->launch, h->memory);
		hd_text_put(&h->diag.text, h->trap_text.at, h->trap_text.n);
		h->diag.errors++;
	}
	hd_trap_free(&trap);
	hd_print_close(&h->launch, h->memory, &h->printed);
	bool written = hd_api_traces_close(&traces, h);
	/* A CTA that no core can hold makes the launch impossible. The program is not at fault. */
	if (h->ended == HD_TRAP_RESOURCES || !written)
		return HEDDLE_BAD_INPUT;
	return h->ended == HD_TRAP_NONE ? HEDDLE_DONE : h->ended == HD_TRAP_INTERRUPTED ? HEDDLE_INTERRUPTED : HEDDLE_FAULT;
}

heddle_status heddle_run(heddle *h, const heddle_launch *launch)
{
	heddle_grid grid = {.launch = *launch};
	return heddle_run_grids(h, &grid, 1, NULL);
}
