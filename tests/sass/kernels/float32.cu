// Single precision: arithmetic, roundings, comparisons, conversions, divisions.
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name

K(f32_add)(float *o, const float *a, const float *b) { o[I] = a[I] + b[I]; }
K(f32_fma)(float *o, const float *a, const float *b, float c) { o[I] = a[I] * b[I] + c; }
K(f32_roundings)(float *o, const float *a, const float *b) { o[I] = __fadd_ru(a[I], b[I]) + __fmul_rd(a[I], b[I]) + __fmaf_rz(a[I], b[I], 3.f); }
K(f32_divide)(float *o, const float *a, const float *b) { o[I] = a[I] / b[I]; }
K(f32_divide_fast)(float *o, const float *a, const float *b) { o[I] = __fdividef(a[I], b[I]); }
K(f32_divide_rounded)(float *o, const float *a, const float *b) { o[I] = __fdiv_ru(a[I], b[I]); }
K(f32_reciprocal)(float *o, const float *a) { o[I] = __frcp_rn(a[I]); }
K(f32_square_root)(float *o, const float *a) { o[I] = sqrtf(a[I]); }
K(f32_reciprocal_root)(float *o, const float *a) { o[I] = rsqrtf(a[I]); }
K(f32_minimum_maximum)(float *o, const float *a, const float *b, float c) { o[I] = fmaxf(fminf(a[I], b[I]), c); }
K(f32_saturate)(float *o, const float *a, const float *b) { o[I] = __saturatef(a[I] * b[I]) + __saturatef(a[I] + b[I]); }
K(f32_compare_ordered)(int *o, const float *a, const float *b) { o[I] = (a[I] < b[I]) + 2 * (a[I] != b[I]) + 4 * !(a[I] <= b[I] || a[I] > b[I]); }
K(f32_select)(float *o, const float *a, const float *b, float c, float d) { o[I] = a[I] >= b[I] ? c : d; }
K(f32_classify)(int *o, const float *a) { o[I] = isnan(a[I]) + 2 * isinf(a[I]) + 4 * signbit(a[I]); }
K(f32_copy_sign)(float *o, const float *a, const float *b) { o[I] = copysignf(a[I], b[I]) - fabsf(b[I]); }
K(f32_to_integer)(int *o, const float *a) { o[I] = (int)a[I] + __float2int_rn(a[I]) + __float2int_ru(a[I]); }
K(f32_to_wide_integer)(long long *o, const float *a) { o[I] = (long long)a[I] + (long long)(unsigned long long)a[I]; }
K(f32_from_integer)(float *o, const int *a, const unsigned *b) { o[I] = (float)a[I] * (float)b[I]; }
K(f32_from_wide_integer)(float *o, const long long *a, const unsigned long long *b) { o[I] = (float)a[I] + (float)b[I]; }
K(f32_from_bytes)(float *o, const uchar4 *a) { uchar4 v = a[I]; o[I] = v.x * 0.25f + v.y * 0.5f + v.z + v.w * 2.f; }
K(f32_to_bytes)(unsigned char *o, const float *a) { o[I] = (unsigned char)fminf(fmaxf(a[I] * 255.f, 0.f), 255.f); }
K(f32_round_to_whole)(float *o, const float *a) { o[I] = floorf(a[I]) + ceilf(a[I]) + truncf(a[I]) + rintf(a[I]) + roundf(a[I]); }
K(f32_remainder)(float *o, const float *a, const float *b) { o[I] = fmodf(a[I], b[I]); }
K(f32_split)(float *o, int *e, const float *a) { int x; o[I] = frexpf(a[I], &x); e[I] = x; }
K(f32_scale)(float *o, const float *a, const int *n) { o[I] = ldexpf(a[I], n[I]); }
K(f32_hypotenuse)(float *o, const float *a, const float *b) { o[I] = hypotf(a[I], b[I]); }
K(f32_horner)(float *o, const float *a) { float x = a[I]; o[I] = (((((.1f * x + .2f) * x + .3f) * x + .4f) * x + .5f) * x + .6f) * x + .7f; }
K(f32_newton)(float *o, const float *a, int n) { float x = a[I], y = 1; while (n--) y = .5f * (y + x / y); o[I] = y; }
K(f32_kahan)(float *o, const float *a, int n)
{
	float s = 0, c = 0;
	for (int i = 0; i < n; i++) {
		float y = __fsub_rn(a[i * 32 + I], c), t = __fadd_rn(s, y);
		c = __fsub_rn(__fsub_rn(t, s), y), s = t;
	}
	o[I] = s;
}
K(f32_complex_product)(float2 *o, const float2 *a, const float2 *b) { float2 x = a[I], y = b[I]; o[I] = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }
K(f32_cross)(float3 *o, const float3 *a, const float3 *b)
{
	float3 x = a[I], y = b[I];
	o[I] = make_float3(x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x);
}
K(f32_normalise)(float4 *o, const float4 *a) { float4 v = a[I]; float s = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z); o[I] = make_float4(v.x * s, v.y * s, v.z * s, v.w); }
K(f32_denormals_flushed)(float *o, const float *a, const float *b) { float r; asm("fma.rn.ftz.f32 %0, %1, %2, %1;" : "=f"(r) : "f"(a[I]), "f"(b[I])); o[I] = r; }
K(f32_tf32)(unsigned *o, const float *a) {
#if __CUDA_ARCH__ >= 800
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(o[I]) : "f"(a[I]));
#else
	o[I] = __float_as_uint(a[I]) & 0xffffe000;
#endif
}
K(f32_minimum_three)(float *o, const float *a, const float *b, const float *c) { o[I] = fminf(fminf(a[I], b[I]), c[I]) * fmaxf(fabsf(a[I]), fabsf(c[I])); }
