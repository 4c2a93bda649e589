/* Mathematics, against MPFR. The bounds are those of the OpenCL 1.2 specification, tables 7.1 (single) and 7.2 (double precision), full profile. */
#include "inputs.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include <mpfr.h>

_Static_assert(LDBL_MANT_DIG >= 64, "references of double precision need a wider type");

enum form { F_F, F_FF, F_FFF, F_FI, I_F, F_FQ, F_FQI, F_FFQI };
enum domain {
	ALL,    /* any bits, and the usual sizes */
	UNIT,   /* 0 to 1 in all arguments */
	HALF,   /* 2^-14 to 2^16 in magnitude: what half_ functions need to take */
	ORDERED /* no NaN, and the third argument not below the second */
};
enum { ZERO_SIGN_FREE = 1, NO_CHECK_SPECIAL = 2, FLOAT_ONLY = 4 };
#define NONE INFINITY

typedef struct function {
	const char *name, *expr;
	enum form form;
	enum domain domain;
	double bound_float, bound_double; /* 0: correctly rounded */
	int flags;
	/* r, and q or *n where the form has them, from x[0..2] and the integer argument *n. Returns MPFR's ternary value of r. */
	int (*reference)(mpfr_t r, mpfr_t q, mpfr_t *x, long *n);
} function;

typedef struct expect {
	long double r, q;
	long n;
} expect;

#define REF(name) static int ref_##name(mpfr_t r, mpfr_t q, mpfr_t *x, long *n)
#define UNUSED (void)q, (void)n
#define REF1(name, call)                         \
	REF(name)                                \
	{                                        \
		UNUSED;                          \
		return call(r, x[0], MPFR_RNDN); \
	}
#define REF2(name, call)                               \
	REF(name)                                      \
	{                                              \
		UNUSED;                                \
		return call(r, x[0], x[1], MPFR_RNDN); \
	}
/* clang-format off */
REF1(acos, mpfr_acos)
REF1(acosh, mpfr_acosh)
REF1(acospi, mpfr_acospi)
REF1(asin, mpfr_asin)
REF1(asinh, mpfr_asinh)
REF1(asinpi, mpfr_asinpi)
REF1(atan, mpfr_atan)
REF1(atanh, mpfr_atanh)
REF1(atanpi, mpfr_atanpi)
REF1(cbrt, mpfr_cbrt)
REF1(cos, mpfr_cos)
REF1(cosh, mpfr_cosh)
REF1(cospi, mpfr_cospi)
REF1(erf, mpfr_erf)
REF1(erfc, mpfr_erfc)
REF1(exp, mpfr_exp)
REF1(exp2, mpfr_exp2)
REF1(exp10, mpfr_exp10)
REF1(expm1, mpfr_expm1)
REF1(log, mpfr_log)
REF1(log2, mpfr_log2)
REF1(log10, mpfr_log10)
REF1(log1p, mpfr_log1p)
REF1(sin, mpfr_sin)
REF1(sinh, mpfr_sinh)
REF1(sinpi, mpfr_sinpi)
REF1(sqrt, mpfr_sqrt)
REF1(tan, mpfr_tan)
REF1(tanh, mpfr_tanh)
REF1(tanpi, mpfr_tanpi)
REF1(tgamma, mpfr_gamma)
REF1(fabs, mpfr_abs)
REF2(atan2, mpfr_atan2)
REF2(atan2pi, mpfr_atan2pi)
REF2(hypot, mpfr_hypot)
REF2(pow, mpfr_pow)
REF2(copysign, mpfr_copysign)
REF2(fdim, mpfr_dim)
REF2(fmax, mpfr_max)
REF2(fmin, mpfr_min)
REF2(fmod, mpfr_fmod)
REF2(remainder, mpfr_remainder)
REF2(add, mpfr_add)
REF2(sub, mpfr_sub)
REF2(mul, mpfr_mul)
REF2(div, mpfr_div)
/* clang-format on */

