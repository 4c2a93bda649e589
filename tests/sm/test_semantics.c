/* Operations on random and edge operands, against slow models a lane at a time that were written from the text (SR-16): docs/sass.md says from where.
 * HEDDLE_SM_SETS is the number of sets of 32 lanes for each variant of an operation; 3200 make the 100,000 of the requirement. */
#include "semantics/float_bits.h"
#include "sm/op.h"

#include "../semantics/exact.h"
#include "../test.h"

#include <math.h>

typedef unsigned __int128 u128_t;

typedef struct lane {
	const hd_sm_op *op;
	uint64_t s[3];
	bool p[3];
} lane;
typedef struct answer {
	uint64_t d;
	bool p[2];
} answer;
typedef struct row {
	const char *name;
	hd_sm_fn *fn;
	answer (*model)(const lane *x);
	void (*variant)(hd_sm_op *op, uint64_t bits); /* fills modifiers and fields from random bits */
	uint8_t sources, words[3], result, predicates, numbers;
} row;

/* -- models ----------------------------------------------------------------------------------------------------------------------- */

static bool bit_of(u128_t x, unsigned i) { return i < 128 && (x >> i & 1); }
static uint32_t word(uint64_t x) { return (uint32_t)x; }

static answer iadd3(const lane *x)
{
	u128_t sum = x->op->m[0] ? x->p[0] + x->p[1] : 0;
	for (unsigned k = 0; k < 3; k++) {
		uint32_t a = word(x->s[k]);
		sum += x->op->source[k].minus ? (u128_t)(UINT32_MAX - a) + 1 : x->op->source[k].invert ? UINT32_MAX - a : a;
	}
	return (answer){word((uint64_t)sum), {sum >= (u128_t)1 << 32, sum >= (u128_t)2 << 32}};
}
static void iadd3_variant(hd_sm_op *op, uint64_t bits)
{
	op->m[0] = bits & 1;
	op->n_predicates = op->m[0] ? 2 : 0;
	for (unsigned k = 0; k < 3; k++)
		*(op->m[0] ? &op->source[k].invert : &op->source[k].minus) = bits >> (k + 1) & 1;
}

static answer lop3(const lane *x)
{
	answer r = {0};
	for (unsigned i = 0; i < 32; i++) {
		unsigned at = (unsigned)(bit_of(x->s[0], i) << 2 | bit_of(x->s[1], i) << 1 | bit_of(x->s[2], i));
		r.d |= (uint64_t)bit_of(x->op->number[0], at) << i;
	}
	r.p[0] = x->op->m[0] ? r.d != 0 && x->p[0] : r.d != 0 || x->p[0];
	return r;
}
static void lop3_variant(hd_sm_op *op, uint64_t bits)
{
	op->m[0] = bits & 1;
	op->number[0] = bits >> 1 & 255;
	op->n_predicates = 1;
}

/* Bit by bit: c:a moved by n places, of which the sign fills what comes from above. */
static answer shf(const lane *x)
{
	const uint8_t *m = x->op->m;
	unsigned bits = m[1] < 2 ? 64 : 32, n = word(x->s[1]);
	bool is_signed = m[1] == 0 || m[1] == 2, right = m[0] == 1 || m[0] == 3;
	u128_t from = (u128_t)word(x->s[2]) << 32 | word(x->s[0]), to = 0;
	n = m[0] >= 2 ? n % bits : n > bits ? bits : n;
	for (unsigned i = 0; i < 64; i++) {
		bool b = right ? i + n < 64 ? bit_of(from, i + n) : is_signed && bit_of(from, 63) : i >= n && bit_of(from, i - n);
		to |= (u128_t)b << i;
	}
	return (answer){m[2] ? (uint64_t)to >> 32 : word((uint64_t)to), {0}};
}
static void shf_variant(hd_sm_op *op, uint64_t bits)
{
	op->m[0] = bits & 3;
	op->m[1] = bits >> 2 & 3;
	op->m[2] = bits >> 4 & 1;
}

