#include "example.h"

/* The kernel's functions for the host: all arithmetic is on 32-bit words. */
/* Gotos into loops and between them. The cycles have several entries, unlike the loops that a compiler makes. */
static uint32_t into_loops(uint32_t x)
{
	uint32_t sum = 0, i = 0, j = 0, steps = 0;
	if (x >> 30 == 1)
		goto middle;
	if (x >> 30 == 2)
		goto inner;
	for (i = 0; i < 16; i++) {
		x = x * 1664525u + 1013904223u;
		sum += x >> 27;
		for (j = x >> 29; j < 9; j++) {
		inner:
			sum ^= x >> (j & 7);
			x = x * 22695477u + j;
			if (++steps > 150)
				goto end;
			if (x >> 30 == 0)
				goto middle;
			sum += j * 3;
		}
		if (x >> 31 == 0)
			continue;
	middle:
		sum = sum * 3 + 1;
		x ^= sum >> 3;
		if ((x & 31) == 5)
			goto inner;
	}
end:
	return sum * 7 + steps;
}

/* Two loops, each of which is the body of the other. */
static uint32_t two_loops(uint32_t x)
{
	uint32_t a = x & 255, b = x >> 8 & 255, turns = 0;
	if (x & 1)
		goto second;
first:
	a = a * 5 + 1;
	x = x * 1664525u + 1013904223u;
	if (++turns > 60)
		goto end;
	if (x >> 31)
		goto first;
	b ^= a;
second:
	b = b * 9 + 7;
	x = x * 22695477u + 1;
	if (++turns > 60)
		goto end;
	if (x >> 30 == 3)
		goto second;
	if (x >> 29 != 0)
		goto first;
	a ^= b << 3;
end:
	return a * 31 + b;
}

static void host_goto(ex_run *run, unsigned size)
{
	static const uint32_t sizes[] = {1, 100, 2000};
	uint32_t n = sizes[size], *expected = hd_xmalloc(n * sizeof *expected);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = i * 2654435761u + 12345;
		expected[i] = into_loops(x) ^ two_loops(x * 3);
	}
	unsigned out = ex_buffer(run, "out", n * sizeof *expected, NULL);
	ex_launch(run, "run_goto", ex_1d(ex_groups(n, 64), 64), ex_buf(out), ex_u32(n));
	ex_expect_u32(run, out, expected, n);
	free(expected);
}

const ex_example ex_goto = {
    .name = "goto",
    .source = "unstructured/goto.cl",
    .about = "gotos into loops: irreducible control flow",
    .unstructured = true,
    .host = host_goto,
    .sizes = {"1", "100", "2000"},
};
