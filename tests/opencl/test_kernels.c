/* Arguments of kernels, and launches that do nothing: what once went wrong in programs from outside. */
#define _DEFAULT_SOURCE /* mallinfo2 */
#include "rig.h"

#include <malloc.h>
#include <stdbool.h>

/* A local array is aligned to its type, the largest of which has 128 bytes. Each argument is one of four, in each order, behind static local memory
 * of different sizes. The kernel says which addresses it sees. */
TEST(test_local_arguments_are_aligned)
{
	static const char text[] =
	    "#define SEES(n) kernel void sees##n(local char *c, local double16 *d, local short *s, local int4 *i, global ulong *out)"
	    "{ local char own[n]; own[0] = 1; out[0] = (ulong)c; out[1] = (ulong)d; out[2] = (ulong)s; out[3] = (ulong)i; out[4] = "
	    "(ulong)own; }\nSEES(1)\nSEES(17)\nSEES(200)\n";
	static const char *const names[] = {"sees1", "sees17", "sees200"};
	static const size_t own[] = {1, 17, 200}, sizes[] = {3, 3 * 128, 10, 5 * 16}, aligned[] = {1, 128, 2, 16}, one = 1;
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, "");
	cl_mem mem = rig_buffer(&r, 5 * 8, NULL);
	for (unsigned k = 0; k < 3; k++) {
		cl_kernel kernel = rig_kernel(program, names[k]);
		uint64_t at[5], end = 0;
		cl_ulong bytes;
		for (cl_uint i = 0; i < 4; i++)
			assert_int_equal(clSetKernelArg(kernel, i, sizes[i], NULL), CL_SUCCESS);
		clSetKernelArg(kernel, 4, sizeof mem, &mem);
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
		assert_int_equal(clEnqueueReadBuffer(r.queue, mem, CL_TRUE, 0, sizeof at, at, 0, NULL, NULL), CL_SUCCESS);
		for (unsigned i = 0; i < 4; i++) {
			assert_int_equal(at[i] % aligned[i], 0);
			assert_true(at[i] >= (i ? at[i - 1] + sizes[i - 1] : at[4] + own[k]));
			end = at[i] + sizes[i];
		}
		assert_int_equal(clGetKernelWorkGroupInfo(kernel, r.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL), CL_SUCCESS);
		assert_int_equal(bytes, end - at[4]);
		clReleaseKernel(kernel);
	}
	clReleaseMemObject(mem);
	clReleaseProgram(program);
	rig_close(&r);
}

/* The size need not be a multiple of the type's: programs put more into a local array than its type says. Structures count as their largest member.
 */
TEST(test_local_arguments_of_odd_sizes_are_aligned)
{
	static const char text[] =
	    "typedef struct { char c; double16 d; } wide; typedef union { char c; float8 f; } some; typedef struct { char c; long l; } pair;\n"
	    "#define SEES(n, A, B, C, D) kernel void sees##n(local char *c, local A *p, local char *d, local B *q, local C *r, local D *s, global "
	    "ulong "
	    "*out)"
	    "{ out[0] = (ulong)p; out[1] = (ulong)q; out[2] = (ulong)r; out[3] = (ulong)s; }\n"
	    "SEES(0, long16, wide, some, pair) SEES(1, pair, some, wide, long16) SEES(2, float16, int3, double8, uint16)\n";
	static const uint64_t aligned[3][4] = {{128, 128, 32, 8}, {8, 32, 128, 128}, {64, 16, 64, 64}};
	static const size_t sizes[] = {1, 391, 7, 5, 333, 1}, one = 1;
	static const char *const names[] = {"sees0", "sees1", "sees2"};
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, "");
	cl_mem mem = rig_buffer(&r, 4 * 8, NULL);
	for (unsigned k = 0; k < 3; k++) {
		cl_kernel kernel = rig_kernel(program, names[k]);
		uint64_t at[4];
		for (cl_uint i = 0; i < 6; i++)
			assert_int_equal(clSetKernelArg(kernel, i, sizes[i], NULL), CL_SUCCESS);
		clSetKernelArg(kernel, 6, sizeof mem, &mem);
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
		assert_int_equal(clEnqueueReadBuffer(r.queue, mem, CL_TRUE, 0, sizeof at, at, 0, NULL, NULL), CL_SUCCESS);
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(at[i] % aligned[k][i], 0);
		assert_true(at[0] >= 1 && at[1] >= at[0] + 391 + 7 && at[2] >= at[1] + 5 && at[3] >= at[2] + 333);
		clReleaseKernel(kernel);
	}
	clReleaseMemObject(mem);
	clReleaseProgram(program);
	rig_close(&r);
}