static answer lea(const lane *x)
{
	const uint8_t *m = x->op->m;
	unsigned n = (unsigned)x->op->number[0];
	u128_t a = m[1] ? (u128_t)(m[2] ? (word(x->s[0]) >> 31 ? UINT32_MAX : 0) : word(x->s[2])) << 32 | word(x->s[0]) : word(x->s[0]);
	uint32_t shifted = (uint32_t)(m[1] ? a << n >> 32 : a << n), b = word(x->s[1]);
	u128_t sum = 0, over = 0, first = shifted, second = b;
	if (x->op->source[0].minus)
		first = (u128_t)(UINT32_MAX - shifted) + 1, over |= first >> 32;
	if (x->op->source[1].minus)
		second = (u128_t)(UINT32_MAX - b) + 1, over |= second >> 32;
	if (x->op->source[0].invert)
		first = UINT32_MAX - shifted;
	if (x->op->source[1].invert)
		second = UINT32_MAX - b;
	sum = (first & UINT32_MAX) + (second & UINT32_MAX) + (m[0] && x->p[0]);
	return (answer){word((uint64_t)sum), {sum >> 32 || over}};
}
static void lea_variant(hd_sm_op *op, uint64_t bits)
{
	op->m[0] = bits & 1;
	op->m[1] = bits >> 1 & 1;
	op->m[2] = op->m[1] && (bits >> 2 & 1);
	op->number[0] = bits >> 3 & 31;
	op->n_predicates = op->m[0];
	for (unsigned k = 0; k < 2; k++)
		*(op->m[0] ? &op->source[k].invert : &op->source[k].minus) = bits >> (8 + k) & 1;
}

static bool compared(unsigned how, int order) { return how == 7 || (how != 0 && (order < 0 ? how & 1 : order == 0 ? how & 2 : how & 4)); }
static bool joined(unsigned how, bool a, bool b) { return how == 0 ? a && b : how == 1 ? a || b : a != b; }
static answer isetp(const lane *x)
{
	const uint8_t *m = x->op->m;
	int64_t a = m[1] ? (int64_t)(int32_t)word(x->s[0]) : (int64_t)word(x->s[0]),
	        b = m[1] ? (int64_t)(int32_t)word(x->s[1]) : (int64_t)word(x->s[1]);
	bool r = compared(m[0], a < b ? -1 : a > b);
	/* As the text has it: less, or equal and the lower words less. */
	if (m[3] && m[0] != 0 && m[0] != 7) {
		bool strict = m[0] == 1 || m[0] == 3 ? a < b : m[0] == 4 || m[0] == 6 ? a > b : m[0] == 5 ? a != b : false;
		r = strict || (a == b && x->p[1]);
	}
	return (answer){0, {joined(m[2], r, x->p[0]), joined(m[2], !r, x->p[0])}};
}
static void isetp_variant(hd_sm_op *op, uint64_t bits)
{
	op->m[0] = bits & 7;
	op->m[1] = bits >> 3 & 1;
	op->m[2] = (bits >> 4 & 0xff) % 3;
	op->m[3] = bits >> 12 & 1;
	op->n_predicates = 1 + op->m[3];
}

static answer imad(const lane *x)
{
	u128_t sum = (u128_t)word(x->s[0]) * word(x->s[1]) + word(x->s[2]) + (x->op->m[1] && x->p[0]);
	return (answer){word((uint64_t)sum), {0}};
}
static u128_t product(const lane *x)
{
	__int128 a = x->op->m[0] ? (int32_t)word(x->s[0]) : (__int128)word(x->s[0]),
	         b = x->op->m[0] ? (int32_t)word(x->s[1]) : (__int128)word(x->s[1]);
	return (u128_t)(uint64_t)(a * b) + x->s[2] + (x->op->m[1] && x->p[0]);
}
static answer imad_wide(const lane *x) { return (answer){(uint64_t)product(x), {product(x) >> 64 != 0}}; }
static answer imad_hi(const lane *x) { return (answer){(uint64_t)product(x) >> 32, {product(x) >> 64 != 0}}; }
static void imad_variant(hd_sm_op *op, uint64_t bits)
{
	op->m[0] = bits & 1;
	op->m[1] = bits >> 1 & 1;
	op->n_predicates = op->m[1];
}

