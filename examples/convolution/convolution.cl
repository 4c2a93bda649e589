/* A blur by a separable filter, first along the rows, then along the columns. Two passes need 2 * RADIUS + 1 products each; one pass would need their square.
 * A work-group loads its points, and RADIUS more on either side, into local memory. Outside the image the nearest point of the image counts. */
#define RADIUS 4
#define ITEMS 64

__constant float weights[2 * RADIUS + 1] = {0.0278f, 0.0656f, 0.1210f, 0.1747f, 0.2218f, 0.1747f, 0.1210f, 0.0656f, 0.0278f};

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void convolve_rows(__global const float *in, __global float *out, int width)
{
	__local float part[ITEMS + 2 * RADIUS];
	int first = get_group_id(0) * ITEMS, row = get_group_id(1) * width, id = get_local_id(0);
	for (int i = id; i < ITEMS + 2 * RADIUS; i += ITEMS)
		part[i] = in[row + clamp(first + i - RADIUS, 0, width - 1)];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (first + id >= width)
		return;
	float sum = 0;
	for (int i = 0; i <= 2 * RADIUS; i++)
		sum = fma(weights[i], part[id + i], sum);
	out[row + first + id] = sum;
}

/* Along columns, without local memory: the work-items of a row read neighbouring words, and the cache keeps the rows. */
__kernel void convolve_columns(__global const float *in, __global float *out, int width, int height)
{
	int x = get_global_id(0), y = get_global_id(1);
	if (x >= width || y >= height)
		return;
	float sum = 0;
#pragma unroll
	for (int i = 0; i <= 2 * RADIUS; i++)
		sum = fma(weights[i], in[clamp(y + i - RADIUS, 0, height - 1) * width + x], sum);
	out[y * width + x] = sum;
}
