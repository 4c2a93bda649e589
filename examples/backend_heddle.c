#include "backend_heddle.h"

#include <time.h>

#include "base/source_name.h"
#include "device/device.h"
#include "front/front.h"
#include "front/source_names.h"
#include "interp/interp.h"
#include "passes/passes.h"
#include "ptx/ptx.h"

enum { PTX_LIMIT = 64 << 20, LOCAL_ALIGN = 128 /* of the largest OpenCL vector */ };
/* No example reaches these limits. They end a launch that would run for ever. */
#define CYCLES_LIMIT UINT64_C(2000000000)
#define MEMORY_LIMIT (UINT64_C(1) << 30)

typedef struct state {
	const hd_machine *machine;
	const hd_object *object;
	hd_memory *memory;
	hd_program *program;
	bool functional;
	uint64_t buffers[EX_BUFFERS_MAX];
	uint32_t launches;
	hd_run_options options;
	hd_stats stats;
	hd_trace *trace;
	hd_trap_kind ended;
	hd_order *order;
	double seconds;
} state;

char *ex_heddle_ptx(const char *source, size_t *size, hd_diag *diag)
{
	size_t n = strlen(source);
	bool is_ptx = n > 4 && strcmp(source + n - 4, ".ptx") == 0;
	return is_ptx ? hd_read_file(source, PTX_LIMIT, size, diag) : hd_front_compile(source, NULL, size, diag);
}

hd_object *ex_heddle_compile_ptx(const char *ptx, size_t size, const char *source, const hd_machine *machine, bool serial, hd_diag *diag)
{
	hd_ir_module *module = hd_ptx_read(ptx, size, source, diag);
	if (!module)
		return NULL;
	hd_front_name_sources(module, NULL);
	hd_object *object = hd_compile_module(module, &(hd_compile_options){.machine = machine, .serial = serial}, diag);
	hd_ir_module_free(module);
	return object;
}

hd_object *ex_heddle_compile(const char *source, const hd_machine *machine, bool serial, hd_diag *diag)
{
	size_t size;
	char *ptx = ex_heddle_ptx(source, &size, diag);
	hd_object *object = ptx ? ex_heddle_compile_ptx(ptx, size, source, machine, serial, diag) : NULL;
	free(ptx);
	return object;
}

/* A copy between the host and the device (PD-38). */
static void count_copy(state *s, uint64_t bytes, uint64_t *copied)
{
	if (s->machine->host_system_memory)
		return;
	*copied += bytes;
	s->stats.host_interface_copy_cycles += hd_machine_copy_cycles(s->machine, bytes);
}

static bool create(void *self, unsigned buffer, const char *name, size_t bytes, const void *initial, hd_diag *diag)
{
	state *s = self;
	s->buffers[buffer] = hd_memory_alloc(s->memory, bytes, name);
	void *at = s->buffers[buffer] ? hd_memory_at(s->memory, s->buffers[buffer], bytes) : NULL;
	if (at && initial) {
		memcpy(at, initial, bytes);
		count_copy(s, bytes, &s->stats.host_interface_to_device_bytes);
	}
	return at != NULL;
}

static bool read_buffer(void *self, unsigned buffer, void *into, size_t bytes, hd_diag *diag)
{
	state *s = self;
	const void *at = hd_memory_at(s->memory, s->buffers[buffer], bytes);
	if (at) {
		memcpy(into, at, bytes);
		count_copy(s, bytes, &s->stats.host_interface_from_device_bytes);
	}
	return at != NULL;
}

static bool write_buffer(void *self, unsigned buffer, const void *from, size_t bytes, hd_diag *diag)
{
	state *s = self;
	void *at = hd_memory_at(s->memory, s->buffers[buffer], bytes);
	if (at) {
		memcpy(at, from, bytes);
		count_copy(s, bytes, &s->stats.host_interface_to_device_bytes);
	}
	return at != NULL;
}

/* Fills the parameter bytes of a launch. The local memory of arguments follows the kernel's own. */
static bool fill_params(const state *s, hd_launch *launch, uint8_t *params, const ex_arg *args, unsigned n, hd_diag *diag)
{
	const hd_kernel *kernel = launch->kernel;
	uint64_t first = (kernel->shared_bytes + 15) & ~15u, end = first;
	hd_pos pos = {.file = kernel->name};
	if (n != kernel->params.n) {
		hd_error(diag, pos, "%u arguments given, the kernel has %zu parameters", n, kernel->params.n);
		return false;
	}
	for (unsigned i = 0; i < n; i++) {
		const hd_param *param = &kernel->params.at[i];
		uint64_t address = args[i].kind == EX_BUFFER ? s->buffers[args[i].buffer] : 0;
		const void *bytes = args[i].kind == EX_VALUE ? (const void *)args[i].value : &address;
		size_t size = args[i].kind == EX_VALUE ? args[i].size : sizeof address;
		if (args[i].kind == EX_LOCAL) {
			address = (end + LOCAL_ALIGN - 1) & ~(uint64_t)(LOCAL_ALIGN - 1);
			end = address + args[i].size;
		}
		if (size != param->size) {
			hd_error(diag, pos, "argument %u has %zu bytes, parameter %s takes %u", i + 1, size, param->name, param->size);
			return false;
		}
		memcpy(params + param->offset, bytes, size);
	}
	launch->dynamic_shared = (uint32_t)(end - first);
	return true;
}

