/* Half arithmetic (cl_khr_fp16) against the host in double precision: every half for functions of one argument, many pairs for the others.
 * Arithmetic, conversions and exact functions give the correctly rounded half; the others err by at most 0.52 units in the last place (the extension
 * allows 2 or 4). */
#define _DEFAULT_SOURCE /* M_PI */
#include "rig.h"

#include <math.h>
#include <stdbool.h>

#define HALF_EXTENSION "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
/* clang-format off */
#define ONE_ARGUMENT(X) \
	X(acos, acos(x)) X(acosh, acosh(x)) X(acospi, acos(x) / M_PI) X(asin, asin(x)) X(asinh, asinh(x)) X(asinpi, asin(x) / M_PI) \
	X(atan, atan(x)) X(atanh, atanh(x)) X(atanpi, atan(x) / M_PI) X(cbrt, cbrt(x)) X(ceil, ceil(x)) X(cos, cos(x)) X(cosh, cosh(x)) \
	X(erf, erf(x)) X(erfc, erfc(x)) X(exp, exp(x)) X(exp2, exp2(x)) X(exp10, pow(10, x)) X(expm1, expm1(x)) X(fabs, fabs(x)) \
	X(floor, floor(x)) X(log, log(x)) X(log2, log2(x)) X(log10, log10(x)) X(log1p, log1p(x)) X(logb, logb(x)) X(rint, rint(x)) \
	X(round, round(x)) X(rsqrt, 1 / sqrt(x)) X(sin, sin(x)) X(sinh, sinh(x)) X(sqrt, sqrt(x)) X(tan, tan(x)) X(tanh, tanh(x)) \
	X(tgamma, gamma_of(x)) X(trunc, trunc(x)) X(degrees, x * 180 / M_PI) X(radians, x * M_PI / 180) \
	X(fraction, isnan(x) ? x : isinf(x) ? copysign(0, x) : copysign(fmin(x - floor(x), 0x1.ffcp-1), x == 0 ? x : 1)) \
	X(sign, x > 0 ? 1 : x < 0 ? -1 : isnan(x) ? 0 : x)
#define TWO_ARGUMENTS(X) \
	X(add, x + y, x + y) X(subtract, x - y, x - y) X(multiply, x * y, x * y) X(divide, x / y, x / y) X(fma, fma(x, y, z), x * y + z) \
	X(atan2, atan2(x, y), atan2(x, y)) X(atan2pi, atan2pi(x, y), atan2(x, y) / M_PI) X(copysign, copysign(x, y), copysign(x, y)) \
	X(fdim, fdim(x, y), fdim(x, y)) X(fmax, fmax(x, y), fmax(x, y)) X(fmin, fmin(x, y), fmin(x, y)) X(fmod, fmod(x, y), fmod(x, y)) \
	X(hypot, hypot(x, y), hypot(x, y)) X(maxmag, maxmag(x, y), fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y)) \
	X(minmag, minmag(x, y), fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y)) X(pow, pow(x, y), pow(x, y)) \
	X(remainder, remainder(x, y), remainder(x, y)) X(nextafter, nextafter(x, y), next_half(x, y)) X(ldexp, ldexp(x, k), ldexp(x, k)) \
	X(pown, pown(x, k), pow(x, k)) X(step, step(x, y), y < x ? 0 : 1) X(mix, mix(x, y, (half)0.5h), x + (y - x) * 0.5)

/* clang-format on */
#define CALL_ONE(name, host) "P(" #name "(x))"
#define CALL_TWO(name, device, host) "P(" #device ")"
static const char one_text[] = HALF_EXTENSION
    "#define P(v) out[n++ * 65536 + i] = v;\n"
    "half fraction(half x) { half whole; return fract(x, &whole); }\n"
    "kernel void one(global half *out, uint stride) { uint i = get_global_id(0) * stride; int n = 0; half x = as_half((ushort)i);\n" ONE_ARGUMENT(
        CALL_ONE) "}\n";
static const char two_text[] = HALF_EXTENSION
    "#define P(v) out[n++ * 16384 + i] = v;\n"
    "kernel void two(global const half *in, global half *out)\n"
    "{\n"
    "	uint i = get_global_id(0); int n = 0; half x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2]; int k = (int)(i % 61) - 30;\n" TWO_ARGUMENTS(
        CALL_TWO) "}\n";

static double gamma_of(double x) { return x == floor(x) && x < 0 ? NAN : tgamma(x); }

