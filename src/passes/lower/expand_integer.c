#include "passes/lower/expand_integer.h"

static const hd_opd none = {0};

static hd_opd imm(uint64_t bits, unsigned words) { return hd_opd_imm(bits, words); }

typedef struct division {
	hd_opd quotient, remainder;
} division;

/* Raises the quotient by one where the remainder is not less than the divisor. */
static division correct(hd_expander *x, hd_opd q, hd_opd r, hd_opd d)
{
	bool wide = d.words == 2;
	unsigned add = wide ? HD_OP_IADD64 : HD_OP_IADD, subtract = wide ? HD_OP_ISUB64 : HD_OP_ISUB;
	hd_opd p = hd_expand_sub(x, wide ? HD_OP_ISETP64 : HD_OP_ISETP, HD_CMP_HS, 0, r, d);
	hd_opd more = hd_expand_op(x, add, q, imm(1, d.words), none), less = hd_expand_op(x, subtract, r, d, none);
	hd_opd quotient = hd_expand_select(x, p, more, q), remainder = hd_expand_select(x, p, less, r);
	return (division){quotient, remainder};
}

static division divide32(hd_expander *x, hd_opd n, hd_opd d)
{
	/* z is at most 2^32 / d, and its relative error is below 2^-21; then one Newton step in integers. */
	hd_opd f = hd_expand_sub(x, HD_OP_I2F, HD_SUB_I2F(HD_F32, HD_U32), HD_RN, d, none);
	f = hd_expand_op(x, HD_OP_FMUL, hd_expand_op(x, HD_OP_FRCP, f, none, none), imm(0x4f7ffffe, 1), none);
	hd_opd z = hd_expand_sub(x, HD_OP_F2I, HD_SUB_F2I(HD_U32, HD_F32, 0), HD_RZ_, f, none);
	hd_opd e = hd_expand_op(x, HD_OP_IMUL, z, hd_expand_op(x, HD_OP_INEG, d, none, none), none);
	z = hd_expand_op(x, HD_OP_IADD, z, hd_expand_op(x, HD_OP_IMULHIU, z, e, none), none);
	hd_opd q = hd_expand_op(x, HD_OP_IMULHIU, n, z, none);
	hd_opd r = hd_expand_op(x, HD_OP_ISUB, n, hd_expand_op(x, HD_OP_IMUL, q, d, none), none);
	division once = correct(x, q, r, d);
	return correct(x, once.quotient, once.remainder, d);
}

static division divide64(hd_expander *x, hd_opd n, hd_opd d)
{
	/* t = d shifted left so that 2^63 <= t. v < 2^127 / t: first from the upper half of t in floats, then two Newton steps, all rounded down. */
	hd_opd shift = hd_expand_op(x, HD_OP_CLZ64, d, none, none);
	hd_opd t = hd_expand_op(x, HD_OP_SHL64, d, shift, none);
	hd_opd high = hd_expand_sub(x, HD_OP_I2I_RD, HD_SUB_I2I(HD_U32, HD_U64, 0), 0, hd_expand_op(x, HD_OP_SHRU64, t, imm(32, 1), none), none);
	hd_opd f = hd_expand_sub(x, HD_OP_I2F, HD_SUB_I2F(HD_F32, HD_U32), HD_RP, high, none);
	f = hd_expand_sub(x, HD_OP_FMUL, 0, HD_RZ_, hd_expand_op(x, HD_OP_FRCP, f, none, none), imm(0x5efffff8, 1));
	hd_opd v = hd_expand_sub(x, HD_OP_F2I, HD_SUB_F2I(HD_U32, HD_F32, 0), HD_RZ_, f, none);
	v = hd_expand_sub(x, HD_OP_I2I_DR, HD_SUB_I2I(HD_U64, HD_U32, 0), 0, v, none);
	v = hd_expand_op(x, HD_OP_SHL64, v, imm(32, 1), none);
	for (unsigned i = 0; i < 2; i++) {
		hd_opd e = hd_expand_op(x, HD_OP_ISUB64, imm(INT64_MAX, 2), hd_expand_op(x, HD_OP_IMULHIU64, v, t, none), none);
		e = hd_expand_op(x, HD_OP_SHL64, hd_expand_op(x, HD_OP_IMULHIU64, v, e, none), imm(1, 1), none);
		v = hd_expand_op(x, HD_OP_IADD64, v, e, none);
	}
	/* The quotient in two parts. The first is at most ten too small, the sum of both at most one. */
	hd_opd down = hd_expand_op(x, HD_OP_ISUB, imm(63, 1), shift, none);
	hd_opd q = hd_expand_op(x, HD_OP_SHRU64, hd_expand_op(x, HD_OP_IMULHIU64, n, v, none), down, none);
	hd_opd r = hd_expand_op(x, HD_OP_ISUB64, n, hd_expand_op(x, HD_OP_IMUL64, q, d, none), none);
	hd_opd more = hd_expand_op(x, HD_OP_SHRU64, hd_expand_op(x, HD_OP_IMULHIU64, r, v, none), down, none);
	q = hd_expand_op(x, HD_OP_IADD64, q, more, none);
	r = hd_expand_op(x, HD_OP_ISUB64, r, hd_expand_op(x, HD_OP_IMUL64, more, d, none), none);
	return correct(x, q, r, d);
}

