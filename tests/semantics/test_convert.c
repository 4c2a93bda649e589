/* Conversions: every legal pair of types, rounding mode, saturation and flushing, against exact integers. */
#include "exact.h"
#include "lanes.h"

static const format formats[3] = {{10, 5}, {23, 8}, {52, 11}};
static unsigned width(format f) { return (unsigned)(1 + f.mantissa + f.exponent); }
static uint64_t low(unsigned bits) { return UINT64_MAX >> (64 - bits); }
static unsigned itype_bits(unsigned type) { return 8u << (type & 3); }

/* Integer operand as sign and magnitude. */
static bool magnitude(unsigned type, uint64_t x, uint64_t *m)
{
	unsigned bits = itype_bits(type);
	x &= low(bits);
	bool negative = type & 4 && x >> (bits - 1);
	*m = negative ? (0 - x) & low(bits) : x;
	return negative;
}

/* Sign and magnitude to a type, clamped or wrapped. */
static uint64_t to_integer(unsigned type, bool negative, u128 m, bool clamp)
{
	unsigned bits = itype_bits(type);
	if (clamp) {
		u128 most = type & 4 ? low(bits) >> 1 : low(bits), least = type & 4 ? most + 1 : 0;
		m = negative ? (m > least ? least : m) : m > most ? most : m;
	}
	return (negative ? 0 - (uint64_t)m : (uint64_t)m) & low(bits);
}

/* Magnitude of a finite float rounded to an integer; saturates far above 64 bits. */
static u128 whole(format f, unsigned mode, uint64_t x)
{
	uint64_t m;
	int e;
	take_apart(f, x, &m, &e);
	if (e >= 0)
		return e > 70 ? (m ? (u128)1 << 100 : 0) : (u128)m << e;
	u128 kept = e < -100 ? 0 : (u128)m >> -e, rest = e < -100 ? m : m - (kept << -e), twice = e < -100 ? 0 : rest << 1,
	     unit = e < -100 ? 1 : (u128)1 << -e;
	bool minus = is_negative(f, x);
	bool up = mode == HD_RN   ? twice > unit || (twice == unit && kept & 1)
	          : mode == HD_RM ? minus && rest
	          : mode == HD_RP ? !minus && rest
	                          : false;
	return kept + up;
}

static uint64_t flush(format f, uint64_t x) { return x & inf_bits(f) ? x : x & sign_bit(f); }

static uint64_t float_to_float(unsigned sub, unsigned mode, uint64_t x)
{
	unsigned to = sub & 3, from = sub >> 2 & 3;
	format f = formats[from], g = formats[to];
	x &= low(width(f));
	if (sub >> 5 & 1 && from == HD_F32)
		x = flush(f, x);
	bool minus = is_negative(f, x);
	uint64_t sign = minus ? sign_bit(g) : 0, m, d;
	int e;
	take_apart(f, x, &m, &e);
	if (is_nan(f, x)) {
		d = nan_bits(g);
	} else if (is_inf(f, x)) {
		d = inf_bits(g) | sign;
	} else if (is_zero(f, x)) {
		d = sign;
	} else if (sub >> 6 & 1 && e < 0) {
		u128 n = whole(f, mode, x);
		d = n ? round_exact(g, mode, minus, n, 0, false) : sign;
	} else {
		d = round_exact(g, mode, minus, m, e, false);
	}
	if (sub >> 5 & 1 && to == HD_F32)
		d = flush(g, d);
	if (sub >> 4 & 1)
		d = is_nan(g, d) || d & sign_bit(g) ? 0 : d > one_of(g) ? one_of(g) : d;
	return d;
}

static uint64_t expected(const hd_inst *inst, uint64_t x)
{
	unsigned sub = inst->sub;
	switch (inst->op) {
	case HD_OP_I2I:
	case HD_OP_I2I_DR:
	case HD_OP_I2I_RD:
	case HD_OP_I2I_DD: {
		uint64_t m;
		bool negative = magnitude(sub & 7, x, &m);
		return to_integer(sub >> 3 & 7, negative, m, sub >> 6 & 1);
	}
	case HD_OP_F2I:
	case HD_OP_F2I_DR:
	case HD_OP_F2I_RD:
	case HD_OP_F2I_DD: {
		format f = formats[sub >> 3 & 3];
		x &= low(width(f));
		if (sub >> 5 & 1)
			x = flush(f, x);
		if (is_nan(f, x))
			return 0;
		return to_integer(sub & 7, is_negative(f, x), is_inf(f, x) ? (u128)1 << 100 : whole(f, inst->mod, x), true);
	}
	case HD_OP_I2F:
	case HD_OP_I2F_DR:
	case HD_OP_I2F_RD:
	case HD_OP_I2F_DD: {
		uint64_t m;
		bool negative = magnitude(sub & 7, x, &m);
		return m ? round_exact(formats[sub >> 3 & 3], inst->mod, negative, m, 0, false) : 0;
	}
	default:
		return float_to_float(sub, inst->mod, x);
	}
}

