/* Fences of every scope and kind between instructions of the uniform datapath and others, and barriers of a grid. */
#include <cooperative_groups.h>
#include <stdint.h>

namespace cg = cooperative_groups;
#define K(name) extern "C" __global__ void name
#define I (blockIdx.x * blockDim.x + threadIdx.x)

K(fence_grid_sync)(int *a, int *b, int n)
{
	cg::grid_group g = cg::this_grid();
	for (int s = 0; s < n; s++) {
		int *from = s & 1 ? b : a, *to = s & 1 ? a : b;
		to[I] = from[(I + 1) % g.size()];
		g.sync();
	}
}
K(fence_grid_sync_plane)(int *a, int *b, int n)
{
	cg::grid_group g = cg::this_grid();
	unsigned x = I, y = blockIdx.y * blockDim.y + threadIdx.y, w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y;
	for (int s = 0; s < n; s++) {
		int *from = s & 1 ? b : a, *to = s & 1 ? a : b;
		to[y * w + x] = from[y * w + (x + 1) % w] + from[(y + 1) % h * w + x];
		g.sync();
	}
	if (g.thread_rank() == 0)
		a[0] += g.size() == w * h;
}
K(fence_count)(unsigned *count, int *a, unsigned n)
{
	a[I] = I;
	__threadfence();
	atomicAdd(count, n);
	__threadfence_system();
	unsigned all = atomicAdd(count + 1, __popc(__ballot_sync(~0u, a[I + 1] > (int)n)));
	__threadfence_block();
	a[I] += all * n;
}
#define FENCES(name, fence)                                                          \
	K(fence_##name)(unsigned *o, const unsigned *a, unsigned n)                  \
	{                                                                            \
		unsigned x = a[I], u = __popc(n), v = n * gridDim.x;                  \
		o[I] = x;                                                            \
		asm volatile(fence ";" ::: "memory");                                \
		x = x * u + v;                                                       \
		o[I + n] = x;                                                        \
		if (x & 1) {                                                         \
			asm volatile(fence ";" ::: "memory");                        \
			o[I + 2 * n] = a[I + n] * (u + __clz(v)) + atomicAdd(o, u); \
		}                                                                    \
	}
FENCES(sc_cta, "fence.sc.cta")
FENCES(sc_gpu, "fence.sc.gpu")
FENCES(sc_sys, "fence.sc.sys")
FENCES(acq_rel_cta, "fence.acq_rel.cta")
FENCES(acq_rel_gpu, "fence.acq_rel.gpu")
FENCES(acq_rel_sys, "fence.acq_rel.sys")
K(fence_flag)(volatile unsigned *flag, unsigned *data, unsigned n)
{
	if (blockIdx.x == 0) {
		data[threadIdx.x] = n * threadIdx.x;
		__threadfence();
		__syncthreads();
		if (threadIdx.x == 0)
			flag[0] = n;
		return;
	}
	while (flag[0] != n)
		;
	__threadfence();
	data[I] = data[threadIdx.x] + 1;
}
K(fence_trap)(unsigned *o, const unsigned *a, unsigned n)
{
	unsigned x = a[I];
	if (x > n)
		__trap();
	o[I] = x / n;
}
K(fence_cache)(unsigned *o, const unsigned *a, unsigned n)
{
	unsigned x;
	asm volatile("prefetch.global.L2 [%0];" ::"l"(a + I + n));
	asm volatile("ld.global.cv.u32 %0, [%1];" : "=r"(x) : "l"(a + I));
	asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(o[1]) : "l"(a + n));
	asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(o + I), "r"(x * n));
}
