/* All forms of cvt. */
#include "ptx/lower.h"

#define INTEGERS (PTX_SET(U8) | PTX_SET(S8) | PTX_SET_INT)
#define REALS (PTX_SET(F16) | PTX_SET(F32) | PTX_SET(F64))

static unsigned itype(ptx_type type)
{
	unsigned log = ptx_bits(type) == 8 ? 0 : ptx_bits(type) == 16 ? 1 : ptx_bits(type) == 32 ? 2 : 3;
	return log | (ptx_signed(type) ? 4 : 0);
}

static unsigned ftype(ptx_type type) { return type == PTX_F16 ? HD_F16 : type == PTX_F32 ? HD_F32 : HD_F64; }

/* The source as a value of the type. Its register may be wider; for f16 it is any register that holds one. */
static hd_opd source(ptx_fn *fn, const ptx_opd *opd, ptx_type type)
{
	ptx_type declared;
	hd_opd reg;
	unsigned words = ptx_words(type);
	if (opd->kind != PTX_O_REG)
		return ptx_source(fn, opd, type);
	if (ptx_register(fn, opd, &reg, &declared) && declared != PTX_PRED && reg.words >= words)
		return ptx_part(reg, 0, words);
	return ptx_source(fn, opd, type); /* ptx_source reports the error */
}

typedef struct conversion {
	ptx_type to, from;
	unsigned sub, mode;
	unsigned after; /* operation on the result; 0 = none */
} conversion;

/* The row for the widths, and its destination: the register itself when it has the type's width and its upper bits need no extension. */
static void convert(ptx_fn *fn, const ptx_inst *inst, const unsigned rows[4], hd_opd a, conversion c)
{
	ptx_type to = c.to, from = c.from;
	unsigned to_words = ptx_words(to), op = rows[(to_words == 2 ? 1 : 0) | (ptx_words(from) == 2 ? 2 : 0)];
	hd_opd d = ptx_temp(fn, to_words);
	hd_ir_inst *emitted = ptx_emit1(fn, op, d, a);
	emitted->sub = (uint8_t)c.sub;
	emitted->mod = (uint8_t)c.mode;
	if (c.after)
		d = ptx_make1(fn, c.after, to_words, d);
	ptx_type declared;
	hd_opd reg;
	const ptx_opd *into = &inst->opds[0];
	if (into->kind == PTX_O_REG && ptx_register(fn, into, &reg, &declared) && declared != PTX_PRED && reg.words == to_words &&
	    (ptx_bits(declared) <= ptx_bits(to) || !ptx_signed(to) || ptx_bits(to) >= 32)) {
		/* Straight into the register. */
		hd_ir_block *block = fn->f->blocks.at[fn->block];
		block->insts.at[block->insts.n - 1]->d[0] = reg;
		return;
	}
	/* Rows write zeros above small integers. */
	ptx_store_wide(fn, into, d, to, !ptx_signed(to));
}

static void integer_to_integer(ptx_fn *fn, const ptx_inst *inst, ptx_type to, ptx_type from)
{
	static const unsigned rows[4] = {HD_OP_I2I, HD_OP_I2I_DR, HD_OP_I2I_RD, HD_OP_I2I_DD};
	hd_opd a = source(fn, &inst->opds[1], from);
	unsigned tb = ptx_bits(to), fb = ptx_bits(from);
	if (ptx_mod_used(fn, PTX_M_SAT)) {
		convert(fn, inst, rows, a, (conversion){to, from, HD_SUB_I2I(itype(to), itype(from), 1), 0, 0});
		return;
	}
	if (tb <= fb) { /* truncation: the low part, then an extension if the register is wider than the type */
		ptx_store_wide(fn, &inst->opds[0], ptx_words(from) == 2 && tb < 64 ? ptx_part(a, 0, 1) : a, to, false);
		return;
	}
	a = ptx_extend(fn, a, from);
	if (tb <= 32) {
		ptx_store_wide(fn, &inst->opds[0], a, to, !ptx_signed(from));
		return;
	}
	/* To 64 bits: the upper word is the sign of the source, or zero. */
	ptx_type declared;
	hd_opd reg;
	if (!ptx_register(fn, &inst->opds[0], &reg, &declared))
		return;
	if (reg.kind != HD_OPD_REG || reg.words < 2) {
		ptx_wrong(fn, inst->opds[0].pos, "%.80s is too small for type .%s", inst->opds[0].name->text, ptx_types[to].name);
		return;
	}
	ptx_move(fn, ptx_part(reg, 0, 1), a);
	if (ptx_signed(from))
		ptx_emit2(fn, HD_OP_SHRS, ptx_part(reg, 1, 1), ptx_part(reg, 0, 1), ptx_imm(31));
	else
		ptx_move(fn, ptx_part(reg, 1, 1), ptx_imm(0));
	for (unsigned i = 2; i < reg.words; i++)
		ptx_move(fn, ptx_part(reg, i, 1), ptx_signed(to) ? ptx_part(reg, 1, 1) : ptx_imm(0));
}

