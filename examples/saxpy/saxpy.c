#include "example.h"

#include <math.h>

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[] = {1, 31, 1000, 200003};
	uint32_t n = sizes[size];
	uint64_t seed = 1;
	const float a = 1.7f;
	float *x = hd_xmalloc(n * sizeof *x), *y = hd_xmalloc(n * sizeof *y);
	for (uint32_t i = 0; i < n; i++) {
		x[i] = ex_random_f32(&seed, -100, 100);
		y[i] = ex_random_f32(&seed, -100, 100);
	}
	unsigned x_buffer = ex_buffer(run, "x", n * sizeof *x, x), y_buffer = ex_buffer(run, "y", n * sizeof *y, y);
	ex_launch(run, "saxpy", ex_1d(ex_groups(n, 256), 256), ex_buf(x_buffer), ex_buf(y_buffer), ex_f32(a), ex_u32(n));
	for (uint32_t i = 0; i < n; i++)
		y[i] = fmaf(a, x[i], y[i]);
	ex_expect_f32(run, y_buffer, y, n, 0, 0);
	free(x);
	free(y);
}

const ex_example ex_saxpy = {
    .name = "saxpy",
    .source = "saxpy/saxpy.cl",
    .cuda = "saxpy/saxpy.cu",
    .about = "y = a * x + y",
    .host = host,
    .sizes = {"1", "31", "1000", "200003"},
};
