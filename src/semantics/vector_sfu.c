#include "semantics/vector.h"

/* Approximations, computed in doubles with only additions, multiplications, divisions and square roots: these are the same on every host, unlike
 * the functions of a C library. */

#define ROUND_MAGIC 0x1.8p52 /* added to a double of less than 2^51, it leaves the nearest integer in the low bits */

INLINE uint32_t result(float f) { return f == f ? hd_bits_of_f32(f) : HD_F32_NAN; }

/* 2^x for |x| < 1000, to about 2^-50: a power of two times the series of e^(f ln 2) for |f| <= 1/2. */
INLINE double exp2_of(double x)
{
	double t = x + ROUND_MAGIC, f = x - (t - ROUND_MAGIC);
	double p = 0x1.e8cac7351bb25p-32;
	p = p * f + 0x1.e4cf5158b8ecap-28;
	p = p * f + 0x1.b5253d395e7c4p-24;
	p = p * f + 0x1.62c0223a5c824p-20;
	p = p * f + 0x1.ffcbfc588b0c7p-17;
	p = p * f + 0x1.430912f86c787p-13;
	p = p * f + 0x1.5d87fe78a6731p-10;
	p = p * f + 0x1.3b2ab6fba4e77p-7;
	p = p * f + 0x1.c6b08d704a0c0p-5;
	p = p * f + 0x1.ebfbdff82c58fp-3;
	p = p * f + 0x1.62e42fefa39efp-1;
	p = p * f + 1.0;
	return p * hd_f64_of_bits((hd_bits_of_f64(t) << 52) + (UINT64_C(1023) << 52));
}

INLINE double clamped(double x, double limit)
{
	double low = x < -limit ? -limit : x;
	return low > limit ? limit : low;
}

/* log2 of a positive finite double: exponent + series of atanh for a mantissa between sqrt(1/2) and sqrt(2). */
INLINE double log2_of(double x)
{
	uint64_t bits = hd_bits_of_f64(x), half = (bits & UINT64_C(0xfffffffffffff)) > UINT64_C(0x6a09e667f3bcc) ? 1 : 0;
	double m = hd_f64_of_bits((bits & UINT64_C(0xfffffffffffff)) | (1023 - half) << 52);
	double e = hd_f64_of_bits((bits >> 52 & 2047) + half + (UINT64_C(0x433) << 52)) - (0x1p52 + 1023);
	double s = (m - 1) / (m + 1), z = s * s, p = 0x1.5b9ac9b743f0dp-3;
	p = p * z + 0x1.89f3b1694cffep-3;
	p = p * z + 0x1.c68f568d31760p-3;
	p = p * z + 0x1.0c9a84994022dp-2;
	p = p * z + 0x1.484b13d7c02a9p-2;
	p = p * z + 0x1.a61762a7aded9p-2;
	p = p * z + 0x1.2776c50ef9bfep-1;
	p = p * z + 0x1.ec709dc3a03fdp-1;
	p = p * z + 0x1.71547652b82fep+1;
	return e + s * p;
}

/* sin(x + quarter * pi / 2). pi / 2 is split into three parts, of which multiples up to 2^20 of the first two are exact. Beyond that the result is
 * some number in [-1, 1]. */
INLINE double sine_of(double x, uint64_t quarter)
{
	double t = x * 0x1.45f306dc9c883p-1 + ROUND_MAGIC, k = t - ROUND_MAGIC;
	double r = clamped(((x - k * 0x1.921fb544p+0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69, 0.8), z = r * r;
	double s = 0x1.6124613a86d09p-33;
	s = s * z - 0x1.ae64567f544e4p-26;
	s = s * z + 0x1.71de3a556c734p-19;
	s = s * z - 0x1.a01a01a01a01ap-13;
	s = s * z + 0x1.1111111111111p-7;
	s = s * z - 0x1.5555555555555p-3;
	s = r * (s * z + 1.0);
	double c = 0x1.1eed8eff8d898p-29;
	c = c * z - 0x1.27e4fb7789f5cp-22;
	c = c * z + 0x1.a01a01a01a01ap-16;
	c = c * z - 0x1.6c16c16c16c17p-10;
	c = c * z + 0x1.5555555555555p-5;
	c = c * z - 0.5;
	c = c * z + 1.0;
	uint64_t q = hd_bits_of_f64(t) + quarter;
	return hd_f64_of_bits(hd_bits_of_f64(q & 1 ? c : s) ^ (q & 2) << 62);
}

INLINE double tanh_of(double x)
{
	double e = exp2_of(clamped(x, 20.0) * 0x1.71547652b82fep+1), small = x * (1.0 - x * x * 0x1.5555555555555p-2);
	double large = 1.0 - 2.0 / (e + 1.0);
	return ((x < 0x1p-8) & (x > -0x1p-8)) ? small : large;
}

#define OP1(name, ...)                                                 \
	SEM_FN(TO_R, name)                                             \
	{                                                              \
		LANES                                                  \
		{                                                      \
			float x = hd_f32_of_bits(in->a->v[i]);         \
			out->r[0].v[i] = result((float)(__VA_ARGS__)); \
		}                                                      \
	}
OP1(frcp, 1.0f / x)
OP1(frsq, 1.0 / __builtin_sqrt((double)x))
OP1(fsqrt, __builtin_sqrtf(x))
OP1(fex2, exp2_of(clamped((double)x, 200.0)))
OP1(fsin, sine_of((double)x, 0))
OP1(fcos, sine_of((double)x, 1))
OP1(ftanh, tanh_of((double)x))

SEM_FN(TO_R, flg2)
{
	LANES
	{
		uint32_t a = in->a->v[i], r = hd_bits_of_f32((float)log2_of((double)hd_f32_of_bits(a)));
		r = a >= HD_F32_INF ? HD_F32_NAN : r; /* negative or NaN */
		r = a == HD_F32_INF ? HD_F32_INF : r;
		out->r[0].v[i] = a << 1 ? r : HD_F32_INF | 0x80000000u;
	}
}

/* First approximations for the sequences of 64-bit division and square root: rounded to the high word. */
INLINE uint64_t high_word(double x) { return x == x ? (hd_bits_of_f64(x) + UINT64_C(0x80000000)) & ~UINT64_C(0xffffffff) : HD_F64_NAN; }

SEM_FN(TO_D, drcpa)
{
	wide_f x;
	wide d;
	wide_load_f(&x, in->a);
	LANES d.v[i] = high_word(1.0 / x.v[i]);
	wide_store(out->r, &d);
}

SEM_FN(TO_D, drsqa)
{
	wide_f x;
	wide d;
	wide_load_f(&x, in->a);
	LANES d.v[i] = high_word(1.0 / __builtin_sqrt(x.v[i]));
	wide_store(out->r, &d);
}

/* By operation. One of another unit has NULL. */
static const hd_sem_code *const functions[HD_OP_COUNT] = {
    [HD_OP_FRCP] = frcp, [HD_OP_FRSQ] = frsq, [HD_OP_FSQRT] = fsqrt, [HD_OP_FEX2] = fex2,   [HD_OP_FLG2] = flg2,
    [HD_OP_FSIN] = fsin, [HD_OP_FCOS] = fcos, [HD_OP_FTANH] = ftanh, [HD_OP_DRCPA] = drcpa, [HD_OP_DRSQA] = drsqa,
};

const hd_sem_code *HD_SEM(sfu)(const hd_inst *inst) { return functions[inst->op]; }
