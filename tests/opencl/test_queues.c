/* Who runs a queue's commands: the thread that waits, or the queue's thread for programs that do not wait. Functions of the program are never called
 * by a thread that waits in the driver, because the program may hold a lock then. */
#include "rig.h"

#include <fenv.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { N = 64, LIMIT = 60 /* seconds until the test has failed */ };

static const char text[] = "kernel void add(global int *p, int n) { p[get_global_id(0)] += n; }\n"
                           "kernel void spin(global int *p, int n) { int x = p[0]; for (int i = 0; i < n; i++) x = x * 5 + i; p[0] = x; }\n"
                           "kernel void round(global float *p, float a, float b) { p[0] = a + b; p[1] = a * 0x1p-130f; }\n"
                           "kernel void trap(global int *p) { p[1 << 30] = 1; }\n";

typedef struct bench {
	rig r;
	cl_program program;
	cl_kernel kernel; /* add */
	cl_mem mem;
} bench;

static void open_bench(bench *b, cl_command_queue_properties properties)
{
	const cl_int zero[N] = {0}, one = 1;
	rig_open_with(&b->r, properties);
	b->program = rig_build(&b->r, text, NULL);
	b->kernel = rig_kernel(b->program, "add");
	b->mem = rig_buffer(&b->r, sizeof zero, zero);
	clSetKernelArg(b->kernel, 0, sizeof b->mem, &b->mem);
	clSetKernelArg(b->kernel, 1, sizeof one, &one);
}

static void close_bench(bench *b)
{
	clReleaseMemObject(b->mem);
	clReleaseKernel(b->kernel);
	clReleaseProgram(b->program);
	rig_close(&b->r);
}

static void launch(cl_command_queue queue, cl_kernel kernel, cl_uint n, const cl_event *wait, cl_event *event)
{
	const size_t global = N;
	assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &global, n, wait, event), CL_SUCCESS);
}

static void expect(bench *b, int value)
{
	cl_int got[N];
	rig_read(&b->r, b->mem, got, sizeof got);
	for (int i = 0; i < N; i++)
		assert_int_equal(got[i], value);
}

static double seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pause_ms(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

/* The waiting thread's processor time is that of the kernel. */
static void test_waiting_thread_runs_commands(void **state)
{
	bench b;
	const cl_int turns = 3000;
	cl_event event;
	open_bench(&b, 0);
	cl_kernel spin = rig_kernel(b.program, "spin");
	clSetKernelArg(spin, 0, sizeof b.mem, &b.mem);
	clSetKernelArg(spin, 1, sizeof turns, &turns);
	for (int way = 0; way < 3; way++) {
		double own = seconds(CLOCK_THREAD_CPUTIME_ID), all = seconds(CLOCK_PROCESS_CPUTIME_ID);
		for (int i = 0; i < 4; i++) {
			cl_int word;
			launch(b.r.queue, spin, 0, NULL, &event);
			if (way == 0)
				assert_int_equal(clFinish(b.r.queue), CL_SUCCESS);
			else if (way == 1)
				assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
			else
				rig_read(&b.r, b.mem, &word, sizeof word);
			clReleaseEvent(event);
		}
		own = seconds(CLOCK_THREAD_CPUTIME_ID) - own;
		all = seconds(CLOCK_PROCESS_CPUTIME_ID) - all;
		/* The queue's thread may have been first once, when this thread had to wait for a processor. */
		assert_true(own > all / 2);
	}
	clReleaseKernel(spin);
	close_bench(&b);
}

/* Nobody waits, asks or registers a callback. */
static void test_commands_run_though_nobody_waits(void **state)
{
	bench b;
	cl_event event;
	cl_ulong time;
	open_bench(&b, CL_QUEUE_PROFILING_ENABLE);
	for (int i = 0; i < 3; i++) {
		launch(b.r.queue, b.kernel, 0, NULL, NULL);
		launch(b.r.queue, b.kernel, 0, NULL, &event);
		while (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL) == CL_PROFILING_INFO_NOT_AVAILABLE)
			pause_ms(1);
		clReleaseEvent(event);
		/* So long that the queue's thread waits without a limit. */
		pause_ms(i == 1 ? 30 : 0);
	}
	expect(&b, 6);
	close_bench(&b);
}

static void test_commands_run_for_a_program_that_asks(void **state)
{
	bench b;
	cl_event event;
	cl_int status = CL_QUEUED;
	open_bench(&b, 0);
	launch(b.r.queue, b.kernel, 0, NULL, &event);
	while (status != CL_COMPLETE)
		assert_int_equal(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS);
	clReleaseEvent(event);
	expect(&b, 1);
	close_bench(&b);
}

