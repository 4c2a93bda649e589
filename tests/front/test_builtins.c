/* The built-in functions, in the interpreter, against the host's mathematics in long double and OpenCL's bounds (docs/ptx.md). */
#include "backend_heddle.h"

#include <fenv.h>
#include <math.h>
#include "../test.h"

enum { VALUES = 1500 };

static hd_machine machine;
static hd_object *object;
static ex_backend *device;

static void failed(const char *what, const hd_diag *diag) { fail_msg("%s: %s", what, diag->text.at ? diag->text.at : ""); }

/* Runs one kernel over n items; buffers are made of `in` (n_in of them, `bytes` each) and the result copied to `out`. */
static void run(const char *kernel, const void *const *in, unsigned n_in, size_t bytes, void *out, size_t out_bytes, uint32_t n)
{
	hd_diag diag = {0};
	ex_arg args[8];
	device = ex_heddle_new(object, &machine, true, &diag);
	if (!device)
		failed(kernel, &diag);
	for (unsigned i = 0; i < n_in; i++) {
		assert_true(device->create(device->state, i, "in", bytes, in[i], &diag));
		args[i] = ex_buf(i);
	}
	assert_true(device->create(device->state, n_in, "out", out_bytes, NULL, &diag));
	args[n_in] = ex_buf(n_in);
	args[n_in + 1] = ex_u32(n);
	ex_shape shape = ex_1d(ex_groups(n, 64), 64);
	if (!device->launch(device->state, kernel, &shape, args, n_in + 2, &diag))
		failed(kernel, &diag);
	assert_true(device->read(device->state, n_in, out, out_bytes, &diag));
	ex_heddle_free(device);
	hd_diag_free(&diag);
}

/* -- floats ------------------------------------------------------------------------------------------------------------------------------------ */

static const double edges[] = {0,
                               -0.0,
                               1,
                               -1,
                               0.5,
                               -0.5,
                               1.5,
                               2,
                               -2,
                               2.5,
                               3,
                               10,
                               INFINITY,
                               -INFINITY,
                               NAN,
                               0x1p-149,
                               -0x1p-140,
                               0x1p-1074,
                               -0x1p-1060,
                               0x1p-126,
                               0x1p-1022,
                               0x1.fffffep127,
                               0x1.fffffffffffffp1023,
                               0.78539816339744828,
                               1.5707963267948966,
                               3.1415926535897931,
                               709.7,
                               709.79,
                               710.4,
                               711,
                               -745,
                               -746,
                               88.7,
                               88.8,
                               -87.4,
                               -103.5,
                               -104.5,
                               35.03,
                               35.05,
                               -35.5,
                               -42.5,
                               170.6,
                               171.7,
                               -170.5,
                               -178.3,
                               -184.5,
                               -190.5,
                               1e22,
                               1e300,
                               0x1p30,
                               0x1p31,
                               4503599627370497.5,
                               1e-5,
                               1e-10};

static uint64_t bits_of(double x)
{
	uint64_t b;
	memcpy(&b, &x, sizeof b);
	return b;
}

/* Edges, then random bit patterns, then random values of ordinary size. */
static double value(uint64_t *seed, unsigned i, bool is_double)
{
	if (i < HD_COUNT(edges))
		return edges[i];
	uint64_t r = hd_random(seed);
	double whole = (double)(int64_t)r * 0x1p-63;
	if (i % 4 == 0) {
		double d;
		float f;
		uint32_t low = (uint32_t)r;
		memcpy(&d, &r, sizeof d);
		memcpy(&f, &low, sizeof f);
		return is_double ? d : (double)f;
	}
	return i % 4 == 1 ? whole : whole * (i % 4 == 2 ? 30 : is_double ? 720 : 100);
}

/* Distance in units of the last place of the expected value (of a normal or denormal double or float). */
static double ulps(double got, long double want, int digits, int lowest)
{
	if (isnan(got) || isnan(want))
		return isnan(got) && isnan(want) ? 0 : INFINITY;
	if ((long double)got == want)
		return 0;
	/* Rounded as the type rounds: the largest values may become infinite. */
	long double limit = ldexpl(1, digits == 24 ? 128 : 1024);
	if (isinf(got) || isinf(want))
		return fabsl(want) >= limit * (1 - ldexpl(1, -digits)) && isinf(got) && (got > 0) == (want > 0) ? 0 : INFINITY;
	int exponent;
	frexpl(want, &exponent);
	if (exponent < lowest)
		exponent = lowest;
	return (double)(fabsl((long double)got - want) / ldexpl(1, exponent - digits));
}