static answer prmt(const lane *x)
{
	uint8_t bytes[8];
	uint32_t select = word(x->s[1]), r = 0;
	unsigned n = select & 3;
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(x->s[i < 4 ? 0 : 2] >> 8 * (i & 3));
	/* PTX ISA, prmt, tables of the modes: byte 0 first. */
	static const uint8_t forward[4][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}},
	                     backward[4][4] = {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}};
	static const uint8_t left[4][4] = {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}},
	                     right[4][4] = {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}};
	static const uint8_t sixteen[4][4] = {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}};
	for (unsigned i = 0; i < 4; i++) {
		unsigned from = select >> 4 * i & 15, mode = x->op->m[0];
		uint8_t byte = mode == 0   ? from & 8 ? bytes[from & 7] & 0x80 ? 0xff : 0 : bytes[from]
		                 : mode == 1 ? bytes[forward[n][i]]
		               : mode == 2 ? bytes[backward[n][i]]
		               : mode == 3 ? bytes[n]
		               : mode == 4 ? bytes[left[n][i]]
		               : mode == 5 ? bytes[right[n][i]]
		                           : bytes[sixteen[n][i]];
		r |= (uint32_t)byte << 8 * i;
	}
	return (answer){r, {0}};
}
static void prmt_variant(hd_sm_op *op, uint64_t bits) { op->m[0] = (bits & 0xff) % 7; }

static answer sgxt(const lane *x)
{
	uint32_t n = word(x->s[1]), r = 0;
	n = x->op->m[0] ? n % 32 : n > 32 ? 32 : n;
	for (unsigned i = 0; i < 32; i++)
		r |= (uint32_t)(i < n ? bit_of(x->s[0], i) : x->op->m[1] && n && bit_of(x->s[0], n - 1)) << i;
	return (answer){r, {0}};
}
static answer bmsk(const lane *x)
{
	uint32_t at = word(x->s[0]), n = word(x->s[1]), r = 0;
	for (unsigned i = 0; i < 32; i++) {
		uint64_t from = x->op->m[0] ? at % 32 : at, length = x->op->m[0] ? n % 32 : n;
		r |= (uint32_t)(i >= from && i < from + length) << i;
	}
	return (answer){r, {0}};
}
static answer flo(const lane *x)
{
	for (unsigned i = 32; i-- > 0;)
		if (bit_of(x->s[0], i) != (x->op->m[0] && bit_of(x->s[0], 31)))
			return (answer){x->op->m[1] ? 31 - i : i, {0}};
	return (answer){UINT32_MAX, {0}};
}
static void two_bits(hd_sm_op *op, uint64_t bits)
{
	op->m[0] = bits & 1;
	op->m[1] = bits >> 1 & 1;
}
static answer popc(const lane *x)
{
	answer r = {0};
	for (unsigned i = 0; i < 32; i++)
		r.d += bit_of(x->s[0], i);
	return r;
}
static answer brev(const lane *x)
{
	answer r = {0};
	for (unsigned i = 0; i < 32; i++)
		r.d |= (uint64_t)bit_of(x->s[0], i) << (31 - i);
	return r;
}
static answer imnmx(const lane *x)
{
	int64_t a = x->op->m[0] ? (int64_t)(int32_t)word(x->s[0]) : (int64_t)word(x->s[0]),
	        b = x->op->m[0] ? (int64_t)(int32_t)word(x->s[1]) : (int64_t)word(x->s[1]);
	return (answer){word((uint64_t)(x->p[0] ? a < b ? a : b : a > b ? a : b)), {0}};
}
static void imnmx_variant(hd_sm_op *op, uint64_t bits)
{
	op->m[0] = bits & 1;
	op->n_predicates = 1;
}
static answer idp(const lane *x)
{
	int64_t sum = 0;
	bool bytes = x->op->m[0] == 0;
	for (unsigned k = 0; k < (bytes ? 4u : 2u); k++) {
		int64_t a = bytes ? (int64_t)(x->s[0] >> 8 * k & 255) : (int64_t)(x->s[0] >> 16 * k & 65535);
		int64_t b = (int64_t)(x->s[1] >> 8 * (k + (x->op->m[0] == 3 ? 2 : 0)) & 255);
		if (x->op->m[1] & 1 && a >= (bytes ? 128 : 32768))
			a -= bytes ? 256 : 65536;
		if (x->op->m[2] && b >= 128)
			b -= 256;
		sum += a * b;
	}
	return (answer){word((uint64_t)sum + x->s[2]), {0}};
}
static void idp_variant(hd_sm_op *op, uint64_t bits)
{
	static const uint8_t kinds[3] = {0, 1, 3};
	op->m[0] = kinds[(bits & 0xff) % 3];
	op->m[1] = (op->m[0] ? 2 : 0) | (bits >> 8 & 1);
	op->m[2] = bits >> 9 & 1;
}

