#include "example.h"

enum { ITEMS = 64, BLOCK = 2 * ITEMS };

/* Scans `in` to `out`. It calls itself for the totals of the blocks. */
static void scan(ex_run *run, unsigned in, unsigned out, uint32_t n)
{
	uint32_t blocks = ex_groups(n, BLOCK);
	unsigned sums = ex_buffer(run, "sums", blocks * sizeof(uint32_t), NULL);
	ex_launch(run, "scan_blocks", ex_1d(blocks, ITEMS), ex_buf(in), ex_buf(out), ex_buf(sums), ex_u32(n), ex_local(BLOCK * sizeof(uint32_t)));
	if (blocks == 1)
		return;
	unsigned before = ex_buffer(run, "before", blocks * sizeof(uint32_t), NULL);
	scan(run, sums, before, blocks);
	ex_launch(run, "scan_add", ex_1d(blocks, ITEMS), ex_buf(out), ex_buf(before), ex_u32(n));
}

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[] = {1, 127, 1000, 50001};
	uint32_t n = sizes[size], sum = 0;
	uint64_t seed = 4;
	uint32_t *in = hd_xmalloc(n * sizeof *in), *expected = hd_xmalloc(n * sizeof *expected);
	for (uint32_t i = 0; i < n; i++) {
		in[i] = (uint32_t)hd_random(&seed);
		expected[i] = sum;
		sum += in[i];
	}
	unsigned in_buffer = ex_buffer(run, "in", n * sizeof *in, in), out = ex_buffer(run, "out", n * sizeof *in, NULL);
	scan(run, in_buffer, out, n);
	ex_expect_u32(run, out, expected, n);
	free(in);
	free(expected);
}

const ex_example ex_scan = {
    .name = "scan",
    .source = "scan/scan.cl",
    .about = "exclusive prefix sum, block by block",
    .host = host,
    .sizes = {"1", "127", "1000", "50001"},
};
