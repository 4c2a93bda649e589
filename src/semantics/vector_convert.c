#include "semantics/vector.h"

#include "semantics/round.h"

#define INT_MAGIC 0x1.8p52 /* leaves an integer of less than 2^51 in the low bits of the sum, in two's complement */
#define ONE32 0x3f800000u
#define ONE64 UINT64_C(0x3ff0000000000000)

/* -- integer to integer ---------------------------------------------------------------------------------------------------------------- */

INLINE unsigned type_bits(unsigned type) { return 8u << (type & 3); }
INLINE bool type_signed(unsigned type) { return type >> 2 & 1; }

/* The low bits of x, extended by the type to 64 bits. */
INLINE uint64_t extended(uint64_t x, unsigned type)
{
	unsigned up = 64 - type_bits(type);
	return type_signed(type) ? (uint64_t)((int64_t)(x << up) >> up) : x << up >> up;
}

INLINE uint64_t type_mask(unsigned type) { return UINT64_MAX >> (64 - type_bits(type)); }

/* Clamps x to the destination type. `from_signed`: x is a signed number. */
INLINE uint64_t saturated(uint64_t x, bool from_signed, unsigned type)
{
	uint64_t most = type_signed(type) ? type_mask(type) >> 1 : type_mask(type), least = type_signed(type) ? ~most : 0;
	if (from_signed && (int64_t)x < 0)
		return type_signed(type) && (int64_t)x > (int64_t)least ? x : least;
	return x > most ? most : x;
}

SEM_FN(TO_R, i2i_rr)
{
	unsigned source = inst->sub & 7, up = type_bits(source) >= 32 ? 0 : 32 - type_bits(source);
	uint32_t mask = (uint32_t)type_mask(inst->sub >> 3 & 7);
	if (type_signed(source)) {
		LANES out->r[0].v[i] = (uint32_t)((int32_t)(in->a->v[i] << up) >> up) & mask;
	} else {
		LANES out->r[0].v[i] = in->a->v[i] << up >> up & mask;
	}
}

INLINE void i2i_wide(const hd_inst *inst, const hd_sem_in *restrict in, hd_sem_out *restrict out, bool wide_source, bool wide_result)
{
	unsigned source = inst->sub & 7, type = inst->sub >> 3 & 7;
	uint64_t mask = type_mask(type);
	bool saturate = inst->sub >> 6 & 1;
	LANES
	{
		uint64_t x = extended(in->a[0].v[i] | (wide_source ? (uint64_t)in->a[1].v[i] << 32 : 0), source);
		x = (saturate ? saturated(x, type_signed(source), type) : x) & mask;
		out->r[0].v[i] = (uint32_t)x;
		if (wide_result)
			out->r[1].v[i] = (uint32_t)(x >> 32);
	}
}

SEM_FN(TO_R, i2i_rr_sat) { i2i_wide(inst, in, out, false, false); }
SEM_FN(TO_D, i2i_dr) { i2i_wide(inst, in, out, false, true); }
SEM_FN(TO_R, i2i_rd) { i2i_wide(inst, in, out, true, false); }
SEM_FN(TO_D, i2i_dd) { i2i_wide(inst, in, out, true, true); }

/* The common widenings, without variable shifts. */
SEM_FN(TO_D, i2i_u32_64)
{
	LANES out->r[0].v[i] = in->a->v[i];
	LANES out->r[1].v[i] = 0;
}

SEM_FN(TO_D, i2i_s32_64)
{
	LANES out->r[0].v[i] = in->a->v[i];
	LANES out->r[1].v[i] = (uint32_t)((int32_t)in->a->v[i] >> 31);
}

/* -- rounding ----------------------------------------------------------------------------------------------------------------------------- */

INLINE double copy_sign(double magnitude, double sign)
{
	return hd_f64_of_bits((hd_bits_of_f64(magnitude) & ~(UINT64_C(1) << 63)) | (hd_bits_of_f64(sign) & UINT64_C(1) << 63));
}

INLINE double absolute(double x) { return hd_f64_of_bits(hd_bits_of_f64(x) & ~(UINT64_C(1) << 63)); }

