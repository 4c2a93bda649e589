/* The public interface (heddle/heddle.h), built from the other rooms. */
#include "heddle/heddle.h"

#include "api/api.h"
#include "api/arguments.h"
#include "api/build.h"
#include "api/compatible.h"
#include "api/print.h"
#include "base/output.h"
#include "check/check.h"
#include "device/device.h"
#include "interp/interp.h"
#include "report/energy_error.h"
#include "report/report.h"
#include "sanitizer/sanitizer.h"
#include "trace/trace_file.h"

#include <sys/resource.h>
#include <time.h>

enum { MEMORY_LIMIT_GIB = 4, PRINT_BYTES = 1 << 20 };

struct heddle {
	hd_machine machine;
	hd_text settings; /* single keys that the caller changed, for the report */
	hd_diag diag;
	hd_memory *memory;
	hd_object *object;
	hd_program *program;
	char *path;      /* of the program, for messages */
	bool unproven;   /* the program runs on any machine */
	bool compatible; /* with the machine as it is now: it was compiled for it, or looked at */
	hd_trace *trace;
	bool hazards; /* the sanitizer watches the runs that follow */
	hd_stage_call *stage;
	void *stage_context;
	uint64_t copied_bytes, copied_cycles; /* to the device since the last run (PD-38) */
	/* the last run */
	bool ran;
	const hd_kernel *kernel;
	hd_task *tasks; /* n_tasks */
	hd_task_result *results;
	unsigned n_tasks;
	hd_launch launch; /* the first launch of the list */
	bool functional;
	hd_stats stats;
	hd_energy_series energy;
	size_t energy_steps;
	hd_trap_kind ended;
	hd_text trap_text;
	hd_text printed;
	double seconds;
	hd_sanitizer *sanitizer; /* NULL: the sanitizer did not watch the run */
};

heddle *heddle_new(void)
{
	heddle *h = hd_xcalloc(1, sizeof *h);
	hd_machine_default(&h->machine);
	h->memory = hd_memory_new((uint64_t)MEMORY_LIMIT_GIB << 30);
	return h;
}

static void forget_run(heddle *h)
{
	for (unsigned i = 0; i < h->n_tasks; i++)
		free((void *)(uintptr_t)h->tasks[i].launch.params);
	free(h->tasks);
	free(h->results);
	h->tasks = NULL;
	h->results = NULL;
	h->n_tasks = 0;
	hd_text_free(&h->trap_text);
	hd_text_free(&h->printed);
	hd_sanitizer_free(h->sanitizer);
	h->sanitizer = NULL;
	h->ran = false;
	h->kernel = NULL;
}

static void forget_program(heddle *h)
{
	forget_run(h);
	if (h->program) {
		if (h->program->data_base)
			hd_memory_release(h->memory, h->program->data_base);
		hd_program_free(h->program);
	}
	if (h->object)
		hd_object_free(h->object);
	free(h->path);
	h->program = NULL;
	h->object = NULL;
	h->path = NULL;
	h->compatible = false;
}

void heddle_free(heddle *h)
{
	if (!h)
		return;
	forget_program(h);
	hd_memory_free(h->memory);
	hd_text_free(&h->settings);
	hd_diag_free(&h->diag);
	hd_energy_series_free(&h->energy);
	free(h);
}

const char *heddle_version(void) { return HEDDLE_VERSION; }
const char *heddle_messages(const heddle *h) { return h->diag.text.at ? h->diag.text.at : ""; }
void heddle_clear(heddle *h) { hd_diag_free(&h->diag); }
const char *const *heddle_presets(void) { return hd_machine_presets; }
const hd_machine *hd_api_machine(const heddle *h) { return &h->machine; }
hd_diag *hd_api_diag(heddle *h) { return &h->diag; }
const hd_stats *hd_api_stats(const heddle *h) { return &h->stats; }
const hd_energy_series *hd_api_energy(const heddle *h) { return &h->energy; }
void hd_api_energy_steps(heddle *h, size_t most) { h->energy_steps = most; }
const char *hd_api_result(const heddle *h) { return hd_report_result(h->ended); }
const hd_program *hd_api_program(const heddle *h) { return h->program; }
void hd_api_watch(heddle *h, hd_trace *trace) { h->trace = trace; }
void hd_api_on_stage(heddle *h, hd_stage_call *stage, void *context)
{
	h->stage = stage;
	h->stage_context = context;
}
void heddle_hazards(heddle *h, bool on) { h->hazards = on; }
uint64_t heddle_violations(const heddle *h) { return h->sanitizer ? hd_sanitizer_found(h->sanitizer)->total : 0; }