static double value_of(uint16_t h)
{
	int e = h >> 10 & 31, f = h & 1023;
	double v = e == 31 ? (f ? NAN : INFINITY) : e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
	return h & 0x8000 ? -v : v;
}

enum { RTE, RTZ, RTP, RTN, MODES };
static const char *const modes[] = {"_rte", "_rtz", "_rtp", "_rtn"};

static long double whole(long double x, int mode) { return mode == RTE ? rintl(x) : mode == RTZ ? truncl(x) : mode == RTP ? ceill(x) : floorl(x); }

/* The half that a value is rounded to. */
static double rounded(long double x, int mode)
{
	if (isnan(x) || isinf(x) || x == 0)
		return (double)x;
	int e = ilogbl(x) < -14 ? -14 : ilogbl(x);
	double y = (double)copysignl(ldexpl(whole(ldexpl(x, 10 - e), mode), e - 10), x);
	if (fabs(y) <= 65504)
		return y;
	return mode == RTE || mode == (x > 0 ? RTP : RTN) ? copysign(INFINITY, (double)x) : copysign(65504, (double)x);
}

/* Halves in ascending order have ascending numbers; both zeros have 0. */
static double numbered(int number) { return number < 0 ? -value_of((uint16_t)-number) : value_of((uint16_t)number); }

static double next_half(double x, double y)
{
	if (isnan(x) || isnan(y) || x == y)
		return isnan(x) || isnan(y) ? NAN : y;
	int low = -0x7c00, high = 0x7c00;
	while (low < high) {
		int middle = (low + high + 65536 + 1) / 2 - 32768;
		if (numbered(middle) <= x)
			low = middle;
		else
			high = middle - 1;
	}
	double z = numbered(x < y ? low + 1 : low - 1);
	return z == 0 ? copysign(0, x) : z;
}

/* Units in the last place between a half and a value; 0 for the same kind of special value. */
static double error_of(double got, double exact)
{
	if (isnan(got) || isnan(exact))
		return isnan(got) && isnan(exact) ? 0 : INFINITY;
	double nearest = rounded(exact, RTE);
	if (isinf(got) || isinf(nearest))
		return got == nearest ? 0 : INFINITY;
	if (exact == 0)
		return got == 0 && signbit(got) == signbit(exact) ? 0 : INFINITY;
	return fabs(got - exact) / ldexp(1, (ilogb(exact) < -14 ? -14 : ilogb(exact)) - 10);
}

static bool timed(void) { return !getenv("HEDDLE_FUNCTIONAL") || strcmp(getenv("HEDDLE_FUNCTIONAL"), "1") != 0; }

static void run(rig *r, cl_kernel kernel, size_t items)
{
	assert_int_equal(clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clFinish(r->queue), CL_SUCCESS);
}

#define HOST_ONE(name, host) \
	static double one_##name(double x) { return host; }
#define HOST_TWO(name, device, host) \
	static double two_##name(double x, double y, double z, int k) { return host; }
ONE_ARGUMENT(HOST_ONE)
TWO_ARGUMENTS(HOST_TWO)

/* Zero where the result must be the nearest half. */
static double allowed(const char *name)
{
	static const char *const exact[] = {"add",  "subtract",  "multiply",  "divide", "fma",  "sqrt",
	                                    "fmod", "remainder", "nextafter", "ceil",   "floor"};
	for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
		if (strcmp(name, exact[i]) == 0)
			return 0.5;
	return 0.52;
}

static void compare(const char *name, uint16_t got, double exact, double x, double y)
{
	double error = error_of(value_of(got), exact), most = allowed(name);
	if (error > most || (most == 0.5 && !isnan(exact) && value_of(got) != rounded(exact, RTE)))
		fail_msg("%s(%a, %a): %a, expected %a, %.3f units in the last place", name, x, y, value_of(got), exact, error);
}

TEST(test_one_argument)
{
#define ROW_ONE(name, host) {#name, one_##name},
	static const struct {
		const char *name;
		double (*host)(double);
	} functions[] = {ONE_ARGUMENT(ROW_ONE)};
	enum { N = sizeof functions / sizeof *functions };
	static uint16_t got[N * 65536];
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, one_text, NULL);
	cl_kernel kernel = rig_kernel(program, "one");
	cl_uint stride = timed() ? 257 : 1;
	cl_mem out = rig_buffer(&r, sizeof got, NULL);
	clSetKernelArg(kernel, 0, sizeof out, &out);
	clSetKernelArg(kernel, 1, sizeof stride, &stride);
	run(&r, kernel, (65536 + stride - 1) / stride);
	rig_read(&r, out, got, sizeof got);
	for (int f = 0; f < N; f++)
		for (cl_uint i = 0; i < 65536; i += stride)
			compare(functions[f].name, got[f * 65536 + i], functions[f].host(value_of((uint16_t)i)), value_of((uint16_t)i), 0);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseMemObject(out);
	rig_close(&r);
}

