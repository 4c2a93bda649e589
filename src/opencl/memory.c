/* Buffers and sub-buffers, and what they have in common with pipes. The bytes of a buffer are in the context's device memory from its creation on.
 * The bytes of a buffer on memory of the program (CL_MEM_USE_HOST_PTR) are copied there, and back whenever the buffer is mapped. */
#include "opencl/driver.h"

#define HOST_PTR_FLAGS ((cl_mem_flags)(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
#define ACCESS_FLAGS ((cl_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY))
#define HOST_ACCESS_FLAGS ((cl_mem_flags)(CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS))
#define BASE_ALIGNMENT 128

hd_memory *hc_memory_lock(cl_context context) { return hc_memory_lock_for(context, HR_PRIORITY_HIGH); }

hd_memory *hc_memory_lock_for(cl_context context, hr_priority priority)
{
	hr_priority_mutex_lock(&context->memory_lock, priority);
	return context->memory;
}

void hc_memory_unlock(cl_context context) { hr_priority_mutex_unlock(&context->memory_lock); }

static void destroy(void *object)
{
	cl_mem mem = object;
	hc_destructors_run(mem->destructors, mem);
	while (mem->mappings) {
		hc_mapping *next = mem->mappings->next;
		free(mem->mappings);
		mem->mappings = next;
	}
	if (!mem->parent && mem->address && !mem->shared) {
		hd_memory_release(hc_memory_lock(mem->context), mem->address);
		hc_memory_unlock(mem->context);
	}
	free(mem->properties);
	hr_unuse(mem->parent);
	hr_unuse(mem->context);
}

/* True when at most one bit is set. */
static bool single(cl_mem_flags bits) { return !(bits & (bits - 1)); }

