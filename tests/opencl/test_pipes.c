/* Pipes: the calls of the host with their errors, and kernels that fill and empty pipes by packets and by reservations, of work-items, sub-groups and
 * work-groups. */
#include "rig.h"

#include <stdbool.h>

#define EXPECT(call, error) assert_int_equal(call, error)

enum { ITEMS = 512, GROUP = 64 };

static const char text[] =
    "typedef struct { ulong a; uint b; uchar c[4]; } odd;\n"
    "#define PAIR(T, name) \\\n"
    "	kernel void write_##name(write_only pipe T p, global const T *in, global int *failed) \\\n"
    "	{ size_t i = get_global_id(0); T v = in[i]; if (write_pipe(p, &v)) atomic_inc(failed); } \\\n"
    "	kernel void read_##name(read_only pipe T p, global T *out, global int *failed) \\\n"
    "	{ size_t i = get_global_id(0); if (read_pipe(p, &out[i])) atomic_inc(failed); }\n"
    "PAIR(uint, uint) PAIR(uchar, uchar) PAIR(short, short) PAIR(float4, float4) PAIR(long16, long16) PAIR(char3, char3) PAIR(odd, odd)\n"
    "kernel void counts_w(write_only pipe uint p, global uint *out) { out[0] = get_pipe_num_packets(p); out[1] = get_pipe_max_packets(p); }\n"
    "kernel void counts_r(read_only pipe uint p, global uint *out) { out[0] = get_pipe_num_packets(p); out[1] = get_pipe_max_packets(p); }\n"
    /* A reservation of n packets: the values first, first + 1 ... in the order of their places, which are written from the last to the first. */
    "kernel void reserve_write(write_only pipe uint p, uint n, global int *failed)\n"
    "{\n"
    "	reserve_id_t id = reserve_write_pipe(p, n);\n"
    "	if (!is_valid_reserve_id(id)) { atomic_inc(failed); return; }\n"
    "	for (uint i = n; i-- > 0;) { uint v = get_global_id(0) * n + i; if (write_pipe(p, id, i, &v)) atomic_inc(failed); }\n"
    "	uint v = 0; if (!write_pipe(p, id, n, &v)) atomic_inc(failed);\n"
    "	commit_write_pipe(p, id);\n"
    "}\n"
    "kernel void reserve_read(read_only pipe uint p, uint n, global uint *out, global int *failed)\n"
    "{\n"
    "	reserve_id_t id = reserve_read_pipe(p, n);\n"
    "	if (!is_valid_reserve_id(id)) { atomic_inc(failed); return; }\n"
    "	for (uint i = n; i-- > 0;) if (read_pipe(p, id, i, out + get_global_id(0) * n + i)) atomic_inc(failed);\n"
    "	uint v; if (!read_pipe(p, id, n, &v)) atomic_inc(failed);\n"
    "	commit_read_pipe(p, id);\n"
    "}\n"
    "#define OF(of, SIZE, ID, GROUP) \\\n"
    "kernel void of##_write(write_only pipe uint p, global int *failed) \\\n"
    "{ \\\n"
    "	reserve_id_t id = of##_reserve_write_pipe(p, SIZE); \\\n"
    "	if (!is_valid_reserve_id(id)) { atomic_inc(failed); return; } \\\n"
    "	uint v = get_global_id(0); if (write_pipe(p, id, ID, &v)) atomic_inc(failed); \\\n"
    "	of##_commit_write_pipe(p, id); \\\n"
    "} \\\n"
    "kernel void of##_read(read_only pipe uint p, global uint *out, global int *failed) \\\n"
    "{ \\\n"
    "	reserve_id_t id = of##_reserve_read_pipe(p, SIZE); \\\n"
    "	if (!is_valid_reserve_id(id)) { atomic_inc(failed); return; } \\\n"
    "	if (read_pipe(p, id, ID, &out[get_global_id(0)])) atomic_inc(failed); \\\n"
    "	of##_commit_read_pipe(p, id); \\\n"
    "}\n"
    "OF(work_group, get_local_size(0), get_local_id(0), get_group_id(0))\n"
    "OF(sub_group, get_sub_group_size(), get_sub_group_local_id(), get_sub_group_id())\n"
    "kernel void twist(read_only pipe uint from, write_only pipe uint to) { uint v; if (!read_pipe(from, &v)) { v = ~v; write_pipe(to, &v); } }\n";

