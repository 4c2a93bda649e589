/* One thread follows indices from line to line: the latency of a load. */
kernel void chase(global uint *out, global const uint *table, uint n, uint rounds)
{
	uint at = 0;
	for (uint k = 0; k < n * rounds; k++)
		at = table[at];
	out[0] = at;
}

/* All threads read `n` words `rounds` times: the bandwidth of loads. `n` is a multiple of eight times the threads. */
kernel void stream(global uint *out, global const uint *table, uint n, uint rounds)
{
	uint i = get_global_id(0), threads = get_global_size(0), sum = 0;
	for (uint r = 0; r < rounds; r++) {
		for (uint at = i; at < n; at += 8 * threads) {
			uint a = table[at], b = table[at + threads], c = table[at + 2 * threads], d = table[at + 3 * threads];
			uint e = table[at + 4 * threads], f = table[at + 5 * threads], g = table[at + 6 * threads], h = table[at + 7 * threads];
			sum += a + b + c + d + e + f + g + h;
		}
	}
	out[i] = sum;
}