/* Rounds to an integral value in the given mode. NaN, infinities and numbers without a fraction stay. */
INLINE double integral(double x, unsigned mode)
{
	double m = absolute(x), nearest = copy_sign((m + 0x1p52) - 0x1p52, x), d = nearest;
	if (mode == HD_RM)
		d = nearest > x ? nearest - 1 : nearest;
	else if (mode == HD_RP)
		d = nearest < x ? nearest + 1 : nearest;
	else if (mode == HD_RZ_)
		d = absolute(nearest) > m ? nearest - copy_sign(1, x) : nearest;
	return m < 0x1p52 ? copy_sign(d, x) : x;
}

/* Bits of the f32 for a double. The host rounds to nearest; one step back corrects the wrong direction. */
INLINE uint32_t f32_of_f64(double x, unsigned mode)
{
	float f = (float)x;
	double g = f;
	uint32_t bits = hd_bits_of_f32(f), negative = bits >> 31;
	if (mode == HD_RM)
		bits = g > x ? bits + (negative ? 1 : UINT32_MAX) : bits;
	else if (mode == HD_RP)
		bits = g < x ? bits + (negative ? UINT32_MAX : 1) : bits;
	else if (mode == HD_RZ_)
		bits = absolute(g) > absolute(x) ? bits - 1 : bits;
	return x == x ? bits : HD_F32_NAN;
}

INLINE uint32_t f32_of_f16(uint32_t h)
{
	uint32_t magnitude = h & 0x7fff, sign = (h & 0x8000) << 16;
	uint32_t bits = hd_bits_of_f32(hd_f32_of_bits(magnitude << 13) * 0x1p112f); /* rebias; denormals come out normal */
	bits = magnitude >= 0x7c00 ? HD_F32_INF : bits;
	return magnitude > 0x7c00 ? HD_F32_NAN : bits | sign;
}

/* To nearest. Below the least normal f16, adding 1/2 puts the last bit of an f16 denormal in the last bit of the sum. */
INLINE uint32_t f16_of_f32_near(uint32_t a)
{
	uint32_t m = a & 0x7fffffffu, small = hd_bits_of_f32(hd_f32_of_bits(m) + 0.5f) - 0x3f000000u;
	uint32_t normal = (m - (112u << 23) + 0xfff + (m >> 13 & 1)) >> 13;
	uint32_t h = m < 113u << 23 ? small : normal;
	h = m >= 143u << 23 ? 0x7c00 : h;
	return m > HD_F32_INF ? 0x7fff : h | (a >> 16 & 0x8000);
}

static uint32_t f16_of_f64(double x, unsigned mode)
{
	uint64_t bits = hd_bits_of_f64(x);
	if (x != x)
		return 0x7fff;
	if ((bits & ~(UINT64_C(1) << 63)) == HD_F64_INF)
		return 0x7c00 | (bits >> 63 ? 0x8000 : 0);
	hd_parts parts = hd_parts_of_f64(bits);
	return (uint32_t)hd_round_pack(HD_FORMAT_F16, mode, parts.sign, parts.m, parts.e);
}

/* -- float to integer -------------------------------------------------------------------------------------------------------------------- */

INLINE uint32_t flushed(uint32_t a) { return a & HD_F32_INF ? a : a & 0x80000000u; }

INLINE double source_value(unsigned type, const hd_sem_in *restrict in, unsigned i, bool ftz)
{
	if (type == HD_F64)
		return hd_f64_of_bits(in->a[0].v[i] | (uint64_t)in->a[1].v[i] << 32);
	uint32_t a = type == HD_F16 ? f32_of_f16(in->a->v[i]) : in->a->v[i];
	return (double)hd_f32_of_bits(ftz && type == HD_F32 ? flushed(a) : a);
}