/* -- floats: exact, then rounded once ---------------------------------------------------------------------------------------------- */

static uint32_t zero_of(uint32_t x) { return x & 0x7f800000 ? x : x & 0x80000000; }
static const uint8_t modes[4] = {HD_RN, HD_RM, HD_RP, HD_RZ_};
static answer float_model(const lane *x)
{
	const uint8_t *m = x->op->m;
	uint32_t s[3];
	for (unsigned k = 0; k < 3; k++)
		s[k] = m[0] ? zero_of(word(x->s[k])) : word(x->s[k]);
	unsigned mode = modes[m[2]], op = x->op->inst.op;
	uint32_t r = (uint32_t)(op == HD_OP_FADD   ? exact_add(F32, mode, s[0], s[1])
	                        : op == HD_OP_FMUL ? exact_mul(F32, mode, s[0], s[1])
	                                           : exact_fma(F32, mode, s[0], s[1], s[2]));
	r = m[0] ? zero_of(r) : r;
	if (m[1])
		r = is_nan(F32, r) || r >> 31 ? 0 : r > 0x3f800000 ? 0x3f800000 : r;
	return (answer){r, {0}};
}
static void float_variant(hd_sm_op *op, uint64_t bits)
{
	op->m[0] = bits & 1 ? 2 : 0;
	op->m[1] = bits >> 1 & 1;
	op->m[2] = bits >> 2 & 3;
	op->inst.mod = modes[op->m[2]];
	op->sem = hd_sem_find(&op->inst);
}

static answer hfma2(const lane *x)
{
	const format f = x->op->m[0] ? (format){7, 8} : F16;
	answer r = {0};
	for (unsigned k = 0; k < 32; k += 16) {
		uint64_t v = exact_fma(f, HD_RN, x->s[0] >> k & 0xffff, x->s[1] >> k & 0xffff, x->s[2] >> k & 0xffff);
		if (x->op->m[2])
			v = is_nan(f, v) || v >> 15 ? 0 : v > (x->op->m[0] ? 0x3f80u : 0x3c00u) ? (x->op->m[0] ? 0x3f80u : 0x3c00u) : v;
		if (x->op->m[4] && v >> 15 && !is_nan(f, v))
			v = 0;
		r.d |= v << k;
	}
	return r;
}
static void hfma2_variant(hd_sm_op *op, uint64_t bits)
{
	op->m[0] = bits & 1;
	op->m[2] = bits >> 1 & 1;
	op->m[4] = bits >> 2 & 1;
}

