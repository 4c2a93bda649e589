/* clEnqueueNDRangeKernel, and launches on the machine or in the interpreter. */
#include "opencl/driver.h"

#include "launch/range.h"

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

/* -- messages to the program ---------------------------------------------------------------------------------------------------------------- */
typedef struct notification {
	cl_context context; /* used */
	char *message;
} notification;

static void notify(void *data)
{
	notification *n = data;
	n->context->notify(n->message, NULL, 0, n->context->notify_data);
	hr_unuse(n->context);
	free(n->message);
	free(n);
}

/* -- the run -------------------------------------------------------------------------------------------------------------------------------- */
/* A range whose groups have several sizes, as launches with groups of one size: in each dimension the full groups, and the last one, which is
 * smaller. All begin together. */
typedef struct parts {
	hd_task task[HD_RANGE_PARTS];
	hd_range range[HD_RANGE_PARTS];
	uint32_t n;
} parts;

static void split(const hc_launch *l, hr_priority priority, parts *to)
{
	*to = (parts){.task[0].launch = l->launch, .n = !l->nonuniform};
	for (unsigned which = 0; which < HD_RANGE_PARTS && l->nonuniform; which++) {
		to->task[to->n].launch = l->launch;
		to->n += hd_range_part(&l->range, which, &to->task[to->n].launch, &to->range[to->n]);
	}
	for (uint32_t i = 0; i < to->n; i++) {
		to->task[i].priority = hr_priority_in_lists(priority);
		to->task[i].with_previous = i > 0;
	}
}

/* What a run leaves at its end: the lock of the context's memory, and its queues. */
typedef struct held {
	cl_context context;
	hc_enqueuing queues;
} held;

static void leave(void *leaving)
{
	held *h = leaving;
	hc_memory_unlock(h->context);
	hc_enqueuing_end(&h->queues);
}

typedef struct whole {
	const hc_launch *launch;
	hr_priority priority;
	parts parts;
} whole;

static hd_task *list_parts(void *context, uint32_t *n)
{
	whole *w = context;
	split(w->launch, w->priority, &w->parts);
	*n = w->parts.n;
	return w->parts.task;
}

static void notify_context(const hc_command *command, const char *message)
{
	notification *n = hd_xmalloc(sizeof *n);
	*n = (notification){hr_use(hc_queue_of(command)->context), hd_xstrdup(message)};
	hr_queue_call(command->base.queue, notify, n);
}

static cl_int run(hc_command *command, uint64_t *ns)
{
	hc_launch *l = command->launch;
	cl_program program = l->kernel->program;
	cl_context context = hc_queue_of(command)->context;
	whole w = {.launch = l, .priority = command->base.queue->priority};
	held h = {.context = context};
	hr_run_result result;
	hr_run run = {.launch = &l->launch,
	              .memory = hc_memory_lock_for(context, w.priority),
	              .list = list_parts,
	              .context = &w,
	              .interp = &program->interp,
	              .file = "program.cl",
	              .source = program->source,
	              .leave = leave,
	              .leaving = &h};
	/* A program without launches asks for nothing. */
	if (l->launch.program->launches) {
		hc_enqueuing_begin(&h.queues, context);
		run.queues = &h.queues.with;
	}
	hr_run_launch(&run, &result);
	if (result.no_room)
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	if (result.message.at && context->notify)
		notify_context(command, result.message.at);
	hd_text_free(&result.message);
	*ns = result.ns;
	return result.ended == HD_TRAP_NONE ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

static void drop(hc_command *command)
{
	hc_launch *l = command->launch;
	for (size_t i = 0; i < l->n_objects; i++)
		hr_unuse(l->objects[i]);
	free(l->objects);
	free(l->params);
	hr_unuse(l->kernel);
	free(l);
}

/* -- enqueuing ------------------------------------------------------------------------------------------------------------------------------ */
/* Puts the value of an argument into *value, and uses its buffer. *end: of the local memory so far; it grows. */
static cl_int argument_value(const hc_arg *arg, const hd_param *param, hc_launch *l, uint64_t *end, uint64_t *value)
{
	*value = 0;
	if (!arg->set)
		return CL_INVALID_KERNEL_ARGS;
	if (arg->local) {
		*value = hd_shared_argument(param, *end, arg->local);
		*end = *value + arg->local;
	} else if (arg->mem) {
		if (!hr_use_if_alive(arg->mem, arg->life)) /* released since */
			return CL_INVALID_KERNEL_ARGS;
		*value = arg->mem->address;
		l->objects[l->n_objects++] = arg->mem;
	} else if (arg->queue) {
		if (!hr_use_if_alive(arg->queue, arg->life))
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
		cl_int status = argument_value(arg, param, l, &end, &value);
		if (status != CL_SUCCESS)
			return status;
		if (arg->bytes)
			memcpy(l->params + param->offset, arg->bytes, param->size);
		else
			for (uint32_t b = 0; b < param->size && b < 8; b++)
				l->params[param->offset + b] = (uint8_t)(value >> (8 * b));
	}
	if (end > hr_device.machine.machine_shared_memory)
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
		if (local[d] > hr_group_max(NULL))
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
	if (threads > hr_group_max(kernel))
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

typedef struct range {
	cl_uint dims;
	const size_t *offset, *global, *local;
} range;

static cl_int enqueue(cl_command_queue queue, cl_command_type type, cl_kernel kernel, range r, cl_uint n, const cl_event *wait, cl_event *event)
{
	cl_uint dims = r.dims;
	const size_t *offset = r.offset, *global = r.global;
	static const size_t none[3] = {0};
	size_t local[3] = {1, 1, 1};
	cl_int status = check_call(queue, kernel, dims);
	if (status != CL_SUCCESS)
		return status;
	if (!global)
		global = none;
	bool nonuniform = kernel->program->code->nonuniform;
	if (r.local)
		memcpy(local, r.local, dims * sizeof *local);
	else
		hd_range_choose(kernel->kernel, hr_group_max(kernel->kernel), nonuniform, dims, global, local);
	status = check_sizes(kernel->kernel, nonuniform, dims, offset, global, local);
	hc_command *command = status == CL_SUCCESS ? hc_command_new(queue, type, n, wait, &status) : NULL;
	if (!command)
		return status;
	hc_launch *l = command->launch = hd_xcalloc(1, sizeof *l);
	command->drop = drop;
	l->kernel = hr_use(kernel);
	l->objects = hd_xcalloc(kernel->kernel->params.n + 1, sizeof *l->objects);
	l->params = hd_xcalloc(1, kernel->kernel->param_bytes + 1);
	l->launch = (hd_launch){.program = kernel->program->loaded,
	                        .kernel = kernel->kernel,
	                        .params = l->params,
	                        .work_dim = dims,
	                        .lanes = hr_device.machine.machine_lanes,
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
	return enqueue(queue, CL_COMMAND_NDRANGE_KERNEL, kernel, (range){dims, offset, global, local}, n, wait, event);
}

cl_int clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint n, const cl_event *wait, cl_event *event)
{
	const size_t one = 1;
	return enqueue(queue, CL_COMMAND_TASK, kernel, (range){1, NULL, &one, &one}, n, wait, event);
}
