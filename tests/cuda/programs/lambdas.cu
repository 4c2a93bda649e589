// Lambdas as arguments of kernels, and a managed variable that both sides see.
#include "check.h"
#include <vector>

__managed__ int calls;

template <typename F> __global__ void each(int *v, int n, F f)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		v[i] = f(v[i], i);
		atomicAdd(&calls, 1);
	}
}

template <typename F> void apply(std::vector<int> &v, F f)
{
	int *d, n = (int)v.size();
	CHECKED(cudaMalloc(&d, n * 4));
	CHECKED(cudaMemcpy(d, v.data(), n * 4, cudaMemcpyHostToDevice));
	each<<<(n + 31) / 32, 32>>>(d, n, f);
	CHECKED(cudaMemcpy(v.data(), d, n * 4, cudaMemcpyDeviceToHost));
	CHECKED(cudaFree(d));
}

int main()
{
	std::vector<int> v(100, 1);
	int k = 3;
	calls = 5;
	apply(v, [=] __device__(int x, int i) { return x * k + i; });
	apply(v, [=] __host__ __device__(int x, int i) { return i % 2 ? x : -x - k; });
	CHECKED(cudaDeviceSynchronize());
	long wrong = calls != 205;
	for (int i = 0; i < 100; i++)
		wrong += v[i] != (i % 2 ? k + i : -(k + i) - k);
	return verdict(wrong);
}
