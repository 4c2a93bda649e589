// bfloat16 and tf32 arithmetic, from sm_80 on.
#include <cuda_bf16.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name
typedef __nv_bfloat16 bf;
typedef __nv_bfloat162 bf2;

K(bf16_add)(bf *o, const bf *a, const bf *b) { o[I] = __hadd(a[I], b[I]); }
K(bf16_fma)(bf *o, const bf *a, const bf *b, const bf *c) { o[I] = __hfma(a[I], b[I], c[I]); }
K(bf16x2_fma)(bf2 *o, const bf2 *a, const bf2 *b, const bf2 *c) { o[I] = __hfma2(a[I], b[I], c[I]); }
K(bf16x2_minimum)(bf2 *o, const bf2 *a, const bf2 *b) { o[I] = __hmin2(a[I], __hmax2(b[I], a[I])); }
K(bf16_compare)(int *o, const bf *a, const bf *b) { o[I] = __hge(a[I], b[I]) - __hne(a[I], b[I]); }
K(bf16_from_float)(bf2 *o, const float2 *a) { o[I] = __float22bfloat162_rn(a[I]); }
K(bf16_to_float_sum)(float *o, const bf *a, int n) { float s = 0; for (int i = 0; i < n; i++) s += __bfloat162float(a[i * 64 + I]); o[I] = s; }
K(bf16_transcendental)(bf *o, const bf *a) { o[I] = hexp(__hadd(hsin(a[I]), hrsqrt(a[I]))); }