bool heddle_config(heddle *h, const char *name_or_path)
{
	hd_machine machine;
	if (!hd_machine_load(&machine, name_or_path, &h->diag))
		return false;
	h->machine = machine;
	h->compatible = false;
	hd_text_free(&h->settings);
	return true;
}

bool heddle_set(heddle *h, const char *assignment)
{
	if (!hd_machine_set(&h->machine, assignment, &h->diag))
		return false;
	h->compatible = false;
	hd_text_printf(&h->settings, "%s%s", h->settings.n ? " " : "", assignment);
	return true;
}

/* fence.refuse_unproven: false when the checker cannot prove the program (HZ-27). */
static bool proven(heddle *h, const char *path)
{
	hd_check_report report;
	bool ok = hd_check(h->object, &h->machine, &report);
	for (size_t i = 0; i < report.findings.n && i < HD_DIAG_MAX; i++) {
		hd_finding_print(&h->diag.text, &report.findings.at[i], h->object, path);
		h->diag.errors++;
	}
	if (report.gave_up) {
		hd_gave_up_print(&h->diag.text, &report, path);
		h->diag.errors++;
	}
	hd_check_report_free(&report);
	return ok;
}

bool heddle_build(heddle *h, const char *path, const heddle_build_options *options)
{
	hd_build_options build = {.machine = &h->machine,
	                          .serial = options && options->serial,
	                          .arguments = options ? options->arguments : NULL,
	                          .stage = h->stage,
	                          .stage_context = h->stage_context};
	forget_program(h);
	if (!hd_machine_validate(&h->machine, h->machine.name, &h->diag))
		return false;
	h->object = hd_build(path, &build, &h->diag);
	if (!h->object)
		return false;
	if (h->machine.fence_refuse_unproven && !proven(h, path)) {
		forget_program(h);
		return false;
	}
	h->program = hd_program_new(h->object, h->memory, &h->diag);
	if (!h->program) {
		forget_program(h);
		return false;
	}
	h->path = hd_xstrdup(path);
	h->compatible = hd_build_compiles(path);
	h->unproven = options && options->unproven;
	return true;
}

bool hd_api_compatible(heddle *h)
{
	if (h->program && !h->unproven && !h->compatible)
		h->compatible = hd_compatible(h->object, &h->machine, h->path, "--unproven", &h->diag);
	return !h->program || h->unproven || h->compatible;
}

static bool has_program(heddle *h)
{
	if (!h->program)
		hd_error(&h->diag, (hd_pos){0}, "no program was built");
	return h->program != NULL;
}

bool heddle_save(heddle *h, const char *path)
{
	if (!has_program(h))
		return false;
	return hd_object_save(h->object, path, &h->diag);
}

unsigned heddle_kernel_count(const heddle *h) { return h->object ? (unsigned)h->object->kernels.n : 0; }

static void describe_kernel(const hd_kernel *from, heddle_kernel *to)
{
	*to = (heddle_kernel){.name = from->name,
	                      .source_name = hd_kernel_name(from),
	                      .registers = from->registers,
	                      .shared_bytes = from->shared_bytes,
	                      .local_bytes = from->local_bytes,
	                      .n_params = (uint32_t)from->params.n};
}

bool heddle_kernel_at(const heddle *h, unsigned index, heddle_kernel *kernel)
{
	if (index >= heddle_kernel_count(h))
		return false;
	describe_kernel(&h->object->kernels.at[index], kernel);
	return true;
}

/* "scale" of "render::scale<float>": without namespaces and arguments of a template. */
static const char *short_name(const char *source, size_t *length)
{
	*length = strcspn(source, "<");
	for (const char *at = source; at + 1 < source + *length; at++) {
		if (at[0] == ':' && at[1] == ':') {
			*length -= (size_t)(at + 2 - source);
			source = at + 2;
		}
	}
	return source;
}

