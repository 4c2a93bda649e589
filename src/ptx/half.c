/* Half precision and bfloat16: computed in f32, or f64 for fma, and rounded once more. Both formats have at least 2 * 11 + 2 bits, so that the second
 * rounding never changes the result. (A sum of a 22-bit product and a half that f32 could round wrongly is exact or harmless in f64.) */
#include "ptx/lower.h"

/* A bfloat16 is the upper half of a single. */
static bool is_brain(ptx_type type) { return type == PTX_BF16 || type == PTX_BF16X2; }
static bool is_pair(ptx_type type) { return type == PTX_F16X2 || type == PTX_BF16X2; }

hd_opd ptx_half_to_single(ptx_fn *fn, hd_opd half, ptx_type type)
{
	if (is_brain(type))
		return ptx_make2(fn, HD_OP_SHL, 1, half, ptx_imm(16));
	hd_opd single = ptx_temp(fn, 1);
	ptx_emit1(fn, HD_OP_F2F, single, half)->sub = HD_SUB_F2F(HD_F32, HD_F16, 0, 0, 0);
	return single;
}

/* Half `which` of an operand: the low half unchanged, the high half shifted down. */
static hd_opd half_of(ptx_fn *fn, hd_opd a, unsigned which) { return which ? ptx_make2(fn, HD_OP_SHRU, 1, a, ptx_imm(16)) : a; }

typedef struct half_suffixes {
	unsigned mode;
	bool ftz, sat, relu;
} half_suffixes;

static half_suffixes take_suffixes(ptx_fn *fn)
{
	half_suffixes s = {.mode = ptx_rounding(fn)};
	s.ftz = ptx_mod_used(fn, PTX_M_FTZ);
	s.sat = ptx_mod_used(fn, PTX_M_SAT);
	if (s.mode != HD_RN)
		ptx_wrong(fn, fn->pos, "a rounding mode that half precision does not have, expected .rn");
	return s;
}

/* An `and` flushes half denormals: magnitudes below 2^-14 keep only their sign. */
static hd_opd flush(ptx_fn *fn, hd_opd half, bool ftz)
{
	if (!ftz)
		return half;
	hd_opd exponent = ptx_make2(fn, HD_OP_AND, 1, half, ptx_imm(0x7c00));
	hd_opd sign = ptx_make2(fn, HD_OP_AND, 1, half, ptx_imm(0x8000));
	hd_opd p = ptx_compare(fn, HD_OP_ISETP, HD_CMP_EQ, exponent, ptx_imm(0));
	hd_opd d = ptx_temp(fn, 1);
	ptx_select(fn, d, sign, half, p);
	return d;
}

hd_opd ptx_single_to_brain(ptx_fn *fn, hd_opd single, unsigned mode)
{
	hd_opd bits = single, d = ptx_temp(fn, 1);
	if (mode == HD_RN) {
		hd_opd odd = ptx_make2(fn, HD_OP_AND, 1, ptx_make2(fn, HD_OP_SHRU, 1, single, ptx_imm(16)), ptx_imm(1));
		bits = ptx_make2(fn, HD_OP_IADD, 1, ptx_make2(fn, HD_OP_IADD, 1, single, ptx_imm(0x7fff)), odd);
	} else if (mode != HD_RZ_) { /* away from zero on one side of it */
		hd_opd away = ptx_temp(fn, 1);
		ptx_select(fn, away, ptx_imm(0xffff), ptx_imm(0),
		           ptx_compare(fn, HD_OP_ISETP, mode == HD_RM ? HD_CMP_LT : HD_CMP_GE, single, ptx_imm(0)));
		bits = ptx_make2(fn, HD_OP_IADD, 1, single, away);
	}
	hd_opd nan = ptx_compare(fn, HD_OP_FSETP, HD_CMP_NAN, single, single);
	ptx_select(fn, d, ptx_imm(0x7fff), ptx_make2(fn, HD_OP_SHRU, 1, bits, ptx_imm(16)), nan);
	return d;
}

