/* A polynomial of degree 16. Each step makes a value that only the next step reads. */
kernel void horner(global const float *in, global float *out)
{
	uint i = get_global_id(0);
	float x = in[i], y = 1.0f;
#pragma unroll
	for (int k = 16; k > 0; k--)
		y = y * x + 1.0f / k;
	out[i] = y;
}
