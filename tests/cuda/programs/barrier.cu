// Barriers of a whole grid: every thread adds what another block's thread had, step by step. A cooperative launch that is too large is refused.
#include "check.h"
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
enum { N = 128 };

__global__ void all_sums(int *v, int n)
{
	cg::grid_group grid = cg::this_grid();
	int t = (int)grid.thread_rank();
	if (!grid.is_valid())
		return;
	for (int step = 1; step < n; step *= 2) {
		int x = v[(t + step) % n];
		grid.sync();
		v[t] += x;
		cg::sync(grid);
	}
}

int main()
{
	long wrong = 0;
	int *v, n = N;
	void *arguments[] = {&v, &n};
	CHECKED(cudaMallocManaged(&v, N * sizeof(int)));
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < N; i++)
			v[i] = i;
		CHECKED(cudaLaunchCooperativeKernel((void *)all_sums, dim3(2, 2), dim3(16, 2), arguments, 0, 0));
		CHECKED(cudaDeviceSynchronize());
		for (int i = 0; i < N; i++)
			wrong += v[i] != N * (N - 1) / 2;
	}
	wrong += cudaLaunchCooperativeKernel((void *)all_sums, dim3(40000), dim3(32), arguments, 0, 0) != cudaErrorCooperativeLaunchTooLarge;
	return verdict(wrong);
}
