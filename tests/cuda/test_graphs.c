/* Graphs and captures by many threads: each captures, instantiates, launches and destroys in its own order; all launch one executable graph; and
 * handles that are none any more are told from others. tests/cuda/corners has the single functions. */

#include "../test.h"

#include "fat.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 10, N = 64, ROUNDS = 8 };

static fat binary;
static const char add[1];
static const char text[] = FAT_HEAD FAT_ADD;
static atomic_int ends;

static void **begin(void)
{
	fat_begin(&binary);
	fat_add_text(&binary, 75, text, FAT_PLAIN);
	void **handle = __cudaRegisterFatBinary(&binary.wrapper);
	fat_register_kernel(handle, add, "add");
	return handle;
}

static cudaError_t launch(int *p, int value, cudaStream_t stream)
{
	int n = N;
	return cudaLaunchKernel(add, (dim3){2, 1, 1}, (dim3){32, 1, 1}, (void *[]){&p, &value, &n}, 0, stream);
}

static void count(void *data) { atomic_fetch_add((atomic_int *)data, 1); }

/* Two streams, forked and joined, with memory of the graph, an object of the program and a function of the host. */
static cudaError_t capture(cudaStream_t s, cudaStream_t other, cudaEvent_t fork, cudaEvent_t join, int *p, int value, atomic_int *called, int *back,
                           cudaGraph_t *graph)
{
	void *own;
	cudaError_t error = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
	error = error ? error : cudaMemsetAsync(p, 0, N * 4, s);
	error = error ? error : launch(p, value, s);
	error = error ? error : cudaEventRecord(fork, s);
	error = error ? error : cudaStreamWaitEvent(other, fork, 0);
	error = error ? error : cudaMallocAsync(&own, N * 4, other);
	error = error ? error : cudaMemcpyAsync(own, p, N * 4, cudaMemcpyDeviceToDevice, other);
	error = error ? error : launch(own, 1, other);
	error = error ? error : cudaMemcpyAsync(back, own, N * 4, cudaMemcpyDeviceToHost, other);
	error = error ? error : cudaFreeAsync(own, other);
	error = error ? error : cudaLaunchHostFunc(s, count, called);
	error = error ? error : cudaEventRecord(join, other);
	error = error ? error : cudaStreamWaitEvent(s, join, 0);
	cudaError_t ended = cudaStreamEndCapture(s, graph);
	return error ? error : ended;
}

static cudaError_t round_of(int number, unsigned round)
{
	int *p, back[N] = {0};
	atomic_int called = 0;
	cudaStream_t s = NULL, other = NULL;
	cudaEvent_t fork, join;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaUserObject_t user;
	cudaError_t error = cudaMalloc((void **)&p, sizeof back);
	error = error ? error : cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
	error = error ? error : cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
	error = error ? error : cudaEventCreate(&fork);
	error = error ? error : cudaEventCreate(&join);
	error = error ? error : capture(s, other, fork, join, p, number, &called, back, &graph);
	error = error ? error : cudaUserObjectCreate(&user, &ends, (cudaHostFn_t)count, 1, cudaUserObjectNoDestructorSync);
	error = error ? error : cudaGraphRetainUserObject(graph, user, 1, cudaGraphUserObjectMove);
	error = error ? error : cudaGraphInstantiate(&exec, graph, 0);
	if (error)
		return error;
	if (round & 1)
		error = cudaGraphDestroy(graph);
	error = error ? error : cudaGraphLaunch(exec, s);
	error = error ? error : cudaGraphLaunch(exec, other);
	if (round & 2) /* while it runs */
		error = error ? error : cudaGraphExecDestroy(exec);
	if (round & 4)
		error = error ? error : cudaEventDestroy(fork);
	error = error ? error : cudaStreamSynchronize(other);
	error = error ? error : cudaStreamSynchronize(s);
	for (int i = 0; i < N && !error; i++)
		error = back[i] == number + 1 && called == 2 ? cudaSuccess : cudaErrorUnknown;
	if (!(round & 2))
		error = error ? error : cudaGraphExecDestroy(exec);
	if (!(round & 1))
		error = error ? error : cudaGraphDestroy(graph);
	if (!(round & 4))
		error = error ? error : cudaEventDestroy(fork);
	error = error ? error : cudaEventDestroy(join);
	error = error ? error : cudaStreamDestroy(s);
	error = error ? error : cudaStreamDestroy(other);
	return error ? error : cudaFree(p);
}

