// 64 weights in constant memory, at addresses that all lanes share, and a table in which each lane reads another word.
constant float weights[64] = {0.5f, 0.25f, 0.125f, 1.0f, 2.0f, 3.0f, 5.0f, 7.0f, 11.0f, 13.0f, 17.0f, 19.0f};
constant int turn[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

kernel void weigh(global float *out, global const float *in)
{
	uint i = get_global_id(0);
	float sum = turn[i & 15];
#pragma unroll 1
	for (uint k = 0; k < 64; k++)
		sum += weights[k] * in[i + k];
	out[i] = sum;
}
