#include "example.h"

/* The kernels' functions for the host: all arithmetic is on 32-bit words. */
typedef uint32_t word;

/* Conditions with && and ||, whose operands are calls, tests and assignments at once. */
static word short_circuit(word x)
{
	word sum = 0;
	for (word i = 0; i < 40; i++) {
		x = x * 1664525u + 1013904223u;
		word a = x >> 28, b = x >> 20 & 15, c = x >> 12 & 15;
		if ((a > 5 && (b < 9 || (c & 3) == 1)) || (a < 2 && b != c && (sum & 1) != 0)) {
			sum += a * b + c;
			if (c == 7 || (b == 3 && a > 9))
				continue;
			sum ^= x >> 7;
		} else if (b > 11 && !(c > 4 && a == 4)) {
			sum += 3 * c;
		}
		sum = sum << 1 | sum >> 31;
	}
	return sum;
}

/* A scanner: states are labels, and every character may lead to any of them. */
static word state_machine(word x)
{
	word left = 48 + (x & 31), numbers = 0, words = 0, value = 0, errors = 0;
start:
	if (left-- == 0)
		goto end;
	x = x * 1664525u + 1013904223u;
	if (x >> 29 < 2)
		goto number;
	if (x >> 29 < 4)
		goto word;
	if (x >> 29 == 7)
		goto comment;
	goto start;
number:
	numbers++;
	value = value * 10 + (x >> 20 & 7);
	if (left-- == 0)
		goto end;
	x = x * 1664525u + 1013904223u;
	if (x >> 30 == 0)
		goto number;
	if (x >> 30 == 1)
		goto start;
	if (x >> 27 == 31)
		goto bad;
word:
	words += value & 3;
	if (left-- == 0)
		goto end;
	x = x * 1664525u + 1013904223u;
	if (x >> 30 != 2)
		goto word;
	if (x >> 25 & 1)
		goto number;
	goto start;
comment:
	value ^= x >> 3;
	if (left-- == 0)
		goto end;
	x = x * 1664525u + 1013904223u;
	if (x >> 29 > 2)
		goto comment;
	goto start;
bad:
	if (++errors < 3)
		goto start;
	return ~value;
end:
	return value + words * 31 + numbers * 1009;
}

/* Searches that end in the middle of nested loops, in several ways. */
static word early_exit(word x)
{
	word found = 0;
	for (word i = 0; i < 12; i++) {
		x = x * 1664525u + 1013904223u;
		for (word j = 0; j < 12; j++) {
			word v = (x >> (j + i)) * (j + 3);
			if (v % 61 == 7)
				goto next;
			if (v % 97 == 5)
				return found * 4 + 1;
			for (word k = 0; k < (v & 7); k++) {
				if (((v >> k) ^ x) % 211 == 0)
					goto out;
				found += v >> k & 3;
			}
			if ((v & 0xff) == 0xa5)
				break;
		}
		found ^= x >> 9;
	next:
		found = found * 5 + 1;
	}
	return found * 4 + 2;
out:
	return found * 4 + 3;
}

/* An interpreter whose cases fall through to each other and jump back to each other. */
static word interpreter(word x)
{
	word a = x, b = 1, depth = 0, counter = 0;
	for (word steps = 0; steps < 60; steps++) {
		x = x * 1664525u + 1013904223u;
		switch (x >> 28) {
		case 0:
		case 1:
			a += b;
			break;
		case 2:
			b ^= a >> 3; /* fall through */
		case 3:
			a = a * 5 + 3;
			break;
		case 4:
			if (depth < 3) {
				depth++;
				continue;
			} /* fall through */
		case 5:
		leave:
			if (depth > 0)
				depth--;
			b += depth;
			break;
		case 6:
			if ((a & 7) == 3)
				return a ^ b;
			break;
		case 7:
			for (counter = 0; counter < (b & 7); counter++)
				if ((a >> counter & 15) == 9)
					goto leave;
			a -= counter;
			break;
		case 8:
			if (a & 1)
				goto leave;
			b = b << 3 | b >> 29;
			break;
		default:
			a ^= x >> 11;
			if ((x & 0x70) == 0)
				goto done;
		}
		b++;
	}
done:
	return a * 3 + b + depth;
}

static void host(ex_run *run, unsigned size, word (*function)(word), const char *kernel)
{
	static const uint32_t sizes[] = {1, 100, 4096};
	uint32_t n = sizes[size], *expected = hd_xmalloc(n * sizeof *expected);
	for (uint32_t i = 0; i < n; i++)
		expected[i] = function(i * 2654435761u + 12345);
	unsigned out = ex_buffer(run, "out", n * sizeof *expected, NULL);
	ex_launch(run, kernel, ex_1d(ex_groups(n, 64), 64), ex_buf(out), ex_u32(n));
	ex_expect_u32(run, out, expected, n);
	free(expected);
}

static void host_short_circuit(ex_run *run, unsigned size) { host(run, size, short_circuit, "run_short_circuit"); }
const ex_example ex_short_circuit = {
    .name = "short-circuit",
    .source = "unstructured/unstructured.cl",
    .about = "conditions with && and ||",
    .unstructured = true,
    .host = host_short_circuit,
    .sizes = {"1", "100", "4096"},
};

static void host_state_machine(ex_run *run, unsigned size) { host(run, size, state_machine, "run_state_machine"); }
const ex_example ex_state_machine = {
    .name = "state-machine",
    .source = "unstructured/unstructured.cl",
    .about = "a scanner whose states are labels",
    .unstructured = true,
    .host = host_state_machine,
    .sizes = {"1", "100", "4096"},
};

static void host_early_exit(ex_run *run, unsigned size) { host(run, size, early_exit, "run_early_exit"); }
const ex_example ex_early_exit = {
    .name = "early-exit",
    .source = "unstructured/unstructured.cl",
    .about = "returns and gotos out of nested loops",
    .unstructured = true,
    .host = host_early_exit,
    .sizes = {"1", "100", "4096"},
};

static void host_interpreter(ex_run *run, unsigned size) { host(run, size, interpreter, "run_interpreter"); }
const ex_example ex_interpreter = {
    .name = "interpreter",
    .source = "unstructured/unstructured.cl",
    .about = "a switch in a loop with cases that run into each other",
    .unstructured = true,
    .host = host_interpreter,
    .sizes = {"1", "100", "4096"},
};
