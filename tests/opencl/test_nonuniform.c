/* Work-groups of several sizes (OpenCL C 2.0 and 3.0): what every work-item function says in every work-item of a range, against the host, with the
 * programs that promise not to use them, and programs that are linked and come from binaries. */
#include "rig.h"

#include <stdbool.h>

enum { VALUES = 30, WORK_ITEMS_MAX = 4096 };

static const char text[] =
    "kernel void all(global ulong *out, ulong ox, ulong oy, ulong oz, ulong sx, ulong sy)\n"
    "{\n"
    "	local uint sum; uint n = 0;\n"
    "	global ulong *o = out + 30 * (((get_global_id(2) - oz) * sy + get_global_id(1) - oy) * sx + get_global_id(0) - ox);\n"
    "	for (uint d = 0; d < 3; d++) {\n"
    "		o[n++] = get_global_id(d); o[n++] = get_global_size(d); o[n++] = get_global_offset(d); o[n++] = get_local_id(d);\n"
    "		o[n++] = get_local_size(d); o[n++] = get_enqueued_local_size(d); o[n++] = get_group_id(d); o[n++] = get_num_groups(d);\n"
    "	}\n"
    "	o[n++] = get_global_linear_id(); o[n++] = get_local_linear_id(); o[n++] = get_enqueued_num_sub_groups();\n"
    "	o[n++] = get_num_groups(3) + get_global_size(3) + get_enqueued_local_size(4) + get_group_id(3) + get_global_offset(5);\n"
    "	if (get_local_linear_id() == 0) sum = 0;\n"
    "	barrier(CLK_LOCAL_MEM_FENCE);\n"
    "	atomic_add(&sum, (uint)get_local_linear_id() + 1);\n"
    "	barrier(CLK_LOCAL_MEM_FENCE);\n"
    "	o[n++] = sum;\n"
    "	o[n++] = work_group_reduce_add((uint)get_local_linear_id() + 1);\n"
    "}\n";

typedef struct nd_range {
	cl_uint dims;
	size_t offset[3], global[3], local[3];
} nd_range;

/* The values that the kernel writes for a work-item. */
static void expect(const nd_range *r, const size_t at[3], uint64_t *o)
{
	uint64_t id[3], size[3], linear = 0, threads = 1, full = 1, whole = 0;
	unsigned n = 0;
	for (unsigned d = 0; d < 3; d++) {
		uint64_t group = at[d] / r->local[d], left = r->global[d] - group * r->local[d];
		id[d] = at[d] % r->local[d];
		size[d] = left < r->local[d] ? left : r->local[d];
		const uint64_t values[] = {at[d] + r->offset[d],
		                           r->global[d],
		                           r->offset[d],
		                           id[d],
		                           size[d],
		                           r->local[d],
		                           group,
		                           (r->global[d] + r->local[d] - 1) / r->local[d]};
		memcpy(o + n, values, sizeof values);
		n += 8;
		threads *= size[d];
		full *= r->local[d];
	}
	linear = (id[2] * size[1] + id[1]) * size[0] + id[0];
	whole = (at[2] * r->global[1] + at[1]) * r->global[0] + at[0];
	o[n++] = whole;
	o[n++] = linear;
	o[n++] = (full + 31) / 32;
	o[n++] = 3;
	o[n++] = threads * (threads + 1) / 2;
	o[n++] = threads * (threads + 1) / 2;
}

static void run_and_compare(rig *r, cl_kernel kernel, const nd_range *range)
{
	static uint64_t out[WORK_ITEMS_MAX * VALUES];
	cl_int status;
	size_t items = range->global[0] * range->global[1] * range->global[2], bytes = items * VALUES * sizeof *out, at[3];
	assert_true(items <= WORK_ITEMS_MAX);
	memset(out, 0xff, bytes);
	cl_mem buffer = clCreateBuffer(r->context, CL_MEM_COPY_HOST_PTR, bytes, out, &status);
	clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
	for (cl_uint i = 0; i < 3; i++)
		clSetKernelArg(kernel, 1 + i, sizeof(cl_ulong), &(cl_ulong){range->offset[i]});
	clSetKernelArg(kernel, 4, sizeof(cl_ulong), &(cl_ulong){range->global[0]});
	clSetKernelArg(kernel, 5, sizeof(cl_ulong), &(cl_ulong){range->global[1]});
	assert_int_equal(clEnqueueNDRangeKernel(r->queue, kernel, range->dims, range->offset, range->global, range->local, 0, NULL, NULL),
	                 CL_SUCCESS);
	assert_int_equal(clEnqueueReadBuffer(r->queue, buffer, CL_TRUE, 0, bytes, out, 0, NULL, NULL), CL_SUCCESS);
	for (at[2] = 0; at[2] < range->global[2]; at[2]++)
		for (at[1] = 0; at[1] < range->global[1]; at[1]++)
			for (at[0] = 0; at[0] < range->global[0]; at[0]++) {
				uint64_t wanted[VALUES], *got = out + VALUES * ((at[2] * range->global[1] + at[1]) * range->global[0] + at[0]);
				expect(range, at, wanted);
				for (unsigned i = 0; i < VALUES; i++)
					if (got[i] != wanted[i])
						fail_msg("work-item %zu,%zu,%zu: value %u is %llu, expected %llu", at[0], at[1], at[2], i,
						         (unsigned long long)got[i], (unsigned long long)wanted[i]);
			}
	clReleaseMemObject(buffer);
}

