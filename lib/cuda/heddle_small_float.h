// Code shared by cuda_fp16.h and cuda_bf16.h: arithmetic goes through float, which holds sums and products of two such numbers exactly enough
// that the second rounding changes nothing; fma goes through double.
#ifndef HEDDLE_CUDA_SMALL_FLOAT_H
#define HEDDLE_CUDA_SMALL_FLOAT_H

#define HEDDLE_HD static __host__ __device__ __forceinline__

template <class __H> HEDDLE_HD __H heddle_from_bits(unsigned short __bits) { return __builtin_bit_cast(__H, __bits); }
template <class __H> HEDDLE_HD unsigned short heddle_bits(__H value) { return __builtin_bit_cast(unsigned short, value); }

// a * b + c, as a double that rounds to a small float as the exact sum does. The product is exact. Where the sum is not, its last bit says so, which
// counts in the next rounding and never makes a tie.
HEDDLE_HD double heddle_small_fma(float __a, float __b, float __c)
{
	double __product = (double)__a * (double)__b, __sum = __product + (double)__c;
	double __of_product = __sum - (double)__c, __rest = (__product - __of_product) + ((double)__c - (__sum - __of_product));
	unsigned long long __bits = __builtin_bit_cast(unsigned long long, __sum);
	if (!(__rest < 0 || __rest > 0) || !(__sum < 0 || __sum > 0) || (__bits & 0x7ff0000000000000ull) == 0x7ff0000000000000ull)
		return __sum;
	// Cut off towards zero, then marked.
	if ((__rest < 0) != (__sum < 0))
		__bits--;
	return __builtin_bit_cast(double, __bits | 1);
}

// A double as a number of `fraction` bits behind the point and an exponent from `least` (of the smallest normal number) to `most`.
enum heddle_rounding { heddle_rn, heddle_rz, heddle_rd, heddle_ru };
HEDDLE_HD unsigned short heddle_round_small(double x, int __fraction, int __least, int __most, heddle_rounding __mode = heddle_rn)
{
	unsigned long long __bits = __builtin_bit_cast(unsigned long long, x), __rest = __bits & 0xfffffffffffffull, __sign = __bits >> 48 & 0x8000;
	int __exponent = (int)(__bits >> 52 & 2047) - 1023;
	unsigned long long __infinity = (unsigned long long)(__most - __least + 2) << __fraction;
	bool __away = __mode == heddle_ru ? !__sign : __mode == heddle_rd ? __sign != 0 : false;
	if (__exponent == 1024)
		return (unsigned short)(__rest ? 0x7fff : __sign | __infinity); // one NaN, as the machine's conversions give it
	if (__exponent < __least - __fraction - 1)
		return (unsigned short)(__sign | (__away && (x < 0 || x > 0)));
	__rest |= 1ull << 52;
	int __drop = 52 - __fraction + (__exponent < __least ? __least - __exponent : 0);
	unsigned long long __kept = __rest >> __drop, __half = 1ull << (__drop - 1), __left = __rest & (2 * __half - 1);
	__kept += __mode == heddle_rn ? __left > __half || (__left == __half && (__kept & 1)) : __away && __left;
	// The leading one of a normal number adds one to the exponent's field.
	unsigned long long value = __exponent < __least ? __kept : __kept + ((unsigned long long)(__exponent - __least) << __fraction);
	unsigned long long __top = __mode == heddle_rn || __away ? __infinity : __infinity - 1;
	return (unsigned short)(__sign | (value > __top ? __top : value));
}

// An integer as a double that rounds to a small float as the integer does.
HEDDLE_HD double heddle_odd_double(unsigned long long x)
{
	return x >> 53 ? (double)(x >> 11 | ((x & 2047) != 0)) * 2048.0 : (double)x;
}
HEDDLE_HD double heddle_odd_double(long long x) { return x < 0 ? -heddle_odd_double(0ull - (unsigned long long)x) : heddle_odd_double((unsigned long long)x); }

