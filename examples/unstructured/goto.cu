// Irreducible control flow as a CUDA program (docs/divergence.md): both functions keep their cycles with two entries through the compilers. Host and
// device call the same functions.
#include "../example.cuh"

enum { BLOCK = 64 };

// Gotos into loops and between them. The cycles have several entries, unlike the loops that a compiler makes.
__host__ __device__ inline unsigned into_loops(unsigned x)
{
	unsigned sum = 0, i = 0, j = 0, steps = 0;
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

// Two loops, each of which is the body of the other.
__host__ __device__ inline unsigned two_loops(unsigned x)
{
	unsigned a = x & 255, b = x >> 8 & 255, turns = 0;
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

__host__ __device__ inline unsigned both(unsigned i)
{
	unsigned x = i * 2654435761u + 12345;
	return into_loops(x) ^ two_loops(x * 3);
}

__global__ void run_goto(unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = both(i);
}

static void run(Outputs &outputs, unsigned n)
{
	std::vector<unsigned> expected(n);
	for (unsigned i = 0; i < n; i++)
		expected[i] = both(i);
	unsigned *out = zeros_on_device<unsigned>(n);
	run_goto<<<blocks_for(n, BLOCK), BLOCK>>>(out, n);
	CHECK(cudaGetLastError());
	outputs.equal("out", to_host(out, n), expected);
	CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 100, 2000};
	return run_sizes(argc, argv, sizes, run);
}
