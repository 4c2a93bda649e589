#include "example.h"

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[][2] = {{1, 1}, {17, 5}, {64, 48}, {403, 250}};
	uint32_t width = sizes[size][0], height = sizes[size][1];
	size_t bytes = (size_t)width * height * sizeof(uint32_t);
	uint64_t seed = 6;
	uint32_t *in = hd_xmalloc(bytes), *expected = hd_xmalloc(bytes);
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			expected[x * height + y] = in[y * width + x] = (uint32_t)hd_random(&seed);
	unsigned in_buffer = ex_buffer(run, "in", bytes, in), out = ex_buffer(run, "out", bytes, NULL);
	ex_launch(run, "transpose", ex_2d(ex_groups(width, 16), ex_groups(height, 16), 16, 4), ex_buf(in_buffer), ex_buf(out), ex_u32(width),
	          ex_u32(height));
	ex_expect_u32(run, out, expected, (size_t)width * height);
	free(in);
	free(expected);
}

const ex_example ex_transpose = {
    .name = "transpose",
    .source = "transpose/transpose.cl",
    .about = "matrix transposed through tiles without bank conflicts",
    .host = host,
    .sizes = {"1x1", "17x5", "64x48", "403x250"},
};
