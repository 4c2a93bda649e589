/* Exact arithmetic on the bits of floats, rounded once: slow, and written without any of the library's own. */
#ifndef HD_TEST_EXACT_H
#define HD_TEST_EXACT_H

#include "isa/isa.h"

typedef unsigned __int128 u128;
typedef struct format {
	int mantissa, exponent;
} format;
static const format F16 = {10, 5}, F32 = {23, 8}, F64 = {52, 11};

static inline int bias(format f) { return (1 << (f.exponent - 1)) - 1; }
static inline uint64_t inf_bits(format f) { return ((UINT64_C(1) << f.exponent) - 1) << f.mantissa; }
static inline uint64_t sign_bit(format f) { return UINT64_C(1) << (f.mantissa + f.exponent); }
static inline uint64_t nan_bits(format f) { return sign_bit(f) - 1; }
static inline bool is_nan(format f, uint64_t x) { return (x & (sign_bit(f) - 1)) > inf_bits(f); }
static inline bool is_inf(format f, uint64_t x) { return (x & (sign_bit(f) - 1)) == inf_bits(f); }
static inline bool is_zero(format f, uint64_t x) { return (x & (sign_bit(f) - 1)) == 0; }
static inline bool is_negative(format f, uint64_t x) { return (x & sign_bit(f)) != 0; }

/* Finite float = m * 2^e. */
static inline void take_apart(format f, uint64_t x, uint64_t *m, int *e)
{
	int field = (int)(x >> f.mantissa & ((UINT64_C(1) << f.exponent) - 1));
	*m = x & ((UINT64_C(1) << f.mantissa) - 1);
	if (field)
		*m |= UINT64_C(1) << f.mantissa;
	*e = (field ? field : 1) - bias(f) - f.mantissa;
}

/* m * 2^e, and a little more if `more`, to the format. m is not 0. */
static inline uint64_t round_exact(format f, unsigned mode, bool negative, u128 m, int e, bool more)
{
	while (!(m >> 127)) {
		m <<= 1;
		e--;
	}
	int E = e + 127, least = 1 - bias(f), p = f.mantissa + 1;
	if (E < least)
		p -= least - E;
	u128 kept = p > 0 ? m >> (128 - p) : 0;
	bool guard = p >= 0 && (p == 0 ? m >> 127 : m >> (127 - p) & 1);
	bool sticky = more || p < 0 || (p == 0 ? m << 1 : m << (p + 1)) != 0;
	bool up = mode == HD_RN   ? guard && (sticky || (kept & 1))
	          : mode == HD_RM ? negative && (guard || sticky)
	          : mode == HD_RP ? !negative && (guard || sticky)
	                          : false;
	kept += up;
	uint64_t bits = E < least ? (uint64_t)kept : ((uint64_t)(E + bias(f)) << f.mantissa) + (uint64_t)(kept - ((u128)1 << f.mantissa));
	if (E > bias(f) || bits >= inf_bits(f)) {
		bool to_inf = mode == HD_RN || (mode == HD_RM && negative) || (mode == HD_RP && !negative);
		bits = to_inf ? inf_bits(f) : inf_bits(f) - 1;
	}
	return bits | (negative ? sign_bit(f) : 0);
}

/* Fixed point, wide enough for every product of two doubles: bit 0 is 2^-2200. */
enum { FIXED_WORDS = 72, FIXED_ONE = 2200 };
typedef struct fixed {
	uint64_t w[FIXED_WORDS];
} fixed;

static inline fixed fixed_of(u128 m, int e)
{
	fixed x = {{0}};
	unsigned at = (unsigned)(e + FIXED_ONE), word = at / 64, shift = at % 64;
	uint64_t low = (uint64_t)m, high = (uint64_t)(m >> 64);
	x.w[word] = low << shift;
	x.w[word + 1] = high << shift | (shift ? low >> (64 - shift) : 0);
	x.w[word + 2] = shift ? high >> (64 - shift) : 0;
	return x;
}

static inline int fixed_compare(const fixed *a, const fixed *b)
{
	for (int i = FIXED_WORDS - 1; i >= 0; i--)
		if (a->w[i] != b->w[i])
			return a->w[i] > b->w[i] ? 1 : -1;
	return 0;
}

static inline fixed fixed_sum(const fixed *a, const fixed *b, bool subtract)
{
	fixed d;
	u128 carry = subtract;
	for (int i = 0; i < FIXED_WORDS; i++) {
		carry += (u128)a->w[i] + (subtract ? ~b->w[i] : b->w[i]);
		d.w[i] = (uint64_t)carry;
		carry >>= 64;
	}
	return d;
}

