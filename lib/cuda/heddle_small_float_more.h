// The rest of what cuda_fp16.h and cuda_bf16.h have in common: saturation, comparisons of pairs, conversions in all rounding modes.
#ifndef HEDDLE_CUDA_SMALL_FLOAT_MORE_H
#define HEDDLE_CUDA_SMALL_FLOAT_MORE_H

#include "heddle_small_float.h"

HEDDLE_HD float heddle_small_sat(float x) { return x > 0 ? x < 1 ? x : 1.0f : 0.0f; }

// As HEDDLE_SMALL_FLOAT. name: how conversions call the type. from_mode: a conversion from double in a rounding mode.
#define HEDDLE_SMALL_MORE(H, pair, name, to, from, from_double, from_mode)                                            \
	HEDDLE_HD H __hadd_sat(H a, H b) { return from(heddle_small_sat(to(__hadd(a, b)))); }                         \
	HEDDLE_HD pair __hadd2_rn(pair a, pair b) { return heddle_pair(__hadd_rn(a.x, b.x), __hadd_rn(a.y, b.y)); }   \
	HEDDLE_HD pair __hadd2_sat(pair a, pair b) { return heddle_pair(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); } \
	HEDDLE_HD H __hsub_sat(H a, H b) { return from(heddle_small_sat(to(__hsub(a, b)))); }                         \
	HEDDLE_HD pair __hsub2_rn(pair a, pair b) { return heddle_pair(__hsub_rn(a.x, b.x), __hsub_rn(a.y, b.y)); }   \
	HEDDLE_HD pair __hsub2_sat(pair a, pair b) { return heddle_pair(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); } \
	HEDDLE_HD H __hmul_sat(H a, H b) { return from(heddle_small_sat(to(__hmul(a, b)))); }                         \
	HEDDLE_HD pair __hmul2_rn(pair a, pair b) { return heddle_pair(__hmul_rn(a.x, b.x), __hmul_rn(a.y, b.y)); }   \
	HEDDLE_HD pair __hmul2_sat(pair a, pair b) { return heddle_pair(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); } \
	HEDDLE_HD H __hfma_sat(H a, H b, H c) { return from(heddle_small_sat(to(__hfma(a, b, c)))); }                 \
	HEDDLE_HD H __hfma_relu(H a, H b, H c)                                                                        \
	{                                                                                                             \
		H r = __hfma(a, b, c);                                                                                \
		return to(r) <= 0 ? from(0) : r;                                                                      \
	}                                                                                                             \
	HEDDLE_HD pair __hfma2_sat(pair a, pair b, pair c) { return heddle_pair(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); } \
	HEDDLE_HD pair __hfma2_relu(pair a, pair b, pair c) { return heddle_pair(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); } \
	HEDDLE_HD pair __hcmadd(pair a, pair b, pair c)                                                               \
	{                                                                                                             \
		return heddle_pair(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))); \
	}                                                                                                             \
	HEDDLE_HD H __hmin_nan(H a, H b) { return __hisnan(a) || __hisnan(b) ? heddle_from_bits<H>(0x7fff) : __hmin(a, b); } \
	HEDDLE_HD pair __hmin2_nan(pair a, pair b) { return heddle_pair(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); } \
	HEDDLE_HD H __hmax_nan(H a, H b) { return __hisnan(a) || __hisnan(b) ? heddle_from_bits<H>(0x7fff) : __hmax(a, b); } \
	HEDDLE_HD pair __hmax2_nan(pair a, pair b) { return heddle_pair(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); } \
	HEDDLE_HD bool __hequ(H a, H b) { return !__hne(a, b); }                                                      \
	HEDDLE_HD bool __hneu(H a, H b) { return !__heq(a, b); }                                                      \
	HEDDLE_HD bool __hltu(H a, H b) { return !__hge(a, b); }                                                      \
	HEDDLE_HD bool __hleu(H a, H b) { return !__hgt(a, b); }                                                      \
	HEDDLE_HD bool __hgtu(H a, H b) { return !__hle(a, b); }                                                      \
	HEDDLE_HD bool __hgeu(H a, H b) { return !__hlt(a, b); }                                                      \
	HEDDLE_HD pair __heq2(pair a, pair b) { return heddle_pair(from(__heq(a.x, b.x)), from(__heq(a.y, b.y))); }   \
	HEDDLE_HD bool __hbeq2(pair a, pair b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }                         \
	HEDDLE_HD unsigned __heq2_mask(pair a, pair b) { return (__heq(a.x, b.x) ? 0xffffu : 0) | (__heq(a.y, b.y) ? 0xffff0000u : 0); } \
	HEDDLE_HD pair __hne2(pair a, pair b) { return heddle_pair(from(__hne(a.x, b.x)), from(__hne(a.y, b.y))); }   \
	HEDDLE_HD bool __hbne2(pair a, pair b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }                         \
	HEDDLE_HD unsigned __hne2_mask(pair a, pair b) { return (__hne(a.x, b.x) ? 0xffffu : 0) | (__hne(a.y, b.y) ? 0xffff0000u : 0); } \
	HEDDLE_HD pair __hlt2(pair a, pair b) { return heddle_pair(from(__hlt(a.x, b.x)), from(__hlt(a.y, b.y))); }   \
	HEDDLE_HD bool __hblt2(pair a, pair b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }                         \
	HEDDLE_HD unsigned __hlt2_mask(pair a, pair b) { return (__hlt(a.x, b.x) ? 0xffffu : 0) | (__hlt(a.y, b.y) ? 0xffff0000u : 0); } \
	HEDDLE_HD pair __hle2(pair a, pair b) { return heddle_pair(from(__hle(a.x, b.x)), from(__hle(a.y, b.y))); }   \
	HEDDLE_HD bool __hble2(pair a, pair b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }                         \
	HEDDLE_HD unsigned __hle2_mask(pair a, pair b) { return (__hle(a.x, b.x) ? 0xffffu : 0) | (__hle(a.y, b.y) ? 0xffff0000u : 0); } \
	HEDDLE_HD pair __hgt2(pair a, pair b) { return heddle_pair(from(__hgt(a.x, b.x)), from(__hgt(a.y, b.y))); }   \
	HEDDLE_HD bool __hbgt2(pair a, pair b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }                         \
	HEDDLE_HD unsigned __hgt2_mask(pair a, pair b) { return (__hgt(a.x, b.x) ? 0xffffu : 0) | (__hgt(a.y, b.y) ? 0xffff0000u : 0); } \
	HEDDLE_HD pair __hge2(pair a, pair b) { return heddle_pair(from(__hge(a.x, b.x)), from(__hge(a.y, b.y))); }   \
	HEDDLE_HD bool __hbge2(pair a, pair b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }                         \
	HEDDLE_HD unsigned __hge2_mask(pair a, pair b) { return (__hge(a.x, b.x) ? 0xffffu : 0) | (__hge(a.y, b.y) ? 0xffff0000u : 0); } \
	HEDDLE_HD pair __hequ2(pair a, pair b) { return heddle_pair(from(__hequ(a.x, b.x)), from(__hequ(a.y, b.y))); } \
	HEDDLE_HD bool __hbequ2(pair a, pair b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }                      \
	HEDDLE_HD unsigned __hequ2_mask(pair a, pair b) { return (__hequ(a.x, b.x) ? 0xffffu : 0) | (__hequ(a.y, b.y) ? 0xffff0000u : 0); } \
	HEDDLE_HD pair __hneu2(pair a, pair b) { return heddle_pair(from(__hneu(a.x, b.x)), from(__hneu(a.y, b.y))); } \
	HEDDLE_HD bool __hbneu2(pair a, pair b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }                      \
	HEDDLE_HD unsigned __hneu2_mask(pair a, pair b) { return (__hneu(a.x, b.x) ? 0xffffu : 0) | (__hneu(a.y, b.y) ? 0xffff0000u : 0); } \
	HEDDLE_HD pair __hltu2(pair a, pair b) { return heddle_pair(from(__hltu(a.x, b.x)), from(__hltu(a.y, b.y))); } \
	HEDDLE_HD bool __hbltu2(pair a, pair b) { return __hltu(a.x, b.x) && __hltu(a.y, b.y); }                      \
	HEDDLE_HD unsigned __hltu2_mask(pair a, pair b) { return (__hltu(a.x, b.x) ? 0xffffu : 0) | (__hltu(a.y, b.y) ? 0xffff0000u : 0); } \
	HEDDLE_HD pair __hleu2(pair a, pair b) { return heddle_pair(from(__hleu(a.x, b.x)), from(__hleu(a.y, b.y))); } \
	HEDDLE_HD bool __hbleu2(pair a, pair b) { return __hleu(a.x, b.x) && __hleu(a.y, b.y); }                      \
	HEDDLE_HD unsigned __hleu2_mask(pair a, pair b) { return (__hleu(a.x, b.x) ? 0xffffu : 0) | (__hleu(a.y, b.y) ? 0xffff0000u : 0); } \
	HEDDLE_HD pair __hgtu2(pair a, pair b) { return heddle_pair(from(__hgtu(a.x, b.x)), from(__hgtu(a.y, b.y))); } \
	HEDDLE_HD bool __hbgtu2(pair a, pair b) { return __hgtu(a.x, b.x) && __hgtu(a.y, b.y); }                      \
	HEDDLE_HD unsigned __hgtu2_mask(pair a, pair b) { return (__hgtu(a.x, b.x) ? 0xffffu : 0) | (__hgtu(a.y, b.y) ? 0xffff0000u : 0); } \
	HEDDLE_HD pair __hgeu2(pair a, pair b) { return heddle_pair(from(__hgeu(a.x, b.x)), from(__hgeu(a.y, b.y))); } \
	HEDDLE_HD bool __hbgeu2(pair a, pair b) { return __hgeu(a.x, b.x) && __hgeu(a.y, b.y); }                      \
	HEDDLE_HD unsigned __hgeu2_mask(pair a, pair b) { return (__hgeu(a.x, b.x) ? 0xffffu : 0) | (__hgeu(a.y, b.y) ? 0xffff0000u : 0); } \
	HEDDLE_HD pair __hisnan2(pair a) { return heddle_pair(from(__hisnan(a.x)), from(__hisnan(a.y))); }            \
	HEDDLE_HD bool operator==(pair a, pair b) { return __hbeq2(a, b); }                                           \
	HEDDLE_HD bool operator!=(pair a, pair b) { return __hbne2(a, b); }                                           \
	HEDDLE_HD bool operator<(pair a, pair b) { return __hblt2(a, b); }                                            \
	HEDDLE_HD bool operator<=(pair a, pair b) { return __hble2(a, b); }                                           \
	HEDDLE_HD bool operator>(pair a, pair b) { return __hbgt2(a, b); }                                            \
	HEDDLE_HD bool operator>=(pair a, pair b) { return __hbge2(a, b); }                                           \
	HEDDLE_HD pair &operator-=(pair &a, pair b) { return a = a - b; }                                             \
	HEDDLE_HD pair &operator/=(pair &a, pair b) { return a = a / b; }                                             \
	HEDDLE_HD pair operator-(pair a) { return __hneg2(a); }                                                       \
	HEDDLE_HD pair operator+(pair a) { return a; }                                                                \
	static __device__ __forceinline__ H hexp10(H a) { return from(exp10f(to(a))); }                               \
	static __device__ __forceinline__ H hlog10(H a) { return from(log10f(to(a))); }                               \
	static __device__ __forceinline__ H htanh(H a) { return from(tanhf(to(a))); }                                 \
	static __device__ __forceinline__ H htanh_approx(H a) { return from(tanhf(to(a))); }                          \
	static __device__ __forceinline__ pair h2sqrt(pair a) { return heddle_pair(hsqrt(a.x), hsqrt(a.y)); }         \
	static __device__ __forceinline__ pair h2rsqrt(pair a) { return heddle_pair(hrsqrt(a.x), hrsqrt(a.y)); }      \
	static __device__ __forceinline__ pair h2rcp(pair a) { return heddle_pair(hrcp(a.x), hrcp(a.y)); }            \
	static __device__ __forceinline__ pair h2exp(pair a) { return heddle_pair(hexp(a.x), hexp(a.y)); }            \
	static __device__ __forceinline__ pair h2exp2(pair a) { return heddle_pair(hexp2(a.x), hexp2(a.y)); }         \
	static __device__ __forceinline__ pair h2exp10(pair a) { return heddle_pair(hexp10(a.x), hexp10(a.y)); }      \
	static __device__ __forceinline__ pair h2log(pair a) { return heddle_pair(hlog(a.x), hlog(a.y)); }            \
	static __device__ __forceinline__ pair h2log2(pair a) { return heddle_pair(hlog2(a.x), hlog2(a.y)); }         \
	static __device__ __forceinline__ pair h2log10(pair a) { return heddle_pair(hlog10(a.x), hlog10(a.y)); }      \
	static __device__ __forceinline__ pair h2sin(pair a) { return heddle_pair(hsin(a.x), hsin(a.y)); }            \
	static __device__ __forceinline__ pair h2cos(pair a) { return heddle_pair(hcos(a.x), hcos(a.y)); }            \
	static __device__ __forceinline__ pair h2tanh(pair a) { return heddle_pair(htanh(a.x), htanh(a.y)); }         \
	static __device__ __forceinline__ pair h2tanh_approx(pair a) { return heddle_pair(htanh_approx(a.x), htanh_approx(a.y)); } \
	static __device__ __forceinline__ pair h2floor(pair a) { return heddle_pair(hfloor(a.x), hfloor(a.y)); }      \
	static __device__ __forceinline__ pair h2ceil(pair a) { return heddle_pair(hceil(a.x), hceil(a.y)); }         \
	static __device__ __forceinline__ pair h2trunc(pair a) { return heddle_pair(htrunc(a.x), htrunc(a.y)); }      \
	static __device__ __forceinline__ pair h2rint(pair a) { return heddle_pair(hrint(a.x), hrint(a.y)); }         \
	HEDDLE_HD H __float2##name##_rz(float x) { return from_mode(x, heddle_rz); }                                  \
	HEDDLE_HD H __float2##name##_rd(float x) { return from_mode(x, heddle_rd); }                                  \
	HEDDLE_HD H __float2##name##_ru(float x) { return from_mode(x, heddle_ru); }                                  \
	HEDDLE_HD short __##name##2short_rn(H a) { return heddle_to_integer<short>(to(a), heddle_rn); }               \
	HEDDLE_HD H __short2##name##_rn(short x) { return from_mode(heddle_odd_double((long long)x), heddle_rn); }    \
	HEDDLE_HD short __##name##2short_rz(H a) { return heddle_to_integer<short>(to(a), heddle_rz); }               \
	HEDDLE_HD H __short2##name##_rz(short x) { return from_mode(heddle_odd_double((long long)x), heddle_rz); }    \
	HEDDLE_HD short __##name##2short_rd(H a) { return heddle_to_integer<short>(to(a), heddle_rd); }               \
	HEDDLE_HD H __short2##name##_rd(short x) { return from_mode(heddle_odd_double((long long)x), heddle_rd); }    \
	HEDDLE_HD short __##name##2short_ru(H a) { return heddle_to_integer<short>(to(a), heddle_ru); }               \
	HEDDLE_HD H __short2##name##_ru(short x) { return from_mode(heddle_odd_double((long long)x), heddle_ru); }    \
	HEDDLE_HD unsigned short __##name##2ushort_rn(H a) { return heddle_to_integer<unsigned short>(to(a), heddle_rn); } \
	HEDDLE_HD H __ushort2##name##_rn(unsigned short x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rn); } \
	HEDDLE_HD unsigned short __##name##2ushort_rz(H a) { return heddle_to_integer<unsigned short>(to(a), heddle_rz); } \
	HEDDLE_HD H __ushort2##name##_rz(unsigned short x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rz); } \
	HEDDLE_HD unsigned short __##name##2ushort_rd(H a) { return heddle_to_integer<unsigned short>(to(a), heddle_rd); } \
	HEDDLE_HD H __ushort2##name##_rd(unsigned short x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rd); } \
	HEDDLE_HD unsigned short __##name##2ushort_ru(H a) { return heddle_to_integer<unsigned short>(to(a), heddle_ru); } \
	HEDDLE_HD H __ushort2##name##_ru(unsigned short x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_ru); } \
	HEDDLE_HD int __##name##2int_rn(H a) { return heddle_to_integer<int>(to(a), heddle_rn); }                     \
	HEDDLE_HD H __int2##name##_rn(int x) { return from_mode(heddle_odd_double((long long)x), heddle_rn); }        \
	HEDDLE_HD int __##name##2int_rz(H a) { return heddle_to_integer<int>(to(a), heddle_rz); }                     \
	HEDDLE_HD H __int2##name##_rz(int x) { return from_mode(heddle_odd_double((long long)x), heddle_rz); }        \
	HEDDLE_HD int __##name##2int_rd(H a) { return heddle_to_integer<int>(to(a), heddle_rd); }                     \
	HEDDLE_HD H __int2##name##_rd(int x) { return from_mode(heddle_odd_double((long long)x), heddle_rd); }        \
	HEDDLE_HD int __##name##2int_ru(H a) { return heddle_to_integer<int>(to(a), heddle_ru); }                     \
	HEDDLE_HD H __int2##name##_ru(int x) { return from_mode(heddle_odd_double((long long)x), heddle_ru); }        \
	HEDDLE_HD unsigned __##name##2uint_rn(H a) { return heddle_to_integer<unsigned>(to(a), heddle_rn); }          \
	HEDDLE_HD H __uint2##name##_rn(unsigned x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rn); } \
	HEDDLE_HD unsigned __##name##2uint_rz(H a) { return heddle_to_integer<unsigned>(to(a), heddle_rz); }          \
	HEDDLE_HD H __uint2##name##_rz(unsigned x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rz); } \
	HEDDLE_HD unsigned __##name##2uint_rd(H a) { return heddle_to_integer<unsigned>(to(a), heddle_rd); }          \
	HEDDLE_HD H __uint2##name##_rd(unsigned x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rd); } \
	HEDDLE_HD unsigned __##name##2uint_ru(H a) { return heddle_to_integer<unsigned>(to(a), heddle_ru); }          \
	HEDDLE_HD H __uint2##name##_ru(unsigned x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_ru); } \
	HEDDLE_HD long long __##name##2ll_rn(H a) { return heddle_to_integer<long long>(to(a), heddle_rn); }          \
	HEDDLE_HD H __ll2##name##_rn(long long x) { return from_mode(heddle_odd_double((long long)x), heddle_rn); }   \
	HEDDLE_HD long long __##name##2ll_rz(H a) { return heddle_to_integer<long long>(to(a), heddle_rz); }          \
	HEDDLE_HD H __ll2##name##_rz(long long x) { return from_mode(heddle_odd_double((long long)x), heddle_rz); }   \
	HEDDLE_HD long long __##name##2ll_rd(H a) { return heddle_to_integer<long long>(to(a), heddle_rd); }          \
	HEDDLE_HD H __ll2##name##_rd(long long x) { return from_mode(heddle_odd_double((long long)x), heddle_rd); }   \
	HEDDLE_HD long long __##name##2ll_ru(H a) { return heddle_to_integer<long long>(to(a), heddle_ru); }          \
	HEDDLE_HD H __ll2##name##_ru(long long x) { return from_mode(heddle_odd_double((long long)x), heddle_ru); }   \
	HEDDLE_HD unsigned long long __##name##2ull_rn(H a) { return heddle_to_integer<unsigned long long>(to(a), heddle_rn); } \
	HEDDLE_HD H __ull2##name##_rn(unsigned long long x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rn); } \
	HEDDLE_HD unsigned long long __##name##2ull_rz(H a) { return heddle_to_integer<unsigned long long>(to(a), heddle_rz); } \
	HEDDLE_HD H __ull2##name##_rz(unsigned long long x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rz); } \
	HEDDLE_HD unsigned long long __##name##2ull_rd(H a) { return heddle_to_integer<unsigned long long>(to(a), heddle_rd); } \
	HEDDLE_HD H __ull2##name##_rd(unsigned long long x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_rd); } \
	HEDDLE_HD unsigned long long __##name##2ull_ru(H a) { return heddle_to_integer<unsigned long long>(to(a), heddle_ru); } \
	HEDDLE_HD H __ull2##name##_ru(unsigned long long x) { return from_mode(heddle_odd_double((unsigned long long)x), heddle_ru); } \
	HEDDLE_HD signed char __##name##2char_rz(H a) { return heddle_to_integer<signed char>(to(a), heddle_rz); }    \
	HEDDLE_HD unsigned char __##name##2uchar_rz(H a) { return heddle_to_integer<unsigned char>(to(a), heddle_rz); }

#endif
