// CUB: the device's reduction, and a block's scan and reduction.
#include "../programs/check.h"
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_reduce.cuh>

#include <vector>

__global__ void of_block(const int *in, int *sums, int *total)
{
	using scan = cub::BlockScan<int, 128>;
	using reduce = cub::BlockReduce<int, 128>;
	__shared__ union {
		typename scan::TempStorage scan;
		typename reduce::TempStorage reduce;
	} room;
	int own = in[threadIdx.x], before;
	scan(room.scan).ExclusiveSum(own, before);
	sums[threadIdx.x] = before;
	__syncthreads();
	int all = reduce(room.reduce).Sum(own);
	if (threadIdx.x == 0)
		*total = all;
}

int main()
{
	const int n = 5000;
	std::vector<int> host(n);
	int *d, *out, got[130], sum = 0, before = 0;
	long wrong = 0;
	for (int i = 0; i < n; i++)
		sum += host[i] = (i * 7919 + 13) % 5003 - 2500;
	CHECKED(cudaMalloc(&d, n * sizeof *d));
	CHECKED(cudaMalloc(&out, sizeof got));
	CHECKED(cudaMemcpy(d, host.data(), n * sizeof *d, cudaMemcpyHostToDevice));
	void *room = nullptr;
	size_t bytes = 0;
	CHECKED(cub::DeviceReduce::Sum(room, bytes, d, out + 129, n));
	CHECKED(cudaMalloc(&room, bytes));
	CHECKED(cub::DeviceReduce::Sum(room, bytes, d, out + 129, n));
	of_block<<<1, 128>>>(d, out, out + 128);
	CHECKED(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 128; before += host[i++])
		wrong += got[i] != before;
	wrong += (got[128] != before) + (got[129] != sum);
	return verdict(wrong);
}
