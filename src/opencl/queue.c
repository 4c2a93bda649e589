/* Command queues. A queue's commands run one at a time. An in-order queue runs them in order. An out-of-order queue runs the first command whose wait
 * list has ended.
 *
 * Who runs them. A thread of the program that waits for an event of the queue (clFinish, a blocking command, clWaitForEvents) runs the commands
 * itself, because a switch to another thread costs more than a small launch. For programs that do not wait, each queue has a thread of its own. It
 * begins when a command is as old as PATIENCE_NS and no thread has come, or at once when the queue is urged: another queue waits for it, or the
 * program asks for the status of an event or registers a callback. While it has had work lately, it looks at the queue at that interval, so that an
 * enqueue need not wake it.
 *
 * Functions of the program (callbacks, destructors, the context's notification) are called on the queue's thread only: a thread of the program may
 * hold a lock that such a function takes. For the same reason they are called when no command runs on the queue's thread: the program may wait for
 * that command with the lock. Programs rely on it that clFinish and blocking commands return after the callbacks of earlier commands. So these wait
 * for them, but not for ever.
 *
 * While the queue's thread is in such a function, it runs no command, and the function may need the end of one: it may wait for the command, or for a
 * lock that a waiting thread holds. Any thread that waits for an event of the queue, or of a queue that waits for this one, may then be the one that
 * has to run it. So each of them looks again after LOOK_NS. */
#include "opencl/driver.h"

#include <errno.h>
#include <fenv.h>
#include <time.h>

enum {
	PATIENCE_NS = 500 * 1000,
	IDLE_TURNS = 8,               /* times that the queue's thread finds nothing before it waits without a limit */
	DEPTH = 4,                    /* of queues that wait for each other, in which a thread that waits runs commands */
	LOOK_NS = 2 * 1000 * 1000,    /* after which a thread that waits looks again whether it can run a command */
	CALLS_NS = 100 * 1000 * 1000, /* how long a blocking call waits for functions of the program */
	SECOND_NS = 1000 * 1000 * 1000,
};

static void destroy(void *object)
{
	cl_command_queue queue = object;
	pthread_cond_destroy(&queue->wake);
	pthread_cond_destroy(&queue->ended);
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

/* The functions of this section require hc_lock. */
static void signal_thread(cl_command_queue queue)
{
	queue->asleep = false;
	pthread_cond_signal(&queue->wake);
}

/* Wakes the queue's thread if it would not look at the queue soon. */
static void rouse(cl_command_queue queue)
{
	if (queue->asleep)
		signal_thread(queue);
}

void hc_queue_urge(cl_command_queue queue)
{
	if (!queue->urgent || queue->asleep)
		signal_thread(queue);
	queue->urgent = true;
}

/* -- functions of the program --------------------------------------------------------------------------------------------------------------- */

/* Leaves a call to the queue's thread. hc_lock is held. */
static void call_later(cl_command_queue queue, void (*call)(void *data), void *data)
{
	hc_call *one = hd_xmalloc(sizeof *one);
	*one = (hc_call){.call = call, .data = data};
	*queue->last_call = one;
	queue->last_call = &one->next;
	queue->posted++;
	signal_thread(queue);
}

void hc_command_call(hc_command *command, void (*call)(void *data), void *data)
{
	pthread_mutex_lock(&hc_lock);
	call_later(command->queue, call, data);
	pthread_mutex_unlock(&hc_lock);
}

/* The functions from here to await_calls require hc_lock. */
static void call_ended(cl_command_queue queue)
{
	queue->made++;
	if (queue->awaiting)
		pthread_cond_broadcast(&queue->ended);
}

/* Releases the lock meanwhile. */
static void make_call(cl_command_queue queue)
{
	hc_call *one = queue->calls;
	queue->calls = one->next;
	if (!queue->calls)
		queue->last_call = &queue->calls;
	pthread_mutex_unlock(&hc_lock);
	one->call(one->data);
	free(one);
	pthread_mutex_lock(&hc_lock);
	call_ended(queue);
}

/* On the clock of the conditions. */
static struct timespec in_ns(long ns)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += ns;
	t.tv_sec += t.tv_nsec / SECOND_NS;
	t.tv_nsec %= SECOND_NS;
	return t;
}

