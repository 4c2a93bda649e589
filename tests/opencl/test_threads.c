/* Ten threads at once with a context each and then with one together; two processes on one cold cache; objects released in any order. */
#include "rig.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 10, N = 256 };

static const char text[] = "kernel void k(global int *p, int n) { p[get_global_id(0)] = get_global_id(0) * n; }\n";

typedef struct job {
	rig *shared; /* NULL: a context of its own */
	int n, wrong;
} job;

static void *work(void *argument)
{
	job *j = argument;
	rig own = {0}, *r = j->shared ? j->shared : &own;
	int got[N];
	const size_t global = N;
	if (!j->shared)
		rig_open(r);
	cl_program program = rig_build(r, text, NULL);
	cl_kernel kernel = rig_kernel(program, "k");
	cl_mem mem = rig_buffer(r, sizeof got, NULL);
	for (int i = 0; i < 3; i++) {
		int factor = j->n * 10 + i;
		clSetKernelArg(kernel, 0, sizeof mem, &mem);
		clSetKernelArg(kernel, 1, sizeof factor, &factor);
		if (clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL) != CL_SUCCESS)
			j->wrong++;
		rig_read(r, mem, got, sizeof got);
		for (int k = 0; k < N; k++)
			j->wrong += got[k] != k * factor;
	}
	clReleaseProgram(program);
	clReleaseMemObject(mem);
	clReleaseKernel(kernel);
	if (!j->shared)
		rig_close(r);
	return NULL;
}

static void run_threads(rig *shared)
{
	pthread_t threads[THREADS];
	job jobs[THREADS];
	for (int i = 0; i < THREADS; i++) {
		jobs[i] = (job){shared, i, 0};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(jobs[i].wrong, 0);
	}
}

static void test_own_contexts(void **state) { run_threads(NULL); }

static void test_one_context(void **state)
{
	rig r;
	rig_open(&r);
	run_threads(&r);
	rig_close(&r);
}

/* Before anything else in this process touches the driver. */
static int two_processes(void)
{
	char cache[] = "/tmp/heddle-test-XXXXXX", line[64];
	int bad = 0, pid[2], status;
	if (!mkdtemp(cache))
		return 1;
	setenv("XDG_CACHE_HOME", cache, 1);
	for (int i = 0; i < 2; i++) {
		if ((pid[i] = fork()) == 0) {
			job j = {NULL, i + 1, 0};
			work(&j);
			_exit(j.wrong != 0);
		}
	}
	for (int i = 0; i < 2; i++)
		bad |= waitpid(pid[i], &status, 0) != pid[i] || status != 0;
	/* One file is left, whole, and nothing beside it; a broken one is ignored and replaced. */
	snprintf(line, sizeof line, "test $(ls %s/heddle | wc -l) = 1", cache);
	bad |= system(line) != 0;
	snprintf(line, sizeof line, "for f in %s/heddle/*; do echo x >$f; done", cache);
	bad |= system(line) != 0;
	if ((pid[0] = fork()) == 0) {
		job j = {NULL, 3, 0};
		work(&j);
		_exit(j.wrong != 0);
	}
	bad |= waitpid(pid[0], &status, 0) != pid[0] || status != 0;
	snprintf(line, sizeof line, "rm -r %s", cache);
	bad |= system(line) != 0;
	return bad;
}

static void test_released_in_any_order(void **state)
{
	for (unsigned order = 0; order < 24; order++) {
		rig r;
		int got[N], factor = 3;
		const size_t global = N;
		rig_open(&r);
		cl_program program = rig_build(&r, text, NULL);
		cl_kernel kernel = rig_kernel(program, "k");
		cl_mem mem = rig_buffer(&r, sizeof got, NULL);
		cl_event event;
		clSetKernelArg(kernel, 0, sizeof mem, &mem);
		clSetKernelArg(kernel, 1, sizeof factor, &factor);
		clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
		assert_int_equal(clEnqueueReadBuffer(r.queue, mem, CL_FALSE, 0, sizeof got, got, 0, NULL, &event), CL_SUCCESS);
		unsigned left = order, done = 0;
		for (unsigned n = 5; n > 0; n--) {
			unsigned pick = left % n, which = 0;
			left /= n;
			for (;; which++) {
				if (done >> which & 1)
					continue;
				if (pick-- == 0)
					break;
			}
			done |= 1u << which;
			switch (which) {
			case 0:
				clReleaseProgram(program);
				break;
			case 1:
				clReleaseKernel(kernel);
				break;
			case 2:
				clReleaseMemObject(mem);
				break;
			case 3:
				clReleaseCommandQueue(r.queue);
				break;
			case 4:
				clReleaseContext(r.context);
				break;
			}
		}
		assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
		assert_int_equal(got[N - 1], (N - 1) * 3);
		clReleaseEvent(event);
	}
}

int main(void)
{
	if (two_processes()) {
		fprintf(stderr, "two processes at once: wrong\n");
		return 1;
	}
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_own_contexts),
	    cmocka_unit_test(test_one_context),
	    cmocka_unit_test(test_released_in_any_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
