#include "example.h"

static uint32_t reference(float cr, float ci, uint32_t limit)
{
	float zr = 0, zi = 0;
	for (uint32_t n = 0; n < limit; n++) {
		float rr = zr * zr, ii = zi * zi;
		if (rr + ii > 4.0f)
			return n;
		zi = 2.0f * (zr * zi) + ci;
		zr = (rr - ii) + cr;
	}
	return limit;
}

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[][3] = {{1, 1, 20}, {37, 23, 50}, {190, 120, 100}};
	uint32_t width = sizes[size][0], height = sizes[size][1], limit = sizes[size][2];
	const float left = -2.1f, top = -1.2f, scale = 2.8f / (float)width;
	uint32_t *expected = hd_xmalloc((size_t)width * height * sizeof *expected);
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			expected[y * width + x] = reference(left + (float)x * scale, top + (float)y * scale, limit);
	unsigned steps = ex_buffer(run, "steps", (size_t)width * height * sizeof *expected, NULL);
	ex_launch(run, "mandelbrot", ex_2d(ex_groups(width, 16), ex_groups(height, 8), 16, 8), ex_buf(steps), ex_u32(width), ex_u32(height),
	          ex_f32(left), ex_f32(top), ex_f32(scale), ex_u32(limit));
	ex_expect_u32(run, steps, expected, (size_t)width * height);
	free(expected);
}

const ex_example ex_mandelbrot = {
    .name = "mandelbrot",
    .source = "mandelbrot/mandelbrot.cl",
    .about = "escape times: loops that diverge",
    .host = host,
    .sizes = {"1x1", "37x23", "190x120"},
};