/* .rni .rzi .rmi .rpi; true when there is one */
static bool integral_rounding(ptx_fn *fn, unsigned *mode)
{
	static const ptx_mod mods[] = {PTX_M_RNI, PTX_M_RZI, PTX_M_RMI, PTX_M_RPI};
	static const uint8_t modes[] = {HD_RN, HD_RZ_, HD_RM, HD_RP};
	bool found = false;
	for (unsigned i = 0; i < 4; i++)
		if (ptx_mod_used(fn, mods[i])) {
			*mode = modes[i];
			found = true;
		}
	return found;
}

/* PTX: a NaN becomes 0 where source and destination have 32 bits or less, and else the destination's top bit alone. The machine always gives 0, which
 * OpenCL wants of its saturated conversions. */
static void top_bit_for_nan(ptx_fn *fn, const ptx_inst *inst, ptx_type to, ptx_type from, hd_opd a)
{
	static const unsigned rows[2][2] = {{HD_OP_F2I, HD_OP_F2I_DR}, {HD_OP_F2I_RD, HD_OP_F2I_DD}};
	unsigned words = ptx_words(to), mode = HD_RZ_;
	bool wide = from == PTX_F64, ftz = ptx_mod_used(fn, PTX_M_FTZ);
	uint64_t top = UINT64_C(1) << (ptx_bits(to) - 1);
	integral_rounding(fn, &mode);
	hd_opd number = ptx_temp(fn, words), d = ptx_temp(fn, words), single = from == PTX_F16 ? ptx_half_to_single(fn, a, from) : a;
	hd_ir_inst *emitted = ptx_emit1(fn, rows[wide][words == 2], number, a);
	emitted->sub = (uint8_t)HD_SUB_F2I(itype(to), ftype(from), ftz && from == PTX_F32);
	emitted->mod = (uint8_t)mode;
	hd_opd nan = ptx_compare(fn, wide ? HD_OP_DSETP : HD_OP_FSETP, HD_CMP_NAN, single, single);
	ptx_select(fn, d, words == 2 ? ptx_imm64(top) : ptx_imm((uint32_t)top), number, nan);
	ptx_store_wide(fn, &inst->opds[0], d, to, !ptx_signed(to));
}

static void float_to_integer(ptx_fn *fn, const ptx_inst *inst, ptx_type to, ptx_type from)
{
	static const unsigned rows[4] = {HD_OP_F2I, HD_OP_F2I_DR, HD_OP_F2I_RD, HD_OP_F2I_DD};
	unsigned mode = HD_RZ_;
	bool ftz = ptx_mod_used(fn, PTX_M_FTZ);
	if (!integral_rounding(fn, &mode))
		ptx_wrong(fn, fn->pos, "expected one of the suffixes .rni .rzi .rmi .rpi");
	(void)ptx_mod_used(fn, PTX_M_SAT); /* these conversions always saturate */
	hd_opd a = source(fn, &inst->opds[1], from);
	if (!fn->lw->ast->opencl && (from == PTX_F64 || ptx_bits(to) == 64))
		top_bit_for_nan(fn, inst, to, from, a);
	else
		convert(fn, inst, rows, a, (conversion){to, from, HD_SUB_F2I(itype(to), ftype(from), ftz && from == PTX_F32), mode, 0});
}

