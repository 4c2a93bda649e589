/* `make demo`: the whole way through the library's public interface. Compiles the tiled matrix product from OpenCL C, runs it on the timed machine,
 * checks every element against the host, and prints the report.
 *
 *     heddle-demo path/to/matmul.cl [MACHINE] */
#include <heddle/heddle.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The sizes are no multiples of the tile's 16, so that edge tiles are tested, too. */
enum { M = 150, N = 130, K = 110, TILE = 16, CTAS_X = (N + TILE - 1) / TILE, CTAS_Y = (M + TILE - 1) / TILE };

static float a[M * K], b[K * N], c[M * N];

static void fill(float *at, int n, uint32_t seed)
{
	for (int i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		at[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
	}
}

/* The number of elements that differ from the host's result in any bit. The host uses fma in the same order as the kernel. */
static int count_differences(void)
{
	int different = 0;
	for (int row = 0; row < M; row++) {
		for (int column = 0; column < N; column++) {
			float sum = 0;
			for (int i = 0; i < K; i++)
				sum = fmaf(a[row * K + i], b[i * N + column], sum);
			different += memcmp(&sum, &c[row * N + column], sizeof sum) != 0;
		}
	}
	return different;
}

static int demo(heddle *h, const char *path, const char *machine)
{
	heddle_kernel kernel;
	if (!heddle_config(h, machine) || !heddle_build(h, path, NULL) || !heddle_kernel_find(h, "matmul_tiled", &kernel))
		return 2;
	printf("%s -> kernel %s: %u registers a thread, %u bytes of shared memory a CTA\n", path, kernel.name, kernel.registers, kernel.shared_bytes);

	fill(a, M * K, 1);
	fill(b, K * N, 2);
	uint64_t a_at = heddle_buffer(h, "a", a, sizeof a), b_at = heddle_buffer(h, "b", b, sizeof b), c_at = heddle_alloc(h, "c", sizeof c);
	heddle_arg args[] = {heddle_pointer(a_at), heddle_pointer(b_at), heddle_pointer(c_at), heddle_u32(M), heddle_u32(N), heddle_u32(K)};
	heddle_launch launch = {.kernel = kernel.name, .grid = {CTAS_X, CTAS_Y, 1}, .block = {TILE, TILE, 1}, .args = args, .n_args = 6};
	heddle_status status = heddle_run(h, &launch);
	if (status != HEDDLE_DONE)
		return (int)status;
	if (!heddle_read(h, c_at, c, sizeof c))
		return 2;

	int different = count_differences();
	if (different)
		printf("%d of %d elements differ from the host's\n\n", different, M * N);
	else
		printf("all %d elements of the %d x %d product are the host's, bit for bit\n\n", M * N, M, N);
	char *report = heddle_report(h, HEDDLE_TEXT);
	if (report)
		fputs(report, stdout);
	free(report);
	return different != 0;
}

int main(int argc, char **argv)
{
	if (argc < 2 || argc > 3) {
		fputs("usage: heddle-demo MATMUL.cl [MACHINE]\n", stderr);
		return 2;
	}
	heddle *h = heddle_new();
	int status = demo(h, argv[1], argc > 2 ? argv[2] : "heddle");
	fputs(heddle_messages(h), stderr);
	heddle_free(h);
	return status;
}
