#include "example.h"

#include <math.h>

static void host(ex_run *run, unsigned size, const char *kernel)
{
	static const uint32_t sizes[][3] = {{1, 1, 1}, {5, 7, 3}, {33, 17, 65}, {112, 96, 80}};
	uint32_t m = sizes[size][0], n = sizes[size][1], k = sizes[size][2];
	uint64_t seed = 2;
	float *a = hd_xmalloc(m * k * sizeof *a), *b = hd_xmalloc(k * n * sizeof *b), *c = hd_xmalloc(m * n * sizeof *c);
	for (uint32_t i = 0; i < m * k; i++)
		a[i] = ex_random_f32(&seed, -1, 1);
	for (uint32_t i = 0; i < k * n; i++)
		b[i] = ex_random_f32(&seed, -1, 1);
	unsigned a_buffer = ex_buffer(run, "a", m * k * sizeof *a, a), b_buffer = ex_buffer(run, "b", k * n * sizeof *b, b);
	unsigned c_buffer = ex_buffer(run, "c", m * n * sizeof *c, NULL);
	ex_launch(run, kernel, ex_2d(ex_groups(n, 16), ex_groups(m, 16), 16, 16), ex_buf(a_buffer), ex_buf(b_buffer), ex_buf(c_buffer), ex_u32(m),
	          ex_u32(n), ex_u32(k));
	for (uint32_t row = 0; row < m; row++) {
		for (uint32_t column = 0; column < n; column++) {
			float sum = 0;
			for (uint32_t i = 0; i < k; i++)
				sum = fmaf(a[row * k + i], b[i * n + column], sum);
			c[row * n + column] = sum;
		}
	}
	ex_expect_f32(run, c_buffer, c, m * n, 0, 0);
	free(a);
	free(b);
	free(c);
}

static void host_naive(ex_run *run, unsigned size) { host(run, size, "matmul_naive"); }
static void host_tiled(ex_run *run, unsigned size) { host(run, size, "matmul_tiled"); }

#define SIZES                                             \
	{                                                 \
		"1x1x1", "5x7x3", "33x17x65", "112x96x80" \
	}
const ex_example ex_matmul_naive = {
    .name = "matmul-naive",
    .source = "matmul/matmul.cl",
    .cuda = "matmul/matmul.cu",
    .about = "matrix product, one element a work-item",
    .host = host_naive,
    .sizes = SIZES,
};
const ex_example ex_matmul_tiled = {
    .name = "matmul-tiled",
    .source = "matmul/matmul.cl",
    .cuda = "matmul/matmul.cu",
    .about = "matrix product through tiles in local memory",
    .host = host_tiled,
    .sizes = SIZES,
};
