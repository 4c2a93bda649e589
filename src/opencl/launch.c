/* clEnqueueNDRangeKernel, and launches on the machine or in the interpreter. */
#include "opencl/driver.h"

#include "base/plain.h"
#include "device/device.h"
#include "interp/interp.h"
#include "launch/range.h"
#include "sanitizer/races.h"
#include "api/print.h"

#include <time.h>

enum { LANES = 32 };

/* A queued launch. It is a copy, because the kernel's arguments may change before it runs. */
typedef struct hc_launch {
	cl_kernel kernel; /* used */
	void **objects;   /* used: buffers, pipes and queues of its arguments */
	size_t n_objects;
	uint8_t *params;
	hd_launch launch; /* with a range: the whole range, as if the groups at its ends were full */
	hd_range range;
	bool nonuniform; /* the groups at the range's ends are smaller */
} hc_launch;

size_t hc_group_max(const hd_kernel *kernel)
{
	const hd_machine *m = &hc_device.machine;
	size_t warps = (size_t)m->machine_schedulers * m->machine_warps;
	if (kernel && kernel->registers && m->machine_registers / LANES / kernel->registers < warps)
		warps = m->machine_registers / LANES / kernel->registers;
	size_t most = hd_min_u64(warps * LANES, hc_device.group);
	return kernel && kernel->max_threads && kernel->max_threads < most ? kernel->max_threads : most;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -- progress ------------------------------------------------------------------------------------------------------------------------------- */
typedef struct progress {
	const char *kernel;
	double begin, last;
} progress;

static bool show(void *context, uint64_t cycle, uint64_t done, uint64_t ctas)
{
	progress *p = context;
	double t = now();
	if (t - p->last >= 1) {
		p->last = t;
		fprintf(stderr, "heddle: kernel '%s': %.1f s, %.1f million %s, %llu of %llu work-groups done\n", p->kernel, t - p->begin,
		        (double)cycle / 1e6, hc_device.functional ? "warp instructions" : "cycles", (unsigned long long)done,
		        (unsigned long long)ctas);
	}
	return false;
}

/* -- messages to the program ---------------------------------------------------------------------------------------------------------------- */
typedef struct notification {
	cl_context context; /* used */
	char *message;
} notification;

static void notify(void *data)
{
	notification *n = data;
	n->context->notify(n->message, NULL, 0, n->context->notify_data);
	hc_unuse(n->context);
	free(n->message);
	free(n);
}

/* -- the run -------------------------------------------------------------------------------------------------------------------------------- */
/* PD-36: of the launches of a queue in the task lists. Child grids, which have their parent's, can have one above and below. */
static uint32_t priority_in_lists(hc_priority priority)
{
	static const uint8_t of[HC_PRIORITIES] = {[HC_PRIORITY_HIGH] = 6, [HC_PRIORITY_MEDIUM] = 3, [HC_PRIORITY_LOW] = 0};
	return of[priority];
}

/* A range whose groups have several sizes, as launches with groups of one size: in each dimension the full groups, and the last one, which is
 * smaller. All begin together. */
typedef struct parts {
	hd_task task[HD_RANGE_PARTS];
	hd_range range[HD_RANGE_PARTS];
	uint32_t n;
} parts;

static void split(const hc_launch *l, hc_priority priority, parts *to)
{
	*to = (parts){.task[0].launch = l->launch, .n = !l->nonuniform};
	for (unsigned which = 0; which < HD_RANGE_PARTS && l->nonuniform; which++) {
		to->task[to->n].launch = l->launch;
		to->n += hd_range_part(&l->range, which, &to->task[to->n].launch, &to->range[to->n]);
	}
	for (uint32_t i = 0; i < to->n; i++) {
		to->task[i].priority = priority_in_lists(priority);
		to->task[i].with_previous = i > 0;
	}
}

static void interpret(hc_launch *l, parts *p, hd_memory *memory, const hd_interp_options *options, hd_stats *stats, hd_trap *trap)
{
	cl_program program = l->kernel->program;
	if (!program->interp)
		program->interp = hd_interp_new(program->loaded);
	hd_memory_set_page(memory, hd_machine_page(&hc_device.machine));
	if (!hc_device.races) {
		hd_interp_run_again(program->interp, p->task, p->n, memory, options, NULL, stats, trap);
		return;
	}
	hd_races *races = hd_races_new(program->loaded, memory, &(hd_races_options){0});
	hd_interp_options watched = *options;
	hd_text text = {0};
	watched.order = hd_races_observer(races);
	hd_interp_run_again(program->interp, p->task, p->n, memory, &watched, NULL, stats, trap);
	hd_races_print(&text, hd_races_found_of(races), HD_DIAG_MAX, program->loaded);
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
	hd_bounds_take(hc_device.bounds, &warnings);
	if (warnings.n) {
		hd_text_make_plain(&warnings, 0);
		fputs(warnings.at, stderr);
	}
	hd_text_free(&warnings);
}

static cl_int run(hc_command *command, uint64_t *ns)
{
	hc_launch *l = command->launch;
	hd_trap trap = {0};
	hd_stats stats = {0};
	hd_text message = {0};
	progress shown = {.kernel = l->launch.kernel->name, .begin = now(), .last = now()};
	bool (*poll)(void *, uint64_t, uint64_t, uint64_t) = hc_device.progress ? show : NULL;
	pthread_mutex_lock(&hc_lock);
	l->launch.grid_id = hc_device.launches++;
	pthread_mutex_unlock(&hc_lock);
	hd_text printed = {0};
	hd_diag diag = {0};
	hd_memory *memory = hc_memory_lock_for(command->queue->context, command->queue->priority);
	bool ready = hd_print_open(&l->launch, memory, HC_PRINT_BYTES, &diag);
	hd_diag_free(&diag);
	if (!ready) {
		hc_memory_unlock(command->queue->context);
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	}
	parts p;
	split(l, command->queue->priority, &p);
	/* A program without launches asks for nothing. */
	hc_enqueuing queues = {0};
	const hd_enqueuing *enqueuing = l->launch.program->launches ? &queues.with : NULL;
	if (enqueuing)
		hc_enqueuing_begin(&queues, command->queue->context);
	hc_observation observation;
	hc_observe_begin(&observation, &l->launch);
	double begin = now();
	if (hc_device.functional) {
		const hd_machine *m = &hc_device.machine;
		hd_interp_options options = {.call_depth = m->divergence_call_depth,
		                             .grid_depth = m->grids_depth,
		                             .max_instructions = hc_device.max_cycles,
		                             .threads = hc_device.threads,
		                             .poll = poll,
		                             .context = &shown,
		                             .enqueuing = enqueuing};
		interpret(l, &p, memory, &options, &stats, &trap);
	} else {
		hd_run_options options = {.max_cycles = hc_device.max_cycles,
		                          .threads = hc_device.threads,
		                          .poll = poll,
		                          .context = &shown,
		                          .trace = observation.trace,
		                          .enqueuing = enqueuing};
		hd_device_run_list(&hc_device.machine, p.task, p.n, memory, &options, NULL, &stats, &trap);
	}
	double seconds = now() - begin;
	if (hc_device.bounds)
		print_warnings();
	if (trap.kind != HD_TRAP_NONE) {
		hd_trap_print(&message, &trap, &l->launch, memory);
		hd_text_make_plain(&message, 0);
		fputs(message.at, stderr);
	}
	hd_print_close(&l->launch, memory, &printed);
	hc_memory_unlock(command->queue->context);
	hc_enqueuing_end(&queues);
	if (printed.n) {
		/* One call writes the whole text, so that the output of different queues does not mix. */
		fwrite(printed.at, 1, printed.n, stdout);
		fflush(stdout);
	}
	hd_text_free(&printed);
	hc_observe_end(&observation, &(hc_outcome){.launch = &l->launch,
	                                           .stats = &stats,
	                                           .ended = trap.kind,
	                                           .message = message.at,
	                                           .seconds = seconds,
	                                           .source = l->kernel->program->source});
	if (message.at && command->queue->context->notify) {
		notification *n = hd_xmalloc(sizeof *n);
		*n = (notification){hc_use(command->queue->context), hd_xstrdup(message.at)};
		hc_command_call(command, notify, n);
	}
	/* The interpreter has no simulated time. The time of the host replaces it. */
	*ns = hc_device.functional ? (uint64_t)(seconds * 1e9) + 1 : stats.run_cycles * 1000 / hc_device.machine.machine_clock_mhz + 1;
	cl_int status = trap.kind == HD_TRAP_NONE ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
	hd_trap_free(&trap);
	hd_text_free(&message);
	return status;
}

static void drop(hc_command *command)
{
	hc_launch *l = command->launch;
	for (size_t i = 0; i < l->n_objects; i++)
		hc_unuse(l->objects[i]);
	free(l->objects);
	free(l->params);
	hc_unuse(l->kernel);
	free(l);
}

/* -- enqueuing ------------------------------------------------------------------------------------------------------------------------------ */
enum { LARGEST_TYPE = 128 /* long16, double16 */, LOCAL_ALIGNMENT = 16 };

/* The driver does not know what a local pointer points to. But the size of an array is a multiple of the size of its type, and with it of what the
 * type is aligned to. */
uint64_t hc_local_address(uint64_t end, uint64_t size)
{
	uint64_t alignment = hd_min_u64(size & (~size + 1), LARGEST_TYPE);
	alignment = alignment > LOCAL_ALIGNMENT ? alignment : LOCAL_ALIGNMENT;
	return (end + alignment - 1) & ~(alignment - 1);
}

/* Puts the value of an argument into *value, and uses its buffer. *end: of the local memory so far; it grows. */
static cl_int argument_value(const hc_arg *arg, hc_launch *l, uint64_t *end, uint64_t *value)
{
	*value = 0;
	if (!arg->set)
		return CL_INVALID_KERNEL_ARGS;
	if (arg->local) {
		*value = hc_local_address(*end, arg->local);
		*end = *value + arg->local;
	} else if (arg->mem) {
		if (!hc_use_if_alive(arg->mem, arg->life)) /* released since */
			return CL_INVALID_KERNEL_ARGS;
		*value = arg->mem->address;
		l->objects[l->n_objects++] = arg->mem;
	} else if (arg->queue) {
		if (!hc_use_if_alive(arg->queue, arg->life))
			return CL_INVALID_KERNEL_ARGS;
		*value = arg->queue->number;
		l->objects[l->n_objects++] = arg->queue;
	} else {
		*value = arg->shared;
	}
	return CL_SUCCESS;
}

/* Converts arguments to parameter bytes. Local arguments follow the static local memory. */
static cl_int bind(cl_kernel kernel, hc_launch *l)
{
	const hd_kernel *k = kernel->kernel;
	uint64_t base = ((uint64_t)k->shared_bytes + 15) & ~UINT64_C(15), end = base, value;
	for (size_t i = 0; i < k->params.n; i++) {
		const hd_param *param = &k->params.at[i];
		const hc_arg *arg = &kernel->args[i];
		cl_int status = argument_value(arg, l, &end, &value);
		if (status != CL_SUCCESS)
			return status;
		if (arg->bytes)
			memcpy(l->params + param->offset, arg->bytes, param->size);
		else
			for (uint32_t b = 0; b < param->size && b < 8; b++)
				l->params[param->offset + b] = (uint8_t)(value >> (8 * b));
	}
	if (end > hc_device.machine.machine_shared_memory)
		return CL_OUT_OF_RESOURCES;
	l->launch.dynamic_shared = (uint32_t)(end - base);
	return CL_SUCCESS;
}

static cl_int check_sizes(const hd_kernel *kernel, bool nonuniform, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local)
{
	uint64_t threads = 1, groups = 1;
	for (cl_uint d = 0; d < dims; d++) {
		if (local[d] == 0 || (global[d] % local[d] && !nonuniform))
			return CL_INVALID_WORK_GROUP_SIZE;
		if (local[d] > hc_group_max(NULL))
			return CL_INVALID_WORK_ITEM_SIZE;
		if (kernel->required_block[0] && kernel->required_block[d] != local[d])
			return CL_INVALID_WORK_GROUP_SIZE;
		if (offset && offset[d] > SIZE_MAX - global[d])
			return CL_INVALID_GLOBAL_OFFSET;
		uint64_t in_row = global[d] / local[d] + (global[d] % local[d] != 0);
		if (in_row > UINT32_MAX)
			return CL_INVALID_GLOBAL_WORK_SIZE;
		threads *= local[d];
		groups = groups > UINT32_MAX ? groups : groups * in_row;
	}
	for (cl_uint d = dims; d < 3 && kernel->required_block[0]; d++)
		if (kernel->required_block[d] != 1)
			return CL_INVALID_WORK_GROUP_SIZE;
	if (threads > hc_group_max(kernel))
		return CL_INVALID_WORK_GROUP_SIZE;
	return groups > UINT32_MAX ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static cl_int check_call(cl_command_queue queue, cl_kernel kernel, cl_uint dims)
{
	if (!hc_is(queue, HC_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!hc_is(kernel, HC_KERNEL))
		return CL_INVALID_KERNEL;
	if (kernel->program->context != queue->context)
		return CL_INVALID_CONTEXT;
	return dims < 1 || dims > 3 ? CL_INVALID_WORK_DIMENSION : CL_SUCCESS;
}

/* Fills in the launch's sizes. False when the range is empty. */
static bool set_sizes(hc_launch *l, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local)
{
	bool empty = false;
	l->range = (hd_range){.size = {1, 1, 1}};
	for (cl_uint d = 0; d < dims; d++) {
		empty = empty || global[d] == 0;
		l->nonuniform = l->nonuniform || global[d] % local[d];
		l->launch.grid[d] = (uint32_t)(global[d] / local[d] + (global[d] % local[d] != 0));
		l->launch.block[d] = (uint32_t)local[d];
		l->launch.offset[d] = l->range.offset[d] = offset ? offset[d] : 0;
		l->range.size[d] = global[d];
	}
	memcpy(l->range.groups, l->launch.grid, sizeof l->range.groups);
	memcpy(l->range.block, l->launch.block, sizeof l->range.block);
	return !empty;
}

static cl_int enqueue(cl_command_queue queue, cl_command_type type, cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global,
                      const size_t *wanted, cl_uint n, const cl_event *wait, cl_event *event)
{
	static const size_t none[3] = {0};
	size_t local[3] = {1, 1, 1};
	cl_int status = check_call(queue, kernel, dims);
	if (status != CL_SUCCESS)
		return status;
	if (!global)
		global = none;
	bool nonuniform = kernel->program->code->nonuniform;
	if (wanted)
		memcpy(local, wanted, dims * sizeof *local);
	else
		hd_range_choose(kernel->kernel, hc_group_max(kernel->kernel), nonuniform, dims, global, local);
	status = check_sizes(kernel->kernel, nonuniform, dims, offset, global, local);
	hc_command *command = status == CL_SUCCESS ? hc_command_new(queue, type, n, wait, &status) : NULL;
	if (!command)
		return status;
	hc_launch *l = command->launch = hd_xcalloc(1, sizeof *l);
	command->drop = drop;
	l->kernel = hc_use(kernel);
	l->objects = hd_xcalloc(kernel->kernel->params.n + 1, sizeof *l->objects);
	l->params = hd_xcalloc(1, kernel->kernel->param_bytes + 1);
	l->launch = (hd_launch){.program = kernel->program->loaded,
	                        .kernel = kernel->kernel,
	                        .params = l->params,
	                        .work_dim = dims,
	                        .lanes = hc_device.machine.machine_lanes,
	                        .grid = {1, 1, 1},
	                        .block = {1, 1, 1}};
	bool empty = !set_sizes(l, dims, offset, global, local);
	status = bind(kernel, l);
	/* An empty range is a command without an effect. */
	if (status == CL_SUCCESS && !empty) {
		hd_diag diag = {0};
		if (!hd_launch_check(&l->launch, &diag))
			status = CL_OUT_OF_RESOURCES;
		hd_diag_free(&diag);
		command->run = run;
	}
	if (status == CL_SUCCESS)
		return hc_enqueue(command, false, event);
	hc_command_free(command);
	return status;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint n, const cl_event *wait, cl_event *event)
{
	return enqueue(queue, CL_COMMAND_NDRANGE_KERNEL, kernel, dims, offset, global, local, n, wait, event);
}

cl_int clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint n, const cl_event *wait, cl_event *event)
{
	const size_t one = 1;
	return enqueue(queue, CL_COMMAND_TASK, kernel, 1, NULL, &one, &one, n, wait, event);
}
