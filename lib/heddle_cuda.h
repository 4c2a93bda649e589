// What CUDA device code may expect without CUDA: included before every .cu file that Heddle compiles. Kernels and device functions only; no host side.
// Mathematics goes to the OpenCL built-ins (lib/heddle_builtins.cl and libclc), which have their own, mangled, names.
#ifndef HEDDLE_CUDA_H
#define HEDDLE_CUDA_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define HEDDLE_FN static __device__ __forceinline__

typedef __SIZE_TYPE__ size_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;

// -- vectors ------------------------------------------------------------------------------------------------------------------------------------
#define HEDDLE_VECTORS(T, name, a2, a4)                                                                                                              \
	struct name##1 { T x; };                                                                                                                     \
	struct __attribute__((aligned(a2))) name##2 { T x, y; };                                                                                     \
	struct name##3 { T x, y, z; };                                                                                                               \
	struct __attribute__((aligned(a4))) name##4 { T x, y, z, w; };                                                                               \
	HEDDLE_FN name##1 make_##name##1(T x) { return {x}; }                                                                                        \
	HEDDLE_FN name##2 make_##name##2(T x, T y) { return {x, y}; }                                                                                \
	HEDDLE_FN name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                                                        \
	HEDDLE_FN name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
HEDDLE_VECTORS(signed char, char, 2, 4)
HEDDLE_VECTORS(unsigned char, uchar, 2, 4)
HEDDLE_VECTORS(short, short, 4, 8)
HEDDLE_VECTORS(unsigned short, ushort, 4, 8)
HEDDLE_VECTORS(int, int, 8, 16)
HEDDLE_VECTORS(unsigned int, uint, 8, 16)
HEDDLE_VECTORS(long, long, 16, 16)
HEDDLE_VECTORS(unsigned long, ulong, 16, 16)
HEDDLE_VECTORS(long long, longlong, 16, 16)
HEDDLE_VECTORS(unsigned long long, ulonglong, 16, 16)
HEDDLE_VECTORS(float, float, 8, 16)
HEDDLE_VECTORS(double, double, 16, 16)

struct dim3 {
	unsigned x, y, z;
	__device__ dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
	__device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
	__device__ operator uint3() const { return {x, y, z}; }
};

