/* Half precision: computed in f32, or f64 for fma, and rounded once more. Both formats have at least 2 * 11 + 2 bits, so that the second rounding
 * never changes the result. (A sum of a 22-bit product and a half that f32 could round wrongly is exact or harmless in f64.) */
#include "ptx/lower.h"

hd_opd ptx_half_to_single(ptx_fn *fn, hd_opd half)
{
	hd_opd single = ptx_temp(fn, 1);
	ptx_emit1(fn, HD_OP_F2F, single, half)->sub = HD_SUB_F2F(HD_F32, HD_F16, 0, 0, 0);
	return single;
}

/* Half `which` of an operand: the low half unchanged, the high half shifted down. */
static hd_opd half_of(ptx_fn *fn, hd_opd a, unsigned which) { return which ? ptx_make2(fn, HD_OP_SHRU, 1, a, ptx_imm(16)) : a; }

typedef struct half_suffixes {
	unsigned mode;
	bool ftz, sat;
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

static hd_opd round_single(ptx_fn *fn, hd_opd single, half_suffixes s)
{
	hd_opd half = ptx_temp(fn, 1);
	ptx_emit1(fn, HD_OP_F2F, half, single)->sub = (uint8_t)HD_SUB_F2F(HD_F16, HD_F32, s.sat, 0, 0);
	return flush(fn, half, s.ftz);
}

/* Writes one or two halves to the destination. */
static void put(ptx_fn *fn, const ptx_inst *inst, ptx_type type, const hd_opd value[2])
{
	hd_opd d = ptx_dest(fn, &inst->opds[0], type);
	if (type == PTX_F16)
		ptx_move(fn, d, value[0]);
	else
		ptx_emit3(fn, HD_OP_PRMT, d, value[0], value[1], ptx_imm(0x5410));
}

void ptx_half_binary(ptx_fn *fn, const ptx_inst *inst, ptx_type type, unsigned op32)
{
	half_suffixes s = take_suffixes(fn);
	hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type), value[2];
	for (unsigned i = 0; i < (type == PTX_F16 ? 1u : 2u); i++) {
		hd_opd x = ptx_half_to_single(fn, flush(fn, half_of(fn, a, i), s.ftz));
		hd_opd y = ptx_half_to_single(fn, flush(fn, half_of(fn, b, i), s.ftz));
		value[i] = round_single(fn, ptx_make2(fn, op32, 1, x, y), s);
	}
	put(fn, inst, type, value);
}

void ptx_half_unary(ptx_fn *fn, const ptx_inst *inst, ptx_type type, unsigned op32)
{
	half_suffixes s = take_suffixes(fn);
	hd_opd a = ptx_source(fn, &inst->opds[1], type), value[2];
	for (unsigned i = 0; i < (type == PTX_F16 ? 1u : 2u); i++) {
		hd_opd x = ptx_half_to_single(fn, flush(fn, half_of(fn, a, i), s.ftz));
		value[i] = round_single(fn, ptx_make1(fn, op32, 1, x), s);
	}
	put(fn, inst, type, value);
}

void ptx_half_fma(ptx_fn *fn, const ptx_inst *inst, ptx_type type)
{
	half_suffixes s = take_suffixes(fn);
	hd_opd from[3], value[2];
	for (unsigned o = 0; o < 3; o++)
		from[o] = ptx_source(fn, &inst->opds[1 + o], type);
	for (unsigned i = 0; i < (type == PTX_F16 ? 1u : 2u); i++) {
		hd_opd x[3];
		for (unsigned o = 0; o < 3; o++) {
			x[o] = ptx_temp(fn, 2);
			ptx_emit1(fn, HD_OP_F2F_DR, x[o], flush(fn, half_of(fn, from[o], i), s.ftz))->sub = HD_SUB_F2F(HD_F64, HD_F16, 0, 0, 0);
		}
		hd_opd sum = ptx_make3(fn, HD_OP_DFMA, 2, x[0], x[1], x[2]);
		value[i] = ptx_temp(fn, 1);
		ptx_emit1(fn, HD_OP_F2F_RD, value[i], sum)->sub = (uint8_t)HD_SUB_F2F(HD_F16, HD_F64, s.sat, 0, 0);
		value[i] = flush(fn, value[i], s.ftz);
	}
	put(fn, inst, type, value);
}