hd_opd ptx_relu(ptx_fn *fn, hd_opd single)
{
	hd_opd d = ptx_temp(fn, 1);
	ptx_select(fn, d, ptx_imm(0), single, ptx_compare(fn, HD_OP_FSETP, HD_CMP_LE, single, ptx_imm(0)));
	return d;
}

static hd_opd round_single(ptx_fn *fn, hd_opd single, half_suffixes s, ptx_type type)
{
	if (s.relu)
		single = ptx_relu(fn, single);
	if (is_brain(type))
		return ptx_single_to_brain(fn, s.sat ? ptx_make1(fn, HD_OP_FSAT, 1, single) : single, HD_RN);
	hd_opd half = ptx_temp(fn, 1);
	ptx_emit1(fn, HD_OP_F2F, half, single)->sub = (uint8_t)HD_SUB_F2F(HD_F16, HD_F32, s.sat, 0, 0);
	return flush(fn, half, s.ftz);
}

/* Writes one or two halves to the destination. */
static void put(ptx_fn *fn, const ptx_inst *inst, ptx_type type, const hd_opd value[2])
{
	hd_opd d = ptx_dest(fn, &inst->opds[0], type);
	if (!is_pair(type))
		ptx_move(fn, d, value[0]);
	else
		ptx_emit3(fn, HD_OP_PRMT, d, value[0], value[1], ptx_imm(0x5410));
}

void ptx_half_binary(ptx_fn *fn, const ptx_inst *inst, ptx_type type, unsigned op32)
{
	half_suffixes s = take_suffixes(fn);
	hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type), value[2];
	for (unsigned i = 0; i < (is_pair(type) ? 2u : 1u); i++) {
		hd_opd x = ptx_half_to_single(fn, flush(fn, half_of(fn, a, i), s.ftz), type);
		hd_opd y = ptx_half_to_single(fn, flush(fn, half_of(fn, b, i), s.ftz), type);
		value[i] = round_single(fn, ptx_make2(fn, op32, 1, x, y), s, type);
	}
	put(fn, inst, type, value);
}

void ptx_half_unary(ptx_fn *fn, const ptx_inst *inst, ptx_type type, unsigned op32)
{
	half_suffixes s = take_suffixes(fn);
	hd_opd a = ptx_source(fn, &inst->opds[1], type), value[2];
	for (unsigned i = 0; i < (is_pair(type) ? 2u : 1u); i++) {
		hd_opd x = ptx_half_to_single(fn, flush(fn, half_of(fn, a, i), s.ftz), type);
		value[i] = round_single(fn, ptx_make1(fn, op32, 1, x), s, type);
	}
	put(fn, inst, type, value);
}

void ptx_half_extreme(ptx_fn *fn, const ptx_inst *inst, ptx_type type, ptx_extreme e)
{
	half_suffixes s = take_suffixes(fn);
	hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type), value[2];
	for (unsigned i = 0; i < (is_pair(type) ? 2u : 1u); i++) {
		hd_opd x = ptx_half_to_single(fn, flush(fn, half_of(fn, a, i), s.ftz), type);
		hd_opd y = ptx_half_to_single(fn, flush(fn, half_of(fn, b, i), s.ftz), type);
		value[i] = round_single(fn, ptx_extreme_of(fn, e, x, y), s, type);
	}
	put(fn, inst, type, value);
}

hd_opd ptx_half_combine(ptx_fn *fn, ptx_type type, hd_opd a, hd_opd b, unsigned op32)
{
	half_suffixes s = {.mode = HD_RN};
	hd_opd value[2];
	for (unsigned i = 0; i < (is_pair(type) ? 2u : 1u); i++) {
		hd_opd x = ptx_half_to_single(fn, half_of(fn, a, i), type), y = ptx_half_to_single(fn, half_of(fn, b, i), type);
		value[i] = round_single(fn, ptx_make2(fn, op32, 1, x, y), s, type);
	}
	return is_pair(type) ? ptx_make3(fn, HD_OP_PRMT, 1, value[0], value[1], ptx_imm(0x5410)) : value[0];
}

