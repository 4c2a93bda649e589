/* Loads at scattered addresses, most of which miss, beside loads of one small table, which hit: what `may_replay` is for (docs/predecode.md). */
kernel void gather(global float *out, global const float *table, global const float *weights, uint mask, uint n)
{
	uint i = get_global_id(0), at = i * 2654435761u;
	float sum = 0;
	for (uint k = 0; k < n; k++) {
		at = at * 1664525u + 1013904223u;
		sum += table[(at >> 8) & mask] * weights[(i + k) & 31];
	}
	out[i] = sum;
}