static void *rounds(void *data)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		cudaError_t error = round_of((int)(uintptr_t)data, round);
		if (error)
			return (void *)(uintptr_t)error;
	}
	return NULL;
}

static cudaGraphExec_t shared;

static void *launches(void *data)
{
	cudaStream_t s;
	cudaError_t error = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
	for (int i = 0; i < ROUNDS && !error; i++)
		error = cudaGraphLaunch(shared, s);
	error = error ? error : cudaStreamDestroy(s);
	return (void *)(uintptr_t)error;
}

static void run(void *(*body)(void *))
{
	pthread_t threads[THREADS];
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, body, (void *)(i + 1)), 0);
	for (int i = 0; i < THREADS; i++) {
		void *failed;
		pthread_join(threads[i], &failed);
		assert_int_equal((uintptr_t)failed, cudaSuccess);
	}
}

static void ten_threads(void **state)
{
	void **handle = begin();
	size_t before, after, total;
	assert_int_equal(cudaMemGetInfo(&before, &total), cudaSuccess);
	run(rounds);
	assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
	for (int i = 0; i < 5000 && ends < THREADS * ROUNDS; i++)
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	assert_int_equal(ends, THREADS * ROUNDS);
	uint64_t bytes = 1;
	assert_int_equal(cudaDeviceGraphMemTrim(0), cudaSuccess);
	assert_int_equal(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &bytes), cudaSuccess);
	assert_int_equal(bytes, 0);
	assert_int_equal(cudaMemGetInfo(&after, &total), cudaSuccess);
	assert_int_equal(after, before);
	__cudaUnregisterFatBinary(handle);
}

static void one_graph_of_all_threads(void **state)
{
	int *p, back[N], one = 1, n = N;
	cudaGraph_t graph;
	cudaGraphNode_t node;
	void **handle = begin();
	assert_int_equal(cudaMalloc((void **)&p, sizeof back), cudaSuccess);
	assert_int_equal(cudaMemset(p, 0, sizeof back), cudaSuccess);
	assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
	assert_int_equal(cudaGraphCreate(&graph, 0), cudaSuccess);
	struct cudaKernelNodeParams params = {
	    .func = (void *)(uintptr_t)add, .gridDim = {2, 1, 1}, .blockDim = {32, 1, 1}, .kernelParams = (void *[]){&p, &one, &n}};
	assert_int_equal(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), cudaSuccess);
	assert_int_equal(cudaGraphInstantiate(&shared, graph, 0), cudaSuccess);
	run(launches);
	assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
	assert_int_equal(cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost), cudaSuccess);
	assert_int_equal(back[0], THREADS * ROUNDS); /* launches of one executable graph are never at once */
	assert_int_equal(cudaGraphExecDestroy(shared), cudaSuccess);
	assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
	__cudaUnregisterFatBinary(handle);
}

/* A module that is gone, and what its kernels' nodes say then. */
static void kernels_of_nobody(void **state)
{
	int *p = NULL, one = 1, n = 0;
	cudaGraph_t graph, clone;
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	void **handle = begin();
	struct cudaKernelNodeParams params = {
	    .func = (void *)(uintptr_t)add, .gridDim = {2, 1, 1}, .blockDim = {32, 1, 1}, .kernelParams = (void *[]){&p, &one, &n}};
	assert_int_equal(cudaGraphCreate(&graph, 0), cudaSuccess);
	assert_int_equal(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), cudaSuccess);
	assert_int_equal(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
	__cudaUnregisterFatBinary(handle);
	assert_int_equal(cudaGraphLaunch(exec, NULL), cudaErrorInvalidResourceHandle);
	assert_int_equal(cudaGraphClone(&clone, graph), cudaErrorInvalidResourceHandle);
	assert_int_equal(cudaGraphExecDestroy(exec), cudaSuccess);
	assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
}

