#include "example.h"

#include <math.h>

enum { LANES = 32, LONGEST = 70 };

static float by_tree(const uint32_t *column, const float *value, const float *x, uint32_t begin, uint32_t end)
{
	float part[LANES] = {0};
	for (uint32_t i = begin; i < end; i++)
		part[(i - begin) % LANES] = fmaf(value[i], x[column[i]], part[(i - begin) % LANES]);
	for (unsigned half = LANES / 2; half > 0; half /= 2)
		for (unsigned i = 0; i < half; i++)
			part[i] += part[i + half];
	return part[0];
}

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[] = {1, 45, 300, 1500};
	uint32_t rows = sizes[size], at = 0;
	uint64_t seed = 10;
	uint32_t *first = hd_xmalloc((rows + 1) * sizeof *first), *column = hd_xmalloc(rows * LONGEST * sizeof *column);
	float *value = hd_xmalloc(rows * LONGEST * sizeof *value), *x = hd_xmalloc(rows * sizeof *x), *y = hd_xcalloc(rows, sizeof *y),
	      *tree = hd_xmalloc(rows * sizeof *tree);
	for (uint32_t row = 0; row < rows; row++)
		x[row] = ex_random_f32(&seed, -1, 1);
	for (uint32_t row = 0; row < rows; row++) {
		uint32_t length = row % 5 == 3 ? 0 : ex_random_below(&seed, row % 7 == 0 ? LONGEST : 12);
		first[row] = at;
		for (; length; length--, at++) {
			column[at] = ex_random_below(&seed, rows);
			value[at] = ex_random_f32(&seed, -10, 10);
			y[row] = fmaf(value[at], x[column[at]], y[row]);
		}
		tree[row] = by_tree(column, value, x, first[row], at);
	}
	first[rows] = at;
	size_t entries = at ? at : 1;
	unsigned first_buffer = ex_buffer(run, "first", (rows + 1) * sizeof *first, first),
	         column_buffer = ex_buffer(run, "column", entries * sizeof *column, column);
	unsigned value_buffer = ex_buffer(run, "value", entries * sizeof *value, value), x_buffer = ex_buffer(run, "x", rows * sizeof *x, x);
	unsigned scalar = ex_buffer(run, "y scalar", rows * sizeof *y, NULL), vector = ex_buffer(run, "y vector", rows * sizeof *y, NULL);
	ex_launch(run, "spmv_scalar", ex_1d(ex_groups(rows, 64), 64), ex_buf(first_buffer), ex_buf(column_buffer), ex_buf(value_buffer),
	          ex_buf(x_buffer), ex_buf(scalar), ex_u32(rows));
	ex_launch(run, "spmv_vector", ex_1d(rows, LANES), ex_buf(first_buffer), ex_buf(column_buffer), ex_buf(value_buffer), ex_buf(x_buffer),
	          ex_buf(vector));
	ex_expect_f32(run, scalar, y, rows, 0, 0);
	ex_expect_f32(run, vector, tree, rows, 0, 0);
	free(first);
	free(column);
	free(value);
	free(x);
	free(y);
	free(tree);
}

const ex_example ex_spmv = {
    .name = "spmv",
    .source = "spmv/spmv.cl",
    .about = "sparse matrix times vector, compressed rows",
    .host = host,
    .sizes = {"1", "45", "300", "1500"},
};
