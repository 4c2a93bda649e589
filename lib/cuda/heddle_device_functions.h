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
#define HEDDLE_UNSIGNED_ORDER(name, instruction, T, r)                                                           \
	HEDDLE_FN T heddle_atom_##name(T *__p, T __v)                                                            \
	{                                                                                                        \
		T __old;                                                                                         \
		asm volatile("atom." instruction " %0, [%1], %2;" : "=" r(__old) : "l"(__p), r(__v) : "memory"); \
		return __old;                                                                                    \
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
#define HEDDLE_ATOMIC_SCOPE(suffix, scope, dot)                                                                                                        \
	HEDDLE_FN int atomicAdd##suffix(int *__p, int __v) { return __nvvm_atom_##scope##add_gen_i(__p, __v); }                                        \
	HEDDLE_FN unsigned atomicAdd##suffix(unsigned *__p, unsigned __v) { return (unsigned)__nvvm_atom_##scope##add_gen_i((int *)__p, (int)__v); }   \
	HEDDLE_FN unsigned long long atomicAdd##suffix(unsigned long long *__p, unsigned long long __v)                                                \
	{                                                                                                                                              \
		return (unsigned long long)__nvvm_atom_##scope##add_gen_ll((long long *)__p, (long long)__v);                                          \
	}                                                                                                                                              \
	HEDDLE_FN float atomicAdd##suffix(float *__p, float __v) { return __nvvm_atom_##scope##add_gen_f(__p, __v); }                                  \
	HEDDLE_FN double atomicAdd##suffix(double *__p, double __v) { return __nvvm_atom_##scope##add_gen_d(__p, __v); }                               \
	HEDDLE_FN int atomicSub##suffix(int *__p, int __v) { return atomicAdd##suffix(__p, (int)(0u - (unsigned)__v)); }                               \
	HEDDLE_FN unsigned atomicSub##suffix(unsigned *__p, unsigned __v) { return atomicAdd##suffix(__p, 0u - __v); }                                 \
	HEDDLE_FN int atomicExch##suffix(int *__p, int __v) { return __nvvm_atom_##scope##xchg_gen_i(__p, __v); }                                      \
	HEDDLE_FN unsigned atomicExch##suffix(unsigned *__p, unsigned __v) { return (unsigned)__nvvm_atom_##scope##xchg_gen_i((int *)__p, (int)__v); } \
	HEDDLE_FN unsigned long long atomicExch##suffix(unsigned long long *__p, unsigned long long __v)                                               \
	{                                                                                                                                              \
		return (unsigned long long)__nvvm_atom_##scope##xchg_gen_ll((long long *)__p, (long long)__v);                                         \
	}                                                                                                                                              \
	HEDDLE_FN float atomicExch##suffix(float *__p, float __v)                                                                                      \
	{                                                                                                                                              \
		return __builtin_bit_cast(float, __nvvm_atom_##scope##xchg_gen_i((int *)__p, __builtin_bit_cast(int, __v)));                           \
	}                                                                                                                                              \
	HEDDLE_FN int atomicCAS##suffix(int *__p, int __old, int __v) { return __nvvm_atom_##scope##cas_gen_i(__p, __old, __v); }                      \
	HEDDLE_FN unsigned atomicCAS##suffix(unsigned *__p, unsigned __old, unsigned __v)                                                              \
	{                                                                                                                                              \
		return (unsigned)__nvvm_atom_##scope##cas_gen_i((int *)__p, (int)__old, (int)__v);                                                     \
	}                                                                                                                                              \
	HEDDLE_FN unsigned long long atomicCAS##suffix(unsigned long long *__p, unsigned long long __old, unsigned long long __v)                      \
	{                                                                                                                                              \
		return (unsigned long long)__nvvm_atom_##scope##cas_gen_ll((long long *)__p, (long long)__old, (long long)__v);                        \
	}                                                                                                                                              \
	HEDDLE_FN unsigned short atomicCAS##suffix(unsigned short *__p, unsigned short __old, unsigned short __v)                                      \
	{                                                                                                                                              \
		unsigned short __was;                                                                                                                  \
		asm volatile("atom" dot ".cas.b16 %0, [%1], %2, %3;" : "=h"(__was) : "l"(__p), "h"(__old), "h"(__v) : "memory");                       \
		return __was;                                                                                                                          \
	}                                                                                                                                              \
	HEDDLE_ATOMIC_ORDER(suffix, scope, Min, min)                                                                                                   \
	HEDDLE_ATOMIC_ORDER(suffix, scope, Max, max)                                                                                                   \
	HEDDLE_FN unsigned atomicInc##suffix(unsigned *__p, unsigned __limit) { return __nvvm_atom_##scope##inc_gen_ui(__p, __limit); }                \
	HEDDLE_FN unsigned atomicDec##suffix(unsigned *__p, unsigned __limit) { return __nvvm_atom_##scope##dec_gen_ui(__p, __limit); }                \
	HEDDLE_ATOMIC_LOGIC(suffix, scope, And, and)                                                                                                   \
	HEDDLE_ATOMIC_LOGIC(suffix, scope, Or, or)                                                                                                     \
	HEDDLE_ATOMIC_LOGIC(suffix, scope, Xor, xor)
#define HEDDLE_ATOMIC_ORDER(suffix, scope, name, op)                                                                                   \
	HEDDLE_FN int atomic##name##suffix(int *__p, int __v) { return __nvvm_atom_##scope##op##_gen_i(__p, __v); }                    \
	HEDDLE_FN unsigned atomic##name##suffix(unsigned *__p, unsigned __v) { return __nvvm_atom_##scope##op##_gen_ui(__p, __v); }    \
	HEDDLE_FN long long atomic##name##suffix(long long *__p, long long __v) { return __nvvm_atom_##scope##op##_gen_ll(__p, __v); } \
	HEDDLE_FN unsigned long long atomic##name##suffix(unsigned long long *__p, unsigned long long __v)                             \
	{                                                                                                                              \
		return __nvvm_atom_##scope##op##_gen_ull(__p, __v);                                                                    \
	}
#define HEDDLE_ATOMIC_LOGIC(suffix, scope, name, op)                                                                \
	HEDDLE_FN int atomic##name##suffix(int *__p, int __v) { return __nvvm_atom_##scope##op##_gen_i(__p, __v); } \
	HEDDLE_FN unsigned atomic##name##suffix(unsigned *__p, unsigned __v)                                        \
	{                                                                                                           \
		return (unsigned)__nvvm_atom_##scope##op##_gen_i((int *)__p, (int)__v);                             \
	}                                                                                                           \
	HEDDLE_FN unsigned long long atomic##name##suffix(unsigned long long *__p, unsigned long long __v)          \
	{                                                                                                           \
		return (unsigned long long)__nvvm_atom_##scope##op##_gen_ll((long long *)__p, (long long)__v);      \
	}
HEDDLE_ATOMIC_SCOPE(, , "")
HEDDLE_ATOMIC_SCOPE(_block, cta_, ".cta")
HEDDLE_ATOMIC_SCOPE(_system, sys_, ".sys")
#undef HEDDLE_ATOMIC_SCOPE
#undef HEDDLE_ATOMIC_ORDER
#undef HEDDLE_ATOMIC_LOGIC

// -- min and max of every pair of types, on both sides ----------------------------------------------------------------------------------------------
#define HEDDLE_MIN_MAX(D, A, B, where)                                                        \
	static inline where D min(A __a, B __b) { return (D)__a < (D)__b ? (D)__a : (D)__b; } \
	static inline where D max(A __a, B __b) { return (D)__a > (D)__b ? (D)__a : (D)__b; }
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
#define HEDDLE_FLOAT_MIN_MAX(D, A, B, f)                                                                    \
	static inline __host__ __device__ D min(A __a, B __b) { return __builtin_fmin##f((D)__a, (D)__b); } \
	static inline __host__ __device__ D max(A __a, B __b) { return __builtin_fmax##f((D)__a, (D)__b); }
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
HEDDLE_FN float remquo(float x, float y, int *__quotient) { return remquof(x, y, __quotient); }
HEDDLE_FN float scalbn(float x, int __n) { return scalbnf(x, __n); }
HEDDLE_FN float scalbln(float x, long __n) { return scalblnf(x, __n); }
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
static inline __host__ void sincospi(double x, double *__s, double *__c) { *__s = sinpi(x), *__c = cospi(x); }
static inline __host__ double normcdf(double x) { return 0.5 * __builtin_erfc(-x * M_SQRT1_2); }
static inline __host__ float sinpif(float x) { return (float)sinpi((double)x); }
static inline __host__ float cospif(float x) { return (float)cospi((double)x); }
static inline __host__ void sincospif(float x, float *__s, float *__c) { *__s = sinpif(x), *__c = cospif(x); }
static inline __host__ float normcdff(float x) { return (float)normcdf((double)x); }
static inline __host__ float sinpi(float x) { return sinpif(x); }
static inline __host__ float cospi(float x) { return cospif(x); }
static inline __host__ float normcdf(float x) { return normcdff(x); }
static inline __host__ unsigned umin(unsigned __a, unsigned __b) { return __a < __b ? __a : __b; }
static inline __host__ unsigned umax(unsigned __a, unsigned __b) { return __a > __b ? __a : __b; }
static inline __host__ long long llmin(long long __a, long long __b) { return __a < __b ? __a : __b; }
static inline __host__ long long llmax(long long __a, long long __b) { return __a > __b ? __a : __b; }
static inline __host__ unsigned long long ullmin(unsigned long long __a, unsigned long long __b) { return __a < __b ? __a : __b; }
static inline __host__ unsigned long long ullmax(unsigned long long __a, unsigned long long __b) { return __a > __b ? __a : __b; }

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
HEDDLE_FN void sincos(float x, float *__s, float *__c) { sincosf(x, __s, __c); }

// -- addresses ----------------------------------------------------------------------------------------------------------------------------------------------
HEDDLE_FN unsigned __isGlobal(const void *__p) { return __nvvm_isspacep_global(__p); }
HEDDLE_FN unsigned __isShared(const void *__p) { return __nvvm_isspacep_shared(__p); }
HEDDLE_FN unsigned __isConstant(const void *__p) { return __nvvm_isspacep_const(__p); }
HEDDLE_FN unsigned __isLocal(const void *__p) { return __nvvm_isspacep_local(__p); }
#define HEDDLE_ADDRESS(space)                                                  \
	HEDDLE_FN size_t __cvta_generic_to_##space(const void *__p)            \
	{                                                                      \
		size_t __at;                                                   \
		asm("cvta.to." #space ".u64 %0, %1;" : "=l"(__at) : "l"(__p)); \
		return __at;                                                   \
	}                                                                      \
	HEDDLE_FN void *__cvta_##space##_to_generic(size_t __at)               \
	{                                                                      \
		void *__p;                                                     \
		asm("cvta." #space ".u64 %0, %1;" : "=l"(__p) : "l"(__at));    \
		return __p;                                                    \
	}
HEDDLE_ADDRESS(global)
HEDDLE_ADDRESS(shared)
HEDDLE_ADDRESS(local)
HEDDLE_FN size_t __cvta_generic_to_constant(const void *__p)
{
	size_t __at;
	asm("cvta.to.const.u64 %0, %1;" : "=l"(__at) : "l"(__p));
	return __at;
}
HEDDLE_FN void *__cvta_constant_to_generic(size_t __at)
{
	void *__p;
	asm("cvta.const.u64 %0, %1;" : "=l"(__p) : "l"(__at));
	return __p;
}

#endif
