/* Runs of launches on the machine or in the interpreter. */
#include "runtime/run.h"

#include "api/print.h"
#include "base/plain.h"
#include "device/device.h"
#include "interp/interp.h"
#include "runtime/observe.h"
#include "sanitizer/races.h"

/* -- progress ------------------------------------------------------------------------------------------------------------------------------- */
typedef struct progress {
	const char *kernel;
	double begin, last;
} progress;

static bool show(void *context, uint64_t cycle, uint64_t done, uint64_t ctas)
{
	progress *p = context;
	double t = hd_now();
	if (t - p->last >= 1) {
		p->last = t;
		fprintf(stderr, "heddle: kernel '%s': %.1f s, %.1f million %s, %llu of %llu work-groups done\n", p->kernel, t - p->begin,
		        (double)cycle / 1e6, hr_device.functional ? "warp instructions" : "cycles", (unsigned long long)done,
		        (unsigned long long)ctas);
	}
	return false;
}

/* -- the run -------------------------------------------------------------------------------------------------------------------------------- */
uint32_t hr_priority_in_lists(hr_priority priority)
{
	static const uint8_t of[HR_PRIORITIES] = {[HR_PRIORITY_HIGH] = 6, [HR_PRIORITY_MEDIUM] = 3, [HR_PRIORITY_LOW] = 0};
	return of[priority];
}

/* State of a run in progress. */
typedef struct running {
	const hr_run *run;
	hd_task alone, *tasks;
	uint32_t n;
	progress shown;
	hd_stats stats;
	hd_trap trap;
} running;

static void interpret(running *r, const hd_interp_options *options)
{
	const hr_run *run = r->run;
	const hd_program *program = run->launch->program;
	if (!*run->interp)
		*run->interp = hd_interp_new(program);
	hd_memory_set_page(run->memory, hd_machine_page(&hr_device.machine));
	if (!hr_device.races) {
		hd_interp_run_again(*run->interp, r->tasks, r->n, run->memory, options, &r->stats, &r->trap);
		return;
	}
	hd_races *races = hd_races_new(program, run->memory, &(hd_races_options){0});
	hd_interp_options watched = *options;
	hd_text text = {0};
	watched.order = hd_races_observer(races);
	hd_interp_run_again(*run->interp, r->tasks, r->n, run->memory, &watched, &r->stats, &r->trap);
	hd_races_print(&text, hd_races_found_of(races), HD_DIAG_MAX, program);
	hd_text_make_plain(&text, 0);
	if (text.n)
		fputs(text.at, stderr);
	hd_text_free(&text);
	hd_races_free(races);
}

/* Accesses outside of every buffer that ended nothing. */
static void print_warnings(void)
{
	hd_text warnings = {0};
	hd_bounds_take(hr_device.bounds, &warnings);
	if (warnings.n) {
		hd_text_make_plain(&warnings, 0);
		fputs(warnings.at, stderr);
	}
	hd_text_free(&warnings);
}

/* The storage of the last launch that ended, for one at a time: launches of several contexts can overlap. */
static hd_region *take_storage(void)
{
	pthread_mutex_lock(&hr_lock);
	hd_region *storage = hr_device.storage;
	hr_device.storage = NULL;
	pthread_mutex_unlock(&hr_lock);
	return storage ? storage : hd_region_new(0);
}

static void keep_storage(hd_region *storage)
{
	pthread_mutex_lock(&hr_lock);
	hd_region *other = hr_device.storage;
	hr_device.storage = storage;
	pthread_mutex_unlock(&hr_lock);
	hd_region_free(other);
}

static void execute(running *r, hd_trace *trace)
{
	const hr_run *run = r->run;
	const hd_machine *m = &hr_device.machine;
	bool (*poll)(void *, uint64_t, uint64_t, uint64_t) = hr_device.progress ? show : NULL;
	if (hr_device.functional) {
		hd_interp_options options = {.call_depth = m->divergence_call_depth,
		                             .grid_depth = m->grids_depth,
		                             .max_instructions = hr_device.max_cycles,
		                             .threads = hr_device.threads,
		                             .unordered = hr_device.unordered,
		                             .poll = poll,
		                             .context = &r->shown,
		                             .enqueuing = run->queues};
		interpret(r, &options);
	} else {
		hd_run_options options = {.max_cycles = hr_device.max_cycles,
		                          .threads = hr_device.threads,
		                          .poll = poll,
		                          .context = &r->shown,
		                          .trace = trace,
		                          .storage = take_storage(),
		                          .enqueuing = run->queues};
		hd_device_run_list(m, r->tasks, r->n, run->memory, &options, &r->stats, &r->trap);
		keep_storage(options.storage);
	}
	if (hr_device.bounds)
		print_warnings();
}

static void make_list(running *r)
{
	const hr_run *run = r->run;
	if (run->list) {
		r->tasks = run->list(run->context, &r->n);
		return;
	}
	r->alone = (hd_task){.launch = *run->launch, .priority = run->priority};
	r->tasks = &r->alone;
	r->n = 1;
}

static void leave(const hr_run *run)
{
	if (run->leave)
		run->leave(run->leaving);
}

/* The number of the launch, and its print buffer. False: there is no room for it. */
static bool prepare(const hr_run *run)
{
	hd_diag diag = {0};
	pthread_mutex_lock(&hr_lock);
	run->launch->grid_id = hr_device.launches++;
	pthread_mutex_unlock(&hr_lock);
	bool ready = hd_print_open(run->launch, run->memory, HR_PRINT_BYTES, &diag);
	hd_diag_free(&diag);
	return ready;
}

/* One call writes the whole text, so that the output of different queues does not mix. */
static void print(hd_text *printed)
{
	if (printed->n) {
		fwrite(printed->at, 1, printed->n, stdout);
		fflush(stdout);
	}
	hd_text_free(printed);
}

void hr_run_launch(const hr_run *run, hr_run_result *result)
{
	running r = {.run = run, .shown = {.kernel = run->launch->kernel->name, .begin = hd_now(), .last = hd_now()}};
	hr_observation observation;
	hd_text printed = {0};
	*result = (hr_run_result){.no_room = !prepare(run)};
	if (result->no_room) {
		leave(run);
		return;
	}
	make_list(&r);
	hr_observe_begin(&observation, run->launch);
	double begin = hd_now();
	execute(&r, observation.trace);
	double seconds = hd_now() - begin;
	result->ended = r.trap.kind;
	if (r.trap.kind != HD_TRAP_NONE) {
		hd_trap_print(&result->message, &r.trap, run->launch, run->memory);
		hd_text_make_plain(&result->message, 0);
		fputs(result->message.at, stderr);
	}
	hd_print_close(run->launch, run->memory, &printed);
	leave(run);
	print(&printed);
	hr_observe_end(&observation, &(hr_outcome){.launch = run->launch,
	                                           .stats = &r.stats,
	                                           .ended = r.trap.kind,
	                                           .message = result->message.at,
	                                           .seconds = seconds,
	                                           .file = run->file,
	                                           .source = run->source});
	/* The interpreter has no simulated time. The time of the host replaces it. */
	result->ns = hr_device.functional ? (uint64_t)(seconds * 1e9) + 1 : r.stats.run_cycles * 1000 / hr_device.machine.machine_clock_mhz + 1;
	hd_trap_free(&r.trap);
}