typedef long double unary(long double x);
typedef long double binary(long double x, long double y);

static long double rsqrt_reference(long double x) { return 1 / sqrtl(x); }
static long double divide_reference(long double x, long double y) { return x / y; }
static long double exp10_reference(long double x) { return powl(10, x); }
static long double recip_reference(long double x) { return 1 / x; }

/* Bound in ulp; absolute: allowed besides. */
static void check(const char *name, bool is_double, unary *f, binary *g, double bound, double absolute, double low, double high)
{
	char kernel[64];
	size_t bytes = VALUES * (is_double ? sizeof(double) : sizeof(float));
	double x[VALUES], y[VALUES], out[VALUES];
	float fx[VALUES], fy[VALUES], fout[VALUES];
	uint64_t seed = 17;
	for (unsigned i = 0; i < VALUES; i++) {
		x[i] = value(&seed, i, is_double);
		y[i] = value(&seed, i < HD_COUNT(edges) ? (i * 7 + 3) % (unsigned)HD_COUNT(edges) : i + (unsigned)hd_random(&seed) % 4, is_double);
		if (!(x[i] >= low && x[i] <= high) && isfinite(low))
			x[i] = low + (high - low) * (double)(bits_of(x[i]) % 1000) / 1000;
		fx[i] = (float)x[i];
		fy[i] = (float)y[i];
	}
	snprintf(kernel, sizeof kernel, "%s_%s", name, is_double ? "double" : "float");
	const void *in[2] = {is_double ? (const void *)x : fx, is_double ? (const void *)y : fy};
	run(kernel, in, g ? 2 : 1, bytes, is_double ? (void *)out : fout, bytes, VALUES);
	for (unsigned i = 0; i < VALUES; i++) {
		long double a = is_double ? (long double)x[i] : (long double)fx[i], b = is_double ? (long double)y[i] : (long double)fy[i];
		long double want = g ? g(a, b) : f(a);
		double got = is_double ? out[i] : (double)fout[i], error = ulps(got, want, is_double ? 53 : 24, is_double ? -1021 : -125);
		if (error > bound && !(fabsl((long double)got - want) <= (long double)absolute))
			fail_msg("%s(%a, %a) is %a, expected %La: %g ulp, allowed %g", kernel, (double)a, (double)b, got, want, error, bound);
	}
}

static void check_both(const char *name, unary *f, binary *g, double bound)
{
	check(name, false, f, g, bound, 0, -INFINITY, INFINITY);
	check(name, true, f, g, bound, 0, -INFINITY, INFINITY);
}

/* 0.5 and a little for the reference's own rounding. */
#define EXACT 0.5005

TEST(exponentials)
{
	check_both("exp", expl, NULL, 3);
	check_both("exp2", exp2l, NULL, 3);
	check_both("expm1", expm1l, NULL, 3);
	check_both("log", logl, NULL, 3);
	check_both("log2", log2l, NULL, 3);
	check_both("log1p", log1pl, NULL, 2);
	check_both("pow", NULL, powl, 16);
}

TEST(trigonometry)
{
	check_both("sin", sinl, NULL, 4);
	check_both("cos", cosl, NULL, 4);
	check_both("tan", tanl, NULL, 5);
	check_both("asin", asinl, NULL, 4);
	check_both("acos", acosl, NULL, 4);
	check_both("atan", atanl, NULL, 5);
	check_both("atan2", NULL, atan2l, 6);
	check_both("sinh", sinhl, NULL, 4);
	check_both("cosh", coshl, NULL, 4);
	check_both("tanh", tanhl, NULL, 5);
}

