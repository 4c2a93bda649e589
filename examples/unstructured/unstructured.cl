/* Control flow that is no nest of ifs and loops. A stack of reconvergence points handles it badly, because the paths of such code meet long before the
 * immediate post-dominator (docs/divergence.md). */

/* Conditions with && and ||, whose operands are calls, tests and assignments at once. */
static uint short_circuit(uint x)
{
	uint sum = 0;
	for (uint i = 0; i < 40; i++) {
		x = x * 1664525u + 1013904223u;
		uint a = x >> 28, b = x >> 20 & 15, c = x >> 12 & 15;
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
static uint state_machine(uint x)
{
	uint left = 48 + (x & 31), numbers = 0, words = 0, value = 0, errors = 0;
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
static uint early_exit(uint x)
{
	uint found = 0;
	for (uint i = 0; i < 12; i++) {
		x = x * 1664525u + 1013904223u;
		for (uint j = 0; j < 12; j++) {
			uint v = (x >> (j + i)) * (j + 3);
			if (v % 61 == 7)
				goto next;
			if (v % 97 == 5)
				return found * 4 + 1;
			for (uint k = 0; k < (v & 7); k++) {
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
static uint interpreter(uint x)
{
	uint a = x, b = 1, depth = 0, counter = 0;
	for (uint steps = 0; steps < 60; steps++) {
		x = x * 1664525u + 1013904223u;
		switch (x >> 28) {
		case 0:
		case 1:
			a += b;
			break;
		case 2:
			b ^= a >> 3;
		case 3:
			a = a * 5 + 3;
			break;
		case 4:
			if (depth < 3) {
				depth++;
				continue;
			}
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

__kernel void run_short_circuit(__global uint *out, uint n)
{
	uint i = get_global_id(0);
	if (i < n)
		out[i] = short_circuit(i * 2654435761u + 12345);
}

__kernel void run_state_machine(__global uint *out, uint n)
{
	uint i = get_global_id(0);
	if (i < n)
		out[i] = state_machine(i * 2654435761u + 12345);
}

__kernel void run_early_exit(__global uint *out, uint n)
{
	uint i = get_global_id(0);
	if (i < n)
		out[i] = early_exit(i * 2654435761u + 12345);
}

__kernel void run_interpreter(__global uint *out, uint n)
{
	uint i = get_global_id(0);
	if (i < n)
		out[i] = interpreter(i * 2654435761u + 12345);
}
