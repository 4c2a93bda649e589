// 16-bit floating point: half, bfloat16, their pairs, conversions, 8-bit formats.
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name

K(half_add)(half *o, const half *a, const half *b) { o[I] = __hadd(a[I], b[I]); }
K(half_fma)(half *o, const half *a, const half *b, const half *c) { o[I] = __hfma(a[I], b[I], c[I]); }
K(half_divide)(half *o, const half *a, const half *b) { o[I] = __hdiv(a[I], b[I]); }
K(half_compare)(int *o, const half *a, const half *b) { o[I] = __hlt(a[I], b[I]) + 2 * __hisnan(a[I]); }
K(half_minimum)(half *o, const half *a, const half *b) { o[I] = __hmin(a[I], __hmax(b[I], __float2half(0.5f))); }
K(half_transcendental)(half *o, const half *a) { o[I] = __hadd(hexp(a[I]), hlog(hsqrt(a[I]))); }
K(half_power_of_two)(half2 *o, const half2 *a) { o[I] = h2exp2(a[I]); }
K(half_reciprocal)(half *o, const half *a) { o[I] = hrcp(a[I]); }
K(half_round)(half *o, const half *a) { o[I] = hfloor(__hadd(hceil(a[I]), htrunc(a[I]))); }
K(half2_add)(half2 *o, const half2 *a, const half2 *b) { o[I] = __hadd2(a[I], b[I]); }
K(half2_fma)(half2 *o, const half2 *a, const half2 *b, const half2 *c) { o[I] = __hfma2(a[I], b[I], __hmul2(c[I], a[I])); }
K(half2_fma_relu)(half2 *o, const half2 *a, const half2 *b, const half2 *c) { o[I] = __hfma2_relu(a[I], b[I], c[I]); }
K(half2_saturated)(half2 *o, const half2 *a, const half2 *b) { o[I] = __hadd2_sat(a[I], __hmul2_sat(a[I], b[I])); }
K(half2_compare_mask)(unsigned *o, const half2 *a, const half2 *b) { o[I] = __hgt2_mask(a[I], b[I]); }
K(half2_compare_both)(int *o, const half2 *a, const half2 *b) { o[I] = __hbge2(a[I], b[I]); }
K(half2_swap)(half2 *o, const half2 *a, const half2 *b) { o[I] = __hadd2(__lowhigh2highlow(a[I]), __lows2half2(a[I], b[I])); }
K(half2_minimum)(half2 *o, const half2 *a, const half2 *b) { o[I] = __hmin2(a[I], __hmax2_nan(b[I], a[I])); }
K(half2_dot)(float *o, const half2 *a, const half2 *b, int n)
{
	half2 s = __float2half2_rn(0.f);
	for (int i = 0; i < n; i++)
		s = __hfma2(a[i * 32 + I], b[i * 32 + I], s);
	o[I] = __low2float(s) + __high2float(s);
}
K(half2_complex)(half2 *o, const half2 *a, const half2 *b, const half2 *c) { o[I] = __hcmadd(a[I], b[I], c[I]); }
K(half_from_integers)(half *o, const int *a, const short *b) { o[I] = __hadd(__int2half_rn(a[I]), __short2half_rz(b[I])); }
K(half_to_integers)(int *o, const half *a) { o[I] = __half2int_rn(a[I]) + __half2ushort_rz(a[I]) + (int)__half2ll_rd(a[I]); }
K(half_from_float)(half *o, const float *a) { o[I] = __hadd(__float2half_rz(a[I]), __float2half_ru(a[I])); }
K(half_from_double)(half *o, const double *a) { o[I] = __double2half(a[I]); }
K(fp8_convert)(unsigned short *o, const float2 *a) { o[I] = __nv_cvt_float2_to_fp8x2(a[I], __NV_SATFINITE, __NV_E4M3); }
K(fp8_to_half)(__half2_raw *o, const unsigned short *a) { o[I] = __nv_cvt_fp8x2_to_halfraw2(a[I], __NV_E5M2); }
K(half_softmax_row)(half *o, const half *a, int n)
{
	float m = -1e30f, s = 0;
	for (int i = 0; i < n; i++)
		m = fmaxf(m, __half2float(a[I * n + i]));
	for (int i = 0; i < n; i++)
		s += __expf(__half2float(a[I * n + i]) - m);
	for (int i = 0; i < n; i++)
		o[I * n + i] = __float2half(__expf(__half2float(a[I * n + i]) - m) / s);
}
