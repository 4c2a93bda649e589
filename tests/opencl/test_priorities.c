/* Priorities of queues (cl_khr_priority_hints): of the launches that wait while another one runs, one of the highest priority is the next. */
#include "rig.h"

#include <CL/cl_ext.h>

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum { MEDIUM = 3, HIGH, WAITING /* queues, those of low priority first */, HOLD_MS = 250, PAUSE_MS = 50, ROUNDS = 3, TRIES = 12 };

static const char text[] = "kernel void spin(global int *p, int n) { int x = p[0]; for (int i = 0; i < n; i++) x = x * 5 + i; p[0] = x; }\n"
                           "kernel void mark(global int *p, int name) { p[1 + p[0]] = name; p[0]++; }\n";

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cl_command_queue queue_of(rig *r, cl_queue_properties priority, cl_int expected)
{
	const cl_queue_properties list[] = {CL_QUEUE_PRIORITY_KHR, priority, 0};
	cl_int status;
	cl_command_queue queue = clCreateCommandQueueWithProperties(r->context, r->device, list, &status);
	assert_int_equal(status, expected);
	assert_int_equal(queue != NULL, expected == CL_SUCCESS);
	return queue;
}

static cl_event launch(cl_command_queue queue, cl_kernel kernel, cl_mem mem, cl_int word)
{
	const size_t one = 1;
	cl_event event;
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	clSetKernelArg(kernel, 1, sizeof word, &word);
	assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, &event), CL_SUCCESS);
	return event;
}

static cl_int status_of(cl_event event)
{
	cl_int status;
	assert_int_equal(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS);
	return status;
}

/* The question makes the queue's thread begin. */
static void wait_until_it_begins(cl_event event)
{
	while (status_of(event) > CL_RUNNING)
		continue;
}

static void wait_a_moment(void) { nanosleep(&(struct timespec){0, PAUSE_MS * 1000000}, NULL); }

/* Turns of `spin` that take HOLD_MS. */
static cl_int turns_of_a_hold(rig *r, cl_kernel spin, cl_mem mem)
{
	cl_int turns = 500;
	for (double took = 0; took < 0.02; turns *= 2) {
		double begin = now();
		cl_event event = launch(r->queue, spin, mem, turns);
		assert_int_equal(clFinish(r->queue), CL_SUCCESS);
		clReleaseEvent(event);
		took = now() - begin;
	}
	return turns / 2 * (HOLD_MS / 20);
}

/* Launches wait in the order of `queues` while one of the first queue runs. That queue's thread comes for the next one as soon as it has ended,
 * before a thread that is woken. False: it was not the first, or it ended too early. */
static bool wait_in_order(cl_kernel spin, cl_kernel mark, cl_command_queue *queues, cl_mem mems[2], cl_int turns)
{
	cl_event events[WAITING], first = launch(queues[0], spin, mems[0], turns);
	wait_until_it_begins(first);
	wait_a_moment(); /* an event is CL_RUNNING a little before its thread takes the turn */
	for (int i = 0; i < WAITING; i++) {
		events[i] = launch(queues[i], mark, mems[1], i);
		if (i > 0)
			wait_until_it_begins(events[i]);
	}
	wait_a_moment();
	bool held = status_of(first) == CL_RUNNING;
	for (int i = 1; i < WAITING; i++)
		held = held && status_of(events[i]) == CL_RUNNING;
	assert_int_equal(clWaitForEvents(WAITING, events), CL_SUCCESS);
	for (int i = 0; i < WAITING; i++)
		clReleaseEvent(events[i]);
	clReleaseEvent(first);
	return held;
}

