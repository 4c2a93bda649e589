#include "example.h"

#include <math.h>

enum { ITEMS = 64, STEPS = 2 };

/* The reference in double precision. Kernels differ from it only by rounding. */
static void reference(double *bodies, double *velocity, uint32_t n, double step)
{
	double *acceleration = hd_xcalloc(n, 3 * sizeof *acceleration);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j < n; j++) {
			double way[3], square = 0.01f;
			for (unsigned k = 0; k < 3; k++) {
				way[k] = bodies[j * 4 + k] - bodies[i * 4 + k];
				square += way[k] * way[k];
			}
			double pull = bodies[j * 4 + 3] / (square * sqrt(square));
			for (unsigned k = 0; k < 3; k++)
				acceleration[i * 3 + k] += way[k] * pull;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < 3; k++) {
			velocity[i * 4 + k] += acceleration[i * 3 + k] * step;
			bodies[i * 4 + k] += velocity[i * 4 + k] * step;
		}
	}
	free(acceleration);
}

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[] = {1, 65, 200, 500};
	uint32_t n = sizes[size];
	uint64_t seed = 8;
	const float step = 0.01f;
	float *bodies = hd_xmalloc(n * 4 * sizeof *bodies);
	double *wide = hd_xmalloc(n * 4 * sizeof *wide), *velocity = hd_xcalloc(n * 4, sizeof *velocity);
	for (uint32_t i = 0; i < n * 4; i++)
		wide[i] = (double)(bodies[i] = i % 4 == 3 ? ex_random_f32(&seed, 0.1f, 1) : ex_random_f32(&seed, -10, 10));
	unsigned bodies_buffer = ex_buffer(run, "bodies", n * 4 * sizeof *bodies, bodies);
	unsigned velocity_buffer = ex_buffer(run, "velocity", n * 4 * sizeof *bodies, NULL),
	         pull = ex_buffer(run, "acceleration", n * 4 * sizeof *bodies, NULL);
	ex_shape shape = ex_1d(ex_groups(n, ITEMS), ITEMS);
	for (unsigned i = 0; i < STEPS; i++) {
		ex_launch(run, "nbody", shape, ex_buf(bodies_buffer), ex_buf(pull), ex_u32(n), ex_local(ITEMS * 4 * sizeof(float)));
		ex_launch(run, "nbody_move", shape, ex_buf(bodies_buffer), ex_buf(velocity_buffer), ex_buf(pull), ex_f32(step), ex_u32(n));
		reference(wide, velocity, n, (double)step);
	}
	/* rsqrt may be 2 ulp off, and its cube 7 ulp. The sum of n attractions of up to 1000 (close bodies) rounds n times. */
	ex_expect_near(run, bodies_buffer, wide, n * 4, 1e-6, 1e-5);
	ex_expect_near(run, velocity_buffer, velocity, n * 4, 1e-5, 1e-5);
	free(bodies);
	free(wide);
	free(velocity);
}

const ex_example ex_nbody = {
    .name = "nbody",
    .source = "nbody/nbody.cl",
    .about = "gravity between all pairs of bodies, two steps",
    .host = host,
    .sizes = {"1", "65", "200", "500"},
};
