/* Each thread works through 16 rows. LENGTH says how many elements a row has. */
#ifndef LENGTH
/* One row of a thread has 32 elements, the others have 2. Neighbours have their long row at different places. */
#define LENGTH(thread, row) (((thread + row) & 15) == 0 ? 32 : 2)
#endif

kernel void nested(global uint *out)
{
	uint i = get_global_id(0), sum = i;
#pragma unroll 1
	for (uint row = 0; row < 16; row++)
#pragma unroll 1
		for (uint k = LENGTH(i, row); k > 0; k--)
			sum = sum * 1664525 + k;
	out[i] = sum;
}

/* The same sums in the same order, in one loop: a thread at the end of a row takes its next one. */
kernel void merged(global uint *out)
{
	uint i = get_global_id(0), sum = i, row = 0, k = LENGTH(i, 0);
#pragma unroll 1
	while (row < 16) {
		sum = sum * 1664525 + k;
		if (--k == 0) {
			row++;
			k = LENGTH(i, row);
		}
	}
	out[i] = sum;
}
