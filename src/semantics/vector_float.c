#include "semantics/vector.h"

/* Arithmetic here rounds to nearest; directed.c has the other modes. Bodies see x, y, z as floats. */
INLINE uint32_t result(float f) { return f == f ? hd_bits_of_f32(f) : HD_F32_NAN; }

#define OP2(name, ...)                                                                          \
	SEM_FN(TO_R, name)                                                                      \
	{                                                                                       \
		LANES                                                                           \
		{                                                                               \
			float x = hd_f32_of_bits(in->a->v[i]), y = hd_f32_of_bits(in->b->v[i]); \
			out->r[0].v[i] = result(__VA_ARGS__);                                   \
		}                                                                               \
	}
#define OP3(name, ...)                                                                                                           \
	SEM_FN(TO_R, name)                                                                                                       \
	{                                                                                                                        \
		LANES                                                                                                            \
		{                                                                                                                \
			float x = hd_f32_of_bits(in->a->v[i]), y = hd_f32_of_bits(in->b->v[i]), z = hd_f32_of_bits(in->c->v[i]); \
			out->r[0].v[i] = result(__VA_ARGS__);                                                                    \
		}                                                                                                                \
	}
/* On bits. */
#define BITS1(name, ...)                                \
	SEM_FN(TO_R, name)                              \
	{                                               \
		LANES                                   \
		{                                       \
			uint32_t a = in->a->v[i];       \
			out->r[0].v[i] = (__VA_ARGS__); \
		}                                       \
	}
#define BITS2(name, ...)                                           \
	SEM_FN(TO_R, name)                                         \
	{                                                          \
		LANES                                              \
		{                                                  \
			uint32_t a = in->a->v[i], b = in->b->v[i]; \
			out->r[0].v[i] = (__VA_ARGS__);            \
		}                                                  \
	}

