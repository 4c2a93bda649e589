/* Counts how often each byte occurs. Work-items collide on frequent values, so they add with atomics: first in local memory, which is close, then once for each bin
 * and group in global memory. The sum does not depend on the order, so the result is the same on every run. */
#define BINS 256

__kernel void histogram(__global const uchar *data, __global uint *bins, uint n)
{
	__local uint local_bins[BINS];
	for (uint i = get_local_id(0); i < BINS; i += get_local_size(0))
		local_bins[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		atomic_inc(&local_bins[data[i]]);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_local_id(0); i < BINS; i += get_local_size(0)) {
		uint count = local_bins[i];
		if (count)
			atomic_add(&bins[i], count);
	}
}

/* The same without local memory: every byte needs an atomic in global memory. */
__kernel void histogram_global(__global const uchar *data, __global uint *bins, uint n)
{
	uint i = get_global_id(0);
	if (i < n)
		atomic_inc(&bins[data[i]]);
}
