/* Multi-operation instructions into sub-instructions (LU-1). Straight lines: no branch, each intermediate value used once or twice right
 * behind its definition, which is what last-use flags live on. docs/division.md says why the quotients and roots are correctly rounded. */
#include "passes/passes.h"

typedef struct expander {
	hd_ir_module *module;
	hd_ir_function *f;
	const hd_ir_inst *of; /* being expanded */
	HD_VEC(hd_ir_inst *) out;
} expander;

static hd_opd fresh(expander *x, unsigned words) { return hd_opd_reg(hd_ir_vreg_new(x->f, words), words); }
static hd_opd f32(uint32_t bits) { return hd_opd_imm(bits, 1); }
static hd_opd f64(uint64_t bits) { return hd_opd_imm(bits, 2); }

static hd_ir_inst *put(expander *x, unsigned op, hd_opd d, const hd_opd *s, unsigned n)
{
	hd_ir_inst *inst = hd_ir_inst_new(x->module, op, 1, n);
	inst->d[0] = d;
	for (unsigned i = 0; i < n; i++)
		inst->s[i] = s[i];
	inst->loc = x->of->loc;
	hd_vec_push(&x->out, inst);
	return inst;
}

static unsigned words_of(unsigned op)
{
	const hd_op_info *row = hd_ir_info(op);
	return row->d == HD_W_D ? 2 : row->d == HD_W_P ? 0 : 1;
}

/* One sub-instruction into a new register, or, for the last one, into the destination under the guard. */
static hd_opd op1(expander *x, unsigned op, hd_opd a)
{
	hd_opd d = fresh(x, words_of(op));
	put(x, op, d, &a, 1);
	return d;
}

static hd_opd op2(expander *x, unsigned op, hd_opd a, hd_opd b)
{
	hd_opd d = fresh(x, words_of(op)), s[2] = {a, b};
	put(x, op, d, s, 2);
	return d;
}

static hd_opd op3(expander *x, unsigned op, hd_opd a, hd_opd b, hd_opd c)
{
	hd_opd d = fresh(x, words_of(op)), s[3] = {a, b, c};
	put(x, op, d, s, 3);
	return d;
}

static hd_opd compare(expander *x, unsigned op, unsigned cmp, hd_opd a, hd_opd b)
{
	hd_opd d = hd_opd_pred(hd_ir_vreg_new(x->f, 0), false), s[2] = {a, b};
	put(x, op, d, s, 2)->sub = (uint8_t)cmp;
	return d;
}

static hd_opd convert(expander *x, unsigned op, unsigned sub, unsigned round, hd_opd a)
{
	hd_opd d = op1(x, op, a);
	hd_ir_inst *inst = x->out.at[x->out.n - 1];
	inst->sub = (uint8_t)sub;
	inst->mod = (uint8_t)round;
	return d;
}

/* The instruction put last becomes the one that writes the destination. */
static void finish(expander *x, unsigned destination)
{
	hd_ir_inst *last = x->out.at[x->out.n - 1];
	last->d[0] = x->of->d[destination];
	last->guard = x->of->guard;
}

static void divide32(expander *x, hd_opd a, hd_opd b)
{
	hd_opd code = op2(x, HD_OP_FDIVX, a, b), ma = op1(x, HD_OP_FMANT, a), mb = op1(x, HD_OP_FABS, op1(x, HD_OP_FMANT, b));
	hd_opd y = op1(x, HD_OP_FRCP, mb), e = op3(x, HD_OP_FNFMA, mb, y, f32(0x3f800000));
	y = op3(x, HD_OP_FFMA, e, y, y);
	y = op2(x, HD_OP_FMAX, y, f32(0x3f000001));
	hd_opd q = op2(x, HD_OP_FMUL, ma, y), r = op3(x, HD_OP_FNFMA, mb, q, ma);
	q = op3(x, HD_OP_FFMA, r, y, q);
	r = op3(x, HD_OP_FNFMA, mb, q, ma);
	op3(x, HD_OP_FDIVEND, q, r, code);
	x->out.at[x->out.n - 1]->mod = x->of->mod;
	finish(x, 0);
}

