/* Transcendental operations: within the bounds of their rows, measured against the C library's long double functions; special values exactly. */
#include "exact.h"
#include "lanes.h"

#include <math.h>

static float run_one(hd_op op, float x)
{
	hd_inst inst = {.op = (uint8_t)op};
	lanes in = {.mask = UINT32_MAX};
	results got;
	for (unsigned i = 0; i < HD_LANES; i++)
		in.a[i] = hd_bits_of_f32(x);
	run_lanes(&inst, &in, &got);
	return hd_f32_of_bits((uint32_t)got.d[0]);
}

/* Distance in units of the last place of the exact value. */
static long double ulps(float got, long double exact)
{
	if (fabsl(exact) > FLT_MAX)
		return isinf(got) || fabsf(got) == FLT_MAX ? 0 : 1e9L;
	int e;
	frexpl(exact, &e);
	long double ulp = ldexpl(1, e - 24 > -149 ? e - 24 : -149);
	return fabsl(got - exact) / ulp;
}

typedef long double reference(long double);
static long double rcp(long double x) { return 1 / x; }
static long double rsq(long double x) { return 1 / sqrtl(x); }

static void within_ulps(hd_op op, reference *exact, double most, float low, float high)
{
	hd_inst inst = {.op = (uint8_t)op};
	uint64_t seed = op;
	uint32_t from = hd_bits_of_f32(low), to = hd_bits_of_f32(high);
	for (unsigned round = 0; round < 3000; round++) {
		lanes in = {.mask = UINT32_MAX};
		results got;
		for (unsigned i = 0; i < HD_LANES; i++)
			in.a[i] = (from + hd_random(&seed) % (to - from)) |
			          (op != HD_OP_FLG2 && op != HD_OP_FRSQ && op != HD_OP_FSQRT ? hd_random(&seed) << 31 & 0x80000000 : 0);
		run_lanes(&inst, &in, &got);
		for (unsigned i = 0; i < HD_LANES; i++) {
			float x = hd_f32_of_bits((uint32_t)in.a[i]), y = hd_f32_of_bits((uint32_t)got.d[i]);
			if (!(ulps(y, exact(x)) <= most))
				fail_msg("%s(%a) = %a, expected %La", hd_ops[op].mnemonic, x, y, exact(x));
		}
	}
}

TEST(approximations_are_within_their_bounds)
{
	within_ulps(HD_OP_FRCP, rcp, 1, 0x1p-149f, FLT_MAX);
	within_ulps(HD_OP_FRSQ, rsq, 1, 0x1p-149f, FLT_MAX);
	within_ulps(HD_OP_FSQRT, sqrtl, 1, 0x1p-149f, FLT_MAX);
	within_ulps(HD_OP_FEX2, exp2l, 2, 0x1p-30f, 150);
	within_ulps(HD_OP_FEX2, exp2l, 2, 0x1p-3f, 130);
	within_ulps(HD_OP_FLG2, log2l, 2, 0x1p-149f, FLT_MAX);
	within_ulps(HD_OP_FLG2, log2l, 2, 0.5f, 2);
}

TEST(absolute_errors_are_within_their_bounds)
{
	uint64_t seed = 1;
	for (unsigned k = 0; k < 60000; k++) {
		float x = (float)(((double)(hd_random(&seed) >> 11) * 0x1p-53 * 2 - 1) * 3.14159265);
		assert_true(fabsl(run_one(HD_OP_FSIN, x) - sinl(x)) <= 0x1p-20L);
		assert_true(fabsl(run_one(HD_OP_FCOS, x) - cosl(x)) <= 0x1p-20L);
		float wide_ = x * 1000;
		assert_true(fabsl(run_one(HD_OP_FSIN, wide_) - sinl(wide_)) <= 0x1p-20L);
		float small = x * (float)ldexp(1, -(int)(hd_random(&seed) % 40)), t = run_one(HD_OP_FTANH, small * 4);
		assert_true(fabsl(t - tanhl(small * 4)) <= fabsl(tanhl(small * 4)) * 0x1p-11L);
	}
}

