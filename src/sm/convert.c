/* Conversions. The lane code is that of src/semantics, but for bfloat16 and for NaNs as integers. */
#include "sm/half.h"
#include "sm/lane.h"

/* The source with its sign, whose place the format decides that a modifier names. FLOAT_FROM's values are 1 + hd_ftype. */
static const hd_vec32 *source(const hd_sm_op *op, const hd_sm_in *in, unsigned from, hd_vec32 room[2])
{
	hd_sm_op as = *op;
	as.numbers = from == 3 ? HD_SM_D : from == 1 ? HD_SM_H : HD_SM_F;
	return op->source[0].minus || op->source[0].absolute ? hd_sm_signed(&as, 0, in->s[0], room) : in->s[0];
}

FUNCTION(f2f)
{
	unsigned to = op->m[0], from = op->m[1], mode = hd_sm_round(op->m[2]);
	hd_vec32 room[2];
	const hd_vec32 *a = source(op, in, from, room);
	if (to == 4) {
		EACH out->d[0].v[i] = hd_sm_to_half(from == 1 ? hd_sm_of_half(a->v[i], false) : hd_f32_of_bits(a->v[i]), true, mode);
		return;
	}
	hd_op code = from == 3 ? to == 3 ? HD_OP_F2F_DD : HD_OP_F2F_RD : to == 3 ? HD_OP_F2F_DR : HD_OP_F2F;
	hd_sm_shared(code, HD_SUB_F2F(to - 1, from - 1, false, op->m[3], false), mode, a, out->d);
}

static bool is_nan(const hd_vec32 *a, unsigned i, unsigned from)
{
	return from == 3 ? hd_f64_is_nan(hd_sm_wide(a, i)) : from == 2 ? hd_f32_is_nan(a->v[i]) : (a->v[i] & 0x7fff) > 0x7c00;
}

/* A NaN becomes 0 with .NTZ, and otherwise the number with the highest bit alone. */
FUNCTION(f2i)
{
	unsigned to = op->m[0], from = op->m[1];
	bool wide = (to & 3) == 3;
	hd_vec32 room[2], d[2];
	const hd_vec32 *a = source(op, in, from, room);
	hd_op code = from == 3 ? wide ? HD_OP_F2I_DD : HD_OP_F2I_RD : wide ? HD_OP_F2I_DR : HD_OP_F2I;
	hd_sm_shared(code, HD_SUB_F2I(to, from - 1, op->m[4]), hd_sm_round(op->m[2]), a, d);
	for (unsigned i = 0; !op->m[3] && i < HD_LANES; i++)
		if (is_nan(a, i, from)) {
			d[0].v[i] = wide ? 0 : 0x80000000u;
			d[1].v[i] = 0x80000000u;
		}
	out->d[0] = d[0];
	if (wide)
		out->d[1] = d[1];
}

FUNCTION(i2f)
{
	unsigned to = op->m[0], from = op->m[1], size = from & 3;
	const hd_vec32 *a = in->s[0];
	hd_vec32 selected;
	if (size < 2) {
		EACH selected.v[i] = a->v[i] >> (size ? 16 * op->m[4] : 8 * op->m[3]);
		a = &selected;
	}
	hd_op code = size == 3 ? to == 3 ? HD_OP_I2F_DD : HD_OP_I2F_RD : to == 3 ? HD_OP_I2F_DR : HD_OP_I2F;
	hd_sm_shared(code, HD_SUB_I2F(to - 1, from), hd_sm_round(op->m[2]), a, out->d);
}

FUNCTION(i2fp) { hd_sm_shared(HD_OP_I2F, HD_SUB_I2F(op->m[0] - 1, op->m[1]), hd_sm_round(op->m[2]), in->s[0], out->d); }

/* ROUND_TO: 5 f16, 10 f32, 15 f64. */
FUNCTION(frnd)
{
	unsigned from = op->m[0] & 3, type = from - 1;
	hd_vec32 room[2];
	hd_op code = type == HD_F64 ? HD_OP_F2F_DD : HD_OP_F2F;
	hd_sm_shared(code, HD_SUB_F2F(type, type, false, op->m[2], true), hd_sm_round(op->m[1]), source(op, in, from, room), out->d);
}

/* Two floats as halves of one word, the first one above. */
FUNCTION(f2fp)
{
	bool brain = op->m[0];
	unsigned mode = op->m[1] == 3 ? HD_RZ_ : HD_RN;
	EACH
	{
		uint32_t r = 0;
		for (unsigned k = 0; k < 2; k++) {
			uint32_t half = hd_sm_to_half(hd_f32_of_bits(in->s[k]->v[i]), brain, mode);
			if (op->m[2] && half >> 15 && (half & 0x7fff) <= (brain ? 0x7f80u : 0x7c00u))
				half = 0;
			r |= half << (k ? 0 : 16);
		}
		out->d[0].v[i] = r;
	}
}
