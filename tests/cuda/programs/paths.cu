// Cheapest ways through a grid, row by row, as benchmark suites have it: macros, old calls, unions, and a table in global memory.
#include <cuda.h>
#include <device_launch_parameters.h>
#include "check.h"
#include <string.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define BLOCK 32
typedef unsigned int uint;

__device__ const int cost_of[8] = {3, 1, 4, 1, 5, 9, 2, 6};

__global__ void row(const uint *wall, int *from, int *to, int columns, int y)
{
	__shared__ int s[BLOCK + 2];
	int x = blockIdx.x * blockDim.x + threadIdx.x, tx = threadIdx.x + 1;
	s[tx] = x < columns ? from[x] : 1 << 20;
	if (threadIdx.x == 0)
		s[0] = x > 0 ? from[x - 1] : 1 << 20;
	if (threadIdx.x == BLOCK - 1)
		s[BLOCK + 1] = x + 1 < columns ? from[x + 1] : 1 << 20;
	__syncthreads();
	if (x < columns)
		to[x] = MIN(MIN(s[tx - 1], s[tx]), s[tx + 1]) + cost_of[wall[y * columns + x] & 7];
}

int main(int argc, char **argv)
{
	static const int costs[8] = {3, 1, 4, 1, 5, 9, 2, 6};
	const int columns = argc > 1 ? atoi(argv[1]) : 75, rows = 9;
	uint *wall = (uint *)malloc(rows * columns * sizeof(uint)), *d;
	int *a = (int *)calloc(columns, sizeof(int)), *b = (int *)calloc(columns, sizeof(int)), *result = (int *)calloc(columns, sizeof(int)), *line[2];
	for (int i = 0; i < rows * columns; i++)
		wall[i] = (uint)(i * 2654435761u >> 20);
	CHECKED(cudaMalloc((void **)&d, rows * columns * sizeof(uint)));
	CHECKED(cudaMalloc((void **)&line[0], columns * 4));
	CHECKED(cudaMalloc((void **)&line[1], columns * 4));
	CHECKED(cudaMemset(line[0], 0, columns * 4));
	CHECKED(cudaMemcpy(d, wall, rows * columns * sizeof(uint), cudaMemcpyHostToDevice));
	for (int y = 0; y < rows; y++)
		row<<<(columns + BLOCK - 1) / BLOCK, BLOCK>>>(d, line[y & 1], line[~y & 1], columns, y);
	CHECKED(cudaThreadSynchronize());
	CHECKED(cudaMemcpy(result, line[rows & 1], columns * 4, cudaMemcpyDeviceToHost));
	for (int y = 0; y < rows; y++) {
		for (int x = 0; x < columns; x++) {
			int best = a[x];
			if (x > 0)
				best = MIN(best, a[x - 1]);
			if (x + 1 < columns)
				best = MIN(best, a[x + 1]);
			b[x] = best + costs[wall[y * columns + x] & 7];
		}
		memcpy(a, b, columns * 4);
	}
	long wrong = memcmp(a, result, columns * 4) != 0;
	free(wall), free(a), free(b), free(result);
	return verdict(wrong);
}
