// The additions of sm_90: wgmma, bulk and tensor copies, clusters, distributed shared memory, transactions, register shares.
#include <cooperative_groups.h>
#include <cuda.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define T threadIdx.x
#define K(name) extern "C" __global__ void name
#define P(x) ((unsigned)__cvta_generic_to_shared(x))
namespace cg = cooperative_groups;

K(wgmma_f16)(float *o, unsigned long long da, unsigned long long db)
{
	float d[4] = {};
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
	asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(da), "l"(db));
	asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
	o[I] = d[0] + d[1] + d[2] + d[3];
}
K(wgmma_bf16_registers)(float *o, const uint4 *a, unsigned long long db, int n)
{
	float d[4] = {};
	for (int i = 0; i < n; i++) {
		uint4 x = a[i * 128 + I];
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, 1, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "l"(db + i));
		asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
	}
	o[I] = d[0] * d[1] - d[2] * d[3];
}
K(wgmma_bytes)(int *o, unsigned long long da, unsigned long long db)
{
	int d[4] = {};
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
	asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0,%1,%2,%3}, %4, %5, 1;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(da), "l"(db));
	asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0,%1,%2,%3}, %4, %5, 1;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(da + 2), "l"(db + 2));
	asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
	o[I] = d[0] + d[1] + d[2] + d[3];
}
K(wgmma_wide)(float4 *o, unsigned long long da, unsigned long long db)
{
	float d[16] = {};
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
	asm volatile("wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %17, 1, 1, 1;"
	             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
	             : "l"(da), "l"(db));
	asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
	for (int i = 0; i < 4; i++)
		o[4 * I + i] = make_float4(d[4 * i], d[4 * i + 1], d[4 * i + 2], d[4 * i + 3]);
}
K(wgmma_fp8)(float *o, unsigned long long da, unsigned long long db)
{
	float d[4] = {};
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
	asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%0,%1,%2,%3}, %4, %5, 1, 1, 1;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(da), "l"(db));
	asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
	o[I] = d[0] + d[1] + d[2] + d[3];
}
K(bulk_copy_in)(float *o, const float *a)
{
	__shared__ alignas(16) float s[256];
	__shared__ unsigned long long b;
	if (!T) {
		asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(P(&b)));
		asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(P(&b)));
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(P(s)), "l"(a), "r"(P(&b)) : "memory");
	}
	__syncthreads();
	asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(P(&b)) : "memory");
	o[I] = s[T];
}
K(bulk_copy_out)(float *o, float x)
{
	__shared__ alignas(16) float s[256];
	s[T] = x * T;
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (!T) {
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(o), "r"(P(s)) : "memory");
		asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
	}
}
K(bulk_reduce)(float *o)
{
	__shared__ alignas(16) float s[64];
	s[T] = T;
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (!T) {
		asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 256;" ::"l"(o), "r"(P(s)) : "memory");
		asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
	}
}
K(bulk_prefetch)(const float *a) { asm volatile("cp.async.bulk.prefetch.L2.global [%0], 1024;" ::"l"(a + 256 * blockIdx.x)); }
K(tensor_copy_2d)(float *o, const __grid_constant__ CUtensorMap m, int x)
{
	__shared__ alignas(128) float s[1024];
	__shared__ unsigned long long b;
	if (!T) {
		asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(P(&b)));
		asm volatile("prefetch.tensormap [%0];" ::"l"(&m) : "memory");
		asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 4096;" ::"r"(P(&b)));
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(P(s)), "l"(&m), "r"(x), "r"(blockIdx.x), "r"(P(&b)) : "memory");
	}
	__syncthreads();
	asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(P(&b)) : "memory");
	o[I] = s[T] + s[T + 512];
}
K(tensor_store_2d)(const __grid_constant__ CUtensorMap m, float x)
{
	__shared__ alignas(128) float s[1024];
	s[T] = x;
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (!T) {
		asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&m), "r"(blockIdx.x), "r"(blockIdx.y), "r"(P(s)) : "memory");
		asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
	}
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_exchange(float *o, const float *a)
{
	__shared__ float s[128];
	auto c = cg::this_cluster();
	s[T] = a[I];
	c.sync();
	o[I] = c.map_shared_rank(s, c.block_rank() ^ 1)[T];
	c.sync();
}
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_histogram(int *o, const int *a)
{
	__shared__ int s[64];
	auto c = cg::this_cluster();
	s[T & 63] = 0;
	c.sync();
	int x = a[I] & 255;
	atomicAdd(c.map_shared_rank(s, x / 64) + x % 64, 1);
	c.sync();
	o[blockIdx.x * 64 + (T & 63)] = s[T & 63];
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_remote_store(int *o, int x)
{
	__shared__ int s[128];
	__shared__ unsigned long long b;
	unsigned remote, rb, rank;
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	if (!T)
		asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(P(&b)));
	asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
	asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(P(s + T)), "r"(rank ^ 1));
	asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rb) : "r"(P(&b)), "r"(rank ^ 1));
	asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(remote), "r"(x), "r"(rb) : "memory");
	asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
	o[I] = s[T];
}
K(register_shares)(float *o, const float *a)
{
	if (T < 128) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
		o[I] = a[I];
	} else {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
		o[I] = a[I] * a[I + 1];
	}
}
K(dependent_launch)(float *o, const float *a) { asm volatile("griddepcontrol.wait;" ::: "memory"); o[I] = a[I]; asm volatile("griddepcontrol.launch_dependents;"); }
K(store_matrix)(uint4 *o, const uint4 *a)
{
	__shared__ uint4 s[32];
	uint4 r = a[I];
	asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(P(s + T)), "r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w) : "memory");
	__syncwarp();
	o[I] = s[T ^ 1];
}
K(vector_reduction)(float *o, float4 v) { asm volatile("red.global.add.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(o + 4 * I), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory"); }
K(double_tensor)(double4 *o, const double2 *a, const double *b)
{
	double2 x = a[I];
	double4 r = o[I];
	asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+d"(r.x), "+d"(r.y), "+d"(r.z), "+d"(r.w) : "d"(x.x), "d"(x.y), "d"(b[I]));
	o[I] = r;
}
