/* Integer functions and operators, in all eight types, against 128-bit arithmetic. */
#include "exact.h"

enum { NARROW = 1, WORD = 2, NO_ZERO = 4, RESULT_UNSIGNED = 8, SMALL = 16, ORDERED = 32 };

typedef cf_wide (*reference)(cf_wide a, cf_wide b, cf_wide c, unsigned bits, bool is_signed);
typedef struct function {
	const char *name, *expr;
	unsigned arguments;
	reference of;
	int flags;
} function;

static cf_wide least(unsigned bits, bool is_signed) { return is_signed ? -((cf_wide)1 << (bits - 1)) : 0; }
static cf_wide most(unsigned bits, bool is_signed) { return ((cf_wide)1 << (bits - is_signed)) - 1; }
static cf_wide saturate(cf_wide v, unsigned bits, bool is_signed)
{
	return v < least(bits, is_signed) ? least(bits, is_signed) : v > most(bits, is_signed) ? most(bits, is_signed) : v;
}
static uint64_t bits_of(cf_wide v, unsigned bits) { return (uint64_t)v & (~(uint64_t)0 >> (64 - bits)); }
/* Two's complement, of products that may not fit 128 bits with a sign. */
static cf_wide wrap_add(cf_wide a, cf_wide b)
{
	__extension__ typedef unsigned __int128 raw;
	return (cf_wide)((raw)a + (raw)b);
}
static cf_wide wrap_mul(cf_wide a, cf_wide b)
{
	__extension__ typedef unsigned __int128 raw;
	return (cf_wide)((raw)a * (raw)b);
}

#define OF(name, value)                                                                          \
	static cf_wide of_##name(cf_wide a, cf_wide b, cf_wide c, unsigned bits, bool is_signed) \
	{                                                                                        \
		(void)a, (void)b, (void)c, (void)bits, (void)is_signed;                          \
		return value;                                                                    \
	}
OF(abs, a < 0 ? -a : a)
OF(abs_diff, a > b ? a - b : b - a)
OF(add_sat, saturate(a + b, bits, is_signed))
OF(sub_sat, saturate(a - b, bits, is_signed))
OF(hadd, (a + b) >> 1)
OF(rhadd, (a + b + 1) >> 1)
OF(clamp, a<b ? b : a> c ? c : a)
OF(clz, bits_of(a, bits) == 0 ? (cf_wide)bits : (cf_wide)(__builtin_clzll(bits_of(a, bits)) - (64 - (int)bits)))
OF(popcount, __builtin_popcountll(bits_of(a, bits)))
OF(max, a > b ? a : b)
OF(min, a < b ? a : b)
OF(mul_sum, wrap_add(wrap_mul(a, b), c))
OF(rotate, (b = (cf_wide)(bits_of(b, bits) % bits), (cf_wide)(bits_of(a, bits) << b | (b ? bits_of(a, bits) >> (bits - (unsigned)b) : 0))))
OF(add, a + b)
OF(sub, a - b)
OF(mul, wrap_mul(a, b))
OF(div, a / b)
OF(rem, a % b)
OF(and, a &b)
OF(or, a | b)
OF(xor, a ^ b)
OF(not, ~a)
OF(neg, -a)
OF(shl, (cf_wide)(bits_of(a, bits) << (bits_of(b, bits) % bits)))
OF(shr, a >> (bits_of(b, bits) % bits))
OF(max_3, a > 3 ? a : 3)
OF(min_3, a < 3 ? a : 3)
OF(clamp_2_9, a<2 ? 2 : a> 9 ? 9 : a)

/* The high word of an unsigned 64-bit product uses all 128 bits. */
static cf_wide of_mul_hi(cf_wide a, cf_wide b, cf_wide c, unsigned bits, bool is_signed)
{
	__extension__ typedef unsigned __int128 raw;
	(void)c;
	return is_signed ? (a * b) >> bits : (cf_wide)(((raw)a * (raw)b) >> bits);
}
static cf_wide of_mad_hi(cf_wide a, cf_wide b, cf_wide c, unsigned bits, bool is_signed) { return of_mul_hi(a, b, 0, bits, is_signed) + c; }
static cf_wide of_mad_sat(cf_wide a, cf_wide b, cf_wide c, unsigned bits, bool is_signed)
{
	__extension__ typedef unsigned __int128 raw;
	if (is_signed)
		return saturate(a * b + c, bits, true);
	raw product = (raw)a * (raw)b, limit = (raw)most(bits, false);
	return product > limit || product + (raw)c > limit ? most(bits, false) : (cf_wide)(product + (raw)c);
}

