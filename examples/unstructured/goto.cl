/* Irreducible control flow (RC-15, docs/divergence.md): both functions keep their cycles with two entries through clang and our compiler. */

/* Gotos into loops and between them. The cycles have several entries, unlike the loops that a compiler makes. */
static uint into_loops(uint x)
{
	uint sum = 0, i = 0, j = 0, steps = 0;
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
static uint two_loops(uint x)
{
	uint a = x & 255, b = x >> 8 & 255, turns = 0;
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

__kernel void run_goto(__global uint *out, uint n)
{
	uint i = get_global_id(0);
	if (i < n) {
		uint x = i * 2654435761u + 12345;
		out[i] = into_loops(x) ^ two_loops(x * 3);
	}
}
