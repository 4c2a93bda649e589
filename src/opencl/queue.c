/* Command queues. Each queue has a thread that runs its commands one at a time. An in-order queue runs them in order. An out-of-order queue runs the
 * first command whose wait list has ended. */
#include "opencl/driver.h"

static void destroy(void *object)
{
	cl_command_queue queue = object;
	free(queue->list);
	hc_unuse(queue->context);
}

/* True when every event for which the command waits has ended. *failed is true when one of them failed. hc_lock is held. */
static bool ready(const hc_command *command, bool *failed)
{
	*failed = false;
	for (cl_uint i = 0; i < command->n_wait; i++) {
		if (command->wait[i]->status > CL_COMPLETE)
			return false;
		*failed = *failed || command->wait[i]->status < 0;
	}
	return true;
}

/* The next command that may run, or NULL. It stays in the list. hc_lock is held. */
static hc_command *choose(cl_command_queue queue, bool *failed)
{
	bool in_order = !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	for (hc_command *command = queue->first; command; command = command->next) {
		if ((command == queue->first || !command->after_all) && ready(command, failed))
			return command;
		if (in_order || command->before_all)
			return NULL;
	}
	return NULL;
}

static void unlink_command(cl_command_queue queue, hc_command *command)
{
	hc_command **at = &queue->first;
	while (*at != command)
		at = &(*at)->next;
	*at = command->next;
	if (!*at)
		queue->last = at;
}

static void advance(hc_command *command, cl_int status, uint64_t ns)
{
	pthread_mutex_lock(&hc_lock);
	uint64_t time = hc_device.clock += ns;
	pthread_mutex_unlock(&hc_lock);
	hc_event_set(command->event, status, time);
}

static void execute(cl_command_queue queue, hc_command *command, bool failed)
{
	cl_int status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	uint64_t ns = 0;
	advance(command, CL_SUBMITTED, 0);
	if (!failed) {
		advance(command, CL_RUNNING, 0);
		status = command->run ? command->run(command, &ns) : CL_SUCCESS;
	}
	pthread_mutex_lock(&hc_lock);
	if (status < 0 && !failed)
		queue->failed = status;
	unlink_command(queue, command);
	pthread_mutex_unlock(&hc_lock);
	advance(command, status < 0 ? status : CL_COMPLETE, ns);
	hc_command_free(command);
}

static void *serve(void *argument)
{
	cl_command_queue queue = argument;
	for (;;) {
		bool failed = false;
		hc_command *command;
		pthread_mutex_lock(&hc_lock);
		while (!(command = choose(queue, &failed)) && !(queue->closing && !queue->first))
			pthread_cond_wait(&hc_changed, &hc_lock);
		pthread_mutex_unlock(&hc_lock);
		if (!command)
			break;
		execute(queue, command, failed);
	}
	hc_unuse(queue);
	return NULL;
}

static cl_command_queue create(cl_context context, cl_command_queue_properties properties, cl_int *status)
{
	cl_command_queue queue = hc_new(HC_QUEUE, sizeof *queue, destroy);
	pthread_attr_t detached;
	pthread_t thread;
	queue->context = hc_use(context);
	queue->properties = properties;
	queue->last = &queue->first;
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	hc_use(queue);
	int failure = pthread_create(&thread, &detached, serve, queue);
	pthread_attr_destroy(&detached);
	hc_set(status, failure ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS);
	if (!failure)
		return queue;
	hc_unuse(queue);
	hc_unuse(queue);
	return NULL;
}

static cl_int check_owner(cl_context context, cl_device_id device)
{
	if (!hc_is(context, HC_CONTEXT))
		return CL_INVALID_CONTEXT;
	return device == &hc_device ? CL_SUCCESS : CL_INVALID_DEVICE;
}