TEST(test_two_arguments)
{
#define ROW_TWO(name, device, host) {#name, two_##name},
	static const struct {
		const char *name;
		double (*host)(double, double, double, int);
	} functions[] = {TWO_ARGUMENTS(ROW_TWO)};
	enum { N = sizeof functions / sizeof *functions, PAIRS = 16384 };
	static const uint16_t special[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00, 0xbc00, 0x3c01,
	                                   0x4000, 0x4200, 0xc200, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00};
	enum { SPECIAL = sizeof special / sizeof *special };
	static uint16_t got[N * PAIRS], in[3 * PAIRS];
	uint32_t seed = 1;
	for (int i = 0; i < 3 * PAIRS; i++) {
		seed = seed * 1664525 + 1013904223;
		in[i] = (uint16_t)(seed >> 16);
		/* A third of usual size. */
		if (i % 9 < 3)
			in[i] = (uint16_t)((in[i] & 0x83ff) | (12 + (seed >> 4) % 7) << 10);
	}
	for (int i = 0; i < SPECIAL * SPECIAL; i++) {
		in[3 * i] = special[i / SPECIAL];
		in[3 * i + 1] = special[i % SPECIAL];
	}
	/* 3 * 683 / 2048 is in the middle of two halves, and the least half decides; single precision would lose it. */
	static const uint16_t middle[3] = {0x4200, 0x3556, 0x0001};
	memcpy(in + 3 * SPECIAL * SPECIAL, middle, sizeof middle);
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, two_text, "-cl-std=CL3.0");
	cl_kernel kernel = rig_kernel(program, "two");
	const size_t pairs = timed() ? 512 : PAIRS;
	cl_mem from = rig_buffer(&r, sizeof in, in), out = rig_buffer(&r, sizeof got, NULL);
	clSetKernelArg(kernel, 0, sizeof from, &from);
	clSetKernelArg(kernel, 1, sizeof out, &out);
	run(&r, kernel, pairs);
	rig_read(&r, out, got, sizeof got);
	for (int f = 0; f < N; f++)
		for (size_t i = 0; i < pairs; i++) {
			double x = value_of(in[3 * i]), y = value_of(in[3 * i + 1]), z = value_of(in[3 * i + 2]);
			double exact = functions[f].host(x, y, z, (int)(i % 61) - 30);
			/* Which zero it is, OpenCL leaves open. */
			if ((strncmp(functions[f].name, "fm", 2) == 0 || strstr(functions[f].name, "mag")) && exact == 0 &&
			    value_of(got[f * PAIRS + (int)i]) == 0)
				continue;
			compare(functions[f].name, got[f * PAIRS + (int)i], exact, x, y);
		}
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseMemObject(from);
	clReleaseMemObject(out);
	rig_close(&r);
}

