#include "semantics/vector.h"

#include <fenv.h>
#include <math.h>

/* Float arithmetic rounded to zero, down or up. It is rare, so the host rounds it, a lane at a time, in its own rounding mode. Compilers know
 * nothing of that mode. Operands and results go through volatile objects, which keeps every operation between the two calls of fesetround. */

static int host_mode(unsigned mod)
{
	switch (mod) {
	case HD_RZ_:
		return FE_TOWARDZERO;
	case HD_RM:
		return FE_DOWNWARD;
	case HD_RP:
		return FE_UPWARD;
	default:
		return FE_TONEAREST;
	}
}

static int enter(const hd_inst *inst)
{
	int old = fegetround();
	hd_invariant(fesetround(host_mode(inst->mod)) == 0, "the host cannot round in mode %d", inst->mod);
	return old;
}

#define FLOAT_OP(name, operands, ...)                                                                    \
	SEM_FN(TO_R, name)                                                                               \
	{                                                                                                \
		volatile float result;                                                                   \
		int old = enter(inst);                                                                   \
		LANES                                                                                    \
		{                                                                                        \
			volatile float x = hd_f32_of_bits(in->a->v[i]), y = hd_f32_of_bits(in->b->v[i]); \
			volatile float z = (operands) > 2 ? hd_f32_of_bits(in->c->v[i]) : 0;             \
			(void)z;                                                                         \
			result = (__VA_ARGS__);                                                          \
			out->r[0].v[i] = hd_f32_canonical(hd_bits_of_f32(result));                       \
		}                                                                                        \
		fesetround(old);                                                                         \
	}
#define DOUBLE_OP(name, operands, ...)                                      \
	SEM_FN(TO_D, name)                                                  \
	{                                                                   \
		wide_f p, q, r = {{0}}, d;                                  \
		volatile double result;                                     \
		wide_load_f(&p, in->a);                                     \
		wide_load_f(&q, in->b);                                     \
		if ((operands) > 2)                                         \
			wide_load_f(&r, in->c);                             \
		int old = enter(inst);                                      \
		LANES                                                       \
		{                                                           \
			volatile double x = p.v[i], y = q.v[i], z = r.v[i]; \
			(void)z;                                            \
			result = (__VA_ARGS__);                             \
			d.v[i] = result;                                    \
		}                                                           \
		fesetround(old);                                            \
		wide_store_f(out->r, &d);                                   \
	}

FLOAT_OP(directed_fadd, 2, x + y)
FLOAT_OP(directed_fsub, 2, x - y)
FLOAT_OP(directed_fmul, 2, x *y)
FLOAT_OP(directed_ffma, 3, fmaf(x, y, z))
FLOAT_OP(directed_fnfma, 3, fmaf(-x, y, z))
FLOAT_OP(directed_ffms, 3, fmaf(x, y, -z))
DOUBLE_OP(directed_dadd, 2, x + y)
DOUBLE_OP(directed_dsub, 2, x - y)
DOUBLE_OP(directed_dmul, 2, x *y)
DOUBLE_OP(directed_dfma, 3, fma(x, y, z))
DOUBLE_OP(directed_dnfma, 3, fma(-x, y, z))

/* By operation. One of another unit has NULL. */
static const hd_sem_code *const functions[HD_OP_COUNT] = {
    [HD_OP_FADD] = directed_fadd,   [HD_OP_FSUB] = directed_fsub, [HD_OP_FMUL] = directed_fmul,   [HD_OP_FFMA] = directed_ffma,
    [HD_OP_FNFMA] = directed_fnfma, [HD_OP_FFMS] = directed_ffms, [HD_OP_DADD] = directed_dadd,   [HD_OP_DSUB] = directed_dsub,
    [HD_OP_DMUL] = directed_dmul,   [HD_OP_DFMA] = directed_dfma, [HD_OP_DNFMA] = directed_dnfma,
};

const hd_sem_code *hd_sem_directed(const hd_inst *inst)
{
	if (inst->mod == HD_RN)
		return NULL;
	return functions[inst->op];
}