TEST(roots_and_special_functions)
{
	check_both("sqrt", sqrtl, NULL, EXACT);
	check_both("rsqrt", rsqrt_reference, NULL, 2);
	check_both("cbrt", cbrtl, NULL, 2);
	check_both("hypot", NULL, hypotl, 4);
	check_both("erf", erfl, NULL, 16);
	check_both("erfc", erfcl, NULL, 16);
	check_both("tgamma", tgammal, NULL, 16);
}

TEST(exact_functions)
{
	check_both("divide", NULL, divide_reference, EXACT);
	check_both("fmod", NULL, fmodl, 0);
	check_both("remainder", NULL, remainderl, 0);
	check_both("fmin", NULL, fminl, 0);
	check_both("fmax", NULL, fmaxl, 0);
	check_both("floor", floorl, NULL, 0);
	check_both("ceil", ceill, NULL, 0);
	check_both("rint", rintl, NULL, 0);
	check_both("round", roundl, NULL, 0);
	check_both("trunc", truncl, NULL, 0);
}

/* Where native functions are meant to be used; their accuracy is what docs/isa.md promises for the operations below them. */
TEST(native_functions)
{
	check("native_sin", false, sinl, NULL, 2, 0x1p-20, -3.1415, 3.1415);
	check("native_cos", false, cosl, NULL, 2, 0x1p-20, -3.1415, 3.1415);
	check("native_tan", false, tanl, NULL, 64, 0x1p-18, -1, 1);
	check("native_exp", false, expl, NULL, 64, 0, -20, 20);
	check("native_exp2", false, exp2l, NULL, 3, 0, -20, 20);
	check("native_exp10", false, exp10_reference, NULL, 64, 0, -10, 10);
	check("native_log", false, logl, NULL, 8, 0x1p-21, 0.01, 100);
	check("native_log2", false, log2l, NULL, 4, 0x1p-21, 0.01, 100);
	check("native_log10", false, log10l, NULL, 8, 0x1p-21, 0.01, 100);
	check("native_sqrt", false, sqrtl, NULL, 2, 0, 0, 1e30);
	check("native_rsqrt", false, rsqrt_reference, NULL, 2, 0, 1e-30, 1e30);
	check("native_recip", false, recip_reference, NULL, 2, 0, 1e-30, 1e30);
}

/* -- integers ------------------------------------------------------------------------------------------------------------------------------------ */

typedef __int128 wide;

static wide extreme(unsigned bits, bool is_signed, bool high)
{
	return is_signed ? high ? ((wide)1 << (bits - 1)) - 1 : -((wide)1 << (bits - 1)) : high ? ((wide)1 << bits) - 1 : 0;
}

/* Values near the edges, and random ones. */
static wide integer(uint64_t *seed, unsigned bits, bool is_signed)
{
	wide low = extreme(bits, is_signed, false), high = extreme(bits, is_signed, true);
	uint64_t r = hd_random(seed);
	wide offset = (wide)(r % 3);
	switch (r >> 60) {
	case 0:
	case 1:
	case 2:
	case 3:
		return low + offset;
	case 4:
	case 5:
	case 6:
	case 7:
		return high - offset;
	case 8:
	case 9:
		return is_signed ? offset - 1 : offset;
	default:
		return (wide)((r << 4) >> (64 - bits)) + low;
	}
}

static wide cut(wide x, unsigned bits, bool is_signed)
{
	uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, b = (uint64_t)x & mask;
	return is_signed && b >> (bits - 1) ? (wide)b - ((wide)1 << bits) : (wide)b;
}

static wide saturated(wide x, unsigned bits, bool is_signed)
{
	wide low = extreme(bits, is_signed, false), high = extreme(bits, is_signed, true);
	return x < low ? low : x > high ? high : x;
}

static wide high_half(wide a, wide b, unsigned bits, bool is_signed)
{
	if (bits < 64 || is_signed)
		return a * b >> bits;
	return (wide)((unsigned __int128)a * (unsigned __int128)b >> 64);
}

/* a * b + c of unsigned 64-bit numbers needs all of 128 bits, unsigned. */
static wide mad_saturated(wide a, wide b, wide c, unsigned bits, bool is_signed)
{
	if (bits == 64 && !is_signed)
		return (unsigned __int128)a * (unsigned __int128)b + (unsigned __int128)c > UINT64_MAX ? (wide)UINT64_MAX : a * b + c;
	return saturated(a * b + c, bits, is_signed);
}