/* Waits for the calls that have been left to the queue's thread, unless this is that thread. Releases the lock meanwhile. */
static void await_calls(cl_command_queue queue)
{
	uint64_t all = queue->posted;
	if (queue->made >= all || pthread_equal(queue->thread, pthread_self()))
		return;
	struct timespec until = in_ns(CALLS_NS);
	queue->awaiting++;
	while (queue->made < all && pthread_cond_timedwait(&queue->ended, &hc_lock, &until) == 0)
		continue;
	queue->awaiting--;
}

typedef struct callbacks {
	cl_event event; /* used */
	hc_callback *list;
	cl_int status;
} callbacks;

static void call_callbacks(void *data)
{
	callbacks *c = data;
	hc_event_call(c->event, c->list, c->status);
	hc_unuse(c->event);
	free(c);
}

static void free_command(void *data) { hc_command_free(data); }

/* -- running commands ----------------------------------------------------------------------------------------------------------------------- */

/* A new status for the command's event. hc_lock is held. */
static void advance(hc_command *command, cl_int status, uint64_t ns)
{
	hc_callback *list = hc_event_change(command->event, status, hc_device.clock += ns);
	if (!list)
		return;
	callbacks *c = hd_xmalloc(sizeof *c);
	*c = (callbacks){.event = hc_use(command->event), .list = list, .status = status};
	call_later(command->queue, call_callbacks, c);
}

/* Kernels compute in the default floating-point environment, whatever that of the calling thread is. */
static cl_int run_command(hc_command *command, uint64_t *ns)
{
	fenv_t environment;
	if (!command->run)
		return CL_SUCCESS;
	fegetenv(&environment);
	fesetenv(FE_DFL_ENV);
	cl_int status = command->run(command, ns);
	fesetenv(&environment);
	return status;
}

/* Runs a command to its end. hc_lock is held before and after, not in between. */
static void execute(cl_command_queue queue, hc_command *command, bool failed, bool on_caller)
{
	cl_int status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	uint64_t ns = 0;
	queue->busy = true;
	advance(command, CL_SUBMITTED, 0);
	if (!failed) {
		advance(command, CL_RUNNING, 0);
		pthread_mutex_unlock(&hc_lock);
		status = run_command(command, &ns);
		pthread_mutex_lock(&hc_lock);
		queue->failed = status < 0 ? status : queue->failed;
	}
	unlink_command(queue, command);
	queue->busy = false;
	queue->served++;
	/* The command is in no list any more, and the queue's thread may end when it has no calls. */
	bool later = on_caller && atomic_load(&queue->context->has_destructors);
	if (later)
		call_later(queue, free_command, command);
	advance(command, status < 0 ? status : CL_COMPLETE, ns);
	if (later)
		return;
	queue->posted++; /* the end of the command may call destructors */
	pthread_mutex_unlock(&hc_lock);
	hc_command_free(command);
	pthread_mutex_lock(&hc_lock);
	call_ended(queue);
}

/* Has this thread run a command that the queue waits for, in another queue. `depth`: of queues that wait for each other. */
static bool help_others(cl_command_queue queue, unsigned depth);

static bool help(cl_command_queue queue, unsigned depth)
{
	bool failed;
	if (queue->busy)
		return false;
	hc_command *command = choose(queue, &failed);
	if (!command)
		return depth && help_others(queue, depth - 1);
	hc_use(queue); /* its last command may be this one */
	execute(queue, command, failed, true);
	/* The thread may have what it waited for. What is left is for others. */
	if (queue->first && (queue->urgent || queue->asleep))
		signal_thread(queue);
	pthread_mutex_unlock(&hc_lock);
	hc_unuse(queue);
	pthread_mutex_lock(&hc_lock);
	return true;
}