/* F2I: rounded, and the nearest number that the type has. TO_INTEGER_FROM: 2 f32, 3 f64; INTEGER_TO's values are hd_itype's. */
static answer f2i(const lane *x)
{
	const uint8_t *m = x->op->m;
	uint32_t bits = m[4] ? zero_of(word(x->s[0])) : word(x->s[0]);
	bool wide = (m[0] & 3) == 3, is_signed = m[0] >> 2;
	double v = m[1] == 3 ? hd_f64_of_bits(x->s[0]) : hd_f32_of_bits(bits), least = is_signed ? wide ? -0x1p63 : -0x1p31 : 0,
	       most = wide        ? is_signed ? 0x1p63 : 0x1p64
	              : is_signed ? 0x1p31
	                          : 0x1p32;
	if (v != v)
		return (answer){m[3] ? 0 : wide ? UINT64_C(1) << 63 : 0x80000000u, {0}};
	v = m[2] == 0 ? rint(v) : m[2] == 1 ? floor(v) : m[2] == 2 ? ceil(v) : trunc(v);
	uint64_t r = v >= most    ? (is_signed ? UINT64_MAX >> 1 : UINT64_MAX) >> (wide ? 0 : 32)
	             : v <= least ? (uint64_t)(is_signed ? wide ? INT64_MIN : INT32_MIN : 0)
	             : v < 0      ? 0 - (uint64_t)-v
	                          : (uint64_t)v;
	return (answer){wide ? r : word(r), {0}};
}
static void f2i_variant(hd_sm_op *op, uint64_t bits)
{
	op->m[0] = bits & 1 ? HD_S32 : HD_U32;
	op->m[1] = 2;
	op->m[2] = bits >> 1 & 3;
	op->m[3] = bits >> 3 & 1;
	op->m[4] = bits >> 4 & 1;
}
static void f2i_wide_variant(hd_sm_op *op, uint64_t bits)
{
	f2i_variant(op, bits);
	op->m[0] = bits & 1 ? HD_S64 : HD_U64;
}

static void f2i_double_variant(hd_sm_op *op, uint64_t bits)
{
	f2i_variant(op, bits & 15);
	op->m[1] = 3;
}

static double half_value(uint32_t half, bool brain)
{
	unsigned mantissa = brain ? 7 : 10, exponent = half >> mantissa & (brain ? 255 : 31);
	int e = (int)(exponent ? exponent : 1) - (brain ? 127 : 15) - (int)mantissa;
	double m = (double)((half & ((1u << mantissa) - 1)) | (exponent ? 1u << mantissa : 0));
	if (exponent == (brain ? 255u : 31u))
		m = half & ((1u << mantissa) - 1) ? NAN : INFINITY;
	return ldexp(half >> 15 & 1 ? -m : m, e);
}
/* HSET2 and HSETP2: COMPARE_4's values are sets of less, equal, greater, unordered. */
static void halves_compared(const lane *x, bool ftz, bool held[2])
{
	for (unsigned k = 0; k < 2; k++) {
		bool brain = x->op->m[0];
		uint32_t a = x->s[0] >> 16 * k & 0xffff, b = x->s[1] >> 16 * k & 0xffff, exponent = brain ? 0x7f80 : 0x7c00;
		double v = half_value(ftz && !(a & exponent) ? a & 0x8000 : a, brain), w = half_value(ftz && !(b & exponent) ? b & 0x8000 : b, brain);
		held[k] = x->op->m[1] & (v < w ? 1 : v == w ? 2 : v > w ? 4 : 8);
	}
}
static answer hset2(const lane *x)
{
	bool held[2];
	uint64_t r = 0;
	halves_compared(x, x->op->m[2], held);
	for (unsigned k = 0; k < 2; k++)
		if (joined(x->op->m[3], held[k], x->p[0]))
			r |= (uint64_t)(!x->op->m[4] ? 0xffff : x->op->m[0] ? 0x3f80 : 0x3c00) << 16 * k;
	return (answer){r, {0}};
}
static answer hsetp2(const lane *x)
{
	bool held[2], both;
	halves_compared(x, x->op->m[2], held);
	both = held[0] && held[1];
	return (answer){0, {joined(x->op->m[3], x->op->m[4] ? both : held[0], x->p[0]), joined(x->op->m[3], x->op->m[4] ? !both : held[1], x->p[0])}};
}
static void hset2_variant(hd_sm_op *op, uint64_t bits)
{
	op->m[0] = bits & 1;
	op->m[1] = bits >> 1 & 15;
	op->m[2] = bits >> 5 & 1;
	op->m[3] = (bits >> 8 & 0xff) % 3;
	op->m[4] = bits >> 6 & 1;
	op->n_predicates = 1;
}