static const nd_range ranges[] = {
    {1, {0}, {100, 1, 1}, {32, 1, 1}},    {1, {7}, {100, 1, 1}, {64, 1, 1}},        {1, {0}, {5, 1, 1}, {8, 1, 1}},
    {2, {3, 5}, {33, 7, 1}, {8, 4, 1}},   {2, {0, 0}, {32, 7, 1}, {8, 4, 1}},       {2, {0, 1}, {31, 8, 1}, {8, 4, 1}},
    {3, {1, 2, 3}, {9, 7, 5}, {4, 4, 2}}, {3, {0, 0, 0}, {8, 8, 5}, {4, 4, 2}},     {3, {0, 0, 9}, {3, 2, 1}, {4, 4, 4}},
    {3, {1, 2, 3}, {8, 8, 4}, {4, 4, 2}}, {1, {1ul << 33}, {45, 1, 1}, {16, 1, 1}}, {2, {0, 0}, {1, 129, 1}, {1, 64, 1}},
};

TEST(every_work_item_knows_its_place)
{
	static const char *const options[] = {"-cl-std=CL3.0", "-cl-std=CL2.0"};
	rig r;
	rig_open(&r);
	for (unsigned o = 0; o < 2; o++) {
		cl_program program = rig_build(&r, text, options[o]);
		cl_kernel kernel = rig_kernel(program, "all");
		for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
			run_and_compare(&r, kernel, &ranges[i]);
		clReleaseKernel(kernel);
		clReleaseProgram(program);
	}
	rig_close(&r);
}

static cl_int enqueue(rig *r, cl_kernel kernel, size_t global, size_t local)
{
	cl_int status;
	cl_mem buffer = clCreateBuffer(r->context, 0, 4096, NULL, &status);
	clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
	status = clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL);
	clFinish(r->queue);
	clReleaseMemObject(buffer);
	return status;
}

TEST(programs_that_promise_one_size_are_held_to_it)
{
	static const char put[] = "kernel void k(global uint *o) { o[get_global_id(0)] = get_local_size(0); }";
	static const char required[] =
	    "kernel __attribute__((reqd_work_group_size(16, 1, 1))) void k(global uint *o) { o[get_global_id(0)] = get_local_size(0); }";
	static const struct {
		const char *text, *options;
		cl_int status;
	} cases[] = {{put, "-cl-std=CL3.0", CL_SUCCESS},
	             {put, "-cl-std=CL3.0 -cl-uniform-work-group-size", CL_INVALID_WORK_GROUP_SIZE},
	             {put, "-cl-std=CL2.0", CL_SUCCESS},
	             {put, "-cl-uniform-work-group-size -cl-std=CL2.0", CL_INVALID_WORK_GROUP_SIZE},
	             {put, "-cl-std=CL1.2", CL_INVALID_WORK_GROUP_SIZE},
	             {put, NULL, CL_INVALID_WORK_GROUP_SIZE},
	             {required, "-cl-std=CL3.0", CL_SUCCESS},
	             {required, NULL, CL_INVALID_WORK_GROUP_SIZE}};
	rig r;
	cl_bool yes = CL_FALSE;
	rig_open(&r);
	clGetDeviceInfo(r.device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof yes, &yes, NULL);
	assert_int_equal(yes, CL_TRUE);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cl_program program = rig_build(&r, cases[i].text, cases[i].options);
		cl_kernel kernel = rig_kernel(program, "k");
		if (enqueue(&r, kernel, 40, 16) != cases[i].status)
			fail_msg("case %zu", i);
		assert_int_equal(enqueue(&r, kernel, 48, 16), CL_SUCCESS);
		assert_int_equal(enqueue(&r, kernel, cases[i].text == put ? 1009 : 48, 0), CL_SUCCESS);
		assert_int_equal(enqueue(&r, kernel, 8192, 4096), CL_INVALID_WORK_ITEM_SIZE);
		clReleaseKernel(kernel);
		clReleaseProgram(program);
	}
	rig_close(&r);
}

