#include "inputs.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Magnitudes at which functions change their formula or leave the range. Each also comes with its two neighbours, and negative. */
/* clang-format off */
static const double float_corners[] = {
    0.0, 0x1.8p-148, 0x1p-140, 0x1p-127, FLT_MIN, 0x1p-125, 0x1p-63, 0x1p-62, FLT_EPSILON / 4, FLT_EPSILON / 2, FLT_EPSILON, 0x1p-12, 1.0 / 3,
    0.25, 0.5, 2.0 / 3, CL_M_LN2, 0.75, CL_M_PI_4, 1.0, CL_M_SQRT2, 1.5, CL_M_PI_2, 2.0, 2.5, CL_M_E, 3.0, CL_M_PI, 4.0, 3 * CL_M_PI_2, 5.0,
    2 * CL_M_PI, 7.0, 10.0, 12.0, 33.5, 0x1.1851p5, 37.929779, 38.5318394, 44.8534698, 87.3365479, 88.7228394, 89.4159851, 103.972076, 126.0,
    127.0, 128.0, 149.0, 150.0, 170.5, 1000.5, 0x1p22, 0x1.8p22, 0x1p23, 0x1p24, 0x1p31, 0x1p32, 0x1p63, 0x1p64, 0x1.fffffep+63,
    0x1.fffffep+126, FLT_MAX};
static const double double_corners[] = {
    0.0, 0x1.8p-1073, 0x1p-1060, 0x1p-1023, DBL_MIN, 0x1p-1021, 0x1p-511, 0x1p-510, DBL_EPSILON / 4, DBL_EPSILON / 2, DBL_EPSILON, 0x1p-26,
    1.0 / 3, 0.25, 0.5, 2.0 / 3, CL_M_LN2, 0.75, CL_M_PI_4, 1.0, CL_M_SQRT2, 1.5, CL_M_PI_2, 2.0, 2.5, CL_M_E, 3.0, CL_M_PI, 4.0, 3 * CL_M_PI_2,
    5.0, 2 * CL_M_PI, 7.0, 10.0, 12.0, 33.5, 150.5, 171.5, 0x1.573fae561f648p+7, 184.5, 307.652655568588, 308.254715559917, 323.306215343116,
    708.396418532264, 709.782712893384, 710.475860073944, 745.133219101941, 1022.0, 1023.0, 1024.0, 1074.0, 1075.0, 1000.5, 0x1p30, 0x1p51,
    0x1.8p51, 0x1p52, 0x1p53, 0x1p63, 0x1p64, 0x1p511, 0x1.fffffffffffffp+511, 0x1.fffffffffffffp+1022, DBL_MAX};
/* clang-format on */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
enum { HALVES = 1024 };

static double round_to(bool is_float, double x) { return is_float ? (double)(float)x : x; }
static double next(bool is_float, double x, double to) { return is_float ? (double)nextafterf((float)x, (float)to) : nextafter(x, to); }
/* The distance of x to the number above its magnitude. */
static double ulp(bool is_float, double x) { return next(is_float, fabs(x), INFINITY) - fabs(x); }

double cf_special(bool is_float, unsigned which)
{
	const double list[CF_SPECIALS] = {0.0,
	                                  -0.0,
	                                  1.0,
	                                  -1.0,
	                                  INFINITY,
	                                  -INFINITY,
	                                  NAN,
	                                  is_float ? FLT_MIN : DBL_MIN,
	                                  is_float ? -FLT_TRUE_MIN : -DBL_TRUE_MIN,
	                                  is_float ? FLT_MAX : DBL_MAX,
	                                  is_float ? -FLT_MAX : -DBL_MAX,
	                                  0.5,
	                                  -2.5,
	                                  3.0,
	                                  is_float ? 0x1.fffffep-1 : 0x1.fffffffffffffp-1,
	                                  is_float ? 0x1.921fb6p+1 : 0x1.921fb54442d18p+1};
	return list[which % CF_SPECIALS];
}

static size_t corners(bool is_float) { return 6 * (is_float ? COUNT(float_corners) : COUNT(double_corners)); }

static double corner(bool is_float, size_t which)
{
	double x = round_to(is_float, is_float ? float_corners[which / 6] : double_corners[which / 6]);
	if (which % 3 == 1)
		x = next(is_float, x, INFINITY);
	else if (which % 3 == 2)
		x = next(is_float, x, 0);
	return which / 3 % 2 ? -x : x;
}

double cf_unit(cf_session *s, bool is_float)
{
	uint64_t bits = cf_random(s);
	if (bits % 16 == 0)
		return ldexp(1.0, -(int)((bits >> 8) % (is_float ? 150 : 1075)));
	return round_to(is_float, (double)(bits >> 11) * 0x1p-53);
}

static double sign_of(cf_session *s) { return cf_random(s) & 1 ? -1 : 1; }

/* -range to range, both included. */
static int integer(cf_session *s, int range) { return (int)(cf_random(s) % (2 * (unsigned)range + 1)) - range; }

