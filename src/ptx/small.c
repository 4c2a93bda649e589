/* Floats of 8 bits, two at a time: e4m3 (bias 7, no infinity, 448 the greatest) and e5m2 (the upper byte of a half). */
#include "ptx/lower.h"

typedef struct small_float {
	ptx_type type;
	unsigned mantissa, bias;
	uint32_t most, least_normal; /* singles */
	uint32_t unit;               /* single: what one step below the normals is multiplied with to become 1 */
} small_float;

static const small_float small_floats[] = {
    {PTX_E4M3X2, 3, 7, 0x43e00000, 0x3c800000, 0x44000000},  /* 448, 2^-6, 2^9 */
    {PTX_E5M2X2, 2, 15, 0x47600000, 0x38800000, 0x47800000}, /* 57344, 2^-14, 2^16 */
};

/* The byte of a single, to the nearest, no greater than the greatest finite value. The byte of NaN is 0x7f. */
static hd_opd to_byte(ptx_fn *fn, const small_float *f, hd_opd single, bool relu)
{
	unsigned cut = 23 - f->mantissa;
	single = relu ? ptx_relu(fn, single) : single;
	hd_opd size = ptx_make2(fn, HD_OP_FMIN, 1, ptx_make1(fn, HD_OP_FABS, 1, single), ptx_imm(f->most)), steps = ptx_temp(fn, 1),
	       byte = ptx_temp(fn, 1);
	hd_opd even = ptx_make2(fn, HD_OP_AND, 1, ptx_make2(fn, HD_OP_SHRU, 1, size, ptx_imm(cut)), ptx_imm(1));
	hd_opd rounded = ptx_make2(fn, HD_OP_IADD, 1, ptx_make2(fn, HD_OP_IADD, 1, size, ptx_imm((1u << (cut - 1)) - 1)), even);
	hd_opd normal = ptx_make2(fn, HD_OP_ISUB, 1, ptx_make2(fn, HD_OP_SHRU, 1, rounded, ptx_imm(cut)), ptx_imm((127 - f->bias) << f->mantissa));
	ptx_emit1(fn, HD_OP_F2I, steps, ptx_make2(fn, HD_OP_FMUL, 1, size, ptx_imm(f->unit)))->sub = HD_SUB_F2I(2, HD_F32, 0);
	ptx_select(fn, byte, normal, steps, ptx_compare(fn, HD_OP_FSETP, HD_CMP_GE, size, ptx_imm(f->least_normal)));
	byte = ptx_make2(fn, HD_OP_OR, 1, byte, ptx_make2(fn, HD_OP_AND, 1, ptx_make2(fn, HD_OP_SHRU, 1, single, ptx_imm(24)), ptx_imm(0x80)));
	hd_opd all = ptx_temp(fn, 1);
	ptx_select(fn, all, ptx_imm(0x7f), byte, ptx_compare(fn, HD_OP_FSETP, HD_CMP_NAN, single, single));
	return all;
}

/* The half of a byte (bits 0 to 7 of a word, zeros above). */
static hd_opd from_byte(ptx_fn *fn, const small_float *f, hd_opd byte)
{
	hd_opd size = ptx_make2(fn, HD_OP_AND, 1, byte, ptx_imm(0x7f)), half = ptx_temp(fn, 1), d = ptx_temp(fn, 1);
	if (f->type == PTX_E5M2X2) {
		hd_opd no_number = ptx_compare(fn, HD_OP_ISETP, HD_CMP_HI, size, ptx_imm(0x7c));
		ptx_select(fn, d, ptx_imm(0x7fff), ptx_make2(fn, HD_OP_SHL, 1, byte, ptx_imm(8)), no_number);
		return d;
	}
	/* As a half, the exponent is 8 too small. */
	hd_opd single = ptx_half_to_single(fn, ptx_make2(fn, HD_OP_SHL, 1, size, ptx_imm(7)), PTX_F16);
	ptx_emit1(fn, HD_OP_F2F, half, ptx_make2(fn, HD_OP_FMUL, 1, single, ptx_imm(0x43800000)))->sub = HD_SUB_F2F(HD_F16, HD_F32, 0, 0, 0);
	hd_opd sign = ptx_make2(fn, HD_OP_SHL, 1, ptx_make2(fn, HD_OP_AND, 1, byte, ptx_imm(0x80)), ptx_imm(8));
	hd_opd no_number = ptx_compare(fn, HD_OP_ISETP, HD_CMP_EQ, size, ptx_imm(0x7f));
	ptx_select(fn, d, ptx_imm(0x7fff), ptx_make2(fn, HD_OP_OR, 1, half, sign), no_number);
	return d;
}