REF(powr) /* a NaN in either operand stays one, unlike pow's */
{
	UNUSED;
	if (mpfr_nan_p(x[0]) || mpfr_nan_p(x[1]))
		return mpfr_set_nan(r), 0;
	return mpfr_powr(r, x[0], x[1], MPFR_RNDN);
}
REF(recip)
{
	UNUSED;
	return mpfr_ui_div(r, 1, x[0], MPFR_RNDN);
}
REF(rsqrt)
{
	UNUSED;
	return mpfr_rec_sqrt(r, x[0], MPFR_RNDN);
}
REF(neg)
{
	UNUSED;
	return mpfr_neg(r, x[0], MPFR_RNDN);
}
REF(ceil)
{
	UNUSED;
	return mpfr_ceil(r, x[0]), 0;
}
REF(floor)
{
	UNUSED;
	return mpfr_floor(r, x[0]), 0;
}
REF(trunc)
{
	UNUSED;
	return mpfr_trunc(r, x[0]), 0;
}
REF(round)
{
	UNUSED;
	return mpfr_round(r, x[0]), 0;
}
REF(rint)
{
	UNUSED;
	return mpfr_roundeven(r, x[0]), 0;
}
REF(fma)
{
	UNUSED;
	return mpfr_fma(r, x[0], x[1], x[2], MPFR_RNDN);
}
REF(lgamma)
{
	UNUSED;
	int sign;
	return mpfr_lgamma(r, &sign, x[0], MPFR_RNDN);
}
REF(lgamma_r)
{
	(void)q;
	int sign, t = mpfr_lgamma(r, &sign, x[0], MPFR_RNDN);
	*n = sign;
	return t;
}
REF(ldexp)
{
	(void)q;
	return mpfr_mul_2si(r, x[0], *n < -5000 ? -5000 : *n > 5000 ? 5000 : *n, MPFR_RNDN);
}
REF(pown)
{
	(void)q;
	return mpfr_pow_si(r, x[0], *n, MPFR_RNDN);
}
REF(rootn)
{
	(void)q;
	return mpfr_rootn_si(r, x[0], *n, MPFR_RNDN);
}
REF(sincos)
{
	(void)n;
	mpfr_cos(q, x[0], MPFR_RNDN);
	return mpfr_sin(r, x[0], MPFR_RNDN);
}