static const row rows[] = {
    {"iadd3", hd_sm_iadd3, iadd3, iadd3_variant, 3, {1, 1, 1}, 1, 2, HD_SM_RAW},
    {"lop3", hd_sm_lop3, lop3, lop3_variant, 3, {1, 1, 1}, 1, 1, HD_SM_I},
    {"shf", hd_sm_shf, shf, shf_variant, 3, {1, 1, 1}, 1, 0, HD_SM_I},
    {"lea", hd_sm_lea, lea, lea_variant, 3, {1, 1, 1}, 1, 1, HD_SM_RAW},
    {"isetp", hd_sm_isetp, isetp, isetp_variant, 2, {1, 1, 1}, 0, 2, HD_SM_I},
    {"imad", hd_sm_imad, imad, imad_variant, 3, {1, 1, 1}, 1, 0, HD_SM_I},
    {"imad.wide", hd_sm_imad_wide, imad_wide, imad_variant, 3, {1, 1, 2}, 2, 1, HD_SM_I},
    {"imad.hi", hd_sm_imad_hi, imad_hi, imad_variant, 3, {1, 1, 2}, 1, 1, HD_SM_I},
    {"prmt", hd_sm_prmt, prmt, prmt_variant, 3, {1, 1, 1}, 1, 0, HD_SM_I},
    {"sgxt", hd_sm_sgxt, sgxt, two_bits, 2, {1, 1, 1}, 1, 0, HD_SM_I},
    {"bmsk", hd_sm_bmsk, bmsk, two_bits, 2, {1, 1, 1}, 1, 0, HD_SM_I},
    {"flo", hd_sm_flo, flo, two_bits, 1, {1, 1, 1}, 1, 0, HD_SM_I},
    {"popc", hd_sm_popc, popc, two_bits, 1, {1, 1, 1}, 1, 0, HD_SM_I},
    {"brev", hd_sm_brev, brev, two_bits, 1, {1, 1, 1}, 1, 0, HD_SM_I},
    {"imnmx", hd_sm_imnmx, imnmx, imnmx_variant, 2, {1, 1, 1}, 1, 0, HD_SM_I},
    {"idp", hd_sm_idp, idp, idp_variant, 3, {1, 1, 1}, 1, 0, HD_SM_I},
    {"fadd", hd_sm_float, float_model, float_variant, 2, {1, 1, 1}, 1, 0, HD_SM_F},
    {"fmul", hd_sm_float, float_model, float_variant, 2, {1, 1, 1}, 1, 0, HD_SM_F},
    {"ffma", hd_sm_float, float_model, float_variant, 3, {1, 1, 1}, 1, 0, HD_SM_F},
    {"hfma2", hd_sm_hfma2, hfma2, hfma2_variant, 3, {1, 1, 1}, 1, 0, HD_SM_H},
    {"hset2", hd_sm_hset2, hset2, hset2_variant, 2, {1, 1, 1}, 1, 0, HD_SM_H},
    {"hsetp2", hd_sm_hsetp2, hsetp2, hset2_variant, 2, {1, 1, 1}, 0, 2, HD_SM_H},
    {"f2i", hd_sm_f2i, f2i, f2i_variant, 1, {1, 1, 1}, 1, 0, HD_SM_RAW},
    {"f2i.double", hd_sm_f2i, f2i, f2i_double_variant, 1, {2, 1, 1}, 1, 0, HD_SM_RAW},
    {"f2i.wide", hd_sm_f2i, f2i, f2i_wide_variant, 1, {1, 1, 1}, 2, 0, HD_SM_RAW},
};

static uint32_t operand(uint64_t *state)
{
	static const uint32_t edges[] = {0,          1,          2,          31,         32,         33,         63,         64,         65,
	                                 0x7fffffff, 0x80000000, 0x80000001, UINT32_MAX, 0x7f800000, 0xff800000, 0x7fc00000, 0x00400000, 0x80000001,
	                                 0x3f800000, 0xbf800000, 0x7f7fffff, 0x00800000, 0x3c003c00, 0x7bff0001, 0x80017c00, 0x7e00fbff, 0x04000400};
	uint64_t r = hd_random(state);
	switch (r >> 61) {
	case 0:
	case 1:
		return edges[r % HD_COUNT(edges)];
	case 2:
		return (uint32_t)r & 63;
	case 3:
		return (uint32_t)r & 0x83ffffff; /* denormals and small floats */
	case 4:
		return 0x3f000000 + ((uint32_t)r & 0x80ffffff);
	default:
		return (uint32_t)r;
	}
}

