/* Shared virtual memory: fine-grained buffers. An allocation is memory of the host, and its device address is its host address, so that host and
 * device see the same bytes at the same pointers, pointers in data structures included. Mapping moves nothing. Memory with CL_MEM_SVM_ATOMICS is live
 * (launch/live.h): atomics of kernels and of threads of the host that run meanwhile are atomic to each other. */
#include "opencl/driver.h"

#include "runtime/mapped.h"

#define ACCESS_FLAGS ((cl_svm_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY))
enum { LARGEST_ALIGNMENT = 128 /* of long16 and double16 */ };

/* Index of the allocation that holds `size` bytes at `pointer`; shared.n if there is none. hr_lock is held. */
static size_t find(cl_context context, const void *pointer, size_t size)
{
	size_t i = 0;
	for (; i < context->shared.n; i++) {
		const hc_shared *one = &context->shared.at[i];
		uintptr_t offset = (uintptr_t)pointer - (uintptr_t)one->bytes;
		if (offset < one->size && size <= one->size - offset)
			break;
	}
	return i;
}

bool hc_svm_holds(cl_context context, const void *pointer, size_t size)
{
	pthread_mutex_lock(&hr_lock);
	bool holds = find(context, pointer, size) < context->shared.n;
	pthread_mutex_unlock(&hr_lock);
	return holds;
}

void hc_svm_free_all(cl_context context)
{
	for (size_t i = 0; i < context->shared.n; i++)
		hr_unmap(context->shared.at[i].bytes, context->shared.at[i].size);
	hd_vec_free(&context->shared);
}

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
	const cl_svm_mem_flags access = flags & ACCESS_FLAGS;
	const bool live = flags & CL_MEM_SVM_ATOMICS;
	if (!hc_is(context, HC_CONTEXT) || flags & ~(ACCESS_FLAGS | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS) ||
	    (live && !(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER)) || access & (access - 1) || !size || size > hr_device.allocation ||
	    alignment > LARGEST_ALIGNMENT || alignment & (alignment - 1))
		return NULL;
	pthread_mutex_lock(&hr_lock);
	void *bytes = hr_map(&context->shared_hint, size);
	pthread_mutex_unlock(&hr_lock);
	if (!bytes)
		return NULL;
	bool shared = (live ? hd_memory_share_live : hd_memory_share)(hc_memory_lock(context), bytes, size, "shared virtual memory");
	hc_memory_unlock(context);
	if (!shared) {
		hr_unmap(bytes, size);
		return NULL;
	}
	pthread_mutex_lock(&hr_lock);
	hd_vec_push(&context->shared, ((hc_shared){bytes, size}));
	pthread_mutex_unlock(&hr_lock);
	return bytes;
}

/* A pointer that is none of an allocation has no effect. */
void clSVMFree(cl_context context, void *pointer)
{
	if (!hc_is(context, HC_CONTEXT) || !pointer)
		return;
	hc_shared gone = {0};
	pthread_mutex_lock(&hr_lock);
	size_t i = find(context, pointer, 1);
	if (i < context->shared.n && context->shared.at[i].bytes == pointer) {
		gone = context->shared.at[i];
		context->shared.at[i] = context->shared.at[--context->shared.n];
	}
	pthread_mutex_unlock(&hr_lock);
	if (!gone.bytes)
		return;
	hd_memory_release(hc_memory_lock(context), (uintptr_t)gone.bytes);
	hc_memory_unlock(context);
	hr_unmap(gone.bytes, gone.size);
}

/* -- commands ----------------------------------------------------------------------------------------------------------------------------------- */
typedef void(CL_CALLBACK *free_function)(cl_command_queue, cl_uint, void *[], void *);

typedef struct freeing {
	cl_command_queue queue; /* used until the call */
	free_function call;
	void *data;
	cl_uint n;
	void *pointers[];
} freeing;

static void call_free(void *data)
{
	freeing *f = data;
	f->call(f->queue, f->n, f->pointers, f->data);
	hr_unuse(f->queue);
	free(f);
}

static cl_int run_free(hc_command *c, uint64_t *ns)
{
	freeing *f = c->owned;
	*ns = 1;
	if (f->call) {
		c->owned = NULL;
		hr_use(f->queue);
		hr_queue_call(c->base.queue, call_free, f);
		return CL_SUCCESS;
	}
	for (cl_uint i = 0; i < f->n; i++)
		clSVMFree(f->queue->context, f->pointers[i]);
	return CL_SUCCESS;
}

