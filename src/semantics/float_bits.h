/* Bits of floats: scalar functions that the vector code, the atomics and the conversions share. Includes only base. */
#ifndef HD_FLOAT_BITS_H
#define HD_FLOAT_BITS_H

#include "base/base.h"

#include <float.h>

/* Every result must be rounded to its own type at once. A host whose float registers are wider is not supported. */
_Static_assert(FLT_EVAL_METHOD == 0, "the host computes floats in a wider type");

#define HD_F32_NAN 0x7fffffffu
#define HD_F64_NAN UINT64_C(0x7fffffffffffffff)
#define HD_F32_INF 0x7f800000u
#define HD_F64_INF UINT64_C(0x7ff0000000000000)

static inline float hd_f32_of_bits(uint32_t bits)
{
	float f;
	memcpy(&f, &bits, 4);
	return f;
}

static inline uint32_t hd_bits_of_f32(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, 4);
	return bits;
}

static inline double hd_f64_of_bits(uint64_t bits)
{
	double f;
	memcpy(&f, &bits, 8);
	return f;
}

static inline uint64_t hd_bits_of_f64(double f)
{
	uint64_t bits;
	memcpy(&bits, &f, 8);
	return bits;
}

static inline bool hd_f32_is_nan(uint32_t bits) { return (bits & 0x7fffffffu) > HD_F32_INF; }
static inline bool hd_f64_is_nan(uint64_t bits) { return (bits & ~(UINT64_C(1) << 63)) > HD_F64_INF; }
static inline uint32_t hd_f32_canonical(uint32_t bits) { return hd_f32_is_nan(bits) ? HD_F32_NAN : bits; }
static inline uint64_t hd_f64_canonical(uint64_t bits) { return hd_f64_is_nan(bits) ? HD_F64_NAN : bits; }

/* Maps a float to an integer with the same signed order, -0 just below +0. Requires: not a NaN. */
static inline int32_t hd_f32_order(uint32_t bits) { return (int32_t)(bits ^ (bits >> 31 ? 0x7fffffffu : 0)); }
static inline int64_t hd_f64_order(uint64_t bits) { return (int64_t)(bits ^ (bits >> 63 ? ~(UINT64_C(1) << 63) : 0)); }

/* A number wins over a NaN; two NaNs give the canonical one; -0 < +0. */
static inline uint32_t hd_f32_min(uint32_t a, uint32_t b)
{
	uint32_t least = hd_f32_order(a) < hd_f32_order(b) ? a : b, other = hd_f32_is_nan(b) ? HD_F32_NAN : b;
	return hd_f32_is_nan(a) ? other : hd_f32_is_nan(b) ? a : least;
}

static inline uint32_t hd_f32_max(uint32_t a, uint32_t b)
{
	uint32_t most = hd_f32_order(a) < hd_f32_order(b) ? b : a, other = hd_f32_is_nan(b) ? HD_F32_NAN : b;
	return hd_f32_is_nan(a) ? other : hd_f32_is_nan(b) ? a : most;
}

static inline uint64_t hd_f64_min(uint64_t a, uint64_t b)
{
	uint64_t least = hd_f64_order(a) < hd_f64_order(b) ? a : b, other = hd_f64_is_nan(b) ? HD_F64_NAN : b;
	return hd_f64_is_nan(a) ? other : hd_f64_is_nan(b) ? a : least;
}

static inline uint64_t hd_f64_max(uint64_t a, uint64_t b)
{
	uint64_t most = hd_f64_order(a) < hd_f64_order(b) ? b : a, other = hd_f64_is_nan(b) ? HD_F64_NAN : b;
	return hd_f64_is_nan(a) ? other : hd_f64_is_nan(b) ? a : most;
}

#endif
