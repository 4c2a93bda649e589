// Transcendental functions in single precision, fast and exact.
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name

K(fast_sine)(float *o, const float *a) { o[I] = __sinf(a[I]) + __cosf(a[I]); }
K(fast_exponential)(float *o, const float *a) { o[I] = __expf(a[I]) + exp2f(a[I]); }
K(fast_logarithm)(float *o, const float *a) { o[I] = __logf(a[I]) + __log2f(a[I]); }
K(fast_power)(float *o, const float *a, const float *b) { o[I] = __powf(a[I], b[I]); }
K(fast_hyperbolic)(float *o, const float *a) { float r; asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(a[I])); o[I] = r; }
K(exact_sine)(float *o, const float *a) { o[I] = sinf(a[I]); }
K(exact_sine_cosine)(float *o, float *p, const float *a) { float s, c; sincosf(a[I], &s, &c); o[I] = s, p[I] = c; }
K(exact_tangent)(float *o, const float *a) { o[I] = tanf(a[I]); }
K(exact_exponential)(float *o, const float *a) { o[I] = expf(a[I]); }
K(exact_logarithm)(float *o, const float *a) { o[I] = logf(a[I]); }
K(exact_logarithm_1p)(float *o, const float *a) { o[I] = log1pf(a[I]) + expm1f(a[I]); }
K(exact_power)(float *o, const float *a, const float *b) { o[I] = powf(a[I], b[I]); }
K(exact_arc)(float *o, const float *a) { o[I] = asinf(a[I]) + acosf(a[I]); }
K(exact_arc_tangent)(float *o, const float *a, const float *b) { o[I] = atan2f(a[I], b[I]); }
K(exact_hyperbolic)(float *o, const float *a) { o[I] = sinhf(a[I]) + tanhf(a[I]); }
K(exact_area)(float *o, const float *a) { o[I] = asinhf(a[I]) + atanhf(a[I]); }
K(exact_error_function)(float *o, const float *a) { o[I] = erff(a[I]) + erfcf(a[I]); }
K(exact_inverse_error)(float *o, const float *a) { o[I] = erfinvf(a[I]); }
K(exact_gamma)(float *o, const float *a) { o[I] = tgammaf(a[I]); }
K(exact_log_gamma)(float *o, const float *a) { o[I] = lgammaf(a[I]); }
K(exact_bessel)(float *o, const float *a) { o[I] = j0f(a[I]); }
K(exact_cube_root)(float *o, const float *a) { o[I] = cbrtf(a[I]) + rcbrtf(a[I]); }
K(exact_normal_distribution)(float *o, const float *a) { o[I] = normcdff(a[I]); }
K(sine_of_pi)(float *o, const float *a) { o[I] = sinpif(a[I]) * cospif(a[I]); }
K(black_scholes)(float *call, const float *s, const float *x, const float *t, float r, float v)
{
	float q = v * sqrtf(t[I]), d1 = (__logf(s[I] / x[I]) + (r + .5f * v * v) * t[I]) / q, d2 = d1 - q;
	call[I] = s[I] * normcdff(d1) - x[I] * __expf(-r * t[I]) * normcdff(d2);
}
K(box_muller)(float2 *o, const float2 *a) { float2 u = a[I]; float r = sqrtf(-2.f * __logf(u.x)), s, c; __sincosf(6.2831853f * u.y, &s, &c); o[I] = make_float2(r * s, r * c); }
