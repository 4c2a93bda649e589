/* Sparse matrix times vector. The matrix is in compressed rows: row r has the values and columns from first[r] to first[r + 1] - 1. */

/* One work-item for each row. This is simple, but a warp waits for its longest row, and loads are scattered. */
__kernel void spmv_scalar(__global const uint *first, __global const uint *column, __global const float *value, __global const float *x, __global float *y, uint rows)
{
	uint row = get_global_id(0);
	if (row >= rows)
		return;
	float sum = 0;
	for (uint i = first[row]; i < first[row + 1]; i++)
		sum = fma(value[i], x[column[i]], sum);
	y[row] = sum;
}

#define LANES 32

/* A work-group of 32 for each row. Loads are contiguous, and a tree in local memory adds the lanes' sums. Rows shorter than 32 leave lanes idle. */
__kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void spmv_vector(__global const uint *first, __global const uint *column, __global const float *value, __global const float *x, __global float *y)
{
	__local float part[LANES];
	uint row = get_group_id(0), lane = get_local_id(0);
	float sum = 0;
	for (uint i = first[row] + lane; i < first[row + 1]; i += LANES)
		sum = fma(value[i], x[column[i]], sum);
	part[lane] = sum;
	for (uint half_size = LANES / 2; half_size > 0; half_size /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < half_size)
			part[lane] += part[lane + half_size];
	}
	if (lane == 0)
		y[row] = part[0];
}