static void check_integers(const char *name, const char *type, unsigned bits, bool is_signed, unsigned arguments)
{
	enum { N = 400 };
	char kernel[64];
	uint64_t seed = 19;
	unsigned bytes = bits / 8;
	wide values[3][N];
	uint8_t in[3][N * 8], out[N * 8];
	for (unsigned k = 0; k < arguments; k++) {
		for (unsigned i = 0; i < N; i++) {
			uint64_t low = (uint64_t)(values[k][i] = integer(&seed, bits, is_signed));
			memcpy(in[k] + i * bytes, &low, bytes);
		}
	}
	snprintf(kernel, sizeof kernel, "%s_%s", name, type);
	run(kernel, (const void *const[]){in[0], in[1], in[2]}, arguments, N * bytes, out, N * bytes, N);
	for (unsigned i = 0; i < N; i++) {
		wide a = values[0][i], b = values[1][i], c = arguments > 2 ? values[2][i] : 0, want;
		if (strcmp(name, "sub_sat") == 0)
			want = saturated(a - b, bits, is_signed);
		else if (strcmp(name, "add_sat") == 0)
			want = saturated(a + b, bits, is_signed);
		else if (strcmp(name, "mad_sat") == 0)
			want = mad_saturated(a, b, c, bits, is_signed);
		else
			want = cut(high_half(a, b, bits, is_signed) + c, bits, is_signed);
		uint64_t low = 0;
		memcpy(&low, out + i * bytes, bytes);
		wide got = cut((wide)low, bits, is_signed);
		if (got != want)
			fail_msg("%s(%lld, %lld, %lld) is %lld, expected %lld", kernel, (long long)a, (long long)b, (long long)c, (long long)got,
			         (long long)want);
	}
}

TEST(integers_at_their_edges)
{
	static const char *const types[2][4] = {{"uchar", "ushort", "uint", "ulong"}, {"char", "short", "int", "long"}};
	for (unsigned s = 0; s < 2; s++) {
		for (unsigned i = 0; i < 4; i++) {
			check_integers("sub_sat", types[s][i], 8u << i, s, 2);
			check_integers("add_sat", types[s][i], 8u << i, s, 2);
			check_integers("mad_sat", types[s][i], 8u << i, s, 3);
			check_integers("mad_hi", types[s][i], 8u << i, s, 3);
		}
	}
}

/* The host's own conversions, in the four rounding directions. */
static void check_conversions(const char *kernel, bool to_double, unsigned bits, bool is_signed)
{
	enum { N = 300 };
	static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
	uint64_t seed = 23;
	unsigned bytes = bits / 8;
	uint8_t in[N * 8];
	float fout[N * 4];
	double dout[N * 4];
	wide values[N];
	for (unsigned i = 0; i < N; i++) {
		uint64_t low = (uint64_t)(values[i] = integer(&seed, bits, is_signed));
		memcpy(in + i * bytes, &low, bytes);
	}
	run(kernel, (const void *const[]){in}, 1, N * bytes, to_double ? (void *)dout : fout, to_double ? sizeof dout : sizeof fout, N);
	for (unsigned i = 0; i < N * 4; i++) {
		volatile long double exact = (long double)values[i / 4]; /* 64 bits fit */
		fesetround(modes[i % 4]);
		volatile double want = to_double ? (double)exact : (double)(float)exact;
		fesetround(FE_TONEAREST);
		double got = to_double ? dout[i] : (double)fout[i];
		if (got != want)
			fail_msg("%s(%lld) in mode %u is %a, expected %a", kernel, (long long)values[i / 4], i % 4, got, want);
	}
}

TEST(conversions_round_as_told)
{
	check_conversions("convert_float_int", false, 32, true);
	check_conversions("convert_float_uint", false, 32, false);
	check_conversions("convert_float_long", false, 64, true);
	check_conversions("convert_float_ulong", false, 64, false);
	check_conversions("convert_double_long", true, 64, true);
	check_conversions("convert_double_ulong", true, 64, false);
}

/* -- the rest --------------------------------------------------------------------------------------------------------------------------------------
 */

