/* A synthetic kernel of two types of instructions that alternate (mix.cl), for heddle-multi-issue. */
#ifndef HEDDLE_BENCH_MIX_H
#define HEDDLE_BENCH_MIX_H

#include "example.h"

#include <math.h>

enum { MIX_ROUNDS = 32, MIX_LOCAL = 256 };

static float mixed(unsigned i)
{
	float v[8];
	for (unsigned n = 0; n < 8; n++)
		v[n] = (float)n;
	for (unsigned k = 0; k < MIX_ROUNDS; k++) {
		for (unsigned n = 0; n < 8; n += 2) {
			v[n] = fmaf(v[n], 0.5f, (float)((i & 127) + (k & 15) + 8 * n));
			v[n + 1] = fmaf(v[n + 1], 0.25f, (float)(n / 2 + 1));
		}
	}
	return v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];
}

static void run_mix(ex_run *run, unsigned size)
{
	enum { GROUPS = 16, N = GROUPS * MIX_LOCAL };
	static float expected[N];
	unsigned out = ex_buffer(run, "out", sizeof expected, NULL);
	for (unsigned i = 0; i < N; i++)
		expected[i] = mixed(i % MIX_LOCAL);
	ex_launch(run, "mix", ex_1d(GROUPS, MIX_LOCAL), ex_buf(out), ex_u32(MIX_ROUNDS));
	ex_expect_f32(run, out, expected, N, 1e-5, 0);
	(void)size;
}

static const ex_example mix = {.name = "mix", .source = "../bench/mix.cl", .host = run_mix, .sizes = {"16 groups of 256"}};

#endif
