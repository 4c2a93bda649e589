#include "example.h"

enum { ITEMS = 64 };

typedef struct pair {
	uint32_t key, value;
} pair;

static int compare(const void *a, const void *b)
{
	const pair *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[] = {1, 100, 1024, 7000};
	uint32_t n = sizes[size], padded = 2 * ITEMS;
	while (padded < n)
		padded *= 2;
	uint64_t seed = 12;
	/* The network sorts a power of two of pairs. Pairs that sort last fill the rest. */
	pair *pairs = hd_xmalloc(padded * sizeof *pairs);
	for (uint32_t i = 0; i < padded; i++)
		pairs[i] = i < n ? (pair){ex_random_below(&seed, n), i} : (pair){UINT32_MAX, UINT32_MAX};
	unsigned buffer = ex_buffer(run, "pairs", padded * sizeof *pairs, pairs);
	ex_shape shape = ex_1d(padded / (2 * ITEMS), ITEMS);
	size_t local = 2 * ITEMS * sizeof *pairs;
	ex_launch(run, "bitonic_local", shape, ex_buf(buffer), ex_u32(2), ex_u32(2 * ITEMS), ex_local(local));
	for (uint32_t length = 4 * ITEMS; length <= padded; length *= 2) {
		for (uint32_t distance = length / 2; distance > ITEMS; distance /= 2)
			ex_launch(run, "bitonic_pass", shape, ex_buf(buffer), ex_u32(length), ex_u32(distance));
		ex_launch(run, "bitonic_local", shape, ex_buf(buffer), ex_u32(length), ex_u32(length), ex_local(local));
	}
	qsort(pairs, padded, sizeof *pairs, compare);
	ex_expect_bytes(run, buffer, pairs, padded * sizeof *pairs);
	free(pairs);
}

const ex_example ex_bitonic = {
    .name = "bitonic",
    .source = "bitonic/bitonic.cl",
    .about = "bitonic sort of key and value pairs",
    .host = host,
    .sizes = {"1", "100", "1024", "7000"},
};
