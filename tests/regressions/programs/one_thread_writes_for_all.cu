// clang 14 moved the load of a shared variable over the barrier, because it believes that no intrinsic writes such a variable (lib/barrier.inc).
// run: --kernel shares --grid 4 --block 64 --arg out:out.npy:i32:256
// expect: right
// values: indices
#include <cooperative_groups.h>

extern "C" __global__ void shares(int *out)
{
	__shared__ int x, found, all;
	if (threadIdx.x == 0)
		x = blockIdx.x * 64;
	__syncthreads();
	int i = x + threadIdx.x;
	if (threadIdx.x == 1)
		found = 0;
	if (__syncthreads_count(threadIdx.x & 1) != 32 || __syncthreads_and(threadIdx.x) || !__syncthreads_or(threadIdx.x))
		i = -1;
	if (threadIdx.x == 40)
		found = i;
	cooperative_groups::this_thread_block().sync();
	if (threadIdx.x % 32 == 7)
		all = found;
	__syncwarp();
	__threadfence_block();
	__syncthreads();
	out[blockIdx.x * 64 + threadIdx.x] = all == (int)blockIdx.x * 64 + 40 ? i : -2;
}
