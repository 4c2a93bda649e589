/* Pairs of floats of 16 bits: binary16, and bfloat16 with .BF16_V2. Each result is that of exact arithmetic, rounded once. */
#include "sm/half.h"
#include "semantics/round.h"
#include "sm/lane.h"

static hd_float_format format_of(bool brain) { return brain ? (hd_float_format){7, 8} : HD_FORMAT_F16; }

double hd_sm_of_half(uint32_t bits, bool brain)
{
	if (brain)
		return hd_f32_of_bits(bits << 16);
	uint32_t sign = bits >> 15 & 1, exponent = bits >> 10 & 31, m = bits & 0x3ff;
	double value = exponent == 31 ? (m ? __builtin_nan("") : __builtin_inf())
	               : exponent     ? (double)(m | 0x400) * (double)(UINT64_C(1) << exponent) * 0x1p-25
	                              : m * 0x1p-24;
	return sign ? -value : value;
}

uint32_t hd_sm_to_half(double value, bool brain, unsigned mode)
{
	uint64_t bits = hd_bits_of_f64(value);
	if (value != value)
		return 0x7fff;
	if (value - value != 0)
		return (uint32_t)(bits >> 63 << 15) | (brain ? 0x7f80u : 0x7c00u);
	hd_parts parts = hd_parts_of_f64(bits);
	return (uint32_t)hd_round_pack(format_of(brain), mode, parts.sign, parts.m, parts.e);
}

static uint32_t flushed(uint32_t half, bool brain) { return half & (brain ? 0x7f80u : 0x7c00u) ? half : half & 0x8000; }
static bool is_nan(uint32_t half, bool brain) { return (half & 0x7fff) > (brain ? 0x7f80u : 0x7c00u); }

/* Half `k` of a source. A sign at the operand has been applied to the bits of halves; a float has its own. */
static uint32_t half_of(const hd_sm_in *in, const hd_sm_op *op, unsigned source, unsigned i, unsigned k, bool brain)
{
	uint32_t word = in->s[source]->v[i];
	switch (op->source[source].select) {
	case HD_SM_SINGLE:
		return hd_sm_to_half(hd_f32_of_bits(word), brain, HD_RZ_);
	case HD_SM_FIRST:
		return word & 0xffff;
	case HD_SM_SECOND:
		return word >> 16;
	case HD_SM_SECOND_NEGATED:
		return k ? word >> 16 ^ 0x8000 : word & 0xffff;
	default:
		return word >> 16 * k & 0xffff;
	}
}

typedef struct halves {
	bool brain, flush, saturate, wide, relu;
} halves;

static double value_of(const hd_sm_in *in, const hd_sm_op *op, unsigned source, unsigned i, unsigned k, halves h)
{
	if (source >= op->n_sources)
		return -0.0;
	uint32_t half = half_of(in, op, source, i, k, h.brain);
	return hd_sm_of_half(h.flush ? flushed(half, h.brain) : half, h.brain);
}

/* p + c to odd: an inexact sum has an odd last bit, so that the second rounding is that of the exact sum. */
static double sum_to_odd(double p, double c)
{
	double s = p + c, back = s - p, error = (p - (s - back)) + (c - back);
	uint64_t bits = hd_bits_of_f64(s);
	bool inexact = (error > 0) | (error < 0);
	if (!inexact || bits & 1 || s - s != 0)
		return s;
	return hd_f64_of_bits(bits + ((error > 0) == (s > 0) ? 1 : UINT64_MAX));
}

static uint32_t finished(double value, halves h)
{
	uint32_t half = hd_sm_to_half(value, h.brain, HD_RN);
	if (h.flush)
		half = flushed(half, h.brain);
	if (h.saturate)
		half = is_nan(half, h.brain) || half >> 15 ? 0 : value > 1 ? h.brain ? 0x3f80 : 0x3c00 : half;
	if (h.relu && half >> 15 && !is_nan(half, h.brain))
		half = 0;
	return half;
}

/* product: source 0 times 1, plus source 2 where it is there; otherwise the sum of 0 and 1. */
static void arithmetic(const hd_sm_op *op, const hd_sm_in *in, hd_sm_out *out, halves h, bool product)
{
	EACH
	{
		uint32_t r = 0;
		for (unsigned k = 0; k < 2; k++) {
			double a = value_of(in, op, 0, i, k, h), b = value_of(in, op, 1, i, k, h);
			double exact = !product ? sum_to_odd(a, b) : op->n_sources > 2 ? sum_to_odd(a * b, value_of(in, op, 2, i, k, h)) : a * b;
			if (h.wide) {
				float single = (float)exact;
				out->d[0].v[i] = hd_f32_canonical(hd_bits_of_f32(h.saturate ? single > 0 ? single < 1 ? single : 1 : 0 : single));
				break;
			}
			r |= finished(exact, h) << 16 * k;
		}
		if (!h.wide)
			out->d[0].v[i] = r;
	}
}

FUNCTION(hadd2) { arithmetic(op, in, out, (halves){op->m[0], op->m[1], op->m[2], op->m[3], false}, false); }
FUNCTION(hmul2) { arithmetic(op, in, out, (halves){op->m[0], op->m[1], op->m[2], op->m[3], false}, true); }
FUNCTION(hfma2) { arithmetic(op, in, out, (halves){op->m[0], op->m[1], op->m[2], op->m[3], op->m[4]}, true); }

FUNCTION(hmnmx2)
{
	halves h = {.brain = op->m[0], .flush = op->m[1]};
	EACH
	{
		uint32_t r = 0;
		bool minimum = in->p[0] >> i & 1;
		for (unsigned k = 0; k < 2; k++) {
			double a = value_of(in, op, 0, i, k, h), b = value_of(in, op, 1, i, k, h);
			bool less = a < b || (a == b && __builtin_signbit(a) && !__builtin_signbit(b));
			double value = a != a ? op->m[2] ? a : b : b != b ? op->m[2] ? b : a : less == minimum ? a : b;
			r |= finished(value, h) << 16 * k;
		}
		out->d[0].v[i] = r;
	}
}

static void compare(const hd_sm_op *op, const hd_sm_in *in, uint32_t p[2])
{
	halves h = {.brain = op->m[0], .flush = op->m[2]};
	p[0] = p[1] = 0;
	EACH for (unsigned k = 0; k < 2; k++)
	{
		double a = value_of(in, op, 0, i, k, h), b = value_of(in, op, 1, i, k, h);
		p[k] |= (uint32_t)hd_sm_holds(op->m[1], a < b, !(a < b) && !(a > b), a != a || b != b) << i;
	}
}

FUNCTION(hset2)
{
	uint32_t p[2];
	compare(op, in, p);
	for (unsigned k = 0; k < 2; k++)
		p[k] = hd_sm_combine(op->m[3], p[k], in->p[0]);
	uint32_t yes = op->m[4] ? op->m[0] ? 0x3f80 : 0x3c00 : 0xffff;
	EACH out->d[0].v[i] = (p[0] >> i & 1 ? yes : 0) | (p[1] >> i & 1 ? yes << 16 : 0);
}

/* A predicate for each half; .H_AND: one for both, and its opposite. */
FUNCTION(hsetp2)
{
	uint32_t p[2];
	compare(op, in, p);
	uint32_t both = p[0] & p[1];
	out->p[0] = hd_sm_combine(op->m[3], op->m[4] ? both : p[0], in->p[0]);
	out->p[1] = hd_sm_combine(op->m[3], op->m[4] ? ~both : p[1], in->p[0]);
}
