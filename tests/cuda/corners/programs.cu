// Cases from programs of others. Each case is right by nvcc and its headers, too.
#include "corners.h"

#include <cassert>
#include <climits>
#include <cooperative_groups.h>
#include <cuComplex.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

// Helpers of samples ask for the vendor's guards. nvcc's own headers say which there are.
#define IS_EMPTY(name) static_assert(sizeof #name == 1, "the guard is not defined")
#define GUARD(name) IS_EMPTY(name)
GUARD(__CHANNEL_DESCRIPTOR_H__);
GUARD(__COMMON_FUNCTIONS_H__);
GUARD(__CUDA_BF16_H__);
GUARD(__CUDA_DEVICE_RUNTIME_API_H__);
GUARD(__CUDA_FP16_H__);
GUARD(__CUDA_PROFILER_API_H__);
GUARD(__CUDA_RUNTIME_API_H__);
GUARD(__CUDA_RUNTIME_H__);
GUARD(__DEVICE_ATOMIC_FUNCTIONS_H__);
GUARD(__DEVICE_DOUBLE_FUNCTIONS_H__);
GUARD(__DEVICE_FUNCTIONS_H__);
GUARD(__DEVICE_LAUNCH_PARAMETERS_H__);
GUARD(__DEVICE_TYPES_H__);
GUARD(__DRIVER_FUNCTIONS_H__);
GUARD(__DRIVER_TYPES_H__);
GUARD(__HOST_CONFIG_H__);
GUARD(__HOST_DEFINES_H__);
GUARD(__LIBRARY_TYPES_H__);
GUARD(__MATH_FUNCTIONS_H__);
GUARD(__SM_20_ATOMIC_FUNCTIONS_H__);
GUARD(__SM_20_INTRINSICS_H__);
GUARD(__SM_30_INTRINSICS_H__);
GUARD(__SM_32_ATOMIC_FUNCTIONS_H__);
GUARD(__SM_32_INTRINSICS_H__);
GUARD(__SM_35_ATOMIC_FUNCTIONS_H__);
GUARD(__SM_35_INTRINSICS_H__);
GUARD(__SM_60_ATOMIC_FUNCTIONS_H__);
GUARD(__SM_61_INTRINSICS_H__);
GUARD(__SURFACE_TYPES_H__);
GUARD(__TEXTURE_TYPES_H__);
GUARD(__VECTOR_FUNCTIONS_H__);
GUARD(__VECTOR_TYPES_H__);
GUARD(CU_COMPLEX_H_);
GUARD(_COOPERATIVE_GROUPS_H_);
GUARD(__cuda_cuda_h__);

static int is(const int *device, int index, int expected)
{
	int value;
	GOOD(cudaDeviceSynchronize());
	GOOD(cudaMemcpy(&value, device + index, 4, cudaMemcpyDeviceToHost));
	TRUE(value == expected);
	return 0;
}

// -- launches, as formatters and programmers spell them
__global__ void add(int *p, int value) { p[(threadIdx.y * blockDim.x + threadIdx.x) + blockIdx.x * 32] += value; }
template <class T> __global__ void twice(T *p) { p[threadIdx.x] *= 2; }
static int spellings_of_launches()
{
	int *p;
	GOOD(cudaMallocManaged(&p, 512));
	add << < 1, 32 >> > (p, 1);
	add << <1, 32>> >(p, /* >> > (p) */ 2);
	add << < 1, 32, 0,
	0 >> > (p, 3);
	twice<int> << < 1, 32 >> >(p);
	twice <<<1, 32 >> > (p);
	add<<<{1, 1, 1}, 32>>>(p, 1 << 2 >> 1);
	add<<<2, {8, 4}>>>(p, 100);
	add << <{2}, {4, 8} >> > (p, 1000);
	add<<<dim3{1}, dim3{1, 1}>>>(p, 10000);
	GOOD(cudaDeviceSynchronize());
	TRUE(p[0] == 11126 && p[31] == 1126 && p[63] == 1100 && p[64] == 0);
	return 0;
}

// -- failures
__global__ void asserts() { assert(threadIdx.x < 4); }
static int a_failed_assertion()
{
	fclose(stdout); // the message
	asserts<<<1, 8>>>();
	return cudaDeviceSynchronize() != cudaErrorAssert || cudaGetLastError() != cudaErrorAssert;
}

// -- C++ of the device
template <class T> struct shape {
	__device__ __noinline__ shape() {}
	__device__ virtual ~shape() {}
	__device__ virtual void set(T value) = 0;
	__device__ virtual T get() const = 0;
};
template <class T> struct box : shape<T> {
	T *v;
	__device__ box() : v(new T[3]) {}
	__device__ ~box() { delete[] v; }
	__device__ void set(T value) override { v[2] = value; }
	__device__ T get() const override { return v[2]; }
};
__global__ void make(shape<int> **at) { *at = new box<int>; }
__global__ void change(shape<int> **at, int *out) { (*at)->set(41), *out = (*at)->get(); }
__global__ void end(shape<int> **at) { delete *at; }
static int pure_virtual_functions()
{
	shape<int> **at;
	int *out;
	GOOD(cudaMalloc(&at, 8));
	GOOD(cudaMalloc(&out, 4));
	make<<<1, 1>>>(at);
	change<<<1, 1>>>(at, out);
	end<<<1, 1>>>(at);
	return is(out, 0, 41);
}