static bool help_others(cl_command_queue queue, unsigned depth)
{
	for (const hc_command *command = queue->first; command; command = command->next) {
		for (cl_uint i = 0; i < command->n_wait; i++) {
			cl_event event = command->wait[i];
			if (event->status > CL_COMPLETE && event->queue && event->queue != queue && help(event->queue, depth))
				return true;
		}
		if (!(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
			break;
	}
	return false;
}

void hc_queue_wait(cl_command_queue queue)
{
	if (help(queue, DEPTH))
		return;
	hc_queue_urge(queue);
	struct timespec until = in_ns(LOOK_NS);
	pthread_cond_timedwait(&queue->ended, &hc_lock, &until);
}

/* Waits for `wake`, at most PATIENCE_NS. True when the time is over. */
static bool wait_a_while(cl_command_queue queue)
{
	struct timespec until = in_ns(PATIENCE_NS);
	return pthread_cond_timedwait(&queue->wake, &hc_lock, &until) == ETIMEDOUT;
}

static void wait_for_signal(cl_command_queue queue)
{
	queue->asleep = true;
	while (queue->asleep)
		pthread_cond_wait(&queue->wake, &hc_lock);
}

static void *serve(void *argument)
{
	cl_command_queue queue = argument;
	bool late = false; /* a command has waited for long */
	unsigned idle = 0;
	pthread_mutex_lock(&hc_lock);
	while (queue->first || queue->calls || !queue->closing) {
		bool failed, busy = queue->busy;
		hc_command *command = busy ? NULL : choose(queue, &failed);
		if (queue->calls) {
			make_call(queue);
		} else if (command && (late || queue->urgent)) {
			execute(queue, command, failed, false);
		} else if (command || idle < IDLE_TURNS) {
			uint64_t served = queue->served;
			queue->urgent = queue->urgent && busy;
			late = wait_a_while(queue) && command && served == queue->served;
			idle = command || served != queue->served ? 0 : idle + 1;
		} else {
			queue->urgent = queue->urgent && busy;
			late = false;
			wait_for_signal(queue);
			idle = 0;
		}
	}
	pthread_mutex_unlock(&hc_lock);
	hc_unuse(queue);
	return NULL;
}

/* The conditions of a queue. The time of waits is not the one that an administrator can set. */
static void init_conditions(cl_command_queue queue)
{
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->wake, &attributes);
	pthread_cond_init(&queue->ended, &attributes);
	pthread_condattr_destroy(&attributes);
}

static cl_command_queue create(cl_context context, cl_command_queue_properties properties, hc_priority priority, cl_int *status)
{
	cl_command_queue queue = hc_new(HC_QUEUE, sizeof *queue, destroy);
	pthread_attr_t detached;
	queue->context = hc_use(context);
	queue->properties = properties;
	queue->priority = priority;
	queue->last = &queue->first;
	queue->last_call = &queue->calls;
	init_conditions(queue);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	hc_use(queue);
	int failure = pthread_create(&queue->thread, &detached, serve, queue);
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

static const cl_command_queue_properties of_host = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
static const cl_command_queue_properties of_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

/* Of clCreateCommandQueue, which makes queues of the host alone. */
static cl_int check_bits(cl_command_queue_properties bits)
{
	if (bits & ~(of_host | of_device))
		return CL_INVALID_VALUE;
	return bits & of_device ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

static cl_int read_priority(cl_queue_properties value, hc_priority *priority)
{
	switch (value) {
	case CL_QUEUE_PRIORITY_HIGH_KHR:
		*priority = HC_PRIORITY_HIGH;
		return CL_SUCCESS;
	case CL_QUEUE_PRIORITY_MED_KHR:
		*priority = HC_PRIORITY_MEDIUM;
		return CL_SUCCESS;
	case CL_QUEUE_PRIORITY_LOW_KHR:
		*priority = HC_PRIORITY_LOW;
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
	return error == CL_SUCCESS ? create(context, properties, HC_PRIORITY_MEDIUM, status) : NULL;
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device, const cl_queue_properties *list, cl_int *status)
{
	hc_queue_wish wish = {.priority = HC_PRIORITY_MEDIUM};
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
		return HC_ANSWER(to, cl_uint, atomic_load(&queue->object.refs));
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

/* Has the end of what the command waits for wake its queue. hc_lock is held. */
static void follow(hc_command *command)
{
	for (cl_uint i = 0; i < command->n_wait; i++) {
		cl_event event = command->wait[i];
		if (event->status > CL_COMPLETE && event->queue != command->queue)
			hd_vec_push(&event->followers, command->queue);
	}
}

cl_int hc_enqueue(hc_command *command, bool blocking, cl_event *event)
{
	cl_command_queue queue = command->queue;
	if (queue->recording)
		return hc_record(command);
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
	follow(command);
	rouse(queue);
	pthread_mutex_unlock(&hc_lock);
	if (blocking) {
		hc_wait(1, &own);
		pthread_mutex_lock(&hc_lock);
		await_calls(queue);
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
	hc_use(queue);
	cl_int status = hc_release(queue, HC_QUEUE, CL_INVALID_COMMAND_QUEUE);
	pthread_mutex_lock(&hc_lock);
	if (atomic_load(&queue->object.refs) == 0) {
		queue->closing = true;
		hc_queue_urge(queue);
	}
	pthread_mutex_unlock(&hc_lock);
	hc_unuse(queue);
	return status;
}
