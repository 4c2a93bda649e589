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

/* The row for the widths, and its destination: the register itself when it has the type's width and its upper bits need no extension. */
static void convert(ptx_fn *fn, const ptx_inst *inst, const unsigned rows[4], ptx_type to, ptx_type from, hd_opd a, unsigned sub, unsigned mode,
                    unsigned after)
{
	unsigned to_words = ptx_words(to), op = rows[(to_words == 2 ? 1 : 0) | (ptx_words(from) == 2 ? 2 : 0)];
	hd_opd d = ptx_temp(fn, to_words);
	hd_ir_inst *emitted = ptx_emit1(fn, op, d, a);
	emitted->sub = (uint8_t)sub;
	emitted->mod = (uint8_t)mode;
	if (after)
		d = ptx_make1(fn, after, to_words, d);
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
		convert(fn, inst, rows, to, from, a, HD_SUB_I2I(itype(to), itype(from), 1), 0, 0);
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

static void float_to_integer(ptx_fn *fn, const ptx_inst *inst, ptx_type to, ptx_type from)
{
	static const unsigned rows[4] = {HD_OP_F2I, HD_OP_F2I_DR, HD_OP_F2I_RD, HD_OP_F2I_DD};
	unsigned mode = HD_RZ_;
	bool ftz = ptx_mod_used(fn, PTX_M_FTZ);
	if (!integral_rounding(fn, &mode))
		ptx_wrong(fn, fn->pos, "expected one of the suffixes .rni .rzi .rmi .rpi");
	(void)ptx_mod_used(fn, PTX_M_SAT); /* these conversions always saturate */
	hd_opd a = source(fn, &inst->opds[1], from);
	convert(fn, inst, rows, to, from, a, HD_SUB_F2I(itype(to), ftype(from), ftz && from == PTX_F32), mode, 0);
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
	convert(fn, inst, rows, to, from, a, HD_SUB_I2F(ftype(to), itype(from)), mode, !sat ? 0 : to == PTX_F64 ? HD_OP_DSAT : HD_OP_FSAT);
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
	convert(fn, inst, rows, to, from, a, HD_SUB_F2F(ftype(to), ftype(from), row_sat, ftz, integral), mode, sat && to == PTX_F64 ? HD_OP_DSAT : 0);
}

static hd_opd to_brain(ptx_fn *fn, const ptx_opd *from, unsigned mode)
{
	if (mode != HD_RN && mode != HD_RZ_)
		ptx_wrong(fn, fn->pos, "a rounding mode that bfloat16 does not have, expected .rn or .rz");
	return ptx_single_to_brain(fn, ptx_source(fn, from, PTX_F32), mode == HD_RN);
}

/* Two f32 into a pair of halves: the first operand is the upper one. */
static void pair_of_halves(ptx_fn *fn, const ptx_inst *inst, ptx_type type)
{
	unsigned mode = ptx_rounding(fn);
	hd_opd half[2];
	for (unsigned i = 0; i < 2; i++) {
		if (type == PTX_BF16X2) {
			half[i] = to_brain(fn, &inst->opds[2 - i], mode);
			continue;
		}
		half[i] = ptx_temp(fn, 1);
		hd_ir_inst *emitted = ptx_emit1(fn, HD_OP_F2F, half[i], ptx_source(fn, &inst->opds[2 - i], PTX_F32));
		emitted->sub = HD_SUB_F2F(HD_F16, HD_F32, 0, 0, 0);
		emitted->mod = (uint8_t)mode;
	}
	ptx_emit3(fn, HD_OP_PRMT, ptx_dest(fn, &inst->opds[0], type), half[0], half[1], ptx_imm(0x5410));
}

/* From and to bfloat16: f32, and integers that it becomes. */
static void convert_brain(ptx_fn *fn, const ptx_inst *inst, ptx_type to)
{
	if (to == PTX_BF16) {
		ptx_type_at(fn, 1, PTX_SET(F32));
		ptx_store_wide(fn, &inst->opds[0], to_brain(fn, &inst->opds[1], ptx_rounding(fn)), PTX_BF16, true);
		return;
	}
	ptx_type_at(fn, 0, PTX_SET(F32) | INTEGERS);
	hd_opd a = source(fn, &inst->opds[1], PTX_BF16);
	if (INTEGERS >> to & 1) {
		static const unsigned rows[4] = {HD_OP_F2I, HD_OP_F2I_DR, HD_OP_F2I_RD, HD_OP_F2I_DD};
		unsigned mode = HD_RZ_;
		if (!integral_rounding(fn, &mode))
			ptx_wrong(fn, fn->pos, "expected one of the suffixes .rni .rzi .rmi .rpi");
		(void)ptx_mod_used(fn, PTX_M_SAT);
		hd_opd single = ptx_half_to_single(fn, a, PTX_BF16);
		convert(fn, inst, rows, to, PTX_F32, single, HD_SUB_F2I(itype(to), ftype(PTX_F32), false), mode, 0);
		return;
	}
	ptx_move(fn, ptx_dest(fn, &inst->opds[0], PTX_F32), ptx_half_to_single(fn, a, PTX_BF16));
}

void ptx_do_cvt(ptx_fn *fn, const ptx_inst *inst)
{
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
	if (to_real && from_real)
		float_to_float(fn, inst, to, from);
	else if (to_real)
		integer_to_float(fn, inst, to, from);
	else if (from_real)
		float_to_integer(fn, inst, to, from);
	else
		integer_to_integer(fn, inst, to, from);
}
