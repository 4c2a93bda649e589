/* Loads from shared memory, integers and a square root of each element: three pipelines have work. */
kernel void mix(global const float *in, global float *out)
{
	local float near[512];
	uint i = get_global_id(0), here = get_local_id(0);
	near[here] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	float sum = 0.0f;
#pragma unroll 1
	for (uint k = 1; k <= 16; k++)
		sum += native_sqrt(near[here ^ k]) * k;
	out[i] = sum;
}