static const function rows[] = {
    {"abs", "abs(A)", 1, of_abs, RESULT_UNSIGNED},
    {"abs_diff", "abs_diff(A, B)", 2, of_abs_diff, RESULT_UNSIGNED},
    {"add_sat", "add_sat(A, B)", 2, of_add_sat, 0},
    {"hadd", "hadd(A, B)", 2, of_hadd, 0},
    {"rhadd", "rhadd(A, B)", 2, of_rhadd, 0},
    {"clamp", "clamp(A, B, C)", 3, of_clamp, ORDERED},
    {"clamp", "clamp(A, (@)2, (@)9)", 1, of_clamp_2_9, 0},
    {"clz", "clz(A)", 1, of_clz, 0},
    {"mad_hi", "mad_hi(A, B, C)", 3, of_mad_hi, 0},
    {"mad_sat", "mad_sat(A, B, C)", 3, of_mad_sat, 0},
    {"max", "max(A, B)", 2, of_max, 0},
    {"max", "max(A, (@)3)", 1, of_max_3, 0},
    {"min", "min(A, B)", 2, of_min, 0},
    {"min", "min(A, (@)3)", 1, of_min_3, 0},
    {"mul_hi", "mul_hi(A, B)", 2, of_mul_hi, 0},
    {"rotate", "rotate(A, B)", 2, of_rotate, 0},
    {"sub_sat", "sub_sat(A, B)", 2, of_sub_sat, 0},
    {"popcount", "popcount(A)", 1, of_popcount, 0},
    {"mad24", "mad24(A, B, C)", 3, of_mul_sum, WORD | SMALL},
    {"mul24", "mul24(A, B)", 2, of_mul, WORD | SMALL},
    {"x + y", "A + B", 2, of_add, 0},
    {"x - y", "A - B", 2, of_sub, 0},
    {"x * y", "A * B", 2, of_mul, 0},
    {"x / y", "A / B", 2, of_div, NO_ZERO},
    {"x % y", "A % B", 2, of_rem, NO_ZERO},
    {"x & y", "A & B", 2, of_and, 0},
    {"x | y", "A | B", 2, of_or, 0},
    {"x ^ y", "A ^ B", 2, of_xor, 0},
    {"~x", "~A", 1, of_not, 0},
    {"-x", "-A", 1, of_neg, 0},
    {"x << y", "A << B", 2, of_shl, WORD},
    {"x >> y", "A >> B", 2, of_shr, WORD},
};

static void fill(cf_session *s, const cf_case *c, size_t n, void *const arg[CF_ARGS], void *expect)
{
	const function *f = c->data;
	unsigned bits = 8 * (unsigned)cf_size(c->arg[0]);
	bool is_signed = cf_is_signed(c->arg[0]);
	for (unsigned a = 0; a < f->arguments; a++)
		cf_fill_any(s, c->arg[a], arg[a], n, a);
	for (size_t i = 0; i < n; i++) {
		cf_wide v[3] = {0, 0, 0};
		for (unsigned a = 0; a < f->arguments; a++) {
			v[a] = cf_integer(c->arg[a], arg[a], i);
			if (f->flags & SMALL && a < 2) /* 24 bits, with a sign or without */
				v[a] = is_signed ? (cf_wide)((int64_t)((uint64_t)v[a] << 40) >> 40) : v[a] & 0xffffff;
		}
		if (f->flags & NO_ZERO && (v[1] == 0 || (is_signed && v[1] == -1)))
			v[1] = 7;
		if (f->flags & ORDERED && v[1] > v[2]) {
			cf_wide t = v[1];
			v[1] = v[2];
			v[2] = t;
		}
		for (unsigned a = 0; a < f->arguments; a++)
			cf_set_integer(c->arg[a], arg[a], i, v[a]);
		((exact_expect *)expect)[i] = (exact_expect){f->of(v[0], v[1], v[2], bits, is_signed), false};
	}
}

static void fill_upsample(cf_session *s, const cf_case *c, size_t n, void *const arg[CF_ARGS], void *expect)
{
	unsigned bits = 8 * (unsigned)cf_size(c->arg[0]);
	for (unsigned a = 0; a < 2; a++)
		cf_fill_any(s, c->arg[a], arg[a], n, a);
	for (size_t i = 0; i < n; i++)
		((exact_expect *)expect)[i] =
		    (exact_expect){cf_integer(c->arg[0], arg[0], i) * ((cf_wide)1 << bits) + cf_integer(c->arg[1], arg[1], i), false};
}

void cf_integers(cf_session *s)
{
	static const char *const names[8] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"};
	for (unsigned t = 0; t < 8; t++) {
		if (s->reduced && (t & 1) != (t >> 1 & 1)) /* char, ushort, int, ulong */
			continue;
		cf_case cases[sizeof rows / sizeof rows[0] + 1];
		unsigned count = 0;
		for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
			const function *f = &rows[i];
			if (f->flags & WORD && cf_size(names[t]) != 4 && !(strchr(f->name, '<') || strchr(f->name, '>')))
				continue;
			if (f->flags & WORD && cf_size(names[t]) < 4) /* a shift of a narrow scalar is one of int */
				continue;
			cf_case *c = &cases[count++];
			*c = (cf_case){.section = "integer",
			               .name = f->name,
			               .type = names[t],
			               .expr = f->expr,
			               .r = f->flags & RESULT_UNSIGNED ? names[t | 1] : names[t],
			               .data = f,
			               .fill = fill,
			               EXACT_CASE};
			for (unsigned a = 0; a < f->arguments; a++)
				c->arg[a] = names[t];
		}
		if (t < 6)
			cases[count++] = (cf_case){.section = "integer",
			                           .name = "upsample",
			                           .type = names[t],
			                           .expr = "upsample(A, B)",
			                           .arg = {names[t], names[t | 1]},
			                           .r = names[t + 2],
			                           .fill = fill_upsample,
			                           EXACT_CASE};
		cf_run(s, cases, count);
	}
}