cl_int clEnqueueSVMFree(cl_command_queue queue, cl_uint n_pointers, void *pointers[],
                        void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void *[], void *), void *data, cl_uint n, const cl_event *wait,
                        cl_event *event)
{
	cl_int status = hc_is(queue, HC_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
	if (status == CL_SUCCESS && (n_pointers == 0) != (pointers == NULL))
		status = CL_INVALID_VALUE;
	hc_command *c = status == CL_SUCCESS ? hc_command_new(queue, CL_COMMAND_SVM_FREE, n, wait, &status) : NULL;
	if (!c)
		return status;
	freeing *f = hd_xcalloc(1, sizeof *f + n_pointers * sizeof *pointers);
	f->queue = queue;
	f->call = call;
	f->data = data;
	f->n = n_pointers;
	if (n_pointers)
		memcpy(f->pointers, pointers, n_pointers * sizeof *pointers);
	c->owned = f;
	c->run = run_free;
	return hc_enqueue(c, false, event);
}

static cl_int run_copy(hc_command *c, uint64_t *ns)
{
	memcpy(c->host_to, c->host_from, c->size);
	*ns = hr_transfer_ns(c->size);
	return CL_SUCCESS;
}

cl_int clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t size, cl_uint n, const cl_event *wait,
                          cl_event *event)
{
	cl_int status = hc_is(queue, HC_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
	if (status == CL_SUCCESS && (!to || !from) && size)
		status = CL_INVALID_VALUE;
	if (status == CL_SUCCESS && (uintptr_t)to < (uintptr_t)from + size && (uintptr_t)from < (uintptr_t)to + size)
		status = CL_MEM_COPY_OVERLAP;
	hc_command *c = status == CL_SUCCESS ? hc_command_new(queue, CL_COMMAND_SVM_MEMCPY, n, wait, &status) : NULL;
	if (!c)
		return status;
	c->run = size ? run_copy : NULL;
	c->host_to = to;
	c->host_from = from;
	c->size = size;
	return hc_enqueue(c, blocking, event);
}

static cl_int run_fill(hc_command *c, uint64_t *ns)
{
	for (size_t i = 0; i < c->size; i += c->from_at)
		memcpy((char *)c->host_to + i, c->owned, c->from_at);
	*ns = hr_transfer_ns(c->size);
	return CL_SUCCESS;
}

cl_int clEnqueueSVMMemFill(cl_command_queue queue, void *to, const void *pattern, size_t pattern_size, size_t size, cl_uint n, const cl_event *wait,
                           cl_event *event)
{
	cl_int status = hc_is(queue, HC_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
	if (status == CL_SUCCESS && (!to || !pattern || !pattern_size || pattern_size > LARGEST_ALIGNMENT || pattern_size & (pattern_size - 1) ||
	                             (uintptr_t)to % pattern_size || size % pattern_size))
		status = CL_INVALID_VALUE;
	hc_command *c = status == CL_SUCCESS ? hc_command_new(queue, CL_COMMAND_SVM_MEMFILL, n, wait, &status) : NULL;
	if (!c)
		return status;
	c->run = run_fill;
	c->host_to = to;
	c->size = size;
	c->from_at = pattern_size;
	c->owned = hd_xmalloc(pattern_size);
	memcpy(c->owned, pattern, pattern_size);
	return hc_enqueue(c, false, event);
}

/* A command that moves nothing, because host and device see the same bytes. `pointer` and `size`: of an allocation. */
static cl_int enqueue_nothing(cl_command_queue queue, cl_command_type type, cl_int status, bool blocking, cl_uint n, const cl_event *wait,
                              cl_event *event)
{
	hc_command *c = status == CL_SUCCESS ? hc_command_new(queue, type, n, wait, &status) : NULL;
	return c ? hc_enqueue(c, blocking, event) : status;
}

static cl_int check(cl_command_queue queue, const void *pointer, size_t size)
{
	if (!hc_is(queue, HC_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	return pointer && size && hc_svm_holds(queue->context, pointer, size) ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *pointer, size_t size, cl_uint n, const cl_event *wait,
                       cl_event *event)
{
	const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
	cl_int status = check(queue, pointer, size);
	if (status == CL_SUCCESS && ((flags & ~known) || ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE)))))
		status = CL_INVALID_VALUE;
	return enqueue_nothing(queue, CL_COMMAND_SVM_MAP, status, blocking, n, wait, event);
}

cl_int clEnqueueSVMUnmap(cl_command_queue queue, void *pointer, cl_uint n, const cl_event *wait, cl_event *event)
{
	return enqueue_nothing(queue, CL_COMMAND_SVM_UNMAP, check(queue, pointer, 1), false, n, wait, event);
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint n_pointers, const void **pointers, const size_t *sizes, cl_mem_migration_flags flags,
                              cl_uint n, const cl_event *wait, cl_event *event)
{
	cl_int status = hc_is(queue, HC_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
	if (status == CL_SUCCESS &&
	    (!n_pointers || !pointers || (flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))))
		status = CL_INVALID_VALUE;
	for (cl_uint i = 0; i < n_pointers && status == CL_SUCCESS; i++)
		status = check(queue, pointers[i], sizes && sizes[i] ? sizes[i] : 1);
	return enqueue_nothing(queue, CL_COMMAND_SVM_MIGRATE_MEM, status, false, n, wait, event);
}

/* -- kernels ------------------------------------------------------------------------------------------------------------------------------------ */
cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
	if (!hc_is(kernel, HC_KERNEL))
		return CL_INVALID_KERNEL;
	if (index >= kernel->kernel->params.n)
		return CL_INVALID_ARG_INDEX;
	const hd_param *param = &kernel->kernel->params.at[index];
	hc_arg *arg = &kernel->args[index];
	if (!param->pointer || hc_is_local(param) || hc_pipe_of(param) != HC_PIPE_NONE ||
	    (value && !hc_svm_holds(kernel->program->context, value, 1)))
		return CL_INVALID_ARG_VALUE;
	arg->mem = NULL;
	arg->shared = (uintptr_t)value;
	arg->set = true;
	return CL_SUCCESS;
}

/* Every launch may use every allocation, so the driver needs no list of them. */
cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info what, size_t size, const void *value)
{
	if (!hc_is(kernel, HC_KERNEL))
		return CL_INVALID_KERNEL;
	if (what == CL_KERNEL_EXEC_INFO_SVM_PTRS) /* an empty list is no list */
		return (size != 0) == (value != NULL) && size % sizeof(void *) == 0 ? CL_SUCCESS : CL_INVALID_VALUE;
	if (!value || what != CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM || size != sizeof(cl_bool))
		return CL_INVALID_VALUE;
	cl_bool system;
	memcpy(&system, value, sizeof system);
	return system ? CL_INVALID_OPERATION : CL_SUCCESS;
}