static void integer_to_float(ptx_fn *fn, const ptx_inst *inst, ptx_type to, ptx_type from)
{
	static const unsigned rows[4] = {HD_OP_I2F, HD_OP_I2F_DR, HD_OP_I2F_RD, HD_OP_I2F_DD};
	unsigned mode = ptx_rounding(fn);
	bool sat = ptx_mod_used(fn, PTX_M_SAT);
	(void)ptx_mod_used(fn, PTX_M_FTZ); /* an integer never becomes a denormal */
	hd_opd a = source(fn, &inst->opds[1], from);
	if (sat && to == PTX_F16) {
		ptx_wrong(fn, fn->pos, ".sat is not supported from an integer to .f16");
		return;
	}
	convert(fn, inst, rows, a,
	        (conversion){to, from, HD_SUB_I2F(ftype(to), itype(from)), mode,
	                     !sat            ? 0
	                     : to == PTX_F64 ? HD_OP_DSAT
	                                     : HD_OP_FSAT});
}

static void float_to_float(ptx_fn *fn, const ptx_inst *inst, ptx_type to, ptx_type from)
{
	static const unsigned rows[4] = {HD_OP_F2F, HD_OP_F2F_DR, HD_OP_F2F_RD, HD_OP_F2F_DD};
	unsigned mode = ptx_rounding(fn);
	bool integral = integral_rounding(fn, &mode);
	bool ftz = ptx_mod_used(fn, PTX_M_FTZ) && (to == PTX_F32 || from == PTX_F32), sat = ptx_mod_used(fn, PTX_M_SAT);
	hd_opd a = source(fn, &inst->opds[1], from);
	if (to == PTX_F64 && from == PTX_F64 && !integral) {
		hd_opd d = ptx_dest(fn, &inst->opds[0], to);
		if (sat)
			ptx_emit1(fn, HD_OP_DSAT, d, a);
		else
			ptx_move(fn, d, a);
		return;
	}
	if (to == from && !integral && !ftz && !sat) {
		ptx_store_wide(fn, &inst->opds[0], a, to, false);
		return;
	}
	unsigned row_sat = sat && to != PTX_F64;
	convert(fn, inst, rows, a,
	        (conversion){to, from, HD_SUB_F2F(ftype(to), ftype(from), row_sat, ftz, integral), mode, sat && to == PTX_F64 ? HD_OP_DSAT : 0});
}

/* .relu and .satfinite of a conversion to a smaller float. */
typedef struct narrowing {
	unsigned mode;
	bool relu, finite;
} narrowing;

static narrowing take_narrowing(ptx_fn *fn)
{
	return (narrowing){.mode = ptx_rounding(fn), .relu = ptx_mod_used(fn, PTX_M_RELU), .finite = ptx_mod_used(fn, PTX_M_SATFINITE)};
}

/* Between -most and most; a NaN stays one, without a sign. */
static hd_opd within(ptx_fn *fn, hd_opd single, uint32_t most)
{
	hd_opd d = ptx_temp(fn, 1), inside = ptx_make2(fn, HD_OP_FMAX, 1, single, ptx_imm(most | 0x80000000));
	inside = ptx_make2(fn, HD_OP_FMIN, 1, inside, ptx_imm(most));
	ptx_select(fn, d, ptx_imm(0x7fffffff), inside, ptx_compare(fn, HD_OP_FSETP, HD_CMP_NAN, single, single));
	return d;
}

/* A single that has what .relu and .satfinite say; `most` is the greatest finite value of the result's type. */
static hd_opd narrowed(ptx_fn *fn, hd_opd single, narrowing n, uint32_t most)
{
	single = n.relu ? ptx_relu(fn, single) : single;
	return n.finite ? within(fn, single, most) : single;
}

static hd_opd to_brain(ptx_fn *fn, hd_opd single, narrowing n) { return ptx_single_to_brain(fn, narrowed(fn, single, n, 0x7f7f0000), n.mode); }

