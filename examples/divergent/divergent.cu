// Divergence without end, as a CUDA program: every thread interprets its own little program. A switch is inside two nested loops, with breaks,
// continues, early returns and a call that only some lanes make. Host and device call the same function.
#include "../example.cuh"

enum { HALT, ADD, MUL, XOR, SHIFT, SKIP, LOOP, COLLATZ, SEARCH, FAIL, KINDS };
enum { STACK = 4, BLOCK = 64, BUDGET = 100 };

__host__ __device__ inline unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

// The function is not inlined. Lanes call it from a divergent place and return from it at different times.
__noinline__ __host__ __device__ unsigned collatz(unsigned n, unsigned limit)
{
	unsigned steps = 0;
	while (n != 1) {
		if (steps == limit)
			return ~steps;
		n = n & 1 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

__host__ __device__ inline unsigned interpret(const unsigned *code, unsigned length, unsigned x, unsigned budget)
{
	unsigned counter[STACK] = {}, start[STACK] = {}, depth = 0;
	for (unsigned pc = 0; budget > 0; budget--) {
		if (pc >= length)
			return x ^ 0x11111111; // the program has no more words
		unsigned word = code[pc++], operand = word >> 8;
		switch (word % KINDS) {
		case HALT:
			if (operand & 1)
				return x;
			break;
		case ADD:
			x += operand;
			break;
		case MUL:
			x *= operand | 1;
			// fall through
		case XOR:
			x ^= operand << 7;
			break;
		case SHIFT:
			x = x >> (operand & 15) | x << (16 - (operand & 15));
			if (x & 1)
				break;
			x += 0x9e3779b9;
			break;
		case SKIP:
			if ((x & 3) == (operand & 3)) {
				pc += operand % 3;
				continue;
			}
			x--;
			break;
		case LOOP: // run the words from here to the loop's end again until the counter is used up
			if (depth > 0 && start[depth - 1] == pc) {
				if (--counter[depth - 1] == 0)
					depth--;
				else
					pc -= least(operand % 4 + 2, pc);
			} else if (depth < STACK) {
				start[depth] = pc;
				counter[depth++] = (x & 3) + 1;
				pc -= least(operand % 4 + 2, pc);
			}
			break;
		case COLLATZ:
			x += collatz((x & 63) + 1, operand & 31);
			break;
		case SEARCH: { // two loops, with exits from inside both
			unsigned found = 0;
			for (unsigned i = 1; i < 6 && !found; i++) {
				for (unsigned j = i; j < 6; j++) {
					if (((i * j) ^ x) % 11 == operand % 11) {
						found = i * 8 + j;
						break;
					}
					if ((x >> j & 7) == 5)
						goto done;
				}
			}
			x ^= found;
			break;
		}
		case FAIL:
			if (x % 29 == 0)
				return ~x;
			x += pc;
			break;
		}
	done:
		x = x * 5 + 1;
	}
	return x ^ 0x77777777; // the budget is used up
}

__global__ void divergent(const unsigned *code, const unsigned *first, unsigned *out, unsigned n, unsigned budget)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = interpret(code + first[i], first[i + 1] - first[i], i * 2654435761u, budget);
}

static void run(Outputs &outputs, unsigned n)
{
	Random random(16);
	std::vector<unsigned> code, first = {0}, expected;
	for (unsigned i = 0; i < n; i++) {
		for (unsigned length = 4 + random.below(20); length; length--)
			code.push_back((unsigned)random.next());
		first.push_back((unsigned)code.size());
	}
	for (unsigned i = 0; i < n; i++)
		expected.push_back(interpret(code.data() + first[i], first[i + 1] - first[i], i * 2654435761u, BUDGET));
	unsigned *device_code = to_device(code), *device_first = to_device(first), *out = zeros_on_device<unsigned>(n);
	divergent<<<blocks_for(n, BLOCK), BLOCK>>>(device_code, device_first, out, n, BUDGET);
	CHECK(cudaGetLastError());
	outputs.equal("out", to_host(out, n), expected);
	CHECK(cudaFree(device_code));
	CHECK(cudaFree(device_first));
	CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 45, 300, 1000};
	return run_sizes(argc, argv, sizes, run);
}