/* Kernels of the name in the source: all of it, or its short form. The last one in *found. */
static unsigned count_source_names(const hd_object *object, const char *name, bool all_of_it, const hd_kernel **found)
{
	unsigned n = 0;
	for (size_t i = 0; i < object->kernels.n; i++) {
		const char *source = object->kernels.at[i].source_name;
		size_t length = source ? strlen(source) : 0;
		if (source && !all_of_it)
			source = short_name(source, &length);
		if (!source || strlen(name) != length || memcmp(source, name, length) != 0)
			continue;
		*found = &object->kernels.at[i];
		n++;
	}
	return n;
}

/* The kernel of a symbol, or of a name in the source; with NULL the first one. *n is the number of kernels that have the name. */
static const hd_kernel *kernel_of(const hd_object *object, const char *name, unsigned *n)
{
	const hd_kernel *kernel = hd_object_kernel(object, name);
	*n = kernel != NULL;
	if (!kernel && name && !(*n = count_source_names(object, name, true, &kernel)))
		*n = count_source_names(object, name, false, &kernel);
	return *n == 1 ? kernel : NULL;
}

/* ": NAME (SYMBOL), ..." of the kernels. */
static void put_kernels(const hd_object *object, hd_text *out)
{
	for (size_t i = 0; i < object->kernels.n && i < 20; i++) {
		const hd_kernel *k = &object->kernels.at[i];
		hd_text_printf(out, "%s%s", i ? ", " : "", hd_kernel_name(k));
		if (k->source_name)
			hd_text_printf(out, " (%s)", k->name);
	}
}

static const hd_kernel *find_kernel(heddle *h, const char *name)
{
	if (!has_program(h))
		return NULL;
	unsigned n;
	const hd_kernel *kernel = kernel_of(h->object, name, &n);
	if (!h->object->kernels.n) {
		hd_error(&h->diag, (hd_pos){0}, "the program has no kernel");
	} else if (n > 1) {
		hd_text names = {0};
		put_kernels(h->object, &names);
		hd_error(&h->diag, (hd_pos){0}, "the program has %u kernels '%s', expected the symbol of one of %s", n, name, names.at);
		hd_text_free(&names);
	} else if (!kernel) {
		hd_suggestion suggestion = {.word = name};
		hd_text names = {0};
		put_kernels(h->object, &names);
		for (size_t i = 0; i < h->object->kernels.n; i++)
			hd_suggest(&suggestion, hd_kernel_name(&h->object->kernels.at[i]));
		char *hint = hd_suggestion_text(&suggestion);
		hd_error(&h->diag, (hd_pos){0}, "the program has no kernel '%s'%s expected one of %s", name, *hint ? hint : ",", names.at);
		free(hint);
		hd_text_free(&names);
	}
	return kernel;
}

bool hd_api_find_kernel(heddle *h, const char **name)
{
	const hd_kernel *kernel = find_kernel(h, *name);
	if (kernel && *name)
		*name = kernel->name;
	return kernel != NULL;
}

bool heddle_kernel_find(heddle *h, const char *name, heddle_kernel *kernel)
{
	const hd_kernel *found = find_kernel(h, name);
	if (found)
		describe_kernel(found, kernel);
	return found != NULL;
}

bool heddle_param_at(const heddle *h, const char *kernel, unsigned index, heddle_param *param)
{
	unsigned n;
	const hd_kernel *found = h->object ? kernel_of(h->object, kernel, &n) : NULL;
	if (!found || index >= found->params.n)
		return false;
	const hd_param *from = &found->params.at[index];
	*param = (heddle_param){.name = from->name,
	                        .size = from->size,
	                        .pointer = from->pointer,
	                        .local = from->pointer && from->space == HD_SPACE_SHARED,
	                        .type = from->source_type,
	                        .element = from->element ? hd_element_names[from->element] : NULL};
	return true;
}

/* A copy by the host over the host interface (PD-38). The host has its own bytes at hand. */
static void count_copy(heddle *h, uint64_t address, uint64_t size, uint64_t *bytes, uint64_t *cycles)
{
	if (address >= HD_SYSTEM_BASE || h->machine.host_system_memory)
		return;
	*bytes += size;
	*cycles += hd_machine_copy_cycles(&h->machine, size);
}

static uint64_t placed(heddle *h, uint64_t address, const char *name, uint64_t bytes)
{
	if (!address)
		hd_error(&h->diag, (hd_pos){0}, "no room for %llu bytes of device memory%s%s: the limit is %d GiB in all", (unsigned long long)bytes,
		         name ? " for " : "", name ? name : "", MEMORY_LIMIT_GIB);
	return address;
}

