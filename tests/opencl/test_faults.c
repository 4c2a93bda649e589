/* Kernels that trap, deadlock or never end: an OpenCL error for the program, a message with the source line for the user, and a context that goes on.
 */
#include "rig.h"

#include "captured.h"

static const char text[] = "kernel void wild(global int *p, global int *q)\n"
                           "{\n"
                           "	p[get_global_id(0) + (1 << 28)] = 1;\n"
                           "}\n"
                           "kernel void odd(global int *p, global int *q)\n"
                           "{\n"
                           "	*(global int *)((global char *)p + get_global_id(0) + 1) = 1;\n"
                           "}\n"
                           "kernel void null(global int *p, global int *q)\n"
                           "{\n"
                           "	p[get_global_id(0)] = q[0];\n"
                           "}\n"
                           "kernel void deadlock(global int *p, global int *q)\n"
                           "{\n"
                           "	if (get_local_id(0) % 2)\n"
                           "		barrier(CLK_LOCAL_MEM_FENCE);\n"
                           "	else\n"
                           "		while (((volatile global int *)p)[60] == 0)\n"
                           "			;\n"
                           "	p[1] = 2;\n"
                           "}\n"
                           "kernel void endless(global int *p, global int *q)\n"
                           "{\n"
                           "	while (((volatile global int *)p)[60] == 0)\n"
                           "		((volatile global int *)p)[1]++;\n"
                           "}\n"
                           "kernel void fine(global int *p, global int *q) { p[get_global_id(0)] = 7; }\n";

static const struct {
	const char *kernel;
	unsigned first, last; /* source lines, one of which the message must name */
	const char *says;
} cases[] = {
    {"wild", 3, 3, "is outside of every buffer"},
    {"odd", 7, 7, "is not aligned, expected a multiple of 4"},
    {"null", 11, 11, "no memory lies that low"},
    {"deadlock", 15, 18, ""}, /* the interpreter sees that nothing changes any more; the machine reaches the limit */
    {"endless", 24, 25, "the limit was reached"},
};

typedef struct told {
	char text[4096];
	int calls;
} told;

static void CL_CALLBACK note(const char *message, const void *info, size_t size, void *data)
{
	told *t = data;
	snprintf(t->text, sizeof t->text, "%s", message);
	t->calls++;
}

static void expect_message(const char *message, unsigned i)
{
	unsigned line = 0;
	assert_int_equal(sscanf(message, "program.cl:%u:", &line), 1);
	assert_in_range(line, cases[i].first, cases[i].last);
	assert_non_null(strstr(message, ": error: kernel '"));
	assert_non_null(strstr(message, cases[i].kernel));
	assert_non_null(strstr(message, cases[i].says));
}

static void test_every_fault(void **state)
{
	rig r;
	cl_int status;
	told t = {0};
	rig_open(&r);
	cl_context context = clCreateContext(NULL, 1, &r.device, note, &t, &status);
	rig own = {.platform = r.platform, .device = r.device, .context = context};
	own.queue = clCreateCommandQueue(context, r.device, CL_QUEUE_PROFILING_ENABLE, &status);
	cl_program program = rig_build(&own, text, NULL);
	cl_mem mem = rig_buffer(&own, 256, NULL), nothing = NULL;
	const size_t global = 32;
	capture errors;
	capture_open(&errors);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		int got[64];
		cl_event event, after, user = clCreateUserEvent(context, &status);
		cl_ulong time;
		cl_kernel bad = rig_kernel(program, cases[i].kernel), fine = rig_kernel(program, "fine");
		cl_kernel both[] = {bad, fine};
		for (int k = 0; k < 2; k++) {
			clSetKernelArg(both[k], 0, sizeof mem, &mem);
			assert_int_equal(clSetKernelArg(both[k], 1, sizeof nothing, &nothing), CL_SUCCESS);
		}
		assert_int_equal(clEnqueueFillBuffer(own.queue, mem, &(int){0}, 4, 0, 256, 1, &user, NULL), CL_SUCCESS);
		assert_int_equal(clEnqueueNDRangeKernel(own.queue, bad, 1, NULL, &global, &global, 0, NULL, &event), CL_SUCCESS);
		/* Who waits for what failed, fails; the next command of the queue does not. */
		assert_int_equal(clEnqueueNDRangeKernel(own.queue, fine, 1, NULL, &global, NULL, 1, &event, &after), CL_SUCCESS);
		assert_int_equal(clEnqueueFillBuffer(own.queue, mem, &(int){5}, 4, 0, 256, 0, NULL, NULL), CL_SUCCESS);
		capture_begin(&errors);
		clSetUserEventStatus(user, CL_COMPLETE);
		cl_int waited = clWaitForEvents(1, &event), finished = clFinish(own.queue);
		capture_end(&errors);
		assert_int_equal(waited, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		assert_int_equal(finished, CL_OUT_OF_RESOURCES);
		clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
		assert_int_equal(status, CL_OUT_OF_RESOURCES);
		clGetEventInfo(after, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
		assert_int_equal(status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		assert_int_equal(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
		char *message = captured(&errors);
		expect_message(message, i);
		assert_int_equal(t.calls, i + 1);
		expect_message(t.text, i);
		free(message);
		rig_read(&own, mem, got, sizeof got);
		assert_int_equal(got[63], 5);
		assert_int_equal(clEnqueueNDRangeKernel(own.queue, fine, 1, NULL, &global, NULL, 0, NULL, NULL), CL_SUCCESS);
		rig_read(&own, mem, got, sizeof got);
		assert_int_equal(got[31], 7);
		assert_int_equal(clFinish(own.queue), CL_SUCCESS);
		clReleaseEvent(event);
		clReleaseEvent(after);
		clReleaseEvent(user);
		clReleaseKernel(bad);
		clReleaseKernel(fine);
	}
	capture_close(&errors);
	clReleaseMemObject(mem);
	clReleaseProgram(program);
	rig_close(&own);
	rig_close(&r);
}

int main(void)
{
	setenv("HEDDLE_MAX_CYCLES", "200000", 1);
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_fault)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
