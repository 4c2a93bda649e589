/* Queues on the device, into which kernels enqueue kernels (docs/opencl.md). The task table runs what they hold (src/tasks/enqueue.h). Here is what
 * the host does with them. A kernel knows a queue by its number in the context. */
#include "opencl/driver.h"

static void destroy(void *object)
{
	cl_command_queue queue = object;
	cl_context context = queue->context;
	pthread_mutex_lock(&hr_lock);
	if (queue->number)
		context->device_queues[queue->number - 1] = NULL;
	if (context->default_queue == queue)
		context->default_queue = NULL;
	pthread_mutex_unlock(&hr_lock);
	if (queue->memory) {
		hd_memory_release(hc_memory_lock(context), queue->memory);
		hc_memory_unlock(context);
	}
	free(queue->list);
	hr_unuse(context);
}

/* Gives the queue a number. hr_lock is held. False when all are taken. */
static bool take_number(cl_command_queue queue)
{
	for (cl_uint i = 0; i < HC_DEVICE_QUEUES_MAX; i++) {
		if (queue->context->device_queues[i])
			continue;
		queue->context->device_queues[i] = queue;
		queue->number = i + 1;
		return true;
	}
	return false;
}

/* The default queue with one reference more, or NULL. */
static cl_command_queue retain_default(cl_context context)
{
	pthread_mutex_lock(&hr_lock);
	cl_command_queue queue = context->default_queue;
	bool alive = queue && hr_use_if_alive(queue, context->default_life);
	pthread_mutex_unlock(&hr_lock);
	if (!alive)
		return NULL;
	cl_int status = hc_retain(queue, HC_DEVICE_QUEUE, CL_INVALID_COMMAND_QUEUE);
	hr_unuse(queue);
	return status == CL_SUCCESS ? queue : NULL;
}

static void set_default(cl_context context, cl_command_queue queue)
{
	pthread_mutex_lock(&hr_lock);
	context->default_queue = queue;
	context->default_life = queue->base.object.number;
	pthread_mutex_unlock(&hr_lock);
}

static cl_int check(const hc_queue_wish *wish)
{
	if (!(wish->bits & CL_QUEUE_ON_DEVICE) || !(wish->bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) || (wish->sized && wish->size == 0))
		return CL_INVALID_VALUE;
	return wish->prioritised || wish->size > HC_DEVICE_QUEUE_BYTES_MAX ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

cl_command_queue hc_device_queue_new(cl_context context, const hc_queue_wish *wish, cl_int *status)
{
	cl_int error = check(wish);
	bool is_default = wish->bits & CL_QUEUE_ON_DEVICE_DEFAULT;
	hc_set(status, error);
	if (error != CL_SUCCESS)
		return NULL;
	cl_command_queue queue = is_default ? retain_default(context) : NULL;
	if (queue)
		return queue;
	queue = hc_new(HC_DEVICE_QUEUE, sizeof *queue, destroy);
	queue->context = hr_use(context);
	queue->properties = wish->bits;
	queue->bytes = wish->sized ? wish->size : HC_DEVICE_QUEUE_BYTES;
	queue->memory = hd_memory_alloc(hc_memory_lock(context), queue->bytes, "a device queue");
	hc_memory_unlock(context);
	pthread_mutex_lock(&hr_lock);
	bool numbered = queue->memory && take_number(queue);
	pthread_mutex_unlock(&hr_lock);
	if (!numbered) {
		hc_set(status, CL_OUT_OF_RESOURCES);
		hr_unuse(queue);
		return NULL;
	}
	if (is_default)
		set_default(context, queue);
	return queue;
}

cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue queue)
{
	if (!hc_is(context, HC_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (device != &hc_device)
		return CL_INVALID_DEVICE;
	if (!hc_is(queue, HC_DEVICE_QUEUE) || queue->context != context)
		return CL_INVALID_COMMAND_QUEUE;
	set_default(context, queue);
	return CL_SUCCESS;
}

cl_command_queue hc_device_queue_default(cl_context context)
{
	pthread_mutex_lock(&hr_lock);
	cl_command_queue queue = context->default_queue;
	pthread_mutex_unlock(&hr_lock);
	return queue;
}

void hc_enqueuing_begin(hc_enqueuing *e, cl_context context)
{
	*e = (hc_enqueuing){.with = {.n_queues = HC_DEVICE_QUEUES_MAX, .group_max = hr_group_max, .shared = hr_device.machine.machine_shared_memory}};
	pthread_mutex_lock(&hr_lock);
	for (cl_uint i = 0; i < HC_DEVICE_QUEUES_MAX; i++) {
		cl_command_queue queue = context->device_queues[i];
		if (!queue || !hr_use_if_alive(queue, queue->base.object.number))
			continue;
		e->held[i] = queue;
		e->queues[i] = (hd_device_queue){queue->memory, queue->bytes};
		if (queue == context->default_queue)
			e->with.default_queue = i + 1;
	}
	pthread_mutex_unlock(&hr_lock);
	if (!context->events)
		context->events = hd_xcalloc(1, sizeof *context->events);
	e->with.queues = e->queues;
	e->with.events = context->events;
	e->with.clock_mhz = hr_device.functional ? 0 : hr_device.machine.machine_clock_mhz;
}

void hc_enqueuing_end(hc_enqueuing *e)
{
	for (cl_uint i = 0; i < HC_DEVICE_QUEUES_MAX; i++)
		hr_unuse(e->held[i]);
}
