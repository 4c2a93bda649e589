/* The steps of division and square root (LU-1 sub-instructions): Markstein's sequences built from them give the correctly rounded quotient and root,
 * in every rounding mode, for ordinary operands, denormal and overflowing results, exact halves and every special case. */
#include "exact.h"
#include "lanes.h"

/* One instruction on register images of 32 lanes. */
static void op2(hd_op op, unsigned mode, uint64_t d[HD_LANES], const uint64_t a[HD_LANES], const uint64_t b[HD_LANES], const uint64_t c[HD_LANES])
{
	hd_inst inst = {.op = (uint8_t)op, .mod = (uint8_t)mode};
	lanes in = {.mask = UINT32_MAX};
	results got;
	memcpy(in.a, a, sizeof in.a);
	if (b)
		memcpy(in.b, b, sizeof in.b);
	if (c)
		memcpy(in.c, c, sizeof in.c);
	run_lanes(&inst, &in, &got);
	memcpy(d, got.d, sizeof got.d);
}

static void broadcast(uint64_t d[HD_LANES], uint64_t value)
{
	for (unsigned i = 0; i < HD_LANES; i++)
		d[i] = value;
}

typedef uint64_t reg[HD_LANES];

/* With signs left on the mantissa of a, taken off that of b, so that the remainder's sign is relative to the quotient. */
static void divide32(unsigned mode, reg q, const reg a, const reg b)
{
	reg code, ma, mb, y, e, r, one, above_half;
	broadcast(one, 0x3f800000);
	broadcast(above_half, 0x3f000001);
	op2(HD_OP_FDIVX, 0, code, a, b, NULL);
	op2(HD_OP_FMANT, 0, ma, a, NULL, NULL);
	op2(HD_OP_FMANT, 0, mb, b, NULL, NULL);
	op2(HD_OP_FABS, 0, mb, mb, NULL, NULL);
	op2(HD_OP_FRCP, 0, y, mb, NULL, NULL);
	op2(HD_OP_FNFMA, 0, e, mb, y, one);
	op2(HD_OP_FFMA, 0, y, e, y, y);
	op2(HD_OP_FMAX, 0, y, y, above_half, NULL);
	op2(HD_OP_FMUL, 0, q, ma, y, NULL);
	op2(HD_OP_FNFMA, 0, r, mb, q, ma);
	op2(HD_OP_FFMA, 0, q, r, y, q);
	op2(HD_OP_FNFMA, 0, r, mb, q, ma);
	op2(HD_OP_FDIVEND, mode, q, q, r, code);
}

static void divide64(unsigned mode, reg q, const reg a, const reg b)
{
	reg code, ma, mb, y, e, r, one, above_half;
	broadcast(one, UINT64_C(0x3ff0000000000000));
	broadcast(above_half, UINT64_C(0x3fe0000000000001));
	op2(HD_OP_DDIVX, 0, code, a, b, NULL);
	op2(HD_OP_DMANT, 0, ma, a, NULL, NULL);
	op2(HD_OP_DMANT, 0, mb, b, NULL, NULL);
	op2(HD_OP_DABS, 0, mb, mb, NULL, NULL);
	op2(HD_OP_DRCPA, 0, y, mb, NULL, NULL);
	for (unsigned k = 0; k < 3; k++) {
		op2(HD_OP_DNFMA, 0, e, mb, y, one);
		op2(HD_OP_DFMA, 0, y, e, y, y);
	}
	/* Newton's step comes from below, and stops one float short for the largest mantissa, whose reciprocal lies just above 1/2: the one case that
	 * Markstein's theorem leaves out. No mantissa's reciprocal rounds to 1/2. */
	op2(HD_OP_DMAX, 0, y, y, above_half, NULL);
	op2(HD_OP_DMUL, 0, q, ma, y, NULL);
	op2(HD_OP_DNFMA, 0, r, mb, q, ma);
	op2(HD_OP_DFMA, 0, q, r, y, q);
	op2(HD_OP_DNFMA, 0, r, mb, q, ma);
	op2(HD_OP_DDIVEND, mode, q, q, r, code);
}

/* y ~ 1/sqrt(m); g = m y, h = y / 2, refined together; the last correction rounds in the mode asked for. */
static void root32(unsigned mode, reg g, const reg a)
{
	reg code, m, y, h, r, half;
	broadcast(half, 0x3f000000);
	op2(HD_OP_FSQRTX, 0, code, a, NULL, NULL);
	op2(HD_OP_FSQRTM, 0, m, a, NULL, NULL);
	op2(HD_OP_FRSQ, 0, y, m, NULL, NULL);
	op2(HD_OP_FMUL, 0, g, m, y, NULL);
	op2(HD_OP_FMUL, 0, h, y, half, NULL);
	op2(HD_OP_FNFMA, 0, r, g, h, half);
	op2(HD_OP_FFMA, 0, g, g, r, g);
	op2(HD_OP_FFMA, 0, h, h, r, h);
	op2(HD_OP_FNFMA, 0, r, g, g, m);
	op2(HD_OP_FFMA, mode, g, r, h, g);
	op2(HD_OP_FSQRTEND, mode, g, g, code, NULL);
}

