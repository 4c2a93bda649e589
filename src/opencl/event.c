/* Events: status, callbacks, waiting. */
#include "opencl/driver.h"

static void destroy(void *object)
{
	cl_event event = object;
	while (event->callbacks) {
		hc_callback *next = event->callbacks->next;
		free(event->callbacks);
		event->callbacks = next;
	}
	hd_vec_free(&event->followers);
	hc_unuse(event->queue);
	hc_unuse(event->context);
}

cl_event hc_event_new(cl_context context, cl_command_queue queue, cl_command_type type, cl_int status)
{
	cl_event event = hc_new(HC_EVENT, sizeof *event, destroy);
	event->context = hc_use(context);
	event->queue = hc_use(queue);
	event->type = type;
	event->status = status;
	return event;
}

/* Takes the callbacks registered for `status` or an earlier state. An error counts as the end. hc_lock is held. */
static hc_callback *take_callbacks(cl_event event, cl_int status)
{
	hc_callback *taken = NULL, **at = &event->callbacks;
	while (*at) {
		hc_callback *one = *at;
		if (one->status < status) {
			at = &one->next;
			continue;
		}
		*at = one->next;
		one->next = taken;
		taken = one;
	}
	return taken;
}

void hc_event_call(cl_event event, hc_callback *list, cl_int status)
{
	while (list) {
		hc_callback *next = list->next;
		list->call(event, status < 0 ? status : list->status, list->data);
		free(list);
		list = next;
	}
}

hc_callback *hc_event_change(cl_event event, cl_int status, uint64_t time)
{
	event->status = status;
	event->times[status < 0 ? CL_COMPLETE : status] = time;
	if (status <= CL_COMPLETE) {
		if (event->waiting)
			pthread_cond_broadcast(event->queue ? &event->queue->ended : &hc_user_event_ended);
		for (size_t i = 0; i < event->followers.n; i++)
			hc_queue_urge(event->followers.at[i]);
		event->followers.n = 0;
	}
	return take_callbacks(event, status);
}

cl_int hc_wait_list(cl_context context, cl_uint n, const cl_event *list)
{
	if ((n == 0) != (list == NULL))
		return CL_INVALID_EVENT_WAIT_LIST;
	for (cl_uint i = 0; i < n; i++) {
		if (!hc_is(list[i], HC_EVENT))
			return CL_INVALID_EVENT_WAIT_LIST;
		if (list[i]->context != context)
			return CL_INVALID_CONTEXT;
	}
	return CL_SUCCESS;
}

/* hc_lock is held before and after, not in between. */
static void wait_for(cl_event event)
{
	cl_command_queue queue = event->queue;
	event->waiting++;
	while (event->status > CL_COMPLETE) {
		if (queue)
			hc_queue_wait(queue);
		else
			pthread_cond_wait(&hc_user_event_ended, &hc_lock);
	}
	event->waiting--;
}

cl_int hc_wait(cl_uint n, const cl_event *list)
{
	cl_int status = CL_SUCCESS;
	for (cl_uint i = 0; i < n; i++) {
		/* A callback of the event may release it. */
		cl_event event = hc_use(list[i]);
		pthread_mutex_lock(&hc_lock);
		wait_for(event);
		if (event->status < 0)
			status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
		pthread_mutex_unlock(&hc_lock);
		hc_unuse(event);
	}
	return status;
}