static int larger(mpfr_t r, mpfr_t *x, int sign)
{
	int order = mpfr_cmpabs(x[0], x[1]) * sign;
	if (mpfr_nan_p(x[0]) || mpfr_nan_p(x[1]) || order == 0)
		return sign > 0 ? mpfr_max(r, x[0], x[1], MPFR_RNDN) : mpfr_min(r, x[0], x[1], MPFR_RNDN);
	return mpfr_set(r, order > 0 ? x[0] : x[1], MPFR_RNDN);
}
REF(maxmag)
{
	UNUSED;
	return larger(r, x, 1);
}
REF(minmag)
{
	UNUSED;
	return larger(r, x, -1);
}
REF(logb)
{
	UNUSED;
	return mpfr_set_d(r, logb(mpfr_get_d(x[0], MPFR_RNDN)), MPFR_RNDN);
}
REF(ilogb)
{
	(void)r, (void)q;
	*n = mpfr_nan_p(x[0]) ? LONG_MIN : mpfr_inf_p(x[0]) ? INT_MAX : mpfr_zero_p(x[0]) ? LONG_MAX : mpfr_get_exp(x[0]) - 1;
	return 0;
}
static double next_half(double a, double b)
{
	uint16_t bits = 0;
	if (isnan(a) || isnan(b) || a == b)
		return isnan(a) ? a : b;
	cf_set_real("half", &bits, 0, a);
	bits = (uint16_t)(a == 0 ? (b < 0) << 15 | 1 : (a < b) == (a > 0) ? bits + 1 : bits - 1);
	return cf_real("half", &bits, 0);
}
REF(nextafter)
{
	UNUSED;
	double a = mpfr_get_d(x[0], MPFR_RNDN), b = mpfr_get_d(x[1], MPFR_RNDN);
	return mpfr_set_d(r,
	                  mpfr_get_prec(r) == FLT_MANT_DIG   ? (double)nextafterf((float)a, (float)b)
	                  : mpfr_get_prec(r) == DBL_MANT_DIG ? nextafter(a, b)
	                                                     : next_half(a, b),
	                  MPFR_RNDN);
}
REF(fract)
{
	(void)n;
	mpfr_floor(q, x[0]);
	if (mpfr_inf_p(x[0])) {
		mpfr_set_zero(r, mpfr_sgn(x[0]));
		return 0;
	}
	mpfr_sub(r, x[0], q, MPFR_RNDN);
	if (mpfr_zero_p(x[0]))
		mpfr_set(r, x[0], MPFR_RNDN);
	if (mpfr_cmp_ui(r, 1) >= 0)
		mpfr_nextbelow(r);
	return 0;
}
REF(modf)
{
	(void)n;
	return mpfr_trunc(q, x[0]), mpfr_frac(r, x[0], MPFR_RNDN);
}
REF(frexp)
{
	(void)q;
	mpfr_exp_t e = 0;
	mpfr_frexp(&e, r, x[0], MPFR_RNDN);
	*n = e;
	return 0;
}
REF(remquo)
{
	(void)q;
	return mpfr_remquo(r, n, x[0], x[1], MPFR_RNDN);
}
REF(clamp)
{
	UNUSED;
	return mpfr_max(r, x[0], x[1], MPFR_RNDN), mpfr_min(r, r, x[2], MPFR_RNDN);
}
REF(degrees)
{
	UNUSED;
	return mpfr_mul_ui(r, x[0], 180, MPFR_RNDN), mpfr_const_pi(q, MPFR_RNDN), mpfr_div(r, r, q, MPFR_RNDN);
}
REF(radians)
{
	UNUSED;
	return mpfr_const_pi(q, MPFR_RNDN), mpfr_mul(r, x[0], q, MPFR_RNDN), mpfr_div_ui(r, r, 180, MPFR_RNDN);
}
REF(mix)
{
	UNUSED;
	return mpfr_sub(q, x[1], x[0], MPFR_RNDN), mpfr_fma(r, q, x[2], x[0], MPFR_RNDN);
}
REF(quarter)
{
	UNUSED;
	return mpfr_sub(q, x[1], x[0], MPFR_RNDN), mpfr_div_ui(q, q, 4, MPFR_RNDN), mpfr_add(r, q, x[0], MPFR_RNDN);
}
REF(step)
{
	UNUSED;
	return mpfr_set_ui(r, !mpfr_less_p(x[1], x[0]), MPFR_RNDN);
}
REF(step_half)
{
	UNUSED;
	return mpfr_set_ui(r, mpfr_cmp_d(x[0], 0.5) >= 0, MPFR_RNDN);
}
REF(smoothstep) /* of 0 and 1 */
{
	UNUSED;
	mpfr_mul_ui(q, x[0], 2, MPFR_RNDN);
	mpfr_ui_sub(q, 3, q, MPFR_RNDN);
	mpfr_sqr(r, x[0], MPFR_RNDN);
	return mpfr_mul(r, r, q, MPFR_RNDN);
}
REF(sign)
{
	UNUSED;
	return mpfr_nan_p(x[0])    ? mpfr_set_ui(r, 0, MPFR_RNDN)
	       : mpfr_zero_p(x[0]) ? mpfr_set(r, x[0], MPFR_RNDN)
	                           : mpfr_set_si(r, mpfr_sgn(x[0]), MPFR_RNDN);
}
REF(max_half)
{
	UNUSED;
	return mpfr_cmp_d(x[0], 0.5) < 0 ? mpfr_set_d(r, 0.5, MPFR_RNDN) : mpfr_set(r, x[0], MPFR_RNDN);
}
REF(min_half)
{
	UNUSED;
	return mpfr_cmp_d(x[0], 0.5) > 0 ? mpfr_set_d(r, 0.5, MPFR_RNDN) : mpfr_set(r, x[0], MPFR_RNDN);
}
REF(clamp_half)
{
	UNUSED;
	return mpfr_cmp_d(x[0], 0.5) > 0    ? mpfr_set_d(r, 0.5, MPFR_RNDN)
	       : mpfr_cmp_d(x[0], -0.5) < 0 ? mpfr_set_d(r, -0.5, MPFR_RNDN)
	                                    : mpfr_set(r, x[0], MPFR_RNDN);
}
REF(double_it)
{
	UNUSED;
	return mpfr_mul_2si(r, x[0], 3, MPFR_RNDN);
}

/* The sum rounded after the product is, and where it is not: what contraction may make of it. */
REF(contracted)
{
	(void)n;
	int t = mpfr_mul(q, x[0], x[1], MPFR_RNDN);
	mpfr_subnormalize(q, mpfr_check_range(q, t, MPFR_RNDN), MPFR_RNDN);
	t = mpfr_add(q, q, x[2], MPFR_RNDN);
	mpfr_subnormalize(q, mpfr_check_range(q, t, MPFR_RNDN), MPFR_RNDN);
	return mpfr_fma(r, x[0], x[1], x[2], MPFR_RNDN);
}

