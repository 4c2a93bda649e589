/* docs/divergence.md: `build/bench/heddle-walk bench/walk.cl walk 8`. */
__attribute__((noinline)) uint power(uint x)
{
	uint y = 1;
#pragma unroll 1
	for (uint k = x & 3; k > 0; k--)
		y *= x;
	return y;
}

__kernel void walk(__global volatile uint *out)
{
	uint i = get_local_id(0);
	if (i < 6) {
		if (i > 2) {
			out[i] = power(i);
		} else {
			out[i] = 5;
			out[i + 8] = 6;
		}
	}
	out[i + 16] = i;
}
