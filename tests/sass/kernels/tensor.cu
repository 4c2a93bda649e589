// Tensor instructions by wmma and by inline PTX that every architecture has.
#include <cuda_fp16.h>
#include <mma.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name
using namespace nvcuda;

K(wmma_half)(float *c, const half *a, const half *b)
{
	wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
	wmma::fill_fragment(fc, 0.f);
	wmma::load_matrix_sync(fa, a, 16);
	wmma::load_matrix_sync(fb, b, 16);
	wmma::mma_sync(fc, fa, fb, fc);
	wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
K(wmma_half_accumulator)(half *c, const half *a, const half *b, int n)
{
	wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::col_major> fa;
	wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::row_major> fb;
	wmma::fragment<wmma::accumulator, 32, 8, 16, half> fc;
	wmma::fill_fragment(fc, __float2half(0.f));
	for (int k = 0; k < n; k += 16) {
		wmma::load_matrix_sync(fa, a + k * 32, 32);
		wmma::load_matrix_sync(fb, b + k * 8, 8);
		wmma::mma_sync(fc, fa, fb, fc);
	}
	wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
}
K(wmma_bytes)(int *c, const signed char *a, const signed char *b)
{
	wmma::fragment<wmma::matrix_a, 8, 32, 16, signed char, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 8, 32, 16, int> fc;
	wmma::fill_fragment(fc, 0);
	wmma::load_matrix_sync(fa, a, 16);
	wmma::load_matrix_sync(fb, b, 16);
	wmma::mma_sync(fc, fa, fb, fc);
	wmma::store_matrix_sync(c, fc, 32, wmma::mem_row_major);
}
K(wmma_shared)(float *c, const half *a, const half *b, int n)
{
	__shared__ half sa[16 * 16], sb[16 * 16];
	wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
	wmma::fill_fragment(fc, 0.f);
	for (int k = 0; k < n; k += 16) {
		for (int i = threadIdx.x; i < 256; i += 32)
			sa[i] = a[i / 16 * n + k + i % 16], sb[i] = b[(k + i / 16) * 16 + i % 16];
		__syncwarp();
		wmma::load_matrix_sync(fa, sa, 16);
		wmma::load_matrix_sync(fb, sb, 16);
		wmma::mma_sync(fc, fa, fb, fc);
		__syncwarp();
	}
	for (int i = 0; i < fc.num_elements; i++)
		fc.x[i] = fc.x[i] > 0 ? fc.x[i] : 0;
	wmma::store_matrix_sync(c, fc, 16, wmma::mem_col_major);
}
K(mma_m16n8k8)(float4 *c, const unsigned *a, const unsigned *b)
{
	float4 r = c[I];
	asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+f"(r.x), "+f"(r.y), "+f"(r.z), "+f"(r.w) : "r"(a[I]), "r"(a[I + 32]), "r"(b[I]));
	c[I] = r;
}
K(mma_m16n8k8_half)(uint2 *c, const unsigned *a, const unsigned *b)
{
	uint2 r = c[I];
	asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};" : "+r"(r.x), "+r"(r.y) : "r"(a[I]), "r"(a[I + 32]), "r"(b[I]));
	c[I] = r;
}
K(mma_m8n8k16_bytes)(int2 *c, const unsigned *a, const unsigned *b)
{
	int2 r = c[I];
	asm("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(r.x), "+r"(r.y) : "r"(a[I]), "r"(b[I]));
	c[I] = r;
}
K(load_matrix_one)(unsigned *o, const unsigned *a)
{
	__shared__ unsigned s[64];
	s[threadIdx.x] = a[I];
	__syncthreads();
	unsigned r, p = (unsigned)__cvta_generic_to_shared(s + (threadIdx.x & 7) * 4);
	asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(p));
	o[I] = r;
}
K(load_matrix_four)(uint4 *o, const uint4 *a)
{
	__shared__ uint4 s[32];
	s[threadIdx.x] = a[I];
	__syncwarp();
	uint4 r;
	unsigned p = (unsigned)__cvta_generic_to_shared(s + threadIdx.x);
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "r"(p));
	o[I] = r;
}
K(transpose_matrix)(unsigned *o, const unsigned *a) { unsigned r; asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(a[I])); o[I] = r; }
K(mma_tile_loop)(float4 *c, const uint4 *a, const uint2 *b, int n)
{
	float4 r = {0, 0, 0, 0}, q = r;
	for (int k = 0; k < n; k++) {
		uint4 x = a[k * 32 + I];
		uint2 y = b[k * 32 + I];
		asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+f"(r.x), "+f"(r.y), "+f"(r.z), "+f"(r.w) : "r"(x.x), "r"(x.y), "r"(y.x));
		asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+f"(q.x), "+f"(q.y), "+f"(q.z), "+f"(q.w) : "r"(x.z), "r"(x.w), "r"(y.y));
	}
	c[I] = make_float4(r.x + q.x, r.y + q.y, r.z + q.z, r.w + q.w);
}