/* From every half to integers in every mode, saturated, and from numbers of every type to halves in every mode. */
TEST(test_conversions)
{
	static const struct {
		const char *name;
		long double least, most;
	} types[] = {{"char", -128, 127},
	             {"ushort", 0, 65535},
	             {"int", -2147483648.0L, 2147483647},
	             {"uint", 0, 4294967295.0L},
	             {"long", -0x1p63L, 0x1p63L - 1},
	             {"ulong", 0, 0x1p64L - 1},
	             {"float", 0, 0},
	             {"double", 0, 0}};
	static uint16_t got[5 * 4096];
	static cl_long from_half[4 * 65536];
	rig r;
	rig_open(&r);
	for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
		char source[4096], *end = source;
		bool integer = types[t].most != 0;
		const char *name = types[t].name;
		end += sprintf(end,
		               HALF_EXTENSION "kernel void to(global const %s *in, global half *out) { uint i = get_global_id(0);\n"
		                              "	half2 v = convert_half2((%s2)(in[i], in[i])); out[5 * i + 4] = v.y;\n",
		               name, name);
		for (int m = 0; m < MODES; m++)
			end += sprintf(end, "	out[5 * i + %d] = convert_half%s(in[i]);\n", m, modes[m]);
		end += sprintf(end, "}\n");
		if (integer) {
			end += sprintf(end, "kernel void from(global long *out) { uint i = get_global_id(0); half h = as_half((ushort)i);\n");
			for (int m = 0; m < MODES; m++)
				end += sprintf(end, "	out[4 * i + %d] = (long)convert_%s_sat%s(h);\n", m, name, modes[m]);
			sprintf(end, "}\n");
		}
		cl_program program = rig_build(&r, source, NULL);
		cl_kernel to = rig_kernel(program, "to");
		static union {
			cl_long integers[4096];
			cl_int words[4096];
			cl_ushort shorts[4096];
			cl_char bytes[4096];
			float floats[4096];
			double doubles[4096];
		} in;
		static long double values[4096];
		uint64_t seed = 7;
		for (int i = 0; i < 4096; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			/* Numbers of every length, and ties of halves with their neighbours. */
			uint64_t bits = (seed >> 11) >> (i % 53) ^ (uint64_t)(i % 3 == 0 ? 0 : seed >> 63);
			if (i % 5 == 0)
				bits = ((UINT64_C(2049) + (seed >> 40) % 2000 * 2) << i % 12) + (uint64_t)(i / 7 % 3) - 1;
			bool negative = types[t].least < 0 && i % 2;
			cl_long v = negative ? -(cl_long)bits : (cl_long)bits;
			double f = ldexp((double)v, -(i % 70));
			if (strcmp(name, "float") == 0)
				values[i] = in.floats[i] = (float)(i % 4 ? f : ldexp(2049 + (double)(seed >> 40), (int)(seed >> 33 & 31) - 40));
			else if (strcmp(name, "double") == 0)
				values[i] = in.doubles[i] = i % 4 ? f : rounded(f, RTZ) + ldexp(rounded(f, RTP) - rounded(f, RTZ), -1);
			else if (strcmp(name, "char") == 0)
				values[i] = in.bytes[i] = (cl_char)v;
			else if (strcmp(name, "ushort") == 0)
				values[i] = in.shorts[i] = (cl_ushort)v;
			else if (strcmp(name, "int") == 0)
				values[i] = in.words[i] = (cl_int)v;
			else if (strcmp(name, "uint") == 0)
				values[i] = (cl_uint)(in.words[i] = (cl_int)v);
			else if (strcmp(name, "long") == 0)
				values[i] = in.integers[i] = v;
			else
				values[i] = (cl_ulong)(in.integers[i] = v);
		}
		cl_mem source_buffer = rig_buffer(&r, sizeof in, &in), out = rig_buffer(&r, sizeof got, NULL);
		clSetKernelArg(to, 0, sizeof source_buffer, &source_buffer);
		clSetKernelArg(to, 1, sizeof out, &out);
		run(&r, to, 4096);
		rig_read(&r, out, got, sizeof got);
		for (int i = 0; i < 4096; i++)
			for (int m = 0; m < 5; m++) {
				double expected = rounded(values[i], m == 4 ? RTE : m), is = value_of(got[5 * i + m]);
				if (!(is == expected || (isnan(is) && isnan(expected))))
					fail_msg("convert_half%s of %s %La: %a, expected %a", m == 4 ? "2" : modes[m], name, values[i], is, expected);
			}
		clReleaseKernel(to);
		clReleaseMemObject(source_buffer);
		clReleaseMemObject(out);
		if (integer && !timed()) {
			cl_kernel from = rig_kernel(program, "from");
			cl_mem all = rig_buffer(&r, sizeof from_half, NULL);
			clSetKernelArg(from, 0, sizeof all, &all);
			run(&r, from, 65536);
			rig_read(&r, all, from_half, sizeof from_half);
			for (int i = 0; i < 65536; i++)
				for (int m = 0; m < MODES; m++) {
					long double v = whole(value_of((uint16_t)i), m), e = isnan(v)             ? 0
					                                                     : v < types[t].least ? types[t].least
					                                                     : v > types[t].most  ? types[t].most
					                                                                          : v;
					cl_long is = from_half[4 * i + m], expected = types[t].least < 0 ? (cl_long)e : (cl_long)(cl_ulong)e;
					if (is != expected)
						fail_msg("convert_%s_sat%s(%a): %lld, expected %lld", name, modes[m], value_of((uint16_t)i),
						         (long long)is, (long long)expected);
				}
			clReleaseKernel(from);
			clReleaseMemObject(all);
		}
		clReleaseProgram(program);
	}
	rig_close(&r);
}