double cf_middle(cf_session *s)
{
	double unit = (double)(cf_random(s) >> 11) * 0x1p-53;
	if (cf_random(s) % 16 == 0)
		unit = 0;
	return (double)(float)(sign_of(s) * ldexp(1 + unit, (int)(cf_random(s) % 30) - 14));
}

static double any_bits(cf_session *s, bool is_float)
{
	uint64_t bits = cf_random(s);
	uint32_t low = (uint32_t)bits;
	float f;
	double d;
	memcpy(&f, &low, 4);
	memcpy(&d, &bits, 8);
	return is_float ? (double)f : d;
}

/* Around the smallest normal number: two thirds are denormal, many with few bits. */
static double tiny(cf_session *s, bool is_float)
{
	int digits = is_float ? 23 : 52;
	uint64_t bits = cf_random(s) & (((uint64_t)1 << (cf_random(s) % ((unsigned)digits + 3) + 1)) - 1);
	return sign_of(s) * round_to(is_float, ldexp((double)bits, is_float ? -149 : -1074));
}

/* Whole numbers, halves and quarters: small ones, and those just below where such fractions end. */
static double fraction(cf_session *s, bool is_float)
{
	if (cf_random(s) % 4)
		return 0.25 * integer(s, 4096);
	int digits = (int)(cf_random(s) % (is_float ? 24 : 53)) + 1;
	return sign_of(s) * ldexp((double)(cf_random(s) >> (64 - digits)), -(int)(cf_random(s) % 2));
}

static double power_of_two(cf_session *s, bool is_float)
{
	double x = ldexp(1, is_float ? (int)(cf_random(s) % 277) - 149 : (int)(cf_random(s) % 2098) - 1074);
	uint64_t neighbour = cf_random(s) % 3;
	return sign_of(s) * (neighbour == 0 ? x : next(is_float, x, neighbour == 1 ? 0 : INFINITY));
}

static double usual(cf_session *s, bool is_float)
{
	double unit = (double)(cf_random(s) >> 11) * 0x1p-53;
	return round_to(is_float, sign_of(s) * ldexp(1 + unit, (int)(cf_random(s) % 20) - 12));
}

double cf_any_real(cf_session *s, bool is_float)
{
	switch (cf_random(s) % 8) {
	case 0:
	case 1:
		return any_bits(s, is_float);
	case 2:
		return corner(is_float, cf_random(s) % corners(is_float));
	case 3:
		return tiny(s, is_float);
	case 4:
		return fraction(s, is_float);
	case 5:
		return power_of_two(s, is_float);
	default:
		return usual(s, is_float);
	}
}

static double near_one(cf_session *s, bool is_float) { return 1.0 + integer(s, 64) * (is_float ? 0x1p-24 : 0x1p-53) * 2; }

/* An odd number of at most `bits` bits. */
static double odd(cf_session *s, unsigned bits) { return (double)((cf_random(s) >> (64 - bits)) | 1); }

/* Logarithms, base two, of results at the limits of the range. */
static int limit_exponent(cf_session *s, bool is_float)
{
	int near = (int)(cf_random(s) % 8) - 4, which = (int)(cf_random(s) % 3);
	return near + (which == 0 ? is_float ? 128 : 1024 : which == 1 ? is_float ? -126 : -1022 : is_float ? -149 : -1074);
}

/* Two arguments that belong together. */
static void related(cf_session *s, bool is_float, double value[3])
{
	double x = cf_any_real(s, is_float), y = x;
	int digits = is_float ? 24 : 53, exponent;
	switch (cf_random(s) % 12) {
	case 0:
		y = sign_of(s) * x;
		break;
	case 1:
		y = next(is_float, x, cf_random(s) & 1 ? INFINITY : -INFINITY);
		break;
	case 2: /* a multiple, or one and a half */
		x = 0.5 * integer(s, 64) * round_to(is_float, ldexp(odd(s, (unsigned)digits - 6), (int)(cf_random(s) % 120) - 140));
		y = x / (0.5 * integer(s, 64));
		break;
	case 3: /* a tie of a sum, or a neighbour of one */
		y = sign_of(s) * ulp(is_float, x) / 2;
		y = cf_random(s) & 1 ? y : next(is_float, y, cf_random(s) & 1 ? 0 : 2 * y);
		break;
	case 4: /* a tie of a product: one digit too many */
		exponent = limit_exponent(s, is_float);
		x = ldexp(odd(s, (unsigned)digits / 2), exponent / 2);
		y = ldexp(odd(s, (unsigned)(digits + 2) / 2), exponent - exponent / 2 - (int)(cf_random(s) % 24));
		break;
	case 5: /* whole powers, of a negative number, too */
		x = cf_random(s) & 1 ? fraction(s, is_float) : x;
		y = integer(s, 40);
		break;
	case 6:
		x = near_one(s, is_float);
		y = sign_of(s) * ldexp(usual(s, is_float), digits);
		break;
	case 7: /* powers of two at the limits of the range */
		exponent = integer(s, 30);
		x = ldexp(1, exponent);
		y = exponent ? (double)limit_exponent(s, is_float) / exponent : y;
		break;
	case 8: /* both tiny */
		x = tiny(s, is_float);
		y = tiny(s, is_float);
		break;
	case 9: /* a quotient as large as can be */
		x = sign_of(s) * ((is_float ? (double)FLT_MAX : DBL_MAX) - ldexp(integer(s, 8) & 7, is_float ? 104 : 971));
		y = cf_random(s) & 1 ? tiny(s, is_float) : y;
		break;
	default: /* far apart, or nearly */
		y = ldexp(x, (cf_random(s) & 1 ? -1 : 1) * (digits / 2 + integer(s, 3)));
		break;
	}
	value[0] = round_to(is_float, x);
	value[1] = round_to(is_float, y);
	/* Where there is a third: it takes away nearly all of the product, or is half of its last digit. */
	double product = round_to(is_float, x * y);
	uint64_t pick = cf_random(s) % 4;
	value[2] = pick == 0 ? -product : pick == 1 ? sign_of(s) * ulp(is_float, product) / 2 : cf_any_real(s, is_float);
	value[2] = round_to(is_float, value[2]);
}

