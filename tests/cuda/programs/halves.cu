// Half precision and bfloat16 on both sides: conversions, arithmetic, pairs.
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void work(const half *a, const half2 *b, half *c, half2 *d, __nv_bfloat16 *e, int n)
{
	int i = threadIdx.x;
	if (i >= n)
		return;
	c[i] = __hfma(a[i], a[i], __float2half(0.5f)) - half(0.25f);
	d[i] = __hadd2(__hmul2(b[i], b[i]), __float2half2_rn(1.0f));
	e[i] = __nv_bfloat16(__half2float(a[i])) * __nv_bfloat16(3.0f);
}

int main()
{
	const int n = 64;
	half a[n], c[n];
	half2 b[n], d[n];
	__nv_bfloat16 e[n];
	for (int i = 0; i < n; i++) {
		a[i] = __float2half(i * 0.37f - 10);
		b[i] = __floats2half2_rn(i * 0.011f, -i * 1.7f);
	}
	char *p;
	CHECKED(cudaMalloc(&p, n * 16));
	half *pa = (half *)p, *pc = pa + n;
	half2 *pb = (half2 *)(pc + n), *pd = pb + n;
	__nv_bfloat16 *pe = (__nv_bfloat16 *)(pd + n);
	CHECKED(cudaMemcpy(pa, a, sizeof a, cudaMemcpyHostToDevice));
	CHECKED(cudaMemcpy(pb, b, sizeof b, cudaMemcpyHostToDevice));
	work<<<1, n>>>(pa, pb, pc, pd, pe, n);
	CHECKED(cudaMemcpy(c, pc, sizeof c, cudaMemcpyDeviceToHost));
	CHECKED(cudaMemcpy(d, pd, sizeof d, cudaMemcpyDeviceToHost));
	CHECKED(cudaMemcpy(e, pe, sizeof e, cudaMemcpyDeviceToHost));
	long wrong = 0;
	for (int i = 0; i < n; i++) {
		wrong += __half_as_ushort(c[i]) != __half_as_ushort(__hfma(a[i], a[i], __float2half(0.5f)) - half(0.25f));
		half2 want = b[i] * b[i] + __float2half2_rn(1.0f);
		wrong += !__hbeq2(d[i], want);
		wrong += __bfloat16_as_ushort(e[i]) != __bfloat16_as_ushort(__nv_bfloat16(__half2float(a[i])) * __nv_bfloat16(3.0f));
	}
	return verdict(wrong);
}
