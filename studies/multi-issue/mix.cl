/* docs/multi-issue.md: alternately a load of shared memory and two multiply-adds, independent of each other, so that types alternate. */
__kernel void mix(__global float *out, uint rounds)
{
	__local float tile[256];
	uint i = get_local_id(0);
	float a = 0, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7;
	tile[i & 255] = (float)(i & 255);
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
	for (uint k = 0; k < rounds; k++) {
		__local const float *at = tile + (i & 127) + (k & 15);
		a = fma(a, 0.5f, at[0]);
		b = fma(b, 0.25f, 1.0f);
		c = fma(c, 0.5f, at[16]);
		d = fma(d, 0.25f, 2.0f);
		e = fma(e, 0.5f, at[32]);
		f = fma(f, 0.25f, 3.0f);
		g = fma(g, 0.5f, at[48]);
		h = fma(h, 0.25f, 4.0f);
	}
	out[get_global_id(0)] = a + b + c + d + e + f + g + h;
}
