/* Command queues. runtime/queue.c runs their commands. */
#include "opencl/driver.h"

static void destroy(void *object)
{
	cl_command_queue queue = object;
	hr_queue_destroy(&queue->base);
	free(queue->list);
	hr_unuse(queue->context);
}

static cl_command_queue create(cl_context context, cl_command_queue_properties properties, hr_priority priority, cl_int *status)
{
	cl_command_queue queue = hc_new(HC_QUEUE, sizeof *queue, destroy);
	queue->context = hr_use(context);
	queue->properties = properties;
	queue->base.out_of_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	queue->base.priority = priority;
	queue->base.destructors = &context->has_destructors;
	queue->base.error_of_wait = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	bool started = hr_queue_start(&queue->base);
	hc_set(status, started ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
	if (started)
		return queue;
	hr_unuse(queue);
	return NULL;
}

static cl_int check_owner(cl_context context, cl_device_id device)
{
	if (!hc_is(context, HC_CONTEXT))
		return CL_INVALID_CONTEXT;
	return device == &hc_device ? CL_SUCCESS : CL_INVALID_DEVICE;
}

static const cl_command_queue_properties of_host = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
static const cl_command_queue_properties of_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

/* Of clCreateCommandQueue, which makes queues of the host alone. */
static cl_int check_bits(cl_command_queue_properties bits)
{
	if (bits & ~(of_host | of_device))
		return CL_INVALID_VALUE;
	return bits & of_device ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

static cl_int read_priority(cl_queue_properties value, hr_priority *priority)
{
	switch (value) {
	case CL_QUEUE_PRIORITY_HIGH_KHR:
		*priority = HR_PRIORITY_HIGH;
		return CL_SUCCESS;
	case CL_QUEUE_PRIORITY_MED_KHR:
		*priority = HR_PRIORITY_MEDIUM;
		return CL_SUCCESS;
	case CL_QUEUE_PRIORITY_LOW_KHR:
		*priority = HR_PRIORITY_LOW;
		return CL_SUCCESS;
	default:
		return CL_INVALID_VALUE;
	}
}

/* One property and its value. */
static cl_int read_property(const cl_queue_properties at[2], hc_queue_wish *wish)
{
	switch (at[0]) {
	case CL_QUEUE_PROPERTIES:
		wish->bits = at[1];
		return wish->bits & ~(of_host | of_device) ? CL_INVALID_VALUE : CL_SUCCESS;
	case CL_QUEUE_PRIORITY_KHR:
		wish->prioritised = true;
		return read_priority(at[1], &wish->priority);
	case CL_QUEUE_SIZE:
		wish->sized = true;
		wish->size = at[1];
		return CL_SUCCESS;
	default:
		return CL_INVALID_VALUE;
	}
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *status)
{
	cl_int error = check_owner(context, device);
	if (error == CL_SUCCESS)
		error = check_bits(properties);
	hc_set(status, error);
	return error == CL_SUCCESS ? create(context, properties, HR_PRIORITY_MEDIUM, status) : NULL;
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device, const cl_queue_properties *list, cl_int *status)
{
	hc_queue_wish wish = {.priority = HR_PRIORITY_MEDIUM};
	cl_int error = check_owner(context, device);
	for (const cl_queue_properties *at = list; at && *at && error == CL_SUCCESS; at += 2)
		error = read_property(at, &wish);
	bool on_device = wish.bits & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT);
	if (error == CL_SUCCESS && wish.sized && !on_device)
		error = CL_INVALID_VALUE;
	hc_set(status, error);
	if (error != CL_SUCCESS)
		return NULL;
	cl_command_queue queue = on_device ? hc_device_queue_new(context, &wish, status) : create(context, wish.bits, wish.priority, status);
	if (queue && queue->list) /* the default queue that was there */
		return queue;
	if (queue)
		queue->n_list = hc_properties(list, &queue->list);
	return queue;
}

// NOLINTNEXTLINE(misc-unused-parameters): the interface's signature
cl_int clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties properties, cl_bool enable, cl_command_queue_properties *old)
{
	return hc_is(queue, HC_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	bool on_device = hc_is(queue, HC_DEVICE_QUEUE);
	if (!on_device && !hc_is(queue, HC_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	switch (what) {
	case CL_QUEUE_CONTEXT:
		return HC_ANSWER(to, cl_context, queue->context);
	case CL_QUEUE_DEVICE:
		return HC_ANSWER(to, cl_device_id, &hc_device);
	case CL_QUEUE_REFERENCE_COUNT:
		return HC_ANSWER(to, cl_uint, atomic_load(&queue->base.object.refs));
	case CL_QUEUE_PROPERTIES:
		return HC_ANSWER(to, cl_command_queue_properties, queue->properties);
	case CL_QUEUE_PROPERTIES_ARRAY:
		return hc_answer_bytes(to, queue->list, queue->n_list * sizeof *queue->list);
	case CL_QUEUE_DEVICE_DEFAULT:
		return HC_ANSWER(to, cl_command_queue, hc_device_queue_default(queue->context));
	case CL_QUEUE_SIZE:
		return on_device ? HC_ANSWER(to, cl_uint, (cl_uint)queue->bytes) : CL_INVALID_COMMAND_QUEUE;
	}
	return CL_INVALID_VALUE;
}

/* Of every command: the work, and what it owns. */
static int run(hr_command *base, uint64_t *ns)
{
	hc_command *command = (hc_command *)base;
	return command->run ? command->run(command, ns) : CL_SUCCESS;
}

static void drop(hr_command *base)
{
	hc_command *command = (hc_command *)base;
	if (command->drop)
		command->drop(command);
	free(command->owned);
	free(command->rect);
	hr_unuse(command->from);
	hr_unuse(command->to);
}

hc_command *hc_command_new(cl_command_queue queue, cl_command_type type, cl_uint n_wait, const cl_event *wait, cl_int *status)
{
	/* A queue without references lives until its last command has ended. A command that comes then would wait for ever. */
	bool taken = hc_is(queue, HC_QUEUE) && atomic_load(&queue->base.object.refs) > 0;
	*status = taken ? hc_wait_list(queue->context, n_wait, wait) : CL_INVALID_COMMAND_QUEUE;
	if (*status != CL_SUCCESS)
		return NULL;
	hc_command *command = hd_xcalloc(1, sizeof *command);
	/* The only use belongs to the command. hc_enqueue gives the program a reference if it asks for one. */
	cl_event event = hc_event_new(queue->context, queue, type, CL_QUEUED);
	atomic_store(&event->base.object.refs, 0);
	hr_event **list = n_wait ? hd_xmalloc(n_wait * sizeof *list) : NULL;
	for (cl_uint i = 0; i < n_wait; i++)
		list[i] = &wait[i]->base;
	hr_command_init(&command->base, &queue->base, &event->base, n_wait, list);
	free(list);
	command->base.run = run;
	command->base.drop = drop;
	return command;
}

void hc_command_free(hc_command *command) { hr_command_free(&command->base); }

cl_int hc_enqueue(hc_command *command, bool blocking, cl_event *event)
{
	cl_command_queue queue = hc_queue_of(command);
	if (queue->recording)
		return hc_record(command);
	cl_event own = hr_use(command->base.event);
	cl_int status = CL_SUCCESS;
	if (event) {
		atomic_store(&own->base.object.refs, 1);
		*event = hr_use(own);
	}
	hr_queue_put(&command->base);
	if (blocking) {
		hc_wait(1, &own);
		pthread_mutex_lock(&hr_lock);
		hr_queue_await_calls(&queue->base);
		status = own->base.status < 0 ? own->base.status : CL_SUCCESS;
		pthread_mutex_unlock(&hr_lock);
		cl_int failed = hr_queue_take_failure(&queue->base);
		if (status == CL_SUCCESS && failed != CL_SUCCESS)
			status = CL_OUT_OF_RESOURCES;
	}
	hr_unuse(own);
	return status;
}

cl_int clFlush(cl_command_queue queue) { return hc_is(queue, HC_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE; }

cl_int clFinish(cl_command_queue queue)
{
	if (!hc_is(queue, HC_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	cl_int status;
	hc_command *marker = hc_command_new(queue, CL_COMMAND_MARKER, 0, NULL, &status);
	if (!marker)
		return status;
	marker->base.after_all = true;
	return hc_enqueue(marker, true, NULL);
}

static cl_int enqueue_marker(cl_command_queue queue, cl_command_type type, cl_uint n, const cl_event *wait, cl_event *event)
{
	cl_int status;
	hc_command *command = hc_command_new(queue, type, n, wait, &status);
	if (!command)
		return status;
	command->base.after_all = n == 0;
	command->base.before_all = type == CL_COMMAND_BARRIER;
	return hc_enqueue(command, false, event);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *wait, cl_event *event)
{
	return enqueue_marker(queue, CL_COMMAND_MARKER, n, wait, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *wait, cl_event *event)
{
	return enqueue_marker(queue, CL_COMMAND_BARRIER, n, wait, event);
}

cl_int clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
	if (hc_is(queue, HC_QUEUE) && !event)
		return CL_INVALID_VALUE;
	return enqueue_marker(queue, CL_COMMAND_MARKER, 0, NULL, event);
}

cl_int clEnqueueBarrier(cl_command_queue queue) { return enqueue_marker(queue, CL_COMMAND_BARRIER, 0, NULL, NULL); }

cl_int clEnqueueWaitForEvents(cl_command_queue queue, cl_uint n, const cl_event *list)
{
	if (hc_is(queue, HC_QUEUE) && (n == 0 || !list))
		return CL_INVALID_VALUE;
	cl_int status = enqueue_marker(queue, CL_COMMAND_BARRIER, n, list, NULL);
	return status == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : status;
}

cl_int clRetainCommandQueue(cl_command_queue queue)
{
	return hc_retain(queue, hc_is(queue, HC_DEVICE_QUEUE) ? HC_DEVICE_QUEUE : HC_QUEUE, CL_INVALID_COMMAND_QUEUE);
}

cl_int clReleaseCommandQueue(cl_command_queue queue)
{
	if (hc_is(queue, HC_DEVICE_QUEUE))
		return hc_release(queue, HC_DEVICE_QUEUE, CL_INVALID_COMMAND_QUEUE);
	if (!hc_is(queue, HC_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	hr_use(queue);
	cl_int status = hc_release(queue, HC_QUEUE, CL_INVALID_COMMAND_QUEUE);
	pthread_mutex_lock(&hr_lock);
	if (atomic_load(&queue->base.object.refs) == 0)
		hr_queue_close(&queue->base);
	pthread_mutex_unlock(&hr_lock);
	hr_unuse(queue);
	return status;
}
