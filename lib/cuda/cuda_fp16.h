// Half precision for both sides.
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "heddle_small_float_more.h"

struct __half_raw {
	unsigned short x;
};
struct __half2_raw {
	unsigned short x, y;
};

struct __half;
HEDDLE_HD float __half2float(__half __h);
HEDDLE_HD __half __float2half_rn(float x);
HEDDLE_HD __half __double2half(double x);

struct __attribute__((aligned(2))) __half {
	unsigned short __x;
	__half() = default;
	__host__ __device__ constexpr __half(__half_raw __r) : __x(__r.x) {}
	__host__ __device__ __forceinline__ __half(float x);
	__host__ __device__ __forceinline__ __half(double x);
	__host__ __device__ __forceinline__ __half(int x);
	__host__ __device__ __forceinline__ __half(unsigned x);
	__host__ __device__ __forceinline__ __half(short x) : __half((int)x) {}
	__host__ __device__ __forceinline__ __half(unsigned short x) : __half((int)x) {}
	__host__ __device__ __forceinline__ __half(long x) : __half((double)x) {}
	__host__ __device__ __forceinline__ __half(long long x) : __half((double)x) {}
	__host__ __device__ __forceinline__ __half(unsigned long x) : __half((double)x) {}
	__host__ __device__ __forceinline__ __half(unsigned long long x) : __half((double)x) {}
	__host__ __device__ operator __half_raw() const { return __half_raw{__x}; }
	__host__ __device__ __forceinline__ operator float() const { return __half2float(*this); }
};
struct __attribute__((aligned(4))) __half2 {
	__half x, y;
	__half2() = default;
	__host__ __device__ __forceinline__ __half2(__half __a, __half __b) : x(__a), y(__b) {}
};
typedef __half half, __nv_half;
typedef __half2 half2, __nv_half2;

HEDDLE_HD __half __ushort_as_half(unsigned short __bits) { return __half(__half_raw{__bits}); }
HEDDLE_HD __half __short_as_half(short __bits) { return __half(__half_raw{(unsigned short)__bits}); }
HEDDLE_HD unsigned short __half_as_ushort(__half __h) { return __h.__x; }
HEDDLE_HD short __half_as_short(__half __h) { return (short)__h.__x; }

HEDDLE_HD float __half2float(__half __h)
{
#ifdef __CUDA_ARCH__
	float x;
	asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(__h.__x));
	return x;
#else
	unsigned __sign = (__h.__x & 0x8000u) << 16, __exponent = __h.__x >> 10 & 31, __fraction = __h.__x & 1023;
	if (__exponent)
		return __builtin_bit_cast(float, __sign | (__exponent == 31 ? 255 : __exponent + 112) << 23 | __fraction << 13);
	float __magnitude = (float)__fraction / 16777216.0f;
	return __sign ? -__magnitude : __magnitude;
#endif
}
HEDDLE_HD __half __float2half_rn(float x)
{
#ifdef __CUDA_ARCH__
	unsigned short __bits;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(__bits) : "f"(x));
	return __ushort_as_half(__bits);
#else
	return __ushort_as_half(heddle_round_small(x, 10, -14, 15));
#endif
}
HEDDLE_HD __half __double2half(double x)
{
#ifdef __CUDA_ARCH__
	unsigned short __bits;
	asm("cvt.rn.f16.f64 %0, %1;" : "=h"(__bits) : "d"(x));
	return __ushort_as_half(__bits);
#else
	return __ushort_as_half(heddle_round_small(x, 10, -14, 15));
#endif
}
HEDDLE_HD __half __float2half(float x) { return __float2half_rn(x); }
__host__ __device__ __half::__half(float __v) : __half(__float2half_rn(__v)) {}
__host__ __device__ __half::__half(double __v) : __half(__double2half(__v)) {}
__host__ __device__ __half::__half(int __v) : __half(__double2half((double)__v)) {}
__host__ __device__ __half::__half(unsigned __v) : __half(__double2half((double)__v)) {}

HEDDLE_SMALL_FLOAT(__half, __half2, __half2float, __float2half_rn, __double2half)
HEDDLE_HD __half heddle_half_of(double x, heddle_rounding __mode) { return __ushort_as_half(heddle_round_small(x, 10, -14, 15, __mode)); }
HEDDLE_SMALL_MORE(__half, __half2, half, __half2float, __float2half_rn, __double2half, heddle_half_of)

HEDDLE_HD __half2 __halves2half2(__half __a, __half __b) { return __half2(__a, __b); }
HEDDLE_HD __half2 make_half2(__half __a, __half __b) { return __half2(__a, __b); }
HEDDLE_HD __half2 __half2half2(__half __a) { return __half2(__a, __a); }
HEDDLE_HD __half __low2half(__half2 __a) { return __a.x; }
HEDDLE_HD __half __high2half(__half2 __a) { return __a.y; }
HEDDLE_HD float __low2float(__half2 __a) { return __half2float(__a.x); }
HEDDLE_HD float __high2float(__half2 __a) { return __half2float(__a.y); }
HEDDLE_HD __half2 __low2half2(__half2 __a) { return __half2(__a.x, __a.x); }
HEDDLE_HD __half2 __high2half2(__half2 __a) { return __half2(__a.y, __a.y); }
HEDDLE_HD __half2 __lowhigh2highlow(__half2 __a) { return __half2(__a.y, __a.x); }
HEDDLE_HD __half2 __lows2half2(__half2 __a, __half2 __b) { return __half2(__a.x, __b.x); }
HEDDLE_HD __half2 __highs2half2(__half2 __a, __half2 __b) { return __half2(__a.y, __b.y); }
HEDDLE_HD __half2 __float2half2_rn(float x) { return __half2(__float2half_rn(x), __float2half_rn(x)); }
HEDDLE_HD __half2 __floats2half2_rn(float x, float y) { return __half2(__float2half_rn(x), __float2half_rn(y)); }
HEDDLE_HD __half2 __float22half2_rn(float2 __v) { return __floats2half2_rn(__v.x, __v.y); }
HEDDLE_HD float2 __half22float2(__half2 __a) { return make_float2(__half2float(__a.x), __half2float(__a.y)); }

#endif
