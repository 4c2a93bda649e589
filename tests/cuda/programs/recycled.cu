// Blocks of the device's heap that many threads free and take: the last owner's accesses are behind the next one's. malloc had no fence behind the
// exchange that took a block, and free read the block's head once more when it was already another's.
#include "check.h"
#include <cuda_runtime.h>

enum { TURNS = 40 };

__global__ void turns(int *sum)
{
	volatile int *own = (volatile int *)malloc(2 * sizeof(int));
	own[0] = blockIdx.x;
	own[1] = 1;
	atomicAdd(sum, own[0] + own[1]);
	free((void *)own);
}

int main()
{
	int *sum;
	CHECKED(cudaMallocManaged(&sum, sizeof *sum));
	*sum = 0;
	turns<<<TURNS, 1>>>(sum);
	CHECKED(cudaGetLastError());
	CHECKED(cudaDeviceSynchronize());
	return verdict(*sum != TURNS * (TURNS - 1) / 2 + TURNS);
}
