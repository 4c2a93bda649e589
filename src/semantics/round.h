/* Rounding of an exact value to a float format, in integers. Every result that may be denormal or overflow in a given rounding mode is rounded
 * here. */
#ifndef HD_ROUND_H
#define HD_ROUND_H

#include "isa/isa.h"
#include "semantics/float_bits.h"

typedef struct hd_float_format {
	int mantissa; /* explicit bits */
	int exponent; /* bits */
} hd_float_format;
#define HD_FORMAT_F16 ((hd_float_format){10, 5})
#define HD_FORMAT_F32 ((hd_float_format){23, 8})
#define HD_FORMAT_F64 ((hd_float_format){52, 11})

/* Bits of the float that (-1)^sign * m * 2^e rounds to in the given mode. */
static inline uint64_t hd_round_pack(hd_float_format format, unsigned mode, bool sign, uint64_t m, int e)
{
	int bias = (1 << (format.exponent - 1)) - 1, least = 1 - bias - format.mantissa; /* exponent of the smallest denormal */
	uint64_t minus = sign ? UINT64_C(1) << (format.mantissa + format.exponent) : 0;
	uint64_t infinity = ((UINT64_C(1) << format.exponent) - 1) << format.mantissa;
	if (m == 0)
		return minus;
	int top = 63 - __builtin_clzll(m) + e, last = top - format.mantissa; /* exponents of the first bit and of the last bit that is kept */
	if (last < least)
		last = least;
	int drop = last - e;
	uint64_t kept, rest, half;
	if (drop <= 0) {
		kept = m << -drop;
		rest = half = 0;
	} else if (drop < 64) {
		kept = m >> drop;
		rest = m & ((UINT64_C(1) << drop) - 1);
		half = UINT64_C(1) << (drop - 1);
	} else {
		/* Every bit is below the last kept one. The value is more than half of that bit only if drop is 64 and the top bit is set. */
		kept = 0;
		rest = drop == 64 && m > UINT64_C(1) << 63 ? 3 : drop == 64 && m == UINT64_C(1) << 63 ? 2 : 1;
		half = 2;
	}
	bool away = mode == HD_RN   ? rest > half || (rest == half && rest != 0 && (kept & 1))
	            : mode == HD_RM ? sign && rest
	            : mode == HD_RP ? !sign && rest
	                            : false;
	kept += away;
	/* A carry out of the mantissa goes into the exponent, from denormals to normals as well. */
	uint64_t bits = top > bias ? infinity : ((uint64_t)(last - least) << format.mantissa) + kept;
	if (bits >= infinity)
		bits = mode == HD_RN || (mode == HD_RM && sign) || (mode == HD_RP && !sign) ? infinity : infinity - 1;
	return bits | minus;
}

/* A float as sign, integer mantissa and exponent. Requires: neither NaN nor infinity. */
typedef struct hd_parts {
	bool sign;
	uint64_t m;
	int e;
} hd_parts;
static inline hd_parts hd_parts_of_f64(uint64_t bits)
{
	int field = (int)(bits >> 52 & 2047);
	uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
	return (hd_parts){bits >> 63, field ? m | UINT64_C(1) << 52 : m, (field ? field : 1) - 1075};
}

#endif
