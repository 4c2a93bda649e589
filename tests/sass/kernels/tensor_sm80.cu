// Tensor instructions of sm_80 and later: bfloat16, tf32, double, bits, sparse; pipelines that feed them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name
using namespace nvcuda;

K(mma_m16n8k16)(float4 *c, const uint4 *a, const uint2 *b)
{
	float4 r = c[I];
	uint4 x = a[I];
	uint2 y = b[I];
	asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(r.x), "+f"(r.y), "+f"(r.z), "+f"(r.w) : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y));
	c[I] = r;
}
K(mma_m16n8k16_half)(uint2 *c, const uint4 *a, const uint2 *b)
{
	uint2 r = c[I];
	uint4 x = a[I];
	uint2 y = b[I];
	asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};" : "+r"(r.x), "+r"(r.y) : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y));
	c[I] = r;
}
K(mma_bf16)(float4 *c, const uint4 *a, const uint2 *b)
{
	float4 r = c[I];
	uint4 x = a[I];
	uint2 y = b[I];
	asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(r.x), "+f"(r.y), "+f"(r.z), "+f"(r.w) : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y));
	c[I] = r;
}
K(mma_tf32)(float4 *c, const uint4 *a, const uint2 *b)
{
	float4 r = c[I];
	uint4 x = a[I];
	uint2 y = b[I];
	asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(r.x), "+f"(r.y), "+f"(r.z), "+f"(r.w) : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y));
	c[I] = r;
}
K(mma_tf32_small)(float4 *c, const uint2 *a, const unsigned *b)
{
	float4 r = c[I];
	uint2 x = a[I];
	asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+f"(r.x), "+f"(r.y), "+f"(r.z), "+f"(r.w) : "r"(x.x), "r"(x.y), "r"(b[I]));
	c[I] = r;
}
K(mma_double)(double2 *c, const double *a, const double *b)
{
	double2 r = c[I];
	asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(r.x), "+d"(r.y) : "d"(a[I]), "d"(b[I]));
	c[I] = r;
}
K(mma_double_loop)(double2 *c, const double *a, const double *b, int n)
{
	double2 r = {0, 0};
	for (int k = 0; k < n; k++)
		asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(r.x), "+d"(r.y) : "d"(a[k * 32 + I]), "d"(b[k * 32 + I]));
	c[I] = r;
}
K(mma_bytes_k32)(int4 *c, const uint4 *a, const uint2 *b)
{
	int4 r = c[I];
	uint4 x = a[I];
	uint2 y = b[I];
	asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(r.x), "+r"(r.y), "+r"(r.z), "+r"(r.w) : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y));
	c[I] = r;
}
K(mma_nibbles_k64)(int4 *c, const uint4 *a, const uint2 *b)
{
	int4 r = c[I];
	uint4 x = a[I];
	uint2 y = b[I];
	asm("mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(r.x), "+r"(r.y), "+r"(r.z), "+r"(r.w) : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y));
	c[I] = r;
}
K(mma_bits)(int4 *c, const uint4 *a, const uint2 *b)
{
	int4 r = c[I];
	uint4 x = a[I];
	uint2 y = b[I];
	asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(r.x), "+r"(r.y), "+r"(r.z), "+r"(r.w) : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y));
	c[I] = r;
}
K(mma_sparse)(float4 *c, const uint4 *a, const uint4 *b, const unsigned *m)
{
	float4 r = c[I];
	uint4 x = a[I], y = b[I];
	asm("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x1;"
	    : "+f"(r.x), "+f"(r.y), "+f"(r.z), "+f"(r.w) : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y), "r"(y.z), "r"(y.w), "r"(m[I]));
	c[I] = r;
}
K(wmma_bf16)(float *c, const __nv_bfloat16 *a, const __nv_bfloat16 *b)
{
	wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
	wmma::load_matrix_sync(fa, a, 32);
	wmma::load_matrix_sync(fb, b, 32);
	wmma::load_matrix_sync(fc, c, 32, wmma::mem_row_major);
	wmma::mma_sync(fc, fa, fb, fc);
	wmma::store_matrix_sync(c, fc, 32, wmma::mem_row_major);
}
K(wmma_double)(double *c, const double *a, const double *b, int n)
{
	wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 8, 8, 4, double> fc;
	wmma::fill_fragment(fc, 0.0);
	for (int k = 0; k < n; k += 4) {
		wmma::load_matrix_sync(fa, a + k, n);
		wmma::load_matrix_sync(fb, b + k, n);
		wmma::mma_sync(fc, fa, fb, fc);
	}
	wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
}
K(mma_shared_pipeline)(float4 *c, const uint4 *a, const uint4 *b, int n)
{
	__shared__ uint4 sa[2][32], sb[2][32];
	float4 r = {0, 0, 0, 0}, q = {0, 0, 0, 0};
	unsigned pa = (unsigned)__cvta_generic_to_shared(sa), pb = (unsigned)__cvta_generic_to_shared(sb);
	sa[0][threadIdx.x] = a[I], sb[0][threadIdx.x] = b[I];
	__syncthreads();
	for (int k = 0; k < n; k++) {
		uint4 na = a[(k + 1) * 32 + I], nb = b[(k + 1) * 32 + I], x, y;
		unsigned f = (k & 1) * 512 + threadIdx.x * 16;
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "r"(pa + f));
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(y.x), "=r"(y.y), "=r"(y.z), "=r"(y.w) : "r"(pb + f));
		asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(r.x), "+f"(r.y), "+f"(r.z), "+f"(r.w) : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y));
		asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(q.x), "+f"(q.y), "+f"(q.z), "+f"(q.w) : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.z), "r"(y.w));
		sa[!(k & 1)][threadIdx.x] = na, sb[!(k & 1)][threadIdx.x] = nb;
		__syncthreads();
	}
	c[2 * I] = r, c[2 * I + 1] = q;
}
K(mma_attention_step)(float4 *o, const uint4 *q, const uint2 *k, const uint2 *v, int n)
{
	float4 acc = {0, 0, 0, 0};
	float m = -1e30f, l = 0;
	uint4 x = q[I];
	for (int i = 0; i < n; i++) {
		float4 s = {0, 0, 0, 0};
		uint2 y = k[i * 32 + I], z = v[i * 32 + I];
		asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(s.x), "+f"(s.y), "+f"(s.z), "+f"(s.w) : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y));
		float t = fmaxf(m, fmaxf(s.x, s.y)), e = __expf(m - t);
		__nv_bfloat162 p = __floats2bfloat162_rn(__expf(s.x - t), __expf(s.y - t)), r = __floats2bfloat162_rn(__expf(s.z - t), __expf(s.w - t));
		l = l * e + __low2float(p) + __high2float(p), m = t;
		acc.x *= e, acc.y *= e, acc.z *= e, acc.w *= e;
		unsigned u = *(unsigned *)&p, w = *(unsigned *)&r;
		asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+f"(acc.x), "+f"(acc.y), "+f"(acc.z), "+f"(acc.w) : "r"(u), "r"(w), "r"(z.x));
	}
	o[I] = make_float4(acc.x / l, acc.y / l, acc.z / l, acc.w / l);
}