static void divide64(expander *x, hd_opd a, hd_opd b)
{
	hd_opd code = op2(x, HD_OP_DDIVX, a, b), ma = op1(x, HD_OP_DMANT, a), mb = op1(x, HD_OP_DABS, op1(x, HD_OP_DMANT, b));
	hd_opd y = op1(x, HD_OP_DRCPA, mb);
	for (unsigned k = 0; k < 3; k++) {
		hd_opd e = op3(x, HD_OP_DNFMA, mb, y, f64(UINT64_C(0x3ff0000000000000)));
		y = op3(x, HD_OP_DFMA, e, y, y);
	}
	y = op2(x, HD_OP_DMAX, y, f64(UINT64_C(0x3fe0000000000001)));
	hd_opd q = op2(x, HD_OP_DMUL, ma, y), r = op3(x, HD_OP_DNFMA, mb, q, ma);
	q = op3(x, HD_OP_DFMA, r, y, q);
	r = op3(x, HD_OP_DNFMA, mb, q, ma);
	op3(x, HD_OP_DDIVEND, q, r, code);
	x->out.at[x->out.n - 1]->mod = x->of->mod;
	finish(x, 0);
}

static void root32(expander *x, hd_opd a)
{
	hd_opd half = f32(0x3f000000), code = op1(x, HD_OP_FSQRTX, a), m = op1(x, HD_OP_FSQRTM, a), y = op1(x, HD_OP_FRSQ, m);
	hd_opd g = op2(x, HD_OP_FMUL, m, y), h = op2(x, HD_OP_FMUL, y, half), r = op3(x, HD_OP_FNFMA, g, h, half);
	g = op3(x, HD_OP_FFMA, g, r, g);
	h = op3(x, HD_OP_FFMA, h, r, h);
	r = op3(x, HD_OP_FNFMA, g, g, m);
	g = op3(x, HD_OP_FFMA, r, h, g);
	x->out.at[x->out.n - 1]->mod = x->of->mod;
	op2(x, HD_OP_FSQRTEND, g, code);
	x->out.at[x->out.n - 1]->mod = x->of->mod;
	finish(x, 0);
}

static void root64(expander *x, hd_opd a)
{
	hd_opd half = f64(UINT64_C(0x3fe0000000000000)), code = op1(x, HD_OP_DSQRTX, a), m = op1(x, HD_OP_DSQRTM, a), y = op1(x, HD_OP_DRSQA, m);
	hd_opd g = op2(x, HD_OP_DMUL, m, y), h = op2(x, HD_OP_DMUL, y, half), r;
	for (unsigned k = 0; k < 2; k++) {
		r = op3(x, HD_OP_DNFMA, g, h, half);
		g = op3(x, HD_OP_DFMA, g, r, g);
		h = op3(x, HD_OP_DFMA, h, r, h);
	}
	r = op3(x, HD_OP_DNFMA, g, g, m);
	g = op3(x, HD_OP_DFMA, r, h, g);
	r = op3(x, HD_OP_DNFMA, g, g, m);
	g = op3(x, HD_OP_DFMA, r, h, g);
	x->out.at[x->out.n - 1]->mod = x->of->mod;
	op2(x, HD_OP_DSQRTEND, g, code);
	x->out.at[x->out.n - 1]->mod = x->of->mod;
	finish(x, 0);
}

/* Unsigned quotient and remainder of 32 bits. The reciprocal in float, scaled just below 2^32, is too small by a few hundred at most; one
 * Newton step in integers brings the quotient within 2, which two conditional corrections settle. b = 0: remainder a. */
static void udivrem32(expander *x, hd_opd a, hd_opd b, hd_opd *quotient, hd_opd *remainder)
{
	hd_opd y = op1(x, HD_OP_FRCP, convert(x, HD_OP_I2F, HD_SUB_I2F(HD_F32, HD_U32), HD_RN, b));
	hd_opd z = convert(x, HD_OP_F2I, HD_SUB_F2I(HD_U32, HD_F32, 0), HD_RZ_, op2(x, HD_OP_FMUL, y, f32(0x4f7ffffe)));
	hd_opd error = op2(x, HD_OP_IMUL, op1(x, HD_OP_INEG, b), z);
	z = op2(x, HD_OP_IADD, z, op2(x, HD_OP_IMULHIU, z, error));
	hd_opd q = op2(x, HD_OP_IMULHIU, a, z), r = op2(x, HD_OP_ISUB, a, op2(x, HD_OP_IMUL, q, b));
	for (unsigned k = 0; k < 2; k++) {
		hd_opd over = compare(x, HD_OP_ISETP, HD_CMP_HS, r, b);
		if (quotient)
			q = op3(x, HD_OP_SEL, op2(x, HD_OP_IADD, q, hd_opd_imm(1, 1)), q, over);
		r = op3(x, HD_OP_SEL, op2(x, HD_OP_ISUB, r, b), r, over);
	}
	if (quotient)
		*quotient = q;
	if (remainder)
		*remainder = r;
}