static const char rest_text[] = HALF_EXTENSION
    "#define P(v) o[n++] = (float)(v);\n"
    "kernel void rest(global const half *in, global float *out, half factor, half4 four)\n"
    "{\n"
    "	uint i = get_global_id(0); int n = 0, e = 0, q = 0, s = 0; global float *o = out + 64 * i; half w, c; half x = in[i], y = in[i + 1];\n"
    "	local half copy[64];\n"
    "	P(fract(x, &w)) P(w) P(modf(x, &w)) P(w) P(frexp(x, &e)) P(e) P(sincos(x, &c)) P(c) P(remquo(x, y, &q)) P(q & 7) P(lgamma_r(x, &s)) P(s)\n"
    "	half4 v = (half4)(x, y, x + y, x - y), u = vload4(0, in + i); half3 t = (half3)(x, 2, 3);\n"
    "	P(dot(v, u)) P(length(t)) P(distance(v, u)) P(normalize(t).y) P(cross(t, (half3)(1, y, 0)).z) P(clamp(v, (half)-1, (half)1).x)\n"
    "	P(isgreater(v, u).z) P(isnan(x)) P(signbit(v).x) P(isnormal((half)0x1p-15h)) P(select(v, u, (short4)(-1, 0, 1, -1)).x)\n"
    "	P(select(v, u, (ushort4)(0, 0, 1, 0)).z) P(shuffle(v, (ushort4)(3, 2, 1, 0)).x) P(shuffle2(v, u, (ushort2)(1, 6)).y)\n"
    "	P(bitselect(x, y, as_half((ushort)0x8000))) P(ilogb(x)) P(any(isequal(v, v))) P(nan((ushort)5)) P(mad(x, y, factor)) P(four.w * factor)\n"
    "	vstore3(t, 0, copy + 3 * get_local_id(0)); P(copy[3 * get_local_id(0)]) P(smoothstep((half)0, (half)2, x)) P(maxmag(x, y)) P(x > y ? x : y)\n"
    "	P(rootn(fabs(x), 3)) P(convert_float4(v).y) P(convert_short4(u).x) P(max(v, y).x) P(isnormal((half2)(0x1p-15h, 1)).x) P(select(x, y, "
    "(short)1))\n"
    "#ifdef __opencl_c_subgroups\n"
    "	P(sub_group_reduce_add(x)) P(sub_group_scan_inclusive_max(x)) P(work_group_scan_exclusive_add(x)) P(work_group_broadcast(x, 7))\n"
    "	P(sub_group_shuffle_xor(x, 1)) P(sub_group_broadcast((half2)(x, y), 3).y) P(sub_group_non_uniform_reduce_min(x)) "
    "P(work_group_reduce_max(x))\n"
    "#endif\n"
    "}\n"
    "kernel void copies(global const half *in, global half4 *out)\n"
    "{\n"
    "	local half some[64]; event_t done = async_work_group_copy(some, in, 64, 0); wait_group_events(1, &done);\n"
    "	out[get_local_id(0)] = (half4)(some[get_local_id(0)] * 2); prefetch(in, 4);\n"
    "}\n";

