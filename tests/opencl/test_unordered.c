/* HEDDLE_ATOMICS, with several threads of the host: a group waits for the last one, for so many turns that it sees it when another thread runs that
 * one. With ordered atomics a group never sees a later one. */
#include "rig.h"

#include <stdlib.h>

enum { GROUPS = 16384, ITEMS = 32 };

static const char text[] = "kernel void wait(global int *out, volatile global int *flag)\n"
                           "{\n"
                           "	if (get_local_id(0) == 0) atomic_inc(out + 1);\n"
                           "	if (get_group_id(0) == get_num_groups(0) - 1) atomic_xchg(flag, 1);\n"
                           "	if (get_group_id(0) == 8192 && get_local_id(0) == 0)\n"
                           "		for (int turn = 0; turn < 2000000 && !out[0]; turn++) out[0] = atomic_add(flag, 0);\n"
                           "}\n";

TEST(test_what_a_group_sees_of_a_later_one)
{
	const char *order = getenv("HEDDLE_ATOMICS");
	const size_t global = GROUPS * ITEMS, local = ITEMS;
	cl_int zeros[4] = {0}, got[2];
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, "");
	cl_kernel kernel = rig_kernel(program, "wait");
	cl_mem out = rig_buffer(&r, sizeof zeros, zeros), flag = rig_buffer(&r, sizeof zeros, zeros);
	clSetKernelArg(kernel, 0, sizeof out, &out);
	clSetKernelArg(kernel, 1, sizeof flag, &flag);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), CL_SUCCESS);
	rig_read(&r, out, got, sizeof got);
	assert_int_equal(got[0], order && strcmp(order, "unordered") == 0);
	assert_int_equal(got[1], GROUPS);
	clReleaseMemObject(out);
	clReleaseMemObject(flag);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}
