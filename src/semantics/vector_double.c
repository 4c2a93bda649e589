#include "semantics/vector.h"

/* As vector_float.c, for doubles: bodies see x, y, z; bit operations see a, b. */
#define OP2(name, ...)                                 \
	SEM_FN(TO_D, name)                             \
	{                                              \
		wide_f p, q, d;                        \
		wide_load_f(&p, in->a);                \
		wide_load_f(&q, in->b);                \
		LANES                                  \
		{                                      \
			double x = p.v[i], y = q.v[i]; \
			d.v[i] = (__VA_ARGS__);        \
		}                                      \
		wide_store_f(out->r, &d);              \
	}
#define OP3(name, ...)                                             \
	SEM_FN(TO_D, name)                                         \
	{                                                          \
		wide_f p, q, r, d;                                 \
		wide_load_f(&p, in->a);                            \
		wide_load_f(&q, in->b);                            \
		wide_load_f(&r, in->c);                            \
		LANES                                              \
		{                                                  \
			double x = p.v[i], y = q.v[i], z = r.v[i]; \
			d.v[i] = (__VA_ARGS__);                    \
		}                                                  \
		wide_store_f(out->r, &d);                          \
	}
#define BITS1(name, ...)                        \
	SEM_FN(TO_D, name)                      \
	{                                       \
		wide p, d;                      \
		wide_load(&p, in->a);           \
		LANES                           \
		{                               \
			uint64_t a = p.v[i];    \
			d.v[i] = (__VA_ARGS__); \
		}                               \
		wide_store(out->r, &d);         \
	}
#define BITS2(name, ...)                                 \
	SEM_FN(TO_D, name)                               \
	{                                                \
		wide p, q, d;                            \
		wide_load(&p, in->a);                    \
		wide_load(&q, in->b);                    \
		LANES                                    \
		{                                        \
			uint64_t a = p.v[i], b = q.v[i]; \
			d.v[i] = (__VA_ARGS__);          \
		}                                        \
		wide_store(out->r, &d);                  \
	}

#define SIGN (UINT64_C(1) << 63)
#define ONE UINT64_C(0x3ff0000000000000)

OP2(dadd, x + y)
OP2(dsub, x - y)
OP2(dmul, x *y)
/* Without an instruction of the host this is the C library's fma, which is exact, too: C demands a single rounding. */
OP3(dfma, __builtin_fma(x, y, z))
OP3(dnfma, __builtin_fma(-x, y, z))
BITS2(dmin, hd_f64_min(a, b))
BITS2(dmax, hd_f64_max(a, b))
BITS1(dabs, a & ~SIGN)
BITS1(dneg, a ^ SIGN)
BITS2(dcpys, (b & ~SIGN) | (a & SIGN))
BITS1(dsat, (int64_t)a <= 0 || a > HD_F64_INF ? 0 : a > ONE ? ONE : a)

#define COMPARE_AS(name, negate, ...)                                   \
	SEM_FN(TO_P, name)                                              \
	{                                                               \
		wide_f f, g;                                            \
		uint64_t p = 0;                                         \
		wide_load_f(&f, in->a);                                 \
		wide_load_f(&g, in->b);                                 \
		LANES                                                   \
		{                                                       \
			double x = f.v[i], y = g.v[i];                  \
			p |= (__VA_ARGS__) ? (uint64_t)lane_bit[i] : 0; \
		}                                                       \
		out->p = (negate) ? ~(uint32_t)p : (uint32_t)p;         \
	}
