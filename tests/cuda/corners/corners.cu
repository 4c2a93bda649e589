// Corners of the runtime interface, a case each: `corners CASE` checks one, `corners` lists them. Every case is a process of its own.
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "corners.h"

__device__ int counter = 7;
__device__ int unused_by_kernels[3] = {1, 2, 3};
__constant__ float scale[2] = {2, 3};
__managed__ int seen = 5;

__global__ void nothing() {}
__global__ void add(int *p, int value) { p[blockIdx.x * blockDim.x + threadIdx.x] += value; }
template <typename T> __global__ void fill(T *p, T value) { p[threadIdx.x] = value; }
struct triple {
	char a;
	double b;
	short c[3];
};
__global__ void whole(triple t, triple *out, char last) { *out = t, out->a += last; }
__global__ void count() { atomicAdd(&counter, (int)scale[1]), seen++; }
__global__ void reverse(int *p)
{
	extern __shared__ int tile[];
	tile[threadIdx.x] = p[threadIdx.x];
	__syncthreads();
	p[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
__global__ void __launch_bounds__(64) bounded(int *p) { *p = 1; }
__global__ void places(uint3 *at) { if (threadIdx.x == 1 && threadIdx.y == 2 && blockIdx.z == 1) *at = blockIdx; }
__global__ void outside(int *p) { *p = 1; }
__global__ void stop() { __trap(); }
__global__ void says(int x) { printf("x is %d and %s\n", x, x ? "not zero" : "zero"); }

static int launch_one()
{
	nothing<<<1, 1>>>();
	GOOD(cudaGetLastError());
	GOOD(cudaDeviceSynchronize());
	return 0;
}
static int launch_of_nothing()
{
	nothing<<<0, 1>>>();
	IS(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
	IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
	GOOD(cudaGetLastError());
	return 0;
}
static int launch_too_large()
{
	nothing<<<1, dim3(32, 64)>>>();
	IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
	return launch_one();
}
static int launch_bounds()
{
	int *p;
	GOOD(cudaMalloc(&p, 4));
	bounded<<<1, 128>>>(p);
	TRUE(cudaGetLastError() != cudaSuccess);
	bounded<<<1, 64>>>(p);
	GOOD(cudaGetLastError());
	cudaFuncAttributes a;
	GOOD(cudaFuncGetAttributes(&a, (const void *)bounded));
	TRUE(a.maxThreadsPerBlock == 64);
	return 0;
}
static int arguments()
{
	triple t = {1, 2.5, {3, 4, 5}}, *out, back;
	GOOD(cudaMalloc(&out, sizeof t));
	whole<<<1, 1>>>(t, out, 9);
	GOOD(cudaMemcpy(&back, out, sizeof t, cudaMemcpyDefault));
	TRUE(back.a == 10 && back.b == 2.5 && back.c[2] == 5);
	return 0;
}
static int templates()
{
	double *d, back[3];
	char *c, letters[4] = {0};
	GOOD(cudaMalloc(&d, 24));
	GOOD(cudaMalloc(&c, 3));
	fill<<<1, 3>>>(d, 1.25);
	fill<char><<<1, 3>>>(c, 'x');
	GOOD(cudaMemcpy(back, d, 24, cudaMemcpyDeviceToHost));
	GOOD(cudaMemcpy(letters, c, 3, cudaMemcpyDeviceToHost));
	TRUE(back[2] == 1.25 && !strcmp(letters, "xxx"));
	return 0;
}
static int dimensions()
{
	uint3 *at, back;
	GOOD(cudaMalloc(&at, sizeof *at));
	GOOD(cudaMemset(at, 255, sizeof *at));
	places<<<dim3(1, 1, 2), dim3(2, 3)>>>(at);
	GOOD(cudaMemcpy(&back, at, sizeof back, cudaMemcpyDeviceToHost));
	TRUE(back.x == 0 && back.y == 0 && back.z == 1);
	return 0;
}
static int dynamic_shared()
{
	int *p, back[64];
	for (int i = 0; i < 64; i++)
		back[i] = i;
	GOOD(cudaMalloc(&p, 256));
	GOOD(cudaMemcpy(p, back, 256, cudaMemcpyHostToDevice));
	reverse<<<1, 64, 256>>>(p);
	GOOD(cudaMemcpy(back, p, 256, cudaMemcpyDeviceToHost));
	TRUE(back[0] == 63 && back[63] == 0);
	return 0;
}
static int shared_limit()
{
	int most;
	reverse<<<1, 1, 48 * 1024 + 4>>>(nullptr);
	IS(cudaGetLastError(), cudaErrorInvalidValue);
	GOOD(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
	IS(cudaFuncSetAttribute((const void *)reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1), cudaErrorInvalidValue);
	IS(cudaGetLastError(), cudaErrorInvalidValue);
	GOOD(cudaFuncSetAttribute((const void *)reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
	int *p;
	GOOD(cudaMalloc(&p, 256));
	reverse<<<1, 64, most>>>(p);
	GOOD(cudaGetLastError());
	GOOD(cudaDeviceSynchronize());
	return 0;
}
// The documentation's words: "the size in bytes of user-allocated constant memory required by this function".
static int constant_memory()
{
	cudaFuncAttributes a;
	GOOD(cudaFuncGetAttributes(&a, (const void *)count));
	TRUE(a.constSizeBytes == sizeof scale);
	GOOD(cudaFuncGetAttributes(&a, (const void *)add));
	TRUE(a.constSizeBytes == 0);
	return 0;
}
// A limit of 0 is one, and attributes say what was set.
static int a_limit_of_nothing()
{
	cudaFuncAttributes a;
	int *p;
	GOOD(cudaMalloc(&p, 256));
	GOOD(cudaFuncGetAttributes(&a, (const void *)reverse));
	TRUE(a.maxDynamicSharedSizeBytes == 48 * 1024);
	GOOD(cudaFuncSetAttribute((const void *)reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
	GOOD(cudaFuncGetAttributes(&a, (const void *)reverse));
	TRUE(a.maxDynamicSharedSizeBytes == 0);
	reverse<<<1, 64, 256>>>(p);
	IS(cudaGetLastError(), cudaErrorInvalidValue);
	return 0;
}
static int pitches_of_fills_and_copies()
{
	char *p, host[64];
	GOOD(cudaMalloc(&p, 64));
	IS(cudaMemset2D(p, 4, 0, 8, 2), cudaErrorInvalidValue); // fills have no error of their own for pitches
	IS(cudaMemcpy2D(p, 4, host, 8, 8, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
	IS(cudaMemcpy2D(p, 8, host, 4, 8, 1, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
	GOOD(cudaMemset2D(p, 8, 0, 8, 0)); // nothing
	GOOD(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
	return 0;
}
static int symbols()
{
	int value;
	float two[2] = {1, 10};
	GOOD(cudaMemcpyFromSymbol(&value, counter, 4));
	TRUE(value == 7);
	GOOD(cudaMemcpyToSymbol(scale, two, sizeof two));
	count<<<1, 4>>>();
	GOOD(cudaMemcpyFromSymbol(&value, counter, 4));
	TRUE(value == 47);
	return 0;
}
static int symbol_parts()
{
	int value = 9, three[3];
	GOOD(cudaMemcpyToSymbol(unused_by_kernels, &value, 4, 4));
	GOOD(cudaMemcpyFromSymbol(three, unused_by_kernels, 12));
	TRUE(three[0] == 1 && three[1] == 9 && three[2] == 3);
	IS(cudaMemcpyToSymbol(unused_by_kernels, three, 12, 4), cudaErrorInvalidValue);
	size_t size;
	void *address;
	GOOD(cudaGetSymbolSize(&size, unused_by_kernels));
	GOOD(cudaGetSymbolAddress(&address, unused_by_kernels));
	TRUE(size == 12 && address);
	return 0;
}
static int symbol_of_nobody()
{
	int mine;
	IS(cudaMemcpyToSymbol(mine, &mine, 4), cudaErrorInvalidSymbol);
	return 0;
}
static int managed_variable()
{
	TRUE(seen == 5);
	seen = 10;
	count<<<1, 1>>>();
	GOOD(cudaDeviceSynchronize());
	TRUE(seen == 11);
	return 0;
}
static int managed_memory()
{
	int *p;
	GOOD(cudaMallocManaged(&p, 128));
	memset(p, 0, 128);
	add<<<1, 32>>>(p, 3);
	GOOD(cudaDeviceSynchronize());
	TRUE(p[31] == 3);
	cudaPointerAttributes a;
	GOOD(cudaPointerGetAttributes(&a, p));
	TRUE(a.type == cudaMemoryTypeManaged && a.devicePointer == p && a.hostPointer == p);
	GOOD(cudaFree(p));
	return 0;
}
static int pinned_memory()
{
	int *p, *same;
	GOOD(cudaHostAlloc(&p, 128, cudaHostAllocMapped));
	memset(p, 0, 128);
	GOOD(cudaHostGetDevicePointer(&same, p, 0));
	add<<<1, 32>>>(same, 4);
	GOOD(cudaDeviceSynchronize());
	TRUE(p[0] == 4);
	unsigned flags;
	GOOD(cudaHostGetFlags(&flags, p));
	TRUE(flags & cudaHostAllocMapped);
	GOOD(cudaFreeHost(p));
	return 0;
}
static int free_twice()
{
	void *p;
	GOOD(cudaMalloc(&p, 4));
	GOOD(cudaFree(p));
	IS(cudaFree(p), cudaErrorInvalidValue);
	GOOD(cudaFree(nullptr));
	return 0;
}
static int no_room()
{
	void *p = (void *)1;
	IS(cudaMalloc(&p, (size_t)1 << 45), cudaErrorMemoryAllocation);
	IS(cudaGetLastError(), cudaErrorMemoryAllocation);
	return launch_one();
}
static int of_no_bytes()
{
	void *p = (void *)1;
	GOOD(cudaMalloc(&p, 0));
	TRUE(!p);
	GOOD(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
	return 0;
}
static int copy_the_wrong_way()
{
	int host, *p;
	GOOD(cudaMalloc(&p, 4));
	IS(cudaMemcpy(&host, p, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	IS(cudaMemcpy(p, &host, 4, (cudaMemcpyKind)7), cudaErrorInvalidMemcpyDirection);
	IS(cudaMemcpy(p, &host, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	return 0;
}
static int copies_by_default()
{
	int a = 1, b = 0, *p, *q;
	GOOD(cudaMalloc(&p, 4));
	GOOD(cudaMalloc(&q, 4));
	GOOD(cudaMemcpy(p, &a, 4, cudaMemcpyDefault));
	GOOD(cudaMemcpy(q, p, 4, cudaMemcpyDefault));
	GOOD(cudaMemcpy(&b, q, 4, cudaMemcpyDefault));
	TRUE(b == 1);
	return 0;
}
static int order_in_a_stream()
{
	int *p, back[32];
	cudaStream_t s;
	GOOD(cudaStreamCreate(&s));
	GOOD(cudaMalloc(&p, 128));
	GOOD(cudaMemsetAsync(p, 0, 128, s));
	for (int i = 0; i < 20; i++)
		add<<<1, 32, 0, s>>>(p, i);
	GOOD(cudaMemcpyAsync(back, p, 128, cudaMemcpyDeviceToHost, s));
	GOOD(cudaStreamSynchronize(s));
	TRUE(back[5] == 190);
	GOOD(cudaStreamDestroy(s));
	return 0;
}
static int streams_of_threads()
{
	std::vector<std::thread> all;
	int wrong[4] = {0};
	for (int i = 0; i < 4; i++)
		all.emplace_back([i, &wrong] {
			int *p, back[32];
			if (cudaMalloc(&p, 128) || cudaMemsetAsync(p, 0, 128, cudaStreamPerThread))
				wrong[i] = 1;
			add<<<1, 32, 0, cudaStreamPerThread>>>(p, i);
			if (cudaMemcpyAsync(back, p, 128, cudaMemcpyDeviceToHost, cudaStreamPerThread) || cudaStreamSynchronize(cudaStreamPerThread))
				wrong[i] = 1;
			wrong[i] += back[9] != i;
		});
	for (auto &t : all)
		t.join();
	TRUE(wrong[0] + wrong[1] + wrong[2] + wrong[3] == 0);
	return 0;
}
static int stream_handles()
{
	cudaStream_t s;
	GOOD(cudaStreamCreate(&s));
	GOOD(cudaStreamDestroy(s));
	nothing<<<1, 1, 0, s>>>();
	IS(cudaGetLastError(), cudaErrorInvalidResourceHandle);
	IS(cudaStreamQuery((cudaStream_t)4096), cudaErrorInvalidResourceHandle);
	GOOD(cudaStreamQuery(0));
	GOOD(cudaStreamSynchronize(cudaStreamLegacy));
	return 0;
}
static int time_of_events()
{
	cudaEvent_t a, b;
	float ms = -1;
	int *p;
	GOOD(cudaMalloc(&p, 128));
	GOOD(cudaEventCreate(&a));
	GOOD(cudaEventCreate(&b));
	GOOD(cudaEventRecord(a));
	add<<<1, 32>>>(p, 1);
	GOOD(cudaEventRecord(b));
	GOOD(cudaEventSynchronize(b));
	GOOD(cudaEventElapsedTime(&ms, a, b));
	TRUE(ms > 0 && ms < 1000);
	GOOD(cudaEventElapsedTime(&ms, b, a));
	TRUE(ms < 0);
	return 0;
}
static int events_without_time()
{
	cudaEvent_t a, b;
	float ms;
	GOOD(cudaEventCreateWithFlags(&a, cudaEventDisableTiming));
	GOOD(cudaEventCreate(&b));
	IS(cudaEventElapsedTime(&ms, b, b), cudaErrorInvalidResourceHandle);
	GOOD(cudaEventRecord(a));
	GOOD(cudaEventRecord(b));
	GOOD(cudaDeviceSynchronize());
	IS(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
	GOOD(cudaEventDestroy(a));
	IS(cudaEventDestroy(a), cudaErrorInvalidResourceHandle);
	IS(cudaEventCreateWithFlags(&a, 0x80), cudaErrorInvalidValue);
	return 0;
}
static int host_functions()
{
	int steps = 0;
	auto step = [](void *data) { ++*(int *)data; };
	for (int i = 0; i < 3; i++) {
		nothing<<<1, 1>>>();
		GOOD(cudaLaunchHostFunc(0, step, &steps));
	}
	GOOD(cudaDeviceSynchronize());
	TRUE(steps == 3);
	return 0;
}
static int a_trap()
{
	void *p;
	stop<<<1, 32>>>();
	TRUE(cudaDeviceSynchronize() != cudaSuccess);
	cudaError_t stays = cudaGetLastError();
	TRUE(stays == cudaErrorLaunchFailure);
	IS(cudaMalloc(&p, 4), cudaErrorLaunchFailure);
	IS(cudaGetLastError(), cudaErrorLaunchFailure);
	return 0;
}
static int an_address_of_nobody()
{
	outside<<<1, 1>>>((int *)0x5000);
	IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	IS(cudaPeekAtLastError(), cudaErrorIllegalAddress);
	return 0;
}
static int one_device()
{
	int n, device = 9;
	GOOD(cudaGetDeviceCount(&n));
	GOOD(cudaGetDevice(&device));
	TRUE(n == 1 && device == 0);
	IS(cudaSetDevice(1), cudaErrorInvalidDevice);
	cudaDeviceProp p;
	GOOD(cudaGetDeviceProperties(&p, 0));
	TRUE(!strncmp(p.name, "Heddle", 6) && p.warpSize == 32 && p.major == 7 && p.multiProcessorCount > 0 && p.maxThreadsPerBlock == 1024);
	TRUE(p.maxGridSize[2] == 65535 && p.unifiedAddressing == 1 && p.managedMemory == 1 && p.concurrentManagedAccess == 0);
	TRUE(p.totalGlobalMem >= (16u << 20) && p.sharedMemPerBlockOptin >= p.sharedMemPerBlock && p.clusterLaunch == 0);
	int can = 9;
	GOOD(cudaDeviceCanAccessPeer(&can, 0, 0));
	TRUE(can == 0);
	return 0;
}
static int occupancy()
{
	int few, many, least, best;
	GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, add, 1024, 0));
	GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&many, add, 32, 0));
	TRUE(few >= 1 && many >= few);
	GOOD(cudaOccupancyMaxPotentialBlockSize(&least, &best, add));
	TRUE(best >= 32 && least >= 1);
	return 0;
}
static int a_new_beginning()
{
	int value = 1, *p;
	GOOD(cudaMalloc(&p, 4));
	GOOD(cudaMemcpyToSymbol(counter, &value, 4));
	GOOD(cudaDeviceReset());
	IS(cudaFree(p), cudaErrorInvalidValue);
	IS(cudaGetLastError(), cudaErrorInvalidValue);
	GOOD(cudaMemcpyFromSymbol(&value, counter, 4));
	TRUE(value == 7);
	return launch_one();
}
static int planes()
{
	int host[4][5], back[4][5] = {{0}}, *p;
	size_t pitch;
	for (int i = 0; i < 20; i++)
		host[i / 5][i % 5] = i;
	GOOD(cudaMallocPitch(&p, &pitch, 20, 4));
	GOOD(cudaMemcpy2D(p, pitch, host, 20, 20, 4, cudaMemcpyHostToDevice));
	GOOD(cudaMemcpy2D(back, 20, p, pitch, 12, 3, cudaMemcpyDeviceToHost));
	TRUE(back[2][2] == 12 && back[2][3] == 0 && back[3][0] == 0);
	return 0;
}
// There are no textures: the calls say so, and what they were to make stays as it was.
static int textures()
{
	cudaResourceDesc resource = {};
	cudaTextureDesc texture = {};
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaTextureObject_t object = 77;
	cudaArray_t array = nullptr;
	float *p;
	GOOD(cudaMalloc(&p, 256));
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = p;
	resource.res.linear.desc = format;
	resource.res.linear.sizeInBytes = 256;
	IS(cudaCreateTextureObject(&object, &resource, &texture, nullptr), cudaErrorNotSupported);
	IS(cudaGetLastError(), cudaErrorNotSupported);
	IS(cudaMallocArray(&array, &format, 16, 16), cudaErrorNotSupported);
	TRUE(object == 77 && array == nullptr && cudaGetLastError() == cudaErrorNotSupported && cudaGetLastError() == cudaSuccess);
	return launch_one();
}
// Each type that a shuffle takes, through a lane and back.
template <typename T> __global__ void turns(T *p)
{
	T x = p[threadIdx.x];
	x = __shfl_xor_sync(~0u, x, 5);
	x = __shfl_sync(~0u, x, (threadIdx.x + 1) % 32);
	p[threadIdx.x] = __shfl_down_sync(~0u, __shfl_up_sync(~0u, x, 1), 1);
}
template <typename T> static int turned()
{
	T host[32], *p;
	for (int i = 0; i < 32; i++)
		host[i] = (T)(i * (sizeof(T) == 8 ? 1ll << 33 : 1));
	GOOD(cudaMalloc(&p, sizeof host));
	GOOD(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
	turns<<<1, 32>>>(p);
	GOOD(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 31; i++)
		TRUE(host[i] == (T)(((i + 1) % 32 ^ 5) * (sizeof(T) == 8 ? 1ll << 33 : 1)));
	return 0;
}
static int shuffles()
{
	return turned<int>() || turned<unsigned>() || turned<long>() || turned<unsigned long>() || turned<long long>() || turned<unsigned long long>() ||
	       turned<float>() || turned<double>();
}
static int says_something()
{
	says<<<1, 1>>>(0);
	says<<<1, 1>>>(5);
	GOOD(cudaDeviceSynchronize());
	return 0;
}

static const corner cases[] = {
    CASE(launch_one),         CASE(launch_of_nothing),    CASE(launch_too_large),    CASE(launch_bounds),     CASE(arguments),
    CASE(templates),          CASE(dimensions),           CASE(dynamic_shared),      CASE(shared_limit),      CASE(symbols),
    CASE(symbol_parts),       CASE(symbol_of_nobody),     CASE(managed_variable),    CASE(managed_memory),    CASE(pinned_memory),
    CASE(free_twice),         CASE(no_room),              CASE(of_no_bytes),         CASE(copy_the_wrong_way), CASE(copies_by_default),
    CASE(order_in_a_stream),  CASE(streams_of_threads),   CASE(stream_handles),      CASE(time_of_events),    CASE(events_without_time),
    CASE(host_functions),     CASE(a_trap),               CASE(an_address_of_nobody), CASE(one_device),       CASE(occupancy),
    CASE(a_new_beginning),    CASE(planes),               CASE(textures),           CASE(shuffles),           CASE(says_something),     CASE(constant_memory),    CASE(a_limit_of_nothing),
    CASE(pitches_of_fills_and_copies),
};

int main(int argc, char **argv) { return corners(argc, argv, cases); }