TEST(test_a_waiting_launch_of_higher_priority_is_the_next)
{
	static const cl_int none[1 + WAITING] = {0};
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, NULL);
	cl_kernel spin = rig_kernel(program, "spin"), mark = rig_kernel(program, "mark");
	cl_mem mems[2] = {rig_buffer(&r, sizeof none, none), rig_buffer(&r, sizeof none, none)};
	cl_command_queue queues[WAITING];
	for (int i = 0; i < WAITING; i++)
		queues[i] = queue_of(&r,
		                     i < MEDIUM ? CL_QUEUE_PRIORITY_LOW_KHR
		                     : i < HIGH ? CL_QUEUE_PRIORITY_MED_KHR
		                                : CL_QUEUE_PRIORITY_HIGH_KHR,
		                     CL_SUCCESS);
	cl_int turns = turns_of_a_hold(&r, spin, mems[0]), got[1 + WAITING];
	for (int round = 0, tries = 0; round < ROUNDS; tries++) {
		assert_int_equal(clEnqueueWriteBuffer(r.queue, mems[1], CL_TRUE, 0, sizeof none, none, 0, NULL, NULL), CL_SUCCESS);
		bool held = wait_in_order(spin, mark, queues, mems, turns);
		rig_read(&r, mems[1], got, sizeof got);
		assert_int_equal(got[0], WAITING);
		if (held) {
			assert_int_equal(got[1], HIGH);
			assert_int_equal(got[2], MEDIUM);
			round++;
		} else {
			assert_true(tries < TRIES);
			turns *= 2;
		}
	}
	for (int i = 0; i < WAITING; i++)
		clReleaseCommandQueue(queues[i]);
	clReleaseMemObject(mems[0]);
	clReleaseMemObject(mems[1]);
	clReleaseKernel(spin);
	clReleaseKernel(mark);
	clReleaseProgram(program);
	rig_close(&r);
}

/* PD-36: a launch has the priority of its queue in the lists of the machine's tasks, and its child grids inherit it. The parent launches a grid
 * without a priority, then one of priority 4, each of more work-groups than the machine holds at once. The one of the higher priority ends first. */
TEST(test_the_priority_reaches_the_task_lists)
{
	static const char children[] = "#include <heddle_device.h>\n"
	                               "kernel void child(global uint *p, uint name) {\n"
	                               "    for (volatile uint k = 0; k < 20; k++) ;\n"
	                               "    if (get_local_id(0) == 0 && atomic_inc(p + name) == 255) p[2 + atomic_inc(p + 4)] = name;\n"
	                               "}\n"
	                               "kernel void parent(global uint *p) {\n"
	                               "    heddle_launch(child, 256, 32, p, (uint)0);\n"
	                               "    heddle_launch_flags(HEDDLE_PRIORITY(4), child, 256, 32, p, (uint)1);\n"
	                               "}\n";
	static const struct {
		cl_queue_properties of;
		cl_uint first;
	} rows[] = {{CL_QUEUE_PRIORITY_HIGH_KHR, 0}, {CL_QUEUE_PRIORITY_MED_KHR, 1}, {CL_QUEUE_PRIORITY_LOW_KHR, 1}};
	static const cl_uint none[5] = {0};
	if (getenv("HEDDLE_FUNCTIONAL"))
		skip(); /* the interpreter runs one grid after the other */
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, children, NULL);
	cl_kernel parent = rig_kernel(program, "parent");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const size_t one = 1;
		cl_uint got[5];
		cl_mem mem = rig_buffer(&r, sizeof none, none);
		cl_command_queue queue = queue_of(&r, rows[i].of, CL_SUCCESS);
		clSetKernelArg(parent, 0, sizeof mem, &mem);
		assert_int_equal(clEnqueueNDRangeKernel(queue, parent, 1, NULL, &one, &one, 0, NULL, NULL), CL_SUCCESS);
		assert_int_equal(clFinish(queue), CL_SUCCESS);
		rig_read(&r, mem, got, sizeof got);
		assert_int_equal(got[4], 2);
		assert_int_equal(got[2], rows[i].first);
		clReleaseCommandQueue(queue);
		clReleaseMemObject(mem);
	}
	clReleaseKernel(parent);
	clReleaseProgram(program);
	rig_close(&r);
}

TEST(test_queries)
{
	rig r;
	char extensions[2048];
	cl_queue_properties list[8];
	size_t n;
	rig_open(&r);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL), CL_SUCCESS);
	assert_non_null(strstr(extensions, "cl_khr_priority_hints"));
	cl_command_queue queue = queue_of(&r, CL_QUEUE_PRIORITY_LOW_KHR, CL_SUCCESS);
	assert_int_equal(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &n), CL_SUCCESS);
	assert_int_equal(n, 3 * sizeof *list);
	assert_true(list[0] == CL_QUEUE_PRIORITY_KHR && list[1] == CL_QUEUE_PRIORITY_LOW_KHR && list[2] == 0);
	clReleaseCommandQueue(queue);
	const cl_queue_properties wrong[] = {0, 3, CL_QUEUE_PRIORITY_HIGH_KHR | CL_QUEUE_PRIORITY_LOW_KHR, 8, (cl_queue_properties)-1};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		queue_of(&r, wrong[i], CL_INVALID_VALUE);
	rig_close(&r);
}
