/* Contexts of the driver interface: who owns what, both interfaces in one program, errors that stay, threads and processes. Each case is a process of
 * its own. */

#include "../test.h"

#include "apart.h"
#include "fat.h"

#include "cuda/cuda.h"

#include <pthread.h>
#include <time.h>

enum { N = 64, THREADS = 10, ROUNDS = 4 };

static const char text[] = FAT_HEAD FAT_ADD FAT_EMPTY FAT_TRAP FAT_BAD;

#define GOOD(call) CHECK((call) == CUDA_SUCCESS)

static CUresult launch(CUfunction f, void **arguments, CUstream stream) { return cuLaunchKernel(f, 2, 1, 1, 32, 1, 1, 0, stream, arguments, NULL); }

static bool function_of(const char *name, CUmodule *module, CUfunction *function)
{
	GOOD(cuModuleLoadData(module, text));
	GOOD(cuModuleGetFunction(function, *module, name));
	return true;
}

/* -- the stack ---------------------------------------------------------------------------------------------------------------------------------- */
static bool stack_of_contexts(void)
{
	CUcontext one, two, now, primary;
	unsigned flags;
	int active;
	unsigned long long id, other;
	GOOD(cuInit(0));
	GOOD(cuCtxGetCurrent(&now));
	CHECK(!now && cuCtxPopCurrent(&now) == CUDA_ERROR_INVALID_CONTEXT);
	GOOD(cuCtxCreate(&one, CU_CTX_SCHED_SPIN, 0));
	GOOD(cuCtxCreate(&two, 0, 0));
	GOOD(cuCtxGetCurrent(&now));
	CHECK(now == two);
	GOOD(cuCtxGetFlags(&flags));
	CHECK(flags == 0);
	GOOD(cuCtxPopCurrent(&now));
	CHECK(now == two);
	GOOD(cuCtxGetFlags(&flags));
	CHECK(flags == CU_CTX_SCHED_SPIN);
	GOOD(cuCtxGetId(one, &id));
	GOOD(cuCtxGetId(two, &other));
	CHECK(id != other);
	GOOD(cuCtxSetCurrent(two));
	GOOD(cuCtxDestroy(one)); /* not the current one */
	CHECK(cuCtxDestroy(one) == CUDA_ERROR_INVALID_CONTEXT);
	CHECK(cuCtxPushCurrent(one) == CUDA_ERROR_INVALID_CONTEXT);
	GOOD(cuCtxPushCurrent(two));
	GOOD(cuCtxDestroy(two));
	/* It is still below, and it has ended. */
	CHECK(cuCtxSynchronize() == CUDA_ERROR_CONTEXT_IS_DESTROYED);
	GOOD(cuCtxSetCurrent(NULL));
	CHECK(cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
	GOOD(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
	GOOD(cuDevicePrimaryCtxGetState(0, &flags, &active));
	CHECK(flags == CU_CTX_SCHED_YIELD && !active);
	CHECK(cuDevicePrimaryCtxRelease(0) == CUDA_ERROR_INVALID_CONTEXT);
	GOOD(cuDevicePrimaryCtxRetain(&primary, 0));
	GOOD(cuDevicePrimaryCtxRetain(&now, 0));
	CHECK(now == primary && cuCtxDestroy(primary) == CUDA_ERROR_INVALID_VALUE);
	GOOD(cuCtxSetCurrent(primary));
	GOOD(cuCtxSynchronize());
	GOOD(cuDevicePrimaryCtxRelease(0));
	GOOD(cuDevicePrimaryCtxGetState(0, &flags, &active));
	CHECK(active);
	GOOD(cuDevicePrimaryCtxRelease(0));
	GOOD(cuDevicePrimaryCtxGetState(0, &flags, &active));
	CHECK(!active && cuCtxSynchronize() == CUDA_ERROR_CONTEXT_IS_DESTROYED);
	return true;
}

/* The objects of a context end with it, and those of another one do not. */
static bool contexts_own(void)
{
	CUcontext one, two;
	CUdeviceptr p, q;
	CUstream stream, kept;
	CUevent event, first, second, third;
	CUmodule module;
	CUfunction add;
	int back = 0, value = 1, n = N;
	size_t before, after, all;
	GOOD(cuInit(0));
	GOOD(cuCtxCreate(&one, 0, 0));
	GOOD(cuMemGetInfo(&before, &all));
	GOOD(cuCtxCreate(&two, 0, 0));
	GOOD(cuMemAlloc(&p, N * 4));
	GOOD(cuStreamCreate(&stream, 0));
	/* Events that go in between others are taken out of the context's, and only these. */
	GOOD(cuEventCreate(&first, 0));
	GOOD(cuEventCreate(&second, 0));
	GOOD(cuEventCreate(&third, 0));
	GOOD(cuEventDestroy(first));
	GOOD(cuEventCreate(&event, 0));
	GOOD(cuEventDestroy(third));
	CHECK(function_of("add", &module, &add));
	GOOD(cuCtxSetCurrent(one));
	GOOD(cuMemAlloc(&q, N * 4));
	GOOD(cuStreamCreate(&kept, 0));
	GOOD(cuMemsetD32(q, 5, N));
	GOOD(launch(add, (void *[]){&q, &value, &n}, kept));
	GOOD(cuMemGetInfo(&after, &all));
	CHECK(before - after >= 2 * N * 4);
	/* Work is still under way. */
	GOOD(launch(add, (void *[]){&p, &value, &n}, stream));
	GOOD(cuCtxDestroy(two));
	CHECK(cuMemFree(p) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuStreamSynchronize(stream) == CUDA_ERROR_INVALID_HANDLE);
	CHECK(cuEventQuery(event) == CUDA_ERROR_INVALID_HANDLE && cuEventQuery(second) == CUDA_ERROR_INVALID_HANDLE);
	CHECK(cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
	CHECK(launch(add, (void *[]){&q, &value, &n}, kept) == CUDA_ERROR_INVALID_HANDLE);
	GOOD(cuMemcpyDtoH(&back, q, 4));
	CHECK(back == 6);
	GOOD(cuStreamDestroy(kept));
	GOOD(cuMemFree(q));
	GOOD(cuMemGetInfo(&after, &all));
	CHECK(before == after);
	GOOD(cuCtxDestroy(one));
	return true;
}

/* -- both interfaces ------------------------------------------------------------------------------------------------------------------------------
 */
static bool both_interfaces(void)
{
	static fat binary;
	static const char add_host[1];
	CUcontext now, primary;
	CUmodule module;
	CUfunction add;
	cudaFunction_t of_runtime;
	CUstream stream;
	int *p, back[N], value = 2, n = N;
	void *init;
	enum cudaDriverEntryPointQueryResult found;
	fat_begin(&binary);
	fat_add_text(&binary, 75, text, FAT_ZSTD);
	void **handle = __cudaRegisterFatBinary(&binary.wrapper);
	fat_register_kernel(handle, add_host, "add");
	CHECK(cudaMalloc((void **)&p, sizeof back) == cudaSuccess);
	/* The runtime has begun the driver, and made the primary context current. */
	GOOD(cuCtxGetCurrent(&now));
	GOOD(cuDevicePrimaryCtxRetain(&primary, 0));
	CHECK(now == primary);
	CHECK(cudaMemset(p, 0, sizeof back) == cudaSuccess);
	CHECK(function_of("add", &module, &add));
	GOOD(launch(add, (void *[]){&p, &value, &n}, NULL));
	/* A stream and a function of one interface in the other one. */
	GOOD(cuStreamCreate(&stream, 0));
	CHECK(cudaLaunchKernel(add_host, (dim3){2, 1, 1}, (dim3){32, 1, 1}, (void *[]){&p, &value, &n}, 0, (cudaStream_t)stream) == cudaSuccess);
	CHECK(cudaGetFuncBySymbol(&of_runtime, add_host) == cudaSuccess);
	GOOD(launch((CUfunction)of_runtime, (void *[]){&p, &value, &n}, stream));
	CHECK(cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost) == cudaSuccess);
	CHECK(back[0] == 6 && back[N - 1] == 6);
	CHECK(cudaGetDriverEntryPoint("cuInit", &init, cudaEnableDefault, &found) == cudaSuccess);
	CHECK(found == cudaDriverEntryPointSuccess && init == (void *)(uintptr_t)&cuInit);
	GOOD(cuMemFree((CUdeviceptr)(uintptr_t)p));
	/* The runtime works in the driver's context where there is one. */
	CUcontext other, of;
	GOOD(cuCtxCreate(&other, 0, 0));
	CHECK(cudaMalloc((void **)&p, 64) == cudaSuccess);
	GOOD(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)(uintptr_t)p));
	CHECK(of == other);
	CHECK(cudaLaunchKernel(add_host, (dim3){1, 1, 1}, (dim3){1, 1, 1}, (void *[]){&p, &value, &n}, 0, NULL) == cudaSuccess);
	GOOD(cuCtxDestroy(other));
	CHECK(cudaFree(p) == cudaErrorInvalidValue);
	/* A reset ends what the primary context owns. */
	CHECK(cudaDeviceReset() == cudaSuccess);
	CHECK(cudaStreamSynchronize((cudaStream_t)stream) == cudaErrorInvalidResourceHandle);
	CHECK(cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
	__cudaUnregisterFatBinary(handle);
	return true;
}

cudaError_t cudaLibraryLoadData(CUlibrary *library, const void *code, const int *options, void **values, unsigned n, const int *of_library,
                                void **of_library_values, unsigned n_of_library);
cudaError_t cudaLibraryUnload(CUlibrary library);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, CUlibrary library, const char *name);
cudaError_t cudaLibraryGetKernelCount(unsigned *n, CUlibrary library);
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned n, CUlibrary library);
cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, CUlibrary library, const char *name);

