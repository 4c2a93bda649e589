/* LU-1: float division and square root are correctly rounded in all modes, against the host (docs/compiler.md). */
#include "expand_rig.h"

#include <fenv.h>
#include <math.h>

static uint64_t random_float(uint64_t *seed, unsigned words)
{
	static const uint32_t edges[] = {0,          1,          2,          0x7fffff,   0x800000,   0x800001,   0x3f800000,
	                                 0x3f7fffff, 0x3f800001, 0x3fffffff, 0x3ffffffe, 0x40000000, 0x407fffff, 0x40800001,
	                                 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f000000, 0x00ffffff, 0x34000000};
	uint64_t r = hd_random(seed), sign = hd_random(seed) & 1, kind = hd_random(seed) % 8;
	if (words == 1) {
		if (kind == 0)
			return edges[r % HD_COUNT(edges)] | sign << 31;
		if (kind == 1) /* near one: the hard cases of rounding */
			return (0x3f800000u + (uint32_t)(r & 1 ? r % 64 : 0 - r % 64)) ^ sign << 31;
		if (kind < 4)
			return (uint32_t)(0x3f000000 | (r & 0xffffff)) | sign << 31;
		return (uint32_t)r;
	}
	if (kind == 0) {
		uint32_t e = edges[r % HD_COUNT(edges)];
		uint64_t exponent = (e >> 23) == 255 ? 2047 : e >> 23 ? (e >> 23) - 127 + 1023 : 0;
		uint64_t mantissa = (e & 0x7fffff) == 0x7fffff ? (UINT64_C(1) << 52) - 1 : e & 0x7fffff;
		return exponent << 52 | mantissa | sign << 63;
	}
	if (kind == 1)
		return (UINT64_C(0x3ff0000000000000) + (r & 1 ? r % 64 : 0 - r % 64)) ^ sign << 63;
	if (kind < 4)
		return UINT64_C(0x3fe0000000000000) | (r & (UINT64_C(0x1fffffffffffff))) | sign << 63;
	return r;
}

static uint32_t bits32(float f)
{
	uint32_t b;
	memcpy(&b, &f, 4);
	return f != f ? 0x7fffffffu : b;
}

static uint64_t bits64(double d)
{
	uint64_t b;
	memcpy(&b, &d, 8);
	return d != d ? UINT64_C(0x7fffffffffffffff) : b;
}

static uint64_t host(unsigned op, uint64_t a, uint64_t b)
{
	volatile float x, y, z;
	volatile double u, v, w;
	uint32_t low = (uint32_t)a, other = (uint32_t)b;
	memcpy((void *)&x, &low, 4);
	memcpy((void *)&y, &other, 4);
	memcpy((void *)&u, &a, 8);
	memcpy((void *)&v, &b, 8);
	switch (op) {
	case HD_IR_FDIV:
		z = x / y;
		return bits32(z);
	case HD_IR_FRCPR:
		z = 1.0f / x;
		return bits32(z);
	case HD_IR_FSQRT:
		z = sqrtf(x);
		return bits32(z);
	case HD_IR_DDIV:
		w = u / v;
		return bits64(w);
	case HD_IR_DRCP:
		w = 1.0 / u;
		return bits64(w);
	default:
		w = sqrt(u);
		return bits64(w);
	}
}

static void check_float(unsigned op, unsigned words, unsigned sources)
{
	static const int modes[] = {[HD_RN] = FE_TONEAREST, [HD_RZ_] = FE_TOWARDZERO, [HD_RM] = FE_DOWNWARD, [HD_RP] = FE_UPWARD};
	uint64_t seed = op;
	for (unsigned mod = 0; mod < 4; mod++) {
		program p = build(op, mod, words, sources);
		for (unsigned round = 0; round < 4000; round++) {
			uint64_t a[HD_LANES], b[HD_LANES];
			for (unsigned i = 0; i < HD_LANES; i++) {
				set(&p, 0, i, a[i] = random_float(&seed, words));
				set(&p, 1, i, b[i] = random_float(&seed, words));
			}
			run(&p);
			fesetround(modes[mod]);
			uint64_t want[HD_LANES];
			for (unsigned i = 0; i < HD_LANES; i++)
				want[i] = host(op, a[i], b[i]);
			fesetround(FE_TONEAREST);
			for (unsigned i = 0; i < HD_LANES; i++)
				if (get(&p, 2, i, words) != want[i])
					fail_msg("%s mode %u of %llx, %llx: %llx, expected %llx", hd_ir_info(op)->mnemonic, mod,
					         (unsigned long long)a[i], (unsigned long long)b[i], (unsigned long long)get(&p, 2, i, words),
					         (unsigned long long)want[i]);
		}
		release(&p);
	}
}

TEST(test_LU_1_float_division)
{
	check_float(HD_IR_FDIV, 1, 2);
	check_float(HD_IR_FRCPR, 1, 1);
	check_float(HD_IR_DDIV, 2, 2);
	check_float(HD_IR_DRCP, 2, 1);
}

TEST(test_LU_1_square_root)
{
	check_float(HD_IR_FSQRT, 1, 1);
	check_float(HD_IR_DSQRT, 2, 1);
}

/* The divisors and dividends next to powers of two, and the divisor whose reciprocal is nearest to a midpoint. */
TEST(test_LU_1_hard_quotients)
{
	program p = build(HD_IR_DDIV, HD_RN, 2, 2);
	for (unsigned k = 0; k < 64; k++) {
		for (unsigned i = 0; i < HD_LANES; i++) {
			set(&p, 0, i, UINT64_C(0x3ff0000000000000) + (i < 24 ? i * k : i - 16));
			set(&p, 1, i, UINT64_C(0x4000000000000000) - 1 - k);
		}
		run(&p);
		for (unsigned i = 0; i < HD_LANES; i++)
			assert_true(get(&p, 2, i, 2) == host(HD_IR_DDIV, get(&p, 0, i, 2), get(&p, 1, i, 2)));
	}
	release(&p);
}