static const small_float *small_float_of(ptx_type type)
{
	for (size_t i = 0; i < HD_COUNT(small_floats); i++)
		if (small_floats[i].type == type)
			return &small_floats[i];
	return NULL;
}

/* cvt.rna.tf32.f32: 10 bits of mantissa, halves away from zero. */
static void to_tf32(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type_at(fn, 1, PTX_SET(F32));
	bool away = ptx_mod_used(fn, PTX_M_RNA), zero = ptx_mod_used(fn, PTX_M_RZ), relu = ptx_mod_used(fn, PTX_M_RELU);
	bool nearest = ptx_mod_used(fn, PTX_M_RN);
	if (away + zero + nearest != 1)
		ptx_wrong(fn, fn->pos, "expected one of the suffixes .rna .rn .rz");
	hd_opd a = ptx_source(fn, &inst->opds[1], PTX_F32), bits, d = ptx_temp(fn, 1);
	a = relu ? ptx_relu(fn, a) : a;
	bits = away ? ptx_make2(fn, HD_OP_IADD, 1, a, ptx_imm(0x1000)) : a;
	if (nearest) {
		hd_opd even = ptx_make2(fn, HD_OP_AND, 1, ptx_make2(fn, HD_OP_SHRU, 1, a, ptx_imm(13)), ptx_imm(1));
		bits = ptx_make2(fn, HD_OP_IADD, 1, ptx_make2(fn, HD_OP_IADD, 1, a, ptx_imm(0xfff)), even);
	}
	bits = ptx_make2(fn, HD_OP_AND, 1, bits, ptx_imm(0xffffe000));
	ptx_select(fn, d, ptx_imm(0x7fffffff), bits, ptx_compare(fn, HD_OP_FSETP, HD_CMP_NAN, a, a));
	ptx_move(fn, ptx_dest(fn, &inst->opds[0], PTX_B32), d);
}

void ptx_convert_small(ptx_fn *fn, const ptx_inst *inst)
{
	const small_float *to = small_float_of((ptx_type)inst->types[0]), *from = small_float_of((ptx_type)inst->types[1]);
	hd_opd half[2];
	if (inst->types[0] == PTX_TF32) {
		to_tf32(fn, inst);
		return;
	}
	bool relu = ptx_mod_used(fn, PTX_M_RELU);
	if (!ptx_mod_used(fn, PTX_M_RN))
		ptx_wrong(fn, fn->pos, "expected .rn");
	if (from && inst->nopds == 2) {
		ptx_type_at(fn, 0, PTX_SET(F16X2));
		hd_opd a = ptx_source(fn, &inst->opds[1], PTX_B16);
		for (unsigned i = 0; i < 2; i++) {
			half[i] = from_byte(fn, from, ptx_extract(fn, a, 8 * i, 8, false));
			if (relu)
				ptx_select(fn, half[i], ptx_imm(0), half[i],
				           ptx_compare(fn, HD_OP_FSETP, HD_CMP_LE, ptx_half_to_single(fn, half[i], PTX_F16), ptx_imm(0)));
		}
		ptx_emit3(fn, HD_OP_PRMT, ptx_dest(fn, &inst->opds[0], PTX_F16X2), half[0], half[1], ptx_imm(0x5410));
		return;
	}
	ptx_type pair = ptx_type_at(fn, 1, PTX_SET(F32) | PTX_SET(F16X2));
	if (!to || !ptx_mod_used(fn, PTX_M_SATFINITE) || inst->nopds != (pair == PTX_F32 ? 3 : 2)) {
		ptx_wrong(fn, fn->pos, "expected cvt.rn.satfinite to .e4m3x2 or .e5m2x2 from two .f32 or one .f16x2");
		return;
	}
	hd_opd halves = pair == PTX_F16X2 ? ptx_source(fn, &inst->opds[1], pair) : ptx_none();
	for (unsigned i = 0; i < 2; i++) {
		hd_opd single;
		if (pair == PTX_F32)
			single = ptx_source(fn, &inst->opds[2 - i], PTX_F32);
		else
			single = ptx_half_to_single(fn, i ? ptx_make2(fn, HD_OP_SHRU, 1, halves, ptx_imm(16)) : halves, PTX_F16);
		half[i] = to_byte(fn, to, single, relu);
	}
	hd_opd upper = ptx_make2(fn, HD_OP_SHL, 1, half[1], ptx_imm(8));
	ptx_store_wide(fn, &inst->opds[0], ptx_make2(fn, HD_OP_OR, 1, upper, half[0]), PTX_B16, true);
}