/* Libraries of the runtime interface: code that no compiler has registered. */
static bool libraries_of_the_runtime(void)
{
	static const char with_variable[] = FAT_HEAD ".visible .global .align 4 .u32 seen = 5;\n" FAT_ADD FAT_EMPTY;
	CUlibrary library;
	cudaKernel_t kernel, all[4] = {NULL};
	void *seen;
	size_t bytes;
	unsigned kernels;
	int back = 0, value = 3, n = 1;
	char errors[64];
	int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {errors, (void *)sizeof errors};
	CHECK(cudaLibraryLoadData(&library, FAT_HEAD "nonsense", options, values, 2, NULL, NULL, 0) == cudaErrorInvalidPtx);
	CHECK(strncmp(errors, "program.ptx:4:", 14) == 0);
	CHECK(cudaLibraryLoadData(&library, NULL, NULL, NULL, 0, NULL, NULL, 0) == cudaErrorInvalidValue);
	CHECK(cudaLibraryLoadData(&library, with_variable, NULL, NULL, 0, NULL, NULL, 0) == cudaSuccess);
	CHECK(cudaLibraryGetKernelCount(&kernels, library) == cudaSuccess && kernels == 2);
	CHECK(cudaLibraryEnumerateKernels(all, 4, library) == cudaSuccess && all[1] && !all[2]);
	CHECK(cudaLibraryGetKernel(&kernel, library, "nobody") == cudaErrorSymbolNotFound);
	CHECK(cudaLibraryGetKernel(&kernel, library, "add") == cudaSuccess && (kernel == all[0] || kernel == all[1]));
	CHECK(cudaLibraryGetGlobal(&seen, &bytes, library, "seen") == cudaSuccess && bytes == 4);
	CHECK(cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, (void *[]){&seen, &value, &n}, 0, NULL) == cudaSuccess);
	CHECK(cudaMemcpy(&back, seen, 4, cudaMemcpyDeviceToHost) == cudaSuccess && back == 8);
	CHECK(cudaLibraryUnload(library) == cudaSuccess);
	CHECK(cudaLibraryUnload(library) == cudaErrorInvalidResourceHandle);
	CHECK(cudaLibraryGetKernel(&kernel, library, "add") == cudaErrorInvalidResourceHandle);
	return true;
}