static cl_mem new_pipe(rig *r, cl_uint size, cl_uint n)
{
	cl_int status;
	cl_mem pipe = clCreatePipe(r->context, 0, size, n, NULL, &status);
	EXPECT(status, CL_SUCCESS);
	return pipe;
}

TEST(test_calls)
{
	rig r;
	cl_int status;
	cl_uint n;
	cl_mem_object_type type;
	cl_mem_flags flags;
	size_t bytes;
	char data[64] = "";
	cl_context context;
	const cl_pipe_properties none[] = {0}, unknown[] = {CL_PIPE_MAX_PACKETS, 3, 0};
	rig_open(&r);
#define WRONG(error, ...)                                \
	status = CL_SUCCESS;                             \
	assert_null(clCreatePipe(__VA_ARGS__, &status)); \
	EXPECT(status, error);                           \
	assert_null(clCreatePipe(__VA_ARGS__, NULL))
	WRONG(CL_INVALID_CONTEXT, NULL, 0, 4, 4, NULL);
	WRONG(CL_INVALID_CONTEXT, (cl_context)r.device, 0, 4, 4, NULL);
	WRONG(CL_INVALID_VALUE, r.context, CL_MEM_READ_ONLY, 4, 4, NULL);
	WRONG(CL_INVALID_VALUE, r.context, CL_MEM_HOST_READ_ONLY, 4, 4, NULL);
	WRONG(CL_INVALID_VALUE, r.context, CL_MEM_USE_HOST_PTR, 4, 4, NULL);
	WRONG(CL_INVALID_VALUE, r.context, 0, 4, 4, unknown);
	WRONG(CL_INVALID_PIPE_SIZE, r.context, 0, 0, 4, NULL);
	WRONG(CL_INVALID_PIPE_SIZE, r.context, 0, 4, 0, NULL);
	EXPECT(clGetDeviceInfo(r.device, CL_DEVICE_PIPE_MAX_PACKET_SIZE, sizeof n, &n, NULL), CL_SUCCESS);
	assert_true(n >= 1024);
	WRONG(CL_INVALID_PIPE_SIZE, r.context, 0, n + 1, 4, NULL);
	WRONG(CL_MEM_OBJECT_ALLOCATION_FAILURE, r.context, 0, n, UINT32_MAX, NULL);
	cl_mem largest = new_pipe(&r, n, 3), pipe = clCreatePipe(r.context, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, 12, 5, none, &status);
	EXPECT(status, CL_SUCCESS);
	EXPECT(clReleaseMemObject(largest), CL_SUCCESS);
	EXPECT(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, sizeof n, &n, &bytes), CL_SUCCESS);
	assert_true(n == 12 && bytes == sizeof n);
	EXPECT(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof n, &n, NULL), CL_SUCCESS);
	EXPECT(n, 5);
	EXPECT(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof n - 1, &n, NULL), CL_INVALID_VALUE);
	EXPECT(clGetPipeInfo(pipe, CL_PIPE_PROPERTIES, sizeof data, data, &bytes), CL_SUCCESS);
	EXPECT(bytes, sizeof none);
	EXPECT(clGetPipeInfo(pipe, CL_MEM_SIZE, sizeof n, &n, NULL), CL_INVALID_VALUE);
	EXPECT(clGetPipeInfo(NULL, CL_PIPE_PACKET_SIZE, sizeof n, &n, NULL), CL_INVALID_MEM_OBJECT);
	EXPECT(clGetMemObjectInfo(pipe, CL_MEM_TYPE, sizeof type, &type, NULL), CL_SUCCESS);
	EXPECT(type, CL_MEM_OBJECT_PIPE);
	EXPECT(clGetMemObjectInfo(pipe, CL_MEM_FLAGS, sizeof flags, &flags, NULL), CL_SUCCESS);
	EXPECT(flags, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
	EXPECT(clGetMemObjectInfo(pipe, CL_MEM_CONTEXT, sizeof context, &context, NULL), CL_SUCCESS);
	assert_ptr_equal(context, r.context);
	/* The host cannot touch it: it is no buffer. */
	const cl_buffer_region region = {0, 4};
	const size_t at[3] = {0, 0, 0}, size[3] = {1, 1, 1};
	cl_mem buffer = rig_buffer(&r, 64, NULL);
	EXPECT(clEnqueueReadBuffer(r.queue, pipe, CL_TRUE, 0, 4, data, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	EXPECT(clEnqueueWriteBuffer(r.queue, pipe, CL_TRUE, 0, 4, data, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	EXPECT(clEnqueueFillBuffer(r.queue, pipe, data, 4, 0, 4, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	EXPECT(clEnqueueCopyBuffer(r.queue, pipe, buffer, 0, 0, 4, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	EXPECT(clEnqueueCopyBuffer(r.queue, buffer, pipe, 0, 0, 4, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	EXPECT(clEnqueueReadBufferRect(r.queue, pipe, CL_TRUE, at, at, size, 0, 0, 0, 0, data, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	EXPECT(clEnqueueWriteBufferRect(r.queue, pipe, CL_TRUE, at, at, size, 0, 0, 0, 0, data, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	EXPECT(clEnqueueCopyBufferRect(r.queue, pipe, buffer, at, at, size, 0, 0, 0, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	assert_null(clEnqueueMapBuffer(r.queue, pipe, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &status));
	EXPECT(status, CL_INVALID_MEM_OBJECT);
	assert_null(clCreateSubBuffer(pipe, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
	EXPECT(status, CL_INVALID_MEM_OBJECT);
	clReleaseMemObject(buffer);
	EXPECT(clRetainMemObject(pipe), CL_SUCCESS);
	EXPECT(clReleaseMemObject(pipe), CL_SUCCESS);
	EXPECT(clReleaseMemObject(pipe), CL_SUCCESS);
	rig_close(&r);
}

TEST(test_arguments)
{
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, "-cl-std=CL2.0 -cl-kernel-arg-info");
	cl_kernel write = rig_kernel(program, "write_float4"), read = rig_kernel(program, "read_uint");
	cl_mem pipe = new_pipe(&r, 16, 4), buffer = rig_buffer(&r, 64, NULL), none = NULL;
	EXPECT(clSetKernelArg(write, 0, sizeof pipe, &pipe), CL_SUCCESS);
	EXPECT(clSetKernelArg(write, 0, 4, &pipe), CL_INVALID_ARG_SIZE);
	EXPECT(clSetKernelArg(write, 0, sizeof none, &none), CL_INVALID_MEM_OBJECT);
	EXPECT(clSetKernelArg(write, 0, sizeof none, NULL), CL_INVALID_MEM_OBJECT);
	EXPECT(clSetKernelArg(write, 0, sizeof buffer, &buffer), CL_INVALID_MEM_OBJECT);
	EXPECT(clSetKernelArg(write, 1, sizeof pipe, &pipe), CL_INVALID_MEM_OBJECT);
	void *shared = clSVMAlloc(r.context, CL_MEM_READ_WRITE, 64, 0);
	EXPECT(clSetKernelArgSVMPointer(write, 0, shared), CL_INVALID_ARG_VALUE);
	clSVMFree(r.context, shared);
	cl_kernel_arg_access_qualifier access;
	cl_kernel_arg_type_qualifier qualifier;
	cl_kernel_arg_address_qualifier space;
	char name[32];
	const cl_kernel kernels[2] = {read, write};
	for (unsigned i = 0; i < 2; i++) {
		EXPECT(clGetKernelArgInfo(kernels[i], 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL), CL_SUCCESS);
		EXPECT(access, i ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY : CL_KERNEL_ARG_ACCESS_READ_ONLY);
		EXPECT(clGetKernelArgInfo(kernels[i], 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL), CL_SUCCESS);
		EXPECT(qualifier, CL_KERNEL_ARG_TYPE_PIPE);
		EXPECT(clGetKernelArgInfo(kernels[i], 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL), CL_SUCCESS);
		EXPECT(space, CL_KERNEL_ARG_ADDRESS_GLOBAL);
		EXPECT(clGetKernelArgInfo(kernels[i], 0, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL), CL_SUCCESS);
		assert_string_equal(name, i ? "float4" : "uint");
		EXPECT(clGetKernelArgInfo(kernels[i], 1, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL), CL_SUCCESS);
		EXPECT(access, CL_KERNEL_ARG_ACCESS_NONE);
	}
	/* A binary remembers which parameters are pipes. */
	size_t size;
	EXPECT(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
	unsigned char *bytes = malloc(size);
	EXPECT(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), CL_SUCCESS);
	cl_int status;
	cl_program binary = clCreateProgramWithBinary(r.context, 1, &r.device, &size, (const unsigned char **)&bytes, NULL, &status);
	EXPECT(status, CL_SUCCESS);
	EXPECT(clBuildProgram(binary, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	cl_kernel again = rig_kernel(binary, "write_float4");
	EXPECT(clSetKernelArg(again, 0, sizeof buffer, &buffer), CL_INVALID_MEM_OBJECT);
	EXPECT(clSetKernelArg(again, 0, sizeof pipe, &pipe), CL_SUCCESS);
	free(bytes);
	clReleaseKernel(again);
	clReleaseProgram(binary);
	clReleaseMemObject(pipe);
	clReleaseMemObject(buffer);
	clReleaseKernel(read);
	clReleaseKernel(write);
	clReleaseProgram(program);
	rig_close(&r);
}

/* A program of two units knows its pipes, and a function of one takes the pipe of a kernel of the other. */
TEST(test_units)
{
	rig r;
	cl_int status, failed = 0;
	cl_uint got[2] = {0};
	const cl_uint in[2] = {41, 42};
	const size_t two = 2;
	rig_open(&r);
	cl_program units[2] = {rig_source(&r, "int give(write_only pipe uint p, uint v) { return write_pipe(p, &v); }\n"
	                                      "int take(read_only pipe uint p, uint *v) { return read_pipe(p, v); }\n"),
	                       rig_source(&r, "int give(write_only pipe uint p, uint v); int take(read_only pipe uint p, uint *v);\n"
	                                      "kernel void w(write_only pipe uint p, global const uint *in, global int *failed)\n"
	                                      "{ if (give(p, in[get_global_id(0)])) atomic_inc(failed); }\n"
	                                      "kernel void r(read_only pipe uint p, global uint *out, global int *failed)\n"
	                                      "{ uint v; if (take(p, &v)) atomic_inc(failed); out[v - 41] = v; }\n")};
	for (unsigned i = 0; i < 2; i++)
		EXPECT(clCompileProgram(units[i], 0, NULL, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	cl_program program = clLinkProgram(r.context, 0, NULL, NULL, 2, units, NULL, NULL, &status);
	EXPECT(status, CL_SUCCESS);
	cl_mem pipe = new_pipe(&r, 4, 3), from = rig_buffer(&r, sizeof in, in), to = rig_buffer(&r, sizeof got, got),
	       errors = rig_buffer(&r, sizeof failed, &failed);
	cl_kernel kernels[2] = {rig_kernel(program, "w"), rig_kernel(program, "r")};
	for (unsigned i = 0; i < 2; i++) {
		EXPECT(clSetKernelArg(kernels[i], 0, sizeof from, &from), CL_INVALID_MEM_OBJECT);
		EXPECT(clSetKernelArg(kernels[i], 0, sizeof pipe, &pipe), CL_SUCCESS);
		EXPECT(clSetKernelArg(kernels[i], 1, sizeof from, i ? &to : &from), CL_SUCCESS);
		EXPECT(clSetKernelArg(kernels[i], 2, sizeof errors, &errors), CL_SUCCESS);
		EXPECT(clEnqueueNDRangeKernel(r.queue, kernels[i], 1, NULL, &two, NULL, 0, NULL, NULL), CL_SUCCESS);
	}
	rig_read(&r, to, got, sizeof got);
	rig_read(&r, errors, &failed, sizeof failed);
	assert_true(got[0] == 41 && got[1] == 42 && failed == 0);
	for (unsigned i = 0; i < 2; i++) {
		clReleaseKernel(kernels[i]);
		clReleaseProgram(units[i]);
	}
	clReleaseProgram(program);
	clReleaseMemObject(pipe);
	clReleaseMemObject(from);
	clReleaseMemObject(to);
	clReleaseMemObject(errors);
	rig_close(&r);
}

/* -- kernels ------------------------------------------------------------------------------------------------------------------------ */
typedef struct work {
	rig r;
	cl_program program;
	cl_mem failed, out;
} work;

static void open_work(work *w)
{
	const cl_int zero = 0;
	rig_open(&w->r);
	w->program = rig_build(&w->r, text, "-cl-std=CL3.0");
	w->failed = rig_buffer(&w->r, sizeof zero, &zero);
	w->out = rig_buffer(&w->r, ITEMS * 128, NULL);
}

static void close_work(work *w)
{
	clReleaseMemObject(w->failed);
	clReleaseMemObject(w->out);
	clReleaseProgram(w->program);
	rig_close(&w->r);
}

typedef struct arg {
	size_t size;
	const void *value;
} arg;
#define ARG(x)                  \
	{                       \
		sizeof(x), &(x) \
	}

/* Runs a kernel. Returns how many of its work-items failed, and makes the number 0 for the next one. */
static cl_int run(work *w, const char *name, size_t items, size_t group, const arg *args, cl_uint n)
{
	cl_kernel kernel = rig_kernel(w->program, name);
	for (cl_uint i = 0; i < n; i++)
		EXPECT(clSetKernelArg(kernel, i, args[i].size, args[i].value), CL_SUCCESS);
	EXPECT(clEnqueueNDRangeKernel(w->r.queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL), CL_SUCCESS);
	cl_int failed, zero = 0;
	rig_read(&w->r, w->failed, &failed, sizeof failed);
	EXPECT(clEnqueueWriteBuffer(w->r.queue, w->failed, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL), CL_SUCCESS);
	clReleaseKernel(kernel);
	return failed;
}
#define RUN(w, name, items, group, ...) run(w, name, items, group, (arg[]){__VA_ARGS__}, sizeof((arg[]){__VA_ARGS__}) / sizeof(arg))

static void expect_counts(work *w, cl_mem pipe, cl_uint n, cl_uint max)
{
	static const char *const kernels[] = {"counts_w", "counts_r"};
	cl_uint counts[2];
	for (unsigned i = 0; i < 2; i++) {
		RUN(w, kernels[i], 1, 1, ARG(pipe), ARG(w->out));
		rig_read(&w->r, w->out, counts, sizeof counts);
		EXPECT(counts[0], n);
		EXPECT(counts[1], max);
	}
}

/* Each value from 0 to n - 1 once, which `seen` counts. */
static void expect_all(work *w, const cl_uint *values, size_t n)
{
	unsigned char *seen = calloc(1, ITEMS);
	for (size_t i = 0; i < n; i++) {
		assert_true(values[i] < ITEMS);
		assert_int_equal(seen[values[i]]++, 0);
	}
	free(seen);
}

/* Every packet goes in and comes out once, whatever its type; the pipe is full after `max` packets and empty after as many. */
static void through(work *w, const char *type, size_t bytes, cl_uint max)
{
	char name[32];
	unsigned char in[ITEMS * 128], out[ITEMS * 128] = {0}, taken[ITEMS] = {0};
	for (size_t i = 0; i < sizeof in; i++)
		in[i] = (unsigned char)(i / bytes + 131 * (i % bytes) + 7 * (i / bytes / 256) * (i % bytes));
	cl_mem from = rig_buffer(&w->r, ITEMS * bytes, in), pipe = new_pipe(&w->r, (cl_uint)bytes, max);
	for (unsigned round = 0; round < 3; round++) {
		sprintf(name, "write_%s", type);
		EXPECT(RUN(w, name, ITEMS, GROUP, ARG(pipe), ARG(from), ARG(w->failed)), ITEMS - max);
		sprintf(name, "read_%s", type);
		EXPECT(RUN(w, name, max, max, ARG(pipe), ARG(w->out), ARG(w->failed)), 0);
		EXPECT(RUN(w, name, GROUP, GROUP, ARG(pipe), ARG(w->failed), ARG(w->failed)), GROUP);
		rig_read(&w->r, w->out, out, max * bytes);
		memset(taken, 0, sizeof taken);
		for (size_t i = 0; i < max; i++) {
			size_t j = 0;
			while (j < ITEMS && (taken[j] || memcmp(out + i * bytes, in + j * bytes, bytes == 4 && type[0] == 'c' ? 3 : bytes) != 0))
				j++;
			assert_true(j < ITEMS);
			taken[j] = 1;
		}
	}
	clReleaseMemObject(from);
	clReleaseMemObject(pipe);
}

TEST(test_types)
{
	work w;
	open_work(&w);
	through(&w, "uint", 4, 100);
	through(&w, "uchar", 1, 256);
	through(&w, "short", 2, 3);
	through(&w, "float4", 16, 1);
	through(&w, "long16", 128, 37);
	through(&w, "char3", 4, 64);
	through(&w, "odd", 16, 129);
	close_work(&w);
}

TEST(test_order)
{
	work w;
	cl_uint in[ITEMS], out[ITEMS];
	open_work(&w);
	for (cl_uint i = 0; i < ITEMS; i++)
		in[i] = i;
	cl_mem from = rig_buffer(&w.r, sizeof in, in), pipe = new_pipe(&w.r, 4, 7), wrong = new_pipe(&w.r, 8, 7);
	/* One at a time they come out in the order in which they went in, also where the slots begin anew. */
	for (unsigned round = 0; round < 4; round++) {
		for (unsigned i = 0; i < 5; i++) {
			cl_mem one = rig_buffer(&w.r, 4, &in[10 * round + i]);
			EXPECT(RUN(&w, "write_uint", 1, 1, ARG(pipe), ARG(one), ARG(w.failed)), 0);
			clReleaseMemObject(one);
			expect_counts(&w, pipe, i + 1, 7);
		}
		for (unsigned i = 0; i < 5; i++) {
			EXPECT(RUN(&w, "read_uint", 1, 1, ARG(pipe), ARG(w.out), ARG(w.failed)), 0);
			rig_read(&w.r, w.out, out, 4);
			EXPECT(out[0], 10 * round + i);
			expect_counts(&w, pipe, 4 - i, 7);
		}
	}
	/* Packets of another size than the pipe's: none goes in. */
	EXPECT(RUN(&w, "write_uint", GROUP, GROUP, ARG(wrong), ARG(from), ARG(w.failed)), GROUP);
	expect_counts(&w, wrong, 0, 7);
	clReleaseMemObject(from);
	clReleaseMemObject(pipe);
	clReleaseMemObject(wrong);
	close_work(&w);
}

TEST(test_reservations)
{
	work w;
	cl_uint out[ITEMS], n = 3, more = 5, none = 0, six = 6;
	open_work(&w);
	cl_mem pipe = new_pipe(&w.r, 4, 5), large = new_pipe(&w.r, 4, ITEMS);
	/* Of no packet and of more than the pipe has: never. Too few left: not now. */
	EXPECT(RUN(&w, "reserve_write", 1, 1, ARG(pipe), ARG(none), ARG(w.failed)), 1);
	EXPECT(RUN(&w, "reserve_write", 1, 1, ARG(pipe), ARG(six), ARG(w.failed)), 1);
	EXPECT(RUN(&w, "reserve_write", 1, 1, ARG(pipe), ARG(n), ARG(w.failed)), 0);
	EXPECT(RUN(&w, "reserve_write", 1, 1, ARG(pipe), ARG(n), ARG(w.failed)), 1);
	expect_counts(&w, pipe, 3, 5);
	EXPECT(RUN(&w, "reserve_read", 1, 1, ARG(pipe), ARG(more), ARG(w.out), ARG(w.failed)), 1);
	EXPECT(RUN(&w, "reserve_read", 1, 1, ARG(pipe), ARG(n), ARG(w.out), ARG(w.failed)), 0);
	rig_read(&w.r, w.out, out, 12);
	assert_true(out[0] == 0 && out[1] == 1 && out[2] == 2);
	EXPECT(RUN(&w, "reserve_write", 1, 1, ARG(pipe), ARG(more), ARG(w.failed)), 0);
	EXPECT(RUN(&w, "reserve_read", 1, 1, ARG(pipe), ARG(more), ARG(w.out), ARG(w.failed)), 0);
	rig_read(&w.r, w.out, out, 20);
	assert_true(out[0] == 0 && out[4] == 4);
	/* Many work-items: each reservation comes out as it went in, n consecutive values. */
	EXPECT(RUN(&w, "reserve_write", 128, 32, ARG(large), ARG(n), ARG(w.failed)), 0);
	expect_counts(&w, large, 384, ITEMS);
	EXPECT(RUN(&w, "reserve_read", 128, 64, ARG(large), ARG(n), ARG(w.out), ARG(w.failed)), 0);
	rig_read(&w.r, w.out, out, 384 * sizeof *out);
	expect_all(&w, out, 384);
	for (unsigned i = 0; i < 384; i++)
		EXPECT(out[i] % 3, i % 3);
	clReleaseMemObject(pipe);
	clReleaseMemObject(large);
	close_work(&w);
}

/* Reservations of work-groups and sub-groups: their values lie together. */
TEST(test_groups)
{
	static const char *const kernels[2][2] = {{"work_group_write", "work_group_read"}, {"sub_group_write", "sub_group_read"}};
	static const cl_uint together[2] = {GROUP, 32};
	work w;
	cl_uint out[ITEMS];
	open_work(&w);
	for (unsigned kind = 0; kind < 2; kind++) {
		cl_mem pipe = new_pipe(&w.r, 4, ITEMS), small = new_pipe(&w.r, 4, 100);
		for (unsigned round = 0; round < 2; round++) {
			EXPECT(RUN(&w, kernels[kind][0], ITEMS, GROUP, ARG(pipe), ARG(w.failed)), 0);
			EXPECT(RUN(&w, kernels[kind][0], GROUP, GROUP, ARG(pipe), ARG(w.failed)), GROUP);
			EXPECT(RUN(&w, kernels[kind][1], ITEMS, GROUP, ARG(pipe), ARG(w.out), ARG(w.failed)), 0);
			EXPECT(RUN(&w, kernels[kind][1], GROUP, GROUP, ARG(pipe), ARG(w.out), ARG(w.failed)), GROUP);
			rig_read(&w.r, w.out, out, sizeof out);
			expect_all(&w, out, ITEMS);
			for (unsigned i = 0; i < ITEMS; i++)
				EXPECT(out[i] % together[kind], i % together[kind]);
		}
		/* Some find room. */
		EXPECT(RUN(&w, kernels[kind][0], ITEMS, GROUP, ARG(small), ARG(w.failed)), ITEMS - 100 / together[kind] * together[kind]);
		clReleaseMemObject(pipe);
		clReleaseMemObject(small);
	}
	close_work(&w);
}

/* A chain of kernels, and a kernel that is enqueued with a pipe that the program then releases. */
TEST(test_chain)
{
	work w;
	cl_uint in[ITEMS], out[ITEMS];
	open_work(&w);
	for (cl_uint i = 0; i < ITEMS; i++)
		in[i] = ~i;
	cl_mem from = rig_buffer(&w.r, sizeof in, in), first = new_pipe(&w.r, 4, ITEMS), second = new_pipe(&w.r, 4, ITEMS);
	EXPECT(RUN(&w, "write_uint", ITEMS, GROUP, ARG(first), ARG(from), ARG(w.failed)), 0);
	cl_kernel kernel = rig_kernel(w.program, "twist");
	const size_t items = ITEMS;
	clSetKernelArg(kernel, 0, sizeof first, &first);
	clSetKernelArg(kernel, 1, sizeof second, &second);
	EXPECT(clEnqueueNDRangeKernel(w.r.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
	EXPECT(clReleaseMemObject(first), CL_SUCCESS);
	EXPECT(clFinish(w.r.queue), CL_SUCCESS);
	EXPECT(clEnqueueNDRangeKernel(w.r.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
	EXPECT(RUN(&w, "read_uint", ITEMS, GROUP, ARG(second), ARG(w.out), ARG(w.failed)), 0);
	rig_read(&w.r, w.out, out, sizeof out);
	expect_all(&w, out, ITEMS);
	clReleaseKernel(kernel);
	clReleaseMemObject(from);
	clReleaseMemObject(second);
	close_work(&w);
}
