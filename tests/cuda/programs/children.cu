// Launches in device code: one after the other in a block's stream and in streams of its own, behind events and behind their parent; errors, memory,
// kernels that launch themselves, and a launch in a function that both sides have.
#include "check.h"
#include <cuda_runtime.h>

enum { N = 100 };

__global__ void fill(int *v, int n, double factor)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		v[i] = (int)(i * factor) + (int)blockDim.y;
}
__global__ void sum(int *v, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += v[i];
	v[n] = s;
}
template <class T> __global__ void add(T *v, int n, T what)
{
	if (threadIdx.x < n)
		v[threadIdx.x] += what;
}
// Counts the nodes of a tree.
template <class T> __global__ void halve(T *counts, int n)
{
	if (threadIdx.x)
		return;
	atomicAdd(&counts[n], 1);
	if (n > 1) {
		halve<<<1, 32>>>(counts, n / 2);
		halve<T><<<1, 32>>>(counts, n / 2);
	}
}

// In the order of the text, behind each other: the second fill wins, and the additions see it.
__global__ void in_order(int *v)
{
	if (threadIdx.x != 7)
		return;
	fill<<<(N + 31) / 32, 32>>>(v, N, 3.0);
	fill // it's the comment's >>>( that ends here
	    <<<dim3((N + 31) / 32), dim3(32, 2), 1'6>>>(v, N, 4.0);
	add // of a comment \
	       the second line: /*
	    <<<1, 5>>>(v, 5, R"(//")"[2] - '"' + /* , > ( */ 10); // the arguments decide what T is
	add<int> <<< 1,
	             3 >>> (v, 3,
	                    100);
	sum<<<1, 1, 0, cudaStreamTailLaunch>>>(v, N);
	add<<<1, 1, 0, cudaStreamFireAndForget>>>(v + N + 1, 1, 9);
}

// Two streams: the second waits for an event of the first.
__global__ void streams(int *v)
{
	cudaStream_t first, second;
	cudaEvent_t event;
	cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
	cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
	fill<<<4, 32, 0, first>>>(v, N, 2.0);
	sum<<<1, 1, 0, first>>>(v, N);
	cudaEventRecord(event, first);
	cudaStreamWaitEvent(second, event, 0);
	fill<<<4, 32, 0, second>>>(v, N, 0.0);
	cudaEventDestroy(event);
	cudaStreamDestroy(first);
	cudaStreamDestroy(second);
	cudaMemsetAsync(v + N + 1, 0x11, 6, cudaStreamFireAndForget);
	cudaMemcpyAsync(v + N + 4, v + N, 4, cudaMemcpyDeviceToDevice, cudaStreamTailLaunch);
}

// Each thread has its own last error.
__global__ void errors(int *v)
{
	int *own = 0;
	if (threadIdx.x == 1) {
		fill<<<1, 2000>>>(v, 0, 1.0);
		v[0] = cudaPeekAtLastError();
		v[1] = cudaGetErrorName(cudaErrorInvalidConfiguration)[9];
	}
	v[2 + threadIdx.x] = cudaGetLastError();
	v[6 + threadIdx.x] = cudaGetLastError();
	if (threadIdx.x == 0 && cudaMalloc((void **)&own, 40) == cudaSuccess) {
		own[9] = 5;
		v[10] = own[9];
		cudaFree(own);
	}
	cudaStream_t stream;
	if (threadIdx.x == 3)
		v[11] = cudaStreamCreateWithFlags(&stream, cudaStreamDefault), v[12] = cudaGetLastError();
}

#ifndef __NVCC__
// A thread waits for its block's children, as CUDA allowed until version 12. And a launch of a function that is compiled for both sides.
__global__ void fibonacci(int *result, int n)
{
	if (threadIdx.x == 0) {
		int *below;
		*result = n;
		if (n > 1 && cudaMalloc(&below, 8) == cudaSuccess) {
			fibonacci<<<1, 64>>>(below, n - 1);
			fibonacci<<<1, 64>>>(below + 1, n - 2);
			cudaDeviceSynchronize();
			*result = below[0] + below[1];
			cudaFree(below);
		}
	}
	__syncthreads();
}
// Each warp waits by itself.
__global__ void warps(int *v)
{
	int warp = threadIdx.x / 32;
	if (threadIdx.x % 32 != 3)
		return;
	for (int i = 0; i <= warp; i++)
		add<<<1, 1>>>(v + warp, 1, 10);
	cudaDeviceSynchronize();
	v[warp + 4] = v[warp];
}
__host__ __device__ void both_sides(int *v)
{
	add<<<1, 1>>>(v, 1, 3);
}
__global__ void both(int *v) { both_sides(v); }
#endif

static long expect(const char *name, const int *v, int at, int value)
{
	if (v[at] != value)
		printf("%s: %d is %d, expected %d\n", name, at, v[at], value);
	return v[at] != value;
}

static int *run(void (*kernel)(int *), int threads)
{
	static int *v;
	if (!v)
		CHECKED(cudaMallocManaged(&v, 1024));
	for (int i = 0; i < 256; i++)
		v[i] = i < N ? -1 : 0;
	kernel<<<1, threads>>>(v);
	CHECKED(cudaGetLastError());
	CHECKED(cudaDeviceSynchronize());
	return v;
}

int main()
{
	long wrong = 0;
	int *v = run(in_order, 32);
	for (int i = 5; i < N; i++)
		wrong += expect("in order", v, i, 4 * i + 2);
	wrong += expect("in order", v, 0, 2 + 110) + expect("in order", v, 4, 18 + 10);
	wrong += expect("in order", v, N, 4 * N * (N - 1) / 2 + 2 * N + 50 + 300) + expect("in order", v, N + 1, 9);
	v = run(streams, 1);
	wrong += expect("streams", v, N, N * (N - 1) + N) + expect("streams", v, 50, 1) + expect("streams", v, N + 1, 0x11111111);
	wrong += expect("streams", v, N + 2, 0x1111) + expect("streams", v, N + 4, N * (N - 1) + N);
	v = run(errors, 4);
	wrong += expect("errors", v, 0, cudaErrorInvalidConfiguration) + expect("errors", v, 1, 'I');
	for (int i = 0; i < 4; i++)
		wrong += expect("errors", v, 2 + i, i == 1 ? cudaErrorInvalidConfiguration : cudaSuccess) + expect("errors", v, 6 + i, cudaSuccess);
	wrong += expect("errors", v, 10, 5) + expect("errors", v, 11, cudaErrorInvalidValue) + expect("errors", v, 12, cudaErrorInvalidValue);
	for (int i = 0; i < 256; i++)
		v[i] = 0;
	halve<<<1, 32>>>(v, 16);
	CHECKED(cudaDeviceSynchronize());
	for (int n = 16, count = 1; n; n /= 2, count *= 2)
		wrong += expect("halve", v, n, count);
#ifndef __NVCC__
	fibonacci<<<1, 64>>>(v, 8);
	CHECKED(cudaDeviceSynchronize());
	wrong += expect("fibonacci", v, 0, 21);
	v = run(warps, 128);
	for (int i = 0; i < 4; i++)
		wrong += expect("warps", v, i + 4, 10 * (i + 1) - 1);
	run(both, 1);
	both_sides(v);
	CHECKED(cudaDeviceSynchronize());
	wrong += expect("both", v, 0, 5);
#endif
	return verdict(wrong);
}
