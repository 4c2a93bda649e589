/* Microbenchmarks of energy: each does one thing, n times 32 times a work-item. bench/energy.c runs each twice, with n and 2n, and takes the difference,
 * so that what happens once cancels out. Inputs are not zero, and no result is known when the kernel is compiled. */

/* Integer and logic operations: two operands, one result. */
__kernel void alu(__global uint *out, __global const uint *in, uint n)
{
	uint i = get_global_id(0), a = in[i & 1023], b = a ^ i;
	for (uint k = 0; k < n; k++) {
#pragma unroll
		for (uint j = 0; j < 16; j++) {
			a = a + b;
			b = b ^ a;
		}
	}
	out[i] = a + b;
}

/* Fused multiply-adds: three operands, one result. */
__kernel void fused(__global uint *out, __global const uint *in, uint n)
{
	uint i = get_global_id(0);
	float a = as_float(in[i & 1023] & 0x3fffffff), b = 0.75f + (float)(i & 7) * 0.01f, c = 0.25f - b * 0.1f;
	for (uint k = 0; k < n; k++) {
#pragma unroll
		for (uint j = 0; j < 32; j++)
			a = fma(a, b, c);
	}
	out[i] = as_uint(a);
}

/* Loads from shared memory, a word a lane, no conflict. */
__kernel void shared_loads(__global uint *out, __global const uint *in, uint n)
{
	__local uint words[2048];
	uint i = get_global_id(0), lane = get_local_id(0), sum = 0;
	for (uint k = lane; k < 2048; k += get_local_size(0))
		words[k] = in[k & 1023];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 0; k < n; k++) {
		__local const uint *at = words + (lane & 31) + (k & 1) * 1024;
#pragma unroll
		for (uint j = 0; j < 32; j++)
			sum += at[32 * j];
	}
	out[i] = sum;
}

/* Loads that hit the first data cache: every warp reads the same 16 KB, line by line. */
__kernel void l1_loads(__global uint *out, __global const uint *in, uint n)
{
	uint i = get_global_id(0), sum = 0;
	for (uint k = 0; k < n; k++) {
		__global const uint *at = in + (i & 31) + (k & 3) * 1024;
#pragma unroll
		for (uint j = 0; j < 32; j++)
			sum += at[32 * j];
	}
	out[i] = sum;
}

/* Loads that miss the first data cache and hit the second: every warp has 8 KB of its own, those of a core 256 KB. */
__kernel void l2_loads(__global uint *out, __global const uint *in, uint n)
{
	uint i = get_global_id(0), sum = 0;
	for (uint k = 0; k < n; k++) {
		__global const uint *at = in + (i & 31) + ((i >> 5) + (k & 1) * 64) * 1024;
#pragma unroll
		for (uint j = 0; j < 32; j++)
			sum += at[32 * j];
	}
	out[i] = sum;
}

/* Loads that miss both caches: no line is read twice. */
__kernel void dram_loads(__global uint *out, __global const uint *in, uint n)
{
	uint i = get_global_id(0), sum = 0;
	for (uint k = 0; k < n; k++) {
		__global const uint *at = in + (i & 31) + ((i >> 5) + 64 * k) * 1024;
#pragma unroll
		for (uint j = 0; j < 32; j++)
			sum += at[32 * j];
	}
	out[i] = sum;
}