TEST(special_values_are_exact)
{
	static const struct {
		hd_op op;
		uint32_t x, y;
	} cases[] = {
	    {HD_OP_FRCP, 0, 0x7f800000},           {HD_OP_FRCP, 0x80000000, 0xff800000},
	    {HD_OP_FRCP, 0x7f800000, 0},           {HD_OP_FRCP, 0xff800000, 0x80000000},
	    {HD_OP_FRCP, 0x7fc12345, 0x7fffffff},  {HD_OP_FRCP, 0x40000000, 0x3f000000},
	    {HD_OP_FRSQ, 0, 0x7f800000},           {HD_OP_FRSQ, 0x7f800000, 0},
	    {HD_OP_FRSQ, 0xbf800000, 0x7fffffff},  {HD_OP_FRSQ, 0x40800000, 0x3f000000},
	    {HD_OP_FSQRT, 0x80000000, 0x80000000}, {HD_OP_FSQRT, 0xbf800000, 0x7fffffff},
	    {HD_OP_FSQRT, 0x7f800000, 0x7f800000}, {HD_OP_FEX2, 0, 0x3f800000},
	    {HD_OP_FEX2, 0x7f800000, 0x7f800000},  {HD_OP_FEX2, 0xff800000, 0},
	    {HD_OP_FEX2, 0x42fe0000, 0x7f000000},  {HD_OP_FEX2, 0x43000000, 0x7f800000},
	    {HD_OP_FEX2, 0xc3150000, 1},           {HD_OP_FEX2, 0xffffffff, 0x7fffffff},
	    {HD_OP_FLG2, 0, 0xff800000},           {HD_OP_FLG2, 0x80000000, 0xff800000},
	    {HD_OP_FLG2, 0xbf800000, 0x7fffffff},  {HD_OP_FLG2, 0x7f800000, 0x7f800000},
	    {HD_OP_FLG2, 0x3f800000, 0},           {HD_OP_FLG2, 1, 0xc3150000},
	    {HD_OP_FLG2, 0x80000001, 0x7fffffff},  {HD_OP_FSIN, 0, 0},
	    {HD_OP_FSIN, 0x80000000, 0x80000000},  {HD_OP_FSIN, 0x7f800000, 0x7fffffff},
	    {HD_OP_FCOS, 0, 0x3f800000},           {HD_OP_FCOS, 0xff800000, 0x7fffffff},
	    {HD_OP_FTANH, 0x7f800000, 0x3f800000}, {HD_OP_FTANH, 0xff800000, 0xbf800000},
	    {HD_OP_FTANH, 0x80000000, 0x80000000}, {HD_OP_FTANH, 0x7fc00000, 0x7fffffff},
	};
	for (unsigned k = 0; k < HD_COUNT(cases); k++) {
		uint32_t y = hd_bits_of_f32(run_one(cases[k].op, hd_f32_of_bits(cases[k].x)));
		if (y != cases[k].y)
			fail_msg("%s(%08x) = %08x, expected %08x", hd_ops[cases[k].op].mnemonic, cases[k].x, y, cases[k].y);
	}
}

TEST(first_approximations_of_doubles)
{
	uint64_t seed = 5;
	for (unsigned op = HD_OP_DRCPA; op <= HD_OP_DRSQA; op++) {
		for (unsigned round = 0; round < 3000; round++) {
			hd_inst inst = {.op = (uint8_t)op};
			lanes in = {.mask = UINT32_MAX};
			results got;
			for (unsigned i = 0; i < HD_LANES; i++)
				in.a[i] = UINT64_C(0x3ff0000000000000) + hd_random(&seed) % (UINT64_C(2) << 52);
			run_lanes(&inst, &in, &got);
			for (unsigned i = 0; i < HD_LANES; i++) {
				long double x = hd_f64_of_bits(in.a[i]), exact = op == HD_OP_DRCPA ? 1 / x : 1 / sqrtl(x);
				assert_true(fabsl(hd_f64_of_bits(got.d[i]) / exact - 1) <= 0x1p-20L);
				assert_int_equal((uint32_t)got.d[i], 0);
			}
		}
	}
}

/* The bits themselves: they must never depend on the host. A change of the polynomials changes this number. */
TEST(results_are_the_same_on_every_host)
{
	uint64_t seed = 77, hash = 0;
	for (unsigned op = HD_OP_FRCP; op <= HD_OP_DRSQA; op++) {
		for (unsigned round = 0; round < 500; round++) {
			hd_inst inst = {.op = (uint8_t)op};
			lanes in = {.mask = UINT32_MAX};
			results got;
			for (unsigned i = 0; i < HD_LANES; i++)
				in.a[i] = any_operand(&seed);
			run_lanes(&inst, &in, &got);
			for (unsigned i = 0; i < HD_LANES; i++)
				hash = (hash ^ got.d[i]) * UINT64_C(0x100000001b3) + (hash >> 47);
		}
	}
	assert_int_equal(hash, UINT64_C(0xf80e02061e7491a8));
}