/* The size that the driver chooses for a prime number of work-items, which no smaller size divides. */
TEST(a_prime_range_gets_large_groups)
{
	static const char put[] = "kernel void k(global uint *o) { o[get_global_id(0)] = get_local_size(0); }";
	rig r;
	rig_open(&r);
	for (unsigned nonuniform = 0; nonuniform < 2; nonuniform++) {
		cl_int status;
		cl_uint out[1009];
		size_t global = 1009;
		cl_program program = rig_build(&r, put, nonuniform ? "-cl-std=CL3.0" : NULL);
		cl_kernel kernel = rig_kernel(program, "k");
		cl_mem buffer = clCreateBuffer(r.context, 0, sizeof out, NULL, &status);
		clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), CL_SUCCESS);
		assert_int_equal(clEnqueueReadBuffer(r.queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), CL_SUCCESS);
		assert_int_equal(out[0], nonuniform ? 256 : 1);
		assert_int_equal(out[1008], nonuniform ? 1009 % 256 : 1);
		clReleaseMemObject(buffer);
		clReleaseKernel(kernel);
		clReleaseProgram(program);
	}
	rig_close(&r);
}

static cl_program compiled(rig *r, const char *source, const char *options)
{
	cl_program program = rig_source(r, source);
	assert_int_equal(clCompileProgram(program, 0, NULL, options, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	return program;
}

TEST(linked_programs_take_what_all_their_kernels_take)
{
	static const char put[] = "kernel void k(global uint *o) { o[get_global_id(0)] = get_num_groups(0); }";
	static const char other[] = "kernel void other(global uint *o) { o[0] = 1; }";
	static const struct {
		const char *first, *second, *link;
		cl_int status;
	} cases[] = {{"-cl-std=CL3.0", "-cl-std=CL2.0", NULL, CL_SUCCESS},
	             {"-cl-std=CL3.0", "-cl-std=CL1.2", NULL, CL_INVALID_WORK_GROUP_SIZE},
	             {"-cl-std=CL3.0 -cl-uniform-work-group-size", "-cl-std=CL3.0", NULL, CL_INVALID_WORK_GROUP_SIZE},
	             {"-cl-std=CL3.0", "-cl-std=CL3.0", "-cl-uniform-work-group-size", CL_INVALID_WORK_GROUP_SIZE}};
	rig r;
	rig_open(&r);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cl_int status;
		cl_program units[2] = {compiled(&r, put, cases[i].first), compiled(&r, other, cases[i].second)};
		cl_program program = clLinkProgram(r.context, 0, NULL, cases[i].link, 2, units, NULL, NULL, &status);
		assert_int_equal(status, CL_SUCCESS);
		cl_kernel kernel = rig_kernel(program, "k");
		if (enqueue(&r, kernel, 40, 16) != cases[i].status)
			fail_msg("case %zu", i);
		clReleaseKernel(kernel);
		clReleaseProgram(program);
		clReleaseProgram(units[0]);
		clReleaseProgram(units[1]);
	}
	rig_close(&r);
}

TEST(binaries_remember)
{
	rig r;
	rig_open(&r);
	for (unsigned uniform = 0; uniform < 2; uniform++) {
		cl_int status;
		cl_program program = rig_build(&r, text, uniform ? "-cl-std=CL3.0 -cl-uniform-work-group-size" : "-cl-std=CL3.0");
		size_t size;
		clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
		unsigned char *bytes = malloc(size);
		clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
		clReleaseProgram(program);
		program = clCreateProgramWithBinary(r.context, 1, &r.device, &size, (const unsigned char **)&bytes, NULL, &status);
		assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
		cl_kernel kernel = rig_kernel(program, "all");
		run_and_compare(&r, kernel, &(nd_range){2, {3, 5}, {32, 8, 1}, {8, 4, 1}});
		if (!uniform)
			run_and_compare(&r, kernel, &ranges[3]);
		else
			assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 2, NULL, ranges[3].global, ranges[3].local, 0, NULL, NULL),
			                 CL_INVALID_WORK_GROUP_SIZE);
		clReleaseKernel(kernel);
		clReleaseProgram(program);
		free(bytes);
	}
	rig_close(&r);
}