static void check_set(const row *r, hd_sm_op *op, uint64_t *state)
{
	hd_vec32 s[3][2];
	hd_sm_in in = {.mask = UINT32_MAX};
	hd_sm_out out;
	for (unsigned k = 0; k < HD_SM_SOURCES; k++)
		in.s[k] = s[k < 3 ? k : 2];
	for (unsigned i = 0; i < HD_LANES; i++)
		for (unsigned k = 0; k < 6; k++)
			s[k / 2][k % 2].v[i] = operand(state);
	for (unsigned i = 0; i < HD_LANES; i += 5)
		s[1][0].v[i] = s[0][0].v[i];
	for (unsigned k = 0; k < 3; k++)
		in.p[k] = (uint32_t)hd_random(state);
	r->fn(op, &in, &out);
	for (unsigned i = 0; i < HD_LANES; i++) {
		lane x = {.op = op};
		for (unsigned k = 0; k < 3; k++) {
			x.s[k] = s[k][0].v[i] | (r->words[k] > 1 ? (uint64_t)s[k][1].v[i] << 32 : 0);
			x.p[k] = in.p[k] >> i & 1;
		}
		answer expected = r->model(&x);
		uint64_t d = r->result ? out.d[0].v[i] | (r->result > 1 ? (uint64_t)out.d[1].v[i] << 32 : 0) : 0;
		bool same = d == (r->result ? expected.d : 0);
		for (unsigned k = 0; k < r->predicates; k++)
			same = same && (out.p[k] >> i & 1) == expected.p[k];
		if (!same)
			fail_msg("%s (modifiers %u %u %u %u %u, numbers %llu) of %llx %llx %llx, predicates %d %d: %llx %u %u, expected %llx %d %d",
			         r->name, op->m[0], op->m[1], op->m[2], op->m[3], op->m[4], (unsigned long long)op->number[0],
			         (unsigned long long)x.s[0], (unsigned long long)x.s[1], (unsigned long long)x.s[2], x.p[0], x.p[1],
			         (unsigned long long)d, out.p[0] >> i & 1, out.p[1] >> i & 1, (unsigned long long)expected.d, expected.p[0],
			         expected.p[1]);
	}
}

TEST(sr_16_operations_equal_slow_models)
{
	(void)state;
	const char *asked = getenv("HEDDLE_SM_SETS");
	unsigned long sets = asked ? strtoul(asked, NULL, 10) : 200;
	for (size_t k = 0; k < HD_COUNT(rows); k++) {
		uint64_t random = k + 1;
		for (unsigned long set = 0; set < sets; set++) {
			hd_sm_op op = {.kind = HD_SM_PURE, .numbers = rows[k].numbers, .n_sources = rows[k].sources};
			op.inst = (hd_inst){.op = strcmp(rows[k].name, "fadd") == 0   ? HD_OP_FADD
			                          : strcmp(rows[k].name, "fmul") == 0 ? HD_OP_FMUL
			                                                              : HD_OP_FFMA,
			                    .guard = HD_PT};
			rows[k].variant(&op, hd_random(&random));
			check_set(&rows[k], &op, &random);
		}
	}
}

