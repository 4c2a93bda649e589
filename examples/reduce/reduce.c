#include "example.h"

#include <math.h>

enum { GROUP = 128, GROUPS_MAX = 24 };

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[] = {1, 129, 5000, 300001};
	uint32_t n = sizes[size], sum = 0;
	float range[2] = {INFINITY, -INFINITY};
	uint64_t seed = 3;
	uint32_t *numbers = hd_xmalloc(n * sizeof *numbers);
	float *floats = hd_xmalloc(n * sizeof *floats);
	for (uint32_t i = 0; i < n; i++) {
		numbers[i] = (uint32_t)hd_random(&seed);
		floats[i] = ex_random_f32(&seed, -1000, 1000);
		sum += numbers[i];
		range[0] = fminf(range[0], floats[i]);
		range[1] = fmaxf(range[1], floats[i]);
	}
	uint32_t groups = ex_groups(n, GROUP) < GROUPS_MAX ? ex_groups(n, GROUP) : GROUPS_MAX;
	unsigned in = ex_buffer(run, "numbers", n * sizeof *numbers, numbers);
	unsigned partial = ex_buffer(run, "partial sums", GROUPS_MAX * sizeof(uint32_t), NULL), total = ex_buffer(run, "sum", sizeof(uint32_t), NULL);
	ex_launch(run, "reduce_sum", ex_1d(groups, GROUP), ex_buf(in), ex_buf(partial), ex_u32(n), ex_local(GROUP * sizeof(uint32_t)));
	ex_launch(run, "reduce_sum", ex_1d(1, 32), ex_buf(partial), ex_buf(total), ex_u32(groups), ex_local(32 * sizeof(uint32_t)));
	ex_expect_u32(run, total, &sum, 1);

	/* The device computes the range of each group. The host then computes the range of all groups. */
	unsigned floats_in = ex_buffer(run, "floats", n * sizeof *floats, floats),
	         ranges = ex_buffer(run, "ranges", GROUPS_MAX * 2 * sizeof(float), NULL);
	ex_launch(run, "reduce_range", ex_1d(groups, GROUP), ex_buf(floats_in), ex_buf(ranges), ex_u32(n));
	float got[GROUPS_MAX][2], all[2] = {INFINITY, -INFINITY};
	ex_read(run, ranges, got, groups * sizeof got[0]);
	for (uint32_t i = 0; i < groups; i++) {
		all[0] = fminf(all[0], got[i][0]);
		all[1] = fmaxf(all[1], got[i][1]);
	}
	ex_write(run, ranges, all, sizeof all);
	ex_expect_f32(run, ranges, range, 2, 0, 0);
	free(numbers);
	free(floats);
}

const ex_example ex_reduce = {
    .name = "reduce",
    .source = "reduce/reduce.cl",
    .about = "sum, minimum and maximum by trees in local memory",
    .host = host,
    .sizes = {"1", "129", "5000", "300001"},
};
