/* Transposes a matrix of words. If the kernel read row by row and wrote column by column, one of the two accesses would be scattered. So a work-group transposes a
 * tile in local memory, and both accesses are contiguous. The rows of the tile are one word longer than the tile, because the words of a column would otherwise
 * all be in the same memory bank. */
#define TILE 16
#define ROWS 4 /* work-items in y; each moves TILE / ROWS words */

__kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void transpose(__global const uint *in, __global uint *out, uint width, uint height)
{
	__local uint tile[TILE][TILE + 1];
	uint x = get_group_id(0) * TILE + get_local_id(0), y = get_group_id(1) * TILE + get_local_id(1);
	for (uint i = 0; i < TILE; i += ROWS)
		if (x < width && y + i < height)
			tile[get_local_id(1) + i][get_local_id(0)] = in[(y + i) * width + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	x = get_group_id(1) * TILE + get_local_id(0);
	y = get_group_id(0) * TILE + get_local_id(1);
	for (uint i = 0; i < TILE; i += ROWS)
		if (x < height && y + i < width)
			out[(y + i) * height + x] = tile[get_local_id(0)][get_local_id(1) + i];
}