// -- printf of strings that lie anywhere
__constant__ char fixed[] = "fixed";
__device__ char global[] = "global";
__global__ void strings()
{
	__shared__ char shared[8];
	char local[6];
	for (int i = 0; i < 6; i++)
		local[i] = i < 5 ? (char)('a' + threadIdx.x + i) : '\0';
	if (threadIdx.x == 0)
		shared[0] = 's', shared[1] = '\0';
	__syncthreads();
	if (threadIdx.x == 1)
		printf("%s %6s|%-3s|%s %.2s %d %s\n", local, global, shared, fixed, local + 1, 7, local + 5);
}
static int strings_of_printf()
{
	strings<<<1, 2>>>();
	GOOD(cudaDeviceSynchronize());
	return 0;
}

// -- host code that counts on wrapping; gcc at -O2 takes the condition for one that always holds
static int host_integers_wrap()
{
#ifdef __clang__
	volatile int most = INT_MAX;
	int next = most, steps = 0;
	for (int i = most - 2; i + 1 > i && steps < 100; i++)
		steps++;
	TRUE(next + 1 < next && steps == 2);
#endif
	return 0;
}

// -- interfaces
static int two_forms_of_an_update()
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t node, other = (cudaGraphNode_t)1;
	cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
	GOOD(cudaGraphCreate(&graph, 0));
	GOOD(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
#if CUDART_VERSION < 13000
	GOOD(cudaGraphExecUpdate(exec, graph, &other, &result));
	TRUE(result == cudaGraphExecUpdateSuccess && !other);
#endif
	cudaGraphExecUpdateResultInfo info;
	GOOD(cudaGraphExecUpdate(exec, graph, &info));
	TRUE(info.result == cudaGraphExecUpdateSuccess && node != other && result <= cudaGraphExecUpdateError);
	return 0;
}

// Pools work as their attributes say. nvcc has the numbers, too.
static int pools()
{
	int can = 0, reuse = 0;
	void *a, *b;
	cudaMemPool_t pool, own, now;
	cudaMemPoolProps props = {};
	unsigned long long keep = 1 << 20, got = 0, used = 0;
	GOOD(cudaDeviceGetAttribute(&can, cudaDevAttrMemoryPoolsSupported, 0));
	TRUE(can == 1);
	GOOD(cudaDeviceGetDefaultMemPool(&pool, 0));
	GOOD(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	GOOD(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
	GOOD(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
	TRUE(got == keep && reuse == 1);
	props.allocType = cudaMemAllocationTypePinned;
	props.location = {cudaMemLocationTypeDevice, 0};
	GOOD(cudaMemPoolCreate(&own, &props));
	GOOD(cudaMallocAsync(&a, 4096, 0));
	GOOD(cudaMallocFromPoolAsync(&b, 8192, own, 0));
	GOOD(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
	TRUE(used >= 8192);
	GOOD(cudaFreeAsync(b, 0));
	GOOD(cudaDeviceSynchronize());
	GOOD(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
	GOOD(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemHigh, &got));
	TRUE(used == 0 && got >= 8192);
	IS(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used), cudaErrorInvalidValue);
	GOOD(cudaMemPoolTrimTo(own, 0));
	cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
	GOOD(cudaMemPoolSetAccess(own, &access, 1));
	GOOD(cudaDeviceSetMemPool(0, own));
	GOOD(cudaDeviceGetMemPool(&now, 0));
	TRUE(now == own);
	GOOD(cudaMemPoolDestroy(own));
	GOOD(cudaFreeAsync(a, 0));
	GOOD(cudaDeviceSynchronize());
	return cudaMemPoolDestroy(pool) != cudaErrorInvalidValue;
}

// Names that version 13 has not, and that answer as before.
static int removed_names()
{
#if CUDART_VERSION < 13000
	size_t bytes = 0;
	double one = 1;
	GOOD(cudaThreadSynchronize());
	GOOD(cudaThreadSetLimit(cudaLimitStackSize, 2048));
	GOOD(cudaThreadGetLimit(&bytes, cudaLimitStackSize));
	TRUE(bytes >= 2048);
	GOOD(cudaSetDoubleForDevice(&one));
	GOOD(cudaSetDoubleForHost(&one));
	TRUE(one == 1);
	asserts<<<1, 8>>>();
	fclose(stdout);
	IS(cudaThreadSynchronize(), cudaErrorAssert);
	GOOD(cudaThreadExit());
	GOOD(cudaThreadSynchronize());
#endif
	return 0;
}

__global__ void sums(int *out)
{
	__shared__ cooperative_groups::block_tile_memory<64> memory;
	cooperative_groups::thread_block block = cooperative_groups::this_thread_block(memory);
	auto tile = cooperative_groups::tiled_partition<32>(block);
	int x = (int)block.thread_rank();
	for (int i = 16; i; i /= 2)
		x += tile.shfl_xor(x, i);
	if (tile.thread_rank() == 0)
		atomicAdd(out, x);
}
static int memory_of_tiles()
{
	int *out;
	GOOD(cudaMalloc(&out, 4));
	GOOD(cudaMemset(out, 0, 4));
	sums<<<1, 64>>>(out);
	return is(out, 0, 63 * 32);
}

static const corner cases[] = {
    CASE(spellings_of_launches), CASE(a_failed_assertion), CASE(pure_virtual_functions),
    CASE(strings_of_printf),     CASE(host_integers_wrap), CASE(two_forms_of_an_update), CASE(pools), CASE(removed_names), CASE(memory_of_tiles),
};

int main(int argc, char **argv) { return corners(argc, argv, cases); }
