/* Matrix product C = A * B, in two versions. A is m x k, B is k x n, C is m x n, all row by row. */

/* One work-item computes one element, with k multiplications and 2 k loads from global memory. Neighbouring work-items read the same word of A and neighbouring
 * words of B, so the loads coalesce. But work-items read every row and column again and again. */
__kernel void matmul_naive(__global const float *a, __global const float *b, __global float *c, uint m, uint n, uint k)
{
	uint column = get_global_id(0), row = get_global_id(1);
	if (row >= m || column >= n)
		return;
	float sum = 0;
	for (uint i = 0; i < k; i++)
		sum = fma(a[row * k + i], b[i * n + column], sum);
	c[row * n + column] = sum;
}

#define TILE 16

/* A work-group computes a tile of C. It walks over the tiles of A and B that contribute, copies each pair to local memory, and multiplies there.
 * So it reads global memory TILE times less often.
 *
 * No work-item may leave early, because all of them take part in the copy and in the barriers. Outside the matrices the copy writes zeros, which add nothing. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul_tiled(__global const float *a, __global const float *b, __global float *c, uint m, uint n, uint k)
{
	__local float a_tile[TILE][TILE], b_tile[TILE][TILE];
	uint x = get_local_id(0), y = get_local_id(1);
	uint column = get_group_id(0) * TILE + x, row = get_group_id(1) * TILE + y;
	float sum = 0;
	for (uint first = 0; first < k; first += TILE) {
		a_tile[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
		b_tile[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
		barrier(CLK_LOCAL_MEM_FENCE); /* the tiles are complete */
		for (uint i = 0; i < TILE; i++)
			sum = fma(a_tile[y][i], b_tile[i][x], sum);
		barrier(CLK_LOCAL_MEM_FENCE); /* all work-items have read the tiles */
	}
	if (row < m && column < n)
		c[row * n + column] = sum;
}
