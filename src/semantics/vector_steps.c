#include "semantics/vector.h"

#include "semantics/round.h"

/* Steps of the division and square-root sequences. An operand is split into a mantissa near 1, on which the sequence works without regard to
 * range, and a code word, from which the last step makes the result. */

enum { KIND_FINITE, KIND_ZERO, KIND_INFINITE, KIND_NAN };

#define SIGN64 (UINT64_C(1) << 63)
#define ONE64 UINT64_C(0x3ff0000000000000)
#define MANTISSA64 ((UINT64_C(1) << 52) - 1)

/* Mantissa bits and unbiased exponent of a non-zero finite float; a denormal is normalised by making a float of its mantissa. */
INLINE void split32(uint32_t a, uint32_t *mantissa, int32_t *exponent)
{
	uint32_t field = a >> 23 & 255, m = a & 0x7fffffu, n = hd_bits_of_f32((float)(int32_t)m);
	*mantissa = field ? m : n & 0x7fffffu;
	*exponent = (int32_t)(field ? field - 127 : (n >> 23) - (127 + 149));
}

INLINE void split64(uint64_t a, uint64_t *mantissa, int64_t *exponent)
{
	uint64_t field = a >> 52 & 2047, m = a & MANTISSA64, n = hd_bits_of_f64(hd_f64_of_bits(m | UINT64_C(0x433) << 52) - 0x1p52);
	*mantissa = field ? m : n & MANTISSA64;
	*exponent = (int64_t)(field ? field - 1023 : (n >> 52) - (1023 + 1074));
}

INLINE bool ordinary32(uint32_t a) { return ((a & 0x7fffffffu) - 1) < HD_F32_INF - 1; }
INLINE bool ordinary64(uint64_t a) { return ((a & ~SIGN64) - 1) < HD_F64_INF - 1; }

INLINE uint32_t kind_of_quotient(bool nan, bool a_zero, bool a_infinite, bool b_zero, bool b_infinite)
{
	uint32_t kind = (a_zero | b_infinite) ? KIND_ZERO : KIND_FINITE;
	kind = (a_infinite | b_zero) ? KIND_INFINITE : kind;
	return (nan | (a_zero & b_zero) | (a_infinite & b_infinite)) ? KIND_NAN : kind;
}

SEM_FN(TO_R, fmant)
{
	LANES
	{
		uint32_t a = in->a->v[i], m;
		int32_t e;
		split32(a, &m, &e);
		out->r[0].v[i] = (a & 0x80000000u) | 0x3f800000u | (ordinary32(a) ? m : 0);
	}
}

SEM_FN(TO_R, fdivx)
{
	LANES
	{
		uint32_t a = in->a->v[i], b = in->b->v[i], ma, mb, x = a & 0x7fffffffu, y = b & 0x7fffffffu;
		int32_t ea, eb;
		split32(a, &ma, &ea);
		split32(b, &mb, &eb);
		uint32_t kind = kind_of_quotient((x > HD_F32_INF) | (y > HD_F32_INF), x == 0, x == HD_F32_INF, y == 0, y == HD_F32_INF);
		out->r[0].v[i] = (uint32_t)((kind ? 0 : ea - eb) + 2048) | kind << 12 | (a ^ b) >> 31 << 14;
	}
}

SEM_FN(TO_R, fsqrtm)
{
	LANES
	{
		uint32_t a = in->a->v[i], m;
		int32_t e;
		split32(a, &m, &e);
		out->r[0].v[i] = ordinary32(a) && a >> 31 == 0 ? (uint32_t)(127 + (e & 1)) << 23 | m : 0x3f800000u;
	}
}

SEM_FN(TO_R, fsqrtx)
{
	LANES
	{
		uint32_t a = in->a->v[i], m;
		int32_t e;
		split32(a, &m, &e);
		uint32_t kind = a > HD_F32_INF ? KIND_NAN : a == HD_F32_INF ? KIND_INFINITE : KIND_FINITE;
		kind = (a << 1) == 0 ? KIND_ZERO : kind;
		out->r[0].v[i] = (uint32_t)((kind ? 0 : e >> 1) + 2048) | kind << 12 | (kind == KIND_ZERO ? a >> 31 << 14 : 0);
	}
}