/* Local memory begins at address 0. The null pointer has another value: that of a generic null pointer, converted. */
TEST(test_local_memory_is_not_null)
{
	static const char text[] = "__attribute__((noinline)) int first(local int *p) { return p ? *p : -1; }\n"
	                           "kernel void own(global int *out)"
	                           "{ local int l[4]; l[0] = 5; out[0] = first(l); out[1] = first(out[9] ? l : 0); }\n"
	                           "kernel void given(global int *out, local int *l)"
	                           "{ l[0] = 6; out[0] = first(l); out[1] = first(out[9] ? l : (local int *)0); }\n"
	                           "kernel void both(global int *out, local int *l)"
	                           "{ local int own; own = 7; l[0] = own; out[0] = l == 0 ? -1 : first(&own); out[1] = first(out[9] ? &own : 0); }\n"
	                           "kernel void plain(global int *out) { local int l[4]; l[out[8]] = 8; out[0] = l[out[9]]; out[1] = -1; }\n";
	static const struct {
		const char *name;
		int answer;
		cl_ulong bytes; /* of local memory; 0: as many as the compiler likes */
	} rows[] = {{"own", 5, 0}, {"given", 6, 16}, {"both", 7, 0}, {"plain", 8, 16}};
	static const cl_int zeros[10] = {0};
	const size_t one = 1;
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, "");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cl_kernel kernel = rig_kernel(program, rows[i].name);
		cl_mem out = rig_buffer(&r, sizeof zeros, zeros);
		cl_int got[2];
		cl_ulong bytes = 0;
		cl_uint n;
		clSetKernelArg(kernel, 0, sizeof out, &out);
		assert_int_equal(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL), CL_SUCCESS);
		if (n == 2)
			clSetKernelArg(kernel, 1, 16, NULL);
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
		rig_read(&r, out, got, sizeof got);
		assert_int_equal(got[0], rows[i].answer);
		assert_int_equal(got[1], -1);
		clGetKernelWorkGroupInfo(kernel, r.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
		assert_int_equal(rows[i].bytes ? bytes : 0, rows[i].bytes);
		clReleaseKernel(kernel);
		clReleaseMemObject(out);
	}
	clReleaseProgram(program);
	rig_close(&r);
}

static void CL_CALLBACK count(cl_mem mem, void *data) { ++*(int *)data; }

/* A kernel keeps no buffer alive. What it would read afterwards is refused, even where another buffer has the place of the old one. */
TEST(test_a_kernel_keeps_no_buffer)
{
	enum { OTHERS = 3000 };
	const size_t one = 1;
	int died = 0;
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, "kernel void k(global int *p) { p[0] = 7; }", "");
	cl_kernel kernel = rig_kernel(program, "k");
	cl_mem mem = rig_buffer(&r, 64, NULL), others[OTHERS];
	assert_int_equal(clSetMemObjectDestructorCallback(mem, count, &died), CL_SUCCESS);
	assert_int_equal(clSetKernelArg(kernel, 0, sizeof mem, &mem), CL_SUCCESS);
	cl_kernel clone = clCloneKernel(kernel, NULL);
	cl_uint references = 0;
	clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL);
	assert_int_equal(references, 1);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clFinish(r.queue), CL_SUCCESS);
	clReleaseMemObject(mem);
	assert_int_equal(died, 1);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
	bool again = false;
	/* So many die that the memory of the first one serves again. */
	for (unsigned i = 0; i < OTHERS; i++)
		others[i] = rig_buffer(&r, 64, NULL);
	for (unsigned i = 0; i < OTHERS; i++)
		clReleaseMemObject(others[i]);
	for (unsigned i = 0; i < OTHERS; i++)
		again |= (others[i] = rig_buffer(&r, 64, NULL)) == mem;
	assert_true(again);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, clone, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
	assert_int_equal(clSetKernelArg(kernel, 0, sizeof mem, &others[0]), CL_SUCCESS);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clFinish(r.queue), CL_SUCCESS);
	for (unsigned i = 0; i < OTHERS; i++)
		clReleaseMemObject(others[i]);
	clReleaseKernel(clone);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

/* The launch itself keeps its buffers until it is done. */
TEST(test_a_launch_keeps_its_buffers)
{
	const size_t one = 1;
	int died = 0;
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, "kernel void k(global int *p) { p[0] = 7; }", "");
	cl_kernel kernel = rig_kernel(program, "k");
	cl_mem mem = rig_buffer(&r, 64, NULL);
	cl_event gate = clCreateUserEvent(r.context, NULL);
	clSetMemObjectDestructorCallback(mem, count, &died);
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 1, &gate, NULL), CL_SUCCESS);
	clReleaseMemObject(mem);
	assert_int_equal(died, 0);
	clSetUserEventStatus(gate, CL_COMPLETE);
	assert_int_equal(clFinish(r.queue), CL_SUCCESS);
	assert_int_equal(died, 1);
	clReleaseEvent(gate);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

