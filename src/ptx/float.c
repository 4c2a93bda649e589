/* Float arithmetic: f32 and f64, and f16 through them (half.c). */
#include "ptx/lower.h"

unsigned ptx_rounding(ptx_fn *fn)
{
	static const ptx_mod mods[] = {PTX_M_RN, PTX_M_RZ, PTX_M_RM, PTX_M_RP};
	static const uint8_t modes[] = {HD_RN, HD_RZ_, HD_RM, HD_RP};
	unsigned mode = HD_RN, n = 0;
	for (unsigned i = 0; i < 4; i++)
		if (ptx_mod_used(fn, mods[i])) {
			mode = modes[i];
			n++;
		}
	if (n > 1)
		ptx_wrong(fn, fn->pos, "more than one rounding mode");
	return mode;
}

/* The suffixes of an f32 or f64 operation that are applied before or after the operation itself. */
typedef struct around {
	unsigned mode;
	bool ftz, sat;
} around;

static around take_around(ptx_fn *fn, ptx_type type)
{
	around r = {.mode = ptx_rounding(fn)};
	if (type == PTX_F32)
		r.ftz = ptx_mod_used(fn, PTX_M_FTZ);
	r.sat = ptx_mod_used(fn, PTX_M_SAT);
	return r;
}

static hd_opd flushed(ptx_fn *fn, hd_opd a, bool ftz) { return ftz && a.kind != HD_OPD_IMM ? ptx_make1(fn, HD_OP_FTZ, 1, a) : a; }

static hd_opd source(ptx_fn *fn, const ptx_opd *opd, ptx_type type, bool ftz)
{
	hd_opd a = ptx_source(fn, opd, type);
	if (ftz && a.kind == HD_OPD_IMM && (a.imm & 0x7f800000) == 0)
		a.imm &= 0x80000000;
	return flushed(fn, a, ftz);
}

/* Applies the suffixes to the result of the operation itself. */
static hd_opd result(ptx_fn *fn, hd_opd d, ptx_type type, around r) { return r.ftz || r.sat ? ptx_temp(fn, ptx_words(type)) : d; }

static void finish(ptx_fn *fn, hd_opd d, hd_opd value, ptx_type type, around r)
{
	if (r.ftz) {
		hd_opd to = r.sat ? ptx_temp(fn, 1) : d;
		ptx_emit1(fn, HD_OP_FTZ, to, value);
		value = to;
	}
	if (r.sat)
		ptx_emit1(fn, type == PTX_F64 ? HD_OP_DSAT : HD_OP_FSAT, d, value);
}

void ptx_float_binary(ptx_fn *fn, const ptx_inst *inst, ptx_type type, unsigned op32, unsigned op64)
{
	if (ptx_is_half(type)) {
		ptx_half_binary(fn, inst, type, op32);
		return;
	}
	around r = take_around(fn, type);
	hd_opd a = source(fn, &inst->opds[1], type, r.ftz), b = source(fn, &inst->opds[2], type, r.ftz);
	hd_opd d = ptx_dest(fn, &inst->opds[0], type), value = result(fn, d, type, r);
	unsigned op = type == PTX_F64 ? op64 : op32;
	hd_ir_inst *emitted = ptx_emit2(fn, op, value, a, b);
	emitted->mod = hd_ir_info(op)->flags & HD_OPF_RND ? (uint8_t)r.mode : 0;
	finish(fn, d, value, type, r);
}

ptx_extreme ptx_take_extreme(ptx_fn *fn, bool maximum)
{
	ptx_extreme e = {.maximum = maximum, .nan = ptx_mod_used(fn, PTX_M_NAN), .sign = ptx_mod_used(fn, PTX_M_XORSIGN)};
	if (ptx_mod_used(fn, PTX_M_ABS) != e.sign)
		ptx_wrong(fn, fn->pos, "expected .xorsign.abs or neither");
	return e;
}

hd_opd ptx_extreme_of(ptx_fn *fn, ptx_extreme e, hd_opd a, hd_opd b)
{
	hd_opd x = a, y = b;
	if (e.sign) {
		x = ptx_make1(fn, HD_OP_FABS, 1, a);
		y = ptx_make1(fn, HD_OP_FABS, 1, b);
	}
	hd_opd d = ptx_make2(fn, e.maximum ? HD_OP_FMAX : HD_OP_FMIN, 1, x, y);
	if (e.sign) { /* a NaN keeps no sign */
		hd_opd with = ptx_make2(fn, HD_OP_FCPYS, 1, ptx_make2(fn, HD_OP_XOR, 1, a, b), d), plain = d;
		d = ptx_temp(fn, 1);
		ptx_select(fn, d, plain, with, ptx_compare(fn, HD_OP_FSETP, HD_CMP_NAN, plain, plain));
	}
	if (e.nan) {
		hd_opd number = d;
		d = ptx_temp(fn, 1);
		ptx_select(fn, d, ptx_imm(0x7fffffff), number, ptx_compare(fn, HD_OP_FSETP, HD_CMP_NAN, a, b));
	}
	return d;
}

void ptx_float_extreme(ptx_fn *fn, const ptx_inst *inst, ptx_type type, bool maximum)
{
	ptx_extreme e = {0};
	if (type != PTX_F64)
		e = ptx_take_extreme(fn, maximum);
	if (ptx_is_half(type)) {
		ptx_half_extreme(fn, inst, type, e);
		return;
	}
	if (!e.nan && !e.sign) {
		ptx_float_binary(fn, inst, type, maximum ? HD_OP_FMAX : HD_OP_FMIN, maximum ? HD_OP_DMAX : HD_OP_DMIN);
		return;
	}
	bool ftz = ptx_mod_used(fn, PTX_M_FTZ);
	hd_opd a = source(fn, &inst->opds[1], type, ftz), b = source(fn, &inst->opds[2], type, ftz);
	hd_opd extreme = ptx_extreme_of(fn, e, a, b);
	ptx_move(fn, ptx_dest(fn, &inst->opds[0], type), extreme);
}