/* Handles of everything where a graph, a node or an executable graph is expected. */
static void handles_of_others(void **state)
{
	cudaGraph_t graph;
	cudaGraphNode_t node, made;
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaEvent_t event;
	int on_stack = 0;
	size_t n = 0;
	assert_int_equal(cudaGraphCreate(&graph, 0), cudaSuccess);
	assert_int_equal(cudaGraphAddEmptyNode(&node, graph, NULL, 0), cudaSuccess);
	assert_int_equal(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
	assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
	assert_int_equal(cudaEventCreate(&event), cudaSuccess);
	void *const all[] = {NULL, graph, node, exec, stream, event, &on_stack, (void *)16};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		cudaGraph_t g = all[i];
		cudaGraphNode_t one = all[i];
		cudaGraphExec_t e = all[i];
		if (all[i] != (void *)graph) {
			assert_int_equal(cudaGraphAddEmptyNode(&made, g, NULL, 0), cudaErrorInvalidValue);
			assert_int_equal(cudaGraphAddChildGraphNode(&made, graph, NULL, 0, g), cudaErrorInvalidValue);
			assert_int_equal(cudaGraphGetNodes(g, NULL, &n), cudaErrorInvalidValue);
			assert_int_equal(cudaGraphDestroy(g), cudaErrorInvalidValue);
			assert_int_equal(cudaGraphExecUpdate(exec, g, NULL), cudaErrorInvalidValue);
		}
		if (all[i] != (void *)node) {
			assert_int_equal(cudaGraphAddEmptyNode(&made, graph, &one, 1), cudaErrorInvalidValue);
			assert_int_equal(cudaGraphDestroyNode(one), cudaErrorInvalidValue);
			assert_int_equal(cudaGraphNodeSetEnabled(exec, one, 1), cudaErrorInvalidValue);
			assert_int_equal(cudaGraphAddDependencies_v2(graph, &node, &one, NULL, 1), cudaErrorInvalidValue);
		}
		if (all[i] != (void *)exec) {
			assert_int_equal(cudaGraphLaunch(e, NULL), cudaErrorInvalidValue);
			assert_int_equal(cudaGraphExecDestroy(e), cudaErrorInvalidValue);
			assert_int_equal(cudaGraphUpload(e, NULL), cudaErrorInvalidValue);
		}
		if (all[i] != (void *)event)
			assert_int_equal(cudaGraphAddEventRecordNode(&made, graph, NULL, 0, all[i]), cudaErrorInvalidValue);
		if (all[i] && all[i] != (void *)stream)
			assert_int_equal(cudaStreamBeginCapture(all[i], cudaStreamCaptureModeGlobal), cudaErrorInvalidResourceHandle);
	}
	assert_int_equal(cudaGraphExecDestroy(exec), cudaSuccess);
	assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
	assert_int_equal(cudaGraphDestroyNode(node), cudaErrorInvalidValue);
	assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
	assert_int_equal(cudaEventDestroy(event), cudaSuccess);
}

/* A thread that ends in the middle of a capture of its default stream. */
static void *leaves(void *data)
{
	cudaError_t error = cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal);
	return (void *)(uintptr_t)error;
}

static void a_thread_that_leaves(void **state)
{
	run(leaves);
	assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
}

static void two_processes(void **state)
{
	pid_t children[2];
	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			void **handle = begin();
			bool good = round_of(3, 0) == cudaSuccess && round_of(4, 7) == cudaSuccess;
			__cudaUnregisterFatBinary(handle);
			_exit(good ? 0 : 1);
		}
	}
	for (int i = 0; i < 2; i++) {
		int status;
		waitpid(children[i], &status, 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
}

int main(void)
{
	/* The processes first: a process that has threads cannot be copied. */
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(two_processes),     cmocka_unit_test(ten_threads),       cmocka_unit_test(one_graph_of_all_threads),
	    cmocka_unit_test(kernels_of_nobody), cmocka_unit_test(handles_of_others), cmocka_unit_test(a_thread_that_leaves)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