uint64_t heddle_alloc(heddle *h, const char *name, uint64_t bytes) { return placed(h, hd_memory_alloc(h->memory, bytes, name), name, bytes); }

uint64_t heddle_alloc_system(heddle *h, const char *name, uint64_t bytes)
{
	return placed(h, hd_memory_alloc_system(h->memory, bytes, name), name, bytes);
}

uint64_t heddle_buffer(heddle *h, const char *name, const void *bytes, uint64_t size)
{
	uint64_t address = heddle_alloc(h, name, size);
	if (address)
		heddle_write(h, address, bytes, size);
	return address;
}

bool heddle_release(heddle *h, uint64_t address)
{
	bool ok = hd_memory_release(h->memory, address);
	if (!ok)
		hd_error(&h->diag, (hd_pos){0}, "nothing was allocated at 0x%llx", (unsigned long long)address);
	return ok;
}

static void *host_bytes(heddle *h, uint64_t address, uint64_t size)
{
	void *at = hd_memory_at(h->memory, address, size);
	if (!at)
		hd_error(&h->diag, (hd_pos){0}, "0x%llx: %llu bytes from there are not inside one allocation", (unsigned long long)address,
		         (unsigned long long)size);
	return at;
}

bool heddle_write(heddle *h, uint64_t address, const void *bytes, uint64_t size)
{
	void *at = size ? host_bytes(h, address, size) : NULL;
	if (at) {
		memcpy(at, bytes, size);
		count_copy(h, address, size, &h->copied_bytes, &h->copied_cycles);
	}
	return at || size == 0;
}

