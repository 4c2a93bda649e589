/* Two programs with a kernel of one name each, and one of them built a second time: for the summary of a process (environment.py). */
#include "rig.h"

static void launch(rig *r, const char *source, unsigned times)
{
	cl_program program = rig_build(r, source, "");
	cl_kernel kernel = rig_kernel(program, "work");
	cl_mem mem = rig_buffer(r, 64 * 4, NULL);
	size_t size = 64;
	assert_int_equal(clSetKernelArg(kernel, 0, sizeof mem, &mem), CL_SUCCESS);
	for (unsigned i = 0; i < times; i++)
		assert_int_equal(clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clFinish(r->queue), CL_SUCCESS);
	clReleaseMemObject(mem);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
}

TEST(launches)
{
	static const char one[] = "kernel void work(global int *y) { y[get_global_id(0)] = 1; }",
	                  two[] = "kernel void work(global int *y) { for (int i = 0; i < 50; i++) y[get_global_id(0)] += y[i]; }";
	rig r;
	(void)state;
	rig_open(&r);
	launch(&r, one, 2);
	launch(&r, two, 1);
	launch(&r, one, 3);
	rig_close(&r);
}