static void begin(void)
{
	hd_diag diag = {0};
	device = ex_heddle_new(object, &machine, true, &diag);
	if (!device)
		failed("load", &diag);
}

static void launch(const char *kernel, ex_shape shape, const ex_arg *args, unsigned n)
{
	hd_diag diag = {0};
	if (!device->launch(device->state, kernel, &shape, args, n, &diag))
		failed(kernel, &diag);
}

static void buffer(unsigned number, size_t bytes, const void *initial)
{
	hd_diag diag = {0};
	assert_true(device->create(device->state, number, "buffer", bytes, initial, &diag));
}

static void read_buffer(unsigned number, void *into, size_t bytes)
{
	hd_diag diag = {0};
	assert_true(device->read(device->state, number, into, bytes, &diag));
}

TEST(work_items_know_where_they_are)
{
	static const uint32_t want[21] = {0, 12, 4, 3, 0, 0, 10, 2, 5, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 2};
	uint32_t got[21];
	begin();
	buffer(0, sizeof got, NULL);
	launch("work_items", ex_2d(3, 5, 4, 2), (const ex_arg[]){ex_buf(0)}, 1);
	read_buffer(0, got, sizeof got);
	for (unsigned i = 0; i < 21; i++)
		if (got[i] != want[i])
			fail_msg("value %u is %u, expected %u", i, got[i], want[i]);
	ex_heddle_free(device);
}

TEST(small_parameters_arrive)
{
	static const int8_t a = -3, b = 100, f = -128;
	static const uint8_t c = 200, e[4] = {1, 2, 253, 4};
	static const int16_t d = -30000;
	int32_t got[6];
	begin();
	buffer(0, sizeof got, NULL);
	launch("small_parameters", ex_1d(1, 1),
	       (const ex_arg[]){ex_buf(0), ex_bytes(&a, 1), ex_bytes(&b, 1), ex_bytes(&c, 1), ex_bytes(&d, 2), ex_bytes(e, 4), ex_bytes(&f, 1)}, 7);
	read_buffer(0, got, sizeof got);
	static const int32_t want[6] = {-3, 100, 200, -30000, 253, -128};
	assert_memory_equal(got, want, sizeof want);
	ex_heddle_free(device);
}

TEST(three_vectors_are_copied)
{
	enum { N = 45 };
	int32_t in[N][4], out[2 * N][4];
	for (int i = 0; i < N * 4; i++)
		in[i / 4][i % 4] = i * 1000003;
	begin();
	buffer(0, sizeof in, in);
	buffer(1, sizeof out, NULL);
	launch("copies", ex_1d(1, 32), (const ex_arg[]){ex_buf(0), ex_buf(1), ex_u32(N), ex_local(sizeof in)}, 4);
	read_buffer(1, out, sizeof out);
	for (int i = 0; i < 2 * N; i++)
		for (int k = 0; k < 3; k++)
			assert_int_equal(out[i][k], i % 2 ? 0 : in[i / 2][k]);
	ex_heddle_free(device);
}

TEST(atomics_of_64_bits)
{
	int64_t s[4] = {0};
	uint64_t u[8] = {0, 1000, 0, UINT64_MAX, 0, 7, 0, 0}, all = (UINT64_C(1) << 60) - 1, xored = 0;
	int64_t sum = 0;
	for (unsigned i = 0; i < 60; i++) {
		sum += (int64_t)i << 31;
		xored ^= UINT64_C(3) << i;
	}
	begin();
	buffer(0, sizeof s, s);
	buffer(1, sizeof u, u);
	launch("wide_atomics", ex_1d(1, 60), (const ex_arg[]){ex_buf(0), ex_buf(1), ex_local(16)}, 3);
	read_buffer(0, s, sizeof s);
	read_buffer(1, u, sizeof u);
	assert_true(s[0] == sum && s[1] == -sum && s[2] == -(INT64_C(59) * (INT64_C(1) << 33)) && s[3] == INT64_C(59) << 33);
	assert_true(u[0] == 60 && u[1] == 940 && u[2] == all && u[3] == ~all && u[4] == xored && u[5] == 7 + 180);
	assert_true(u[6] == UINT64_C(59) << 40 && u[7] == UINT64_C(5) << 40);
	ex_heddle_free(device);
}

