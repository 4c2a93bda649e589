#include "example.h"

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[] = {1, 1000, 100003};
	uint32_t n = sizes[size], expected[256] = {0};
	uint64_t seed = 5;
	unsigned char *data = hd_xmalloc(n);
	for (uint32_t i = 0; i < n; i++) {
		/* The sum of two random values, like that of two dice. Values in the middle are more frequent and collide. */
		data[i] = (unsigned char)(ex_random_below(&seed, 128) + ex_random_below(&seed, 128));
		expected[data[i]]++;
	}
	unsigned in = ex_buffer(run, "data", n, data), bins = ex_buffer(run, "bins", sizeof expected, NULL);
	unsigned global_bins = ex_buffer(run, "global bins", sizeof expected, NULL);
	uint32_t groups = ex_groups(n, 192 * 8);
	ex_launch(run, "histogram", ex_1d(groups, 192), ex_buf(in), ex_buf(bins), ex_u32(n));
	ex_launch(run, "histogram_global", ex_1d(ex_groups(n, 192), 192), ex_buf(in), ex_buf(global_bins), ex_u32(n));
	ex_expect_u32(run, bins, expected, 256);
	ex_expect_u32(run, global_bins, expected, 256);
	free(data);
}

const ex_example ex_histogram = {
    .name = "histogram",
    .source = "histogram/histogram.cl",
    .about = "counts of bytes by local and global atomics",
    .host = host,
    .sizes = {"1", "1000", "100003"},
};