static hd_opd to_half(ptx_fn *fn, hd_opd single, narrowing n)
{
	hd_opd half = ptx_temp(fn, 1);
	hd_ir_inst *emitted = ptx_emit1(fn, HD_OP_F2F, half, narrowed(fn, single, n, 0x477fe000));
	emitted->sub = HD_SUB_F2F(HD_F16, HD_F32, 0, 0, 0);
	emitted->mod = (uint8_t)n.mode;
	return half;
}

/* Two f32 into a pair of halves: the first operand is the upper one. */
static void pair_of_halves(ptx_fn *fn, const ptx_inst *inst, ptx_type type)
{
	narrowing n = take_narrowing(fn);
	hd_opd half[2];
	for (unsigned i = 0; i < 2; i++) {
		hd_opd single = ptx_source(fn, &inst->opds[2 - i], PTX_F32);
		half[i] = type == PTX_BF16X2 ? to_brain(fn, single, n) : to_half(fn, single, n);
	}
	ptx_emit3(fn, HD_OP_PRMT, ptx_dest(fn, &inst->opds[0], type), half[0], half[1], ptx_imm(0x5410));
}

/* Sets the lowest bit of a single that is not exactly what it was made from, so that the next rounding to fewer bits is right: the single was cut
 * off towards zero (rounding to odd). */
static hd_opd odd(ptx_fn *fn, hd_opd single, hd_opd inexact)
{
	hd_opd bit = ptx_temp(fn, 1);
	ptx_select(fn, bit, ptx_imm(1), ptx_imm(0), inexact);
	return ptx_make2(fn, HD_OP_OR, 1, single, bit);
}

static hd_opd double_to_odd_single(ptx_fn *fn, hd_opd a)
{
	hd_opd single = ptx_temp(fn, 1), back = ptx_temp(fn, 2);
	hd_ir_inst *cut = ptx_emit1(fn, HD_OP_F2F_RD, single, a);
	cut->sub = HD_SUB_F2F(HD_F32, HD_F64, 0, 0, 0);
	cut->mod = HD_RZ_;
	ptx_emit1(fn, HD_OP_F2F_DR, back, single)->sub = HD_SUB_F2F(HD_F64, HD_F32, 0, 0, 0);
	return odd(fn, single, ptx_compare(fn, HD_OP_DSETP, HD_CMP_NE, back, a));
}

/* Towards zero and upwards in magnitude agree where a single holds the integer. */
static hd_opd integer_to_odd_single(ptx_fn *fn, hd_opd a, ptx_type from)
{
	static const uint8_t modes[] = {HD_RZ_, HD_RM, HD_RP};
	hd_opd single[3];
	for (unsigned m = 0; m < 3; m++) {
		single[m] = ptx_temp(fn, 1);
		hd_ir_inst *emitted = ptx_emit1(fn, ptx_words(from) == 2 ? HD_OP_I2F_RD : HD_OP_I2F, single[m], a);
		emitted->sub = HD_SUB_I2F(HD_F32, itype(from));
		emitted->mod = modes[m];
	}
	return odd(fn, single[0], ptx_compare(fn, HD_OP_FSETP, HD_CMP_NE, single[1], single[2]));
}

/* From any type to bfloat16, by way of a single that is exact or odd. */
static void brain_from(ptx_fn *fn, const ptx_inst *inst)
{
	narrowing n = take_narrowing(fn);
	ptx_type from = ptx_type_at(fn, 1, INTEGERS | REALS | PTX_SET(BF16));
	unsigned integral;
	hd_opd a = source(fn, &inst->opds[1], from), single;
	if (fn->bad)
		return;
	if (INTEGERS >> from & 1)
		single = integer_to_odd_single(fn, a, from);
	else
		single = from == PTX_F64 ? double_to_odd_single(fn, a) : from == PTX_F32 ? a : ptx_half_to_single(fn, a, from);
	if (from == PTX_BF16 && integral_rounding(fn, &integral)) {
		hd_opd whole = ptx_temp(fn, 1);
		hd_ir_inst *emitted = ptx_emit1(fn, HD_OP_F2F, whole, single);
		emitted->sub = (uint8_t)HD_SUB_F2F(HD_F32, HD_F32, 0, 0, 1);
		emitted->mod = (uint8_t)integral;
		single = whole;
	}
	ptx_store_wide(fn, &inst->opds[0], to_brain(fn, single, n), PTX_BF16, true);
}

