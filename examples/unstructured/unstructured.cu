// Control flow that is no nest of ifs and loops, as a CUDA program (docs/divergence.md). Host and device call the same functions.
#include "../example.cuh"

enum { BLOCK = 64 };

// Conditions with && and ||, whose operands are calls, tests and assignments at once.
__host__ __device__ inline unsigned short_circuit(unsigned x)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < 40; i++) {
		x = x * 1664525u + 1013904223u;
		unsigned a = x >> 28, b = x >> 20 & 15, c = x >> 12 & 15;
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

// A scanner: states are labels, and every character may lead to any of them.
__host__ __device__ inline unsigned state_machine(unsigned x)
{
	unsigned left = 48 + (x & 31), numbers = 0, words = 0, value = 0, errors = 0;
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

// Searches that end in the middle of nested loops, in several ways.
__host__ __device__ inline unsigned early_exit(unsigned x)
{
	unsigned found = 0;
	for (unsigned i = 0; i < 12; i++) {
		x = x * 1664525u + 1013904223u;
		for (unsigned j = 0; j < 12; j++) {
			unsigned v = (x >> (j + i)) * (j + 3);
			if (v % 61 == 7)
				goto next;
			if (v % 97 == 5)
				return found * 4 + 1;
			for (unsigned k = 0; k < (v & 7); k++) {
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

// An interpreter whose cases fall through to each other and jump back to each other.
__host__ __device__ inline unsigned interpreter(unsigned x)
{
	unsigned a = x, b = 1, depth = 0, counter = 0;
	for (unsigned steps = 0; steps < 60; steps++) {
		x = x * 1664525u + 1013904223u;
		switch (x >> 28) {
		case 0:
		case 1:
			a += b;
			break;
		case 2:
			b ^= a >> 3; // fall through
		case 3:
			a = a * 5 + 3;
			break;
		case 4:
			if (depth < 3) {
				depth++;
				continue;
			} // fall through
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

__host__ __device__ inline unsigned seed_of(unsigned i) { return i * 2654435761u + 12345; }

template <unsigned (*function)(unsigned)> __global__ void each(unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = function(seed_of(i));
}

template <unsigned (*function)(unsigned)> static void run_one(Outputs &outputs, const char *name, unsigned n)
{
	std::vector<unsigned> expected(n);
	for (unsigned i = 0; i < n; i++)
		expected[i] = function(seed_of(i));
	unsigned *out = zeros_on_device<unsigned>(n);
	each<function><<<blocks_for(n, BLOCK), BLOCK>>>(out, n);
	CHECK(cudaGetLastError());
	outputs.equal(name, to_host(out, n), expected);
	CHECK(cudaFree(out));
}

static void run(Outputs &outputs, unsigned n)
{
	run_one<short_circuit>(outputs, "short-circuit", n);
	run_one<state_machine>(outputs, "state-machine", n);
	run_one<early_exit>(outputs, "early-exit", n);
	run_one<interpreter>(outputs, "interpreter", n);
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 100, 4096};
	return run_sizes(argc, argv, sizes, run);
}
