/* Divergence without end: every work-item interprets its own little program. A switch is inside two nested loops, with breaks, continues, early returns and a call
 * that only some lanes make. Two lanes rarely take the same path for long. All arithmetic is on unsigned words, so the host computes the same bits. */

enum { HALT, ADD, MUL, XOR, SHIFT, SKIP, LOOP, COLLATZ, SEARCH, FAIL, KINDS };
#define STACK 4

/* The function is not inlined. Lanes call it from a divergent place and return from it at different times. */
__attribute__((noinline)) uint collatz(uint n, uint limit)
{
	uint steps = 0;
	while (n != 1) {
		if (steps == limit)
			return ~steps;
		n = n & 1 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

uint run(__global const uint *code, uint length, uint x, uint budget)
{
	uint counter[STACK], start[STACK], depth = 0;
	for (uint pc = 0; budget > 0; budget--) {
		if (pc >= length)
			return x ^ 0x11111111; /* the program has no more words */
		uint word = code[pc++], operand = word >> 8;
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
			/* fall through */
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
		case LOOP: /* run the words from here to the loop's end again until the counter is used up */
			if (depth > 0 && start[depth - 1] == pc) {
				if (--counter[depth - 1] == 0)
					depth--;
				else
					pc -= min(operand % 4 + 2, pc);
			} else if (depth < STACK) {
				start[depth] = pc;
				counter[depth++] = (x & 3) + 1;
				pc -= min(operand % 4 + 2, pc);
			}
			break;
		case COLLATZ:
			x += collatz((x & 63) + 1, operand & 31);
			break;
		case SEARCH: { /* two loops, with exits from inside both */
			uint found = 0;
			for (uint i = 1; i < 6 && !found; i++) {
				for (uint j = i; j < 6; j++) {
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
	return x ^ 0x77777777; /* the budget is used up */
}

__kernel void divergent(__global const uint *code, __global const uint *first, __global uint *out, uint n, uint budget)
{
	uint i = get_global_id(0);
	if (i >= n)
		return;
	out[i] = run(code + first[i], first[i + 1] - first[i], i * 2654435761u, budget);
}