/* Everything else once, in OpenCL C 1.2 and 3.0. */
TEST(test_the_rest)
{
	enum { ITEMS = 40 };
	static float got[64 * ITEMS];
	uint16_t in[ITEMS + 24], doubled[4 * ITEMS], factor = 0x4100 /* 2.5 */, four[4] = {0, 0, 0, 0x4200};
	rig r;
	rig_open(&r);
	for (int i = 0; i < ITEMS + 24; i++)
		in[i] = (uint16_t)(0x3800 + (i * 37 % 40 << 6) + (i % 3 == 1 ? 0x8000 : 0)); /* +-0.5 to 10, of five bits */
	for (int version = 0; version < 2; version++) {
		cl_program program = rig_build(&r, rest_text, version ? "-cl-std=CL3.0" : NULL);
		cl_kernel kernel = rig_kernel(program, "rest"), copies = rig_kernel(program, "copies");
		cl_mem from = rig_buffer(&r, sizeof in, in), out = rig_buffer(&r, sizeof got, NULL), twice = rig_buffer(&r, 8 * 64, NULL);
		const size_t items = ITEMS;
		clSetKernelArg(kernel, 0, sizeof from, &from);
		clSetKernelArg(kernel, 1, sizeof out, &out);
		assert_int_equal(clSetKernelArg(kernel, 2, sizeof factor, &factor), CL_SUCCESS);
		assert_int_equal(clSetKernelArg(kernel, 3, sizeof four, four), CL_SUCCESS);
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL), CL_SUCCESS);
		rig_read(&r, out, got, sizeof got);
		double sum = 0, least = 0, largest = 0, all = 0;
		for (int i = 0; i < ITEMS; i++) {
			const float *o = got + 64 * i;
			double x = value_of(in[i]), y = value_of(in[i + 1]), v[4] = {x, y, rounded(x + y, RTE), rounded(x - y, RTE)}, u[4],
			       whole_part, dots = 0, far = 0;
			int e, n = 0;
			for (int k = 0; k < 4; k++) {
				u[k] = value_of(in[i + k]);
				dots += v[k] * u[k];
				far += (v[k] - u[k]) * (v[k] - u[k]);
			}
			double part = frexp(x, &e), quotient = rint(x / y);
#define IS(value)                                                                                                                       \
	do {                                                                                                                            \
		double exact = (value);                                                                                                 \
		if (error_of(o[n], exact) > 0.56)                                                                                       \
			fail_msg("version %d, item %d (%a, %a), answer %d: %a, expected %a", version, i, x, y, n, (double)o[n], exact); \
		n++;                                                                                                                    \
	} while (0)
			IS(x - floor(x));
			IS(floor(x));
			IS(modf(x, &whole_part));
			IS(whole_part);
			IS(part);
			IS(e);
			IS(sin(x));
			IS(cos(x));
			IS(remainder(x, y));
			IS((int)quotient & 7);
			IS(lgamma(x));
			IS(x > 0 || (int)floor(x) % 2 == 0 ? 1 : -1);
			IS(dots);
			IS(sqrt(x * x + 13));
			IS(sqrt(far));
			IS(2 / sqrt(x * x + 13));
			IS(x * y - 2);
			IS(x < -1 ? -1 : x > 1 ? 1 : x);
			IS(v[2] > u[2] ? -1 : 0);
			IS(0);
			IS(x < 0 ? -1 : 0);
			IS(0);
			IS(u[0]);
			IS(v[2]);
			IS(v[3]);
			IS(u[2]);
			IS(copysign(x, y));
			IS(ilogb(x));
			IS(1);
			IS(NAN);
			IS(x * y + 2.5);
			IS(7.5);
			IS(x);
			double s = x / 2 < 0 ? 0 : x / 2 > 1 ? 1 : x / 2;
			IS(s * s * (3 - 2 * s));
			IS(fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y));
			IS(x > y ? x : y);
			IS(cbrt(fabs(x)));
			IS(y);
			IS((int)x);
			IS(fmax(x, y));
			IS(0);
			IS(y);
			if (!version)
				continue;
			int begin = i / 32 * 32, end = begin ? ITEMS : 32;
			sum = all = 0;
			least = INFINITY;
			largest = -INFINITY;
			double most = -INFINITY, before = 0;
			for (int k = 0; k < ITEMS; k++) {
				double z = value_of(in[k]);
				sum += k >= begin && k < end ? z : 0;
				least = k >= begin && k < end && z < least ? z : least;
				most = k >= begin && k <= i && z > most ? z : most;
				largest = z > largest ? z : largest;
				before += k < i ? z : 0;
			}
			/* All sums are halves. */
			IS(sum);
			IS(most);
			IS(before);
			IS(value_of(in[7]));
			n += (i ^ 1) >= ITEMS;
			if ((i ^ 1) < ITEMS)
				IS(value_of(in[i ^ 1]));
			IS(value_of(in[begin + 4]));
			IS(least);
			IS(largest);
		}
		clSetKernelArg(copies, 0, sizeof from, &from);
		clSetKernelArg(copies, 1, sizeof twice, &twice);
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, copies, 1, NULL, &items, &items, 0, NULL, NULL), CL_SUCCESS);
		rig_read(&r, twice, doubled, sizeof doubled);
		for (int i = 0; i < 4 * ITEMS; i++)
			assert_true(value_of(doubled[i]) == 2 * value_of(in[i / 4]));
		clReleaseKernel(kernel);
		clReleaseKernel(copies);
		clReleaseProgram(program);
		clReleaseMemObject(from);
		clReleaseMemObject(out);
		clReleaseMemObject(twice);
	}
	rig_close(&r);
}
