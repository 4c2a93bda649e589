/* Command buffers (cl_khr_command_buffer, provisional, as opencl-headers of 2023 has it): commands that are recorded once and run many times.
 *
 * A command is recorded by the function that enqueues it, into a queue of the buffer's own, which the program does not know. That queue has no
 * thread, and hc_enqueue leaves its commands here. A buffer runs its commands in the order in which they were recorded, so each sync point has been
 * reached when a later command begins. */
#include "opencl/driver.h"

static void destroy_recorder(void *object)
{
	cl_command_queue recorder = object;
	hr_unuse(recorder->context);
}

static void destroy(void *object)
{
	cl_command_buffer_khr buffer = object;
	for (size_t i = 0; i < buffer->commands.n; i++)
		hc_command_free(buffer->commands.at[i]);
	hd_vec_free(&buffer->commands);
	buffer->recorder->recording = NULL;
	hr_unuse(buffer->recorder);
	hr_unuse(buffer->queue);
	free(buffer->properties);
	pthread_mutex_destroy(&buffer->running);
}

/* -- creation ------------------------------------------------------------------------------------------------------------------------------------ */
static cl_int read_properties(const cl_command_buffer_properties_khr *list, bool *simultaneous)
{
	*simultaneous = false;
	bool seen = false;
	for (; list && *list; list += 2) {
		if (list[0] != CL_COMMAND_BUFFER_FLAGS_KHR || seen || (list[1] & ~(cl_properties)CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR))
			return CL_INVALID_VALUE;
		*simultaneous = list[1] & CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;
		seen = true;
	}
	return CL_SUCCESS;
}

static cl_command_buffer_khr create(cl_uint n, const cl_command_queue *queues, const cl_command_buffer_properties_khr *properties, cl_int *status)
{
	bool simultaneous;
	cl_int error = n != 1 || !queues ? CL_INVALID_VALUE : !hc_is(queues[0], HC_QUEUE) ? CL_INVALID_COMMAND_QUEUE : CL_SUCCESS;
	if (error == CL_SUCCESS)
		error = read_properties(properties, &simultaneous);
	hc_set(status, error);
	if (error != CL_SUCCESS)
		return NULL;
	cl_command_buffer_khr buffer = hc_new(HC_COMMAND_BUFFER, sizeof *buffer, destroy);
	buffer->queue = hr_use(queues[0]);
	buffer->simultaneous = simultaneous;
	buffer->n_properties = hc_properties(properties, &buffer->properties);
	pthread_mutex_init(&buffer->running, NULL);
	buffer->recorder = hc_new(HC_QUEUE, sizeof *buffer->recorder, destroy_recorder);
	buffer->recorder->context = hr_use(buffer->queue->context);
	buffer->recorder->recording = buffer;
	return buffer;
}

cl_int hc_record(hc_command *command)
{
	cl_command_buffer_khr buffer = hc_queue_of(command)->recording;
	pthread_mutex_lock(&hr_lock);
	bool recording = !buffer->finalized;
	if (recording)
		hd_vec_push(&buffer->commands, command);
	pthread_mutex_unlock(&hr_lock);
	if (!recording)
		hc_command_free(command);
	return recording ? CL_SUCCESS : CL_INVALID_OPERATION;
}

static cl_int finalize(cl_command_buffer_khr buffer)
{
	if (!hc_is(buffer, HC_COMMAND_BUFFER))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	pthread_mutex_lock(&hr_lock);
	bool before = buffer->finalized;
	buffer->finalized = true;
	pthread_mutex_unlock(&hr_lock);
	return before ? CL_INVALID_OPERATION : CL_SUCCESS;
}

static cl_int retain(cl_command_buffer_khr buffer) { return hc_retain(buffer, HC_COMMAND_BUFFER, CL_INVALID_COMMAND_BUFFER_KHR); }
static cl_int release(cl_command_buffer_khr buffer) { return hc_release(buffer, HC_COMMAND_BUFFER, CL_INVALID_COMMAND_BUFFER_KHR); }

