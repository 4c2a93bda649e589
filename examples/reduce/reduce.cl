/* Reductions: many values to one. Each work-group reduces its share to one value. The host launches again over these values until one is left.
 *
 * A work-group adds its values as a tree in local memory: half of the work-items add the values of the other half, then a quarter, and so on. The size of the
 * group must be a power of two. Every work-item reaches every barrier; only the additions are conditional. */

__kernel void reduce_sum(__global const uint *in, __global uint *out, uint n, __local uint *part)
{
	uint local_id = get_local_id(0), sum = 0;
	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		sum += in[i];
	part[local_id] = sum;
	for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (local_id < half_size)
			part[local_id] += part[local_id + half_size];
	}
	if (local_id == 0)
		out[get_group_id(0)] = part[0];
}

/* Minimum and maximum at once, with a fixed array as local memory. */
#define GROUP 128

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void reduce_range(__global const float *in, __global float2 *out, uint n)
{
	__local float2 part[GROUP];
	uint local_id = get_local_id(0);
	float2 range = (float2)(INFINITY, -INFINITY);
	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		range = (float2)(fmin(range.x, in[i]), fmax(range.y, in[i]));
	part[local_id] = range;
	for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (local_id < half_size) {
			float2 other = part[local_id + half_size];
			part[local_id] = (float2)(fmin(part[local_id].x, other.x), fmax(part[local_id].y, other.y));
		}
	}
	if (local_id == 0)
		out[get_group_id(0)] = part[0];
}