void cf_inputs(cf_session *s, bool is_float, unsigned count, size_t i, double value[3])
{
	size_t first = count == 1 ? CF_SPECIALS : CF_SPECIALS * CF_SPECIALS, n = corners(is_float);
	for (unsigned a = 0; a < 3; a++)
		value[a] = cf_any_real(s, is_float);
	if (i < first) {
		value[0] = cf_special(is_float, (unsigned)i);
		value[1] = cf_special(is_float, (unsigned)i / CF_SPECIALS);
		value[2] = cf_special(is_float, (unsigned)(i * 7 + i / CF_SPECIALS));
	} else if (count == 1 && i < first + n) {
		value[0] = corner(is_float, i - first);
	} else if (count == 1 && i < first + n + HALVES) {
		value[0] = 0.5 * ((double)(i - first - n) - HALVES / 2);
	} else if (count > 1 && cf_random(s) % 3 == 0) {
		related(s, is_float, value);
	}
}

void cf_inputs_integer(cf_session *s, bool is_float, size_t i, double *value, int32_t *n)
{
	/* clang-format off */
	static const int edges[] = {
		0, 1, -1, 2, -2, 3, -3, 24, -24, 126, -126, 149, -149, 1023, INT_MAX, INT_MIN, 4, -4, 5, -5, 8, -8, 23, -23, 25, -25, 52, -52,
		53, -53, 125, -125, 127, -127, 128, -128, 148, -148, 150, -150, 151, -151, 252, -252, 277, -277, 278, -278, 1021, -1021, 1022,
		-1022, -1023, 1024, -1024, 1025, 1074, -1074, 1075, -1075, 2046, -2046, 2097, -2097, 2098, -2098, 2099, -2099, 0x10000,
		-0x10000, 0xffffff, -0xffffff, 0x1000001, -0x1000001, 0x40000000, -0x40000000, INT_MAX - 1, INT_MIN + 1};
	/* clang-format on */
	int least = is_float ? -149 : -1074, exponent;
	*value = i < CF_SPECIALS * CF_SPECIALS ? cf_special(is_float, (unsigned)i) : cf_any_real(s, is_float);
	*n = i < CF_SPECIALS * CF_SPECIALS ? edges[i / CF_SPECIALS] : edges[cf_random(s) % COUNT(edges)];
	if (i < CF_SPECIALS * CF_SPECIALS)
		return;
	switch (cf_random(s) % 8) {
	case 0:
		*n = (int32_t)cf_random(s);
		break;
	case 1:
	case 2:
		*n = integer(s, is_float ? 300 : 2200);
		break;
	case 3: /* ldexp: ties and their neighbours below the normal numbers */
		exponent = integer(s, 100);
		*value = sign_of(s) * ldexp(odd(s, (unsigned)(cf_random(s) % 20) + 3), exponent);
		*n = least - exponent - (int)(cf_random(s) % 24);
		break;
	case 4: /* pown: the limits of the range */
		*n = integer(s, 200);
		*value = *n ? round_to(is_float, sign_of(s) * exp2((double)limit_exponent(s, is_float) / *n)) : *value;
		break;
	case 5: /* pown: large powers of what is nearly one */
		*value = round_to(is_float, near_one(s, is_float));
		*n = integer(s, 1 << (cf_random(s) % 30));
		break;
	case 6: /* rootn: whole roots, small and tiny ones */
		*n = (int)(cf_random(s) % 8) + 1;
		*value = round_to(is_float, sign_of(s) * pow(odd(s, 5) * ldexp(1, integer(s, 18)), *n));
		*n = cf_random(s) & 1 ? *n : -*n;
		break;
	default:
		break;
	}
}