/* Up to 32 bits: clamps as a double, whose low bits are then the integer. The bounds are integers, so that rounding cannot leave them. */
INLINE void f2i_narrow(const hd_inst *inst, const hd_sem_in *restrict in, hd_sem_out *restrict out, unsigned source, unsigned mode)
{
	unsigned type = inst->sub & 7;
	bool ftz = inst->sub >> 5 & 1;
	uint32_t mask = (uint32_t)type_mask(type);
	double most = type_signed(type) ? (double)(mask >> 1) : (double)mask, least = type_signed(type) ? -most - 1 : 0;
	LANES
	{
		double x = source_value(source, in, i, ftz);
		x = x == x ? x : 0;
		x = x < least ? least : x;
		x = x > most ? most : x;
		if (mode != HD_RN)
			x = integral(x, mode);
		out->r[0].v[i] = (uint32_t)hd_bits_of_f64(x + INT_MAGIC) & mask;
	}
}

INLINE void f2i_wide(const hd_inst *inst, const hd_sem_in *restrict in, hd_sem_out *restrict out, unsigned source, unsigned mode)
{
	bool ftz = inst->sub >> 5 & 1, is_signed = type_signed(inst->sub & 7);
	LANES
	{
		double x = integral(source_value(source, in, i, ftz), mode);
		uint64_t d = 0;
		if (is_signed)
			d = x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? (uint64_t)1 << 63 : x == x ? (uint64_t)(int64_t)x : 0;
		else
			d = x >= 0x1p64 ? UINT64_MAX : x > 0 ? (uint64_t)x : 0;
		out->r[0].v[i] = (uint32_t)d;
		out->r[1].v[i] = (uint32_t)(d >> 32);
	}
}

#define MODES(X, ...) X(rn, HD_RN, __VA_ARGS__) X(rz, HD_RZ_, __VA_ARGS__) X(rm, HD_RM, __VA_ARGS__) X(rp, HD_RP, __VA_ARGS__)
#define BY_MODE(name)                                      \
	{                                                  \
		name##_rn, name##_rz, name##_rm, name##_rp \
	} /* in the order of hd_round */
