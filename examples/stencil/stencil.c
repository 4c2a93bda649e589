#include "example.h"

#include <math.h>

enum { STEPS = 4 };

static void reference(const float *now, float *next, uint32_t width, uint32_t height, float rate)
{
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++) {
			uint32_t i = y * width + x;
			next[i] = now[i];
			if (x == 0 || y == 0 || x + 1 == width || y + 1 == height)
				continue;
			float around = (now[i - 1] + now[i + 1]) + (now[i - width] + now[i + width]);
			next[i] = fmaf(rate, fmaf(-4.0f, now[i], around), now[i]);
		}
	}
}

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[][2] = {{1, 1}, {3, 3}, {37, 19}, {250, 130}};
	uint32_t width = sizes[size][0], height = sizes[size][1];
	size_t points = (size_t)width * height;
	uint64_t seed = 7;
	const float rate = 0.2f;
	float *plate[2] = {hd_xmalloc(points * sizeof(float)), hd_xmalloc(points * sizeof(float))};
	for (size_t i = 0; i < points; i++)
		plate[0][i] = ex_random_f32(&seed, 0, 500);
	unsigned buffer[2] = {ex_buffer(run, "plate a", points * sizeof(float), plate[0]), ex_buffer(run, "plate b", points * sizeof(float), NULL)};
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned from = step % 2, to = 1 - from;
		ex_launch(run, "heat", ex_2d(ex_groups(width, 32), ex_groups(height, 4), 32, 4), ex_buf(buffer[from]), ex_buf(buffer[to]),
		          ex_u32(width), ex_u32(height), ex_f32(rate));
		reference(plate[from], plate[to], width, height, rate);
	}
	ex_expect_f32(run, buffer[0], plate[0], points, 0, 0);
	ex_expect_f32(run, buffer[1], plate[1], points, 0, 0);
	free(plate[0]);
	free(plate[1]);
}

const ex_example ex_stencil = {
    .name = "stencil",
    .source = "stencil/stencil.cl",
    .about = "heat flow, four steps of a 5-point stencil",
    .host = host,
    .sizes = {"1x1", "3x3", "37x19", "250x130"},
};