static const function rows[] = {
    {"x + y", "A + B", F_FF, ALL, 0, 0, 0, ref_add},
    {"x - y", "A - B", F_FF, ALL, 0, 0, 0, ref_sub},
    {"x * y", "A * B", F_FF, ALL, 0, 0, 0, ref_mul},
    {"x / y", "A / B", F_FF, ALL, 2.5, 0, 0, ref_div},
    {"1 / x", "(@)1 / A", F_F, ALL, 2.5, 0, 0, ref_recip},
    {"-x", "-A", F_F, ALL, 0, 0, 0, ref_neg},
    {"x * y + z", "A * B + C", F_FFF, ALL, 0, 0, 0, ref_contracted},
    {"acos", "acos(A)", F_F, ALL, 4, 4, 0, ref_acos},
    {"acosh", "acosh(A)", F_F, ALL, 4, 4, 0, ref_acosh},
    {"acospi", "acospi(A)", F_F, ALL, 5, 5, 0, ref_acospi},
    {"asin", "asin(A)", F_F, ALL, 4, 4, 0, ref_asin},
    {"asinh", "asinh(A)", F_F, ALL, 4, 4, 0, ref_asinh},
    {"asinpi", "asinpi(A)", F_F, ALL, 5, 5, 0, ref_asinpi},
    {"atan", "atan(A)", F_F, ALL, 5, 5, 0, ref_atan},
    {"atan2", "atan2(A, B)", F_FF, ALL, 6, 6, 0, ref_atan2},
    {"atanh", "atanh(A)", F_F, ALL, 5, 5, 0, ref_atanh},
    {"atanpi", "atanpi(A)", F_F, ALL, 5, 5, 0, ref_atanpi},
    {"atan2pi", "atan2pi(A, B)", F_FF, ALL, 6, 6, 0, ref_atan2pi},
    {"cbrt", "cbrt(A)", F_F, ALL, 2, 2, 0, ref_cbrt},
    {"ceil", "ceil(A)", F_F, ALL, 0, 0, 0, ref_ceil},
    {"copysign", "copysign(A, B)", F_FF, ALL, 0, 0, 0, ref_copysign},
    {"cos", "cos(A)", F_F, ALL, 4, 4, 0, ref_cos},
    {"cosh", "cosh(A)", F_F, ALL, 4, 4, 0, ref_cosh},
    {"cospi", "cospi(A)", F_F, ALL, 4, 4, 0, ref_cospi},
    {"erfc", "erfc(A)", F_F, ALL, 16, 16, 0, ref_erfc},
    {"erf", "erf(A)", F_F, ALL, 16, 16, 0, ref_erf},
    {"exp", "exp(A)", F_F, ALL, 3, 3, 0, ref_exp},
    {"exp2", "exp2(A)", F_F, ALL, 3, 3, 0, ref_exp2},
    {"exp10", "exp10(A)", F_F, ALL, 3, 3, 0, ref_exp10},
    {"expm1", "expm1(A)", F_F, ALL, 3, 3, 0, ref_expm1},
    {"fabs", "fabs(A)", F_F, ALL, 0, 0, 0, ref_fabs},
    {"fdim", "fdim(A, B)", F_FF, ALL, 0, 0, 0, ref_fdim},
    {"floor", "floor(A)", F_F, ALL, 0, 0, 0, ref_floor},
    {"fma", "fma(A, B, C)", F_FFF, ALL, 0, 0, 0, ref_fma},
    {"fmax", "fmax(A, B)", F_FF, ALL, 0, 0, ZERO_SIGN_FREE, ref_fmax},
    {"fmax", "fmax(A, (@)0.5)", F_F, ORDERED, 0, 0, 0, ref_max_half},
    {"fmin", "fmin(A, B)", F_FF, ALL, 0, 0, ZERO_SIGN_FREE, ref_fmin},
    {"fmin", "fmin(A, (@)0.5)", F_F, ORDERED, 0, 0, 0, ref_min_half},
    {"fmod", "fmod(A, B)", F_FF, ALL, 0, 0, 0, ref_fmod},
    {"fract", "fract(A, Q)", F_FQ, ALL, 0, 0, 0, ref_fract},
    {"frexp", "frexp(A, Q)", F_FQI, ALL, 0, 0, 0, ref_frexp},
    {"hypot", "hypot(A, B)", F_FF, ALL, 4, 4, 0, ref_hypot},
    {"ilogb", "ilogb(A)", I_F, ALL, 0, 0, 0, ref_ilogb},
    {"ldexp", "ldexp(A, B)", F_FI, ALL, 0, 0, 0, ref_ldexp},
    {"ldexp", "ldexp(A, 3)", F_F, ALL, 0, 0, 0, ref_double_it},
    {"lgamma", "lgamma(A)", F_F, ALL, NONE, NONE, 0, ref_lgamma},
    {"lgamma_r", "lgamma_r(A, Q)", F_FQI, ALL, NONE, NONE, 0, ref_lgamma_r},
    {"log", "log(A)", F_F, ALL, 3, 3, 0, ref_log},
    {"log2", "log2(A)", F_F, ALL, 3, 3, 0, ref_log2},
    {"log10", "log10(A)", F_F, ALL, 3, 3, 0, ref_log10},
    {"log1p", "log1p(A)", F_F, ALL, 2, 2, 0, ref_log1p},
    {"logb", "logb(A)", F_F, ALL, 0, 0, 0, ref_logb},
    {"mad", "mad(A, B, C)", F_FFF, UNIT, NONE, NONE, 0, ref_fma},
    {"maxmag", "maxmag(A, B)", F_FF, ALL, 0, 0, ZERO_SIGN_FREE, ref_maxmag},
    {"minmag", "minmag(A, B)", F_FF, ALL, 0, 0, ZERO_SIGN_FREE, ref_minmag},
    {"modf", "modf(A, Q)", F_FQ, ALL, 0, 0, 0, ref_modf},
    {"nextafter", "nextafter(A, B)", F_FF, ALL, 0, 0, 0, ref_nextafter},
    {"pow", "pow(A, B)", F_FF, ALL, 16, 16, 0, ref_pow},
    {"pown", "pown(A, B)", F_FI, ALL, 16, 16, 0, ref_pown},
    {"powr", "powr(A, B)", F_FF, ALL, 16, 16, 0, ref_powr},
    {"remainder", "remainder(A, B)", F_FF, ALL, 0, 0, 0, ref_remainder},
    {"remquo", "remquo(A, B, Q)", F_FFQI, ALL, 0, 0, 0, ref_remquo},
    {"rint", "rint(A)", F_F, ALL, 0, 0, 0, ref_rint},
    {"rootn", "rootn(A, B)", F_FI, ALL, 16, 16, 0, ref_rootn},
    {"round", "round(A)", F_F, ALL, 0, 0, 0, ref_round},
    {"rsqrt", "rsqrt(A)", F_F, ALL, 2, 2, NO_CHECK_SPECIAL, ref_rsqrt},
    {"sin", "sin(A)", F_F, ALL, 4, 4, 0, ref_sin},
    {"sincos", "sincos(A, Q)", F_FQ, ALL, 4, 4, 0, ref_sincos},
    {"sinh", "sinh(A)", F_F, ALL, 4, 4, 0, ref_sinh},
    {"sinpi", "sinpi(A)", F_F, ALL, 4, 4, 0, ref_sinpi},
    {"sqrt", "sqrt(A)", F_F, ALL, 3, 0, 0, ref_sqrt},
    {"tan", "tan(A)", F_F, ALL, 5, 5, 0, ref_tan},
    {"tanh", "tanh(A)", F_F, ALL, 5, 5, 0, ref_tanh},
    {"tanpi", "tanpi(A)", F_F, ALL, 6, 6, 0, ref_tanpi},
    {"tgamma", "tgamma(A)", F_F, ALL, 16, 16, 0, ref_tgamma},
    {"trunc", "trunc(A)", F_F, ALL, 0, 0, 0, ref_trunc},
#define SHORT(name, form, reference)                                                                                                           \
	{"half_" #name, form == F_F ? "half_" #name "(A)" : "half_" #name "(A, B)", form, HALF, 8192, 8192, FLOAT_ONLY, reference},            \
	{                                                                                                                                      \
		"native_" #name, form == F_F ? "native_" #name "(A)" : "native_" #name "(A, B)", form, HALF, NONE, NONE, FLOAT_ONLY, reference \
	}
    SHORT(cos, F_F, ref_cos),
    SHORT(divide, F_FF, ref_div),
    SHORT(exp, F_F, ref_exp),
    SHORT(exp2, F_F, ref_exp2),
    SHORT(exp10, F_F, ref_exp10),
    SHORT(log, F_F, ref_log),
    SHORT(log2, F_F, ref_log2),
    SHORT(log10, F_F, ref_log10),
    SHORT(powr, F_FF, ref_powr),
    SHORT(recip, F_F, ref_recip),
    SHORT(rsqrt, F_F, ref_rsqrt),
    SHORT(sin, F_F, ref_sin),
    SHORT(sqrt, F_F, ref_sqrt),
    SHORT(tan, F_F, ref_tan),
    /* Common functions: no bounds in 1.2; those of degrees and radians as the later specification has them, the others by their formula's operations.
     */
    {"clamp", "clamp(A, B, C)", F_FFF, ORDERED, 0, 0, ZERO_SIGN_FREE, ref_clamp},
    {"clamp", "clamp(A, (@)-0.5, (@)0.5)", F_F, ORDERED, 0, 0, 0, ref_clamp_half},
    {"degrees", "degrees(A)", F_F, ALL, 2, 2, 0, ref_degrees},
    {"max", "max(A, B)", F_FF, ORDERED, 0, 0, ZERO_SIGN_FREE, ref_fmax},
    {"max", "max(A, (@)0.5)", F_F, ORDERED, 0, 0, 0, ref_max_half},
    {"min", "min(A, B)", F_FF, ORDERED, 0, 0, ZERO_SIGN_FREE, ref_fmin},
    {"min", "min(A, (@)0.5)", F_F, ORDERED, 0, 0, 0, ref_min_half},
    {"mix", "mix(A + (@)1, B + (@)1, C)", F_FFF, UNIT, 4, 4, 0, ref_mix},
    {"mix", "mix(A + (@)1, B + (@)1, (@)0.25)", F_FF, UNIT, 4, 4, 0, ref_quarter},
    {"radians", "radians(A)", F_F, ALL, 2, 2, 0, ref_radians},
    {"step", "step(A, B)", F_FF, ALL, 0, 0, NO_CHECK_SPECIAL, ref_step},
    {"step", "step((@)0.5, A)", F_F, ORDERED, 0, 0, 0, ref_step_half},
    {"smoothstep", "smoothstep(A * 0, A * 0 + 1, A)", F_F, UNIT, 5, 5, 0, ref_smoothstep},
    {"smoothstep", "smoothstep((@)0, (@)1, A)", F_F, UNIT, 5, 5, 0, ref_smoothstep},
    {"sign", "sign(A)", F_F, ALL, 0, 0, 0, ref_sign},
};
enum { FIRST_COMMON = sizeof rows / sizeof rows[0] - 15 };

static unsigned arguments(enum form form) { return form == F_FFF ? 3 : form == F_FF || form == F_FFQI ? 2 : 1; }

/* A value of the type; of half precision, any where the value is beyond its range. */
static double in_type(cf_session *s, const char *type, double value)
{
	double rounded = cf_rounded(type, value);
	uint16_t bits = (uint16_t)cf_random(s);
	return isinf(rounded) && !isinf(value) ? cf_real("half", &bits, 0) : rounded;
}

static double value_in(cf_session *s, bool is_float, enum domain domain)
{
	return domain == UNIT ? cf_unit(s, is_float) : domain == HALF ? cf_middle(s) : cf_any_real(s, is_float);
}

static void fill(cf_session *s, const cf_case *c, size_t n, void *const arg[CF_ARGS], void *expectation)
{
	const function *f = c->data;
	bool is_half = cf_size(c->arg[0]) == 2, is_float = is_half || cf_size(c->arg[0]) == 4, exact = c->bound < 0;
	const cf_format *format = cf_format_of(c->arg[0]);
	mpfr_prec_t precision = exact ? format->digits : 64;
	mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
	mpfr_t r, q, x[3];
	mpfr_inits2(precision, r, NULL);
	mpfr_inits2(exact ? precision : 128, q, NULL);
	mpfr_inits2(53, x[0], x[1], x[2], NULL);
	unsigned count = arguments(f->form);
	for (size_t i = 0; i < n; i++) {
		double value[3] = {0, 0, 0};
		long k = 0;
		if (f->form == F_FI) {
			int32_t *n_of = (int32_t *)arg[1] + i;
			cf_inputs_integer(s, is_float, i, value, n_of);
			k = *n_of;
		} else if (f->domain == ALL) {
			cf_inputs(s, is_float, count, i, value);
		}
		for (unsigned a = 0; a < count; a++) {
			if (f->domain != ALL)
				value[a] = value_in(s, is_float, f->domain);
			if (is_half)
				value[a] = in_type(s, "half", value[a]);
			if (f->domain == ORDERED && isnan(value[a]))
				value[a] = 1.5;
			if (f->domain == HALF && (strstr(f->name, "log") || strstr(f->name, "sqrt") || (strstr(f->name, "powr") && a == 0)))
				value[a] = fabs(value[a]);
			if (f->domain == HALF && (strstr(f->name, "exp") || (strstr(f->name, "powr") && a == 1)))
				value[a] = (double)(float)(value[a] * 0x1p-12);
		}
		if (f->form == F_FFF && f->domain == ORDERED && value[1] > value[2]) {
			double t = value[1];
			value[1] = value[2];
			value[2] = t;
		}
		for (unsigned a = 0; a < count; a++)
			cf_set_real(c->arg[a], arg[a], i, value[a]);
		expect *e = (expect *)expectation + i;
		for (unsigned a = 0; a < 3; a++)
			mpfr_set_d(x[a], value[a], MPFR_RNDN);
		if (!strncmp(f->expr, "mix", 3)) { /* of A + 1 and B + 1, rounded as the kernel does */
			mpfr_set_d(x[0], cf_rounded(c->r, is_float ? (double)((float)value[0] + 1.0f) : value[0] + 1.0), MPFR_RNDN);
			mpfr_set_d(x[1], cf_rounded(c->r, is_float ? (double)((float)value[1] + 1.0f) : value[1] + 1.0), MPFR_RNDN);
		}
		if (exact) { /* in the format itself, subnormal numbers included */
			mpfr_set_emin(format->least - format->digits + 2);
			mpfr_set_emax(format->most);
		}
		mpfr_set_zero(q, 1);
		mpfr_set_zero(r, 1);
		int ternary = f->reference(r, q, x, &k);
		if (exact) {
			ternary = mpfr_check_range(r, ternary, MPFR_RNDN);
			mpfr_subnormalize(r, ternary, MPFR_RNDN);
			mpfr_set_emin(emin);
			mpfr_set_emax(emax);
		}
		e->r = mpfr_get_ld(r, MPFR_RNDN);
		e->q = mpfr_get_ld(q, MPFR_RNDN);
		e->n = k;
		if (f->reference == ref_copysign) /* MPFR keeps no sign of a NaN */
			e->r = (long double)copysign(value[0], value[1]);
	}
	mpfr_clears(r, q, x[0], x[1], x[2], NULL);
}

/* The error of `got` against the real number `want`. */
static double error_of(long double want, double got, const cf_format *format, bool exact, int flags)
{
	long double limit = ldexpl(1, format->most);
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got) ? 0 : INFINITY;
	if (want == 0 && got == 0)
		return flags & (ZERO_SIGN_FREE | NO_CHECK_SPECIAL) || !signbit(want) == !signbit(got) ? 0 : INFINITY;
	if (exact)
		return want == (long double)got ? 0 : INFINITY;
	if (isinf(want))
		return (long double)got == want || (flags & NO_CHECK_SPECIAL && isinf(got)) ? 0 : INFINITY;
	if (!signbit(want) != !signbit(got) && got != 0)
		return INFINITY;
	long double magnitude = fabsl(want), result = fabsl((long double)got);
	int least = format->least, digits = format->digits;
	if (magnitude > limit)
		magnitude = limit;
	if (result > limit)
		result = limit;
	int exponent = magnitude == 0 ? least : ilogbl(magnitude);
	if (magnitude == limit)
		exponent--;
	if (exponent < least)
		exponent = least;
	long double error = fabsl(result - magnitude) / ldexpl(1, exponent - digits + 1);
	return error > 1e30L ? INFINITY : (double)error;
}