static cl_int check_flags(cl_mem_flags flags, const void *host)
{
	if (flags & ~(ACCESS_FLAGS | HOST_ACCESS_FLAGS | HOST_PTR_FLAGS))
		return CL_INVALID_VALUE;
	if (!single(flags & ACCESS_FLAGS) || !single(flags & HOST_ACCESS_FLAGS))
		return CL_INVALID_VALUE;
	if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
		return CL_INVALID_VALUE;
	return (host != NULL) == ((flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

bool hc_mem_allocate(cl_mem mem, bool of_host, const char *name)
{
	hd_memory *memory = hc_memory_lock(mem->context);
	mem->address = (of_host ? hd_memory_alloc_system : hd_memory_alloc)(memory, mem->size, name);
	mem->bytes = mem->address ? hd_memory_at(memory, mem->address, mem->size) : NULL;
	hc_memory_unlock(mem->context);
	return mem->address != 0;
}

cl_mem hc_mem_new(cl_context context, cl_mem_flags flags, size_t size)
{
	cl_mem mem = hc_new(HC_MEM, sizeof *mem, destroy);
	mem->context = hr_use(context);
	mem->size = size;
	mem->flags = flags & ACCESS_FLAGS ? flags : flags | CL_MEM_READ_WRITE;
	return mem;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *status)
{
	cl_int error = hc_is(context, HC_CONTEXT) ? check_flags(flags, host) : CL_INVALID_CONTEXT;
	bool shared = error == CL_SUCCESS && (flags & CL_MEM_USE_HOST_PTR) && hc_svm_holds(context, host, 1);
	if (error == CL_SUCCESS && (size == 0 || size > hr_device.allocation || (shared && !hc_svm_holds(context, host, size))))
		error = CL_INVALID_BUFFER_SIZE;
	hc_set(status, error);
	if (error != CL_SUCCESS)
		return NULL;
	cl_mem mem = hc_mem_new(context, flags, size);
	if (shared) {
		mem->shared = true;
		mem->address = (uintptr_t)host;
		mem->bytes = mem->host_ptr = host;
		return mem;
	}
	/* Where the machine has a host interface, this is how a program asks for memory of the host (PD-38). */
	if (!hc_mem_allocate(mem, (flags & CL_MEM_ALLOC_HOST_PTR) && hr_device.machine.host_bytes_per_cycle, "a buffer")) {
		hc_set(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
		hr_unuse(mem);
		return NULL;
	}
	if (host)
		memcpy(mem->bytes, host, size);
	if (flags & CL_MEM_USE_HOST_PTR)
		mem->host_ptr = host;
	return mem;
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t size, void *host,
                                    cl_int *status)
{
	if (hc_is(context, HC_CONTEXT) && properties && *properties) {
		hc_set(status, CL_INVALID_PROPERTY);
		return NULL;
	}
	cl_mem mem = clCreateBuffer(context, flags, size, host, status);
	if (mem)
		mem->n_properties = hc_properties(properties, &mem->properties);
	return mem;
}

static cl_int check_sub_flags(cl_mem parent, cl_mem_flags flags)
{
	if ((flags & ~(ACCESS_FLAGS | HOST_ACCESS_FLAGS)) || !single(flags & ACCESS_FLAGS) || !single(flags & HOST_ACCESS_FLAGS))
		return CL_INVALID_VALUE;
	if ((parent->flags & CL_MEM_WRITE_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)))
		return CL_INVALID_VALUE;
	if ((parent->flags & CL_MEM_READ_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)))
		return CL_INVALID_VALUE;
	if ((parent->flags & CL_MEM_HOST_WRITE_ONLY) && (flags & CL_MEM_HOST_READ_ONLY))
		return CL_INVALID_VALUE;
	if ((parent->flags & CL_MEM_HOST_READ_ONLY) && (flags & CL_MEM_HOST_WRITE_ONLY))
		return CL_INVALID_VALUE;
	if ((parent->flags & CL_MEM_HOST_NO_ACCESS) && (flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)))
		return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

static cl_int check_region(cl_mem parent, const cl_buffer_region *region)
{
	if (!region)
		return CL_INVALID_VALUE;
	if (region->size == 0)
		return CL_INVALID_BUFFER_SIZE;
	if (region->origin > parent->size || region->size > parent->size - region->origin)
		return CL_INVALID_VALUE;
	return region->origin % BASE_ALIGNMENT ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS;
}

cl_mem clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *status)
{
	const cl_buffer_region *region = info;
	cl_int error = hc_is_buffer(parent) && !parent->parent ? check_sub_flags(parent, flags) : CL_INVALID_MEM_OBJECT;
	if (error == CL_SUCCESS && type != CL_BUFFER_CREATE_TYPE_REGION)
		error = CL_INVALID_VALUE;
	if (error == CL_SUCCESS)
		error = check_region(parent, region);
	hc_set(status, error);
	if (error != CL_SUCCESS)
		return NULL;
	cl_mem mem = hc_new(HC_MEM, sizeof *mem, destroy);
	mem->context = hr_use(parent->context);
	mem->parent = hr_use(parent);
	mem->offset = region->origin;
	mem->size = region->size;
	/* A sub-buffer inherits properties that its flags do not set. */
	mem->flags = flags | (parent->flags & HOST_PTR_FLAGS);
	if (!(flags & ACCESS_FLAGS))
		mem->flags |= parent->flags & ACCESS_FLAGS;
	if (!(flags & HOST_ACCESS_FLAGS))
		mem->flags |= parent->flags & HOST_ACCESS_FLAGS;
	mem->address = parent->address + region->origin;
	mem->bytes = parent->bytes + region->origin;
	mem->host_ptr = parent->host_ptr ? parent->host_ptr + region->origin : NULL;
	return mem;
}

cl_int clGetMemObjectInfo(cl_mem mem, cl_mem_info what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	if (!hc_is(mem, HC_MEM))
		return CL_INVALID_MEM_OBJECT;
	switch (what) {
	case CL_MEM_TYPE:
		return HC_ANSWER(to, cl_mem_object_type, mem->packets ? CL_MEM_OBJECT_PIPE : CL_MEM_OBJECT_BUFFER);
	case CL_MEM_FLAGS:
		return HC_ANSWER(to, cl_mem_flags, mem->flags);
	case CL_MEM_SIZE:
		return HC_ANSWER(to, size_t, mem->size);
	case CL_MEM_HOST_PTR:
		return HC_ANSWER(to, void *, mem->host_ptr);
	case CL_MEM_MAP_COUNT:
		pthread_mutex_lock(&hr_lock);
		cl_uint maps = mem->n_mappings;
		pthread_mutex_unlock(&hr_lock);
		return HC_ANSWER(to, cl_uint, maps);
	case CL_MEM_REFERENCE_COUNT:
		return HC_ANSWER(to, cl_uint, atomic_load(&mem->object.refs));
	case CL_MEM_CONTEXT:
		return HC_ANSWER(to, cl_context, mem->context);
	case CL_MEM_ASSOCIATED_MEMOBJECT:
		return HC_ANSWER(to, cl_mem, mem->parent);
	case CL_MEM_OFFSET:
		return HC_ANSWER(to, size_t, mem->offset);
	case CL_MEM_USES_SVM_POINTER:
		return HC_ANSWER(to, cl_bool, mem->parent ? mem->parent->shared : mem->shared);
	case CL_MEM_PROPERTIES:
		return hc_answer_bytes(to, mem->properties, mem->n_properties * sizeof *mem->properties);
	}
	return CL_INVALID_VALUE;
}

typedef struct mem_callback {
	void(CL_CALLBACK *call)(cl_mem, void *);
	void *data;
} mem_callback;

static void call_mem(void *object, void *data)
{
	const mem_callback callback = *(mem_callback *)data;
	free(data);
	callback.call(object, callback.data);
}

cl_int clSetMemObjectDestructorCallback(cl_mem mem, void(CL_CALLBACK *call)(cl_mem, void *), void *data)
{
	if (!hc_is(mem, HC_MEM))
		return CL_INVALID_MEM_OBJECT;
	if (!call)
		return CL_INVALID_VALUE;
	mem_callback *callback = hd_xmalloc(sizeof *callback);
	*callback = (mem_callback){call, data};
	atomic_store(&mem->context->has_destructors, true);
	hc_destructors_add(&mem->destructors, call_mem, callback);
	return CL_SUCCESS;
}

cl_int clRetainMemObject(cl_mem mem) { return hc_retain(mem, HC_MEM, CL_INVALID_MEM_OBJECT); }
cl_int clReleaseMemObject(cl_mem mem) { return hc_release(mem, HC_MEM, CL_INVALID_MEM_OBJECT); }
