// Code shared by cuda_fp16.h and cuda_bf16.h: arithmetic goes through float, which holds sums and products of two such numbers exactly enough
// that the second rounding changes nothing; fma goes through double.
#ifndef HEDDLE_CUDA_SMALL_FLOAT_H
#define HEDDLE_CUDA_SMALL_FLOAT_H

#define HEDDLE_HD static __host__ __device__ __forceinline__

template <class H> HEDDLE_HD H heddle_from_bits(unsigned short bits) { return __builtin_bit_cast(H, bits); }
template <class H> HEDDLE_HD unsigned short heddle_bits(H value) { return __builtin_bit_cast(unsigned short, value); }

// a * b + c, as a double that rounds to a small float as the exact sum does. The product is exact. Where the sum is not, its last bit says so, which
// counts in the next rounding and never makes a tie.
HEDDLE_HD double heddle_small_fma(float a, float b, float c)
{
	double product = (double)a * (double)b, sum = product + (double)c;
	double of_product = sum - (double)c, rest = (product - of_product) + ((double)c - (sum - of_product));
	unsigned long long bits = __builtin_bit_cast(unsigned long long, sum);
	if (!(rest < 0 || rest > 0) || !(sum < 0 || sum > 0) || (bits & 0x7ff0000000000000ull) == 0x7ff0000000000000ull)
		return sum;
	// Cut off towards zero, then marked.
	if ((rest < 0) != (sum < 0))
		bits--;
	return __builtin_bit_cast(double, bits | 1);
}

// A double as a number of `fraction` bits behind the point and an exponent from `least` (of the smallest normal number) to `most`.
enum heddle_rounding { heddle_rn, heddle_rz, heddle_rd, heddle_ru };
HEDDLE_HD unsigned short heddle_round_small(double x, int fraction, int least, int most, heddle_rounding mode = heddle_rn)
{
	unsigned long long bits = __builtin_bit_cast(unsigned long long, x), rest = bits & 0xfffffffffffffull, sign = bits >> 48 & 0x8000;
	int exponent = (int)(bits >> 52 & 2047) - 1023;
	unsigned long long infinity = (unsigned long long)(most - least + 2) << fraction;
	bool away = mode == heddle_ru ? !sign : mode == heddle_rd ? sign != 0 : false;
	if (exponent == 1024)
		return (unsigned short)(rest ? 0x7fff : sign | infinity); // one NaN, as the machine's conversions give it
	if (exponent < least - fraction - 1)
		return (unsigned short)(sign | (away && (x < 0 || x > 0)));
	rest |= 1ull << 52;
	int drop = 52 - fraction + (exponent < least ? least - exponent : 0);
	unsigned long long kept = rest >> drop, half = 1ull << (drop - 1), left = rest & (2 * half - 1);
	kept += mode == heddle_rn ? left > half || (left == half && (kept & 1)) : away && left;
	// The leading one of a normal number adds one to the exponent's field.
	unsigned long long value = exponent < least ? kept : kept + ((unsigned long long)(exponent - least) << fraction);
	unsigned long long top = mode == heddle_rn || away ? infinity : infinity - 1;
	return (unsigned short)(sign | (value > top ? top : value));
}

// An integer as a double that rounds to a small float as the integer does.
HEDDLE_HD double heddle_odd_double(unsigned long long x)
{
	return x >> 53 ? (double)(x >> 11 | ((x & 2047) != 0)) * 2048.0 : (double)x;
}
HEDDLE_HD double heddle_odd_double(long long x) { return x < 0 ? -heddle_odd_double(0ull - (unsigned long long)x) : heddle_odd_double((unsigned long long)x); }

// The integer next to x, the least or greatest one beyond them. A NaN is 0, or the top bit of 64.
template <class T> HEDDLE_HD T heddle_to_integer(float x, heddle_rounding mode)
{
	constexpr bool is_signed = (T)-1 < 0;
	constexpr T top = (T)(1ull << (8 * sizeof(T) - 1)), most = is_signed ? (T)~(unsigned long long)top : (T)-1, least = is_signed ? top : (T)0;
	if (x != x)
		return sizeof(T) == 8 ? top : (T)0;
	float whole = mode == heddle_rn ? __builtin_rintf(x) : mode == heddle_rz ? __builtin_truncf(x) : mode == heddle_rd ? __builtin_floorf(x) : __builtin_ceilf(x);
	if (whole <= (float)least)
		return least;
	return whole >= (float)most ? most : (T)whole;
}