/* The same in 64 bits, by doubles: each round takes about 49 bits of quotient from below; after two at most one is missing. */
static void udivrem64(expander *x, hd_opd a, hd_opd b, hd_opd *quotient, hd_opd *remainder)
{
	const unsigned to_double = HD_SUB_I2F(HD_F64, HD_U64), from_double = HD_SUB_F2I(HD_U64, HD_F64, 0);
	hd_opd y32 = op1(x, HD_OP_FRCP, convert(x, HD_OP_I2F_RD, HD_SUB_I2F(HD_F32, HD_U64), HD_RN, b));
	hd_opd y = convert(x, HD_OP_F2F_DR, HD_SUB_F2F(HD_F64, HD_F32, 0, 0, 0), HD_RN, y32), bd = convert(x, HD_OP_I2F_DD, to_double, HD_RN, b);
	for (unsigned k = 0; k < 2; k++) {
		hd_opd e = op3(x, HD_OP_DNFMA, bd, y, f64(UINT64_C(0x3ff0000000000000)));
		y = op3(x, HD_OP_DFMA, y, e, y);
	}
	y = op2(x, HD_OP_DMUL, y, f64(UINT64_C(0x3feffffffffffff8))); /* 1 - 2^-50 */
	hd_opd r = a, q = {0};
	for (unsigned k = 0; k < 2; k++) {
		hd_opd part = convert(x, HD_OP_F2I_DD, from_double, HD_RZ_, op2(x, HD_OP_DMUL, convert(x, HD_OP_I2F_DD, to_double, HD_RN, r), y));
		r = op2(x, HD_OP_ISUB64, r, op2(x, HD_OP_IMUL64, part, b));
		q = k == 0 ? part : op2(x, HD_OP_IADD64, q, part);
	}
	hd_opd over = compare(x, HD_OP_ISETP64, HD_CMP_HS, r, b);
	if (quotient)
		*quotient = op3(x, HD_OP_SEL64, op2(x, HD_OP_IADD64, q, hd_opd_imm(1, 2)), q, over);
	if (remainder)
		*remainder = op3(x, HD_OP_SEL64, op2(x, HD_OP_ISUB64, r, b), r, over);
}

static void divide_integers(expander *x, bool wide, bool is_signed, bool remainder)
{
	hd_opd a = x->of->s[0], b = x->of->s[1], ua = a, ub = b, result = {0};
	unsigned words = wide ? 2 : 1;
	if (is_signed) {
		ua = op1(x, wide ? HD_OP_IABS64 : HD_OP_IABS, a);
		ub = op1(x, wide ? HD_OP_IABS64 : HD_OP_IABS, b);
	}
	if (wide)
		udivrem64(x, ua, ub, remainder ? NULL : &result, remainder ? &result : NULL);
	else
		udivrem32(x, ua, ub, remainder ? NULL : &result, remainder ? &result : NULL);
	unsigned select = wide ? HD_OP_SEL64 : HD_OP_SEL, isetp = wide ? HD_OP_ISETP64 : HD_OP_ISETP;
	if (is_signed) {
		hd_opd sign = remainder ? a : op2(x, wide ? HD_OP_XOR64 : HD_OP_XOR, a, b);
		hd_opd negative = compare(x, isetp, HD_CMP_LT, sign, hd_opd_imm(0, words));
		op3(x, select, op1(x, wide ? HD_OP_INEG64 : HD_OP_INEG, result), result, negative);
	} else if (!remainder) {
		hd_opd none = compare(x, isetp, HD_CMP_EQ, b, hd_opd_imm(0, words));
		op3(x, select, hd_opd_imm(wide ? UINT64_MAX : UINT32_MAX, words), result, none);
	}
	finish(x, 0);
}

