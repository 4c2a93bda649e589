#include "passes/lower/expand_float.h"

/* The formats differ in their operations and in the quality of the first approximation. */
typedef struct format {
	unsigned words;
	unsigned abs, mul, fma, nfma, max, setp;
	unsigned mant, divx, divend, rcp;    /* of division */
	unsigned sqrtm, sqrtx, sqrtend, rsq; /* of the square root */
	unsigned refinements;                /* Newton steps until the reciprocal is within a unit in the last place */
	uint64_t one, half;
} format;

/* The operations of a format have one name, with its letter in front. */
#define OPERATIONS(F)                                                                                                                        \
	.abs = HD_OP_##F##ABS, .mul = HD_OP_##F##MUL, .nfma = HD_OP_##F##NFMA, .max = HD_OP_##F##MAX, .setp = HD_OP_##F##SETP,               \
	.mant = HD_OP_##F##MANT, .divx = HD_OP_##F##DIVX, .divend = HD_OP_##F##DIVEND, .sqrtm = HD_OP_##F##SQRTM, .sqrtx = HD_OP_##F##SQRTX, \
	.sqrtend = HD_OP_##F##SQRTEND
static const format single_precision = {
    .words = 1, OPERATIONS(F), .fma = HD_OP_FFMA, .rcp = HD_OP_FRCP, .rsq = HD_OP_FRSQ, .refinements = 0, .one = 0x3f800000, .half = 0x3f000000};
static const format double_precision = {.words = 2,
                                        OPERATIONS(D),
                                        .fma = HD_OP_DFMA,
                                        .rcp = HD_OP_DRCPA,
                                        .rsq = HD_OP_DRSQA,
                                        .refinements = 2,
                                        .one = UINT64_C(0x3ff0000000000000),
                                        .half = UINT64_C(0x3fe0000000000000)};

static const hd_opd none = {0};

void hd_expand_float_division(hd_expander *x)
{
	const hd_ir_inst *inst = x->inst;
	bool reciprocal = inst->op == HD_IR_FRCPR || inst->op == HD_IR_DRCP;
	const format *f = inst->op == HD_IR_FDIV || inst->op == HD_IR_FRCPR ? &single_precision : &double_precision;
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
	/* Newton's iteration can end at 1/2, one unit too small, for the greatest mantissa alone. */
	y = hd_expand_op(x, f->max, y, hd_opd_imm(f->half + 1, f->words), none);
	hd_opd q = hd_expand_op(x, f->mul, n, y, none);
	hd_opd r = hd_expand_op(x, f->nfma, q, d, n);
	q = hd_expand_op(x, f->fma, r, y, q);
	r = hd_expand_op(x, f->nfma, q, d, n);
	q = hd_expand_op(x, f->fma, r, y, q);
	r = hd_expand_op(x, f->nfma, q, d, n);
	hd_expand_op(x, f->divend, q, r, code);
	hd_expand_rounded(x);
	hd_expand_result(x, 0);
}

/* Compares m with s * t exactly: the sign of m - s * t survives the rounding of that difference. */
static hd_opd compare_product(hd_expander *x, const format *f, hd_opd m, hd_opd s, hd_opd t, unsigned cmp)
{
	return hd_expand_sub(x, f->setp, cmp, 0, hd_expand_op(x, f->nfma, s, t, m), hd_opd_imm(0, f->words));
}

void hd_expand_square_root(hd_expander *x)
{
	const hd_ir_inst *inst = x->inst;
	const format *f = inst->op == HD_IR_FSQRT ? &single_precision : &double_precision;
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

	/* s is less than one unit from the root: the result is s or a neighbour of it. Exact products decide which one. */
	hd_opd below = hd_expand_op(x, subtract, s, step, none), above = hd_expand_op(x, add, s, step, none), p;
	switch (inst->mod) {
	case HD_RN: /* round up when m > s * above; down when m <= s * below */
		p = compare_product(x, f, m, s, above, HD_CMP_GT);
		above = hd_expand_select(x, p, above, s);
		p = compare_product(x, f, m, s, below, HD_CMP_LE);
		s = hd_expand_select(x, p, below, above);
		break;
	case HD_RP: /* the least number whose square is not below m */
		p = compare_product(x, f, m, s, s, HD_CMP_GT);
		above = hd_expand_select(x, p, above, s);
		p = compare_product(x, f, m, below, below, HD_CMP_LE);
		s = hd_expand_select(x, p, below, above);
		break;
	default: /* the greatest number whose square is not above m */
		p = compare_product(x, f, m, s, s, HD_CMP_LT);
		below = hd_expand_select(x, p, below, s);
		p = compare_product(x, f, m, above, above, HD_CMP_GE);
		s = hd_expand_select(x, p, above, below);
		break;
	}
	hd_expand_op(x, f->sqrtend, s, code, none);
	hd_expand_rounded(x);
	hd_expand_result(x, 0);
}
