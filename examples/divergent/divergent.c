#include "example.h"

enum { HALT, ADD, MUL, XOR, SHIFT, SKIP, LOOP, COLLATZ, SEARCH, FAIL, KINDS };
enum { STACK = 4 };

static uint32_t collatz(uint32_t n, uint32_t limit)
{
	uint32_t steps = 0;
	while (n != 1) {
		if (steps == limit)
			return ~steps;
		n = n & 1 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Returns false when the search is abandoned. */
static bool search(uint32_t *x, uint32_t operand)
{
	uint32_t found = 0;
	for (uint32_t i = 1; i < 6 && !found; i++) {
		for (uint32_t j = i; j < 6; j++) {
			if (((i * j) ^ *x) % 11 == operand % 11) {
				found = i * 8 + j;
				break;
			}
			if ((*x >> j & 7) == 5)
				return false;
		}
	}
	*x ^= found;
	return true;
}

static uint32_t reference(const uint32_t *code, uint32_t length, uint32_t x, uint32_t budget)
{
	uint32_t counter[STACK], start[STACK], depth = 0, pc = 0;
	for (; budget > 0; budget--, x = x * 5 + 1) {
	again:
		if (pc >= length)
			return x ^ 0x11111111;
		uint32_t word = code[pc++], operand = word >> 8, kind = word % KINDS;
		if (kind == HALT) {
			if (operand & 1)
				return x;
		} else if (kind == ADD) {
			x += operand;
		} else if (kind == MUL || kind == XOR) {
			x *= kind == MUL ? operand | 1 : 1;
			x ^= operand << 7;
		} else if (kind == SHIFT) {
			x = x >> (operand & 15) | x << (16 - (operand & 15));
			x += x & 1 ? 0 : 0x9e3779b9;
		} else if (kind == SKIP) {
			if ((x & 3) == (operand & 3)) {
				pc += operand % 3;
				if (--budget == 0)
					break;
				goto again; /* the kernel's `continue`: not the last line of the loop */
			}
			x--;
		} else if (kind == LOOP) {
			bool mine = depth > 0 && start[depth - 1] == pc;
			if (mine && --counter[depth - 1] == 0) {
				depth--;
			} else if (mine || depth < STACK) {
				if (!mine) {
					start[depth] = pc;
					counter[depth++] = (x & 3) + 1;
				}
				pc -= least(operand % 4 + 2, pc);
			}
		} else if (kind == COLLATZ) {
			x += collatz((x & 63) + 1, operand & 31);
		} else if (kind == SEARCH) {
			search(&x, operand);
		} else {
			if (x % 29 == 0)
				return ~x;
			x += pc;
		}
	}
	return x ^ 0x77777777;
}

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[] = {1, 45, 300, 1000};
	uint32_t n = sizes[size], at = 0;
	const uint32_t budget = 100;
	uint64_t seed = 16;
	uint32_t *code = hd_xmalloc(n * 24 * sizeof *code), *first = hd_xmalloc((n + 1) * sizeof *first),
	         *expected = hd_xmalloc(n * sizeof *expected);
	for (uint32_t i = 0; i < n; i++) {
		first[i] = at;
		for (uint32_t length = 4 + ex_random_below(&seed, 20); length; length--)
			code[at++] = (uint32_t)hd_random(&seed);
		expected[i] = reference(code + first[i], at - first[i], i * 2654435761u, budget);
	}
	first[n] = at;
	unsigned code_buffer = ex_buffer(run, "code", at * sizeof *code, code),
	         first_buffer = ex_buffer(run, "first", (n + 1) * sizeof *first, first);
	unsigned out = ex_buffer(run, "out", n * sizeof *expected, NULL);
	ex_launch(run, "divergent", ex_1d(ex_groups(n, 64), 64), ex_buf(code_buffer), ex_buf(first_buffer), ex_buf(out), ex_u32(n), ex_u32(budget));
	ex_expect_u32(run, out, expected, n);
	free(code);
	free(first);
	free(expected);
}

const ex_example ex_divergent = {
    .name = "divergent",
    .source = "divergent/divergent.cl",
    .about = "an interpreter in every lane: deep divergence, early returns, calls",
    .unstructured = true,
    .host = host,
    .sizes = {"1", "45", "300", "1000"},
};