// The integer next to x, the least or greatest one beyond them. A NaN is 0, or the top bit of 64.
template <class __T> HEDDLE_HD __T heddle_to_integer(float x, heddle_rounding __mode)
{
	constexpr bool __of_signed = (__T)-1 < 0;
	constexpr __T __top = (__T)(1ull << (8 * sizeof(__T) - 1)), __most = __of_signed ? (__T) ~(unsigned long long)__top : (__T)-1,
	              __least = __of_signed ? __top : (__T)0;
	if (x != x)
		return sizeof(__T) == 8 ? __top : (__T)0;
	float __whole = __mode == heddle_rn ? __builtin_rintf(x) : __mode == heddle_rz ? __builtin_truncf(x) : __mode == heddle_rd ? __builtin_floorf(x) : __builtin_ceilf(x);
	if (__whole <= (float)__least)
		return __least;
	return __whole >= (float)__most ? __most : (__T)__whole;
}

// H: the type. pair: of two. to and from: conversions to float and back. n: the letters of intrinsics (h, or nothing).
#define HEDDLE_SMALL_FLOAT(__H, pair, to, from, from_double)                                                                                   \
	HEDDLE_HD __H __hadd(__H __a, __H __b) { return from(to(__a) + to(__b)); }                                                             \
	HEDDLE_HD __H __hsub(__H __a, __H __b) { return from(to(__a) - to(__b)); }                                                             \
	HEDDLE_HD __H __hmul(__H __a, __H __b) { return from(to(__a) * to(__b)); }                                                             \
	HEDDLE_HD __H __hadd_rn(__H __a, __H __b) { return from(to(__a) + to(__b)); }                                                          \
	HEDDLE_HD __H __hsub_rn(__H __a, __H __b) { return from(to(__a) - to(__b)); }                                                          \
	HEDDLE_HD __H __hmul_rn(__H __a, __H __b) { return from(to(__a) * to(__b)); }                                                          \
	HEDDLE_HD __H __hdiv(__H __a, __H __b) { return from(to(__a) / to(__b)); }                                                             \
	HEDDLE_HD __H __hfma(__H __a, __H __b, __H __c) { return from_double(heddle_small_fma(to(__a), to(__b), to(__c))); }                   \
	HEDDLE_HD __H __hneg(__H __a) { return heddle_from_bits<__H>((unsigned short)(heddle_bits(__a) ^ 0x8000)); }                           \
	HEDDLE_HD __H __habs(__H __a) { return heddle_from_bits<__H>((unsigned short)(heddle_bits(__a) & 0x7fff)); }                           \
	HEDDLE_HD bool __heq(__H __a, __H __b) { return to(__a) == to(__b); }                                                                  \
	HEDDLE_HD bool __hne(__H __a, __H __b) { return to(__a) < to(__b) || to(__a) > to(__b); }                                              \
	HEDDLE_HD bool __hlt(__H __a, __H __b) { return to(__a) < to(__b); }                                                                   \
	HEDDLE_HD bool __hle(__H __a, __H __b) { return to(__a) <= to(__b); }                                                                  \
	HEDDLE_HD bool __hgt(__H __a, __H __b) { return to(__a) > to(__b); }                                                                   \
	HEDDLE_HD bool __hge(__H __a, __H __b) { return to(__a) >= to(__b); }                                                                  \
	HEDDLE_HD bool __hisnan(__H __a) { return to(__a) != to(__a); }                                                                        \
	HEDDLE_HD int __hisinf(__H __a)                                                                                                        \
	{                                                                                                                                      \
		return to(__a) == __builtin_inff() ? 1 : to(__a) == -__builtin_inff() ? -1 : 0;                                                \
	}                                                                                                                                      \
	HEDDLE_HD __H __hmin(__H __a, __H __b) { return from(__builtin_fminf(to(__a), to(__b))); }                                             \
	HEDDLE_HD __H __hmax(__H __a, __H __b) { return from(__builtin_fmaxf(to(__a), to(__b))); }                                             \
	HEDDLE_HD __H operator+(__H __a, __H __b) { return __hadd(__a, __b); }                                                                 \
	HEDDLE_HD __H operator-(__H __a, __H __b) { return __hsub(__a, __b); }                                                                 \
	HEDDLE_HD __H operator*(__H __a, __H __b) { return __hmul(__a, __b); }                                                                 \
	HEDDLE_HD __H operator/(__H __a, __H __b) { return __hdiv(__a, __b); }                                                                 \
	HEDDLE_HD __H operator-(__H __a) { return __hneg(__a); }                                                                               \
	HEDDLE_HD __H operator+(__H __a) { return __a; }                                                                                       \
	HEDDLE_HD __H &operator+=(__H &__a, __H __b) { return __a = __a + __b; }                                                               \
	HEDDLE_HD __H &operator-=(__H &__a, __H __b) { return __a = __a - __b; }                                                               \
	HEDDLE_HD __H &operator*=(__H &__a, __H __b) { return __a = __a * __b; }                                                               \
	HEDDLE_HD __H &operator/=(__H &__a, __H __b) { return __a = __a / __b; }                                                               \
	HEDDLE_HD bool operator==(__H __a, __H __b) { return to(__a) == to(__b); }                                                             \
	HEDDLE_HD bool operator!=(__H __a, __H __b) { return to(__a) != to(__b); }                                                             \
	HEDDLE_HD bool operator<(__H __a, __H __b) { return to(__a) < to(__b); }                                                               \
	HEDDLE_HD bool operator<=(__H __a, __H __b) { return to(__a) <= to(__b); }                                                             \
	HEDDLE_HD bool operator>(__H __a, __H __b) { return to(__a) > to(__b); }                                                               \
	HEDDLE_HD bool operator>=(__H __a, __H __b) { return to(__a) >= to(__b); }                                                             \
	HEDDLE_HD pair heddle_pair(__H x, __H y)                                                                                               \
	{                                                                                                                                      \
		pair __p;                                                                                                                      \
		__p.x = x, __p.y = y;                                                                                                          \
		return __p;                                                                                                                    \
	}                                                                                                                                      \
	HEDDLE_HD pair __hadd2(pair __a, pair __b) { return heddle_pair(__a.x + __b.x, __a.y + __b.y); }                                       \
	HEDDLE_HD pair __hsub2(pair __a, pair __b) { return heddle_pair(__a.x - __b.x, __a.y - __b.y); }                                       \
	HEDDLE_HD pair __hmul2(pair __a, pair __b) { return heddle_pair(__a.x * __b.x, __a.y * __b.y); }                                       \
	HEDDLE_HD pair __h2div(pair __a, pair __b) { return heddle_pair(__a.x / __b.x, __a.y / __b.y); }                                       \
	HEDDLE_HD pair __hfma2(pair __a, pair __b, pair __c) { return heddle_pair(__hfma(__a.x, __b.x, __c.x), __hfma(__a.y, __b.y, __c.y)); } \
	HEDDLE_HD pair __hneg2(pair __a) { return heddle_pair(-__a.x, -__a.y); }                                                               \
	HEDDLE_HD pair __habs2(pair __a) { return heddle_pair(__habs(__a.x), __habs(__a.y)); }                                                 \
	HEDDLE_HD pair __hmin2(pair __a, pair __b) { return heddle_pair(__hmin(__a.x, __b.x), __hmin(__a.y, __b.y)); }                         \
	HEDDLE_HD pair __hmax2(pair __a, pair __b) { return heddle_pair(__hmax(__a.x, __b.x), __hmax(__a.y, __b.y)); }                         \
	HEDDLE_HD pair operator+(pair __a, pair __b) { return __hadd2(__a, __b); }                                                             \
	HEDDLE_HD pair operator-(pair __a, pair __b) { return __hsub2(__a, __b); }                                                             \
	HEDDLE_HD pair operator*(pair __a, pair __b) { return __hmul2(__a, __b); }                                                             \
	HEDDLE_HD pair operator/(pair __a, pair __b) { return __h2div(__a, __b); }                                                             \
	HEDDLE_HD pair &operator+=(pair &__a, pair __b) { return __a = __a + __b; }                                                            \
	HEDDLE_HD pair &operator*=(pair &__a, pair __b) { return __a = __a * __b; }                                                            \
	static __device__ __forceinline__ __H hsqrt(__H __a) { return from(sqrtf(to(__a))); }                                                  \
	static __device__ __forceinline__ __H hrsqrt(__H __a) { return from(rsqrtf(to(__a))); }                                                \
	static __device__ __forceinline__ __H hrcp(__H __a) { return from(1.0f / to(__a)); }                                                   \
	static __device__ __forceinline__ __H hexp(__H __a) { return from(expf(to(__a))); }                                                    \
	static __device__ __forceinline__ __H hexp2(__H __a) { return from(exp2f(to(__a))); }                                                  \
	static __device__ __forceinline__ __H hlog(__H __a) { return from(logf(to(__a))); }                                                    \
	static __device__ __forceinline__ __H hlog2(__H __a) { return from(log2f(to(__a))); }                                                  \
	static __device__ __forceinline__ __H hsin(__H __a) { return from(sinf(to(__a))); }                                                    \
	static __device__ __forceinline__ __H hcos(__H __a) { return from(cosf(to(__a))); }                                                    \
	static __device__ __forceinline__ __H hfloor(__H __a) { return from(floorf(to(__a))); }                                                \
	static __device__ __forceinline__ __H hceil(__H __a) { return from(ceilf(to(__a))); }                                                  \
	static __device__ __forceinline__ __H htrunc(__H __a) { return from(truncf(to(__a))); }                                                \
	static __device__ __forceinline__ __H hrint(__H __a) { return from(rintf(to(__a))); }                                                  \
	static __device__ __forceinline__ __H atomicAdd(__H *__p, __H __v)                                                                     \
	{                                                                                                                                      \
		unsigned short *__at = (unsigned short *)__p, __was = *(volatile unsigned short *)__at;                                        \
		for (;;) {                                                                                                                     \
			__H __old = heddle_from_bits<__H>(__was);                                                                              \
			unsigned short __seen = atomicCAS(__at, __was, heddle_bits(__old + __v));                                              \
			if (__seen == __was)                                                                                                   \
				return __old;                                                                                                  \
			__was = __seen;                                                                                                        \
		}                                                                                                                              \
	}                                                                                                                                      \
	static __device__ __forceinline__ pair atomicAdd(pair *__p, pair __v)                                                                  \
	{                                                                                                                                      \
		return heddle_pair(atomicAdd(&__p->x, __v.x), atomicAdd(&__p->y, __v.y));                                                      \
	}                                                                                                                                      \
	HEDDLE_SMALL_SHUFFLE(__H, __shfl_sync, int)                                                                                            \
	HEDDLE_SMALL_SHUFFLE(__H, __shfl_up_sync, unsigned)                                                                                    \
	HEDDLE_SMALL_SHUFFLE(__H, __shfl_down_sync, unsigned)                                                                                  \
	HEDDLE_SMALL_SHUFFLE(__H, __shfl_xor_sync, int)                                                                                        \
	HEDDLE_PAIR_SHUFFLE(pair, __shfl_sync, int)                                                                                            \
	HEDDLE_PAIR_SHUFFLE(pair, __shfl_up_sync, unsigned)                                                                                    \
	HEDDLE_PAIR_SHUFFLE(pair, __shfl_down_sync, unsigned)                                                                                  \
	HEDDLE_PAIR_SHUFFLE(pair, __shfl_xor_sync, int)
#define HEDDLE_SMALL_SHUFFLE(__H, name, argument)                                                                   \
	static __device__ __forceinline__ __H name(unsigned __mask, __H __v, argument __a, int width = 32)          \
	{                                                                                                           \
		return heddle_from_bits<__H>((unsigned short)name(__mask, (unsigned)heddle_bits(__v), __a, width)); \
	}
#define HEDDLE_PAIR_SHUFFLE(pair, name, argument)                                                             \
	static __device__ __forceinline__ pair name(unsigned __mask, pair __v, argument __a, int width = 32)  \
	{                                                                                                     \
		return __builtin_bit_cast(pair, name(__mask, __builtin_bit_cast(unsigned, __v), __a, width)); \
	}

#endif
