// bfloat16 for both sides.
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "heddle_small_float_more.h"

struct __nv_bfloat16_raw {
	unsigned short x;
};

struct __nv_bfloat16;
HEDDLE_HD float __bfloat162float(__nv_bfloat16 h);
HEDDLE_HD __nv_bfloat16 __float2bfloat16_rn(float x);
HEDDLE_HD __nv_bfloat16 __double2bfloat16(double x);

struct __attribute__((aligned(2))) __nv_bfloat16 {
	unsigned short __x;
	__nv_bfloat16() = default;
	__host__ __device__ constexpr __nv_bfloat16(__nv_bfloat16_raw r) : __x(r.x) {}
	__host__ __device__ __forceinline__ __nv_bfloat16(float x);
	__host__ __device__ __forceinline__ __nv_bfloat16(double x);
	__host__ __device__ __forceinline__ __nv_bfloat16(int x);
	__host__ __device__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
	__host__ __device__ __forceinline__ operator float() const { return __bfloat162float(*this); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
	__nv_bfloat16 x, y;
	__nv_bfloat162() = default;
	__host__ __device__ __forceinline__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

HEDDLE_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16(__nv_bfloat16_raw{bits}); }
HEDDLE_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
HEDDLE_HD float __bfloat162float(__nv_bfloat16 h) { return __builtin_bit_cast(float, (unsigned)h.__x << 16); }
HEDDLE_HD __nv_bfloat16 __float2bfloat16_rn(float x)
{
	unsigned bits = __builtin_bit_cast(unsigned, x);
	if (x != x)
		return __ushort_as_bfloat16(0x7fff);
	return __ushort_as_bfloat16((unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
}
HEDDLE_HD __nv_bfloat16 __double2bfloat16(double x) { return __ushort_as_bfloat16(heddle_round_small(x, 7, -126, 127)); }
HEDDLE_HD __nv_bfloat16 __float2bfloat16(float x) { return __float2bfloat16_rn(x); }
__host__ __device__ __nv_bfloat16::__nv_bfloat16(float v) : __nv_bfloat16(__float2bfloat16_rn(v)) {}
__host__ __device__ __nv_bfloat16::__nv_bfloat16(double v) : __nv_bfloat16(__double2bfloat16(v)) {}
__host__ __device__ __nv_bfloat16::__nv_bfloat16(int v) : __nv_bfloat16(__double2bfloat16((double)v)) {}

HEDDLE_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat162, __bfloat162float, __float2bfloat16_rn, __double2bfloat16)
HEDDLE_HD __nv_bfloat16 heddle_bfloat16_of(double x, heddle_rounding mode) { return __ushort_as_bfloat16(heddle_round_small(x, 7, -126, 127, mode)); }
HEDDLE_SMALL_MORE(__nv_bfloat16, __nv_bfloat162, bfloat16, __bfloat162float, __float2bfloat16_rn, __double2bfloat16, heddle_bfloat16_of)

HEDDLE_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
HEDDLE_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
HEDDLE_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
HEDDLE_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
HEDDLE_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
HEDDLE_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
HEDDLE_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
HEDDLE_HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
HEDDLE_HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
HEDDLE_HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }
HEDDLE_HD float __low2float(__nv_bfloat162 a) { return __bfloat162float(a.x); }
HEDDLE_HD float __high2float(__nv_bfloat162 a) { return __bfloat162float(a.y); }
HEDDLE_HD __nv_bfloat162 __float2bfloat162_rn(float x) { return __nv_bfloat162(__float2bfloat16_rn(x), __float2bfloat16_rn(x)); }
HEDDLE_HD __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return __nv_bfloat162(__float2bfloat16_rn(x), __float2bfloat16_rn(y)); }
HEDDLE_HD float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2(__bfloat162float(a.x), __bfloat162float(a.y)); }

#endif
