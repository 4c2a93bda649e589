// A sum in two steps: shuffles within warps, shared memory between them, an atomic between blocks.
#include "check.h"
#include <numeric>
#include <vector>

__device__ __forceinline__ int warp_sum(int v)
{
	for (int step = warpSize / 2; step > 0; step >>= 1)
		v += __shfl_down_sync(0xffffffff, v, step);
	return v;
}

__global__ void sum(const int *in, int n, int *out)
{
	__shared__ int part[32];
	int v = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		v += in[i];
	v = warp_sum(v);
	if (threadIdx.x % warpSize == 0)
		part[threadIdx.x / warpSize] = v;
	__syncthreads();
	if (threadIdx.x < 32) {
		v = threadIdx.x < (blockDim.x + 31) / 32 ? part[threadIdx.x] : 0;
		v = warp_sum(v);
		if (threadIdx.x == 0)
			atomicAdd(out, v);
	}
}

int main()
{
	std::vector<int> v(5000);
	std::iota(v.begin(), v.end(), -100);
	int *in, *out, result;
	CHECKED(cudaMalloc(&in, v.size() * 4));
	CHECKED(cudaMalloc(&out, 4));
	CHECKED(cudaMemset(out, 0, 4));
	CHECKED(cudaMemcpy(in, v.data(), v.size() * 4, cudaMemcpyHostToDevice));
	sum<<<4, 128>>>(in, (int)v.size(), out);
	CHECKED(cudaMemcpy(&result, out, 4, cudaMemcpyDeviceToHost));
	return verdict(result != std::accumulate(v.begin(), v.end(), 0));
}
