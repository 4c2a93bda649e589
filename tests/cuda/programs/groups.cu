// Cooperative groups: blocks, tiles, lanes that are together; reductions and scans of each.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__device__ int sum_of(cg::thread_group g, int *shared, int v)
{
	int lane = (int)g.thread_rank();
	for (int i = (int)g.size() / 2; i > 0; i /= 2) {
		shared[lane] = v;
		g.sync();
		if (lane < i)
			v += shared[lane + i];
		g.sync();
	}
	return v;
}

__global__ void groups(int *block_sum, int *tile_sum, int *scan, int *together)
{
	__shared__ int room[64];
	cg::thread_block block = cg::this_thread_block();
	int i = (int)block.thread_rank(), sum = sum_of(block, room, i);
	if (i == 0)
		*block_sum = sum;
	cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
	tile_sum[i] = cg::reduce(tile, i, cg::plus<int>());
	scan[i] = cg::exclusive_scan(tile, i);
	if (i % 3 == 0) {
		cg::coalesced_group g = cg::coalesced_threads();
		int first = g.shfl(i, 0);
		together[i] = (int)(g.size() * 10000 + g.thread_rank() * 100) + first + cg::reduce(g, 1, cg::plus<int>());
	} else {
		together[i] = tile.meta_group_rank() + (tile.any(i == 17) ? 1000 : 0);
	}
}

int main()
{
	int *d, v[193];
	CHECKED(cudaMalloc(&d, sizeof v));
	groups<<<1, 64>>>(d, d + 1, d + 65, d + 129);
	CHECKED(cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost));
	long wrong = v[0] != 64 * 63 / 2;
	for (int i = 0; i < 64; i++) {
		int tile = 0, before = 0, lanes = 0, rank = 0, first = -1, warp = i / 32 * 32;
		for (int k = i / 8 * 8; k < i / 8 * 8 + 8; k++) {
			tile += k;
			before += k < i ? k : 0;
		}
		for (int k = warp; k < warp + 32; k++)
			if (k % 3 == 0) {
				first = first < 0 ? k : first;
				rank += k < i;
				lanes++;
			}
		wrong += v[1 + i] != tile;
		wrong += v[65 + i] != before;
		if (i % 3 == 0)
			wrong += v[129 + i] != lanes * 10000 + rank * 100 + first + lanes;
	}
	return verdict(wrong);
}