bool heddle_read(heddle *h, uint64_t address, void *bytes, uint64_t size)
{
	const void *at = size ? host_bytes(h, address, size) : NULL;
	if (at) {
		memcpy(bytes, at, size);
		count_copy(h, address, size, &h->stats.host_interface_from_device_bytes, &h->stats.host_interface_copy_cycles);
	}
	return at || size == 0;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Translates the launch. False and errors in the heddle's diag if the launch is impossible. */
static bool prepare(heddle *h, const heddle_launch *from, hd_launch *to)
{
	const hd_kernel *kernel = find_kernel(h, from->kernel);
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

static void run_timed(heddle *h, const heddle_launch *launch, hd_trap *trap)
{
	hd_run_options options = {.max_cycles = launch->max_cycles, .poll = launch->poll, .context = launch->context, .trace = h->trace};
	hd_watchers both = {0};
	if (h->hazards) {
		h->sanitizer = hd_sanitizer_new(h->program);
		hd_watchers_add(&both, hd_sanitizer_watcher(h->sanitizer));
		if (h->trace)
			hd_watchers_add(&both, h->trace);
		options.trace = h->trace ? &both.trace : both.at[0];
	}
	options.sample_interval = h->energy.interval;
	options.sample = hd_energy_series_sample;
	options.sample_context = &h->energy;
	hd_device_run_list(&h->machine, h->tasks, h->n_tasks, h->memory, &options, h->results, &h->stats, trap);
	hd_energy_series_sample(&h->energy, h->stats.run_cycles, &h->stats);
	if (!heddle_violations(h))
		return;
	hd_violations_print(&h->diag.text, hd_sanitizer_found(h->sanitizer), HD_DIAG_MAX, h->program);
	h->diag.errors++;
}

heddle_status heddle_run_grids(heddle *h, const heddle_grid *grids, unsigned n, heddle_grid_result *results)
{
	const heddle_launch *launch = &grids[0].launch;
	forget_run(h);
	if (n == 0)
		hd_error(&h->diag, (hd_pos){0}, "a list of no grids, expected at least one");
	if (n == 0 || !prepare_all(h, grids, n) || (!launch->functional && !hd_api_compatible(h)))
		return HEDDLE_BAD_INPUT;
	h->functional = launch->functional;
	hd_trap trap = {0};
	h->stats = (hd_stats){0};
	hd_memory_set_page(h->memory, hd_machine_page(&h->machine));
	hd_energy_series_begin(&h->energy, &h->machine, h->energy_steps);
	double begin = now();
	if (launch->functional) {
		hd_interp_run_list(h->tasks, n, h->memory, h->machine.divergence_call_depth, h->machine.grids_depth, launch->max_cycles, launch->poll,
		                   launch->context, h->results, &h->stats, &trap);
	} else {
		run_timed(h, launch, &trap);
	}
	h->seconds = now() - begin;
	h->ran = true;
	h->stats.host_interface_to_device_bytes = h->copied_bytes;
	h->stats.host_interface_copy_cycles = h->copied_cycles;
	h->copied_bytes = h->copied_cycles = 0;
	h->ended = trap.kind;
	copy_results(h, results);
	if (trap.kind != HD_TRAP_NONE) {
		hd_trap_print(&h->trap_text, &trap, &h->launch, h->memory);
		hd_text_put(&h->diag.text, h->trap_text.at, h->trap_text.n);
		h->diag.errors++;
	}
	hd_trap_free(&trap);
	hd_print_close(&h->launch, h->memory, &h->printed);
	/* A CTA that no core can hold makes the launch impossible. The program is not at fault. */
	if (h->ended == HD_TRAP_RESOURCES)
		return HEDDLE_BAD_INPUT;
	return h->ended == HD_TRAP_NONE ? HEDDLE_DONE : h->ended == HD_TRAP_INTERRUPTED ? HEDDLE_INTERRUPTED : HEDDLE_FAULT;
}

heddle_status heddle_run(heddle *h, const heddle_launch *launch)
{
	heddle_grid grid = {.launch = *launch};
	return heddle_run_grids(h, &grid, 1, NULL);
}

bool heddle_stat(const heddle *h, const char *name, uint64_t *value)
{
#define STAT(group, key, doc)                     \
	if (strcmp(name, #group "." #key) == 0) { \
		*value = h->stats.group##_##key;  \
		return true;                      \
	}
#include "launch/stats.def"
#undef STAT
	static const char energy_of[] = "energy_fj.", error_of[] = "energy_uncertainty_fj.";
	bool is_error = strncmp(name, error_of, sizeof error_of - 1) == 0;
	if (!is_error && strncmp(name, energy_of, sizeof energy_of - 1) != 0)
		return false;
	const char *unit = name + (is_error ? sizeof error_of : sizeof energy_of) - 1;
	hd_energy energy = hd_energy_of(&h->machine, &h->stats);
	hd_energy_error error = hd_energy_error_of(&h->machine, &h->stats);
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++) {
		if (strcmp(unit, hd_energy_names[i]) != 0)
			continue;
		*value = is_error ? hd_energy_error_sum(&error, hd_energy_set_of((hd_energy_unit)i)) : energy.fj[i];
		return true;
	}
	if (strcmp(unit, "total") != 0)
		return false;
	*value = is_error ? hd_energy_error_sum(&error, hd_energy_set_of_all()) : hd_energy_total(&energy);
	return true;
}

const char *heddle_printed(const heddle *h, size_t *n)
{
	if (n)
		*n = h->printed.n;
	return h->printed.at ? h->printed.at : "";
}

double heddle_seconds(const heddle *h) { return h->seconds; }

bool hd_api_report(heddle *h, hd_report *report)
{
	if (!h->ran) {
		hd_error(&h->diag, (hd_pos){0}, "there was no run to report");
		return false;
	}
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	*report = (hd_report){
	    .machine = &h->machine,
	    .settings = h->settings.at ? h->settings.at : "",
	    .kernel = h->kernel,
	    .functional = h->functional,
	    .result = hd_report_result(h->ended),
	    .message = h->trap_text.at ? h->trap_text.at : "",
	    .stats = &h->stats,
	    .energy = &h->energy,
	    .hazards = h->sanitizer ? hd_sanitizer_found(h->sanitizer) : NULL,
	    .program = h->program,
	    .seconds = h->seconds,
	    .peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024,
	    .shared_bytes = hd_launch_shared(&h->launch),
	};
	hd_occupancy_of(&h->machine, &h->launch, &report->occupancy);
	report->grids = h->tasks;
	report->results = h->results;
	report->n_grids = h->n_tasks;
	memcpy(report->grid, h->launch.grid, sizeof report->grid);
	memcpy(report->block, h->launch.block, sizeof report->block);
	return true;
}

char *heddle_report(heddle *h, heddle_format format)
{
	hd_report report;
	hd_text text = {0};
	if (!hd_api_report(h, &report))
		return NULL;
	if (format == HEDDLE_JSON)
		hd_report_json(&report, &text);
	else
		hd_report_text(&report, &text);
	return text.at;
}