static cl_int check_bits(cl_command_queue_properties bits)
{
	const cl_command_queue_properties offered = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
	if (bits & ~(offered | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))
		return CL_INVALID_VALUE;
	return bits & ~offered ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *status)
{
	cl_int error = check_owner(context, device);
	if (error == CL_SUCCESS)
		error = check_bits(properties);
	hc_set(status, error);
	return error == CL_SUCCESS ? create(context, properties, status) : NULL;
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device, const cl_queue_properties *list, cl_int *status)
{
	cl_command_queue_properties bits = 0;
	cl_int error = check_owner(context, device);
	for (const cl_queue_properties *at = list; at && *at && error == CL_SUCCESS; at += 2) {
		if (at[0] == CL_QUEUE_PROPERTIES)
			error = check_bits(bits = at[1]);
		else
			error = at[0] == CL_QUEUE_SIZE ? CL_INVALID_QUEUE_PROPERTIES : CL_INVALID_VALUE;
	}
	hc_set(status, error);
	cl_command_queue queue = error == CL_SUCCESS ? create(context, bits, status) : NULL;
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
	if (!hc_is(queue, HC_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	switch (what) {
	case CL_QUEUE_CONTEXT:
		return HC_ANSWER(to, cl_context, queue->context);
	case CL_QUEUE_DEVICE:
		return HC_ANSWER(to, cl_device_id, &hc_device);
	case CL_QUEUE_REFERENCE_COUNT:
		return HC_ANSWER(to, cl_uint, atomic_load(&queue->object.refs));
	case CL_QUEUE_PROPERTIES:
		return HC_ANSWER(to, cl_command_queue_properties, queue->properties);
	case CL_QUEUE_PROPERTIES_ARRAY:
		return hc_answer_bytes(to, queue->list, queue->n_list * sizeof *queue->list);
	case CL_QUEUE_DEVICE_DEFAULT:
		return HC_ANSWER(to, cl_command_queue, NULL);
	case CL_QUEUE_SIZE:
		return CL_INVALID_COMMAND_QUEUE;
	}
	return CL_INVALID_VALUE;
}

hc_command *hc_command_new(cl_command_queue queue, cl_command_type type, cl_uint n_wait, const cl_event *wait, cl_int *status)
{
	/* A queue without references lives until its last command has ended. A command that comes then would wait for ever. */
	bool taken = hc_is(queue, HC_QUEUE) && atomic_load(&queue->object.refs) > 0;
	*status = taken ? hc_wait_list(queue->context, n_wait, wait) : CL_INVALID_COMMAND_QUEUE;
	if (*status != CL_SUCCESS)
		return NULL;
	hc_command *command = hd_xcalloc(1, sizeof *command);
	command->queue = queue;
	/* The only use belongs to the command. hc_enqueue gives the program a reference if it asks for one. */
	command->event = hc_event_new(queue->context, queue, type, CL_QUEUED);
	atomic_store(&command->event->object.refs, 0);
	command->n_wait = n_wait;
	command->wait = n_wait ? hd_xmalloc(n_wait * sizeof *command->wait) : NULL;
	for (cl_uint i = 0; i < n_wait; i++)
		command->wait[i] = hc_use(wait[i]);
	return command;
}

void hc_command_free(hc_command *command)
{
	if (command->drop)
		command->drop(command);
	for (cl_uint i = 0; i < command->n_wait; i++)
		hc_unuse(command->wait[i]);
	free(command->wait);
	free(command->owned);
	free(command->rect);
	hc_unuse(command->from);
	hc_unuse(command->to);
	hc_unuse(command->event);
	free(command);
}

static cl_int take_failure(cl_command_queue queue)
{
	pthread_mutex_lock(&hc_lock);
	cl_int failed = queue->failed;
	queue->failed = CL_SUCCESS;
	pthread_mutex_unlock(&hc_lock);
	return failed;
}

cl_int hc_enqueue(hc_command *command, bool blocking, cl_event *event)
{
	cl_command_queue queue = command->queue;
	cl_event own = hc_use(command->event);
	cl_int status = CL_SUCCESS;
	if (event) {
		atomic_store(&own->object.refs, 1);
		*event = hc_use(own);
	}
	pthread_mutex_lock(&hc_lock);
	command->event->times[CL_QUEUED] = hc_device.clock;
	*queue->last = command;
	queue->last = &command->next;
	pthread_cond_broadcast(&hc_changed);
	pthread_mutex_unlock(&hc_lock);
	if (blocking) {
		hc_wait(1, &own);
		pthread_mutex_lock(&hc_lock);
		status = own->status < 0 ? own->status : CL_SUCCESS;
		pthread_mutex_unlock(&hc_lock);
		cl_int failed = take_failure(queue);
		if (status == CL_SUCCESS && failed != CL_SUCCESS)
			status = CL_OUT_OF_RESOURCES;
	}
	hc_unuse(own);
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
	marker->after_all = true;
	return hc_enqueue(marker, true, NULL);
}

static cl_int enqueue_marker(cl_command_queue queue, cl_command_type type, cl_uint n, const cl_event *wait, cl_event *event)
{
	cl_int status;
	hc_command *command = hc_command_new(queue, type, n, wait, &status);
	if (!command)
		return status;
	command->after_all = n == 0;
	command->before_all = type == CL_COMMAND_BARRIER;
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

cl_int clRetainCommandQueue(cl_command_queue queue) { return hc_retain(queue, HC_QUEUE, CL_INVALID_COMMAND_QUEUE); }

cl_int clReleaseCommandQueue(cl_command_queue queue)
{
	if (!hc_is(queue, HC_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	hc_use(queue);
	cl_int status = hc_release(queue, HC_QUEUE, CL_INVALID_COMMAND_QUEUE);
	pthread_mutex_lock(&hc_lock);
	if (atomic_load(&queue->object.refs) == 0)
		queue->closing = true;
	pthread_cond_broadcast(&hc_changed);
	pthread_mutex_unlock(&hc_lock);
	hc_unuse(queue);
	return status;
}
