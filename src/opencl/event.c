/* Events: status, callbacks, waiting. */
#include "opencl/driver.h"

static void destroy(void *object)
{
	cl_event event = object;
	cl_context context = event->context;
	hr_event_destroy(&event->base);
	hr_unuse(context);
}

cl_event hc_event_new(cl_context context, cl_command_queue queue, cl_command_type type, cl_int status)
{
	cl_event event = hc_new(HC_EVENT, sizeof *event, destroy);
	hr_event_init(&event->base, queue ? &queue->base : NULL, status);
	event->context = hr_use(context);
	event->type = type;
	return event;
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

cl_int hc_wait(cl_uint n, const cl_event *list)
{
	cl_int status = CL_SUCCESS;
	for (cl_uint i = 0; i < n; i++) {
		/* A callback of the event may release it. */
		cl_event event = hr_use(list[i]);
		pthread_mutex_lock(&hr_lock);
		hr_event_wait(&event->base);
		if (event->base.status < 0)
			status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
		pthread_mutex_unlock(&hr_lock);
		hr_unuse(event);
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
		return HC_ANSWER(to, cl_command_queue, (cl_command_queue)event->base.queue);
	case CL_EVENT_CONTEXT:
		return HC_ANSWER(to, cl_context, event->context);
	case CL_EVENT_COMMAND_TYPE:
		return HC_ANSWER(to, cl_command_type, event->type);
	case CL_EVENT_REFERENCE_COUNT:
		return HC_ANSWER(to, cl_uint, atomic_load(&event->base.object.refs));
	case CL_EVENT_COMMAND_EXECUTION_STATUS:
		pthread_mutex_lock(&hr_lock);
		cl_int status = event->base.status;
		/* A program that asks again and again may never wait. */
		if (status > CL_COMPLETE && event->base.queue)
			hr_queue_urge(event->base.queue);
		pthread_mutex_unlock(&hr_lock);
		return HC_ANSWER(to, cl_int, status);
	}
	return CL_INVALID_VALUE;
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	if (!hc_is(event, HC_EVENT))
		return CL_INVALID_EVENT;
	pthread_mutex_lock(&hr_lock);
	cl_int status = event->base.status;
	cl_ulong times[4];
	memcpy(times, event->base.times, sizeof times);
	pthread_mutex_unlock(&hr_lock);
	if (!event->base.queue || !(((cl_command_queue)event->base.queue)->properties & CL_QUEUE_PROFILING_ENABLE) || status != CL_COMPLETE)
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
	hr_callback *list = NULL;
	hr_use(event);
	pthread_mutex_lock(&hr_lock);
	bool ended = event->base.status <= CL_COMPLETE;
	if (!ended)
		list = hr_event_change(&event->base, status, 0);
	pthread_mutex_unlock(&hr_lock);
	hr_event_call(&event->base, list, status);
	hr_unuse(event);
	return ended ? CL_INVALID_OPERATION : CL_SUCCESS;
}

typedef struct event_callback {
	void(CL_CALLBACK *call)(cl_event, cl_int, void *);
	void *data;
} event_callback;

static void call_callback(void *event, int status, void *data)
{
	const event_callback callback = *(event_callback *)data;
	free(data);
	callback.call(event, status, callback.data);
}

cl_int clSetEventCallback(cl_event event, cl_int status, void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *data)
{
	if (!hc_is(event, HC_EVENT))
		return CL_INVALID_EVENT;
	if (!call || (status != CL_SUBMITTED && status != CL_RUNNING && status != CL_COMPLETE))
		return CL_INVALID_VALUE;
	event_callback *callback = hd_xmalloc(sizeof *callback);
	*callback = (event_callback){call, data};
	hr_event_add_callback(&event->base, status, call_callback, callback);
	return CL_SUCCESS;
}

cl_int clRetainEvent(cl_event event) { return hc_retain(event, HC_EVENT, CL_INVALID_EVENT); }
cl_int clReleaseEvent(cl_event event) { return hc_release(event, HC_EVENT, CL_INVALID_EVENT); }