/* -- recording ----------------------------------------------------------------------------------------------------------------------------------- */
/* Arguments common to all recorded commands. */
typedef struct common {
	cl_command_buffer_khr buffer;
	cl_command_queue queue;
	cl_uint n;
	const cl_sync_point_khr *wait;
	cl_sync_point_khr *point;
	const void *handle;
} common;

static cl_int check(const common *c)
{
	if (!hc_is(c->buffer, HC_COMMAND_BUFFER))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	if (c->queue)
		return CL_INVALID_COMMAND_QUEUE;
	if (c->handle)
		return CL_INVALID_VALUE;
	pthread_mutex_lock(&hr_lock);
	size_t recorded = c->buffer->commands.n;
	pthread_mutex_unlock(&hr_lock);
	bool good = (c->n == 0) == (c->wait == NULL);
	for (cl_uint i = 0; good && i < c->n; i++)
		good = c->wait[i] && c->wait[i] <= recorded;
	return good ? CL_SUCCESS : CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
}

/* Sync point N is the end of command N, from 1. */
static cl_int recorded(const common *c, cl_int status)
{
	if (status == CL_SUCCESS && c->point) {
		pthread_mutex_lock(&hr_lock);
		*c->point = (cl_sync_point_khr)c->buffer->commands.n;
		pthread_mutex_unlock(&hr_lock);
	}
	return status;
}

/* `call` enqueues into `recorder`. */
#define RECORD(c, call)                                    \
	cl_int status = check(c);                          \
	if (status != CL_SUCCESS)                          \
		return status;                             \
	cl_command_queue recorder = (c)->buffer->recorder; \
	return recorded(c, call)

/* The parameters that all share, and their use. */
#define COMMON_PARAMETERS cl_uint n, const cl_sync_point_khr *wait, cl_sync_point_khr *point, cl_mutable_command_khr *handle
#define COMMON \
	&(common) { buffer, queue, n, wait, point, handle }

static cl_int barrier(cl_command_buffer_khr buffer, cl_command_queue queue, COMMON_PARAMETERS)
{
	RECORD(COMMON, clEnqueueBarrierWithWaitList(recorder, 0, NULL, NULL));
}

static cl_int copy_buffer(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to, size_t from_at, size_t to_at, size_t size,
                          COMMON_PARAMETERS)
{
	RECORD(COMMON, clEnqueueCopyBuffer(recorder, from, to, from_at, to_at, size, 0, NULL, NULL));
}

static cl_int copy_rect(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                        const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice, size_t to_row, size_t to_slice,
                        COMMON_PARAMETERS)
{
	RECORD(COMMON,
	       clEnqueueCopyBufferRect(recorder, from, to, from_origin, to_origin, region, from_row, from_slice, to_row, to_slice, 0, NULL, NULL));
}

static cl_int fill_buffer(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_size, size_t at,
                          size_t size, COMMON_PARAMETERS)
{
	RECORD(COMMON, clEnqueueFillBuffer(recorder, mem, pattern, pattern_size, at, size, 0, NULL, NULL));
}

static cl_int ndrange(cl_command_buffer_khr buffer, cl_command_queue queue, const cl_ndrange_kernel_command_properties_khr *properties,
                      cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local, COMMON_PARAMETERS)
{
	RECORD(COMMON,
	       properties && *properties ? CL_INVALID_VALUE : clEnqueueNDRangeKernel(recorder, kernel, dims, offset, global, local, 0, NULL, NULL));
}

/* There are no images. */
static cl_int copy_image(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_at, const size_t *to_at,
                         const size_t *region, COMMON_PARAMETERS)
{
	RECORD(COMMON, clEnqueueCopyImage(recorder, from, to, from_at, to_at, region, 0, NULL, NULL));
}

