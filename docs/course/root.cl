/* 64 steps of Newton's method for a square root, without a division: arithmetic and little else. */
kernel void root(global const float *in, global float *out)
{
	uint i = get_global_id(0);
	float x = in[i] + 1.0f, y = 0.5f;
	for (int step = 0; step < 64; step++)
		y = y * (1.5f - 0.5f * x * y * y);
	out[i] = x * y;
}
