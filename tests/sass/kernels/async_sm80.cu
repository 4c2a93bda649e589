// Asynchronous copies and barriers in shared memory, from sm_80 on.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define T threadIdx.x
#define K(name) extern "C" __global__ void name
#define P(x) ((unsigned)__cvta_generic_to_shared(x))
namespace cg = cooperative_groups;

K(copy_async_4)(float *o, const float *a) { __shared__ float s[128]; asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(P(s + T)), "l"(a + I)); asm volatile("cp.async.wait_all;" ::: "memory"); __syncthreads(); o[I] = s[T ^ 1]; }
K(copy_async_8)(float2 *o, const float2 *a) { __shared__ float2 s[128]; asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(P(s + T)), "l"(a + I)); asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory"); __syncthreads(); o[I] = s[T ^ 1]; }
K(copy_async_16)(float4 *o, const float4 *a) { __shared__ float4 s[128]; asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(P(s + T)), "l"(a + I)); asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory"); __syncthreads(); o[I] = s[T ^ 1]; }
K(copy_async_partial)(float4 *o, const float4 *a, int n) { __shared__ float4 s[128]; asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(P(s + T)), "l"(a + I), "r"(n)); asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory"); __syncwarp(); o[I] = s[T]; }
K(copy_async_guarded)(float *o, const float *a, int n) { __shared__ float s[128]; if (I < n) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(P(s + T)), "l"(a + I)); asm volatile("cp.async.wait_all;" ::: "memory"); __syncthreads(); o[I] = s[T]; }
K(copy_async_stages)(float *o, const float4 *a, int n)
{
	__shared__ float4 s[4][64];
	float r = 0;
	for (int i = 0; i < 3; i++) {
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(P(&s[i][T])), "l"(a + i * 64 + I));
		asm volatile("cp.async.commit_group;");
	}
	for (int i = 0; i < n; i++) {
		asm volatile("cp.async.wait_group 2;" ::: "memory");
		__syncthreads();
		float4 v = s[i & 3][T ^ 1];
		r += v.x * v.y + v.z * v.w;
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(P(&s[(i + 3) & 3][T])), "l"(a + (i + 3) * 64 + I));
		asm volatile("cp.async.commit_group;");
	}
	o[I] = r;
}
K(copy_async_barrier)(float *o, const float *a)
{
	__shared__ float s[128];
	__shared__ unsigned long long b;
	if (!T)
		asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(P(&b)));
	__syncthreads();
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(P(s + T)), "l"(a + I));
	asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(P(&b)) : "memory");
	asm volatile("{ .reg .pred p; again: mbarrier.test_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(P(&b)) : "memory");
	o[I] = s[T ^ 3];
}
K(barrier_object)(float *o, const float *a)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	__shared__ float s[128];
	if (!T)
		init(&b, blockDim.x);
	__syncthreads();
	s[T] = a[I];
	auto t = b.arrive();
	float x = a[I] * 3;
	b.wait(std::move(t));
	o[I] = s[T ^ 1] + x;
}
K(pipeline_object)(float *o, const float *a, int n)
{
	__shared__ float s[2][128];
	auto p = cuda::make_pipeline();
	float r = 0;
	for (int i = 0; i < n; i++) {
		p.producer_acquire();
		cuda::memcpy_async(&s[i & 1][T], a + i * 128 + T, sizeof(float), p);
		p.producer_commit();
		p.consumer_wait();
		r += s[i & 1][T];
		p.consumer_release();
	}
	o[I] = r;
}
K(group_copy_async)(int *o, const int *a) { __shared__ int s[256]; auto b = cg::this_thread_block(); cg::memcpy_async(b, s, a + blockIdx.x * 256, 1024); cg::wait(b); o[I] = s[255 - T]; }
K(barrier_drop)(unsigned long long *o)
{
	__shared__ unsigned long long b;
	if (!T)
		asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(P(&b)));
	__syncthreads();
	unsigned long long t;
	if (T & 1)
		asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(t) : "r"(P(&b)) : "memory");
	else
		asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;" : "=l"(t) : "r"(P(&b)) : "memory");
	o[I] = t;
	__syncthreads();
	asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(P(&b)));
}
K(load_evict_policy)(float *o, const float *a)
{
	unsigned long long p;
	float r;
	asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(p));
	asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(r) : "l"(a + I), "l"(p));
	o[I] = r;
}
K(load_prefetch_size)(float *o, const float *a) { float r; asm volatile("ld.global.L2::128B.f32 %0, [%1];" : "=f"(r) : "l"(a + I)); o[I] = r; }
K(discard_line)(float *a) { asm volatile("discard.global.L2 [%0], 128;" ::"l"(a + 32 * I)); asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(a + 32 * I + 4096)); }
