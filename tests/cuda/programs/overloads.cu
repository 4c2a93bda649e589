// Mathematics by the names without a suffix: with floats they are the functions for floats, on both sides. Device code with fma(), fmax() or round() of
// floats was refused, because nobody defined what clang's headers declare; host code got the functions for doubles, or none.
#include "check.h"
#include <cstring>
#include <type_traits>

// name, and the name with the suffix. Each takes floats and gives a float.
#define ONE(F) F(acosh, 1.5f) F(asinh, 1.5f) F(atanh, 0.4f) F(cbrt, 7.5f) F(erf, 0.4f) F(erfc, 0.4f) F(exp2, 2.3f) F(expm1, 0.1f) F(lgamma, 4.5f) \
	F(log1p, 0.3f) F(log2, 9.5f) F(logb, 9.5f) F(nearbyint, 2.5f) F(rint, 3.5f) F(round, 2.5f) F(tgamma, 4.5f) F(trunc, -2.7f) F(sin, 1.1f) \
	F(cos, 1.1f) F(tan, 1.1f) F(exp, 1.1f) F(log, 2.2f) F(log10, 2.2f) F(sqrt, 2.2f) F(fabs, -2.2f) F(floor, -2.2f) F(ceil, -2.2f) \
	F(rsqrt, 2.2f) F(rcbrt, 2.2f) F(sinpi, 0.3f) F(cospi, 0.3f) F(exp10, 1.2f) F(normcdf, 0.3f)
#define TWO(F) F(copysign) F(fdim) F(fmax) F(fmin) F(hypot) F(nextafter) F(remainder) F(pow) F(atan2) F(fmod)
#define FLOAT(...) static_assert(std::is_same<decltype(__VA_ARGS__), float>::value, #__VA_ARGS__);

#define PUT(name, x) FLOAT(name(x)) out[n++] = name(x * one); out[n++] = name##f(x * one);
#define PUT_2(name) FLOAT(name(1.5f, -0.7f)) out[n++] = name(1.5f * one, -0.7f * one); out[n++] = name##f(1.5f * one, -0.7f * one);
#define COUNT(...) +1
enum { PAIRS = ONE(COUNT) TWO(COUNT) + 4 };

// Pairs of values that must be the same.
__host__ __device__ int values(float *out, float one)
{
	int n = 0, quotient = 0, same = 0;
	ONE(PUT)
	TWO(PUT_2)
	FLOAT(fma(1.f, 2.f, 3.f)) FLOAT(remquo(1.f, 2.f, &quotient)) FLOAT(scalbn(1.f, 2)) FLOAT(scalbln(1.f, 2L)) FLOAT(nanf(""))
	out[n++] = fma(one / 3, one / 3, -one / 9), out[n++] = fmaf(one / 3, one / 3, -one / 9);
	out[n++] = remquo(7 * one, 2.3f, &quotient), out[n++] = remquof(7 * one, 2.3f, &same);
	out[n++] = (float)quotient, out[n++] = (float)same;
	out[n++] = scalbn(one, 5) + scalbln(one, 6L) + (float)(ilogb(9 * one) + lrint(2.5f * one) + lround(2.5f * one) + llrint(3.5f * one) + llround(3.5f * one));
	out[n++] = 32 + 64 + 3 + 2 + 3 + 4 + 4;
	return n + (isnan(one) || isinf(one) || !isfinite(one) || signbit(one) || !isnan(nan("")) || !isnan(nanf("1")));
}

__global__ void on_device(float *out, int *n, float one) { *n = values(out, one); }

static long wrong_of(const char *side, const float *out, int n)
{
	long wrong = n != 2 * PAIRS;
	for (int i = 0; i < 2 * PAIRS; i += 2)
		if (memcmp(&out[i], &out[i + 1], sizeof *out) != 0)
			wrong++, printf("%s: pair %d: %.9g and %.9g\n", side, i / 2, (double)out[i], (double)out[i + 1]);
	return wrong;
}

int main()
{
	float host[2 * PAIRS], *out, s, c;
	int *n;
	CHECKED(cudaMallocManaged(&out, sizeof host));
	CHECKED(cudaMallocManaged(&n, sizeof *n));
	on_device<<<1, 1>>>(out, n, 1.0f);
	CHECKED(cudaDeviceSynchronize());
	long wrong = wrong_of("device", out, *n) + wrong_of("host", host, values(host, 1.0f));
	for (int i = 0; i < 2 * PAIRS; i++)
		wrong += !(fabs(host[i] - out[i]) <= 1e-6 * fabs(host[i]));
	sincospif(2.5f, &s, &c);
	wrong += s != 1 || fabs(c) > 1e-7f || sinpi(1e15 + 0.5) != 1 || normcdf(0.0) != 0.5 || fabs(normcdf(1.959963984540054) - 0.975) > 1e-15;
	wrong += umin(1, 2) != 1 || umax(1, 2) != 2 || llmin(-1, 1) != -1 || llmax(-1, 1) != 1 || ullmin(1, 2) != 1 || ullmax(1, 2) != 2;
	return verdict(wrong);
}
