// bfloat16 for both sides.
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "heddle_small_float_more.h"

struct __nv_bfloat16_raw {
	unsigned short x;
};

struct __nv_bfloat16;
HEDDLE_HD float __bfloat162float(__nv_bfloat16 __h);
HEDDLE_HD __nv_bfloat16 __float2bfloat16_rn(float x);
HEDDLE_HD __nv_bfloat16 __double2bfloat16(double x);

struct __attribute__((aligned(2))) __nv_bfloat16 {
	unsigned short __x;
	__nv_bfloat16() = default;
	__host__ __device__ constexpr __nv_bfloat16(__nv_bfloat16_raw __r) : __x(__r.x) {}
	__host__ __device__ __forceinline__ __nv_bfloat16(float x);
	__host__ __device__ __forceinline__ __nv_bfloat16(double x);
	__host__ __device__ __forceinline__ __nv_bfloat16(int x);
	__host__ __device__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
	__host__ __device__ __forceinline__ operator float() const { return __bfloat162float(*this); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
	__nv_bfloat16 x, y;
	__nv_bfloat162() = default;
	__host__ __device__ __forceinline__ __nv_bfloat162(__nv_bfloat16 __a, __nv_bfloat16 __b) : x(__a), y(__b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

HEDDLE_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short __bits) { return __nv_bfloat16(__nv_bfloat16_raw{__bits}); }
HEDDLE_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 __h) { return __h.__x; }
HEDDLE_HD float __bfloat162float(__nv_bfloat16 __h) { return __builtin_bit_cast(float, (unsigned)__h.__x << 16); }
HEDDLE_HD __nv_bfloat16 __float2bfloat16_rn(float x)
{
	unsigned __bits = __builtin_bit_cast(unsigned, x);
	if (x != x)
		return __ushort_as_bfloat16(0x7fff);
	return __ushort_as_bfloat16((unsigned short)((__bits + 0x7fff + (__bits >> 16 & 1)) >> 16));
}
HEDDLE_HD __nv_bfloat16 __double2bfloat16(double x) { return __ushort_as_bfloat16(heddle_round_small(x, 7, -126, 127)); }
HEDDLE_HD __nv_bfloat16 __float2bfloat16(float x) { return __float2bfloat16_rn(x); }
__host__ __device__ __nv_bfloat16::__nv_bfloat16(float __v) : __nv_bfloat16(__float2bfloat16_rn(__v)) {}
__host__ __device__ __nv_bfloat16::__nv_bfloat16(double __v) : __nv_bfloat16(__double2bfloat16(__v)) {}
__host__ __device__ __nv_bfloat16::__nv_bfloat16(int __v) : __nv_bfloat16(__double2bfloat16((double)__v)) {}

HEDDLE_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat162, __bfloat162float, __float2bfloat16_rn, __double2bfloat16)
HEDDLE_HD __nv_bfloat16 heddle_bfloat16_of(double x, heddle_rounding __mode)
{
	return __ushort_as_bfloat16(heddle_round_small(x, 7, -126, 127, __mode));
}
HEDDLE_SMALL_MORE(__nv_bfloat16, __nv_bfloat162, bfloat16, __bfloat162float, __float2bfloat16_rn, __double2bfloat16, heddle_bfloat16_of)

HEDDLE_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 __a, __nv_bfloat16 __b) { return __nv_bfloat162(__a, __b); }
HEDDLE_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 __a, __nv_bfloat16 __b) { return __nv_bfloat162(__a, __b); }
HEDDLE_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 __a) { return __nv_bfloat162(__a, __a); }
HEDDLE_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 __a) { return __a.x; }
HEDDLE_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 __a) { return __a.y; }
HEDDLE_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 __a) { return __nv_bfloat162(__a.x, __a.x); }
HEDDLE_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 __a) { return __nv_bfloat162(__a.y, __a.y); }
HEDDLE_HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 __a, __nv_bfloat162 __b) { return __nv_bfloat162(__a.x, __b.x); }
HEDDLE_HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 __a, __nv_bfloat162 __b) { return __nv_bfloat162(__a.y, __b.y); }
HEDDLE_HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 __a) { return __nv_bfloat162(__a.y, __a.x); }
HEDDLE_HD float __low2float(__nv_bfloat162 __a) { return __bfloat162float(__a.x); }
HEDDLE_HD float __high2float(__nv_bfloat162 __a) { return __bfloat162float(__a.y); }
HEDDLE_HD __nv_bfloat162 __float2bfloat162_rn(float x) { return __nv_bfloat162(__float2bfloat16_rn(x), __float2bfloat16_rn(x)); }
HEDDLE_HD __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return __nv_bfloat162(__float2bfloat16_rn(x), __float2bfloat16_rn(y)); }
HEDDLE_HD float2 __bfloat1622float2(__nv_bfloat162 __a) { return make_float2(__bfloat162float(__a.x), __bfloat162float(__a.y)); }

#endif