/* Since OpenCL 2.1 an empty range is a command without an effect. No range at all is an empty one. */
TEST(test_empty_ranges)
{
	const size_t zero[3] = {0, 0, 0}, part[3] = {4, 0, 2}, local[3] = {4, 2, 1};
	int32_t value = 5;
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r,
	                               "kernel void k(global int *p) { p[0] = 7; }\n"
	                               "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void r(global int *p) { p[0] = 7; }",
	                               "");
	cl_mem mem = rig_buffer(&r, 4, &value);
	for (unsigned k = 0; k < 2; k++) {
		cl_kernel kernel = rig_kernel(program, k ? "r" : "k");
		cl_event event;
		cl_int status = -1;
		clSetKernelArg(kernel, 0, sizeof mem, &mem);
		for (cl_uint dims = k ? 3 : 1; dims <= 3; dims++) {
			assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, dims, NULL, zero, NULL, 0, NULL, NULL), CL_SUCCESS);
			assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, dims, NULL, zero, local, 0, NULL, NULL), CL_SUCCESS);
			assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, dims, NULL, NULL, local, 0, NULL, NULL), CL_SUCCESS);
			assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, dims, local, NULL, NULL, 0, NULL, NULL), CL_SUCCESS);
		}
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 3, NULL, part, NULL, 0, NULL, &event), CL_SUCCESS);
		assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
		clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
		assert_int_equal(status, CL_COMPLETE);
		clReleaseEvent(event);
		clReleaseKernel(kernel);
	}
	assert_int_equal(clEnqueueReadBuffer(r.queue, mem, CL_TRUE, 0, 4, &value, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(value, 5);
	clReleaseMemObject(mem);
	clReleaseProgram(program);
	rig_close(&r);
}

/* An event that nobody releases costs the event, no more. (A bank of constants, 40 KB, once came between each two.) */
TEST(test_events_that_nobody_releases_are_small)
{
	enum { EVENTS = 2000, BYTES = 2048 };
	static cl_event events[EVENTS];
	const size_t one = 1;
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, "kernel void k(global int *p) { p[0] = 7; }", "");
	cl_kernel kernel = rig_kernel(program, "k");
	cl_mem mem = rig_buffer(&r, 64, NULL);
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	struct mallinfo2 before = {0}, after;
	for (unsigned i = 0; i < EVENTS; i++) {
		if (i == EVENTS / 2)
			before = mallinfo2();
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, &events[i]), CL_SUCCESS);
		clFinish(r.queue);
	}
	after = mallinfo2();
	/* The memory that the heap took from the system, gaps included. The sanitizers' allocator tells nothing. */
	assert_true(after.arena - before.arena <= (size_t)BYTES * EVENTS / 2);
	for (unsigned i = 0; i < EVENTS; i++)
		clReleaseEvent(events[i]);
	clReleaseMemObject(mem);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

/* Arguments of as many bytes as the device says reach a kernel, and a kernel with more has no program. */
TEST(test_the_largest_arguments)
{
	static const char text[] =
	    "typedef struct { int v[WORDS]; } all; kernel void k(global int *out, all a) { int i = get_global_id(0); out[i] = a.v[i]; }";
	char options[32], log[512] = "";
	size_t most;
	cl_int status;
	rig r;
	rig_open(&r);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof most, &most, NULL), CL_SUCCESS);
	const size_t n = (most - 8) / 4;
	int in[1 << 13], out[1 << 13];
	assert_in_range(n, 1024, 1 << 13);
	for (size_t i = 0; i < n; i++)
		in[i] = (int)(i * 7919);
	snprintf(options, sizeof options, "-DWORDS=%zu", n);
	cl_program program = rig_build(&r, text, options);
	cl_kernel kernel = rig_kernel(program, "k");
	cl_mem mem = rig_buffer(&r, n * 4, NULL);
	assert_int_equal(clSetKernelArg(kernel, 0, sizeof mem, &mem), CL_SUCCESS);
	assert_int_equal(clSetKernelArg(kernel, 1, n * 4, in), CL_SUCCESS);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL), CL_SUCCESS);
	rig_read(&r, mem, out, n * 4);
	assert_memory_equal(in, out, n * 4);
	cl_program larger = clCreateProgramWithSource(r.context, 1, &(const char *){text}, NULL, &status);
	snprintf(options, sizeof options, "-DWORDS=%zu", n + 1);
	assert_int_equal(clBuildProgram(larger, 1, &r.device, options, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
	clGetProgramBuildInfo(larger, r.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
	assert_non_null(strstr(log, "a kernel's parameters have at most"));
	clReleaseProgram(larger);
	clReleaseMemObject(mem);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

/* Answers that programs read before they choose a path. */
TEST(test_answers_that_programs_parse)
{
	char version[32] = "";
	cl_ulong constant = 0;
	unsigned year, month, day, number;
	rig r;
	rig_open(&r);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, sizeof version, version, NULL), CL_SUCCESS);
	assert_int_equal(sscanf(version, "v%4u-%2u-%2u-%2u", &year, &month, &day, &number), 4);
	assert_int_equal(year, 0); /* no version has been passed */
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, sizeof constant, &constant, NULL), CL_SUCCESS);
	assert_in_range(constant, 64 << 10, 16 << 20);
	rig_close(&r);
}