static double check(const cf_case *c, unsigned width, size_t i, void *const arg[CF_ARGS], const void *expectation, const void *r, const void *q)
{
	(void)width, (void)arg;
	const function *f = c->data;
	const expect *e = (const expect *)expectation + i;
	const cf_format *format = cf_format_of(c->arg[0]);
	bool exact = c->bound < 0;
	if (f->form == I_F) {
		int32_t n = ((const int32_t *)r)[i];
		/* FP_ILOGB0 and FP_ILOGBNAN are the platform's choice of two values each. */
		bool right = e->n == LONG_MAX ? n == INT_MIN || n == -INT_MAX : e->n == LONG_MIN ? n == INT_MIN || n == INT_MAX : n == e->n;
		return right ? 0 : INFINITY;
	}
	if (c->promises & FINITE && !(fabsl(e->r) < ldexpl(1, format->most) && fabsl(e->q) < ldexpl(1, format->most)))
		return 0;
	if (c->promises & FLUSHED && fabsl(e->r) <= ldexpl(1, format->least) && e->r != 0) /* before rounding a result may be denormal, too */
		return 0;
	int flags = f->flags | (c->promises & UNSIGNED_ZEROS ? ZERO_SIGN_FREE : 0);
	double error = error_of(e->r, cf_real(c->r, r, i), format, exact, flags);
	if (f->reference == ref_contracted)
		error = fmin(error, error_of(e->q, cf_real(c->r, r, i), format, exact, flags));
	if (f->form == F_FQ)
		error = fmax(error, error_of(e->q, cf_real(c->q, q, i), format, exact, flags));
	if ((f->form == F_FQI || f->form == F_FFQI) && !isnan(e->r) && !isinf(e->r)) {
		long n = ((const int32_t *)q)[i];
		bool right = f->reference == ref_remquo ? (labs(n) & 127) == (labs(e->n) & 127) && (n == 0 || (n < 0) == (e->n < 0)) : n == e->n;
		if (!right)
			return INFINITY;
	}
	return error;
}