/* MUFU within 2^-22 of the function, of one turn for sine and cosine; and what has no error. */
TEST(sr_3_approximate_functions)
{
	(void)state;
	enum { COS, SIN, EX2, LG2, RCP, RSQ, RCP64H, RSQ64H, SQRT, TANH, FUNCTIONS };
	uint64_t random = 3;
	for (unsigned which = 0; which < FUNCTIONS; which++)
		for (unsigned set = 0; set < 100; set++) {
			hd_vec32 s;
			hd_sm_op op = {.m = {(uint8_t)which}, .n_sources = 1};
			hd_sm_in in = {.s = {&s, &s, &s}, .mask = UINT32_MAX};
			hd_sm_out out;
			for (unsigned i = 0; i < HD_LANES; i++) {
				double x = (double)(int64_t)(hd_random(&random) % 2000001) / 1e5 - 10;
				bool high = which == RCP64H || which == RSQ64H;
				x = which >= LG2 && which <= SQRT && which != RCP && which != RCP64H ? fabs(x) + 1e-6 : x;
				s.v[i] = high ? (uint32_t)(hd_bits_of_f64(x) >> 32) : hd_bits_of_f32((float)x);
			}
			hd_sm_mufu(&op, &in, &out);
			for (unsigned i = 0; i < HD_LANES; i++) {
				double x = hd_f32_of_bits(s.v[i]), wide = hd_f64_of_bits((uint64_t)s.v[i] << 32), turn = 2 * acos(-1);
				const double values[] = {cos(turn * x), sin(turn * x), exp2(x),        log2(x), 1 / x,
				                         1 / sqrt(x),   1 / wide,      1 / sqrt(wide), sqrt(x), tanh(x)};
				double got = which == RCP64H || which == RSQ64H ? hd_f64_of_bits((uint64_t)out.d[0].v[i] << 32)
				                                                : hd_f32_of_bits(out.d[0].v[i]);
				double expected = values[which], least = which <= SIN ? 1 : which == LG2 ? 0.5 : 0;
				if (!(fabs(got - expected) <= fmax(fabs(expected), least) * (which == RCP64H || which == RSQ64H ? 0x1p-20 : 0x1p-22)))
					fail_msg("MUFU %u of %a: %a, expected %a", which, x, got, expected);
			}
		}
	static const struct {
		unsigned which;
		uint32_t of, result;
	} exact[] = {{RCP, 0, 0x7f800000},          {RCP, 0xff800000, 0x80000000}, {RSQ, 0, 0x7f800000},          {SQRT, 0xbf800000, HD_F32_NAN},
	             {LG2, 0, 0xff800000},          {EX2, 0xff800000, 0},          {EX2, 0, 0x3f800000},          {SIN, 0x7f800000, HD_F32_NAN},
	             {COS, 0x7fc00000, HD_F32_NAN}, {COS, 0, 0x3f800000},          {SIN, 0x3e800000, 0x3f800000}, {COS, 0x3f000000, 0xbf800000},
	             {SIN, 0x3f400000, 0xbf800000}, {SIN, 0x4b000001, 0}};
	for (unsigned k = 0; k < HD_COUNT(exact); k++) {
		hd_vec32 s;
		hd_sm_op op = {.m = {(uint8_t)exact[k].which}, .n_sources = 1};
		hd_sm_out out;
		for (unsigned i = 0; i < HD_LANES; i++)
			s.v[i] = exact[k].of;
		hd_sm_mufu(&op, &(hd_sm_in){.s = {&s, &s, &s}, .mask = UINT32_MAX}, &out);
		if (out.d[0].v[7] != exact[k].result)
			fail_msg("MUFU %u of 0x%x: 0x%x, expected 0x%x", exact[k].which, exact[k].of, out.d[0].v[7], exact[k].result);
	}
}

/* R2UR takes the lowest lane that executes, and says whether others differ. */
TEST(sr_3_one_value_of_many)
{
	(void)state;
	hd_vec32 s;
	hd_sm_op op = {.n_sources = 1};
	hd_sm_out out;
	for (unsigned i = 0; i < HD_LANES; i++)
		s.v[i] = 40 + i / 4;
	hd_sm_r2ur(&op, &(hd_sm_in){.s = {&s}, .mask = 0xf0}, &out);
	assert_int_equal(out.d[0].v[0], 41);
	assert_int_equal(out.p[0], 0);
	hd_sm_r2ur(&op, &(hd_sm_in){.s = {&s}, .mask = 0x1e0}, &out);
	assert_int_equal(out.d[0].v[31], 41);
	assert_int_equal(out.p[0], UINT32_MAX);
}
