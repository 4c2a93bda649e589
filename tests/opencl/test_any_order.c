/* Ten threads in each of two processes create objects of every kind, on a context of their own or on one for all, run chains of commands, wait in
 * every way or not at all, and release the objects in any order, before or after the commands have run. The whole test is for ThreadSanitizer and
 * AddressSanitizer, too. `opencl-test_any_order ROUNDS SEED` runs longer. */
#include "rig.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 10, PROCESSES = 2, ROUNDS = 12, N = 32, CHAIN = 6, QUEUES = 2, LIMIT = 200 /* seconds */ };

static const char text[] = "kernel void add(global int *p, int n) { p[get_global_id(0)] += n; }\n";

/* A thread's numbers depend on seed, process and thread alone. */
typedef struct worker {
	uint64_t random;
	unsigned rounds;
	rig *shared;
	pthread_mutex_t lock;
	pthread_cond_t called;
	int calls;
} worker;

static unsigned below(worker *w, unsigned n)
{
	w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(w->random >> 33) % n;
}

static void require(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "opencl-test_any_order: %s\n", what);
	_exit(1);
}

static void CL_CALLBACK count(cl_event event, cl_int status, void *data)
{
	worker *w = data;
	pthread_mutex_lock(&w->lock);
	w->calls++;
	pthread_cond_signal(&w->called);
	pthread_mutex_unlock(&w->lock);
}

static void CL_CALLBACK buffer_ends(cl_mem mem, void *data) { count(NULL, CL_COMPLETE, data); }

static void wait_for_calls(worker *w, int n)
{
	pthread_mutex_lock(&w->lock);
	while (w->calls < n)
		pthread_cond_wait(&w->called, &w->lock);
	w->calls -= n;
	pthread_mutex_unlock(&w->lock);
}

typedef struct objects {
	rig r; /* its queue is queues[0] */
	cl_command_queue queues[QUEUES];
	cl_program program;
	cl_kernel kernel;
	cl_mem mem, part; /* part: the second half of mem, as a sub-buffer */
	cl_event gate, chain[CHAIN], last;
	bool own_context;
} objects;

static void create(worker *w, objects *o)
{
	cl_int status, start[2 * N];
	for (int i = 0; i < 2 * N; i++)
		start[i] = i;
	memset(o, 0, sizeof *o);
	o->own_context = below(w, 2);
	if (o->own_context)
		rig_open_with(&o->r, below(w, 2) ? CL_QUEUE_PROFILING_ENABLE : 0);
	else
		o->r = *w->shared;
	for (int i = 0; i < QUEUES; i++) {
		o->queues[i] = clCreateCommandQueue(o->r.context, o->r.device, below(w, 2) ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &status);
		require(status == CL_SUCCESS, "clCreateCommandQueue");
	}
	o->program = rig_build(&o->r, text, NULL);
	o->kernel = rig_kernel(o->program, "add");
	o->mem = rig_buffer(&o->r, sizeof start, start);
	cl_buffer_region half = {N * sizeof(cl_int), N * sizeof(cl_int)};
	o->part = clCreateSubBuffer(o->mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &status);
	require(status == CL_SUCCESS, "clCreateSubBuffer");
	clSetMemObjectDestructorCallback(o->mem, buffer_ends, w);
	o->gate = clCreateUserEvent(o->r.context, &status);
	require(status == CL_SUCCESS, "clCreateUserEvent");
}

/* A chain of launches on any queues, each after the one before it, and a read. */
static void enqueue(worker *w, objects *o, cl_int *got, bool gated)
{
	const size_t global = N;
	const cl_int n = 3;
	clSetKernelArg(o->kernel, 0, sizeof o->part, &o->part);
	clSetKernelArg(o->kernel, 1, sizeof n, &n);
	cl_event before = gated ? o->gate : NULL;
	for (int i = 0; i < CHAIN; i++) {
		cl_command_queue queue = o->queues[below(w, QUEUES)];
		require(clEnqueueNDRangeKernel(queue, o->kernel, 1, NULL, &global, NULL, before ? 1 : 0, before ? &before : NULL, &o->chain[i]) ==
		            CL_SUCCESS,
		        "clEnqueueNDRangeKernel");
		before = o->chain[i];
		if (below(w, 4) == 0)
			clFlush(queue);
		if (below(w, 4) == 0)
			clEnqueueMarkerWithWaitList(o->queues[below(w, QUEUES)], 1, &before, NULL);
	}
	require(clEnqueueReadBuffer(o->queues[below(w, QUEUES)], o->part, CL_FALSE, 0, N * sizeof *got, got, 1, &before, &o->last) == CL_SUCCESS,
	        "clEnqueueReadBuffer");
	clSetEventCallback(o->last, CL_COMPLETE, count, w);
}