/* Negates `value` where `sign` is all ones, and leaves it where `sign` is 0: (value ^ sign) - sign. */
static void apply_sign(hd_expander *x, hd_opd value, hd_opd sign)
{
	bool wide = value.words == 2;
	hd_opd flipped = hd_expand_op(x, wide ? HD_OP_XOR64 : HD_OP_XOR, value, sign, none);
	hd_expand_op(x, wide ? HD_OP_ISUB64 : HD_OP_ISUB, flipped, sign, none);
}

void hd_expand_integer_division(hd_expander *x)
{
	const hd_ir_inst *inst = x->inst;
	bool wide = inst->op >= HD_IR_UDIV64;
	bool with_sign = inst->op == HD_IR_SDIV || inst->op == HD_IR_SREM || inst->op == HD_IR_SDIV64 || inst->op == HD_IR_SREM64;
	bool quotient = inst->op == HD_IR_UDIV || inst->op == HD_IR_SDIV || inst->op == HD_IR_UDIV64 || inst->op == HD_IR_SDIV64;
	unsigned words = wide ? 2 : 1;
	hd_opd n = inst->s[0], d = inst->s[1], sign = none;
	if (with_sign) {
		hd_opd both = quotient ? hd_expand_op(x, wide ? HD_OP_XOR64 : HD_OP_XOR, n, d, none) : n;
		sign = hd_expand_op(x, wide ? HD_OP_SHRS64 : HD_OP_SHRS, both, imm(wide ? 63 : 31, 1), none);
		n = hd_expand_op(x, wide ? HD_OP_IABS64 : HD_OP_IABS, n, none, none);
		d = hd_expand_op(x, wide ? HD_OP_IABS64 : HD_OP_IABS, d, none, none);
	}
	division r = wide ? divide64(x, n, d) : divide32(x, n, d);
	if (with_sign) {
		apply_sign(x, quotient ? r.quotient : r.remainder, sign);
	} else if (quotient) {
		hd_opd p = hd_expand_sub(x, wide ? HD_OP_ISETP64 : HD_OP_ISETP, HD_CMP_EQ, 0, d, imm(0, words));
		hd_expand_select(x, p, imm(wide ? UINT64_MAX : UINT32_MAX, words), r.quotient);
	} else {
		/* The result must be the latest sub-instruction, which the remainder is not. */
		hd_expand_op(x, wide ? HD_OP_MOV64 : HD_OP_MOV, r.remainder, none, none);
	}
	hd_expand_result(x, 0);
}