/* -- functions of the program ----------------------------------------------------------------------------------------------------------- */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static int calls;
static pthread_t caller;

static void count_call(void)
{
	pthread_mutex_lock(&lock);
	calls++;
	caller = pthread_self();
	pthread_cond_signal(&called);
	pthread_mutex_unlock(&lock);
}

static void CL_CALLBACK at_status(cl_event event, cl_int status, void *data) { count_call(); }
static void CL_CALLBACK at_end_of_buffer(cl_mem mem, void *data) { count_call(); }
static void CL_CALLBACK at_message(const char *message, const void *bytes, size_t n, void *data) { count_call(); }

static void wait_for_calls(int n)
{
	while (calls < n)
		pthread_cond_wait(&called, &lock);
	assert_int_equal(calls, n);
	assert_false(pthread_equal(caller, pthread_self()));
	calls = 0;
}

/* The thread holds a lock that the function takes while it waits in the driver. */
static void test_callbacks_may_take_a_lock_of_the_waiting_thread(void **state)
{
	const cl_int kinds[] = {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE};
	bench b;
	open_bench(&b, 0);
	for (int i = 0; i < 6; i++) {
		cl_int status;
		cl_event gate = clCreateUserEvent(b.r.context, &status), event;
		launch(b.r.queue, b.kernel, 1, &gate, &event);
		for (int k = 0; k < 3; k++)
			assert_int_equal(clSetEventCallback(event, kinds[k], at_status, NULL), CL_SUCCESS);
		pthread_mutex_lock(&lock);
		clSetUserEventStatus(gate, CL_COMPLETE);
		if (i % 2)
			clFinish(b.r.queue);
		else
			clWaitForEvents(1, &event);
		wait_for_calls(3);
		pthread_mutex_unlock(&lock);
		clReleaseEvent(gate);
		clReleaseEvent(event);
	}
	expect(&b, 6);
	close_bench(&b);
}

static void test_destructors_may_take_a_lock_of_the_waiting_thread(void **state)
{
	bench b;
	open_bench(&b, 0);
	for (int i = 0; i < 4; i++) {
		cl_mem mem = rig_buffer(&b.r, N * sizeof(cl_int), NULL);
		clSetMemObjectDestructorCallback(mem, at_end_of_buffer, NULL);
		clSetKernelArg(b.kernel, 0, sizeof mem, &mem);
		launch(b.r.queue, b.kernel, 0, NULL, NULL);
		clReleaseMemObject(mem);
		pthread_mutex_lock(&lock);
		clFinish(b.r.queue);
		wait_for_calls(1);
		pthread_mutex_unlock(&lock);
	}
	close_bench(&b);
}

static void test_notification_may_take_a_lock_of_the_waiting_thread(void **state)
{
	bench b;
	cl_int status;
	open_bench(&b, 0);
	cl_context context = clCreateContext(NULL, 1, &b.r.device, at_message, NULL, &status);
	cl_command_queue queue = clCreateCommandQueue(context, b.r.device, 0, &status);
	bench other = {.r = {b.r.platform, b.r.device, context, queue}};
	other.program = rig_build(&other.r, text, NULL);
	other.kernel = rig_kernel(other.program, "trap");
	other.mem = rig_buffer(&other.r, 4, NULL);
	clSetKernelArg(other.kernel, 0, sizeof other.mem, &other.mem);
	launch(queue, other.kernel, 0, NULL, NULL);
	pthread_mutex_lock(&lock);
	assert_int_equal(clFinish(queue), CL_OUT_OF_RESOURCES);
	wait_for_calls(1);
	pthread_mutex_unlock(&lock);
	close_bench(&other);
	close_bench(&b);
}

/* The same when another queue, whose thread is in the callback, has the command that the thread waits for. */
static void test_callbacks_of_another_queue_may_take_the_lock(void **state)
{
	bench b;
	cl_int status;
	open_bench(&b, 0);
	cl_command_queue second = clCreateCommandQueue(b.r.context, b.r.device, 0, &status);
	for (int i = 0; i < 4; i++) {
		cl_event first, event, last;
		launch(second, b.kernel, 0, NULL, &first);
		pthread_mutex_lock(&lock);
		clSetEventCallback(first, CL_COMPLETE, at_status, NULL);
		clWaitForEvents(1, &first);
		pause_ms(2); /* the callback begins */
		launch(second, b.kernel, 0, NULL, &event);
		launch(b.r.queue, b.kernel, 1, &event, &last);
		clWaitForEvents(1, &last);
		wait_for_calls(1);
		pthread_mutex_unlock(&lock);
		clReleaseEvent(first);
		clReleaseEvent(event);
		clReleaseEvent(last);
	}
	clReleaseCommandQueue(second);
	expect(&b, 12);
	close_bench(&b);
}

