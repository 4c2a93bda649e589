// Atomic operations: kinds, types, scopes, spaces; with and without a result.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name
typedef unsigned long long u64;

K(atomic_add)(int *o, int *a) { o[I] = atomicAdd(a, 1); }
K(atomic_add_no_result)(int *a, int x) { atomicAdd(a + (I & 7), x); }
K(atomic_add_divergent)(int *o, int *a) { if (I % 3) o[I] = atomicAdd(a, (int)I); }
K(atomic_add_wide)(u64 *o, u64 *a) { o[I] = atomicAdd(a, (u64)I); }
K(atomic_add_float)(float *o, float *a, float x) { o[I] = atomicAdd(a + I, x); }
K(atomic_add_float_no_result)(float *a, const float *x) { atomicAdd(a, x[I]); }
K(atomic_add_double)(double *a, double x) { atomicAdd(a + (I & 1), x); }
K(atomic_add_half2)(half2 *a, half2 x) { atomicAdd(a + I, x); }
K(atomic_add_half)(half *o, half *a, half x) { o[I] = atomicAdd(a + I, x); }
K(atomic_add_bf16x2)(__nv_bfloat162 *o, __nv_bfloat162 *a, __nv_bfloat162 x) { o[I] = atomicAdd(a + I, x); }
K(atomic_exchange)(int *o, int *a) { o[I] = atomicExch(a + (I & 3), (int)I); }
K(atomic_exchange_wide)(u64 *o, u64 *a) { o[I] = atomicExch(a, 5ull); }
K(atomic_compare_swap)(int *o, int *a) { o[I] = atomicCAS(a, 3, (int)I); }
K(atomic_compare_swap_wide)(u64 *o, u64 *a) { o[I] = atomicCAS(a, 3ull, (u64)I); }
K(atomic_compare_swap_half)(unsigned short *o, unsigned short *a) { o[I] = atomicCAS(a + I, (unsigned short)3, (unsigned short)I); }
K(atomic_minimum)(int *o, int *a, unsigned *b) { o[I] = atomicMin(a, (int)I) + (int)atomicMax(b, I); }
K(atomic_minimum_wide)(long long *o, long long *a, u64 *b) { o[I] = atomicMin(a, (long long)I) + (long long)atomicMax(b, (u64)I); }
K(atomic_logic)(int *o, int *a) { o[I] = atomicAnd(a, 0x7f) ^ atomicOr(a + 1, 0x100) ^ atomicXor(a + 2, (int)I); }
K(atomic_logic_no_result)(unsigned *a) { atomicAnd(a, I); atomicOr(a + 1, I); atomicXor(a + 2, I); }
K(atomic_increment)(unsigned *o, unsigned *a, unsigned n) { o[I] = atomicInc(a, n) + atomicDec(a + 1, n); }
K(atomic_subtract)(int *o, int *a) { o[I] = atomicSub(a, 5); }
K(atomic_block_scope)(int *o, int *a) { o[I] = atomicAdd_block(a, 2); }
K(atomic_system_scope)(int *o, int *a) { o[I] = atomicAdd_system(a, 2) + atomicCAS_system(a + 1, 1, 2); }
K(atomic_shared_add)(int *o) { __shared__ int s; if (!threadIdx.x) s = 0; __syncthreads(); o[I] = atomicAdd(&s, 1); }
K(atomic_shared_float)(float *o, const float *a) { __shared__ float s[4]; s[threadIdx.x & 3] = 0; __syncthreads(); atomicAdd(s + (I & 3), a[I]); __syncthreads(); o[I] = s[I & 3]; }
K(atomic_shared_wide)(u64 *o) { __shared__ u64 s; s = 0; __syncthreads(); o[I] = atomicAdd(&s, 3ull) + atomicCAS(&s, 4ull, 5ull) + atomicMax(&s, (u64)I); }
K(atomic_shared_compare)(int *o) { __shared__ int s; s = 0; __syncthreads(); o[I] = atomicCAS(&s, 0, (int)threadIdx.x) + atomicExch(&s, 7) + atomicMin(&s, 9) + atomicXor(&s, 1); }
K(atomic_shared_double)(double *o, const double *a) { __shared__ double s; s = 0; __syncthreads(); o[I] = atomicAdd(&s, a[I]); }
K(atomic_generic)(int *o, int *g, int c) { __shared__ int s[2]; s[threadIdx.x & 1] = 0; __syncthreads(); int *p = c ? g : s; o[I] = atomicAdd(p, 1); }
K(atomic_acquire_release)(int *o, int *a) { int r; asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], 1;" : "=r"(r) : "l"(a) : "memory"); o[I] = r; }
K(atomic_acquire_system)(int *o, int *a) { int r; asm volatile("atom.acquire.sys.global.cas.b32 %0, [%1], 0, 1;" : "=r"(r) : "l"(a) : "memory"); o[I] = r + a[1]; }
K(atomic_reduction_release)(int *a, int x) { a[I + 1] = x; asm volatile("red.release.gpu.global.add.s32 [%0], %1;" ::"l"(a), "r"(x) : "memory"); }
K(atomic_spin_lock)(int *lock, int *a)
{
	while (atomicCAS(lock, 0, 1))
		;
	__threadfence();
	a[0] += I;
	__threadfence();
	atomicExch(lock, 0);
}
K(atomic_double_by_compare)(u64 *a, double x)
{
	u64 old = *a, seen;
	do {
		seen = old;
		old = atomicCAS(a, seen, __double_as_longlong(__longlong_as_double(seen) * x));
	} while (old != seen);
}
K(atomic_last_block)(float *o, const float *a, unsigned *count)
{
	__shared__ bool last;
	o[blockIdx.x] = a[I];
	__threadfence();
	if (!threadIdx.x)
		last = atomicInc(count, gridDim.x) == gridDim.x - 1;
	__syncthreads();
	if (last)
		o[0] += o[threadIdx.x];
}
K(atomic_compaction)(int *o, const int *a, int *n)
{
	int x = a[I];
	if (x > 0) {
		unsigned active = __activemask(), lane;
		asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lane));
		int first = 0;
		if (!(active & lane))
			first = atomicAdd(n, __popc(active));
		first = __shfl_sync(active, first, __ffs(active) - 1);
		o[first + __popc(active & lane)] = x;
	}
}
