#include "example.h"

#include <math.h>

static double normal(double d)
{
	double k = 1 / (0.2316419 * fabs(d) + 1);
	double p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
	double tail = 0.39894228 * exp(-0.5 * d * d) * p;
	return d > 0 ? 1 - tail : tail;
}

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[] = {1, 777, 20000};
	uint32_t n = sizes[size];
	uint64_t seed = 11;
	const float rate = 0.02f, volatility = 0.3f;
	float *in[3];
	double *call = hd_xmalloc(n * sizeof *call), *put = hd_xmalloc(n * sizeof *put);
	for (unsigned k = 0; k < 3; k++)
		in[k] = hd_xmalloc(n * sizeof(float));
	for (uint32_t i = 0; i < n; i++) {
		double s = (double)(in[0][i] = ex_random_f32(&seed, 5, 30)), x = (double)(in[1][i] = ex_random_f32(&seed, 1, 100));
		double t = (double)(in[2][i] = ex_random_f32(&seed, 0.25f, 10)), r = (double)rate, v = (double)volatility;
		double d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t), discounted = x * exp(-r * t);
		call[i] = s * normal(d1) - discounted * normal(d2);
		put[i] = discounted * (1 - normal(d2)) - s * (1 - normal(d1));
	}
	unsigned buffer[3] = {ex_buffer(run, "price", n * sizeof(float), in[0]), ex_buffer(run, "strike", n * sizeof(float), in[1]),
	                      ex_buffer(run, "years", n * sizeof(float), in[2])};
	unsigned call_buffer = ex_buffer(run, "call", n * sizeof(float), NULL), put_buffer = ex_buffer(run, "put", n * sizeof(float), NULL);
	ex_launch(run, "blackscholes", ex_1d(ex_groups(n, 128), 128), ex_buf(buffer[0]), ex_buf(buffer[1]), ex_buf(buffer[2]), ex_buf(call_buffer),
	          ex_buf(put_buffer), ex_f32(rate), ex_f32(volatility), ex_u32(n));
	/* The price is the difference of two numbers of up to 100. Their rounding errors (exp and log: 3 ulp, the polynomial: some more) remain when
	 * the numbers cancel. */
	ex_expect_near(run, call_buffer, call, n, 1e-6, 1e-4);
	ex_expect_near(run, put_buffer, put, n, 1e-6, 1e-4);
	for (unsigned k = 0; k < 3; k++)
		free(in[k]);
	free(call);
	free(put);
}

const ex_example ex_blackscholes = {
    .name = "blackscholes",
    .source = "blackscholes/blackscholes.cl",
    .about = "option prices: exp, log, sqrt and division",
    .host = host,
    .sizes = {"1", "777", "20000"},
};
