#include "example.h"

#include <math.h>

enum { LAMPS = 3 };
typedef struct vec {
	double x, y, z;
} vec;

static vec from(const float v[4]) { return (vec){(double)v[0], (double)v[1], (double)v[2]}; }
static vec minus(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static vec plus(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static vec times(vec a, double f) { return (vec){a.x * f, a.y * f, a.z * f}; }
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec unit(vec a) { return times(a, 1 / sqrt(dot(a, a))); }

static void reference(const float position[4], const float normal[4], float lamp[LAMPS][4], float lamp_colour[LAMPS][4], const float eye[4],
                      double shininess, double colour[4])
{
	vec p = from(position), up = unit(from(normal)), to_eye = unit(minus(from(eye), p)), sum = {0.05, 0.05, 0.05};
	for (unsigned i = 0; i < LAMPS; i++) {
		vec way = minus(from(lamp[i]), p), to_lamp = unit(way);
		double facing = dot(up, to_lamp);
		if (facing <= 0)
			continue;
		double shine = pow(fmax(dot(up, unit(plus(to_lamp, to_eye))), 0), shininess);
		sum = plus(sum, times(from(lamp_colour[i]), (0.7 * facing + 0.3 * shine) / (1 + 0.1 * dot(way, way))));
	}
	sum = (vec){fmin(sum.x, 1), fmin(sum.y, 1), fmin(sum.z, 1)};
	colour[0] = sum.x;
	colour[1] = sum.y;
	colour[2] = sum.z;
	colour[3] = dot(sum, (vec){0.2126, 0.7152, 0.0722});
}

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[] = {1, 100, 15000};
	static float lamp[LAMPS][4] = {{3, 4, 5, 0}, {-4, 2, 3, 0}, {0, -5, 1, 0}},
	             lamp_colour[LAMPS][4] = {{1, 0.9f, 0.8f, 0}, {0.3f, 0.4f, 1, 0}, {0.5f, 0.1f, 0.1f, 0}};
	static const float eye[4] = {0, 0, 6, 0}, shininess = 12;
	uint32_t n = sizes[size];
	uint64_t seed = 15;
	float *position = hd_xmalloc(n * 4 * sizeof *position), *normal = hd_xmalloc(n * 4 * sizeof *normal);
	double *colour = hd_xmalloc(n * 4 * sizeof *colour);
	for (uint32_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < 4; k++) {
			position[i * 4 + k] = ex_random_f32(&seed, -2, 2);
			normal[i * 4 + k] = ex_random_f32(&seed, -1, 1);
		}
		normal[i * 4 + 2] += 2.5f; /* roughly towards the viewer */
		reference(position + i * 4, normal + i * 4, lamp, lamp_colour, eye, (double)shininess, colour + i * 4);
	}
	unsigned position_buffer = ex_buffer(run, "position", n * 4 * sizeof *position, position),
	         normal_buffer = ex_buffer(run, "normal", n * 4 * sizeof *normal, normal);
	unsigned out = ex_buffer(run, "colour", n * 4 * sizeof(float), NULL), lamps = ex_buffer(run, "lamps", sizeof lamp, lamp);
	unsigned colours = ex_buffer(run, "lamp colours", sizeof lamp_colour, lamp_colour);
	ex_launch(run, "lighting", ex_1d(ex_groups(n, 96), 96), ex_buf(position_buffer), ex_buf(normal_buffer), ex_buf(out), ex_buf(lamps),
	          ex_buf(colours), ex_bytes(eye, sizeof eye), ex_f32(shininess), ex_u32(n));
	/* pow multiplies the relative error of its argument by 12. This error is a few units in the last place of two normalised vectors. */
	ex_expect_near(run, out, colour, n * 4, 1e-5, 1e-5);
	free(position);
	free(normal);
	free(colour);
}

const ex_example ex_lighting = {
    .name = "lighting",
    .source = "lighting/lighting.cl",
    .about = "lamps on a surface: dot products and normalisations",
    .host = host,
    .sizes = {"1", "100", "15000"},
};