/* x0 y0 + x1 y1 + ...: for four the order of the source (LU-1). */
static void dot(expander *x, unsigned n)
{
	const hd_opd *s = x->of->s;
	if (n == 4) {
		hd_opd r0 = op2(x, HD_OP_FMUL, s[0], s[4]), r1 = op2(x, HD_OP_FMUL, s[1], s[5]);
		hd_opd r2 = op3(x, HD_OP_FFMA, s[2], s[6], r0), r3 = op3(x, HD_OP_FFMA, s[3], s[7], r1);
		op2(x, HD_OP_FADD, r2, r3);
	} else {
		hd_opd sum = op2(x, HD_OP_FMUL, s[0], s[n]);
		for (unsigned i = 1; i < n; i++)
			sum = op3(x, HD_OP_FFMA, s[i], s[n + i], sum);
	}
	finish(x, 0);
}

static void normalise(expander *x)
{
	const hd_opd *s = x->of->s;
	hd_opd sum = op2(x, HD_OP_FMUL, s[0], s[0]);
	sum = op3(x, HD_OP_FFMA, s[1], s[1], sum);
	sum = op3(x, HD_OP_FFMA, s[2], s[2], sum);
	hd_opd nothing = compare(x, HD_OP_FSETP, HD_CMP_EQ, sum, f32(0));
	hd_opd scale = op3(x, HD_OP_SEL, f32(0), op1(x, HD_OP_FRSQ, sum), nothing);
	hd_opd parts[3];
	for (unsigned i = 0; i < 3; i++)
		parts[i] = op2(x, HD_OP_FMUL, s[i], scale);
	/* The destinations may be among the sources. */
	for (unsigned i = 0; i < 3; i++) {
		if (x->of->d[i].kind == HD_OPD_NONE)
			continue;
		op1(x, HD_OP_MOV, parts[i]);
		finish(x, i);
	}
}

static bool expand(expander *x, hd_ir_inst *inst)
{
	x->of = inst;
	const hd_opd *s = inst->s;
	switch (inst->op) {
	case HD_IR_FDIV: divide32(x, s[0], s[1]); return true;
	case HD_IR_FRCPR: divide32(x, f32(0x3f800000), s[0]); return true;
	case HD_IR_FSQRT: root32(x, s[0]); return true;
	case HD_IR_DDIV: divide64(x, s[0], s[1]); return true;
	case HD_IR_DRCP: divide64(x, f64(UINT64_C(0x3ff0000000000000)), s[0]); return true;
	case HD_IR_DSQRT: root64(x, s[0]); return true;
	case HD_IR_UDIV: divide_integers(x, false, false, false); return true;
	case HD_IR_SDIV: divide_integers(x, false, true, false); return true;
	case HD_IR_UREM: divide_integers(x, false, false, true); return true;
	case HD_IR_SREM: divide_integers(x, false, true, true); return true;
	case HD_IR_UDIV64: divide_integers(x, true, false, false); return true;
	case HD_IR_SDIV64: divide_integers(x, true, true, false); return true;
	case HD_IR_UREM64: divide_integers(x, true, false, true); return true;
	case HD_IR_SREM64: divide_integers(x, true, true, true); return true;
	case HD_IR_DP2: dot(x, 2); return true;
	case HD_IR_DP3: dot(x, 3); return true;
	case HD_IR_DP4: dot(x, 4); return true;
	case HD_IR_NORM3: normalise(x); return true;
	default: return false;
	}
}

bool hd_pass_expand(hd_ir_module *module, hd_diag *diag)
{
	(void)diag; /* cannot fail */
	for (size_t i = 0; i < module->functions.n; i++) {
		expander x = {.module = module, .f = module->functions.at[i]};
		for (size_t b = 0; b < x.f->blocks.n; b++) {
			hd_ir_block *block = x.f->blocks.at[b];
			x.out.at = NULL;
			x.out.n = x.out.cap = 0;
			for (size_t k = 0; k < block->insts.n; k++) {
				if (!expand(&x, block->insts.at[k]))
					hd_vec_push(&x.out, block->insts.at[k]);
			}
			hd_vec_free(&block->insts);
			block->insts.at = x.out.at;
			block->insts.n = x.out.n;
			block->insts.cap = x.out.cap;
		}
	}
	return true;
}