static inline uint64_t fixed_round(format f, unsigned mode, bool negative, const fixed *x)
{
	int top = FIXED_WORDS - 1;
	while (top > 1 && !x->w[top])
		top--;
	bool more = false;
	for (int i = 0; i < top - 1; i++)
		more |= x->w[i] != 0;
	return round_exact(f, mode, negative, (u128)x->w[top] << 64 | x->w[top - 1], 64 * (top - 1) - FIXED_ONE, more);
}

static inline uint64_t exact_fma(format f, unsigned mode, uint64_t a, uint64_t b, uint64_t c)
{
	bool minus = is_negative(f, a) != is_negative(f, b), c_minus = is_negative(f, c);
	if (is_nan(f, a) || is_nan(f, b) || is_nan(f, c))
		return nan_bits(f);
	if (is_inf(f, a) || is_inf(f, b)) {
		if (is_zero(f, a) || is_zero(f, b) || (is_inf(f, c) && c_minus != minus))
			return nan_bits(f);
		return inf_bits(f) | (minus ? sign_bit(f) : 0);
	}
	if (is_inf(f, c))
		return c;
	uint64_t ma, mb, mc;
	int ea, eb, ec;
	take_apart(f, a, &ma, &ea);
	take_apart(f, b, &mb, &eb);
	take_apart(f, c, &mc, &ec);
	fixed p = fixed_of((u128)ma * mb, ea + eb), q = fixed_of(mc, ec);
	int order = fixed_compare(&p, &q);
	bool negative = order >= 0 ? minus : c_minus;
	if (minus != c_minus && order == 0)
		return mode == HD_RM ? sign_bit(f) : 0; /* cancels, or zeros of two signs */
	if (is_zero(f, c) && (ma == 0 || mb == 0))
		return minus ? sign_bit(f) : 0;
	fixed sum = minus == c_minus ? fixed_sum(&p, &q, false) : order > 0 ? fixed_sum(&p, &q, true) : fixed_sum(&q, &p, true);
	return fixed_round(f, mode, negative, &sum);
}

static inline uint64_t one_of(format f) { return (uint64_t)bias(f) << f.mantissa; }
static inline uint64_t exact_add(format f, unsigned mode, uint64_t a, uint64_t b) { return exact_fma(f, mode, a, one_of(f), b); }
static inline uint64_t exact_mul(format f, unsigned mode, uint64_t a, uint64_t b) { return exact_fma(f, mode, a, b, (a ^ b) & sign_bit(f)); }

static inline uint64_t exact_div(format f, unsigned mode, uint64_t a, uint64_t b)
{
	bool minus = is_negative(f, a) != is_negative(f, b);
	uint64_t sign = minus ? sign_bit(f) : 0, ma, mb;
	int ea, eb;
	if (is_nan(f, a) || is_nan(f, b) || (is_inf(f, a) && is_inf(f, b)) || (is_zero(f, a) && is_zero(f, b)))
		return nan_bits(f);
	if (is_inf(f, a) || is_zero(f, b))
		return inf_bits(f) | sign;
	if (is_zero(f, a) || is_inf(f, b))
		return sign;
	take_apart(f, a, &ma, &ea);
	take_apart(f, b, &mb, &eb);
	while (!(mb >> f.mantissa)) {
		mb <<= 1;
		eb--;
	}
	while (!(ma >> f.mantissa)) {
		ma <<= 1;
		ea--;
	}
	u128 n = (u128)ma << 70;
	return round_exact(f, mode, minus, n / mb, ea - eb - 70, n % mb != 0);
}

static inline uint64_t exact_sqrt(format f, unsigned mode, uint64_t a)
{
	uint64_t m;
	int e;
	if (is_nan(f, a) || (is_negative(f, a) && !is_zero(f, a)))
		return nan_bits(f);
	if (is_zero(f, a) || is_inf(f, a))
		return a;
	take_apart(f, a, &m, &e);
	u128 n = m, root = 0;
	while (n >> 124 == 0 || (e & 1)) {
		n <<= 1;
		e--;
	}
	u128 rest = n;
	for (int bit = 126; bit >= 0; bit -= 2) {
		u128 trial = root + ((u128)1 << bit);
		root >>= 1;
		if (rest >= trial) {
			rest -= trial;
			root += (u128)1 << bit;
		}
	}
	return round_exact(f, mode, false, root, e / 2, rest != 0);
}

#endif