/* Programs rely on it, though the specification does not promise it. */
static void test_clfinish_returns_after_the_callbacks(void **state)
{
	bench b;
	open_bench(&b, 0);
	for (int i = 0; i < 200; i++) {
		cl_event event;
		launch(b.r.queue, b.kernel, 0, NULL, &event);
		assert_int_equal(clSetEventCallback(event, CL_COMPLETE, at_status, NULL), CL_SUCCESS);
		clFinish(b.r.queue);
		pthread_mutex_lock(&lock);
		assert_int_equal(calls, 1);
		calls = 0;
		pthread_mutex_unlock(&lock);
		clReleaseEvent(event);
	}
	close_bench(&b);
}

static int finished, quick; /* callbacks that have ended; those that did not wait */

/* A blocking call in a callback, on the queue's thread, does not wait for that callback. */
static void CL_CALLBACK finish(cl_event event, cl_int status, void *data)
{
	double begin = seconds(CLOCK_MONOTONIC);
	assert_int_equal(clFinish(data), CL_SUCCESS);
	pthread_mutex_lock(&lock);
	quick += seconds(CLOCK_MONOTONIC) - begin < 0.09;
	finished++;
	pthread_cond_signal(&called);
	pthread_mutex_unlock(&lock);
}

static void test_a_callback_may_call_clfinish(void **state)
{
	enum { ROUNDS = 5 };
	bench b;
	open_bench(&b, 0);
	for (int i = 0; i < ROUNDS; i++) {
		cl_event event;
		launch(b.r.queue, b.kernel, 0, NULL, &event);
		launch(b.r.queue, b.kernel, 0, NULL, NULL);
		clSetEventCallback(event, CL_COMPLETE, finish, b.r.queue);
		clFinish(b.r.queue);
		pthread_mutex_lock(&lock);
		while (finished <= i) /* the callback's clFinish may be the later one */
			pthread_cond_wait(&called, &lock);
		pthread_mutex_unlock(&lock);
		clReleaseEvent(event);
	}
	assert_true(quick > 0); /* the host may be slow at times */
	expect(&b, 2 * ROUNDS);
	close_bench(&b);
}

/* A kernel that takes so long that other threads do something meanwhile. */
static cl_kernel slow_kernel(bench *b)
{
	const cl_int turns = 20000;
	cl_kernel spin = rig_kernel(b->program, "spin");
	clSetKernelArg(spin, 0, sizeof b->mem, &b->mem);
	clSetKernelArg(spin, 1, sizeof turns, &turns);
	return spin;
}

/* The queue's thread is in a function of the program and cannot run what is left. The threads that wait run it.
 * The callback's clFinish comes while this thread runs a command. Afterwards this thread waits for the callback, outside of the driver. */
static void test_a_callback_runs_what_the_waiting_thread_leaves(void **state)
{
	bench b;
	cl_event first, second;
	open_bench(&b, 0);
	cl_kernel spin = slow_kernel(&b);
	finished = 0;
	launch(b.r.queue, b.kernel, 0, NULL, &first);
	clSetEventCallback(first, CL_COMPLETE, finish, b.r.queue);
	launch(b.r.queue, spin, 0, NULL, &second);
	clWaitForEvents(1, &second);
	pthread_mutex_lock(&lock);
	while (finished == 0)
		pthread_cond_wait(&called, &lock);
	pthread_mutex_unlock(&lock);
	clReleaseEvent(first);
	clReleaseEvent(second);
	clReleaseKernel(spin);
	close_bench(&b);
}

