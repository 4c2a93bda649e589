// Lists on the device's heap, printf and assert: new, delete, malloc, free.
#include "check.h"
#include <cassert>

struct item {
	item *next;
	int value;
	__device__ item(item *n, int v) : next(n), value(v) {}
};

__device__ int *kept[64];

__global__ void build(int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	item *list = nullptr;
	for (int k = 0; k <= i % 7; k++)
		list = new item(list, i + k);
	int sum = 0;
	while (list) {
		item *gone = list;
		sum += list->value;
		list = list->next;
		delete gone;
	}
	out[i] = sum;
	kept[i] = (int *)malloc((i + 1) * sizeof(int));
	assert(kept[i] != nullptr);
	for (int k = 0; k <= i; k++)
		kept[i][k] = i * k;
}

// Memory that one kernel keeps, another one finds.
__global__ void use(int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int k = 0; k <= i; k++)
		out[i] += kept[i][k] == i * k;
	free(kept[i]);
	if (i == 5)
		printf("thread %d of %lld: %s %.2f\n", i, (long long)gridDim.x * blockDim.x, "done", out[i] * 0.5);
}

int main()
{
	int *d, v[64];
	CHECKED(cudaMalloc(&d, sizeof v));
	build<<<2, 32>>>(d);
	use<<<2, 32>>>(d);
	CHECKED(cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost));
	long wrong = 0;
	for (int i = 0; i < 64; i++) {
		int sum = 0;
		for (int k = 0; k <= i % 7; k++)
			sum += i + k;
		wrong += v[i] != sum + i + 1;
	}
	return verdict(wrong);
}
