// Tiles of several warps, side by side and one in another: where they stand, votes, shuffles, reductions and scans, of one size after the other and of
// one warp's tile in one arm only.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

struct wide {
	int value;
	short number, same;
};
__host__ __device__ static inline wide operator+(wide a, wide b) { return {a.value + b.value, (short)(a.number + b.number), a.same}; }

enum { COLUMNS = 14 };

template <unsigned Size, class Group> __device__ void work(const Group &group, const cg::thread_block &block, int *out)
{
	int i = (int)block.thread_rank();
	cg::thread_block_tile<Size, Group> tile = cg::tiled_partition<Size>(group);
	cg::thread_block_tile<Size> plain = tile;
	int *own = out + i * COLUMNS;
	own[0] = (int)tile.thread_rank();
	own[1] = (int)(tile.meta_group_rank() * 100 + plain.meta_group_size());
	own[2] = tile.shfl(i, (int)Size - 3);
	own[3] = (tile.any(i == 70) ? 1 : 0) + (tile.all(i < 500) ? 2 : 0);
	own[4] = cg::reduce(plain, i, cg::plus<int>());
	own[5] = cg::reduce(tile, (i * 37) % 101, cg::greater<int>());
	own[6] = cg::inclusive_scan(tile, i);
	own[7] = cg::exclusive_scan(plain, i);
	wide all = cg::reduce(tile, wide{i, 1, 3}, cg::plus<wide>());
	own[8] = all.value + all.number * 1000000 + all.same;
	own[9] = (int)(tile.shfl((double)i, 33) * 2.0);
	// One tile takes turns that the others do not.
	own[10] = 0;
	if (tile.meta_group_rank() == 0)
		for (int turn = 0; turn < 3; turn++) {
			tile.sync();
			own[10] += tile.shfl(i + turn, turn * 31);
		}
	// Tiles of a warp in this tile, and of its lanes.
	auto warp = cg::tiled_partition<32>(tile);
	auto four = cg::tiled_partition<4>(warp);
	own[11] = (int)(warp.meta_group_rank() * 100 + warp.meta_group_size());
	own[12] = (int)(four.meta_group_rank() * 100 + four.meta_group_size());
	own[13] = cg::invoke_one_broadcast(tile, [=] { return i + 5; });
}

__global__ void of_block(int *out, int size)
{
	__shared__ cg::block_tile_memory<1024> memory;
	cg::thread_block block = cg::this_thread_block(memory);
	if (size == 64)
		work<64>(block, block, out);
	else if (size == 128)
		work<128>(block, block, out);
	else if (size == 256)
		work<256>(block, block, out);
	else
		work<512>(block, block, out);
}

// Tiles of tiles: each size meets at words of its own.
__global__ void of_tiles(int *out)
{
	__shared__ cg::block_tile_memory<> memory;
	cg::thread_block block = cg::this_thread_block(memory);
	auto large = cg::tiled_partition<512>(block);
	auto half = cg::tiled_partition<256>(large);
	int i = (int)block.thread_rank(), sum = cg::reduce(half, i, cg::plus<int>());
	auto small = cg::tiled_partition<64>(half);
	if (small.meta_group_rank() % 2)
		sum += cg::reduce(small, 1, cg::plus<int>());
	// Tiles of different sizes and one number, at the same time.
	auto middle = cg::tiled_partition<128>(block);
	for (int turn = 0; turn < 5; turn++)
		if (i < 512)
			sum += cg::reduce(half, cg::reduce(small, 1, cg::plus<int>()), cg::plus<int>());
		else
			sum += cg::reduce(large, cg::reduce(middle, 1, cg::plus<int>()), cg::plus<int>());
	large.sync();
	out[i] = sum + large.shfl(sum, 64) + (int)small.meta_group_size() * 10000000;
}

static long wrong_in(const int *v, int threads, int size)
{
	long wrong = 0;
	for (int i = 0; i < threads; i++) {
		const int *own = v + i * COLUMNS;
		int first = i / size * size, sum = 0, most = 0, before = 0;
		for (int k = first; k < first + size; k++) {
			sum += k;
			before += k < i ? k : 0;
			most = most > k * 37 % 101 ? most : k * 37 % 101;
		}
		int turns = first ? 0 : 0 + 32 + 64, expected[COLUMNS] = {i - first, first / size * 100 + threads / size, first + size - 3,
		                                            (first <= 70 && 70 < first + size) + (first + size <= 500 ? 2 : 0), sum, most, before + i, before,
		                                            sum + size * 1000000 + 3, 2 * (first + 33), turns, (i - first) / 32 * 100 + size / 32,
		                                            i % 32 / 4 * 100 + 8, first + 5};
		for (int c = 0; c < COLUMNS; c++) {
			if (own[c] != expected[c] && wrong < 5)
				printf("size %d of %d, thread %d, column %d: %d, expected %d\n", size, threads, i, c, own[c], expected[c]);
			wrong += own[c] != expected[c];
		}
	}
	return wrong;
}

int main()
{
	int *d, v[1024 * COLUMNS];
	long wrong = 0;
	CHECKED(cudaMalloc(&d, sizeof v));
	for (int size = 64; size <= 512; size *= 2)
		for (int threads = size; threads <= 1024; threads += threads < 1024 - size ? 1024 - size - threads : size) {
			of_block<<<1, threads>>>(d, size);
			CHECKED(cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost));
			wrong += wrong_in(v, threads, size);
		}
	of_tiles<<<2, 1024>>>(d);
	CHECKED(cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 1024; i++) {
		int half = i / 256, sum = 256 * (256 * half) + 255 * 128 + (i / 64 % 2 ? 64 : 0), first = i / 512 * 2;
		sum += 2 * 5 * (i < 512 ? 64 * 256 : 128 * 512);
		wrong += v[i] != sum + 256 * (256 * first) + 255 * 128 + 64 + 4 * 10000000;
	}
	return verdict(wrong);
}