static cl_int copy_to_image(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to, size_t at, const size_t *origin,
                            const size_t *region, COMMON_PARAMETERS)
{
	RECORD(COMMON, clEnqueueCopyBufferToImage(recorder, from, to, at, origin, region, 0, NULL, NULL));
}

static cl_int copy_from_image(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to, const size_t *origin,
                              const size_t *region, size_t at, COMMON_PARAMETERS)
{
	RECORD(COMMON, clEnqueueCopyImageToBuffer(recorder, from, to, origin, region, at, 0, NULL, NULL));
}

static cl_int fill_image(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem image, const void *color, const size_t *origin,
                         const size_t *region, COMMON_PARAMETERS)
{
	RECORD(COMMON, clEnqueueFillImage(recorder, image, color, origin, region, 0, NULL, NULL));
}

/* -- runs ---------------------------------------------------------------------------------------------------------------------------------------- */
/* Once for each enqueued command. hr_lock is not held. */
static void leave(hc_command *command)
{
	pthread_mutex_lock(&hr_lock);
	bool last = command->buffer_pending;
	command->buffer_pending = false;
	command->buffer->pending -= last;
	pthread_mutex_unlock(&hr_lock);
}

static cl_int run(hc_command *command, uint64_t *ns)
{
	cl_command_buffer_khr buffer = command->buffer;
	cl_int status = CL_SUCCESS;
	*ns = 0;
	/* A launch's record is changed while it runs. */
	pthread_mutex_lock(&buffer->running);
	for (size_t i = 0; i < buffer->commands.n && status == CL_SUCCESS; i++) {
		hc_command one = *buffer->commands.at[i];
		uint64_t took = 0;
		one.base.queue = command->base.queue;
		one.base.event = command->base.event;
		if (one.run)
			status = one.run(&one, &took);
		*ns += took;
	}
	pthread_mutex_unlock(&buffer->running);
	leave(command);
	return status;
}

static void drop(hc_command *command)
{
	leave(command); /* of a command whose wait list failed */
	hr_unuse(command->buffer);
}

