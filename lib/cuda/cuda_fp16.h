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
HEDDLE_HD float __half2float(__half h);
HEDDLE_HD __half __float2half_rn(float x);
HEDDLE_HD __half __double2half(double x);

struct __attribute__((aligned(2))) __half {
	unsigned short __x;
	__half() = default;
	__host__ __device__ constexpr __half(__half_raw r) : __x(r.x) {}
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
	__host__ __device__ __forceinline__ __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half half, __nv_half;
typedef __half2 half2, __nv_half2;

HEDDLE_HD __half __ushort_as_half(unsigned short bits) { return __half(__half_raw{bits}); }
HEDDLE_HD __half __short_as_half(short bits) { return __half(__half_raw{(unsigned short)bits}); }
HEDDLE_HD unsigned short __half_as_ushort(__half h) { return h.__x; }
HEDDLE_HD short __half_as_short(__half h) { return (short)h.__x; }

HEDDLE_HD float __half2float(__half h)
{
#ifdef __CUDA_ARCH__
	float x;
	asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h.__x));
	return x;
#else
	unsigned sign = (h.__x & 0x8000u) << 16, exponent = h.__x >> 10 & 31, fraction = h.__x & 1023;
	if (exponent)
		return __builtin_bit_cast(float, sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13);
	float magnitude = (float)fraction / 16777216.0f;
	return sign ? -magnitude : magnitude;
#endif
}
HEDDLE_HD __half __float2half_rn(float x)
{
#ifdef __CUDA_ARCH__
	unsigned short bits;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
	return __ushort_as_half(bits);
#else
	return __ushort_as_half(heddle_round_small(x, 10, -14, 15));
#endif
}
HEDDLE_HD __half __double2half(double x)
{
#ifdef __CUDA_ARCH__
	unsigned short bits;
	asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x));
	return __ushort_as_half(bits);
#else
	return __ushort_as_half(heddle_round_small(x, 10, -14, 15));
#endif
}
HEDDLE_HD __half __float2half(float x) { return __float2half_rn(x); }
__host__ __device__ __half::__half(float v) : __half(__float2half_rn(v)) {}
__host__ __device__ __half::__half(double v) : __half(__double2half(v)) {}
__host__ __device__ __half::__half(int v) : __half(__double2half((double)v)) {}
__host__ __device__ __half::__half(unsigned v) : __half(__double2half((double)v)) {}

HEDDLE_SMALL_FLOAT(__half, __half2, __half2float, __float2half_rn, __double2half)
HEDDLE_HD __half heddle_half_of(double x, heddle_rounding mode) { return __ushort_as_half(heddle_round_small(x, 10, -14, 15, mode)); }
HEDDLE_SMALL_MORE(__half, __half2, half, __half2float, __float2half_rn, __double2half, heddle_half_of)

HEDDLE_HD __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
HEDDLE_HD __half2 make_half2(__half a, __half b) { return __half2(a, b); }
HEDDLE_HD __half2 __half2half2(__half a) { return __half2(a, a); }
HEDDLE_HD __half __low2half(__half2 a) { return a.x; }
HEDDLE_HD __half __high2half(__half2 a) { return a.y; }
HEDDLE_HD float __low2float(__half2 a) { return __half2float(a.x); }
HEDDLE_HD float __high2float(__half2 a) { return __half2float(a.y); }
HEDDLE_HD __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
HEDDLE_HD __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
HEDDLE_HD __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
HEDDLE_HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
HEDDLE_HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
HEDDLE_HD __half2 __float2half2_rn(float x) { return __half2(__float2half_rn(x), __float2half_rn(x)); }
HEDDLE_HD __half2 __floats2half2_rn(float x, float y) { return __half2(__float2half_rn(x), __float2half_rn(y)); }
HEDDLE_HD __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
HEDDLE_HD float2 __half22float2(__half2 a) { return make_float2(__half2float(a.x), __half2float(a.y)); }

#endif
