/* Pipes. A pipe is a memory object that kernels alone read and write. The functions of kernels are in lib/pipe.inc, which knows the same layout. */
#include "opencl/driver.h"

/* The layout: the head, `max` slots, and `max` packets, aligned to what the largest type is aligned to. All numbers are little-endian. */
enum {
	HEAD = 64,
	AT_WRITTEN = 0, /* 64 bits: the next packet to be written */
	AT_READ = 8,    /* 64 bits: the next packet to be read */
	AT_MAX = 16,    /* 32 bits */
	AT_SIZE = 20,   /* 32 bits */
	SLOT = 16,      /* 64 bits: whose turn the slot is; 64 bits: packets of a reservation */
	ALIGNMENT = 128,
};

bool hc_is_buffer(const void *object) { return hc_is(object, HC_MEM) && !((cl_mem)(uintptr_t)object)->packets; }

hc_pipe_access hc_pipe_of(const hd_param *param)
{
	const char *type = param->source_type ? param->source_type : "";
	return strncmp(type, "read_only pipe ", 15) == 0 ? HC_PIPE_READ : strncmp(type, "write_only pipe ", 16) == 0 ? HC_PIPE_WRITE : HC_PIPE_NONE;
}

static void put(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

/* An empty pipe: each slot belongs to who writes the first packet into it. */
static void format(cl_mem pipe)
{
	memset(pipe->bytes, 0, HEAD + (size_t)SLOT * pipe->packets);
	put(pipe->bytes + AT_MAX, pipe->packets, 4);
	put(pipe->bytes + AT_SIZE, pipe->packet_size, 4);
	for (size_t i = 0; i < pipe->packets; i++)
		put(pipe->bytes + HEAD + SLOT * i, 2 * i, 8);
}

static cl_int check(cl_context context, cl_mem_flags flags, cl_uint size, cl_uint n, const cl_pipe_properties *properties)
{
	if (!hc_is(context, HC_CONTEXT))
		return CL_INVALID_CONTEXT;
	if ((flags & ~(cl_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS)) || (properties && *properties))
		return CL_INVALID_VALUE;
	return size == 0 || size > HC_PACKET_MAX || n == 0 ? CL_INVALID_PIPE_SIZE : CL_SUCCESS;
}

cl_mem clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint size, cl_uint n, const cl_pipe_properties *properties, cl_int *status)
{
	cl_int error = check(context, flags, size, n, properties);
	uint64_t slots = (HEAD + (uint64_t)SLOT * n + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1), bytes = slots + (uint64_t)size * n;
	if (error == CL_SUCCESS && bytes > hr_device.allocation)
		error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	cl_mem pipe = error == CL_SUCCESS ? hc_mem_new(context, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, bytes) : NULL;
	if (pipe && !hc_mem_allocate(pipe, false, "a pipe")) {
		hr_unuse(pipe);
		pipe = NULL;
		error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	}
	hc_set(status, error);
	if (!pipe)
		return NULL;
	pipe->packets = n;
	pipe->packet_size = size;
	pipe->n_properties = hc_properties((const uint64_t *)properties, &pipe->properties);
	format(pipe);
	return pipe;
}

cl_int clGetPipeInfo(cl_mem pipe, cl_pipe_info what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	if (!hc_is(pipe, HC_MEM) || !pipe->packets)
		return CL_INVALID_MEM_OBJECT;
	switch (what) {
	case CL_PIPE_PACKET_SIZE:
		return HC_ANSWER(to, cl_uint, pipe->packet_size);
	case CL_PIPE_MAX_PACKETS:
		return HC_ANSWER(to, cl_uint, pipe->packets);
	case CL_PIPE_PROPERTIES:
		return hc_answer_bytes(to, pipe->properties, pipe->n_properties * sizeof *pipe->properties);
	}
	return CL_INVALID_VALUE;
}