void ptx_do_fma(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_FLOAT | PTX_SET_HALF);
	if (ptx_is_half(type)) {
		ptx_half_fma(fn, inst, type);
		return;
	}
	around r = take_around(fn, type);
	hd_opd a = source(fn, &inst->opds[1], type, r.ftz), b = source(fn, &inst->opds[2], type, r.ftz), c = source(fn, &inst->opds[3], type, r.ftz);
	hd_opd d = ptx_dest(fn, &inst->opds[0], type), value = result(fn, d, type, r);
	ptx_emit3(fn, type == PTX_F64 ? HD_OP_DFMA : HD_OP_FFMA, value, a, b, c)->mod = (uint8_t)r.mode;
	finish(fn, d, value, type, r);
}

/* -- one source --------------------------------------------------------------------------------------------------------------------------- */

/* f32: `approx` with .approx, else `exact` with the rounding; f64: `wide`. 0 for an operation that does not exist. */
static void unary(ptx_fn *fn, const ptx_inst *inst, unsigned approx, unsigned exact, unsigned wide)
{
	uint32_t set = PTX_SET(F32) | (wide ? PTX_SET(F64) : 0) | (exact ? 0 : PTX_SET_HALF);
	ptx_type type = ptx_type_at(fn, 0, set);
	bool approximate = ptx_mod_used(fn, PTX_M_APPROX);
	if (ptx_is_half(type)) {
		ptx_half_unary(fn, inst, type, approx);
		return;
	}
	around r = take_around(fn, type);
	if (type == PTX_F64)
		r.ftz = false, (void)ptx_mod_used(fn, PTX_M_FTZ); /* rcp.approx.ftz.f64: the exact operation is within the allowed error */
	hd_opd a = source(fn, &inst->opds[1], type, r.ftz);
	hd_opd d = ptx_dest(fn, &inst->opds[0], type), value = result(fn, d, type, r);
	unsigned op = type == PTX_F64 ? wide : approximate || !exact ? approx : exact;
	ptx_emit1(fn, op, value, a)->mod = hd_ir_info(op)->flags & HD_OPF_RND ? (uint8_t)r.mode : 0;
	finish(fn, d, value, type, r);
}

void ptx_do_rcp(ptx_fn *fn, const ptx_inst *inst) { unary(fn, inst, HD_OP_FRCP, HD_IR_FRCPR, HD_IR_DRCP); }
void ptx_do_sqrt(ptx_fn *fn, const ptx_inst *inst) { unary(fn, inst, HD_OP_FSQRT, HD_IR_FSQRT, HD_IR_DSQRT); }
void ptx_do_sin(ptx_fn *fn, const ptx_inst *inst) { unary(fn, inst, HD_OP_FSIN, 0, 0); }
void ptx_do_cos(ptx_fn *fn, const ptx_inst *inst) { unary(fn, inst, HD_OP_FCOS, 0, 0); }
void ptx_do_ex2(ptx_fn *fn, const ptx_inst *inst) { unary(fn, inst, HD_OP_FEX2, 0, 0); }
void ptx_do_lg2(ptx_fn *fn, const ptx_inst *inst) { unary(fn, inst, HD_OP_FLG2, 0, 0); }
void ptx_do_tanh(ptx_fn *fn, const ptx_inst *inst) { unary(fn, inst, HD_OP_FTANH, 0, 0); }

void ptx_do_rsqrt(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_FLOAT);
	if (type == PTX_F32) {
		unary(fn, inst, HD_OP_FRSQ, 0, 0);
		return;
	}
	(void)ptx_mod_used(fn, PTX_M_APPROX);
	(void)ptx_mod_used(fn, PTX_M_FTZ);
	hd_opd root = ptx_make1(fn, HD_IR_DSQRT, 2, ptx_source(fn, &inst->opds[1], type));
	ptx_emit1(fn, HD_IR_DRCP, ptx_dest(fn, &inst->opds[0], type), root);
}

void ptx_do_copysign(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_FLOAT);
	hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type);
	ptx_emit2(fn, type == PTX_F64 ? HD_OP_DCPYS : HD_OP_FCPYS, ptx_dest(fn, &inst->opds[0], type), a, b);
}

void ptx_do_testp(ptx_fn *fn, const ptx_inst *inst)
{
	static const ptx_mod mods[] = {PTX_M_FINITE, PTX_M_INFINITE, PTX_M_NUMBER, PTX_M_NOTANUMBER, PTX_M_NORMAL, PTX_M_SUBNORMAL};
	static const uint8_t classes[] = {HD_FC_FINITE, HD_FC_INFINITE, HD_FC_NUMBER, HD_FC_NOTANUMBER, HD_FC_NORMAL, HD_FC_SUBNORMAL};
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_FLOAT);
	for (unsigned i = 0; i < HD_COUNT(mods); i++)
		if (ptx_mod_used(fn, mods[i])) {
			hd_opd a = ptx_source(fn, &inst->opds[1], type);
			ptx_emit1(fn, type == PTX_F64 ? HD_OP_DTESTP : HD_OP_FTESTP, ptx_dest_pred(fn, &inst->opds[0]), a)->sub = classes[i];
			return;
		}
	ptx_wrong(fn, fn->pos, "expected one of the suffixes .finite .infinite .number .notanumber .normal .subnormal");
}