/* -- errors ------------------------------------------------------------------------------------------------------------------------------------- */
static bool a_trap(void)
{
	CUcontext context, other;
	CUmodule module;
	CUfunction stop, empty;
	CUdeviceptr p;
	CUstream s;
	CUevent e;
	const char *name;
	GOOD(cuInit(0));
	GOOD(cuCtxCreate(&context, 0, 0));
	CHECK(function_of("stop", &module, &stop));
	GOOD(cuModuleGetFunction(&empty, module, "empty"));
	GOOD(cuMemAlloc(&p, 4));
	GOOD(cuStreamCreate(&s, 0));
	GOOD(cuEventCreate(&e, 0));
	GOOD(launch(stop, NULL, s));
	CUresult later = cuEventRecord(e, s);
	CHECK(later == CUDA_SUCCESS || later == CUDA_ERROR_LAUNCH_FAILED);
	CHECK(cuStreamSynchronize(s) == CUDA_ERROR_LAUNCH_FAILED);
	CHECK(cuEventSynchronize(e) == CUDA_ERROR_LAUNCH_FAILED);
	CHECK(launch(empty, NULL, NULL) == CUDA_ERROR_LAUNCH_FAILED);
	CHECK(cuMemFree(p) == CUDA_ERROR_LAUNCH_FAILED);
	CHECK(cudaPeekAtLastError() == cudaErrorLaunchFailure);
	GOOD(cuGetErrorName(CUDA_ERROR_LAUNCH_FAILED, &name));
	/* It ends with its context. */
	GOOD(cuCtxDestroy(context));
	GOOD(cuCtxCreate(&other, 0, 0));
	CHECK(function_of("empty", &module, &empty));
	GOOD(launch(empty, NULL, NULL));
	GOOD(cuCtxSynchronize());
	GOOD(cuCtxDestroy(other));
	return true;
}