cl_int clWaitForEvents(cl_uint n, const cl_event *list)
{
	if (n == 0 || !list)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < n; i++) {
		if (!hc_is(list[i], HC_EVENT))
			return CL_INVALID_EVENT;
		if (list[i]->context != list[0]->context)
			return CL_INVALID_CONTEXT;
	}
	return hc_wait(n, list);
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	if (!hc_is(event, HC_EVENT))
		return CL_INVALID_EVENT;
	switch (what) {
	case CL_EVENT_COMMAND_QUEUE:
		return HC_ANSWER(to, cl_command_queue, event->queue);
	case CL_EVENT_CONTEXT:
		return HC_ANSWER(to, cl_context, event->context);
	case CL_EVENT_COMMAND_TYPE:
		return HC_ANSWER(to, cl_command_type, event->type);
	case CL_EVENT_REFERENCE_COUNT:
		return HC_ANSWER(to, cl_uint, atomic_load(&event->object.refs));
	case CL_EVENT_COMMAND_EXECUTION_STATUS:
		pthread_mutex_lock(&hc_lock);
		cl_int status = event->status;
		/* A program that asks again and again may never wait. */
		if (status > CL_COMPLETE && event->queue)
			hc_queue_urge(event->queue);
		pthread_mutex_unlock(&hc_lock);
		return HC_ANSWER(to, cl_int, status);
	}
	return CL_INVALID_VALUE;
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	if (!hc_is(event, HC_EVENT))
		return CL_INVALID_EVENT;
	pthread_mutex_lock(&hc_lock);
	cl_int status = event->status;
	cl_ulong times[4];
	memcpy(times, event->times, sizeof times);
	pthread_mutex_unlock(&hc_lock);
	if (!event->queue || !(event->queue->properties & CL_QUEUE_PROFILING_ENABLE) || status != CL_COMPLETE)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	switch (what) {
	case CL_PROFILING_COMMAND_QUEUED:
		return HC_ANSWER(to, cl_ulong, times[CL_QUEUED]);
	case CL_PROFILING_COMMAND_SUBMIT:
		return HC_ANSWER(to, cl_ulong, times[CL_SUBMITTED]);
	case CL_PROFILING_COMMAND_START:
		return HC_ANSWER(to, cl_ulong, times[CL_RUNNING]);
	case CL_PROFILING_COMMAND_END:
	case CL_PROFILING_COMMAND_COMPLETE:
		return HC_ANSWER(to, cl_ulong, times[CL_COMPLETE]);
	}
	return CL_INVALID_VALUE;
}

cl_event clCreateUserEvent(cl_context context, cl_int *status)
{
	bool ok = hc_is(context, HC_CONTEXT);
	hc_set(status, ok ? CL_SUCCESS : CL_INVALID_CONTEXT);
	return ok ? hc_event_new(context, NULL, CL_COMMAND_USER, CL_SUBMITTED) : NULL;
}

cl_int clSetUserEventStatus(cl_event event, cl_int status)
{
	if (!hc_is(event, HC_EVENT) || event->type != CL_COMMAND_USER)
		return CL_INVALID_EVENT;
	if (status > CL_COMPLETE)
		return CL_INVALID_VALUE;
	hc_callback *list = NULL;
	hc_use(event);
	pthread_mutex_lock(&hc_lock);
	bool ended = event->status <= CL_COMPLETE;
	if (!ended)
		list = hc_event_change(event, status, 0);
	pthread_mutex_unlock(&hc_lock);
	hc_event_call(event, list, status);
	hc_unuse(event);
	return ended ? CL_INVALID_OPERATION : CL_SUCCESS;
}

cl_int clSetEventCallback(cl_event event, cl_int status, void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *data)
{
	if (!hc_is(event, HC_EVENT))
		return CL_INVALID_EVENT;
	if (!call || (status != CL_SUBMITTED && status != CL_RUNNING && status != CL_COMPLETE))
		return CL_INVALID_VALUE;
	hc_callback *one = hd_xmalloc(sizeof *one);
	*one = (hc_callback){.status = status, .call = call, .data = data};
	pthread_mutex_lock(&hc_lock);
	cl_int now = event->status;
	if (now > status) {
		one->next = event->callbacks;
		event->callbacks = one;
		one = NULL;
		/* The program may go on when it is called, and never wait. */
		if (event->queue)
			hc_queue_urge(event->queue);
	}
	pthread_mutex_unlock(&hc_lock);
	hc_event_call(event, one, now);
	return CL_SUCCESS;
}

cl_int clRetainEvent(cl_event event) { return hc_retain(event, HC_EVENT, CL_INVALID_EVENT); }
cl_int clReleaseEvent(cl_event event) { return hc_release(event, HC_EVENT, CL_INVALID_EVENT); }
