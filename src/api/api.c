/* The public interface (heddle/heddle.h) on top of the rooms. */
#include "heddle/heddle.h"

#include "api/api.h"
#include "api/arguments.h"
#include "api/build.h"
#include "check/check.h"
#include "device/device.h"
#include "interp/interp.h"
#include "launch/print.h"
#include "report/report.h"

#include <sys/resource.h>
#include <time.h>

enum { MEMORY_LIMIT_GIB = 4, PRINT_BYTES = 1 << 20 };

struct heddle {
	hd_machine machine;
	hd_text settings; /* single keys that were changed, for the report */
	hd_diag diag;
	hd_memory *memory;
	hd_object *object;
	hd_program *program;
	hd_trace *trace;
	/* the last run */
	bool ran;
	const hd_kernel *kernel;
	hd_launch launch;
	uint8_t *params; /* launch.params */
	bool functional;
	hd_stats stats;
	hd_energy_series energy;
	size_t energy_steps;
	hd_trap_kind ended;
	hd_text trap_text;
	hd_text printed;
	double seconds;
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
	free(h->params);
	h->params = NULL;
	hd_text_free(&h->trap_text);
	hd_text_free(&h->printed);
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
	h->program = NULL;
	h->object = NULL;
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

bool heddle_config(heddle *h, const char *name_or_path)
{
	hd_machine machine;
	if (!hd_machine_load(&machine, name_or_path, &h->diag))
		return false;
	h->machine = machine;
	hd_text_free(&h->settings);
	return true;
}

bool heddle_set(heddle *h, const char *assignment)
{
	if (!hd_machine_set(&h->machine, assignment, &h->diag))
		return false;
	hd_text_printf(&h->settings, "%s%s", h->settings.n ? " " : "", assignment);
	return true;
}

/* fence.refuse_unproven: what the checker cannot prove is not loaded (HZ-27). */
static bool proven(heddle *h, const char *path)
{
	hd_check_report report;
	bool ok = hd_check(h->object, &h->machine, &report);
	for (size_t i = 0; i < report.findings.n && i < HD_DIAG_MAX; i++) {
		hd_finding_print(&h->diag.text, &report.findings.at[i], h->object, path);
		h->diag.errors++;
	}
	hd_check_report_free(&report);
	return ok;
}

bool heddle_build(heddle *h, const char *path, const heddle_build_options *options)
{
	hd_build_options build = {.machine = &h->machine, .serial = options && options->serial, .arguments = options ? options->arguments : NULL};
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
	if (!h->program)
		forget_program(h);
	return h->program != NULL;
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
	size_t size;
	unsigned char *bytes = hd_object_write(h->object, &size);
	bool ok = hd_write_file(path, bytes, size, &h->diag);
	free(bytes);
	return ok;
}

unsigned heddle_kernel_count(const heddle *h) { return h->object ? (unsigned)h->object->kernels.n : 0; }

static void describe_kernel(const hd_kernel *from, heddle_kernel *to)
{
	*to = (heddle_kernel){.name = from->name,
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

static const hd_kernel *find_kernel(heddle *h, const char *name)
{
	if (!has_program(h))
		return NULL;
	const hd_kernel *kernel = hd_object_kernel(h->object, name);
	if (!kernel && !h->object->kernels.n) {
		hd_error(&h->diag, (hd_pos){0}, "the program has no kernel");
	} else if (!kernel) {
		hd_text names = {0};
		for (size_t i = 0; i < h->object->kernels.n && i < 20; i++)
			hd_text_printf(&names, "%s%s", i ? ", " : "", h->object->kernels.at[i].name);
		hd_error(&h->diag, (hd_pos){0}, "the program has no kernel '%s', expected one of %s", name, names.at);
		hd_text_free(&names);
	}
	return kernel;
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
	const hd_kernel *found = h->object ? hd_object_kernel(h->object, kernel) : NULL;
	if (!found || index >= found->params.n)
		return false;
	const hd_param *from = &found->params.at[index];
	*param = (heddle_param){
	    .name = from->name, .size = from->size, .pointer = from->pointer, .local = from->pointer && from->space == HD_SPACE_SHARED};
	return true;
}

uint64_t heddle_alloc(heddle *h, const char *name, uint64_t bytes)
{
	uint64_t address = hd_memory_alloc(h->memory, bytes, name);
	if (!address)
		hd_error(&h->diag, (hd_pos){0}, "no room for %llu bytes of device memory%s%s: the limit is %d GiB in all", (unsigned long long)bytes,
		         name ? " for " : "", name ? name : "", MEMORY_LIMIT_GIB);
	return address;
}

uint64_t heddle_buffer(heddle *h, const char *name, const void *bytes, uint64_t size)
{
	uint64_t address = heddle_alloc(h, name, size);
	if (address && size)
		memcpy(hd_memory_at(h->memory, address, size), bytes, size);
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
	if (at)
		memcpy(at, bytes, size);
	return at || size == 0;
}

bool heddle_read(heddle *h, uint64_t address, void *bytes, uint64_t size)
{
	const void *at = size ? host_bytes(h, address, size) : NULL;
	if (at)
		memcpy(bytes, at, size);
	return at || size == 0;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The launch as the rooms want it. False and errors in the heddle's diag if it is not possible. */
static bool prepare(heddle *h, const heddle_launch *from)
{
	const hd_kernel *kernel = find_kernel(h, from->kernel);
	if (!kernel)
		return false;
	uint32_t dynamic = 0;
	h->kernel = kernel;
	h->params = hd_xcalloc(1, kernel->param_bytes);
	if (!hd_arguments_bind(kernel, from->args, from->n_args, h->params, &dynamic, &h->diag))
		return false;
	h->launch = (hd_launch){
	    .program = h->program, .kernel = kernel, .params = h->params, .work_dim = 1, .dynamic_shared = dynamic + from->dynamic_shared};
	for (int i = 0; i < 3; i++) {
		h->launch.grid[i] = from->grid[i] ? from->grid[i] : 1;
		h->launch.block[i] = from->block[i] ? from->block[i] : 1;
		h->launch.offset[i] = from->offset[i];
		if (from->grid[i] > 1 || from->block[i] > 1)
			h->launch.work_dim = (uint32_t)i + 1;
	}
	/* The bank's own checks (block too large, ...) belong to bad input: find out before the clock starts. */
	hd_bank *bank = hd_bank_new(&h->launch, &h->diag);
	free(bank);
	return bank != NULL;
}

heddle_status heddle_run(heddle *h, const heddle_launch *launch)
{
	forget_run(h);
	h->functional = launch->functional;
	if ((!launch->functional && !hd_machine_supported(&h->machine, &h->diag)) || !prepare(h, launch))
		return HEDDLE_BAD_INPUT;
	hd_trap trap = {0};
	h->stats = (hd_stats){0};
	if (!hd_print_open(&h->launch, h->memory, PRINT_BYTES, &h->diag))
		return HEDDLE_BAD_INPUT;
	hd_energy_series_begin(&h->energy, &h->machine, h->energy_steps);
	double begin = now();
	if (launch->functional) {
		hd_interp_run(&h->launch, h->memory, h->machine.divergence_call_depth, launch->max_cycles, launch->poll, launch->context, &h->stats,
		              &trap);
	} else {
		hd_run_options options = {.max_cycles = launch->max_cycles, .poll = launch->poll, .context = launch->context, .trace = h->trace};
		options.sample_interval = h->energy.interval;
		options.sample = hd_energy_series_sample;
		options.sample_context = &h->energy;
		hd_device_run(&h->machine, &h->launch, h->memory, &options, &h->stats, &trap);
		hd_energy_series_sample(&h->energy, h->stats.run_cycles, &h->stats);
	}
	h->seconds = now() - begin;
	h->ran = true;
	h->ended = trap.kind;
	if (trap.kind != HD_TRAP_NONE) {
		hd_trap_print(&h->trap_text, &trap, &h->launch, h->memory);
		hd_text_put(&h->diag.text, h->trap_text.at, h->trap_text.n);
		h->diag.errors++;
	}
	hd_trap_free(&trap);
	hd_print_close(&h->launch, h->memory, &h->printed);
	/* A CTA that no core can hold is a launch that is not possible, not a fault of the program. */
	if (h->ended == HD_TRAP_RESOURCES)
		return HEDDLE_BAD_INPUT;
	return h->ended == HD_TRAP_NONE ? HEDDLE_DONE : h->ended == HD_TRAP_INTERRUPTED ? HEDDLE_INTERRUPTED : HEDDLE_FAULT;
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
	hd_energy energy = hd_energy_of(&h->machine, &h->stats);
	for (unsigned i = 0; strncmp(name, "energy_fj.", 10) == 0 && i < HD_ENERGY_UNITS; i++) {
		if (strcmp(name + 10, hd_energy_names[i]) != 0)
			continue;
		*value = energy.fj[i];
		return true;
	}
	if (strcmp(name, "energy_fj.total") != 0)
		return false;
	*value = hd_energy_total(&energy);
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
		hd_error(&h->diag, (hd_pos){0}, "nothing was run that could be reported");
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
	    .seconds = h->seconds,
	    .peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024,
	    .shared_bytes = hd_launch_shared(&h->launch),
	};
	hd_occupancy_of(&h->machine, &h->launch, &report->occupancy);
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