static bool an_address(void)
{
	CUcontext context;
	CUmodule module;
	CUfunction bad;
	uint64_t nowhere = 0x1234567800;
	GOOD(cuInit(0));
	GOOD(cuCtxCreate(&context, 0, 0));
	CHECK(function_of("bad", &module, &bad));
	GOOD(launch(bad, (void *[]){&nowhere}, NULL));
	CHECK(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
	/* Nothing is destroyed: the process ends as it is. */
	return true;
}

static bool vendors_runtime(void)
{
	const void *table;
	CUuuid id = {{0}};
	GOOD(cuInit(0));
	CHECK(cuGetExportTable(&table, &id) == CUDA_ERROR_NOT_SUPPORTED);
	CHECK(cuGetExportTable(&table, &id) == CUDA_ERROR_NOT_SUPPORTED);
	return true;
}

static bool no_machine(void)
{
	setenv("HEDDLE_MACHINE", "/nowhere.yaml", 1);
	CHECK(cuInit(0) == CUDA_ERROR_NO_DEVICE);
	CHECK(cuDeviceGetCount(&(int){0}) == CUDA_ERROR_NOT_INITIALIZED);
	return true;
}

/* -- threads and processes ------------------------------------------------------------------------------------------------------------------------
 */
static CUcontext shared_context;

static bool round_of(CUfunction add, int number, unsigned round)
{
	CUdeviceptr p;
	CUstream s, other;
	CUevent e;
	int back[N], n = N, one = 1;
	GOOD(cuMemAlloc(&p, sizeof back));
	GOOD(cuStreamCreate(&s, round & 1));
	GOOD(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
	GOOD(cuEventCreate(&e, 0));
	GOOD(cuMemsetD32Async(p, 0, N, s));
	for (int i = 0; i < 5; i++)
		GOOD(launch(add, (void *[]){&p, &number, &n}, s));
	GOOD(cuEventRecord(e, s));
	GOOD(cuStreamWaitEvent(other, e, 0));
	/* The order in which they go is another one in each round, and work is still under way. */
	if (round & 1)
		GOOD(cuEventDestroy(e));
	GOOD(launch(add, (void *[]){&p, &one, &n}, other));
	if (round & 2)
		GOOD(cuStreamDestroy(s));
	GOOD(cuMemcpyDtoHAsync(back, p, sizeof back, other));
	GOOD(cuStreamDestroy(other));
	if (!(round & 2))
		GOOD(cuStreamDestroy(s));
	if (!(round & 1))
		GOOD(cuEventDestroy(e));
	GOOD(cuMemFree(p));
	for (int i = 0; i < N; i++)
		CHECK(back[i] == 5 * number + 1);
	return true;
}

/* Each second thread has a context of its own; threads leave modules, streams and memory to it. */
static bool thread_of(int number)
{
	CUcontext own = NULL;
	CUmodule module;
	CUfunction add;
	CUdeviceptr left;
	CUstream left_stream;
	if (number & 1)
		GOOD(cuCtxCreate(&own, 0, 0));
	else
		GOOD(cuCtxSetCurrent(shared_context));
	CHECK(function_of("add", &module, &add));
	for (unsigned round = 0; round < ROUNDS; round++)
		CHECK(round_of(add, number, round));
	if (own) {
		GOOD(cuMemAlloc(&left, 64));
		GOOD(cuStreamCreate(&left_stream, 0));
		GOOD(cuCtxDestroy(own));
	} else {
		GOOD(cuModuleUnload(module));
	}
	return true;
}

static void *thread_body(void *data) { return thread_of((int)(uintptr_t)data) ? NULL : (void *)1; }

static bool ten_threads(void)
{
	pthread_t threads[THREADS];
	bool good = true;
	GOOD(cuInit(0));
	GOOD(cuCtxCreate(&shared_context, 0, 0));
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, thread_body, (void *)i) == 0);
	for (int i = 0; i < THREADS; i++) {
		void *failed;
		pthread_join(threads[i], &failed);
		good = good && !failed;
	}
	GOOD(cuCtxSynchronize());
	GOOD(cuCtxDestroy(shared_context));
	return good;
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The time of a launch of an empty kernel with the wait for it, by both interfaces. The best of several: the host does other things, too. */
static bool time_of_launches(void)
{
	enum { BATCHES = 20, LAUNCHES = 100, MOST_MICROSECONDS = 100 };
	static fat binary;
	static const char empty_host[1];
	double driver = 1, runtime = 1;
	CUmodule module;
	CUfunction empty;
	fat_begin(&binary);
	fat_add_text(&binary, 75, text, FAT_PLAIN);
	void **handle = __cudaRegisterFatBinary(&binary.wrapper);
	fat_register_kernel(handle, empty_host, "empty");
	CHECK(cudaFree(NULL) == cudaSuccess);
	CHECK(function_of("empty", &module, &empty));
	for (int batch = 0; batch < BATCHES; batch++) {
		double begin = seconds();
		for (int i = 0; i < LAUNCHES; i++) {
			GOOD(cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
			GOOD(cuCtxSynchronize());
		}
		double middle = seconds();
		for (int i = 0; i < LAUNCHES; i++) {
			CHECK(cudaLaunchKernel(empty_host, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL) == cudaSuccess);
			CHECK(cudaDeviceSynchronize() == cudaSuccess);
		}
		double last = seconds();
		driver = middle - begin < driver ? middle - begin : driver;
		runtime = last - middle < runtime ? last - middle : runtime;
	}
	driver *= 1e6 / LAUNCHES;
	runtime *= 1e6 / LAUNCHES;
	fprintf(stderr, "an empty kernel, launched and waited for: %.1f us by the driver interface, %.1f us by the runtime interface\n", driver,
	        runtime);
	GOOD(cuModuleUnload(module));
	__cudaUnregisterFatBinary(handle);
	/* On the machine it takes what the cycles take; a sanitizer's time says nothing. */
	return !getenv("HEDDLE_FUNCTIONAL") || getenv("HEDDLE_SANITIZED") || (driver < MOST_MICROSECONDS && runtime < MOST_MICROSECONDS);
}

/* -- processes ---------------------------------------------------------------------------------------------------------------------------------- */
TEST(contexts_are_a_stack) { apart(stack_of_contexts, ""); }
TEST(contexts_own_what_they_made) { apart(contexts_own, ""); }
TEST(both_interfaces_share_a_device) { apart(both_interfaces, ""); }
TEST(libraries_are_loaded) { apart(libraries_of_the_runtime, ""); }
TEST(a_trap_ends_with_its_context) { apart(a_trap, "kernel 'stop'"); }
TEST(an_address_of_nobody) { apart(an_address, "0x1234567800"); }
TEST(the_vendors_runtime_is_told) { apart(vendors_runtime, "-cudart shared"); }
TEST(no_such_machine) { apart(no_machine, "no CUDA device"); }
TEST(threads_with_contexts) { apart(ten_threads, ""); }

TEST(empty_launches_are_quick)
{
	int reads;
	pid_t child = apart_start(time_of_launches, &reads);
	apart_finish(child, reads, "an empty kernel", true);
}

TEST(two_processes)
{
	int reads[2];
	pid_t children[2];
	for (int i = 0; i < 2; i++)
		children[i] = apart_start(contexts_own, &reads[i]);
	for (int i = 0; i < 2; i++)
		apart_finish(children[i], reads[i], "", false);
}