#if defined(__FMA__) || defined(__FP_FAST_FMAF)
INLINE float fused(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
#else
/* The product is exact in a double. The sum is rounded to odd: an inexact result gets an odd last bit, which marks it as lying strictly between
 * two doubles. Rounding it again, to a float of 24 bits, gives the same result as rounding the exact sum. */
INLINE float fused(float x, float y, float z)
{
	double p = (double)x * y, c = z, s = p + c, back = s - p, error = (p - (s - back)) + (c - back);
	uint64_t bits = hd_bits_of_f64(s);
	uint64_t toward = (error > 0) == (s > 0) ? 1 : ~UINT64_C(0);
	bool inexact = (error > 0) | (error < 0);
	return (float)hd_f64_of_bits(inexact && !(bits & 1) ? bits + toward : bits);
}
#endif

OP2(fadd, x + y)
OP2(fsub, x - y)
OP2(fmul, x *y)
OP3(ffma, fused(x, y, z))
OP3(fnfma, fused(-x, y, z))
OP3(ffms, fused(x, y, -z))
BITS2(fmin_, hd_f32_min(a, b))
BITS2(fmax_, hd_f32_max(a, b))
BITS1(fabs_, a & 0x7fffffffu)
BITS1(fneg, a ^ 0x80000000u)
BITS2(fcpys, (b & 0x7fffffffu) | (a & 0x80000000u))
/* The signed order of the bits is the order of non-negative floats. Negative floats and NaNs are handled first. */
BITS1(fsat, (int32_t)a <= 0 || a > HD_F32_INF ? 0 : a > 0x3f800000u ? 0x3f800000u : a)
BITS1(ftz, a & 0x7f800000u ? a : a & 0x80000000u)

#define COMPARE(name, ...)                                                                      \
	SEM_FN(TO_P, name)                                                                      \
	{                                                                                       \
		uint32_t p = 0;                                                                 \
		LANES                                                                           \
		{                                                                               \
			float x = hd_f32_of_bits(in->a->v[i]), y = hd_f32_of_bits(in->b->v[i]); \
			p |= (__VA_ARGS__) ? lane_bit[i] : 0;                                   \
		}                                                                               \
		out->p = p;                                                                     \
	}
/* The negation of an ordered comparison is the inverse unordered comparison. */
#define COMPARE_NOT(name, ...)                                                                  \
	SEM_FN(TO_P, name)                                                                      \
	{                                                                                       \
		uint32_t p = 0;                                                                 \
		LANES                                                                           \
		{                                                                               \
			float x = hd_f32_of_bits(in->a->v[i]), y = hd_f32_of_bits(in->b->v[i]); \
			p |= (__VA_ARGS__) ? lane_bit[i] : 0;                                   \
		}                                                                               \
		out->p = ~p;                                                                    \
	}
COMPARE(fsetp_eq, x == y)
COMPARE(fsetp_ne, (x < y) | (x > y))
COMPARE(fsetp_lt, x < y)
COMPARE(fsetp_le, x <= y)
COMPARE(fsetp_gt, x > y)
COMPARE(fsetp_ge, x >= y)
COMPARE_NOT(fsetp_equ, (x < y) | (x > y))
COMPARE_NOT(fsetp_neu, x == y)
COMPARE_NOT(fsetp_ltu, x >= y)
COMPARE_NOT(fsetp_leu, x > y)
COMPARE_NOT(fsetp_gtu, x <= y)
COMPARE_NOT(fsetp_geu, x < y)
COMPARE(fsetp_num, (x == x) & (y == y))
COMPARE(fsetp_nan, (x != x) | (y != y))

#define TEST(name, ...)                                         \
	SEM_FN(TO_P, name)                                      \
	{                                                       \
		uint32_t p = 0;                                 \
		LANES                                           \
		{                                               \
			uint32_t m = in->a->v[i] & 0x7fffffffu; \
			p |= (__VA_ARGS__) ? lane_bit[i] : 0;   \
		}                                               \
		out->p = p;                                     \
	}
TEST(ftestp_finite, m < HD_F32_INF)
TEST(ftestp_infinite, m == HD_F32_INF)
TEST(ftestp_number, m <= HD_F32_INF)
TEST(ftestp_notanumber, m > HD_F32_INF)
TEST(ftestp_normal, m - 0x00800000u < 0x7f000000u)
TEST(ftestp_subnormal, m - 1 < 0x007fffffu)

static const hd_sem_code *compare(unsigned cmp)
{
	switch (cmp) {
	case HD_CMP_NE:
		return fsetp_ne;
	case HD_CMP_LT:
		return fsetp_lt;
	case HD_CMP_LE:
		return fsetp_le;
	case HD_CMP_GT:
		return fsetp_gt;
	case HD_CMP_GE:
		return fsetp_ge;
	case HD_CMP_EQU:
		return fsetp_equ;
	case HD_CMP_NEU:
		return fsetp_neu;
	case HD_CMP_LTU:
		return fsetp_ltu;
	case HD_CMP_LEU:
		return fsetp_leu;
	case HD_CMP_GTU:
		return fsetp_gtu;
	case HD_CMP_GEU:
		return fsetp_geu;
	case HD_CMP_NUM:
		return fsetp_num;
	case HD_CMP_NAN:
		return fsetp_nan;
	default:
		return fsetp_eq;
	}
}

static const hd_sem_code *class_test(unsigned which)
{
	switch (which) {
	case HD_FC_INFINITE:
		return ftestp_infinite;
	case HD_FC_NUMBER:
		return ftestp_number;
	case HD_FC_NOTANUMBER:
		return ftestp_notanumber;
	case HD_FC_NORMAL:
		return ftestp_normal;
	case HD_FC_SUBNORMAL:
		return ftestp_subnormal;
	default:
		return ftestp_finite;
	}
}

/* By operation. An operation that needs more than its number, and one of another unit, have NULL. */
static const hd_sem_code *const functions[HD_OP_COUNT] = {
    [HD_OP_FADD] = fadd,   [HD_OP_FSUB] = fsub,  [HD_OP_FMUL] = fmul,  [HD_OP_FFMA] = ffma,  [HD_OP_FNFMA] = fnfma,
    [HD_OP_FFMS] = ffms,   [HD_OP_FMIN] = fmin_, [HD_OP_FMAX] = fmax_, [HD_OP_FABS] = fabs_, [HD_OP_FNEG] = fneg,
    [HD_OP_FCPYS] = fcpys, [HD_OP_FSAT] = fsat,  [HD_OP_FTZ] = ftz,
};

const hd_sem_code *HD_SEM(float)(const hd_inst *inst)
{
	if (inst->op == HD_OP_FSETP)
		return compare(inst->sub);
	if (inst->op == HD_OP_FTESTP)
		return class_test(inst->sub);
	return functions[inst->op];
}