#define COMPARE(name, ...) COMPARE_AS(name, false, __VA_ARGS__)
#define COMPARE_NOT(name, ...) COMPARE_AS(name, true, __VA_ARGS__)
COMPARE(dsetp_eq, x == y)
COMPARE(dsetp_ne, (x < y) | (x > y))
COMPARE(dsetp_lt, x < y)
COMPARE(dsetp_le, x <= y)
COMPARE(dsetp_gt, x > y)
COMPARE(dsetp_ge, x >= y)
COMPARE_NOT(dsetp_equ, (x < y) | (x > y))
COMPARE_NOT(dsetp_neu, x == y)
COMPARE_NOT(dsetp_ltu, x >= y)
COMPARE_NOT(dsetp_leu, x > y)
COMPARE_NOT(dsetp_gtu, x <= y)
COMPARE_NOT(dsetp_geu, x < y)
COMPARE(dsetp_num, (x == x) & (y == y))
COMPARE(dsetp_nan, (x != x) | (y != y))

#define TEST(name, ...)                                                 \
	SEM_FN(TO_P, name)                                              \
	{                                                               \
		wide f;                                                 \
		uint64_t p = 0;                                         \
		wide_load(&f, in->a);                                   \
		LANES                                                   \
		{                                                       \
			uint64_t m = f.v[i] & ~SIGN;                    \
			p |= (__VA_ARGS__) ? (uint64_t)lane_bit[i] : 0; \
		}                                                       \
		out->p = (uint32_t)p;                                   \
	}
TEST(dtestp_finite, m < HD_F64_INF)
TEST(dtestp_infinite, m == HD_F64_INF)
TEST(dtestp_number, m <= HD_F64_INF)
TEST(dtestp_notanumber, m > HD_F64_INF)
TEST(dtestp_normal, m - (UINT64_C(1) << 52) < HD_F64_INF - (UINT64_C(1) << 52))
TEST(dtestp_subnormal, m - 1 < (UINT64_C(1) << 52) - 1)

static const hd_sem_code *compare(unsigned cmp)
{
	switch (cmp) {
	case HD_CMP_NE:
		return dsetp_ne;
	case HD_CMP_LT:
		return dsetp_lt;
	case HD_CMP_LE:
		return dsetp_le;
	case HD_CMP_GT:
		return dsetp_gt;
	case HD_CMP_GE:
		return dsetp_ge;
	case HD_CMP_EQU:
		return dsetp_equ;
	case HD_CMP_NEU:
		return dsetp_neu;
	case HD_CMP_LTU:
		return dsetp_ltu;
	case HD_CMP_LEU:
		return dsetp_leu;
	case HD_CMP_GTU:
		return dsetp_gtu;
	case HD_CMP_GEU:
		return dsetp_geu;
	case HD_CMP_NUM:
		return dsetp_num;
	case HD_CMP_NAN:
		return dsetp_nan;
	default:
		return dsetp_eq;
	}
}

static const hd_sem_code *class_test(unsigned which)
{
	switch (which) {
	case HD_FC_INFINITE:
		return dtestp_infinite;
	case HD_FC_NUMBER:
		return dtestp_number;
	case HD_FC_NOTANUMBER:
		return dtestp_notanumber;
	case HD_FC_NORMAL:
		return dtestp_normal;
	case HD_FC_SUBNORMAL:
		return dtestp_subnormal;
	default:
		return dtestp_finite;
	}
}

/* By operation. An operation that needs more than its number, and one of another unit, have NULL. */
static const hd_sem_code *const functions[HD_OP_COUNT] = {
    [HD_OP_DADD] = dadd, [HD_OP_DSUB] = dsub, [HD_OP_DMUL] = dmul, [HD_OP_DFMA] = dfma,   [HD_OP_DNFMA] = dnfma, [HD_OP_DMIN] = dmin,
    [HD_OP_DMAX] = dmax, [HD_OP_DABS] = dabs, [HD_OP_DNEG] = dneg, [HD_OP_DCPYS] = dcpys, [HD_OP_DSAT] = dsat,
};

const hd_sem_code *HD_SEM(double)(const hd_inst *inst)
{
	if (inst->op == HD_OP_DSETP)
		return compare(inst->sub);
	if (inst->op == HD_OP_DTESTP)
		return class_test(inst->sub);
	return functions[inst->op];
}
