/* Device queues come and go: their memory, their numbers, and the context that they belong to. */
#include "rig.h"

enum { MOST = 16 /* device queues of a context */ };

static const cl_queue_properties large = 16 << 20;

static cl_command_queue make(rig *r, cl_queue_properties bytes, cl_int expected)
{
	cl_int status;
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_SIZE, bytes,
	                                    0};
	cl_command_queue queue = clCreateCommandQueueWithProperties(r->context, r->device, list, &status);
	assert_int_equal(status, expected);
	return queue;
}

/* How many large queues are more than the memory of a context. */
static cl_ulong too_many(rig *r)
{
	cl_ulong bytes;
	assert_int_equal(clGetDeviceInfo(r->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL), CL_SUCCESS);
	return bytes / large + 1;
}

static void memory_of_a_released_queue_is_free(void **state)
{
	rig r;
	rig_open(&r);
	for (cl_ulong i = 0, n = too_many(&r); i < n; i++)
		assert_int_equal(clReleaseCommandQueue(make(&r, large, CL_SUCCESS)), CL_SUCCESS);
	rig_close(&r);
}

static void a_run_lets_queues_go(void **state)
{
	cl_int sum = 0;
	const size_t one = 1;
	rig r;
	rig_open(&r);
	cl_program program =
	    rig_build(&r, "kernel void k(global int *r, queue_t q) { enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ *r += 1; }); }",
	              "-cl-std=CL3.0");
	cl_kernel kernel = rig_kernel(program, "k");
	cl_mem a = rig_buffer(&r, sizeof sum, &sum);
	assert_int_equal(clSetKernelArg(kernel, 0, sizeof a, &a), CL_SUCCESS);
	for (unsigned i = 0; i <= MOST; i++) {
		cl_command_queue queue = make(&r, 4096, CL_SUCCESS);
		assert_int_equal(clSetKernelArg(kernel, 1, sizeof queue, &queue), CL_SUCCESS);
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
		assert_int_equal(clFinish(r.queue), CL_SUCCESS);
		assert_int_equal(clReleaseCommandQueue(queue), CL_SUCCESS);
	}
	rig_read(&r, a, &sum, sizeof sum);
	assert_int_equal(sum, MOST + 1);
	clReleaseMemObject(a);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

static void a_default_queue_is_of_its_context(void **state)
{
	rig r, other;
	rig_open(&r);
	rig_open(&other);
	cl_command_queue queue = make(&other, 4096, CL_SUCCESS);
	assert_int_equal(clSetDefaultDeviceCommandQueue(r.context, r.device, queue), CL_INVALID_COMMAND_QUEUE);
	assert_int_equal(clSetDefaultDeviceCommandQueue(other.context, r.device, queue), CL_SUCCESS);
	clReleaseCommandQueue(queue);
	rig_close(&other);
	rig_close(&r);
}

int main(void)
{
	setenv("HEDDLE_MEMORY", "64", 1); /* MiB; the driver reads it when it is loaded */
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(memory_of_a_released_queue_is_free),
	    cmocka_unit_test(a_run_lets_queues_go),
	    cmocka_unit_test(a_default_queue_is_of_its_context),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