static void await(worker *w, objects *o)
{
	cl_int status = CL_QUEUED;
	switch (below(w, 4)) {
	case 0:
		clWaitForEvents(1, &o->last);
		break;
	case 1:
		while (status > CL_COMPLETE)
			clGetEventInfo(o->last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
		break;
	case 2:
		for (int i = 0; i < QUEUES; i++)
			clFinish(o->queues[i]);
		break;
	default:
		break; /* only the callback */
	}
}

enum { OBJECTS = 6 + QUEUES + CHAIN + 1 };

static void release(objects *o, unsigned which)
{
	if (which < QUEUES)
		clReleaseCommandQueue(o->queues[which]);
	else if (which < QUEUES + CHAIN)
		clReleaseEvent(o->chain[which - QUEUES]);
	else
		switch (which - QUEUES - CHAIN) {
		case 0:
			clReleaseProgram(o->program);
			break;
		case 1:
			clReleaseKernel(o->kernel);
			break;
		case 2:
			clReleaseMemObject(o->mem);
			break;
		case 3:
			clReleaseMemObject(o->part);
			break;
		case 4:
			clReleaseEvent(o->last);
			break;
		case 5:
			clReleaseEvent(o->gate);
			break;
		default:
			if (o->own_context)
				rig_close(&o->r);
		}
}

static void release_all(worker *w, objects *o)
{
	unsigned order[OBJECTS];
	for (unsigned i = 0; i < OBJECTS; i++) {
		unsigned at = below(w, i + 1);
		order[i] = order[at];
		order[at] = i;
	}
	for (unsigned i = 0; i < OBJECTS; i++)
		release(o, order[i]);
}

static void *work(void *argument)
{
	worker *w = argument;
	for (unsigned i = 0; i < w->rounds; i++) {
		objects o;
		cl_int got[N] = {0};
		create(w, &o);
		bool gated = below(w, 2), early = below(w, 2);
		enqueue(w, &o, got, gated);
		if (gated)
			clSetUserEventStatus(o.gate, CL_COMPLETE);
		if (!early)
			await(w, &o);
		release_all(w, &o);
		wait_for_calls(w, 2); /* the read's and the buffer's */
		for (int k = 0; k < N; k++)
			require(got[k] == N + k + 3 * CHAIN, "wrong values");
	}
	return NULL;
}

static int process(unsigned number, unsigned rounds, unsigned seed)
{
	static worker workers[THREADS];
	pthread_t threads[THREADS];
	rig shared;
	alarm(rounds > ROUNDS ? 0 : LIMIT);
	rig_open(&shared);
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i] = (worker){.random = ((uint64_t)seed << 32) + number * THREADS + i, .rounds = rounds, .shared = &shared};
		pthread_mutex_init(&workers[i].lock, NULL);
		pthread_cond_init(&workers[i].called, NULL);
		below(&workers[i], 1);
		require(pthread_create(&threads[i], NULL, work, &workers[i]) == 0, "pthread_create");
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	rig_close(&shared);
	return 0;
}

/* One thread alone, so that the others find the program in the cache. */
static int warm_up(void)
{
	rig r;
	rig_open(&r);
	clReleaseProgram(rig_build(&r, text, NULL));
	rig_close(&r);
	return 0;
}

static bool ended_well(pid_t pid)
{
	int status;
	return waitpid(pid, &status, 0) == pid && status == 0;
}

int main(int argc, char **argv)
{
	char cache[] = "/tmp/heddle-test-XXXXXX", line[64];
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : ROUNDS, seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	pid_t pid[PROCESSES + 1];
	bool ok = mkdtemp(cache) != NULL;
	setenv("XDG_CACHE_HOME", cache, 1);
	/* This process does not touch the driver, so that it may fork. exit() has the search for leaks begin. */
	if ((pid[PROCESSES] = fork()) == 0)
		exit(warm_up());
	ok = ended_well(pid[PROCESSES]) && ok;
	for (unsigned i = 0; i < PROCESSES; i++)
		if ((pid[i] = fork()) == 0)
			exit(process(i, rounds, seed));
	for (unsigned i = 0; i < PROCESSES; i++)
		ok = ended_well(pid[i]) && ok;
	snprintf(line, sizeof line, "rm -r %s", cache);
	ok = system(line) == 0 && ok;
	printf("%s: %u rounds of %d threads in %d processes\n", ok ? "right" : "wrong", rounds, THREADS, PROCESSES);
	return ok ? 0 : 1;
}