static hd_opd single_to_double(ptx_fn *fn, hd_opd single)
{
	hd_opd d = ptx_temp(fn, 2);
	ptx_emit1(fn, HD_OP_F2F_DR, d, single)->sub = HD_SUB_F2F(HD_F64, HD_F32, 0, 0, 0);
	return d;
}

/* Sets the lowest bit of `word` where a differs from b: what was cut off then counts in the next rounding (rounding to odd). */
static void mark_inexact(ptx_fn *fn, hd_opd word, hd_opd a, hd_opd b)
{
	hd_opd bit = ptx_temp(fn, 1);
	ptx_select(fn, bit, ptx_imm(1), ptx_imm(0), ptx_compare(fn, HD_OP_DSETP, HD_CMP_NE, a, b));
	ptx_emit2(fn, HD_OP_OR, word, word, bit);
}

/* Exponents of bfloat16 are those of single: neither f32 nor f64 holds every sum, so both roundings before the last one are to odd. */
static hd_opd brain_fma(ptx_fn *fn, const hd_opd x[3], half_suffixes s)
{
	static const uint8_t modes[] = {HD_RZ_, HD_RM, HD_RP};
	hd_opd wide[3], sum[3], single = ptx_temp(fn, 1);
	for (unsigned o = 0; o < 3; o++)
		wide[o] = single_to_double(fn, ptx_make2(fn, HD_OP_SHL, 1, x[o], ptx_imm(16)));
	for (unsigned m = 0; m < 3; m++) {
		sum[m] = ptx_temp(fn, 2);
		ptx_emit3(fn, HD_OP_DFMA, sum[m], wide[0], wide[1], wide[2])->mod = modes[m];
	}
	mark_inexact(fn, ptx_part(sum[0], 0, 1), sum[1], sum[2]);
	hd_ir_inst *narrow = ptx_emit1(fn, HD_OP_F2F_RD, single, sum[0]);
	narrow->sub = HD_SUB_F2F(HD_F32, HD_F64, 0, 0, 0);
	narrow->mod = HD_RZ_;
	mark_inexact(fn, single, single_to_double(fn, single), sum[0]);
	return round_single(fn, single, s, PTX_BF16);
}

void ptx_half_fma(ptx_fn *fn, const ptx_inst *inst, ptx_type type)
{
	half_suffixes s = take_suffixes(fn);
	hd_opd from[3], value[2];
	s.relu = ptx_mod_used(fn, PTX_M_RELU);
	if (s.relu && s.sat)
		ptx_wrong(fn, fn->pos, "expected .relu or .sat, not both");
	for (unsigned o = 0; o < 3; o++)
		from[o] = ptx_source(fn, &inst->opds[1 + o], type);
	for (unsigned i = 0; i < (is_pair(type) ? 2u : 1u); i++) {
		hd_opd x[3];
		if (is_brain(type)) {
			for (unsigned o = 0; o < 3; o++)
				x[o] = half_of(fn, from[o], i);
			value[i] = brain_fma(fn, x, s);
			continue;
		}
		for (unsigned o = 0; o < 3; o++) {
			x[o] = ptx_temp(fn, 2);
			ptx_emit1(fn, HD_OP_F2F_DR, x[o], flush(fn, half_of(fn, from[o], i), s.ftz))->sub = HD_SUB_F2F(HD_F64, HD_F16, 0, 0, 0);
		}
		hd_opd sum = ptx_make3(fn, HD_OP_DFMA, 2, x[0], x[1], x[2]);
		if (s.relu) {
			hd_opd any = sum;
			sum = ptx_temp(fn, 2);
			ptx_select(fn, sum, ptx_imm64(0), any, ptx_compare(fn, HD_OP_DSETP, HD_CMP_LE, any, ptx_imm64(0)));
		}
		value[i] = ptx_temp(fn, 1);
		ptx_emit1(fn, HD_OP_F2F_RD, value[i], sum)->sub = (uint8_t)HD_SUB_F2F(HD_F16, HD_F64, s.sat, 0, 0);
		value[i] = flush(fn, value[i], s.ftz);
	}
	put(fn, inst, type, value);
}