static bool interpret(const state *s, const hd_launch *launch, hd_stats *stats, hd_trap *trap)
{
	hd_interp *interp = hd_interp_new(s->program);
	hd_interp_options options = {
	    .call_depth = s->machine->divergence_call_depth, .grid_depth = s->machine->grids_depth, .max_instructions = CYCLES_LIMIT};
	options.order = s->order;
	bool ok = hd_interp_run_again(interp, &(hd_task){.launch = *launch}, 1, s->memory, &options, stats, trap);
	hd_interp_free(interp);
	return ok;
}

static bool execute(state *s, const hd_launch *launch, hd_diag *diag)
{
	hd_stats stats = {0};
	hd_trap trap = {0};
	struct timespec begin, end;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	s->options.trace = s->trace;
	bool ok = s->functional ? interpret(s, launch, &stats, &trap) : hd_device_run(s->machine, launch, s->memory, &s->options, &stats, &trap);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	s->seconds += (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
	hd_stats_add(&s->stats, &stats);
	s->ended = ok ? HD_TRAP_NONE : trap.kind;
	if (!ok) {
		hd_text text = {0};
		hd_trap_print(&text, &trap, launch, s->memory);
		hd_error(diag, (hd_pos){.file = launch->kernel->name}, "%s", text.at ? text.at : "ended without a reason");
		hd_text_free(&text);
	}
	hd_trap_free(&trap);
	return ok;
}

/* By its symbol, or by its name in CUDA C++: "matmul_tiled" is matmul_tiled<16u>, too. */
static const hd_kernel *find_kernel(const hd_object *object, const char *name)
{
	const hd_kernel *kernel = hd_object_kernel(object, name);
	for (size_t i = 0; !kernel && i < object->kernels.n; i++) {
		char *signature = hd_kernel_signature(&object->kernels.at[i]);
		if (hd_source_name_match(name, signature) != HD_NAME_OTHER)
			kernel = &object->kernels.at[i];
		free(signature);
	}
	return kernel;
}

static bool launch_kernel(void *self, const char *name, const ex_shape *shape, const ex_arg *args, unsigned n, hd_diag *diag)
{
	state *s = self;
	const hd_kernel *kernel = find_kernel(s->object, name);
	if (!kernel) {
		hd_error(diag, (hd_pos){.file = name}, "no such kernel in the object");
		return false;
	}
	hd_launch launch = {
	    .program = s->program, .kernel = kernel, .work_dim = shape->dims, .lanes = s->machine->machine_lanes, .grid_id = s->launches++};
	memcpy(launch.grid, shape->groups, sizeof launch.grid);
	memcpy(launch.block, shape->local, sizeof launch.block);
	uint8_t *params = hd_xcalloc(kernel->param_bytes, 1);
	launch.params = params;
	bool ok = fill_params(s, &launch, params, args, n, diag) && execute(s, &launch, diag);
	free(params);
	return ok;
}

ex_backend *ex_heddle_new(const hd_object *object, const hd_machine *machine, bool functional, hd_diag *diag)
{
	state *s = hd_xcalloc(1, sizeof *s);
	ex_backend *backend = hd_xmalloc(sizeof *backend);
	*s = (state){.machine = machine, .object = object, .functional = functional, .memory = hd_memory_new(MEMORY_LIMIT)};
	s->options.max_cycles = CYCLES_LIMIT;
	s->options.storage = hd_region_new(0);
	*backend = (ex_backend){.state = s, .create = create, .read = read_buffer, .write = write_buffer, .launch = launch_kernel};
	s->program = hd_program_new(object, s->memory, diag);
	if (s->program)
		return backend;
	ex_heddle_free(backend);
	return NULL;
}

void ex_heddle_free(ex_backend *backend)
{
	state *s = backend ? backend->state : NULL;
	if (!s)
		return;
	if (s->program)
		hd_program_free(s->program);
	hd_memory_free(s->memory);
	hd_region_free(s->options.storage);
	free(s);
	free(backend);
}

hd_run_options *ex_heddle_options(ex_backend *backend) { return &((state *)backend->state)->options; }
const hd_stats *ex_heddle_stats(const ex_backend *backend) { return &((const state *)backend->state)->stats; }
hd_trap_kind ex_heddle_ended(const ex_backend *backend) { return ((const state *)backend->state)->ended; }
double ex_heddle_seconds(const ex_backend *backend) { return ((const state *)backend->state)->seconds; }
const hd_program *ex_heddle_program(const ex_backend *backend) { return ((const state *)backend->state)->program; }
void ex_heddle_watch(ex_backend *backend, hd_trace *trace) { ((state *)backend->state)->trace = trace; }
void ex_heddle_order(ex_backend *backend, hd_order *order) { ((state *)backend->state)->order = order; }
const hd_memory *ex_heddle_memory(const ex_backend *backend) { return ((const state *)backend->state)->memory; }
