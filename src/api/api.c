/* The public interface (heddle/heddle.h), built from the other rooms: a heddle, its machine, its program and its memory. */
#include "api/build.h"
#include "api/compatible.h"
#include "api/state.h"
#include "sass/container.h"

void heddle_text_free(char *text) { free(text); }

heddle *heddle_new(void)
{
	heddle *h = hd_xcalloc(1, sizeof *h);
	hd_machine_default(&h->machine);
	h->memory = hd_memory_new((uint64_t)HD_API_MEMORY_GIB << 30);
	return h;
}

void hd_api_forget_run(heddle *h)
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
	hd_races_free(h->race_detector);
	h->race_detector = NULL;
	hd_profile_free(h->profile);
	hd_heat_free(&h->heat);
	h->heat = (hd_heat){0};
	h->sanitizer = NULL;
	h->profile = NULL;
	h->ran = false;
	h->kernel = NULL;
}

static void forget_program(heddle *h)
{
	hd_api_forget_run(h);
	if (h->program) {
		if (h->program->data_base)
			hd_memory_release(h->memory, h->program->data_base);
		hd_program_free(h->program);
	}
	if (h->machine_code)
		hd_machine_code_free(h->machine_code, h->memory);
	else
		hd_object_free(h->object);
	hd_check_report_free(&h->proof);
	hd_text_free(&h->text);
	free(h->path);
	free(h->source);
	h->program = NULL;
	h->machine_code = NULL;
	h->object = NULL;
	h->path = NULL;
	h->source = NULL;
	h->compatible = false;
}

void heddle_free(heddle *h)
{
	if (!h)
		return;
	forget_program(h);
	hd_memory_free(h->memory);
	hd_region_free(h->storage);
	hd_bounds_free(h->bounds);
	heddle_untrace(h);
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
void heddle_profile(heddle *h, bool on) { h->profiling = on; }
void heddle_hazards(heddle *h, bool on) { h->hazards = on; }
void heddle_races(heddle *h, bool on, uint64_t bytes)
{
	h->races = on;
	h->race_options.bytes = bytes;
}
uint64_t heddle_race_count(const heddle *h)
{
	const hd_races_found *found = h->race_detector ? hd_races_found_of(h->race_detector) : NULL;
	return found ? found->total + found->barriers : 0;
}
uint64_t heddle_violations(const heddle *h) { return h->sanitizer ? hd_sanitizer_found(h->sanitizer)->total : 0; }

bool heddle_config(heddle *h, const char *name_or_path)
{
	hd_machine machine;
	if (!hd_machine_load(&machine, name_or_path, &h->diag))
		return false;
	h->machine = machine;
	h->compatible = h->has_ceilings = false;
	hd_text_free(&h->settings);
	return true;
}

bool heddle_set(heddle *h, const char *assignment)
{
	if (!hd_machine_set(&h->machine, assignment, &h->diag))
		return false;
	h->compatible = h->has_ceilings = false;
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

static char *copy(const char *text, size_t size)
{
	char *own = hd_xcalloc(size + 1, 1);
	memcpy(own, text, size);
	return own;
}

/* Machine code is loaded as it is: the program has kernels and no code of ours. */
static bool load_machine_code(heddle *h, const char *path, const hd_build_options *from)
{
	forget_program(h);
	h->machine_code = hd_machine_code_new(path, from->text, from->text_size, h->wanted, h->memory, &h->diag);
	if (!h->machine_code)
		return false;
	h->object = hd_machine_code_object(h->machine_code);
	h->program = hd_xcalloc(1, sizeof *h->program);
	h->program->object = h->object;
	h->program->crosses = true;
	h->path = hd_xstrdup(path);
	return true;
}

static bool build(heddle *h, const char *path, const hd_build_options *from, const heddle_build_options *options)
{
	hd_build_options build = *from;
	hd_machine machine = h->machine;
	if (from->text ? hd_sass_binary_is((const uint8_t *)from->text, from->text_size) : hd_is_machine_code(path))
		return load_machine_code(h, path, from);
	machine.compile_races |= h->races;
	build.machine = &machine;
	build.serial = options && options->serial;
	build.arguments = options ? options->arguments : NULL;
	build.stage = h->stage;
	build.stage_context = h->stage_context;
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
	h->source = from->text && !memchr(from->text, 0, from->text_size) ? copy(from->text, from->text_size) : NULL;
	h->compatible = hd_build_compiles(path);
	h->unproven = options && options->unproven;
	return true;
}

bool heddle_build(heddle *h, const char *path, const heddle_build_options *options) { return build(h, path, &(hd_build_options){0}, options); }

bool heddle_build_text(heddle *h, const char *name, const char *text, size_t size, const heddle_build_options *options)
{
	return build(h, name, &(hd_build_options){.text = text ? text : "", .text_size = text ? size : 0}, options);
}

bool hd_api_compatible(heddle *h)
{
	if (h->program && !h->unproven && !h->compatible)
		h->compatible = hd_compatible(h->object, &h->machine, h->path, "--unproven", &h->diag);
	return !h->program || h->unproven || h->compatible;
}

bool hd_api_has_program(heddle *h)
{
	if (!h->program)
		hd_error(&h->diag, (hd_pos){0}, "no program was built");
	return h->program != NULL;
}

bool hd_api_has_own_code(heddle *h)
{
	if (hd_api_has_program(h) && h->machine_code)
		hd_error(&h->diag, (hd_pos){.file = h->path}, "is machine code of a real GPU, which can be run and disassembled alone");
	return h->program && !h->machine_code;
}

void hd_api_want_kernel(heddle *h, const char *kernel) { h->wanted = kernel; }

bool heddle_save(heddle *h, const char *path)
{
	if (!hd_api_has_own_code(h))
		return false;
	return hd_object_save(h->object, path, &h->diag);
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
		         name ? " for " : "", name ? name : "", HD_API_MEMORY_GIB);
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

void *heddle_map(heddle *h, uint64_t address, uint64_t size)
{
	void *at = host_bytes(h, address, size);
	if (at && !size)
		hd_error(&h->diag, (hd_pos){0}, "0x%llx: no bytes, expected at least one", (unsigned long long)address);
	return size ? at : NULL;
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
