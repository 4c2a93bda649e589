// A histogram with atomics in dynamic shared memory, whose size is a launch's third parameter.
#include "check.h"
#include <cstring>

__global__ void histogram(const unsigned char *data, int n, unsigned *bins, int n_bins)
{
	extern __shared__ unsigned own[];
	for (int i = threadIdx.x; i < n_bins; i += blockDim.x)
		own[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
		atomicAdd_block(&own[data[i] % n_bins], 1u);
	__syncthreads();
	for (int i = threadIdx.x; i < n_bins; i += blockDim.x)
		atomicAdd(&bins[i], own[i]);
}

int main()
{
	const int n = 4096, n_bins = 37;
	unsigned char data[n];
	unsigned bins[n_bins], expected[n_bins];
	memset(expected, 0, sizeof expected);
	for (int i = 0; i < n; i++)
		expected[(data[i] = (unsigned char)(i * 131 >> 3)) % n_bins]++;
	unsigned char *d;
	unsigned *b;
	CHECKED(cudaMalloc(&d, n));
	CHECKED(cudaMalloc(&b, sizeof bins));
	CHECKED(cudaMemset(b, 0, sizeof bins));
	CHECKED(cudaMemcpy(d, data, n, cudaMemcpyHostToDevice));
	histogram<<<3, 64, n_bins * sizeof(unsigned)>>>(d, n, b, n_bins);
	CHECKED(cudaMemcpy(bins, b, sizeof bins, cudaMemcpyDeviceToHost));
	return verdict(memcmp(bins, expected, sizeof bins));
}