static cl_int check_enqueue(cl_command_buffer_khr buffer, cl_uint n, const cl_command_queue *queues)
{
	if (!hc_is(buffer, HC_COMMAND_BUFFER))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	if ((n == 0) != (queues == NULL) || n > 1)
		return CL_INVALID_VALUE;
	if (n && !hc_is(queues[0], HC_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (n && queues[0]->context != buffer->queue->context)
		return CL_INVALID_CONTEXT;
	return n && queues[0]->properties != buffer->queue->properties ? CL_INCOMPATIBLE_COMMAND_QUEUE_KHR : CL_SUCCESS;
}

static cl_int enqueue(cl_uint n, cl_command_queue *queues, cl_command_buffer_khr buffer, cl_uint n_wait, const cl_event *wait, cl_event *event)
{
	cl_int status = check_enqueue(buffer, n, queues);
	hc_command *command =
	    status == CL_SUCCESS ? hc_command_new(n ? queues[0] : buffer->queue, CL_COMMAND_COMMAND_BUFFER_KHR, n_wait, wait, &status) : NULL;
	if (!command)
		return status;
	pthread_mutex_lock(&hr_lock);
	bool ready = buffer->finalized && (!buffer->pending || buffer->simultaneous);
	buffer->pending += ready;
	pthread_mutex_unlock(&hr_lock);
	if (!ready) {
		hc_command_free(command);
		return CL_INVALID_OPERATION;
	}
	command->buffer = hr_use(buffer);
	command->buffer_pending = true;
	command->run = run;
	command->drop = drop;
	return hc_enqueue(command, false, event);
}

/* -- queries ------------------------------------------------------------------------------------------------------------------------------------- */
static cl_int info(cl_command_buffer_khr buffer, cl_command_buffer_info_khr what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	if (!hc_is(buffer, HC_COMMAND_BUFFER))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	pthread_mutex_lock(&hr_lock);
	cl_command_buffer_state_khr state = !buffer->finalized ? CL_COMMAND_BUFFER_STATE_RECORDING_KHR
	                                    : buffer->pending  ? CL_COMMAND_BUFFER_STATE_PENDING_KHR
	                                                       : CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
	pthread_mutex_unlock(&hr_lock);
	switch (what) {
	case CL_COMMAND_BUFFER_NUM_QUEUES_KHR:
		return HC_ANSWER(to, cl_uint, 1);
	case CL_COMMAND_BUFFER_QUEUES_KHR:
		return HC_ANSWER(to, cl_command_queue, buffer->queue);
	case CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR:
		return HC_ANSWER(to, cl_uint, atomic_load(&buffer->object.refs));
	case CL_COMMAND_BUFFER_STATE_KHR:
		return HC_ANSWER(to, cl_command_buffer_state_khr, state);
	case CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR:
		return hc_answer_bytes(to, buffer->properties ? (const void *)buffer->properties : "",
		                       buffer->n_properties * sizeof *buffer->properties);
	}
	return CL_INVALID_VALUE;
}

/* The types are those of the header, which the assignments check. */
static const clCreateCommandBufferKHR_fn create_entry = create;
static const clFinalizeCommandBufferKHR_fn finalize_entry = finalize;
static const clRetainCommandBufferKHR_fn retain_entry = retain;
static const clReleaseCommandBufferKHR_fn release_entry = release;
static const clEnqueueCommandBufferKHR_fn enqueue_entry = enqueue;
static const clCommandBarrierWithWaitListKHR_fn barrier_entry = barrier;
static const clCommandCopyBufferKHR_fn copy_buffer_entry = copy_buffer;
static const clCommandCopyBufferRectKHR_fn copy_rect_entry = copy_rect;
static const clCommandCopyBufferToImageKHR_fn copy_to_image_entry = copy_to_image;
static const clCommandCopyImageKHR_fn copy_image_entry = copy_image;
static const clCommandCopyImageToBufferKHR_fn copy_from_image_entry = copy_from_image;
static const clCommandFillBufferKHR_fn fill_buffer_entry = fill_buffer;
static const clCommandFillImageKHR_fn fill_image_entry = fill_image;
static const clCommandNDRangeKernelKHR_fn ndrange_entry = ndrange;
static const clGetCommandBufferInfoKHR_fn info_entry = info;

void *hc_command_buffer_function(const char *name)
{
	static const struct {
		const char *name;
		const void *entry; /* where the address of the function is */
	} functions[] = {
	    {"clCreateCommandBufferKHR", &create_entry},
	    {"clFinalizeCommandBufferKHR", &finalize_entry},
	    {"clRetainCommandBufferKHR", &retain_entry},
	    {"clReleaseCommandBufferKHR", &release_entry},
	    {"clEnqueueCommandBufferKHR", &enqueue_entry},
	    {"clCommandBarrierWithWaitListKHR", &barrier_entry},
	    {"clCommandCopyBufferKHR", &copy_buffer_entry},
	    {"clCommandCopyBufferRectKHR", &copy_rect_entry},
	    {"clCommandCopyBufferToImageKHR", &copy_to_image_entry},
	    {"clCommandCopyImageKHR", &copy_image_entry},
	    {"clCommandCopyImageToBufferKHR", &copy_from_image_entry},
	    {"clCommandFillBufferKHR", &fill_buffer_entry},
	    {"clCommandFillImageKHR", &fill_image_entry},
	    {"clCommandNDRangeKernelKHR", &ndrange_entry},
	    {"clGetCommandBufferInfoKHR", &info_entry},
	};
	void *address = NULL;
	for (size_t i = 0; i < HD_COUNT(functions); i++)
		if (strcmp(name, functions[i].name) == 0)
			memcpy(&address, functions[i].entry, sizeof address);
	return address;
}