#define F2I(suffix, mode, room, to, source) \
	SEM_FN(to, room##_##source##_##suffix) { room(inst, in, out, HD_##source, mode); }
MODES(F2I, f2i_narrow, TO_R, F16)
MODES(F2I, f2i_narrow, TO_R, F32)
MODES(F2I, f2i_narrow, TO_R, F64)
MODES(F2I, f2i_wide, TO_D, F16)
MODES(F2I, f2i_wide, TO_D, F32)
MODES(F2I, f2i_wide, TO_D, F64)

/* -- integer to float -------------------------------------------------------------------------------------------------------------------- */

INLINE double double_of(uint32_t a, unsigned up, bool is_signed) { return is_signed ? (double)((int32_t)(a << up) >> up) : (double)(a << up >> up); }

INLINE unsigned i2f_up(const hd_inst *inst)
{
	unsigned bits = type_bits(inst->sub & 7);
	return bits >= 32 ? 0 : 32 - bits;
}

/* Every 32-bit integer is exact as a double, so that only one rounding happens. */
#define I2F_F32(suffix, mode, sign, is_signed)                                                  \
	SEM_FN(TO_R, i2f_f32_##sign##_##suffix)                                                 \
	{                                                                                       \
		unsigned up = i2f_up(inst);                                                     \
		LANES out->r[0].v[i] = f32_of_f64(double_of(in->a->v[i], up, is_signed), mode); \
	}
MODES(I2F_F32, u, false)
MODES(I2F_F32, s, true)

SEM_FN(TO_R, i2f_f16)
{
	unsigned up = i2f_up(inst);
	bool is_signed = type_signed(inst->sub & 7);
	LANES out->r[0].v[i] = f16_of_f64(double_of(in->a->v[i], up, is_signed), inst->mod);
}

INLINE void i2f_f64(const hd_inst *inst, const hd_sem_in *restrict in, hd_sem_out *restrict out, bool is_signed)
{
	unsigned up = i2f_up(inst);
	wide_f d;
	LANES d.v[i] = double_of(in->a->v[i], up, is_signed);
	wide_store_f(out->r, &d);
}
SEM_FN(TO_D, i2f_f64_u) { i2f_f64(inst, in, out, false); }
SEM_FN(TO_D, i2f_f64_s) { i2f_f64(inst, in, out, true); }

/* From 64 bits. */
INLINE uint64_t packed(uint64_t x, bool is_signed, hd_float_format format, unsigned mode)
{
	bool negative = is_signed && x >> 63;
	return hd_round_pack(format, mode, negative, negative ? 0 - x : x, 0);
}

SEM_FN(TO_R, i2f_rd)
{
	bool is_signed = type_signed(inst->sub & 7), half = (inst->sub >> 3 & 3) == HD_F16;
	wide x;
	wide_load(&x, in->a);
	LANES out->r[0].v[i] = (uint32_t)packed(x.v[i], is_signed, half ? HD_FORMAT_F16 : HD_FORMAT_F32, inst->mod);
}

SEM_FN(TO_D, i2f_dd)
{
	bool is_signed = type_signed(inst->sub & 7);
	wide x;
	wide_load(&x, in->a);
	LANES x.v[i] = packed(x.v[i], is_signed, HD_FORMAT_F64, inst->mod);
	wide_store(out->r, &x);
}

/* -- float to float ------------------------------------------------------------------------------------------------------------------------ */

SEM_FN(TO_D, f2f_f64_f32)
{
	wide_f d;
	LANES d.v[i] = (double)hd_f32_of_bits(in->a->v[i]);
	wide_store_f(out->r, &d);
}

SEM_FN(TO_R, f2f_f32_f16) { LANES out->r[0].v[i] = f32_of_f16(in->a->v[i]); }

SEM_FN(TO_R, f2f_f16_f32_near) { LANES out->r[0].v[i] = f16_of_f32_near(in->a->v[i]); }

#define F2F_F32_F64(suffix, mode, room)                          \
	SEM_FN(TO_R, room##_##suffix)                            \
	{                                                        \
		wide_f x;                                        \
		wide_load_f(&x, in->a);                          \
		LANES out->r[0].v[i] = f32_of_f64(x.v[i], mode); \
	}
MODES(F2F_F32_F64, f2f_f32_f64)

#define F2F_INTEGRAL32(suffix, mode, room) \
	SEM_FN(TO_R, room##_##suffix) { LANES out->r[0].v[i] = f32_of_f64(integral((double)hd_f32_of_bits(in->a->v[i]), mode), HD_RN); }
MODES(F2F_INTEGRAL32, f2f_integral32)

#define F2F_INTEGRAL64(suffix, mode, room)             \
	SEM_FN(TO_D, room##_##suffix)                  \
	{                                              \
		wide_f x;                              \
		wide_load_f(&x, in->a);                \
		LANES x.v[i] = integral(x.v[i], mode); \
		wide_store_f(out->r, &x);              \
	}
MODES(F2F_INTEGRAL64, f2f_integral64)

/* All other conversions, a lane at a time: every value of every type is exact as a double. */
INLINE void f2f(const hd_inst *inst, const hd_sem_in *restrict in, hd_sem_out *restrict out)
{
	unsigned type = inst->sub & 3, source = inst->sub >> 2 & 3, mode = inst->mod;
	bool saturate = inst->sub >> 4 & 1, ftz = inst->sub >> 5 & 1, whole = inst->sub >> 6 & 1;
	LANES
	{
		double x = source_value(source, in, i, ftz);
		if (whole)
			x = integral(x, mode);
		uint64_t d;
		if (type == HD_F64) {
			d = hd_f64_canonical(hd_bits_of_f64(x));
			d = !saturate ? d : (int64_t)d <= 0 || d > HD_F64_INF ? 0 : d > ONE64 ? ONE64 : d;
		} else if (type == HD_F32) {
			uint32_t bits = f32_of_f64(x, mode);
			bits = ftz ? flushed(bits) : bits;
			d = !saturate ? bits : (int32_t)bits <= 0 || bits > HD_F32_INF ? 0 : bits > ONE32 ? ONE32 : bits;
		} else {
			uint32_t bits = f16_of_f64(x, mode);
			d = !saturate ? bits : bits & 0x8000 || bits > 0x7c00 ? 0 : bits > 0x3c00 ? 0x3c00 : bits;
		}
		out->r[0].v[i] = (uint32_t)d;
		out->r[1].v[i] = (uint32_t)(d >> 32);
	}
}

SEM_FN(TO_R, f2f_any_r) { f2f(inst, in, out); }
SEM_FN(TO_D, f2f_any_d) { f2f(inst, in, out); }

/* -- choice ---------------------------------------------------------------------------------------------------------------------------------- */

static const hd_sem_code *find_f2i(const hd_inst *inst, bool wide_result)
{
	static const hd_sem_code *const narrow[3][4] = {BY_MODE(f2i_narrow_F16), BY_MODE(f2i_narrow_F32), BY_MODE(f2i_narrow_F64)};
	static const hd_sem_code *const wide_[3][4] = {BY_MODE(f2i_wide_F16), BY_MODE(f2i_wide_F32), BY_MODE(f2i_wide_F64)};
	unsigned source = inst->sub >> 3 & 3;
	if (source > HD_F64)
		source = HD_F32;
	return (wide_result ? wide_ : narrow)[source][inst->mod & 3];
}

static const hd_sem_code *find_f2f(const hd_inst *inst)
{
	static const hd_sem_code *const to_f32[4] = BY_MODE(f2f_f32_f64), *const integral32[4] = BY_MODE(f2f_integral32),
	                                *const integral64[4] = BY_MODE(f2f_integral64);
	unsigned type = inst->sub & 3, source = inst->sub >> 2 & 3, mode = inst->mod & 3;
	bool whole = inst->sub >> 6 & 1;
	const hd_sem_code *f2f_any = hd_ops[inst->op].d == HD_W_D ? f2f_any_d : f2f_any_r;
	if (inst->sub & 0x30) /* saturation or flushing of denormals */
		return f2f_any;
	if (whole)
		return type == HD_F32 && source == HD_F32 ? integral32[mode] : type == HD_F64 && source == HD_F64 ? integral64[mode] : f2f_any;
	if (type == HD_F64 && source == HD_F32)
		return f2f_f64_f32;
	if (type == HD_F32 && source == HD_F64)
		return to_f32[mode];
	if (type == HD_F32 && source == HD_F16)
		return f2f_f32_f16;
	return type == HD_F16 && source == HD_F32 && mode == HD_RN ? f2f_f16_f32_near : f2f_any;
}

const hd_sem_code *HD_SEM(convert)(const hd_inst *inst)
{
	static const hd_sem_code *const from_u32[4] = BY_MODE(i2f_f32_u), *const from_s32[4] = BY_MODE(i2f_f32_s);
	switch (inst->op) {
	case HD_OP_I2I:
		return inst->sub >> 6 & 1 ? i2i_rr_sat : i2i_rr;
	case HD_OP_I2I_DR:
		if (inst->sub == HD_SUB_I2I(HD_U64, HD_U32, 0) || inst->sub == HD_SUB_I2I(HD_S64, HD_U32, 0))
			return i2i_u32_64;
		return inst->sub == HD_SUB_I2I(HD_U64, HD_S32, 0) || inst->sub == HD_SUB_I2I(HD_S64, HD_S32, 0) ? i2i_s32_64 : i2i_dr;
	case HD_OP_I2I_RD:
		return i2i_rd;
	case HD_OP_I2I_DD:
		return i2i_dd;
	case HD_OP_F2I:
	case HD_OP_F2I_RD:
		return find_f2i(inst, false);
	case HD_OP_F2I_DR:
	case HD_OP_F2I_DD:
		return find_f2i(inst, true);
	case HD_OP_I2F:
		if ((inst->sub >> 3 & 3) == HD_F16)
			return i2f_f16;
		return (type_signed(inst->sub & 7) ? from_s32 : from_u32)[inst->mod & 3];
	case HD_OP_I2F_DR:
		return type_signed(inst->sub & 7) ? i2f_f64_s : i2f_f64_u;
	case HD_OP_I2F_RD:
		return i2f_rd;
	case HD_OP_I2F_DD:
		return i2f_dd;
	case HD_OP_F2F:
	case HD_OP_F2F_DR:
	case HD_OP_F2F_RD:
	case HD_OP_F2F_DD:
		return find_f2f(inst);
	default:
		return NULL;
	}
}
