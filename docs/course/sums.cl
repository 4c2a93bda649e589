/* Each thread adds up EACH elements: neighbours in memory, or elements that lie as far apart as there are threads. */
#ifndef EACH
#define EACH 32
#endif
kernel void blocked(global const float *in, global float *out)
{
	uint i = get_global_id(0);
	float sum = 0.0f;
#pragma unroll 1
	for (uint k = 0; k < EACH; k++)
		sum += in[i * EACH + k];
	out[i] = sum;
}

kernel void interleaved(global const float *in, global float *out)
{
	uint i = get_global_id(0), threads = get_global_size(0);
	float sum = 0.0f;
#pragma unroll 1
	for (uint k = 0; k < EACH; k++)
		sum += in[k * threads + i];
	out[i] = sum;
}
