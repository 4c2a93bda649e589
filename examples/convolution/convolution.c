#include "example.h"

#include <math.h>

enum { RADIUS = 4, ITEMS = 64 };

static const float weights[2 * RADIUS + 1] = {0.0278f, 0.0656f, 0.1210f, 0.1747f, 0.2218f, 0.1747f, 0.1210f, 0.0656f, 0.0278f};

/* One pass along a line of `length` points. The line begins at `line`, and its points are `step` apart. */
static void reference(const float *in, float *out, int lines, int line_step, int length, int step)
{
	for (int line = 0; line < lines; line++) {
		for (int at = 0; at < length; at++) {
			float sum = 0;
			for (int i = -RADIUS; i <= RADIUS; i++) {
				int from = at + i < 0 ? 0 : at + i >= length ? length - 1 : at + i;
				sum = fmaf(weights[i + RADIUS], in[line * line_step + from * step], sum);
			}
			out[line * line_step + at * step] = sum;
		}
	}
}

static void host(ex_run *run, unsigned size)
{
	static const int sizes[][2] = {{1, 1}, {17, 31}, {65, 3}, {300, 150}};
	int width = sizes[size][0], height = sizes[size][1];
	size_t points = (size_t)width * (size_t)height;
	uint64_t seed = 14;
	float *image = hd_xmalloc(points * sizeof *image), *rows = hd_xmalloc(points * sizeof *rows), *both = hd_xmalloc(points * sizeof *both);
	for (size_t i = 0; i < points; i++)
		image[i] = ex_random_f32(&seed, 0, 255);
	unsigned in = ex_buffer(run, "image", points * sizeof *image, image), middle = ex_buffer(run, "rows", points * sizeof *image, NULL);
	unsigned out = ex_buffer(run, "blurred", points * sizeof *image, NULL);
	ex_launch(run, "convolve_rows", ex_2d(ex_groups((uint32_t)width, ITEMS), (uint32_t)height, ITEMS, 1), ex_buf(in), ex_buf(middle),
	          ex_i32(width));
	ex_launch(run, "convolve_columns", ex_2d(ex_groups((uint32_t)width, 32), ex_groups((uint32_t)height, 4), 32, 4), ex_buf(middle), ex_buf(out),
	          ex_i32(width), ex_i32(height));
	reference(image, rows, height, width, width, 1);
	reference(rows, both, width, 1, height, width);
	ex_expect_f32(run, middle, rows, points, 0, 0);
	ex_expect_f32(run, out, both, points, 0, 0);
	free(image);
	free(rows);
	free(both);
}

const ex_example ex_convolution = {
    .name = "convolution",
    .source = "convolution/convolution.cl",
    .about = "separable blur, rows in local memory, then columns",
    .host = host,
    .sizes = {"1x1", "17x31", "65x3", "300x150"},
};
