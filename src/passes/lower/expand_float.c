/* Division and square root of floats, correctly rounded in every mode. docs/division.md says why these sequences are right. The two formats differ
 * in their operations and in how good the first approximation is, so one table serves both. */
#include "passes/lower/expand.h"

typedef struct format {
	unsigned words, mant, divx, divend, abs, rcp, mul, fma, nfma, sqrtm, sqrtx, sqrtend, rsq, setp, max;
	unsigned refinements; /* steps of Newton before the reciprocal is within a unit in the last place */
	uint64_t one, half;
} format;

static const format single = {1,          HD_OP_FMANT, HD_OP_FDIVX,  HD_OP_FDIVEND, HD_OP_FABS,     HD_OP_FRCP, HD_OP_FMUL,
                              HD_OP_FFMA, HD_OP_FNFMA, HD_OP_FSQRTM, HD_OP_FSQRTX,  HD_OP_FSQRTEND, HD_OP_FRSQ, HD_OP_FSETP,
                              HD_OP_FMAX, 0,           0x3f800000,   0x3f000000};
static const format twice = {2,
                             HD_OP_DMANT,
                             HD_OP_DDIVX,
                             HD_OP_DDIVEND,
                             HD_OP_DABS,
                             HD_OP_DRCPA,
                             HD_OP_DMUL,
                             HD_OP_DFMA,
                             HD_OP_DNFMA,
                             HD_OP_DSQRTM,
                             HD_OP_DSQRTX,
                             HD_OP_DSQRTEND,
                             HD_OP_DRSQA,
                             HD_OP_DSETP,
                             HD_OP_DMAX,
                             2,
                             UINT64_C(0x3ff0000000000000),
                             UINT64_C(0x3fe0000000000000)};

static const hd_opd none = {0};

void hd_expand_float_division(hd_expander *x)
{
	const hd_ir_inst *inst = x->inst;
	bool reciprocal = inst->op == HD_IR_FRCPR || inst->op == HD_IR_DRCP;
	const format *f = inst->op == HD_IR_FDIV || inst->op == HD_IR_FRCPR ? &single : &twice;
	hd_opd one = hd_opd_imm(f->one, f->words);
	hd_opd a = reciprocal ? one : inst->s[0], b = reciprocal ? inst->s[0] : inst->s[1];

	hd_opd n = reciprocal ? one : hd_expand_op(x, f->mant, a, none, none);
	hd_opd d = hd_expand_op(x, f->abs, hd_expand_op(x, f->mant, b, none, none), none, none);
	hd_opd code = hd_expand_op(x, f->divx, a, b, none);
	hd_opd y = hd_expand_op(x, f->rcp, d, none, none);
	for (unsigned i = 0; i <= f->refinements; i++) {
		hd_opd e = hd_expand_op(x, f->nfma, d, y, one);
		y = hd_expand_op(x, f->fma, y, e, y);
	}
	/* Newton can stop at 1/2 for the greatest mantissa only, where it is one unit too small. */
	y = hd_expand_op(x, f->max, y, hd_opd_imm(f->half + 1, f->words), none);
	hd_opd q = hd_expand_op(x, f->mul, n, y, none);
	hd_opd r = hd_expand_op(x, f->nfma, q, d, n);
	q = hd_expand_op(x, f->fma, r, y, q);
	r = hd_expand_op(x, f->nfma, q, d, n);
	q = hd_expand_op(x, f->fma, r, y, q);
	r = hd_expand_op(x, f->nfma, q, d, n);
	hd_expand_op(x, f->divend, q, r, code);
	x->out.at[x->out.n - 1]->mod = inst->mod;
	hd_expand_last(x, 0);
}

/* m <= s * t, exactly: the sign of m - s * t survives its rounding. */
static hd_opd not_above(hd_expander *x, const format *f, hd_opd m, hd_opd s, hd_opd t, unsigned cmp)
{
	return hd_expand_sub(x, f->setp, cmp, 0, hd_expand_op(x, f->nfma, s, t, m), hd_opd_imm(0, f->words));
}

void hd_expand_square_root(hd_expander *x)
{
	const hd_ir_inst *inst = x->inst;
	const format *f = inst->op == HD_IR_FSQRT ? &single : &twice;
	hd_opd half = hd_opd_imm(f->half, f->words), step = hd_opd_imm(1, f->words);
	unsigned add = f->words == 2 ? HD_OP_IADD64 : HD_OP_IADD, subtract = f->words == 2 ? HD_OP_ISUB64 : HD_OP_ISUB;

	hd_opd m = hd_expand_op(x, f->sqrtm, inst->s[0], none, none);
	hd_opd code = hd_expand_op(x, f->sqrtx, inst->s[0], none, none);
	hd_opd y = hd_expand_op(x, f->rsq, m, none, none);
	hd_opd s = hd_expand_op(x, f->mul, m, y, none);    /* -> sqrt(m) */
	hd_opd h = hd_expand_op(x, f->mul, y, half, none); /* -> 1 / (2 sqrt(m)) */
	for (unsigned i = 0; i < f->refinements; i++) {
		hd_opd e = hd_expand_op(x, f->nfma, s, h, half);
		s = hd_expand_op(x, f->fma, s, e, s);
		h = hd_expand_op(x, f->fma, h, e, h);
	}
	s = hd_expand_op(x, f->fma, hd_expand_op(x, f->nfma, s, s, m), h, s);

	/* s is less than one unit away: the result is s or a neighbour. Which one, exact products decide. */
	hd_opd below = hd_expand_op(x, subtract, s, step, none), above = hd_expand_op(x, add, s, step, none), p;
	switch (inst->mod) {
	case HD_RN: /* round up when m > s * above; down when m <= s * below */
		p = not_above(x, f, m, s, above, HD_CMP_GT);
		above = hd_expand_select(x, p, above, s);
		p = not_above(x, f, m, s, below, HD_CMP_LE);
		s = hd_expand_select(x, p, below, above);
		break;
	case HD_RP: /* the least whose square is not below m */
		p = not_above(x, f, m, s, s, HD_CMP_GT);
		above = hd_expand_select(x, p, above, s);
		p = not_above(x, f, m, below, below, HD_CMP_LE);
		s = hd_expand_select(x, p, below, above);
		break;
	default: /* the greatest whose square is not above m */
		p = not_above(x, f, m, s, s, HD_CMP_LT);
		below = hd_expand_select(x, p, below, s);
		p = not_above(x, f, m, above, above, HD_CMP_GE);
		s = hd_expand_select(x, p, above, below);
		break;
	}
	hd_expand_op(x, f->sqrtend, s, code, none);
	x->out.at[x->out.n - 1]->mod = inst->mod;
	hd_expand_last(x, 0);
}