static void root64(unsigned mode, reg g, const reg a)
{
	reg code, m, y, h, r, half;
	broadcast(half, UINT64_C(0x3fe0000000000000));
	op2(HD_OP_DSQRTX, 0, code, a, NULL, NULL);
	op2(HD_OP_DSQRTM, 0, m, a, NULL, NULL);
	op2(HD_OP_DRSQA, 0, y, m, NULL, NULL);
	op2(HD_OP_DMUL, 0, g, m, y, NULL);
	op2(HD_OP_DMUL, 0, h, y, half, NULL);
	for (unsigned k = 0; k < 2; k++) {
		op2(HD_OP_DNFMA, 0, r, g, h, half);
		op2(HD_OP_DFMA, 0, g, g, r, g);
		op2(HD_OP_DFMA, 0, h, h, r, h);
	}
	op2(HD_OP_DNFMA, 0, r, g, g, m);
	op2(HD_OP_DFMA, 0, g, r, h, g);
	op2(HD_OP_DNFMA, 0, r, g, g, m);
	op2(HD_OP_DFMA, mode, g, r, h, g);
	op2(HD_OP_DSQRTEND, mode, g, g, code, NULL);
}

static uint64_t operand(format f, uint64_t *seed)
{
	uint64_t r = hd_random(seed), mask = 2 * sign_bit(f) - 1, x = hd_random(seed) & mask;
	switch (r % 8) {
	case 0:
		return any_operand(seed) & mask;
	case 1:
		return x & (sign_bit(f) | ((UINT64_C(1) << f.mantissa) - 1)) & (mask >> (r >> 8) % 24 | sign_bit(f)); /* denormal */
	case 2:
		return (x & sign_bit(f)) | one_of(f) | (x & 15); /* just above 1 */
	case 3:
		return (x & sign_bit(f)) | (one_of(f) + (UINT64_C(1) << f.mantissa) - 1 - (x & 15)); /* just below 2 */
	case 4:
		return (x & sign_bit(f)) | (inf_bits(f) - 1 - (x & 0xff));
	case 5:
		return ((x >> 20) << 20) & mask; /* short mantissa */
	default:
		return x;
	}
}

static void quotients(format f, unsigned rounds, uint64_t seed)
{
	for (unsigned round = 0; round < rounds; round++) {
		unsigned mode = round % 8 < 5 ? HD_RN : round % 4;
		reg a, b, q;
		for (unsigned i = 0; i < HD_LANES; i++) {
			a[i] = operand(f, &seed);
			b[i] = operand(f, &seed);
			if (round % 16 == 9) {
				/* The quotient is a denormal, and as often as not exactly between two. */
				a[i] = (a[i] & sign_bit(f)) | (hd_random(&seed) % 4096 + 1);
				b[i] = (UINT64_C(1) << (hd_random(&seed) % 12)) == 0 ? 0 : one_of(f) + ((hd_random(&seed) % 12) << f.mantissa);
			}
		}
		if (f.mantissa == 23)
			divide32(mode, q, a, b);
		else
			divide64(mode, q, a, b);
		for (unsigned i = 0; i < HD_LANES; i++) {
			uint64_t want = exact_div(f, mode, a[i], b[i]);
			if (q[i] != want)
				fail_msg("mode %u: %llx / %llx = %llx, expected %llx", mode, (unsigned long long)a[i], (unsigned long long)b[i],
				         (unsigned long long)q[i], (unsigned long long)want);
		}
	}
}

static void roots(format f, unsigned rounds, uint64_t seed)
{
	for (unsigned round = 0; round < rounds; round++) {
		unsigned mode = round % 8 < 5 ? HD_RN : round % 4;
		reg a, g;
		for (unsigned i = 0; i < HD_LANES; i++) {
			a[i] = operand(f, &seed);
			if (hd_random(&seed) % 2)
				a[i] &= ~sign_bit(f);
			if (round % 16 == 9) /* squares and their neighbours */
				a[i] = exact_mul(f, HD_RN, a[i], a[i]) + hd_random(&seed) % 3 - 1;
			a[i] &= 2 * sign_bit(f) - 1;
		}
		if (f.mantissa == 23)
			root32(mode, g, a);
		else
			root64(mode, g, a);
		for (unsigned i = 0; i < HD_LANES; i++) {
			uint64_t want = exact_sqrt(f, mode, a[i]);
			if (g[i] != want)
				fail_msg("mode %u: sqrt %llx = %llx, expected %llx", mode, (unsigned long long)a[i], (unsigned long long)g[i],
				         (unsigned long long)want);
		}
	}
}

TEST(float_quotients_are_correctly_rounded) { quotients(F32, 40000, 1); }
TEST(double_quotients_are_correctly_rounded) { quotients(F64, 20000, 2); }
TEST(float_roots_are_correctly_rounded) { roots(F32, 20000, 3); }
TEST(double_roots_are_correctly_rounded) { roots(F64, 10000, 4); }

/* The rows' own words, where the sequences do not look. */
TEST(code_words_are_as_the_rows_say)
{
	reg a, b, d;
	broadcast(a, 0xc0490fdb);
	broadcast(b, 0x00000001);
	a[1] = 0x80000000;
	b[2] = 0x7f800000;
	a[3] = 0x7f800000;
	a[4] = 0x7fc00000;
	op2(HD_OP_FDIVX, 0, d, a, b, NULL);
	assert_int_equal(d[0], (1 + 149 + 2048) | 1 << 14);
	assert_int_equal(d[1], 2048 | 1 << 12 | 1 << 14);
	assert_int_equal(d[2], 2048 | 1 << 12 | 1 << 14);
	assert_int_equal(d[3], 2048 | 2 << 12);
	assert_int_equal(d[4], 2048 | 3 << 12);
	op2(HD_OP_FMANT, 0, d, a, NULL, NULL);
	assert_int_equal(d[0], 0xbfc90fdb);
	assert_int_equal(d[1], 0xbf800000);
	assert_int_equal(d[3], 0x3f800000);
	op2(HD_OP_FSQRTM, 0, d, b, NULL, NULL);
	assert_int_equal(d[0], 0x40000000); /* 2^-149 = 2 * 2^-150 */
	op2(HD_OP_FSQRTX, 0, d, b, NULL, NULL);
	assert_int_equal(d[0], 2048 - 75);
}
