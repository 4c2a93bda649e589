#include "../programs/check.h"
#include "units.h"

static __device__ int hidden = 7;
__device__ int table[4] = {10, 20, 30, 40};
__constant__ int scale = 100;

__device__ int twice(int x) { return 2 * x; }
static __device__ __noinline__ int helper(int x)
{
	printf("second: %d\n", x);
	return x - hidden;
}
static __global__ void kernel(int *out) { out[threadIdx.x] = helper(threadIdx.x) + common(3); }
void run_second(int *out)
{
	kernel<<<1, 2>>>(out);
	CHECKED(cudaDeviceSynchronize());
}
