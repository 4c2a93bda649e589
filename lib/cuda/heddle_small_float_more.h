// The rest of what cuda_fp16.h and cuda_bf16.h have in common: saturation, comparisons of pairs, conversions in all rounding modes.
#ifndef HEDDLE_CUDA_SMALL_FLOAT_MORE_H
#define HEDDLE_CUDA_SMALL_FLOAT_MORE_H

#include "heddle_small_float.h"

HEDDLE_HD float heddle_small_sat(float x) { return x > 0 ? x < 1 ? x : 1.0f : 0.0f; }

// As HEDDLE_SMALL_FLOAT. name: how conversions call the type. from_mode: a conversion from double in a rounding mode.
#define HEDDLE_SMALL_MORE(__H, pair, name, to, from, from_double, from_mode)                                                                                  \
	HEDDLE_HD __H __hadd_sat(__H __a, __H __b) { return from(heddle_small_sat(to(__hadd(__a, __b)))); }                                                   \
	HEDDLE_HD pair __hadd2_rn(pair __a, pair __b) { return heddle_pair(__hadd_rn(__a.x, __b.x), __hadd_rn(__a.y, __b.y)); }                               \
	HEDDLE_HD pair __hadd2_sat(pair __a, pair __b) { return heddle_pair(__hadd_sat(__a.x, __b.x), __hadd_sat(__a.y, __b.y)); }                            \
	HEDDLE_HD __H __hsub_sat(__H __a, __H __b) { return from(heddle_small_sat(to(__hsub(__a, __b)))); }                                                   \
	HEDDLE_HD pair __hsub2_rn(pair __a, pair __b) { return heddle_pair(__hsub_rn(__a.x, __b.x), __hsub_rn(__a.y, __b.y)); }                               \
	HEDDLE_HD pair __hsub2_sat(pair __a, pair __b) { return heddle_pair(__hsub_sat(__a.x, __b.x), __hsub_sat(__a.y, __b.y)); }                            \
	HEDDLE_HD __H __hmul_sat(__H __a, __H __b) { return from(heddle_small_sat(to(__hmul(__a, __b)))); }                                                   \
	HEDDLE_HD pair __hmul2_rn(pair __a, pair __b) { return heddle_pair(__hmul_rn(__a.x, __b.x), __hmul_rn(__a.y, __b.y)); }                               \
	HEDDLE_HD pair __hmul2_sat(pair __a, pair __b) { return heddle_pair(__hmul_sat(__a.x, __b.x), __hmul_sat(__a.y, __b.y)); }                            \
	HEDDLE_HD __H __hfma_sat(__H __a, __H __b, __H __c) { return from(heddle_small_sat(to(__hfma(__a, __b, __c)))); }                                     \
	HEDDLE_HD __H __hfma_relu(__H __a, __H __b, __H __c)                                                                                                  \
	{                                                                                                                                                     \
		__H __r = __hfma(__a, __b, __c);                                                                                                              \
		return to(__r) <= 0 ? from(0) : __r;                                                                                                          \
	}                                                                                                                                                     \
	HEDDLE_HD pair __hfma2_sat(pair __a, pair __b, pair __c) { return heddle_pair(__hfma_sat(__a.x, __b.x, __c.x), __hfma_sat(__a.y, __b.y, __c.y)); }    \
	HEDDLE_HD pair __hfma2_relu(pair __a, pair __b, pair __c) { return heddle_pair(__hfma_relu(__a.x, __b.x, __c.x), __hfma_relu(__a.y, __b.y, __c.y)); } \
	HEDDLE_HD pair __hcmadd(pair __a, pair __b, pair __c)                                                                                                 \
	{                                                                                                                                                     \
		return heddle_pair(__hfma(__hneg(__a.y), __b.y, __hfma(__a.x, __b.x, __c.x)), __hfma(__a.y, __b.x, __hfma(__a.x, __b.y, __c.y)));             \
	}                                                                                                                                                     \
	HEDDLE_HD __H __hmin_nan(__H __a, __H __b) { return __hisnan(__a) || __hisnan(__b) ? heddle_from_bits<__H>(0x7fff) : __hmin(__a, __b); }              \
	HEDDLE_HD pair __hmin2_nan(pair __a, pair __b) { return heddle_pair(__hmin_nan(__a.x, __b.x), __hmin_nan(__a.y, __b.y)); }                            \
	HEDDLE_HD __H __hmax_nan(__H __a, __H __b) { return __hisnan(__a) || __hisnan(__b) ? heddle_from_bits<__H>(0x7fff) : __hmax(__a, __b); }              \
	HEDDLE_HD pair __hmax2_nan(pair __a, pair __b) { return heddle_pair(__hmax_nan(__a.x, __b.x), __hmax_nan(__a.y, __b.y)); }                            \
	HEDDLE_HD bool __hequ(__H __a, __H __b) { return !__hne(__a, __b); }                                                                                  \
	HEDDLE_HD bool __hneu(__H __a, __H __b) { return !__heq(__a, __b); }                                                                                  \
	HEDDLE_HD bool __hltu(__H __a, __H __b) { return !__hge(__a, __b); }                                                                                  \
	HEDDLE_HD bool __hleu(__H __a, __H __b) { return !__hgt(__a, __b); }                                                                                  \
	HEDDLE_HD bool __hgtu(__H __a, __H __b) { return !__hle(__a, __b); }                                                                                  \
	HEDDLE_HD bool __hgeu(__H __a, __H __b) { return !__hlt(__a, __b); }                                                                                  \
	HEDDLE_HD pair __heq2(pair __a, pair __b) { return heddle_pair(from(__heq(__a.x, __b.x)), from(__heq(__a.y, __b.y))); }                               \
	HEDDLE_HD bool __hbeq2(pair __a, pair __b) { return __heq(__a.x, __b.x) && __heq(__a.y, __b.y); }                                                     \
	HEDDLE_HD unsigned __heq2_mask(pair __a, pair __b) { return (__heq(__a.x, __b.x) ? 0xffffu : 0) | (__heq(__a.y, __b.y) ? 0xffff0000u : 0); }          \
	HEDDLE_HD pair __hne2(pair __a, pair __b) { return heddle_pair(from(__hne(__a.x, __b.x)), from(__hne(__a.y, __b.y))); }                               \
	HEDDLE_HD bool __hbne2(pair __a, pair __b) { return __hne(__a.x, __b.x) && __hne(__a.y, __b.y); }                                                     \
	HEDDLE_HD unsigned __hne2_mask(pair __a, pair __b) { return (__hne(__a.x, __b.x) ? 0xffffu : 0) | (__hne(__a.y, __b.y) ? 0xffff0000u : 0); }          \
	HEDDLE_HD pair __hlt2(pair __a, pair __b) { return heddle_pair(from(__hlt(__a.x, __b.x)), from(__hlt(__a.y, __b.y))); }                               \
	HEDDLE_HD bool __hblt2(pair __a, pair __b) { return __hlt(__a.x, __b.x) && __hlt(__a.y, __b.y); }                                                     \
	HEDDLE_HD unsigned __hlt2_mask(pair __a, pair __b) { return (__hlt(__a.x, __b.x) ? 0xffffu : 0) | (__hlt(__a.y, __b.y) ? 0xffff0000u : 0); }          \
	HEDDLE_HD pair __hle2(pair __a, pair __b) { return heddle_pair(from(__hle(__a.x, __b.x)), from(__hle(__a.y, __b.y))); }                               \
	HEDDLE_HD bool __hble2(pair __a, pair __b) { return __hle(__a.x, __b.x) && __hle(__a.y, __b.y); }                                                     \
	HEDDLE_HD unsigned __hle2_mask(pair __a, pair __b) { return (__hle(__a.x, __b.x) ? 0xffffu : 0) | (__hle(__a.y, __b.y) ? 0xffff0000u : 0); }          \
	HEDDLE_HD pair __hgt2(pair __a, pair __b) { return heddle_pair(from(__hgt(__a.x, __b.x)), from(__hgt(__a.y, __b.y))); }                               \
	HEDDLE_HD bool __hbgt2(pair __a, pair __b) { return __hgt(__a.x, __b.x) && __hgt(__a.y, __b.y); }                                                     \
	HEDDLE_HD unsigned __hgt2_mask(pair __a, pair __b) { return (__hgt(__a.x, __b.x) ? 0xffffu : 0) | (__hgt(__a.y, __b.y) ? 0xffff0000u : 0); }          \
	HEDDLE_HD pair __hge2(pair __a, pair __b) { return heddle_pair(from(__hge(__a.x, __b.x)), from(__hge(__a.y, __b.y))); }                               \
	HEDDLE_HD bool __hbge2(pair __a, pair __b) { return __hge(__a.x, __b.x) && __hge(__a.y, __b.y); }                                                     \
	HEDDLE_HD unsigned __hge2_mask(pair __a, pair __b) { return (__hge(__a.x, __b.x) ? 0xffffu : 0) | (__hge(__a.y, __b.y) ? 0xffff0000u : 0); }          \
	HEDDLE_HD pair __hequ2(pair __a, pair __b) { return heddle_pair(from(__hequ(__a.x, __b.x)), from(__hequ(__a.y, __b.y))); }                            \
	HEDDLE_HD bool __hbequ2(pair __a, pair __b) { return __hequ(__a.x, __b.x) && __hequ(__a.y, __b.y); }                                                  \
	HEDDLE_HD unsigned __hequ2_mask(pair __a, pair __b) { return (__hequ(__a.x, __b.x) ? 0xffffu : 0) | (__hequ(__a.y, __b.y) ? 0xffff0000u : 0); }       \
	HEDDLE_HD pair __hneu2(pair __a, pair __b) { return heddle_pair(from(__hneu(__a.x, __b.x)), from(__hneu(__a.y, __b.y))); }                            \
	HEDDLE_HD bool __hbneu2(pair __a, pair __b) { return __hneu(__a.x, __b.x) && __hneu(__a.y, __b.y); }                                                  \
	HEDDLE_HD unsigned __hneu2_mask(pair __a, pair __b) { return (__hneu(__a.x, __b.x) ? 0xffffu : 0) | (__hneu(__a.y, __b.y) ? 0xffff0000u : 0); }       \
	HEDDLE_HD pair __hltu2(pair __a, pair __b) { return heddle_pair(from(__hltu(__a.x, __b.x)), from(__hltu(__a.y, __b.y))); }                            \
	HEDDLE_HD bool __hbltu2(pair __a, pair __b) { return __hltu(__a.x, __b.x) && __hltu(__a.y, __b.y); }                                                  \
	HEDDLE_HD unsigned __hltu2_mask(pair __a, pair __b) { return (__hltu(__a.x, __b.x) ? 0xffffu : 0) | (__hltu(__a.y, __b.y) ? 0xffff0000u : 0); }       \
	HEDDLE_HD pair __hleu2(pair __a, pair __b) { return heddle_pair(from(__hleu(__a.x, __b.x)), from(__hleu(__a.y, __b.y))); }                            \
	HEDDLE_HD bool __hbleu2(pair __a, pair __b) { return __hleu(__a.x, __b.x) && __hleu(__a.y, __b.y); }                                                  \
	HEDDLE_HD unsigned __hleu2_mask(pair __a, pair __b) { return (__hleu(__a.x, __b.x) ? 0xffffu : 0) | (__hleu(__a.y, __b.y) ? 0xffff0000u : 0); }       \
	HEDDLE_HD pair __hgtu2(pair __a, pair __b) { return heddle_pair(from(__hgtu(__a.x, __b.x)), from(__hgtu(__a.y, __b.y))); }                            \
	HEDDLE_HD bool __hbgtu2(pair __a, pair __b) { return __hgtu(__a.x, __b.x) && __hgtu(__a.y, __b.y); }                                                  \
	HEDDLE_HD unsigned __hgtu2_mask(pair __a, pair __b) { return (__hgtu(__a.x, __b.x) ? 0xffffu : 0) | (__hgtu(__a.y, __b.y) ? 0xffff0000u : 0); }       \
	HEDDLE_HD pair __hgeu2(pair __a, pair __b) { return heddle_pair(from(__hgeu(__a.x, __b.x)), from(__hgeu(__a.y, __b.y))); }                            \
	HEDDLE_HD bool __hbgeu2(pair __a, pair __b) { return __hgeu(__a.x, __b.x) && __hgeu(__a.y, __b.y); }                                                  \
	HEDDLE_HD unsigned __hgeu2_mask(pair __a, pair __b) { return (__hgeu(__a.x, __b.x) ? 0xffffu : 0) | (__hgeu(__a.y, __b.y) ? 0xffff0000u : 0); }       \
	HEDDLE_HD pair __hisnan2(pair __a) { return heddle_pair(from(__hisnan(__a.x)), from(__hisnan(__a.y))); }                                              \
	HEDDLE_HD bool operator==(pair __a, pair __b) { return __hbeq2(__a, __b); }                                                                           \
	HEDDLE_HD bool operator!=(pair __a, pair __b) { return __hbne2(__a, __b); }                                                                           \
	HEDDLE_HD bool operator<(pair __a, pair __b) { return __hblt2(__a, __b); }                                                                            \
	HEDDLE_HD bool operator<=(pair __a, pair __b) { return __hble2(__a, __b); }                                                                           \
	HEDDLE_HD bool operator>(pair __a, pair __b) { return __hbgt2(__a, __b); }                                                                            \
	HEDDLE_HD bool operator>=(pair __a, pair __b) { return __hbge2(__a, __b); }                                                                           \
	HEDDLE_HD pair &operator-=(pair &__a, pair __b) { return __a = __a - __b; }                                                                           \
	HEDDLE_HD pair &operator/=(pair &__a, pair __b) { return __a = __a / __b; }                                                                           \
	HEDDLE_HD pair operator-(pair __a) { return __hneg2(__a); }                                                                                           \
	HEDDLE_HD pair operator+(pair __a) { return __a; }                                                                                                    \
	static __device__ __forceinline__ __H hexp10(__H __a) { return from(exp10f(to(__a))); }                                                               \
	static __device__ __forceinline__ __H hlog10(__H __a) { return from(log10f(to(__a))); }                                                               \
	static __device__ __forceinline__ __H htanh(__H __a) { return from(tanhf(to(__a))); }                                                                 \
	static __device__ __forceinline__ __H htanh_approx(__H __a) { return from(tanhf(to(__a))); }                                                          \
	static __device__ __forceinline__ pair h2sqrt(pair __a) { return heddle_pair(hsqrt(__a.x), hsqrt(__a.y)); }                                           \
	static __device__ __forceinline__ pair h2rsqrt(pair __a) { return heddle_pair(hrsqrt(__a.x), hrsqrt(__a.y)); }                                        \
	static __device__ __forceinline__ pair h2rcp(pair __a) { return heddle_pair(hrcp(__a.x), hrcp(__a.y)); }                                              \
	static __device__ __forceinline__ pair h2exp(pair __a) { return heddle_pair(hexp(__a.x), hexp(__a.y)); }                                              \
	static __device__ __forceinline__ pair h2exp2(pair __a) { return heddle_pair(hexp2(__a.x), hexp2(__a.y)); }                                           \
	static __device__ __forceinline__ pair h2exp10(pair __a) { return heddle_pair(hexp10(__a.x), hexp10(__a.y)); }                                        \
	static __device__ __forceinline__ pair h2log(pair __a) { return heddle_pair(hlog(__a.x), hlog(__a.y)); }                                              \
	static __device__ __forceinline__ pair h2log2(pair __a) { return heddle_pair(hlog2(__a.x), hlog2(__a.y)); }                                           \
	static __device__ __forceinline__ pair h2log10(pair __a) { return heddle_pair(hlog10(__a.x), hlog10(__a.y)); }                                        \
	static __device__ __forceinline__ pair h2sin(pair __a) { return heddle_pair(hsin(__a.x), hsin(__a.y)); }                                              \
	static __device__ __forceinline__ pair h2cos(pair __a) { return heddle_pair(hcos(__a.x), hcos(__a.y)); }                                              \
	static __device__ __forceinline__ pair h2tanh(pair __a) { return heddle_pair(htanh(__a.x), htanh(__a.y)); }                                           \
	static __device__ __forceinline__ pair h2tanh_approx(pair __a) { return heddle_pair(htanh_approx(__a.x), htanh_approx(__a.y)); }                      \
	static __device__ __forceinline__ pair h2floor(pair __a) { return heddle_pair(hfloor(__a.x), hfloor(__a.y)); }                                        \
	static __device__ __forceinline__ pair h2ceil(pair __a) { return heddle_pair(hceil(__a.x), hceil(__a.y)); }                                           \
	static __device__ __forceinline__ pair h2trunc(pair __a) { return heddle_pair(htrunc(__a.x), htrunc(__a.y)); }                                        \
	static __device__ __forceinline__ pair h2rint(pair __a) { return heddle_pair(hrint(__a.x), hrint(__a.y)); }                                           \
	HEDDLE_HD __H __float2##name##_rz(float x) { return from_mode(x, heddle_rz); }                                                                        \
	HEDDLE_HD __H __float2##name##_rd(float x) { return from_mode(x, heddle_rd); }                                                                        \
	HEDDLE_HD __H __float2##name##_ru(float x) { return from_mode(x, heddle_ru); }                                                                        \
	HEDDLE_HD short __##name##2short_rn(__H __a) { return heddle_to_integer<short>(to(__a), heddle_rn); }                                                 \
	HEDDLE_HD __H __short2##name##_rn(short x) { return from_mode(heddle_odd_double((long long)x), heddle_rn); }                                          \
	HEDDLE_HD short __##name##2short_rz(__H __a) { return heddle_to_integer<short>(to(__a), heddle_rz); }                                                 \
	HEDDLE_HD __H __short2##name##_rz(short x) { return from_mode(heddle_odd_double((long long)x), heddle_rz); }                                          \
	HEDDLE_HD short __##name##2short_rd(__H __a) { return heddle_to_integer<short>(to(__a), heddle_rd); }                                                 \
	HEDDLE_HD __H __short2##name##_rd(short x) { return from_mode(heddle_odd_double((long long)x), heddle_rd); }                                          \
	HEDDLE_HD short __##name##2short_ru(__H __a) { return heddle_to_integer<short>(to(__a), heddle_ru); }                                                 \
	HEDDLE_HD __H __short2##name##_ru(short x) { return from_mode(heddle_odd_double((long long)x), heddle_ru); }                                          \
	HEDDLE_HD unsigned short __##name##2ushort_rn(__H __a) { return heddle_to_integer<unsigned short>(to(__a), heddle_rn); }                              \
	HEDDLE_HD __H __ushort2##name##_rn(unsigned short x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rn); }                       \
	HEDDLE_HD unsigned short __##name##2ushort_rz(__H __a) { return heddle_to_integer<unsigned short>(to(__a), heddle_rz); }                              \
	HEDDLE_HD __H __ushort2##name##_rz(unsigned short x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rz); }                       \
	HEDDLE_HD unsigned short __##name##2ushort_rd(__H __a) { return heddle_to_integer<unsigned short>(to(__a), heddle_rd); }                              \
	HEDDLE_HD __H __ushort2##name##_rd(unsigned short x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rd); }                       \
	HEDDLE_HD unsigned short __##name##2ushort_ru(__H __a) { return heddle_to_integer<unsigned short>(to(__a), heddle_ru); }                              \
	HEDDLE_HD __H __ushort2##name##_ru(unsigned short x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_ru); }                       \
	HEDDLE_HD int __##name##2int_rn(__H __a) { return heddle_to_integer<int>(to(__a), heddle_rn); }                                                       \
	HEDDLE_HD __H __int2##name##_rn(int x) { return from_mode(heddle_odd_double((long long)x), heddle_rn); }                                              \
	HEDDLE_HD int __##name##2int_rz(__H __a) { return heddle_to_integer<int>(to(__a), heddle_rz); }                                                       \
	HEDDLE_HD __H __int2##name##_rz(int x) { return from_mode(heddle_odd_double((long long)x), heddle_rz); }                                              \
	HEDDLE_HD int __##name##2int_rd(__H __a) { return heddle_to_integer<int>(to(__a), heddle_rd); }                                                       \
	HEDDLE_HD __H __int2##name##_rd(int x) { return from_mode(heddle_odd_double((long long)x), heddle_rd); }                                              \
	HEDDLE_HD int __##name##2int_ru(__H __a) { return heddle_to_integer<int>(to(__a), heddle_ru); }                                                       \
	HEDDLE_HD __H __int2##name##_ru(int x) { return from_mode(heddle_odd_double((long long)x), heddle_ru); }                                              \
	HEDDLE_HD unsigned __##name##2uint_rn(__H __a) { return heddle_to_integer<unsigned>(to(__a), heddle_rn); }                                            \
	HEDDLE_HD __H __uint2##name##_rn(unsigned x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rn); }                               \
	HEDDLE_HD unsigned __##name##2uint_rz(__H __a) { return heddle_to_integer<unsigned>(to(__a), heddle_rz); }                                            \
	HEDDLE_HD __H __uint2##name##_rz(unsigned x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rz); }                               \
	HEDDLE_HD unsigned __##name##2uint_rd(__H __a) { return heddle_to_integer<unsigned>(to(__a), heddle_rd); }                                            \
	HEDDLE_HD __H __uint2##name##_rd(unsigned x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rd); }                               \
	HEDDLE_HD unsigned __##name##2uint_ru(__H __a) { return heddle_to_integer<unsigned>(to(__a), heddle_ru); }                                            \
	HEDDLE_HD __H __uint2##name##_ru(unsigned x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_ru); }                               \
	HEDDLE_HD long long __##name##2ll_rn(__H __a) { return heddle_to_integer<long long>(to(__a), heddle_rn); }                                            \
	HEDDLE_HD __H __ll2##name##_rn(long long x) { return from_mode(heddle_odd_double((long long)x), heddle_rn); }                                         \
	HEDDLE_HD long long __##name##2ll_rz(__H __a) { return heddle_to_integer<long long>(to(__a), heddle_rz); }                                            \
	HEDDLE_HD __H __ll2##name##_rz(long long x) { return from_mode(heddle_odd_double((long long)x), heddle_rz); }                                         \
	HEDDLE_HD long long __##name##2ll_rd(__H __a) { return heddle_to_integer<long long>(to(__a), heddle_rd); }                                            \
	HEDDLE_HD __H __ll2##name##_rd(long long x) { return from_mode(heddle_odd_double((long long)x), heddle_rd); }                                         \
	HEDDLE_HD long long __##name##2ll_ru(__H __a) { return heddle_to_integer<long long>(to(__a), heddle_ru); }                                            \
	HEDDLE_HD __H __ll2##name##_ru(long long x) { return from_mode(heddle_odd_double((long long)x), heddle_ru); }                                         \
	HEDDLE_HD unsigned long long __##name##2ull_rn(__H __a) { return heddle_to_integer<unsigned long long>(to(__a), heddle_rn); }                         \
	HEDDLE_HD __H __ull2##name##_rn(unsigned long long x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rn); }                      \
	HEDDLE_HD unsigned long long __##name##2ull_rz(__H __a) { return heddle_to_integer<unsigned long long>(to(__a), heddle_rz); }                         \
	HEDDLE_HD __H __ull2##name##_rz(unsigned long long x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rz); }                      \
	HEDDLE_HD unsigned long long __##name##2ull_rd(__H __a) { return heddle_to_integer<unsigned long long>(to(__a), heddle_rd); }                         \
	HEDDLE_HD __H __ull2##name##_rd(unsigned long long x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rd); }                      \
	HEDDLE_HD unsigned long long __##name##2ull_ru(__H __a) { return heddle_to_integer<unsigned long long>(to(__a), heddle_ru); }                         \
	HEDDLE_HD __H __ull2##name##_ru(unsigned long long x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_ru); }                      \
	HEDDLE_HD signed char __##name##2char_rz(__H __a) { return heddle_to_integer<signed char>(to(__a), heddle_rz); }                                      \
	HEDDLE_HD unsigned char __##name##2uchar_rz(__H __a) { return heddle_to_integer<unsigned char>(to(__a), heddle_rz); }

#endif
