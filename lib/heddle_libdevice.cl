/* The functions that clang's headers for CUDA call (__nv_sinf and its like). Mathematics goes to OpenCL's functions: those of Heddle and of libclc.
 * Bessel functions are missing: a kernel that calls one is refused by name. */

/* Whether the program flushes denormal floats (-ftz=true): clang knows when it compiles that. */
int __nvvm_reflect_ocl(constant char *);
#define FTZ __nvvm_reflect_ocl("__CUDA_FTZ")
#define FTZ_float ".ftz"
#define FTZ_double ""
#define FTZ_int ""
#define FTZ_uint ""
#define FTZ_long ""
#define FTZ_ulong ""
/* The instruction with .ftz behind `begin` if the program flushes. */
#define FLUSHED(T, begin, end, ...)                                          \
	if (FTZ)                                                             \
		__asm__(begin FTZ_##T end : __VA_ARGS__);                    \
	else                                                                 \
		__asm__(begin end : __VA_ARGS__)

/* -- families: rounding modes and types ------------------------------------------------------------------------------------------------------- */
#define EACH_MODE(X, ...) X(rn, rn, __VA_ARGS__) X(rz, rz, __VA_ARGS__) X(rd, rm, __VA_ARGS__) X(ru, rp, __VA_ARGS__)
/* Of float to integer: PTX calls the modes rni and so on. */
#define EACH_INTEGER_MODE(X, ...) X(rn, rni, __VA_ARGS__) X(rz, rzi, __VA_ARGS__) X(rd, rmi, __VA_ARGS__) X(ru, rpi, __VA_ARGS__)

#define UNARY(mode, ptx_mode, name, op, T, c, type)                                          \
	T __nv_##name##_##mode(T a)                                                          \
	{                                                                                    \
		T d;                                                                         \
		FLUSHED(T, #op "." #ptx_mode, "." #type " %0, %1;", "=" c(d) : c(a));        \
		return d;                                                                    \
	}
#define BINARY(mode, ptx_mode, name, op, T, c, type)                                         \
	T __nv_##name##_##mode(T a, T b)                                                     \
	{                                                                                    \
		T d;                                                                         \
		FLUSHED(T, #op "." #ptx_mode, "." #type " %0, %1, %2;", "=" c(d) : c(a), c(b)); \
		return d;                                                                    \
	}
#define TERNARY(mode, ptx_mode, name, op, T, c, type)                                        \
	T __nv_##name##_##mode(T a, T b, T e)                                                \
	{                                                                                    \
		T d;                                                                         \
		FLUSHED(T, #op "." #ptx_mode, "." #type " %0, %1, %2, %3;", "=" c(d) : c(a), c(b), c(e)); \
		return d;                                                                    \
	}
#define CONVERT(mode, ptx_mode, name, D, dc, dtype, S, sc, stype)                            \
	D __nv_##name##_##mode(S a)                                                          \
	{                                                                                    \
		D d;                                                                         \
		FLUSHED(S, "cvt." #ptx_mode, "." #dtype "." #stype " %0, %1;", "=" dc(d) : sc(a)); \
		return d;                                                                    \
	}
#define NARROW(mode, ptx_mode, ...)                                                          \
	float __nv_double2float_##mode(double a)                                             \
	{                                                                                    \
		float d;                                                                     \
		FLUSHED(float, "cvt." #ptx_mode, ".f32.f64 %0, %1;", "=f"(d) : "d"(a));      \
		return d;                                                                    \
	}
EACH_MODE(BINARY, fadd, add, float, "f", f32)
EACH_MODE(BINARY, fsub, sub, float, "f", f32)
EACH_MODE(BINARY, fmul, mul, float, "f", f32)
EACH_MODE(BINARY, fdiv, div, float, "f", f32)
EACH_MODE(TERNARY, fmaf, fma, float, "f", f32)
EACH_MODE(TERNARY, fmaf_ieee, fma, float, "f", f32)
EACH_MODE(UNARY, frcp, rcp, float, "f", f32)
EACH_MODE(UNARY, fsqrt, sqrt, float, "f", f32)
EACH_MODE(BINARY, dadd, add, double, "d", f64)
EACH_MODE(BINARY, dsub, sub, double, "d", f64)
EACH_MODE(BINARY, dmul, mul, double, "d", f64)
EACH_MODE(BINARY, ddiv, div, double, "d", f64)
EACH_MODE(TERNARY, fma, fma, double, "d", f64)
EACH_MODE(UNARY, drcp, rcp, double, "d", f64)
EACH_MODE(UNARY, dsqrt, sqrt, double, "d", f64)
EACH_MODE(NARROW)
EACH_MODE(CONVERT, int2float, float, "f", f32, int, "r", s32)
EACH_MODE(CONVERT, uint2float, float, "f", f32, uint, "r", u32)
EACH_MODE(CONVERT, ll2float, float, "f", f32, long, "l", s64)
EACH_MODE(CONVERT, ull2float, float, "f", f32, ulong, "l", u64)
EACH_MODE(CONVERT, ll2double, double, "d", f64, long, "l", s64)
EACH_MODE(CONVERT, ull2double, double, "d", f64, ulong, "l", u64)
EACH_INTEGER_MODE(CONVERT, float2int, int, "r", s32, float, "f", f32)
EACH_INTEGER_MODE(CONVERT, float2uint, uint, "r", u32, float, "f", f32)
EACH_INTEGER_MODE(CONVERT, float2ll, long, "l", s64, float, "f", f32)
EACH_INTEGER_MODE(CONVERT, float2ull, ulong, "l", u64, float, "f", f32)
EACH_INTEGER_MODE(CONVERT, double2int, int, "r", s32, double, "d", f64)
EACH_INTEGER_MODE(CONVERT, double2uint, uint, "r", u32, double, "d", f64)
EACH_INTEGER_MODE(CONVERT, double2ll, long, "l", s64, double, "d", f64)
EACH_INTEGER_MODE(CONVERT, double2ull, ulong, "l", u64, double, "d", f64)
double __nv_int2double_rn(int a) { return a; }
double __nv_uint2double_rn(uint a) { return a; }
float __nv_frsqrt_rn(float a) { return (float)(1.0 / __builtin_sqrt((double)a)); }

/* An argument of a function. Its instructions flush by themselves, but some return a small argument as it is. */
static float flushed(float a)
{
	float d;
	if (!FTZ)
		return a;
	__asm__("cvt.ftz.f32.f32 %0, %1;" : "=f"(d) : "f"(a));
	return d;
}
#define FLUSHED_float(a) flushed(a)
#define FLUSHED_double(a) (a)

/* -- mathematics by OpenCL's functions ----------------------------------------------------------------------------------------------------------- */
#define MATH1(name)                                           \
	double __nv_##name(double a) { return name(a); }      \
	float __nv_##name##f(float a) { return name(flushed(a)); }
#define MATH2(name)                                                         \
	double __nv_##name(double a, double b) { return name(a, b); }       \
	float __nv_##name##f(float a, float b) { return name(flushed(a), flushed(b)); }
MATH1(acos) MATH1(acosh) MATH1(asin) MATH1(asinh) MATH1(atan) MATH1(atanh) MATH1(cbrt) MATH1(cos) MATH1(cosh) MATH1(cospi) MATH1(erf)
MATH1(erfc) MATH1(exp) MATH1(exp10) MATH1(exp2) MATH1(expm1) MATH1(lgamma) MATH1(log) MATH1(log10) MATH1(log1p) MATH1(log2) MATH1(logb)
MATH1(round) MATH1(rsqrt) MATH1(sin) MATH1(sinh) MATH1(sinpi) MATH1(tan) MATH1(tanh) MATH1(tgamma)
MATH2(atan2) MATH2(fdim) MATH2(fmod) MATH2(hypot) MATH2(pow) MATH2(remainder)
double __nv_nextafter(double a, double b) { return nextafter(a, b); }
float __nv_nextafterf(float a, float b) { return nextafter(a, b); } /* whatever the program flushes */
#define BUILTIN1(name)                                                       \
	double __nv_##name(double a) { return __builtin_##name(a); }         \
	float __nv_##name##f(float a) { return __builtin_##name##f(a); }
BUILTIN1(ceil) BUILTIN1(fabs) BUILTIN1(floor) BUILTIN1(rint) BUILTIN1(sqrt) BUILTIN1(trunc)
#define BUILTIN2(name)                                                                      \
	double __nv_##name(double a, double b) { return __builtin_##name(a, b); }           \
	float __nv_##name##f(float a, float b) { return __builtin_##name##f(a, b); }
BUILTIN2(copysign) BUILTIN2(fmax) BUILTIN2(fmin)
double __nv_nearbyint(double a) { return __builtin_rint(a); }
float __nv_nearbyintf(float a) { return __builtin_rintf(a); }
double __nv_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
float __nv_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

/* The same for T = double and float: s is the suffix of the names. */
#define BOTH(X) X(double, ) X(float, f)
#define MORE(T, s)                                                                                                              \
	T __nv_frexp##s(T a, int *e) { return frexp(FLUSHED_##T(a), e); }                                                       \
	T __nv_modf##s(T a, T *whole) { return modf(a, whole); }                                                                \
	T __nv_remquo##s(T a, T b, int *q) { return remquo(a, b, q); }                                                          \
	T __nv_ldexp##s(T a, int n) { return ldexp(a, n); }                                                                     \
	T __nv_scalbn##s(T a, int n) { return ldexp(a, n); }                                                                    \
	int __nv_ilogb##s(T a) { return ilogb(a); }                                                                             \
	T __nv_rcbrt##s(T a) { return 1 / cbrt(a); }                                                                            \
	T __nv_rhypot##s(T a, T b) { return 1 / hypot(a, b); }                                                                  \
	T __nv_norm3d##s(T a, T b, T c) { return hypot(hypot(a, b), c); }                                                       \
	T __nv_norm4d##s(T a, T b, T c, T d) { return hypot(hypot(a, b), hypot(c, d)); }                                        \
	T __nv_rnorm3d##s(T a, T b, T c) { return 1 / __nv_norm3d##s(a, b, c); }                                                \
	T __nv_rnorm4d##s(T a, T b, T c, T d) { return 1 / __nv_norm4d##s(a, b, c, d); }                                        \
	T __nv_norm##s(int n, const T *a)                                                                                       \
	{                                                                                                                       \
		T sum = 0;                                                                                                      \
		for (int i = 0; i < n; i++)                                                                                     \
			sum = hypot(sum, a[i]);                                                                                 \
		return sum;                                                                                                     \
	}                                                                                                                       \
	T __nv_rnorm##s(int n, const T *a) { return 1 / __nv_norm##s(n, a); }                                                   \
	T __nv_powi##s(T a, int n) { return pown(a, n); }                                                                       \
	void __nv_sincos##s(T a, T *s_, T *c) { *s_ = sin(a), *c = cos(a); }                                                    \
	void __nv_sincospi##s(T a, T *s_, T *c) { *s_ = sinpi(a), *c = cospi(a); }                                              \
	T __nv_normcdf##s(T a) { return (T)0.5 * erfc(a * (T)-0.70710678118654752440); }                                        \
	T __nv_erfinv##s(T a) { return (T)inverse_error(a, 1 - (double)a); }                                                    \
	T __nv_erfcinv##s(T a) { return (T)inverse_error(1 - (double)a, a); }                                                   \
	T __nv_normcdfinv##s(T a) { return (T)(-1.41421356237309504880 * inverse_error(1 - 2 * (double)a, 2 * (double)a)); }    \
	T __nv_erfcx##s(T a) { return (T)scaled_error(a); }                                                                     \
	T __nv_nan##s(const signed char *text) { return __builtin_nan##s(""); }

/* The inverse of erf at `a`, where b = 1 - a is as exact as a: a start, and two steps of Halley on the smaller of erf and erfc. */
static double inverse_error(double a, double b)
{
	if (!(a > -1 && b > 0))
		return a == -1 ? -INFINITY : b == 0 ? INFINITY : NAN;
	double small = a < 0 ? 1 + a : b; /* erfc of the result's magnitude */
	double t = sqrt(-2 * log(small / 2));
	double x = small < 0.5 ? 0.70710678118654752440 * (t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))))
	                       : fabs(a) * 0.88622692545275801365;
	double magnitude = fabs(a);
	for (int i = 0; i < 4; i++) {
		double f = small < 0.5 ? small - erfc(x) : erf(x) - magnitude;
		double step = f / (1.12837916709551257390 * exp(-x * x));
		x -= step / (1 + x * step);
	}
	return copysign(x, a);
}

/* exp(a * a) * erfc(a). A continued fraction where erfc would be too small. */
static double scaled_error(double a)
{
	if (a < 20)
		return exp(a * a) * erfc(a);
	double f = 0;
	for (int k = 20; k > 0; k--)
		f = k * 0.5 / (a + f);
	return 0.56418958354775628695 / (a + f);
}
BOTH(MORE)

long __nv_llrint(double a) { return __nv_double2ll_rn(a); }
long __nv_llrintf(float a) { return __nv_float2ll_rn(a); }
long __nv_llround(double a) { return __nv_double2ll_rz(round(a)); }
long __nv_llroundf(float a) { return __nv_float2ll_rz(round(a)); }
int __nv_signbitd(double a) { return as_long(a) < 0; }
int __nv_signbitf(float a) { return as_int(a) < 0; }
int __nv_isnand(double a) { return a != a; }
int __nv_isnanf(float a) { return a != a; }
int __nv_isinfd(double a) { return __builtin_fabs(a) == INFINITY; }
int __nv_isinff(float a) { return __builtin_fabsf(a) == INFINITY; }
int __nv_isfinited(double a) { return __builtin_fabs(a) < INFINITY; }
int __nv_finitef(float a) { return __builtin_fabsf(a) < INFINITY; }

/* -- the machine's approximations ------------------------------------------------------------------------------------------------------------------ */
#define APPROXIMATE(name) \
	static float name(float a) { return FTZ ? __nvvm_##name##_approx_ftz_f(a) : __nvvm_##name##_approx_f(a); }
APPROXIMATE(lg2) APPROXIMATE(ex2)
float __nv_fast_sinf(float a) { return FTZ ? __nvvm_sin_approx_ftz_f(a) : __nvvm_sin_approx_f(a); }
float __nv_fast_cosf(float a) { return FTZ ? __nvvm_cos_approx_ftz_f(a) : __nvvm_cos_approx_f(a); }
float __nv_fast_sqrtf(float a) { return FTZ ? __nvvm_sqrt_approx_ftz_f(a) : __nvvm_sqrt_approx_f(a); }
float __nv_fast_log2f(float a) { return lg2(a); }
float __nv_fast_logf(float a) { return lg2(a) * 0.693147181f; }
float __nv_fast_log10f(float a) { return lg2(a) * 0.301029996f; }
float __nv_fast_expf(float a) { return ex2(a * 1.44269504f); }
float __nv_fast_exp10f(float a) { return ex2(a * 3.32192809f); }
float __nv_fast_powf(float a, float b) { return ex2(b * lg2(a)); }
float __nv_fast_fdividef(float a, float b)
{
	float d;
	FLUSHED(float, "div.approx", ".f32 %0, %1, %2;", "=f"(d) : "f"(a), "f"(b));
	return d;
}
float __nv_fast_tanf(float a) { return __nv_fast_fdividef(__nv_fast_sinf(a), __nv_fast_cosf(a)); }
float __nv_fast_tanhf(float a)
{
	float d;
	__asm__("tanh.approx.f32 %0, %1;" : "=f"(d) : "f"(a));
	return d;
}
void __nv_fast_sincosf(float a, float *s, float *c) { *s = __nv_fast_sinf(a), *c = __nv_fast_cosf(a); }
float __nv_saturatef(float a) { return FTZ ? __nvvm_saturate_ftz_f(a) : __nvvm_saturate_f(a); }
double __nv_rcp64h(double a) { return 1 / a; }

/* -- integers -------------------------------------------------------------------------------------------------------------------------------------- */
int __nv_abs(int a) { return a < 0 ? -a : a; }
long __nv_llabs(long a) { return a < 0 ? -a : a; }
int __nv_min(int a, int b) { return a < b ? a : b; }
int __nv_max(int a, int b) { return a > b ? a : b; }
uint __nv_umin(uint a, uint b) { return a < b ? a : b; }
uint __nv_umax(uint a, uint b) { return a > b ? a : b; }
long __nv_llmin(long a, long b) { return a < b ? a : b; }
long __nv_llmax(long a, long b) { return a > b ? a : b; }
ulong __nv_ullmin(ulong a, ulong b) { return a < b ? a : b; }
ulong __nv_ullmax(ulong a, ulong b) { return a > b ? a : b; }
int __nv_brev(int a) { return (int)__builtin_bitreverse32((uint)a); }
long __nv_brevll(long a) { return (long)__builtin_bitreverse64((ulong)a); }
int __nv_byte_perm(int a, int b, int c) { return __nvvm_prmt(a, b, c); }
int __nv_clz(int a) { return a ? __builtin_clz((uint)a) : 32; }
int __nv_clzll(long a) { return a ? __builtin_clzl((ulong)a) : 64; }
int __nv_ffs(int a) { return __builtin_ffs(a); }
int __nv_ffsll(long a) { return __builtin_ffsl(a); }
int __nv_popc(int a) { return __builtin_popcount((uint)a); }
int __nv_popcll(long a) { return __builtin_popcountl((ulong)a); }
int __nv_hadd(int a, int b) { return (int)(((long)a + b) >> 1); }
int __nv_rhadd(int a, int b) { return (int)(((long)a + b + 1) >> 1); }
int __nv_uhadd(uint a, uint b) { return (int)(((ulong)a + b) >> 1); }
uint __nv_urhadd(uint a, uint b) { return (uint)(((ulong)a + b + 1) >> 1); }
int __nv_sad(int a, int b, int c) { return (a > b ? a - b : b - a) + c; }
uint __nv_usad(uint a, uint b, uint c) { return (a > b ? a - b : b - a) + c; }
int __nv_mul24(int a, int b) { return (int)((uint)(a << 8 >> 8) * (uint)(b << 8 >> 8)); }
uint __nv_umul24(uint a, uint b) { return (a & 0xffffff) * (b & 0xffffff); }
int __nv_mulhi(int a, int b) { return (int)(((long)a * b) >> 32); }
uint __nv_umulhi(uint a, uint b) { return (uint)(((ulong)a * b) >> 32); }
long __nv_mul64hi(long a, long b) { return mul_hi(a, b); }
ulong __nv_umul64hi(ulong a, ulong b) { return mul_hi(a, b); }

/* -- bits ------------------------------------------------------------------------------------------------------------------------------------------ */
int __nv_float_as_int(float a) { return as_int(a); }
uint __nv_float_as_uint(float a) { return as_uint(a); }
float __nv_int_as_float(int a) { return as_float(a); }
float __nv_uint_as_float(uint a) { return as_float(a); }
ulong __nv_double_as_longlong(double a) { return as_ulong(a); }
double __nv_longlong_as_double(long a) { return as_double(a); }
int __nv_double2hiint(double a) { return (int)(as_ulong(a) >> 32); }
int __nv_double2loint(double a) { return (int)as_ulong(a); }
double __nv_hiloint2double(int high, int low) { return as_double((ulong)(uint)high << 32 | (uint)low); }
ushort __nv_float2half_rn(float a)
{
	ushort d;
	__asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(d) : "f"(a));
	return d;
}
float __nv_half2float(ushort a)
{
	float d;
	__asm__("cvt.f32.f16 %0, %1;" : "=f"(d) : "h"(a));
	return d;
}
