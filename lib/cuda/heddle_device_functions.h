// Device functions that clang's headers leave to NVIDIA's: atomics, min and max, mathematics on both sides.
#ifndef HEDDLE_CUDA_DEVICE_FUNCTIONS_H
#define HEDDLE_CUDA_DEVICE_FUNCTIONS_H

#define HEDDLE_FN static __device__ __forceinline__

// -- atomics: of the device, of a block (_block), of the system (_system) -------------------------------------------------------------------------
// Of a scope, clang takes the unsigned minimum and maximum for the signed one: these are its names for the right ones.
#define HEDDLE_UNSIGNED(letters, T, type, r)                                      \
	HEDDLE_UNSIGNED_ORDER(cta_min_##letters, "cta.min." type, T, r)           \
	HEDDLE_UNSIGNED_ORDER(cta_max_##letters, "cta.max." type, T, r)           \
	HEDDLE_UNSIGNED_ORDER(sys_min_##letters, "sys.min." type, T, r)           \
	HEDDLE_UNSIGNED_ORDER(sys_max_##letters, "sys.max." type, T, r)
#define HEDDLE_UNSIGNED_ORDER(name, instruction, T, r)                                                                            \
	HEDDLE_FN T heddle_atom_##name(T *p, T v)                                                                                 \
	{                                                                                                                         \
		T old;                                                                                                            \
		asm volatile("atom." instruction " %0, [%1], %2;" : "=" r(old) : "l"(p), r(v) : "memory");                        \
		return old;                                                                                                       \
	}
HEDDLE_UNSIGNED(ui, unsigned, "u32", "r")
HEDDLE_UNSIGNED(ul, unsigned long, "u64", "l")
HEDDLE_UNSIGNED(ull, unsigned long long, "u64", "l")
#undef HEDDLE_UNSIGNED
#undef HEDDLE_UNSIGNED_ORDER
#define __nvvm_atom_cta_min_gen_ui heddle_atom_cta_min_ui
#define __nvvm_atom_cta_max_gen_ui heddle_atom_cta_max_ui
#define __nvvm_atom_sys_min_gen_ui heddle_atom_sys_min_ui
#define __nvvm_atom_sys_max_gen_ui heddle_atom_sys_max_ui
#define __nvvm_atom_cta_min_gen_ul heddle_atom_cta_min_ul
#define __nvvm_atom_cta_max_gen_ul heddle_atom_cta_max_ul
#define __nvvm_atom_sys_min_gen_ul heddle_atom_sys_min_ul
#define __nvvm_atom_sys_max_gen_ul heddle_atom_sys_max_ul
#define __nvvm_atom_cta_min_gen_ull heddle_atom_cta_min_ull
#define __nvvm_atom_cta_max_gen_ull heddle_atom_cta_max_ull
#define __nvvm_atom_sys_min_gen_ull heddle_atom_sys_min_ull
#define __nvvm_atom_sys_max_gen_ull heddle_atom_sys_max_ull
#define HEDDLE_ATOMIC_SCOPE(suffix, scope)                                                                                                        \
	HEDDLE_FN int atomicAdd##suffix(int *p, int v) { return __nvvm_atom_##scope##add_gen_i(p, v); }                                           \
	HEDDLE_FN unsigned atomicAdd##suffix(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_##scope##add_gen_i((int *)p, (int)v); }      \
	HEDDLE_FN unsigned long long atomicAdd##suffix(unsigned long long *p, unsigned long long v)                                               \
	{                                                                                                                                         \
		return (unsigned long long)__nvvm_atom_##scope##add_gen_ll((long long *)p, (long long)v);                                         \
	}                                                                                                                                         \
	HEDDLE_FN float atomicAdd##suffix(float *p, float v) { return __nvvm_atom_##scope##add_gen_f(p, v); }                                     \
	HEDDLE_FN double atomicAdd##suffix(double *p, double v) { return __nvvm_atom_##scope##add_gen_d(p, v); }                                  \
	HEDDLE_FN int atomicSub##suffix(int *p, int v) { return atomicAdd##suffix(p, (int)(0u - (unsigned)v)); }                                  \
	HEDDLE_FN unsigned atomicSub##suffix(unsigned *p, unsigned v) { return atomicAdd##suffix(p, 0u - v); }                                    \
	HEDDLE_FN int atomicExch##suffix(int *p, int v) { return __nvvm_atom_##scope##xchg_gen_i(p, v); }                                         \
	HEDDLE_FN unsigned atomicExch##suffix(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_##scope##xchg_gen_i((int *)p, (int)v); }    \
	HEDDLE_FN unsigned long long atomicExch##suffix(unsigned long long *p, unsigned long long v)                                              \
	{                                                                                                                                         \
		return (unsigned long long)__nvvm_atom_##scope##xchg_gen_ll((long long *)p, (long long)v);                                        \
	}                                                                                                                                         \
	HEDDLE_FN float atomicExch##suffix(float *p, float v)                                                                                     \
	{                                                                                                                                         \
		return __builtin_bit_cast(float, __nvvm_atom_##scope##xchg_gen_i((int *)p, __builtin_bit_cast(int, v)));                          \
	}                                                                                                                                         \
	HEDDLE_FN int atomicCAS##suffix(int *p, int old, int v) { return __nvvm_atom_##scope##cas_gen_i(p, old, v); }                             \
	HEDDLE_FN unsigned atomicCAS##suffix(unsigned *p, unsigned old, unsigned v)                                                               \
	{                                                                                                                                         \
		return (unsigned)__nvvm_atom_##scope##cas_gen_i((int *)p, (int)old, (int)v);                                                      \
	}                                                                                                                                         \
	HEDDLE_FN unsigned long long atomicCAS##suffix(unsigned long long *p, unsigned long long old, unsigned long long v)                       \
	{                                                                                                                                         \
		return (unsigned long long)__nvvm_atom_##scope##cas_gen_ll((long long *)p, (long long)old, (long long)v);                         \
	}                                                                                                                                         \
	HEDDLE_FN unsigned short atomicCAS##suffix(unsigned short *p, unsigned short old, unsigned short v)                                       \
	{                                                                                                                                         \
		unsigned *word = (unsigned *)((unsigned long long)p & ~3ull), shift = ((unsigned long long)p & 2) * 8, was = *word;               \
		while ((unsigned short)(was >> shift) == old) {                                                                                   \
			unsigned seen = atomicCAS##suffix(word, was, (was & ~(0xffffu << shift)) | (unsigned)v << shift);                         \
			if (seen == was)                                                                                                          \
				break;                                                                                                            \
			was = seen;                                                                                                               \
		}                                                                                                                                 \
		return (unsigned short)(was >> shift);                                                                                            \
	}                                                                                                                                         \
	HEDDLE_ATOMIC_ORDER(suffix, scope, Min, min)                                                                                              \
	HEDDLE_ATOMIC_ORDER(suffix, scope, Max, max)                                                                                              \
	HEDDLE_FN unsigned atomicInc##suffix(unsigned *p, unsigned limit) { return __nvvm_atom_##scope##inc_gen_ui(p, limit); }                   \
	HEDDLE_FN unsigned atomicDec##suffix(unsigned *p, unsigned limit) { return __nvvm_atom_##scope##dec_gen_ui(p, limit); }                   \
	HEDDLE_ATOMIC_LOGIC(suffix, scope, And, and)                                                                                              \
	HEDDLE_ATOMIC_LOGIC(suffix, scope, Or, or)                                                                                                \
	HEDDLE_ATOMIC_LOGIC(suffix, scope, Xor, xor)
#define HEDDLE_ATOMIC_ORDER(suffix, scope, name, op)                                                                                              \
	HEDDLE_FN int atomic##name##suffix(int *p, int v) { return __nvvm_atom_##scope##op##_gen_i(p, v); }                                       \
	HEDDLE_FN unsigned atomic##name##suffix(unsigned *p, unsigned v) { return __nvvm_atom_##scope##op##_gen_ui(p, v); }                       \
	HEDDLE_FN long long atomic##name##suffix(long long *p, long long v) { return __nvvm_atom_##scope##op##_gen_ll(p, v); }                    \
	HEDDLE_FN unsigned long long atomic##name##suffix(unsigned long long *p, unsigned long long v)                                            \
	{                                                                                                                                         \
		return __nvvm_atom_##scope##op##_gen_ull(p, v);                                                                                   \
	}
#define HEDDLE_ATOMIC_LOGIC(suffix, scope, name, op)                                                                                              \
	HEDDLE_FN int atomic##name##suffix(int *p, int v) { return __nvvm_atom_##scope##op##_gen_i(p, v); }                                       \
	HEDDLE_FN unsigned atomic##name##suffix(unsigned *p, unsigned v)                                                                          \
	{                                                                                                                                         \
		return (unsigned)__nvvm_atom_##scope##op##_gen_i((int *)p, (int)v);                                                               \
	}                                                                                                                                         \
	HEDDLE_FN unsigned long long atomic##name##suffix(unsigned long long *p, unsigned long long v)                                            \
	{                                                                                                                                         \
		return (unsigned long long)__nvvm_atom_##scope##op##_gen_ll((long long *)p, (long long)v);                                        \
	}
HEDDLE_ATOMIC_SCOPE(, )
HEDDLE_ATOMIC_SCOPE(_block, cta_)
HEDDLE_ATOMIC_SCOPE(_system, sys_)
#undef HEDDLE_ATOMIC_SCOPE
#undef HEDDLE_ATOMIC_ORDER
#undef HEDDLE_ATOMIC_LOGIC

// -- min and max of every pair of types, on both sides ----------------------------------------------------------------------------------------------
#define HEDDLE_MIN_MAX(D, A, B, where)                                        \
	static inline where D min(A a, B b) { return (D)a < (D)b ? (D)a : (D)b; } \
	static inline where D max(A a, B b) { return (D)a > (D)b ? (D)a : (D)b; }
HEDDLE_MIN_MAX(int, int, int, __host__) // clang's headers have the device's
HEDDLE_MIN_MAX(unsigned, unsigned, unsigned, __host__ __device__)
HEDDLE_MIN_MAX(unsigned, int, unsigned, __host__ __device__)
HEDDLE_MIN_MAX(unsigned, unsigned, int, __host__ __device__)
HEDDLE_MIN_MAX(long, long, long, __host__ __device__)
HEDDLE_MIN_MAX(unsigned long, unsigned long, unsigned long, __host__ __device__)
HEDDLE_MIN_MAX(unsigned long, long, unsigned long, __host__ __device__)
HEDDLE_MIN_MAX(unsigned long, unsigned long, long, __host__ __device__)
HEDDLE_MIN_MAX(long long, long long, long long, __host__ __device__)
HEDDLE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long, __host__ __device__)
HEDDLE_MIN_MAX(unsigned long long, long long, unsigned long long, __host__ __device__)
HEDDLE_MIN_MAX(unsigned long long, unsigned long long, long long, __host__ __device__)
#undef HEDDLE_MIN_MAX
// A number beats a NaN.
#define HEDDLE_FLOAT_MIN_MAX(D, A, B, f)                                                                  \
	static inline __host__ __device__ D min(A a, B b) { return __builtin_fmin##f((D)a, (D)b); }       \
	static inline __host__ __device__ D max(A a, B b) { return __builtin_fmax##f((D)a, (D)b); }
HEDDLE_FLOAT_MIN_MAX(float, float, float, f)
HEDDLE_FLOAT_MIN_MAX(double, double, double, )
HEDDLE_FLOAT_MIN_MAX(double, float, double, )
HEDDLE_FLOAT_MIN_MAX(double, double, float, )
#undef HEDDLE_FLOAT_MIN_MAX

// -- mathematics ---------------------------------------------------------------------------------------------------------------------------------------
// Of the functions of C99, clang's headers declare the forms for floats and leave the definitions to a toolkit's headers.
#define HEDDLE_FLOAT_FORM(result, name) \
	HEDDLE_FN result name(float x) { return name##f(x); }
#define HEDDLE_FLOAT_FORM_2(name) \
	HEDDLE_FN float name(float x, float y) { return name##f(x, y); }
HEDDLE_FLOAT_FORM(float, acosh)
HEDDLE_FLOAT_FORM(float, asinh)
HEDDLE_FLOAT_FORM(float, atanh)
HEDDLE_FLOAT_FORM(float, cbrt)
HEDDLE_FLOAT_FORM(float, erf)
HEDDLE_FLOAT_FORM(float, erfc)
HEDDLE_FLOAT_FORM(float, exp2)
HEDDLE_FLOAT_FORM(float, expm1)
HEDDLE_FLOAT_FORM(float, lgamma)
HEDDLE_FLOAT_FORM(float, log1p)
HEDDLE_FLOAT_FORM(float, log2)
HEDDLE_FLOAT_FORM(float, logb)
HEDDLE_FLOAT_FORM(float, nearbyint)
HEDDLE_FLOAT_FORM(float, rint)
HEDDLE_FLOAT_FORM(float, round)
HEDDLE_FLOAT_FORM(float, tgamma)
HEDDLE_FLOAT_FORM(float, trunc)
HEDDLE_FLOAT_FORM(int, ilogb)
HEDDLE_FLOAT_FORM(long, lrint)
HEDDLE_FLOAT_FORM(long, lround)
HEDDLE_FLOAT_FORM(long long, llrint)
HEDDLE_FLOAT_FORM(long long, llround)
HEDDLE_FLOAT_FORM_2(copysign)
HEDDLE_FLOAT_FORM_2(fdim)
HEDDLE_FLOAT_FORM_2(fmax)
HEDDLE_FLOAT_FORM_2(fmin)
HEDDLE_FLOAT_FORM_2(hypot)
HEDDLE_FLOAT_FORM_2(nextafter)
HEDDLE_FLOAT_FORM_2(remainder)
#undef HEDDLE_FLOAT_FORM
#undef HEDDLE_FLOAT_FORM_2
HEDDLE_FN float fma(float x, float y, float z) { return fmaf(x, y, z); }
HEDDLE_FN float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }
HEDDLE_FN float scalbn(float x, int n) { return scalbnf(x, n); }
HEDDLE_FN float scalbln(float x, long n) { return scalblnf(x, n); }
HEDDLE_FN double nan(const char *) { return __builtin_nan(""); }
HEDDLE_FN float nanf(const char *) { return __builtin_nanf(""); }

// CUDA has these on the host, too.
static inline __host__ float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
static inline __host__ double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
static inline __host__ float rsqrt(float x) { return rsqrtf(x); }
static inline __host__ float rcbrtf(float x) { return 1.0f / __builtin_cbrtf(x); }
static inline __host__ double rcbrt(double x) { return 1.0 / __builtin_cbrt(x); }
static inline __host__ float rcbrt(float x) { return rcbrtf(x); }
static inline __host__ float exp10(float x) { return exp10f(x); }
// The remainder from -1 to 1 is exact.
static inline __host__ double sinpi(double x) { return __builtin_sin(M_PI * __builtin_remainder(x, 2.0)); }
static inline __host__ double cospi(double x) { return __builtin_cos(M_PI * __builtin_remainder(x, 2.0)); }
static inline __host__ void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
static inline __host__ double normcdf(double x) { return 0.5 * __builtin_erfc(-x * M_SQRT1_2); }
static inline __host__ float sinpif(float x) { return (float)sinpi((double)x); }
static inline __host__ float cospif(float x) { return (float)cospi((double)x); }
static inline __host__ void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
static inline __host__ float normcdff(float x) { return (float)normcdf((double)x); }
static inline __host__ float sinpi(float x) { return sinpif(x); }
static inline __host__ float cospi(float x) { return cospif(x); }
static inline __host__ float normcdf(float x) { return normcdff(x); }
static inline __host__ unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
static inline __host__ unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
static inline __host__ long long llmin(long long a, long long b) { return a < b ? a : b; }
static inline __host__ long long llmax(long long a, long long b) { return a > b ? a : b; }
static inline __host__ unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
static inline __host__ unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

HEDDLE_FN float rsqrt(float x) { return rsqrtf(x); }
HEDDLE_FN float rcbrt(float x) { return rcbrtf(x); }
HEDDLE_FN float sinpi(float x) { return sinpif(x); }
HEDDLE_FN float cospi(float x) { return cospif(x); }
HEDDLE_FN float exp10(float x) { return exp10f(x); }
HEDDLE_FN float normcdf(float x) { return normcdff(x); }
HEDDLE_FN float normcdfinv(float x) { return normcdfinvf(x); }
HEDDLE_FN float erfinv(float x) { return erfinvf(x); }
HEDDLE_FN float erfcinv(float x) { return erfcinvf(x); }
HEDDLE_FN float erfcx(float x) { return erfcxf(x); }
HEDDLE_FN void sincos(float x, float *s, float *c) { sincosf(x, s, c); }

// -- addresses ----------------------------------------------------------------------------------------------------------------------------------------------
HEDDLE_FN unsigned __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
HEDDLE_FN unsigned __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
HEDDLE_FN unsigned __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
HEDDLE_FN unsigned __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
#define HEDDLE_ADDRESS(space)                                                 \
	HEDDLE_FN size_t __cvta_generic_to_##space(const void *p)             \
	{                                                                     \
		size_t at;                                                    \
		asm("cvta.to." #space ".u64 %0, %1;" : "=l"(at) : "l"(p));    \
		return at;                                                    \
	}                                                                     \
	HEDDLE_FN void *__cvta_##space##_to_generic(size_t at)                \
	{                                                                     \
		void *p;                                                      \
		asm("cvta." #space ".u64 %0, %1;" : "=l"(p) : "l"(at));       \
		return p;                                                     \
	}
HEDDLE_ADDRESS(global)
HEDDLE_ADDRESS(shared)
HEDDLE_ADDRESS(local)
HEDDLE_FN size_t __cvta_generic_to_constant(const void *p)
{
	size_t at;
	asm("cvta.to.const.u64 %0, %1;" : "=l"(at) : "l"(p));
	return at;
}
HEDDLE_FN void *__cvta_constant_to_generic(size_t at)
{
	void *p;
	asm("cvta.const.u64 %0, %1;" : "=l"(p) : "l"(at));
	return p;
}

#endif