static void check(const hd_inst *inst, uint64_t *seed)
{
	lanes in = {.mask = UINT32_MAX};
	results got;
	for (unsigned round = 0; round < 12; round++) {
		for (unsigned i = 0; i < HD_LANES; i++) {
			in.a[i] = any_operand(seed);
			/* Halves, for ties in conversions to integers. */
			if (round % 3 == 1 && hd_ops[inst->op].format == HD_F_SUB) {
				double half = (double)(int64_t)(hd_random(seed) % 2001) / 2 - 500;
				float narrow = (float)half;
				in.a[i] = hd_ops[inst->op].a == HD_W_D ? hd_bits_of_f64(half) : hd_bits_of_f32(narrow);
			}
		}
		run_lanes(inst, &in, &got);
		for (unsigned i = 0; i < HD_LANES; i++)
			if (got.d[i] != expected(inst, in.a[i]))
				fail_msg("%s sub 0x%x mod %u of %llx: %llx, expected %llx", hd_ops[inst->op].mnemonic, inst->sub, inst->mod,
				         (unsigned long long)in.a[i], (unsigned long long)got.d[i], (unsigned long long)expected(inst, in.a[i]));
	}
}

TEST(integers_to_integers)
{
	uint64_t seed = 1;
	for (unsigned to = 0; to < 8; to++)
		for (unsigned from = 0; from < 8; from++)
			for (unsigned sat = 0; sat < 2; sat++) {
				bool wide_to = (to & 3) == 3, wide_from = (from & 3) == 3;
				hd_op op = wide_to ? (wide_from ? HD_OP_I2I_DD : HD_OP_I2I_DR) : wide_from ? HD_OP_I2I_RD : HD_OP_I2I;
				check(&(hd_inst){.op = (uint8_t)op, .sub = (uint8_t)HD_SUB_I2I(to, from, sat)}, &seed);
			}
}

TEST(floats_to_integers)
{
	uint64_t seed = 2;
	for (unsigned to = 0; to < 8; to++)
		for (unsigned from = 0; from < 3; from++)
			for (unsigned ftz = 0; ftz <= (from == HD_F32); ftz++)
				for (unsigned mode = 0; mode < 4; mode++) {
					bool wide_to = (to & 3) == 3, wide_from = from == HD_F64;
					hd_op op = wide_to ? (wide_from ? HD_OP_F2I_DD : HD_OP_F2I_DR) : wide_from ? HD_OP_F2I_RD : HD_OP_F2I;
					check(&(hd_inst){.op = (uint8_t)op, .mod = (uint8_t)mode, .sub = (uint8_t)HD_SUB_F2I(to, from, ftz)}, &seed);
				}
}

TEST(integers_to_floats)
{
	uint64_t seed = 3;
	for (unsigned to = 0; to < 3; to++)
		for (unsigned from = 0; from < 8; from++)
			for (unsigned mode = 0; mode < 4; mode++) {
				bool wide_to = to == HD_F64, wide_from = (from & 3) == 3;
				hd_op op = wide_to ? (wide_from ? HD_OP_I2F_DD : HD_OP_I2F_DR) : wide_from ? HD_OP_I2F_RD : HD_OP_I2F;
				check(&(hd_inst){.op = (uint8_t)op, .mod = (uint8_t)mode, .sub = (uint8_t)HD_SUB_I2F(to, from)}, &seed);
			}
}

TEST(floats_to_floats)
{
	uint64_t seed = 4;
	for (unsigned to = 0; to < 3; to++)
		for (unsigned from = 0; from < 3; from++)
			for (unsigned flags = 0; flags < 8; flags++)
				for (unsigned mode = 0; mode < 4; mode++) {
					bool wide_to = to == HD_F64, wide_from = from == HD_F64;
					hd_op op = wide_to ? (wide_from ? HD_OP_F2F_DD : HD_OP_F2F_DR) : wide_from ? HD_OP_F2F_RD : HD_OP_F2F;
					check(&(hd_inst){.op = (uint8_t)op,
					                 .mod = (uint8_t)mode,
					                 .sub = (uint8_t)HD_SUB_F2F(to, from, flags & 1, flags >> 1 & 1, flags >> 2)},
					      &seed);
				}
}

/* All of them. */
TEST(every_half_makes_the_round_trip)
{
	hd_inst up = {.op = HD_OP_F2F, .sub = HD_SUB_F2F(HD_F32, HD_F16, 0, 0, 0)},
	        down = {.op = HD_OP_F2F, .sub = HD_SUB_F2F(HD_F16, HD_F32, 0, 0, 0)};
	for (uint32_t first = 0; first < 65536; first += HD_LANES) {
		lanes in = {.mask = UINT32_MAX};
		results mid, got;
		for (unsigned i = 0; i < HD_LANES; i++)
			in.a[i] = first + i;
		run_lanes(&up, &in, &mid);
		for (unsigned i = 0; i < HD_LANES; i++) {
			assert_int_equal(mid.d[i], float_to_float(up.sub, 0, first + i));
			in.a[i] = mid.d[i];
		}
		run_lanes(&down, &in, &got);
		for (unsigned i = 0; i < HD_LANES; i++)
			assert_int_equal(got.d[i], is_nan(F16, first + i) ? 0x7fff : first + i);
	}
}