SEM_FN(TO_R, fsqrtend)
{
	LANES
	{
		uint32_t a = in->a->v[i], code = in->b->v[i], kind = code >> 12 & 3;
		uint32_t r = a + (((code & 4095) - 2048) << 23);
		r = kind == KIND_ZERO ? code >> 14 << 31 : r;
		r = kind == KIND_INFINITE ? HD_F32_INF : r;
		out->r[0].v[i] = kind == KIND_NAN ? HD_F32_NAN : r;
	}
}

/* The exact quotient is q and a little more, on the side that the remainder's sign gives. Three more bits of mantissa tell this to the rounding. */
static uint32_t fdivend_lane(uint32_t q, uint32_t remainder, uint32_t code, unsigned mode)
{
	bool sign = code >> 14 & 1;
	switch (code >> 12 & 3) {
	case KIND_ZERO:
		return sign ? 0x80000000u : 0;
	case KIND_INFINITE:
		return HD_F32_INF | (sign ? 0x80000000u : 0);
	case KIND_NAN:
		return HD_F32_NAN;
	default:
		break;
	}
	uint64_t m = (uint64_t)((q & 0x7fffffu) | 0x800000u) << 3;
	if (remainder << 1)
		m = (remainder ^ q) >> 31 ? m - 1 : m + 1;
	int e = (int)(q >> 23 & 255) - 150 - 3 + (int)(code & 4095) - 2048;
	return (uint32_t)hd_round_pack(HD_FORMAT_F32, mode, sign, m, e);
}

/* To nearest, a quotient that is a normal float needs no further rounding: q is the nearest. The other lanes are computed again. */
SEM_FN(TO_R, fdivend_nearest)
{
	uint32_t again = 0;
	LANES
	{
		uint32_t q = in->a->v[i] & 0x7fffffffu, code = in->c->v[i];
		uint32_t field = (q >> 23) + (code & 4095) - 2048;
		again |= ((field - 1 > 253) | ((code >> 12 & 3) != 0)) ? lane_bit[i] : 0;
		out->r[0].v[i] = (q + (((code & 4095) - 2048) << 23)) | (code >> 14) << 31;
	}
	for (again &= in->mask; again; again &= again - 1) {
		unsigned i = (unsigned)__builtin_ctz(again);
		out->r[0].v[i] = fdivend_lane(in->a->v[i], in->b->v[i], in->c->v[i], HD_RN);
	}
}

SEM_FN(TO_R, fdivend) { LANES out->r[0].v[i] = fdivend_lane(in->a->v[i], in->b->v[i], in->c->v[i], inst->mod); }

SEM_FN(TO_D, dmant)
{
	wide x, d;
	wide_load(&x, in->a);
	LANES
	{
		uint64_t a = x.v[i], m;
		int64_t e;
		split64(a, &m, &e);
		d.v[i] = (a & SIGN64) | ONE64 | (ordinary64(a) ? m : 0);
	}
	wide_store(out->r, &d);
}

SEM_FN(TO_R, ddivx)
{
	wide p, q;
	wide_load(&p, in->a);
	wide_load(&q, in->b);
	LANES
	{
		uint64_t a = p.v[i], b = q.v[i], ma, mb, x = a & ~SIGN64, y = b & ~SIGN64;
		int64_t ea, eb;
		split64(a, &ma, &ea);
		split64(b, &mb, &eb);
		uint32_t kind = kind_of_quotient((x > HD_F64_INF) | (y > HD_F64_INF), x == 0, x == HD_F64_INF, y == 0, y == HD_F64_INF);
		out->r[0].v[i] = (uint32_t)((kind ? 0 : ea - eb) + 8192) | kind << 14 | (uint32_t)((a ^ b) >> 63 << 16);
	}
}

SEM_FN(TO_D, dsqrtm)
{
	wide x, d;
	wide_load(&x, in->a);
	LANES
	{
		uint64_t a = x.v[i], m;
		int64_t e;
		split64(a, &m, &e);
		d.v[i] = ordinary64(a) && a >> 63 == 0 ? (uint64_t)(1023 + (e & 1)) << 52 | m : ONE64;
	}
	wide_store(out->r, &d);
}

