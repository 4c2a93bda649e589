// Two units that nvcc links (-rdc=true): functions and variables of each other, names that each has for itself, and a template that both have.
#include "../programs/check.h"
#include "units.h"

extern __device__ int twice(int x);
extern __device__ int table[4];
extern __constant__ int scale;
static __device__ int hidden = 5;

static __device__ __noinline__ int helper(int x)
{
	printf("first: %d\n", x);
	return x + hidden;
}
__global__ void first(int *out) { out[threadIdx.x] = twice(threadIdx.x) + table[threadIdx.x & 3] + helper(scale) + common(2); }

int main()
{
	int *out, values[4];
	CHECKED(cudaMallocManaged(&out, 8));
	first<<<1, 2>>>(out);
	CHECKED(cudaDeviceSynchronize());
	long wrong = (out[0] != 0 + 10 + 105 + 6) + (out[1] != 2 + 20 + 105 + 6);
	run_second(out);
	wrong += (out[0] != -7 + 9) + (out[1] != -6 + 9);
	CHECKED(cudaMemcpyFromSymbol(values, table, sizeof values));
	wrong += values[3] != 40;
	return verdict(wrong);
}