static double relaxed(const cf_case *c, size_t i, void *const arg[CF_ARGS], const void *expectation)
{
	return cf_relaxed(c, i, arg, (double)((const expect *)expectation + i)->r);
}

static void tell(const cf_case *c, size_t i, void *const arg[CF_ARGS], const void *expectation, const void *r, const void *q, char *text, size_t size)
{
	const function *f = c->data;
	const expect *e = (const expect *)expectation + i;
	size_t used = (size_t)snprintf(text, size, "of");
	for (unsigned a = 0; a < CF_ARGS && c->arg[a] && used < size; a++)
		used += (size_t)(strcmp(c->arg[a], "int") ? snprintf(text + used, size - used, " %a", cf_real(c->arg[a], arg[a], i))
		                                          : snprintf(text + used, size - used, " %d", ((const int32_t *)arg[a])[i]));
	if (used < size && f->form == I_F)
		used += (size_t)snprintf(text + used, size - used, " is %d, expected %ld", ((const int32_t *)r)[i], e->n);
	else if (used < size)
		used += (size_t)snprintf(text + used, size - used, " is %a, expected %a", cf_real(c->r, r, i), (double)e->r);
	if (used < size && c->q)
		snprintf(text + used, size - used, strcmp(c->q, "int") ? "; second %a, expected %La" : "; second %.0f, expected %Lg",
		         strcmp(c->q, "int") ? cf_real(c->q, q, i) : (double)((const int32_t *)q)[i], strcmp(c->q, "int") ? e->q : (long double)e->n);
}