SEM_FN(TO_R, dsqrtx)
{
	wide x;
	wide_load(&x, in->a);
	LANES
	{
		uint64_t a = x.v[i], m;
		int64_t e;
		split64(a, &m, &e);
		uint32_t kind = a > HD_F64_INF ? KIND_NAN : a == HD_F64_INF ? KIND_INFINITE : KIND_FINITE;
		kind = (a << 1) == 0 ? KIND_ZERO : kind;
		out->r[0].v[i] = (uint32_t)((kind ? 0 : e >> 1) + 8192) | kind << 14 | (kind == KIND_ZERO ? (uint32_t)(a >> 63) << 16 : 0);
	}
}

SEM_FN(TO_D, dsqrtend)
{
	wide x, d;
	wide_load(&x, in->a);
	LANES
	{
		uint32_t code = in->b->v[i], kind = code >> 14 & 3;
		uint64_t r = x.v[i] + (((uint64_t)(code & 16383) - 8192) << 52);
		r = kind == KIND_ZERO ? (uint64_t)(code >> 16) << 63 : r;
		r = kind == KIND_INFINITE ? HD_F64_INF : r;
		d.v[i] = kind == KIND_NAN ? HD_F64_NAN : r;
	}
	wide_store(out->r, &d);
}

static uint64_t ddivend_lane(uint64_t q, uint64_t remainder, uint32_t code, unsigned mode)
{
	bool sign = code >> 16 & 1;
	switch (code >> 14 & 3) {
	case KIND_ZERO:
		return sign ? SIGN64 : 0;
	case KIND_INFINITE:
		return HD_F64_INF | (sign ? SIGN64 : 0);
	case KIND_NAN:
		return HD_F64_NAN;
	default:
		break;
	}
	uint64_t m = ((q & MANTISSA64) | UINT64_C(1) << 52) << 3;
	if (remainder << 1)
		m = (remainder ^ q) >> 63 ? m - 1 : m + 1;
	int e = (int)(q >> 52 & 2047) - 1075 - 3 + (int)(code & 16383) - 8192;
	return hd_round_pack(HD_FORMAT_F64, mode, sign, m, e);
}

SEM_FN(TO_D, ddivend_nearest)
{
	wide x, d;
	uint64_t again = 0;
	wide_load(&x, in->a);
	LANES
	{
		uint64_t q = x.v[i] & ~SIGN64, code = in->c->v[i];
		uint64_t field = (q >> 52) + (code & 16383) - 8192;
		again |= ((field - 1 > 2045) | ((code >> 14 & 3) != 0)) ? (uint64_t)lane_bit[i] : 0;
		d.v[i] = (q + (((code & 16383) - 8192) << 52)) | (code >> 16) << 63;
	}
	wide_load(&x, in->b);
	for (uint32_t rest = (uint32_t)again & in->mask; rest; rest &= rest - 1) {
		unsigned i = (unsigned)__builtin_ctz(rest);
		d.v[i] = ddivend_lane(in->a[0].v[i] | (uint64_t)in->a[1].v[i] << 32, x.v[i], in->c->v[i], HD_RN);
	}
	wide_store(out->r, &d);
}

SEM_FN(TO_D, ddivend)
{
	wide x, y, d;
	wide_load(&x, in->a);
	wide_load(&y, in->b);
	LANES d.v[i] = ddivend_lane(x.v[i], y.v[i], in->c->v[i], inst->mod);
	wide_store(out->r, &d);
}

/* By operation. An operation that needs more than its number, and one of another unit, have NULL. */
static const hd_sem_code *const functions[HD_OP_COUNT] = {
    [HD_OP_FMANT] = fmant, [HD_OP_FDIVX] = fdivx, [HD_OP_FSQRTM] = fsqrtm, [HD_OP_FSQRTX] = fsqrtx, [HD_OP_FSQRTEND] = fsqrtend,
    [HD_OP_DMANT] = dmant, [HD_OP_DDIVX] = ddivx, [HD_OP_DSQRTM] = dsqrtm, [HD_OP_DSQRTX] = dsqrtx, [HD_OP_DSQRTEND] = dsqrtend,
};

const hd_sem_code *HD_SEM(steps)(const hd_inst *inst)
{
	if (inst->op == HD_OP_FDIVEND)
		return inst->mod == HD_RN ? fdivend_nearest : fdivend;
	if (inst->op == HD_OP_DDIVEND)
		return inst->mod == HD_RN ? ddivend_nearest : ddivend;
	return functions[inst->op];
}