// H: the type. pair: of two. to and from: conversions to float and back. n: the letters of intrinsics (h, or nothing).
#define HEDDLE_SMALL_FLOAT(H, pair, to, from, from_double)                                                            \
	HEDDLE_HD H __hadd(H a, H b) { return from(to(a) + to(b)); }                                                  \
	HEDDLE_HD H __hsub(H a, H b) { return from(to(a) - to(b)); }                                                  \
	HEDDLE_HD H __hmul(H a, H b) { return from(to(a) * to(b)); }                                                  \
	HEDDLE_HD H __hadd_rn(H a, H b) { return from(to(a) + to(b)); }                                               \
	HEDDLE_HD H __hsub_rn(H a, H b) { return from(to(a) - to(b)); }                                               \
	HEDDLE_HD H __hmul_rn(H a, H b) { return from(to(a) * to(b)); }                                               \
	HEDDLE_HD H __hdiv(H a, H b) { return from(to(a) / to(b)); }                                                  \
	HEDDLE_HD H __hfma(H a, H b, H c) { return from_double(heddle_small_fma(to(a), to(b), to(c))); }                \
	HEDDLE_HD H __hneg(H a) { return heddle_from_bits<H>((unsigned short)(heddle_bits(a) ^ 0x8000)); }            \
	HEDDLE_HD H __habs(H a) { return heddle_from_bits<H>((unsigned short)(heddle_bits(a) & 0x7fff)); }            \
	HEDDLE_HD bool __heq(H a, H b) { return to(a) == to(b); }                                                     \
	HEDDLE_HD bool __hne(H a, H b) { return to(a) < to(b) || to(a) > to(b); }                                     \
	HEDDLE_HD bool __hlt(H a, H b) { return to(a) < to(b); }                                                      \
	HEDDLE_HD bool __hle(H a, H b) { return to(a) <= to(b); }                                                     \
	HEDDLE_HD bool __hgt(H a, H b) { return to(a) > to(b); }                                                      \
	HEDDLE_HD bool __hge(H a, H b) { return to(a) >= to(b); }                                                     \
	HEDDLE_HD bool __hisnan(H a) { return to(a) != to(a); }                                                       \
	HEDDLE_HD int __hisinf(H a)                                                                                   \
	{                                                                                                             \
		return to(a) == __builtin_inff() ? 1 : to(a) == -__builtin_inff() ? -1 : 0;                           \
	}                                                                                                             \
	HEDDLE_HD H __hmin(H a, H b) { return from(__builtin_fminf(to(a), to(b))); }                                  \
	HEDDLE_HD H __hmax(H a, H b) { return from(__builtin_fmaxf(to(a), to(b))); }                                  \
	HEDDLE_HD H operator+(H a, H b) { return __hadd(a, b); }                                                      \
	HEDDLE_HD H operator-(H a, H b) { return __hsub(a, b); }                                                      \
	HEDDLE_HD H operator*(H a, H b) { return __hmul(a, b); }                                                      \
	HEDDLE_HD H operator/(H a, H b) { return __hdiv(a, b); }                                                      \
	HEDDLE_HD H operator-(H a) { return __hneg(a); }                                                              \
	HEDDLE_HD H operator+(H a) { return a; }                                                                      \
	HEDDLE_HD H &operator+=(H &a, H b) { return a = a + b; }                                                      \
	HEDDLE_HD H &operator-=(H &a, H b) { return a = a - b; }                                                      \
	HEDDLE_HD H &operator*=(H &a, H b) { return a = a * b; }                                                      \
	HEDDLE_HD H &operator/=(H &a, H b) { return a = a / b; }                                                      \
	HEDDLE_HD bool operator==(H a, H b) { return to(a) == to(b); }                                                \
	HEDDLE_HD bool operator!=(H a, H b) { return to(a) != to(b); }                                                \
	HEDDLE_HD bool operator<(H a, H b) { return to(a) < to(b); }                                                  \
	HEDDLE_HD bool operator<=(H a, H b) { return to(a) <= to(b); }                                                \
	HEDDLE_HD bool operator>(H a, H b) { return to(a) > to(b); }                                                  \
	HEDDLE_HD bool operator>=(H a, H b) { return to(a) >= to(b); }                                                \
	HEDDLE_HD pair heddle_pair(H x, H y)                                                                          \
	{                                                                                                             \
		pair p;                                                                                               \
		p.x = x, p.y = y;                                                                                     \
		return p;                                                                                             \
	}                                                                                                             \
	HEDDLE_HD pair __hadd2(pair a, pair b) { return heddle_pair(a.x + b.x, a.y + b.y); }                          \
	HEDDLE_HD pair __hsub2(pair a, pair b) { return heddle_pair(a.x - b.x, a.y - b.y); }                          \
	HEDDLE_HD pair __hmul2(pair a, pair b) { return heddle_pair(a.x * b.x, a.y * b.y); }                          \
	HEDDLE_HD pair __h2div(pair a, pair b) { return heddle_pair(a.x / b.x, a.y / b.y); }                          \
	HEDDLE_HD pair __hfma2(pair a, pair b, pair c) { return heddle_pair(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); } \
	HEDDLE_HD pair __hneg2(pair a) { return heddle_pair(-a.x, -a.y); }                                            \
	HEDDLE_HD pair __habs2(pair a) { return heddle_pair(__habs(a.x), __habs(a.y)); }                              \
	HEDDLE_HD pair __hmin2(pair a, pair b) { return heddle_pair(__hmin(a.x, b.x), __hmin(a.y, b.y)); }            \
	HEDDLE_HD pair __hmax2(pair a, pair b) { return heddle_pair(__hmax(a.x, b.x), __hmax(a.y, b.y)); }            \
	HEDDLE_HD pair operator+(pair a, pair b) { return __hadd2(a, b); }                                            \
	HEDDLE_HD pair operator-(pair a, pair b) { return __hsub2(a, b); }                                            \
	HEDDLE_HD pair operator*(pair a, pair b) { return __hmul2(a, b); }                                            \
	HEDDLE_HD pair operator/(pair a, pair b) { return __h2div(a, b); }                                            \
	HEDDLE_HD pair &operator+=(pair &a, pair b) { return a = a + b; }                                             \
	HEDDLE_HD pair &operator*=(pair &a, pair b) { return a = a * b; }                                             \
	static __device__ __forceinline__ H hsqrt(H a) { return from(sqrtf(to(a))); }                                 \
	static __device__ __forceinline__ H hrsqrt(H a) { return from(rsqrtf(to(a))); }                               \
	static __device__ __forceinline__ H hrcp(H a) { return from(1.0f / to(a)); }                                  \
	static __device__ __forceinline__ H hexp(H a) { return from(expf(to(a))); }                                   \
	static __device__ __forceinline__ H hexp2(H a) { return from(exp2f(to(a))); }                                 \
	static __device__ __forceinline__ H hlog(H a) { return from(logf(to(a))); }                                   \
	static __device__ __forceinline__ H hlog2(H a) { return from(log2f(to(a))); }                                 \
	static __device__ __forceinline__ H hsin(H a) { return from(sinf(to(a))); }                                   \
	static __device__ __forceinline__ H hcos(H a) { return from(cosf(to(a))); }                                   \
	static __device__ __forceinline__ H hfloor(H a) { return from(floorf(to(a))); }                               \
	static __device__ __forceinline__ H hceil(H a) { return from(ceilf(to(a))); }                                 \
	static __device__ __forceinline__ H htrunc(H a) { return from(truncf(to(a))); }                               \
	static __device__ __forceinline__ H hrint(H a) { return from(rintf(to(a))); }                                 \
	static __device__ __forceinline__ H atomicAdd(H *p, H v)                                                      \
	{                                                                                                             \
		unsigned short *at = (unsigned short *)p, was = *(volatile unsigned short *)at;                       \
		for (;;) {                                                                                            \
			H old = heddle_from_bits<H>(was);                                                             \
			unsigned short seen = atomicCAS(at, was, heddle_bits(old + v));                               \
			if (seen == was)                                                                              \
				return old;                                                                           \
			was = seen;                                                                                   \
		}                                                                                                     \
	}                                                                                                             \
	static __device__ __forceinline__ pair atomicAdd(pair *p, pair v)                                             \
	{                                                                                                             \
		return heddle_pair(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y));                                     \
	}                                                                                                             \
	HEDDLE_SMALL_SHUFFLE(H, __shfl_sync, int)                                                                     \
	HEDDLE_SMALL_SHUFFLE(H, __shfl_up_sync, unsigned)                                                             \
	HEDDLE_SMALL_SHUFFLE(H, __shfl_down_sync, unsigned)                                                           \
	HEDDLE_SMALL_SHUFFLE(H, __shfl_xor_sync, int)                                                                 \
	HEDDLE_PAIR_SHUFFLE(pair, __shfl_sync, int)                                                                   \
	HEDDLE_PAIR_SHUFFLE(pair, __shfl_up_sync, unsigned)                                                           \
	HEDDLE_PAIR_SHUFFLE(pair, __shfl_down_sync, unsigned)                                                         \
	HEDDLE_PAIR_SHUFFLE(pair, __shfl_xor_sync, int)
#define HEDDLE_SMALL_SHUFFLE(H, name, argument)                                                                       \
	static __device__ __forceinline__ H name(unsigned mask, H v, argument a, int width = 32)                      \
	{                                                                                                             \
		return heddle_from_bits<H>((unsigned short)name(mask, (unsigned)heddle_bits(v), a, width));           \
	}
#define HEDDLE_PAIR_SHUFFLE(pair, name, argument)                                                                     \
	static __device__ __forceinline__ pair name(unsigned mask, pair v, argument a, int width = 32)                \
	{                                                                                                             \
		return __builtin_bit_cast(pair, name(mask, __builtin_bit_cast(unsigned, v), a, width));               \
	}

#endif
