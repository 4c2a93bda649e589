/* Ten threads in each of two processes create objects of every kind, on a context of their own or on one for all, run chains of commands, wait in
 * every way or not at all, and release the objects in any order, before or after the commands have run. The whole test is for ThreadSanitizer and
 * AddressSanitizer, too. `opencl-test_any_order ROUNDS SEED` runs longer. */
#include "rig.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 10, PROCESSES = 2, ROUNDS = 12, N = 32, CHAIN = 6, QUEUES = 2, HOST_ADDS = 600, LIMIT = 200 /* seconds */ };

/* Each adds n to each word: at once; on the way into a pipe; on the way out of it; and beside an atomic addition to what the host adds to, too. */
static const char text[] = "kernel void add(global int *p, int n) { p[get_global_id(0)] += n; }\n"
                           "kernel void fill(global int *p, int n, write_only pipe int to)\n"
                           "{\n"
                           "	reserve_id_t id = work_group_reserve_write_pipe(to, get_local_size(0));\n"
                           "	int v = p[get_global_id(0)] + n;\n"
                           "	write_pipe(to, id, get_local_id(0), &v);\n"
                           "	work_group_commit_write_pipe(to, id);\n"
                           "}\n"
                           "kernel void drain(global int *p, int n, read_only pipe int from)\n"
                           "{\n"
                           "	reserve_id_t id = work_group_reserve_read_pipe(from, get_local_size(0));\n"
                           "	int v;\n"
                           "	read_pipe(from, id, get_local_id(0), &v);\n"
                           "	work_group_commit_read_pipe(from, id);\n"
                           "	p[get_global_id(0)] = v + n;\n"
                           "}\n"
                           "kernel void count(global int *p, int n, global atomic_int *live)\n"
                           "{\n"
                           "	p[get_global_id(0)] += n;\n"
                           "	atomic_fetch_add_explicit(live, 1, memory_order_relaxed, memory_scope_all_svm_devices);\n"
                           "}\n";
static const char options[] = "-cl-std=CL3.0";
enum { ADD, FILL, DRAIN, COUNT, KERNELS };
static const char *const kernels[KERNELS] = {"add", "fill", "drain", "count"};

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
	cl_kernel kernels[KERNELS];
	cl_mem mem, part, pipe; /* part: the second half of mem, as a sub-buffer */
	_Atomic cl_int *live;   /* shared virtual memory with atomics */
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
	o->program = rig_build(&o->r, text, options);
	for (int i = 0; i < KERNELS; i++)
		o->kernels[i] = rig_kernel(o->program, kernels[i]);
	o->pipe = clCreatePipe(o->r.context, 0, sizeof(cl_int), N, NULL, &status);
	require(status == CL_SUCCESS, "clCreatePipe");
	o->live = clSVMAlloc(o->r.context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, sizeof(cl_int), 0);
	require(o->live != NULL, "clSVMAlloc");
	atomic_store(o->live, 0);
	o->mem = rig_buffer(&o->r, sizeof start, start);
	cl_buffer_region half = {N * sizeof(cl_int), N * sizeof(cl_int)};
	o->part = clCreateSubBuffer(o->mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &status);
	require(status == CL_SUCCESS, "clCreateSubBuffer");
	clSetMemObjectDestructorCallback(o->mem, buffer_ends, w);
	o->gate = clCreateUserEvent(o->r.context, &status);
	require(status == CL_SUCCESS, "clCreateUserEvent");
}

/* When nothing uses the shared memory any more: the host's additions and those of the kernels are there. */
static void CL_CALLBACK free_live(cl_command_queue queue, cl_uint n, void *pointers[], void *data)
{
	cl_context context;
	require(atomic_load((_Atomic cl_int *)pointers[0]) == N + HOST_ADDS, "additions were lost");
	clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
	clSVMFree(context, pointers[0]);
	count(NULL, CL_COMPLETE, data);
}

/* A chain of launches on any queues, each after the one before it, and a read. Meanwhile the host adds. */
static void enqueue(worker *w, objects *o, cl_int *got, bool gated)
{
	const size_t global = N;
	const cl_int n = 3;
	for (int i = 0; i < KERNELS; i++) {
		clSetKernelArg(o->kernels[i], 0, sizeof o->part, &o->part);
		clSetKernelArg(o->kernels[i], 1, sizeof n, &n);
	}
	clSetKernelArg(o->kernels[FILL], 2, sizeof o->pipe, &o->pipe);
	clSetKernelArg(o->kernels[DRAIN], 2, sizeof o->pipe, &o->pipe);
	clSetKernelArgSVMPointer(o->kernels[COUNT], 2, (const void *)o->live);
	cl_event before = gated ? o->gate : NULL;
	for (int i = 0; i < CHAIN; i++) {
		static const int which[CHAIN] = {ADD, FILL, DRAIN, COUNT, ADD, ADD};
		cl_command_queue queue = o->queues[below(w, QUEUES)];
		require(clEnqueueNDRangeKernel(queue, o->kernels[which[i]], 1, NULL, &global, &global, before ? 1 : 0, before ? &before : NULL,
		                               &o->chain[i]) == CL_SUCCESS,
		        "clEnqueueNDRangeKernel");
		before = o->chain[i];
		if (below(w, 4) == 0)
			clFlush(queue);
		if (below(w, 4) == 0)
			clEnqueueMarkerWithWaitList(o->queues[below(w, QUEUES)], 1, &before, NULL);
		atomic_fetch_add(o->live, HOST_ADDS / CHAIN);
	}
	require(clEnqueueReadBuffer(o->queues[below(w, QUEUES)], o->part, CL_FALSE, 0, N * sizeof *got, got, 1, &before, &o->last) == CL_SUCCESS,
	        "clEnqueueReadBuffer");
	void *live = (void *)(uintptr_t)o->live;
	require(clEnqueueSVMFree(o->queues[below(w, QUEUES)], 1, &live, free_live, w, 1, &o->last, NULL) == CL_SUCCESS, "clEnqueueSVMFree");
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

enum { OBJECTS = 6 + QUEUES + CHAIN + KERNELS + 1 };

static void release(objects *o, unsigned which)
{
	if (which < QUEUES)
		clReleaseCommandQueue(o->queues[which]);
	else if (which < QUEUES + CHAIN)
		clReleaseEvent(o->chain[which - QUEUES]);
	else if (which < QUEUES + CHAIN + KERNELS)
		clReleaseKernel(o->kernels[which - QUEUES - CHAIN]);
	else
		switch (which - QUEUES - CHAIN - KERNELS) {
		case 0:
			clReleaseProgram(o->program);
			break;
		case 1:
			clReleaseMemObject(o->pipe);
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
		wait_for_calls(w, 3); /* the read's, the buffer's, the shared memory's */
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
	clReleaseProgram(rig_build(&r, text, options));
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
