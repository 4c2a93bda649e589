/* Contexts: one device, one memory. */
#include "opencl/driver.h"

static void destroy(void *object)
{
	cl_context context = object;
	hc_destructors_run(context->destructors, context);
	hd_memory_free(context->memory);
	if (context->events)
		hd_clk_events_free(context->events);
	free(context->events);
	hc_svm_free_all(context);
	hr_priority_mutex_destroy(&context->memory_lock);
	free(context->properties);
}

static cl_int check_properties(const cl_context_properties *list)
{
	bool platform = false, sync = false;
	for (; list && list[0]; list += 2) {
		bool *seen = list[0] == CL_CONTEXT_PLATFORM ? &platform : list[0] == CL_CONTEXT_INTEROP_USER_SYNC ? &sync : NULL;
		if (!seen || *seen)
			return CL_INVALID_PROPERTY;
		if (seen == &platform && (cl_platform_id)list[1] != &hc_platform)
			return CL_INVALID_PLATFORM;
		if (seen == &sync && list[1] != CL_FALSE && list[1] != CL_TRUE)
			return CL_INVALID_PROPERTY;
		*seen = true;
	}
	return CL_SUCCESS;
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *status)
{
	cl_int error = hc_start() ? check_properties(properties) : CL_DEVICE_NOT_AVAILABLE;
	if (error == CL_SUCCESS && (!devices || n == 0 || (!notify && data)))
		error = CL_INVALID_VALUE;
	for (cl_uint i = 0; i < n && error == CL_SUCCESS; i++)
		if (devices[i] != &hc_device)
			error = CL_INVALID_DEVICE;
	hc_set(status, error);
	if (error != CL_SUCCESS)
		return NULL;
	cl_context context = hc_new(HC_CONTEXT, sizeof *context, destroy);
	uint64_t *copy;
	context->n_properties = hc_properties((const uint64_t *)properties, &copy);
	context->properties = (cl_context_properties *)copy;
	context->notify = notify;
	context->notify_data = data;
	hr_priority_mutex_init(&context->memory_lock);
	context->memory = hd_memory_new(hr_device.memory);
	hd_memory_set_bounds(context->memory, hr_device.bounds);
	return context;
}

cl_context clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                   void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *status)
{
	const cl_device_type known =
	    CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
	cl_device_id device = &hc_device;
	cl_int error = check_properties(properties);
	if (error == CL_SUCCESS && type != CL_DEVICE_TYPE_ALL && (!type || (type & ~known)))
		error = CL_INVALID_DEVICE_TYPE;
	if (error == CL_SUCCESS && (!hc_start() || !(type & (CL_DEVICE_TYPE_DEFAULT | hc_device_type()))))
		error = CL_DEVICE_NOT_FOUND;
	if (error == CL_SUCCESS)
		return clCreateContext(properties, 1, &device, notify, data, status);
	hc_set(status, error);
	return NULL;
}

cl_int clGetContextInfo(cl_context context, cl_context_info what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	if (!hc_is(context, HC_CONTEXT))
		return CL_INVALID_CONTEXT;
	switch (what) {
	case CL_CONTEXT_REFERENCE_COUNT:
		return HC_ANSWER(to, cl_uint, atomic_load(&context->object.refs));
	case CL_CONTEXT_NUM_DEVICES:
		return HC_ANSWER(to, cl_uint, 1);
	case CL_CONTEXT_DEVICES:
		return HC_ANSWER(to, cl_device_id, &hc_device);
	case CL_CONTEXT_PROPERTIES:
		return hc_answer_bytes(to, context->properties, context->n_properties * sizeof *context->properties);
	}
	return CL_INVALID_VALUE;
}

typedef struct context_callback {
	void(CL_CALLBACK *call)(cl_context, void *);
	void *data;
} context_callback;

static void call_context(void *object, void *data)
{
	const context_callback callback = *(context_callback *)data;
	free(data);
	callback.call(object, callback.data);
}

cl_int clSetContextDestructorCallback(cl_context context, void(CL_CALLBACK *call)(cl_context, void *), void *data)
{
	if (!hc_is(context, HC_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!call)
		return CL_INVALID_VALUE;
	context_callback *callback = hd_xmalloc(sizeof *callback);
	*callback = (context_callback){call, data};
	atomic_store(&context->has_destructors, true);
	hc_destructors_add(&context->destructors, call_context, callback);
	return CL_SUCCESS;
}

cl_int clRetainContext(cl_context context) { return hc_retain(context, HC_CONTEXT, CL_INVALID_CONTEXT); }
cl_int clReleaseContext(cl_context context) { return hc_release(context, HC_CONTEXT, CL_INVALID_CONTEXT); }