/* The queue's thread runs a command while this thread waits for the next one with a lock that the command's callback takes. */
static void test_the_waiting_thread_runs_what_a_callback_leaves(void **state)
{
	bench b;
	cl_event first, second;
	cl_int status = CL_QUEUED;
	open_bench(&b, 0);
	cl_kernel spin = slow_kernel(&b);
	launch(b.r.queue, spin, 0, NULL, &first);
	clSetEventCallback(first, CL_COMPLETE, at_status, NULL);
	while (status > CL_RUNNING)
		clGetEventInfo(first, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
	pthread_mutex_lock(&lock);
	launch(b.r.queue, b.kernel, 0, NULL, &second);
	clWaitForEvents(1, &second);
	wait_for_calls(1);
	pthread_mutex_unlock(&lock);
	clReleaseEvent(first);
	clReleaseEvent(second);
	clReleaseKernel(spin);
	close_bench(&b);
}

/* The same when the event that the command waits for ends later: a user event, set while the queue's thread is in the callback. */
static void *set_later(void *event);

static void test_the_waiting_thread_runs_what_ends_later(void **state)
{
	bench b;
	cl_event first, second;
	cl_int status;
	pthread_t thread;
	open_bench(&b, 0);
	cl_command_queue other = clCreateCommandQueue(b.r.context, b.r.device, 0, &status);
	for (int chain = 0; chain < 2; chain++) {
		cl_event gate = clCreateUserEvent(b.r.context, &status), last;
		launch(b.r.queue, b.kernel, 0, NULL, &first);
		pthread_mutex_lock(&lock);
		clSetEventCallback(first, CL_COMPLETE, at_status, NULL);
		clWaitForEvents(1, &first);
		launch(b.r.queue, b.kernel, 1, &gate, &second);
		launch(chain ? other : b.r.queue, b.kernel, 1, &second, &last);
		pthread_create(&thread, NULL, set_later, gate);
		clWaitForEvents(1, &last);
		wait_for_calls(1);
		pthread_mutex_unlock(&lock);
		pthread_join(thread, NULL);
		clReleaseEvent(gate);
		clReleaseEvent(first);
		clReleaseEvent(second);
		clReleaseEvent(last);
	}
	clReleaseCommandQueue(other);
	close_bench(&b);
}

/* A callback is the last user of its queue, which was released. */
static void CL_CALLBACK release(cl_event event, cl_int status, void *data)
{
	clReleaseEvent(event);
	count_call();
}

static void test_callbacks_come_though_the_queue_was_released(void **state)
{
	for (int i = 0; i < 4; i++) {
		bench b;
		cl_event event;
		cl_int status, got[N];
		open_bench(&b, 0);
		cl_event gate = clCreateUserEvent(b.r.context, &status);
		launch(b.r.queue, b.kernel, 1, &gate, &event);
		clSetEventCallback(event, CL_COMPLETE, release, NULL);
		cl_command_queue second = clCreateCommandQueue(b.r.context, b.r.device, 0, &status);
		assert_int_equal(clEnqueueReadBuffer(second, b.mem, CL_FALSE, 0, sizeof got, got, 1, &event, NULL), CL_SUCCESS);
		clReleaseCommandQueue(b.r.queue);
		b.r.queue = second;
		pthread_mutex_lock(&lock);
		clSetUserEventStatus(gate, CL_COMPLETE);
		assert_int_equal(clFinish(second), CL_SUCCESS);
		wait_for_calls(1);
		pthread_mutex_unlock(&lock);
		assert_int_equal(got[N - 1], 1);
		clReleaseEvent(gate);
		close_bench(&b);
	}
}

/* -- several queues and threads ----------------------------------------------------------------------------------------------------------- */

/* Chains through three queues, one of them out of order, behind a user event that another thread sets. Nobody waits for two of the queues. */
static void *set_later(void *event)
{
	pause_ms(5);
	assert_int_equal(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
	return NULL;
}

static void test_queues_that_wait_for_each_other(void **state)
{
	bench b;
	cl_int status;
	open_bench(&b, 0);
	cl_command_queue queues[] = {b.r.queue, clCreateCommandQueue(b.r.context, b.r.device, 0, &status),
	                             clCreateCommandQueue(b.r.context, b.r.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status)};
	for (int i = 0; i < 20; i++) {
		cl_event last = clCreateUserEvent(b.r.context, &status), gate = last;
		pthread_t thread;
		clRetainEvent(gate);
		for (int k = 0; k < 30; k++) {
			cl_event event;
			launch(queues[(k + i) % 3], b.kernel, 1, &last, &event);
			clReleaseEvent(last);
			last = event;
		}
		assert_int_equal(pthread_create(&thread, NULL, set_later, gate), 0);
		assert_int_equal(i % 2 ? clWaitForEvents(1, &last) : clFinish(queues[(29 + i) % 3]), CL_SUCCESS);
		pthread_join(thread, NULL);
		clReleaseEvent(gate);
		clReleaseEvent(last);
		expect(&b, 30 * (i + 1));
	}
	clReleaseCommandQueue(queues[1]);
	clReleaseCommandQueue(queues[2]);
	close_bench(&b);
}

/* Threads that wait for different commands of one queue. The one whose command is the last runs what the others leave. */
typedef struct waiter {
	bench *b;
	cl_event event;
} waiter;

static void *wait_for_one(void *argument)
{
	waiter *w = argument;
	clWaitForEvents(1, &w->event);
	return NULL;
}

static void test_threads_that_wait_for_one_queue(void **state)
{
	enum { THREADS = 4, ROUNDS = 25 };
	bench b;
	open_bench(&b, 0);
	for (int i = 0; i < ROUNDS; i++) {
		waiter w[THREADS];
		pthread_t threads[THREADS];
		for (int k = 0; k < THREADS; k++) {
			for (int extra = 0; extra < 5; extra++)
				launch(b.r.queue, b.kernel, 0, NULL, NULL);
			launch(b.r.queue, b.kernel, 0, NULL, &w[k].event);
		}
		for (int k = 0; k < THREADS; k++) /* the last command first */
			assert_int_equal(pthread_create(&threads[k], NULL, wait_for_one, &w[THREADS - 1 - k]), 0);
		for (int k = 0; k < THREADS; k++)
			pthread_join(threads[k], NULL);
		for (int k = 0; k < THREADS; k++)
			clReleaseEvent(w[k].event);
	}
	expect(&b, ROUNDS * THREADS * 6);
	close_bench(&b);
}

/* -- the floating-point environment of the waiting thread --------------------------------------------------------------------------------- */
static void test_rounding_of_the_waiting_thread_does_not_matter(void **state)
{
	bench b;
	const cl_float a = 1, small = 0x1p-30f;
	cl_float got[2];
	const size_t one = 1;
	const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
	open_bench(&b, 0);
	cl_kernel kernel = rig_kernel(b.program, "round");
	clSetKernelArg(kernel, 0, sizeof b.mem, &b.mem);
	clSetKernelArg(kernel, 1, sizeof a, &a);
	clSetKernelArg(kernel, 2, sizeof small, &small);
	for (int i = 0; i < 4; i++) {
		fesetround(modes[i]);
		clEnqueueNDRangeKernel(b.r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
		clFinish(b.r.queue);
		assert_int_equal(fegetround(), modes[i]);
		fesetround(FE_TONEAREST);
		rig_read(&b.r, b.mem, got, sizeof got);
		assert_true(got[0] == 1.0f); /* not 1 + 2^-23 */
	}
#ifdef __SSE2__
	/* Denormals as zeros, in operands and in results. */
	unsigned before = __builtin_ia32_stmxcsr();
	__builtin_ia32_ldmxcsr(before | 0x8040);
	clEnqueueNDRangeKernel(b.r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
	clFinish(b.r.queue);
	unsigned after = __builtin_ia32_stmxcsr();
	__builtin_ia32_ldmxcsr(before);
	rig_read(&b.r, b.mem, got, sizeof got);
	assert_true(got[1] == 0x1p-130f);
	assert_int_equal(after & 0x8040, 0x8040);
#endif
	clReleaseKernel(kernel);
	close_bench(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_waiting_thread_runs_commands),
	    cmocka_unit_test(test_commands_run_though_nobody_waits),
	    cmocka_unit_test(test_commands_run_for_a_program_that_asks),
	    cmocka_unit_test(test_callbacks_may_take_a_lock_of_the_waiting_thread),
	    cmocka_unit_test(test_callbacks_of_another_queue_may_take_the_lock),
	    cmocka_unit_test(test_destructors_may_take_a_lock_of_the_waiting_thread),
	    cmocka_unit_test(test_notification_may_take_a_lock_of_the_waiting_thread),
	    cmocka_unit_test(test_clfinish_returns_after_the_callbacks),
	    cmocka_unit_test(test_a_callback_may_call_clfinish),
	    cmocka_unit_test(test_a_callback_runs_what_the_waiting_thread_leaves),
	    cmocka_unit_test(test_the_waiting_thread_runs_what_a_callback_leaves),
	    cmocka_unit_test(test_the_waiting_thread_runs_what_ends_later),
	    cmocka_unit_test(test_callbacks_come_though_the_queue_was_released),
	    cmocka_unit_test(test_queues_that_wait_for_each_other),
	    cmocka_unit_test(test_threads_that_wait_for_one_queue),
	    cmocka_unit_test(test_rounding_of_the_waiting_thread_does_not_matter),
	};
	alarm(LIMIT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