// -- where a thread is ------------------------------------------------------------------------------------------------------------------------------
#define HEDDLE_COORDINATE(name, sreg)                                                                                                                \
	struct heddle_##name {                                                                                                                       \
		__declspec(property(get = get_x)) unsigned x;                                                                                        \
		__declspec(property(get = get_y)) unsigned y;                                                                                        \
		__declspec(property(get = get_z)) unsigned z;                                                                                        \
		static __device__ __forceinline__ unsigned get_x() { return (unsigned)__nvvm_read_ptx_sreg_##sreg##_x(); }                           \
		static __device__ __forceinline__ unsigned get_y() { return (unsigned)__nvvm_read_ptx_sreg_##sreg##_y(); }                           \
		static __device__ __forceinline__ unsigned get_z() { return (unsigned)__nvvm_read_ptx_sreg_##sreg##_z(); }                           \
		__device__ __forceinline__ operator uint3() const { return {get_x(), get_y(), get_z()}; }                                            \
		__device__ __forceinline__ operator dim3() const { return dim3(get_x(), get_y(), get_z()); }                                         \
	};                                                                                                                                           \
	extern const __device__ __attribute__((weak)) heddle_##name name;
HEDDLE_COORDINATE(threadIdx, tid)
HEDDLE_COORDINATE(blockIdx, ctaid)
HEDDLE_COORDINATE(blockDim, ntid)
HEDDLE_COORDINATE(gridDim, nctaid)
#define warpSize 32

// -- barriers, fences, votes, shuffles ------------------------------------------------------------------------------------------------------------------
// __syncthreads is clang's own.
HEDDLE_FN void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
HEDDLE_FN int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
HEDDLE_FN int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
HEDDLE_FN int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
HEDDLE_FN void __threadfence_block() { __nvvm_membar_cta(); }
HEDDLE_FN void __threadfence() { __nvvm_membar_gl(); }
HEDDLE_FN void __threadfence_system() { __nvvm_membar_sys(); }
HEDDLE_FN void __trap() { __builtin_trap(); }

HEDDLE_FN int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
HEDDLE_FN int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
HEDDLE_FN unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
HEDDLE_FN unsigned __match_any_sync(unsigned mask, unsigned v) { return __nvvm_match_any_sync_i32(mask, v); }
HEDDLE_FN unsigned __activemask()
{
	unsigned mask;
	asm volatile("activemask.b32 %0;" : "=r"(mask));
	return mask;
}
HEDDLE_FN unsigned __lane_id() { return (unsigned)__nvvm_read_ptx_sreg_laneid(); }

// Segments of `width` lanes (a power of two): the clamp and segment mask of PTX's shfl.
#define HEDDLE_SHUFFLE(name, type, clamp, argument)                                                                                                  \
	HEDDLE_FN int name(unsigned mask, int v, argument a, int width = 32)                                                                         \
	{                                                                                                                                            \
		return __nvvm_shfl_sync_##type##_i32(mask, v, (int)a, ((32 - width) << 8) | clamp);                                                  \
	}                                                                                                                                            \
	HEDDLE_FN unsigned name(unsigned mask, unsigned v, argument a, int width = 32) { return (unsigned)name(mask, (int)v, a, width); }            \
	HEDDLE_FN float name(unsigned mask, float v, argument a, int width = 32)                                                                     \
	{                                                                                                                                            \
		return __builtin_bit_cast(float, name(mask, __builtin_bit_cast(int, v), a, width));                                                  \
	}                                                                                                                                            \
	HEDDLE_FN unsigned long name(unsigned mask, unsigned long v, argument a, int width = 32)                                                     \
	{                                                                                                                                            \
		return (unsigned long)name(mask, (unsigned)(v >> 32), a, width) << 32 | name(mask, (unsigned)v, a, width);                           \
	}                                                                                                                                            \
	HEDDLE_FN long name(unsigned mask, long v, argument a, int width = 32) { return (long)name(mask, (unsigned long)v, a, width); }              \
	HEDDLE_FN long long name(unsigned mask, long long v, argument a, int width = 32) { return (long long)name(mask, (unsigned long)v, a, width); } \
	HEDDLE_FN unsigned long long name(unsigned mask, unsigned long long v, argument a, int width = 32)                                           \
	{                                                                                                                                            \
		return (unsigned long long)name(mask, (unsigned long)v, a, width);                                                                   \
	}                                                                                                                                            \
	HEDDLE_FN double name(unsigned mask, double v, argument a, int width = 32)                                                                   \
	{                                                                                                                                            \
		return __builtin_bit_cast(double, name(mask, __builtin_bit_cast(unsigned long, v), a, width));                                       \
	}
HEDDLE_SHUFFLE(__shfl_sync, idx, 0x1f, int)
HEDDLE_SHUFFLE(__shfl_up_sync, up, 0, unsigned)
HEDDLE_SHUFFLE(__shfl_down_sync, down, 0x1f, unsigned)
HEDDLE_SHUFFLE(__shfl_xor_sync, bfly, 0x1f, int)

// -- atomics ---------------------------------------------------------------------------------------------------------------------------------------------
HEDDLE_FN int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
HEDDLE_FN unsigned atomicAdd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v); }
HEDDLE_FN unsigned long long atomicAdd(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v); }
HEDDLE_FN float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
HEDDLE_FN double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
HEDDLE_FN int atomicSub(int *p, int v) { return atomicAdd(p, (int)(0u - (unsigned)v)); }
HEDDLE_FN unsigned atomicSub(unsigned *p, unsigned v) { return atomicAdd(p, 0u - v); }
HEDDLE_FN int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
HEDDLE_FN unsigned atomicExch(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
HEDDLE_FN unsigned long long atomicExch(unsigned long long *p, unsigned long long v) { return (unsigned long long)__nvvm_atom_xchg_gen_ll((long long *)p, (long long)v); }
HEDDLE_FN float atomicExch(float *p, float v) { return __builtin_bit_cast(float, __nvvm_atom_xchg_gen_i((int *)p, __builtin_bit_cast(int, v))); }
HEDDLE_FN int atomicCAS(int *p, int old, int v) { return __nvvm_atom_cas_gen_i(p, old, v); }
HEDDLE_FN unsigned atomicCAS(unsigned *p, unsigned old, unsigned v) { return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)old, (int)v); }
HEDDLE_FN unsigned long long atomicCAS(unsigned long long *p, unsigned long long old, unsigned long long v)
{
	return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)old, (long long)v);
}
HEDDLE_FN int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
HEDDLE_FN unsigned atomicMin(unsigned *p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
HEDDLE_FN unsigned long long atomicMin(unsigned long long *p, unsigned long long v) { return __nvvm_atom_min_gen_ull(p, v); }
HEDDLE_FN long long atomicMin(long long *p, long long v) { return __nvvm_atom_min_gen_ll(p, v); }
HEDDLE_FN int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
HEDDLE_FN unsigned atomicMax(unsigned *p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
HEDDLE_FN unsigned long long atomicMax(unsigned long long *p, unsigned long long v) { return __nvvm_atom_max_gen_ull(p, v); }
HEDDLE_FN long long atomicMax(long long *p, long long v) { return __nvvm_atom_max_gen_ll(p, v); }
HEDDLE_FN unsigned atomicInc(unsigned *p, unsigned limit) { return __nvvm_atom_inc_gen_ui(p, limit); }
HEDDLE_FN unsigned atomicDec(unsigned *p, unsigned limit) { return __nvvm_atom_dec_gen_ui(p, limit); }
#define HEDDLE_ATOMIC_LOGIC(name, op)                                                                                                                \
	HEDDLE_FN int name(int *p, int v) { return __nvvm_atom_##op##_gen_i(p, v); }                                                                 \
	HEDDLE_FN unsigned name(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_##op##_gen_i((int *)p, (int)v); }                            \
	HEDDLE_FN unsigned long long name(unsigned long long *p, unsigned long long v)                                                               \
	{                                                                                                                                            \
		return (unsigned long long)__nvvm_atom_##op##_gen_ll((long long *)p, (long long)v);                                                  \
	}
HEDDLE_ATOMIC_LOGIC(atomicAnd, and)
HEDDLE_ATOMIC_LOGIC(atomicOr, or)
HEDDLE_ATOMIC_LOGIC(atomicXor, xor)

// -- mathematics -----------------------------------------------------------------------------------------------------------------------------------------
// `symbol` is the OpenCL function's mangled name without its parameters: _Z3sin + f, _Z3sin + d.
#define HEDDLE_MATH1(name, symbol)                                                                                                                   \
	extern "C" __device__ float symbol##f(float);                                                                                                \
	extern "C" __device__ double symbol##d(double);                                                                                              \
	HEDDLE_FN float name##f(float x) { return symbol##f(x); }                                                                                    \
	HEDDLE_FN float name(float x) { return symbol##f(x); }                                                                                       \
	HEDDLE_FN double name(double x) { return symbol##d(x); }
#define HEDDLE_MATH2(name, symbol)                                                                                                                   \
	extern "C" __device__ float symbol##ff(float, float);                                                                                        \
	extern "C" __device__ double symbol##dd(double, double);                                                                                     \
	HEDDLE_FN float name##f(float x, float y) { return symbol##ff(x, y); }                                                                       \
	HEDDLE_FN float name(float x, float y) { return symbol##ff(x, y); }                                                                          \
	HEDDLE_FN double name(double x, double y) { return symbol##dd(x, y); }
HEDDLE_MATH1(sin, _Z3sin)
HEDDLE_MATH1(cos, _Z3cos)
HEDDLE_MATH1(tan, _Z3tan)
HEDDLE_MATH1(asin, _Z4asin)
HEDDLE_MATH1(acos, _Z4acos)
HEDDLE_MATH1(atan, _Z4atan)
HEDDLE_MATH1(sinh, _Z4sinh)
HEDDLE_MATH1(cosh, _Z4cosh)
HEDDLE_MATH1(tanh, _Z4tanh)
HEDDLE_MATH1(asinh, _Z5asinh)
HEDDLE_MATH1(acosh, _Z5acosh)
HEDDLE_MATH1(atanh, _Z5atanh)
HEDDLE_MATH1(sinpi, _Z5sinpi)
HEDDLE_MATH1(cospi, _Z5cospi)
HEDDLE_MATH1(exp, _Z3exp)
HEDDLE_MATH1(exp2, _Z4exp2)
HEDDLE_MATH1(exp10, _Z5exp10)
HEDDLE_MATH1(expm1, _Z5expm1)
HEDDLE_MATH1(log, _Z3log)
HEDDLE_MATH1(log2, _Z4log2)
HEDDLE_MATH1(log10, _Z5log10)
HEDDLE_MATH1(log1p, _Z5log1p)
HEDDLE_MATH1(logb, _Z4logb)
HEDDLE_MATH1(cbrt, _Z4cbrt)
HEDDLE_MATH1(rsqrt, _Z5rsqrt)
HEDDLE_MATH1(erf, _Z3erf)
HEDDLE_MATH1(erfc, _Z4erfc)
HEDDLE_MATH1(tgamma, _Z6tgamma)
HEDDLE_MATH1(lgamma, _Z6lgamma)
HEDDLE_MATH1(sqrt, _Z4sqrt)
HEDDLE_MATH1(fabs, _Z4fabs)
HEDDLE_MATH1(ceil, _Z4ceil)
HEDDLE_MATH1(floor, _Z5floor)
HEDDLE_MATH1(trunc, _Z5trunc)
HEDDLE_MATH1(round, _Z5round)
HEDDLE_MATH1(rint, _Z4rint)
HEDDLE_MATH2(atan2, _Z5atan2)
HEDDLE_MATH2(pow, _Z3pow)
HEDDLE_MATH2(fmod, _Z4fmod)
HEDDLE_MATH2(remainder, _Z9remainder)
HEDDLE_MATH2(hypot, _Z5hypot)
HEDDLE_MATH2(fdim, _Z4fdim)
HEDDLE_MATH2(fmin, _Z4fmin)
HEDDLE_MATH2(fmax, _Z4fmax)
HEDDLE_MATH2(copysign, _Z8copysign)
HEDDLE_MATH2(nextafter, _Z9nextafter)
HEDDLE_FN float nearbyintf(float x) { return rint(x); }
HEDDLE_FN double nearbyint(double x) { return rint(x); }
HEDDLE_FN float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HEDDLE_FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HEDDLE_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
HEDDLE_FN void sincosf(float x, float *s, float *c) { *s = sin(x), *c = cos(x); }
HEDDLE_FN void sincos(double x, double *s, double *c) { *s = sin(x), *c = cos(x); }
HEDDLE_FN float abs(float x) { return fabs(x); }
HEDDLE_FN double abs(double x) { return fabs(x); }
HEDDLE_FN bool isnan(float x) { return x != x; }
HEDDLE_FN bool isnan(double x) { return x != x; }
HEDDLE_FN bool isinf(float x) { return fabs(x) == __builtin_inff(); }
HEDDLE_FN bool isinf(double x) { return fabs(x) == __builtin_inf(); }
HEDDLE_FN bool isfinite(float x) { return fabs(x) < __builtin_inff(); }
HEDDLE_FN bool isfinite(double x) { return fabs(x) < __builtin_inf(); }
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

HEDDLE_FN int abs(int x) { return x < 0 ? -x : x; }
HEDDLE_FN long long llabs(long long x) { return x < 0 ? -x : x; }
HEDDLE_FN int min(int a, int b) { return a < b ? a : b; }
HEDDLE_FN int max(int a, int b) { return a > b ? a : b; }
HEDDLE_FN unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
HEDDLE_FN unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
HEDDLE_FN long long min(long long a, long long b) { return a < b ? a : b; }
HEDDLE_FN long long max(long long a, long long b) { return a > b ? a : b; }
HEDDLE_FN unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
HEDDLE_FN unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
HEDDLE_FN float min(float a, float b) { return fmin(a, b); }
HEDDLE_FN float max(float a, float b) { return fmax(a, b); }
HEDDLE_FN double min(double a, double b) { return fmin(a, b); }
HEDDLE_FN double max(double a, double b) { return fmax(a, b); }

// -- intrinsics ---------------------------------------------------------------------------------------------------------------------------------------------
HEDDLE_FN float rsqrt_approx(float x) { return __nvvm_rsqrt_approx_f(x); }
HEDDLE_FN float __sinf(float x) { return __nvvm_sin_approx_f(x); }
HEDDLE_FN float __cosf(float x) { return __nvvm_cos_approx_f(x); }
HEDDLE_FN float __exp2f(float x) { return __nvvm_ex2_approx_f(x); }
HEDDLE_FN float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.44269504f); }
HEDDLE_FN float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.32192809f); }
HEDDLE_FN float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
HEDDLE_FN float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.693147181f; }
HEDDLE_FN float __log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.301029996f; }
HEDDLE_FN float __powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
HEDDLE_FN float __frcp_rn(float x) { return 1.0f / x; }
HEDDLE_FN float __fdividef(float x, float y)
{
	float r;
	asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(y));
	return x * r;
}
HEDDLE_FN float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
HEDDLE_FN float __saturatef(float x) { return __nvvm_saturate_f(x); }
HEDDLE_FN float __fadd_rn(float a, float b) { return __nvvm_add_rn_f(a, b); }
HEDDLE_FN float __fmul_rn(float a, float b) { return __nvvm_mul_rn_f(a, b); }
HEDDLE_FN float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HEDDLE_FN float __fsqrt_rn(float x) { return sqrt(x); }
HEDDLE_FN float __fdiv_rn(float a, float b) { return a / b; }
HEDDLE_FN double __dadd_rn(double a, double b) { return __nvvm_add_rn_d(a, b); }
HEDDLE_FN double __dmul_rn(double a, double b) { return __nvvm_mul_rn_d(a, b); }

HEDDLE_FN int __popc(unsigned x) { return __builtin_popcount(x); }
HEDDLE_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
HEDDLE_FN int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
HEDDLE_FN int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
HEDDLE_FN int __ffs(int x) { return __builtin_ffs(x); }
HEDDLE_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
HEDDLE_FN unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
HEDDLE_FN unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
HEDDLE_FN unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) { return (unsigned)__nvvm_prmt(a, b, selector); }
HEDDLE_FN unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n) { return (unsigned)(((unsigned long long)high << 32 | low) << (n & 31) >> 32); }
HEDDLE_FN unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n) { return (unsigned)(((unsigned long long)high << 32 | low) >> (n & 31)); }
HEDDLE_FN int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
HEDDLE_FN unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
HEDDLE_FN long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
HEDDLE_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)((unsigned __int128)a * b >> 64); }
HEDDLE_FN int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
HEDDLE_FN unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
HEDDLE_FN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
HEDDLE_FN unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
HEDDLE_FN float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
HEDDLE_FN float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
HEDDLE_FN long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
HEDDLE_FN double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
HEDDLE_FN int __double2hiint(double x) { return (int)(__builtin_bit_cast(unsigned long long, x) >> 32); }
HEDDLE_FN int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long long, x); }
HEDDLE_FN int __float2int_rn(float x) { return __nvvm_f2i_rn(x); }
HEDDLE_FN int __float2int_rz(float x) { return __nvvm_f2i_rz(x); }
HEDDLE_FN int __float2int_rd(float x) { return __nvvm_f2i_rm(x); }
HEDDLE_FN int __float2int_ru(float x) { return __nvvm_f2i_rp(x); }
HEDDLE_FN unsigned __float2uint_rn(float x) { return __nvvm_f2ui_rn(x); }
HEDDLE_FN unsigned __float2uint_rz(float x) { return __nvvm_f2ui_rz(x); }
HEDDLE_FN float __int2float_rn(int x) { return (float)x; }
HEDDLE_FN float __uint2float_rn(unsigned x) { return (float)x; }
HEDDLE_FN int __double2int_rn(double x) { return __nvvm_d2i_rn(x); }
HEDDLE_FN int __double2int_rz(double x) { return __nvvm_d2i_rz(x); }
template <typename T> HEDDLE_FN T __ldg(const T *p) { return *p; }

HEDDLE_FN long long clock64() { return (long long)__nvvm_read_ptx_sreg_clock64(); }
HEDDLE_FN int clock() { return __nvvm_read_ptx_sreg_clock(); }

#endif