/* From and to bfloat16. */
static void convert_brain(ptx_fn *fn, const ptx_inst *inst, ptx_type to)
{
	if (to == PTX_BF16) {
		brain_from(fn, inst);
		return;
	}
	ptx_type_at(fn, 0, REALS | INTEGERS);
	hd_opd a = source(fn, &inst->opds[1], PTX_BF16);
	if (to == PTX_F16) {
		narrowing narrow = take_narrowing(fn);
		ptx_store_wide(fn, &inst->opds[0], to_half(fn, ptx_half_to_single(fn, a, PTX_BF16), narrow), PTX_F16, true);
		return;
	}
	if (to == PTX_F64) {
		(void)ptx_rounding(fn);
		hd_opd single = ptx_half_to_single(fn, a, PTX_BF16);
		ptx_emit1(fn, HD_OP_F2F_DR, ptx_dest(fn, &inst->opds[0], PTX_F64), single)->sub = HD_SUB_F2F(HD_F64, HD_F32, 0, 0, 0);
		return;
	}
	if (INTEGERS >> to & 1) {
		static const unsigned rows[4] = {HD_OP_F2I, HD_OP_F2I_DR, HD_OP_F2I_RD, HD_OP_F2I_DD};
		unsigned mode = HD_RZ_;
		if (!integral_rounding(fn, &mode))
			ptx_wrong(fn, fn->pos, "expected one of the suffixes .rni .rzi .rmi .rpi");
		(void)ptx_mod_used(fn, PTX_M_SAT);
		hd_opd single = ptx_half_to_single(fn, a, PTX_BF16);
		if (ptx_bits(to) == 64) {
			top_bit_for_nan(fn, inst, to, PTX_F32, single);
			return;
		}
		convert(fn, inst, rows, single, (conversion){to, PTX_F32, HD_SUB_F2I(itype(to), ftype(PTX_F32), false), mode, 0});
		return;
	}
	hd_opd single = ptx_half_to_single(fn, a, PTX_BF16);
	ptx_move(fn, ptx_dest(fn, &inst->opds[0], PTX_F32), single);
}

void ptx_do_cvt(ptx_fn *fn, const ptx_inst *inst)
{
	if (inst->ntypes == 2 && (ptx_types[inst->types[0]].kind == 'M' || ptx_types[inst->types[1]].kind == 'M')) {
		ptx_convert_small(fn, inst);
		return;
	}
	if (inst->nopds == 3) {
		ptx_type pair = ptx_type_at(fn, 0, PTX_SET(F16X2) | PTX_SET(BF16X2));
		ptx_type_at(fn, 1, PTX_SET(F32));
		pair_of_halves(fn, inst, pair);
		return;
	}
	if (inst->ntypes == 2 && (inst->types[0] == PTX_BF16 || inst->types[1] == PTX_BF16)) {
		convert_brain(fn, inst, (ptx_type)inst->types[0]);
		return;
	}
	ptx_type to = ptx_type_at(fn, 0, INTEGERS | REALS), from = ptx_type_at(fn, 1, INTEGERS | REALS);
	bool to_real = REALS >> to & 1, from_real = REALS >> from & 1;
	if (fn->bad)
		return;
	if (to == PTX_F16 && from == PTX_F32 && (ptx_has(inst, PTX_M_RELU) || ptx_has(inst, PTX_M_SATFINITE))) {
		narrowing narrow = take_narrowing(fn);
		ptx_store_wide(fn, &inst->opds[0], to_half(fn, ptx_source(fn, &inst->opds[1], PTX_F32), narrow), PTX_F16, true);
	} else if (to_real && from_real)
		float_to_float(fn, inst, to, from);
	else if (to_real)
		integer_to_float(fn, inst, to, from);
	else if (from_real)
		float_to_integer(fn, inst, to, from);
	else
		integer_to_integer(fn, inst, to, from);
}