static double norm(const float *v, unsigned n, double minus)
{
	double sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += ((double)v[i] - minus) * ((double)v[i] - minus);
	return sqrt(sum);
}

static void near_value(float got, double want, double relative, double absolute, unsigned vector, unsigned which)
{
	if (!(fabs((double)got - want) <= relative * fabs(want) + absolute))
		fail_msg("vector %u, result %u: %.9g, expected %.9g", vector, which, (double)got, want);
}

/* LU-1: dot products and normalisations as multi-operation instructions; lengths whose squares leave the range of floats. */
TEST(geometry_in_and_out_of_range)
{
	enum { N = 120 };
	float v[N][4], out[N][16];
	uint64_t seed = 29;
	for (unsigned i = 0; i < N; i++) {
		float scale = i % 4 == 1 ? 1e30f : i % 4 == 2 ? 1e-30f : 1;
		for (unsigned k = 0; k < 4; k++)
			v[i][k] = ex_random_f32(&seed, -4, 4) * scale;
	}
	memset(v[0], 0, sizeof v[0]);
	run("geometry", (const void *const[]){v}, 1, sizeof v, out, sizeof out, N);
	for (unsigned i = 1; i < N; i++) {
		double d[4], size = 0, l4 = norm(v[i], 4, 0), l3 = norm(v[i], 3, 0), l2 = norm(v[i], 2, 0);
		for (unsigned k = 0; k < 4; k++) {
			d[k] = (double)v[i][k];
			size += fabs(d[k]) * (k + 1);
		}
		near_value(out[i][0], d[0] + 2 * d[1] + 3 * d[2] + 4 * d[3], 0, size * 5e-7, i, 0);
		near_value(out[i][1], d[0] + 2 * d[1] + 3 * d[2], 0, size * 5e-7, i, 1);
		near_value(out[i][2], d[0] + 2 * d[1], 0, size * 5e-7, i, 2);
		near_value(out[i][3], l4, 5e-7, 0, i, 3);
		near_value(out[i][4], l3, 5e-7, 0, i, 4);
		if (i % 4 == 0 || i % 4 == 3)
			near_value(out[i][5], l2, 5e-7, 0, i, 5);
		near_value(out[i][6], norm(v[i], 4, 1), 1e-6, 0, i, 6);
		for (unsigned k = 0; k < 4; k++)
			near_value(out[i][7 + k], d[k] / l4, 5e-7, 0, i, 7 + k);
		for (unsigned k = 0; k < 3; k++)
			near_value(out[i][11 + k], d[k] / l3, 5e-7, 0, i, 11 + k);
		for (unsigned k = 0; k < 2 && (i % 4 == 0 || i % 4 == 3); k++)
			near_value(out[i][14 + k], d[k] / l2, 5e-7, 0, i, 14 + k);
	}
	for (unsigned k = 3; k < 16; k++) /* the zero vector stays what it is */
		assert_true(out[0][k] == (k == 6 ? 2.0f : 0.0f));
}

TEST(smoothstep_between_scalars)
{
	double x[6] = {-5, -1, 0, 1, 2.5, 7}, out[6];
	run("smooth", (const void *const[]){x}, 1, sizeof x, out, sizeof out, 6);
	for (unsigned i = 0; i < 6; i++) {
		double t = fmin(fmax((x[i] + 1) / 4, 0), 1);
		assert_true(fabs(out[i] - t * t * (3 - 2 * t)) < 1e-14);
	}
}

static int compile(void **state)
{
	hd_diag diag = {0};
	hd_text path = {0};
	const char *root = getenv("HEDDLE_SOURCE");
	hd_machine_default(&machine);
	hd_text_printf(&path, "%s/tests/front/builtins.cl", root ? root : ".");
	object = ex_heddle_compile(path.at, &machine, false, &diag);
	if (!object)
		fputs(diag.text.at, stderr);
	hd_text_free(&path);
	hd_diag_free(&diag);
	return object ? 0 : 1;
}

static int release(void **state)
{
	hd_object_free(object);
	return 0;
}

TEST_AROUND(compile, release)
