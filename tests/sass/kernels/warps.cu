// Operations between lanes: shuffles, votes, matches, reductions, barriers, cooperative groups, timers.
#include <cooperative_groups.h>
#include <utility>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name
#define ALL 0xffffffffu
namespace cg = cooperative_groups;

K(shuffle_index)(int *o, const int *a, int k) { o[I] = __shfl_sync(ALL, a[I], k); }
K(shuffle_up)(int *o, const int *a) { o[I] = __shfl_up_sync(ALL, a[I], 3); }
K(shuffle_down_width)(float *o, const float *a, int d) { o[I] = __shfl_down_sync(ALL, a[I], d, 8); }
K(shuffle_butterfly)(float *o, const float *a) { float x = a[I]; for (int d = 16; d; d >>= 1) x += __shfl_xor_sync(ALL, x, d); o[I] = x; }
K(shuffle_wide)(double *o, const double *a, int k) { o[I] = __shfl_sync(ALL, a[I], k) + __shfl_xor_sync(ALL, a[I], 1); }
K(shuffle_predicate)(int *o, const int *a) { int r, p; asm volatile("{ .reg .pred q; shfl.sync.down.b32 %0|q, %2, 5, 31, -1; selp.s32 %1, 1, 0, q; }" : "=r"(r), "=r"(p) : "r"(a[I])); o[I] = p ? r : -1; }
K(shuffle_masked)(int *o, const int *a, unsigned m) { if (m >> (threadIdx.x & 31) & 1) o[I] = __shfl_sync(m, a[I], 2); }
K(shuffle_scan)(int *o, const int *a) { int x = a[I]; for (int d = 1; d < 32; d <<= 1) { int y = __shfl_up_sync(ALL, x, d); if ((threadIdx.x & 31) >= d) x += y; } o[I] = x; }
K(vote_all_any)(int *o, const int *a) { o[I] = __all_sync(ALL, a[I] > 0) + 2 * __any_sync(ALL, a[I] < 0); }
K(vote_ballot)(unsigned *o, const int *a) { o[I] = __ballot_sync(ALL, a[I] & 1) ^ __ballot_sync(ALL, a[I] & 2); }
K(vote_uniform)(int *o, const int *a) { int r; asm volatile("{ .reg .pred p, q; setp.gt.s32 p, %1, 4; vote.sync.uni.pred q, p, -1; selp.s32 %0, 3, 4, q; }" : "=r"(r) : "r"(a[I])); o[I] = r; }
K(vote_branch)(int *o, const int *a) { if (__any_sync(ALL, a[I] > 5)) o[I] = __activemask(); }
K(match_any)(unsigned *o, const int *a) { o[I] = __match_any_sync(ALL, a[I]); }
K(match_any_wide)(unsigned *o, const long long *a) { o[I] = __match_any_sync(ALL, a[I]); }
K(match_all)(unsigned *o, const int *a) { int p; unsigned m = __match_all_sync(ALL, a[I], &p); o[I] = p ? m : 7; }
K(reduce_instruction)(unsigned *o, const unsigned *a)
{
#if __CUDA_ARCH__ >= 800
	o[I] = __reduce_add_sync(ALL, a[I]) + __reduce_min_sync(ALL, a[I]) + __reduce_xor_sync(ALL, a[I]) + (unsigned)__reduce_max_sync(ALL, (int)a[I]);
#else
	o[I] = a[I];
#endif
}
K(warp_barrier)(int *o, int *a) { a[I] = 1; __syncwarp(); o[I] = a[I ^ 1]; }
K(warp_barrier_masked)(int *o, int *a, unsigned m) { if (m >> (threadIdx.x & 31) & 1) { a[I] = 1; __syncwarp(m); o[I] = a[I ^ 1]; } }
K(block_barrier_count)(int *o, const int *a) { o[I] = __syncthreads_count(a[I] > 2); }
K(block_barrier_and_or)(int *o, const int *a) { o[I] = __syncthreads_and(a[I]) + 2 * __syncthreads_or(a[I] & 8); }
K(block_barrier_numbered)(int *o, int *a) { a[I] = 3; if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory"); else asm volatile("bar.sync 2, 128;" ::: "memory"); o[I] = a[I ^ 2]; }
K(block_barrier_arrive)(int *o, int *a) { if (threadIdx.x < 32) { a[I] = 4; asm volatile("bar.arrive 3, 64;" ::: "memory"); } else { asm volatile("bar.sync 3, 64;" ::: "memory"); o[I] = a[I - 32]; } }
K(block_barrier_register)(int *o, int *a, int b, int n) { a[I] = 5; asm volatile("barrier.sync %0, %1;" ::"r"(b), "r"(n) : "memory"); o[I] = a[I ^ 4]; }
K(block_barrier_reduce)(int *o, const int *a, int b) { int r; asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; barrier.red.popc.u32 %0, %2, p; }" : "=r"(r) : "r"(a[I]), "r"(b) : "memory"); o[I] = r; }
K(group_tile)(int *o, const int *a) { auto t = cg::tiled_partition<8>(cg::this_thread_block()); int x = a[I]; for (int d = 4; d; d >>= 1) x += t.shfl_down(x, d); if (!t.thread_rank()) o[I] = x; }
K(group_reduce)(float *o, const float *a) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); o[I] = cg::reduce(t, a[I], cg::plus<float>()); }
K(group_reduce_integer)(int *o, const int *a) { auto t = cg::tiled_partition<16>(cg::this_thread_block()); o[I] = cg::reduce(t, a[I], cg::greater<int>()); }
K(group_scan)(int *o, const int *a) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); o[I] = cg::exclusive_scan(t, a[I]); }
K(group_coalesced)(int *o, int *n, const int *a) { if (a[I] > 0) { auto g = cg::coalesced_threads(); int f = 0; if (!g.thread_rank()) f = atomicAdd(n, (int)g.size()); o[g.shfl(f, 0) + g.thread_rank()] = a[I]; } }
K(group_labelled)(int *o, const int *a) { auto g = cg::labeled_partition(cg::coalesced_threads(), a[I] & 3); o[I] = g.size(); }
K(group_binary)(int *o, const int *a) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); auto g = cg::binary_partition(t, a[I] > 9); o[I] = g.thread_rank() * g.size(); }
K(group_block)(int *o, int *a) { auto b = cg::this_thread_block(); a[I] = b.thread_rank(); b.sync(); o[I] = a[I ^ 1] + b.group_index().x; }
K(group_grid)(int *o, int *a) { auto g = cg::this_grid(); a[g.thread_rank()] = 1; g.sync(); o[I] = a[g.size() - 1 - g.thread_rank()]; }
K(group_split_barrier)(int *o, int *a) { auto b = cg::this_thread_block(); a[I] = 1; auto t = b.barrier_arrive(); int x = I * 3; b.barrier_wait(std::move(t)); o[I] = a[I ^ 1] + x; }
K(special_lanes)(unsigned *o) { unsigned a, b, c, d, e; asm("mov.u32 %0, %%laneid; mov.u32 %1, %%lanemask_ge; mov.u32 %2, %%warpid; mov.u32 %3, %%smid; mov.u32 %4, %%nsmid;" : "=r"(a), "=r"(b), "=r"(c), "=r"(d), "=r"(e)); o[I] = a + b + c + d + e; }
K(special_grid)(unsigned *o) { o[I] = blockIdx.x + 2 * blockIdx.y + 3 * blockIdx.z + gridDim.x * gridDim.y * gridDim.z + threadIdx.x * threadIdx.y * threadIdx.z + blockDim.z; }
K(special_memory_sizes)(unsigned *o) { unsigned a, b; unsigned long long c; asm("mov.u32 %0, %%dynamic_smem_size; mov.u32 %1, %%total_smem_size; mov.u64 %2, %%gridid;" : "=r"(a), "=r"(b), "=l"(c)); o[I] = a + b + (unsigned)c; }
K(timer_clock)(int *o, const float *a, float *b) { int t = clock(); float x = a[I]; b[I] = x * x + x; o[I] = clock() - t; }
K(timer_clock_high)(unsigned *o) { unsigned h; asm volatile("mov.u32 %0, %%clock_hi;" : "=r"(h)); o[I] = h; }
K(timer_global)(unsigned long long *o) { unsigned long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); o[I] = t; }
K(timer_sleep)(volatile int *a) { unsigned n = 8; while (!a[0]) { __nanosleep(n); if (n < 256) n *= 2; } a[1] = n; }
K(elected_lane)(int *o) {
#if __CUDA_ARCH__ >= 900
	int r; asm volatile("{ .reg .pred p; .reg .b32 l; elect.sync l|p, -1; selp.s32 %0, 1, 0, p; }" : "=r"(r)); o[I] = r;
#else
	o[I] = (__activemask() & -__activemask()) == 1u << (threadIdx.x & 31);
#endif
}
K(registers_of_predicates)(int *o, const int *a)
{
	int p = 0;
#pragma unroll
	for (int i = 0; i < 8; i++)
		p |= (a[I + i] > i) << i;
	o[I] = p;
}
K(predicates_of_register)(int *o, const int *a, int m)
{
	int r = 0;
#pragma unroll
	for (int i = 0; i < 7; i++)
		if (m & 1 << i)
			r += a[I + i];
	o[I] = r;
}