/* Of the extension's table, or less: quotients and rsqrt 1, powers, roots and gamma 4, the others 2. */
static double half_bound(const function *f)
{
	return f->reference == ref_sqrt || f->bound_float == 0 ? 0
	       : f->bound_float == NONE                        ? NONE
	       : f->bound_float == 16                          ? 4
	       : f->bound_float <= 2.5                         ? 1
	                                                       : 2;
}

void cf_math(cf_session *s)
{
	const char *types[CF_TYPES];
	unsigned n_types = cf_types(s, types);
	for (unsigned t = CF_INTEGERS; t < n_types; t++) {
		cf_case cases[sizeof rows / sizeof rows[0]];
		unsigned count = 0;
		for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
			const function *f = &rows[i];
			const char *type = types[t];
			size_t size = cf_size(type);
			if (size != 4 && f->flags & FLOAT_ONLY)
				continue;
			if (s->quick && size != 4)
				continue;
			double bound = size == 8 ? f->bound_double : size == 4 ? f->bound_float : half_bound(f);
			if (cf_promises(s) & ROUNDED && (f->reference == ref_div || f->reference == ref_recip || f->reference == ref_sqrt) &&
			    !(f->flags & FLOAT_ONLY))
				bound = 0;
			cf_case *c = &cases[count++];
			*c = (cf_case){.section = i >= FIRST_COMMON ? "common" : "math",
			               .name = f->name,
			               .type = type,
			               .expr = f->expr,
			               .r = type,
			               .bound = bound == 0 ? -1 : bound,
			               .data = f,
			               .fill = fill,
			               .check = check,
			               .relaxed = relaxed,
			               .tell = tell,
			               .expect_bytes = sizeof(expect)};
			for (unsigned a = 0; a < arguments(f->form); a++)
				c->arg[a] = type;
			if (f->form == F_FI)
				c->arg[1] = "int";
			if (f->form == I_F)
				c->r = "int";
			c->q = f->form == F_FQ ? type : f->form == F_FQI || f->form == F_FFQI ? "int" : NULL;
		}
		cf_run(s, cases, count);
	}
	mpfr_free_cache();
}
