// Sum of two vectors: the first program of every course.
#include "check.h"
#include <algorithm>
#include <vector>

__global__ void add(const float *a, const float *b, float *c, int n)
{
	int i = blockDim.x * blockIdx.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

int main()
{
	const int n = 1000;
	std::vector<float> a(n), b(n), c(n);
	std::generate(a.begin(), a.end(), [i = 0]() mutable { return 0.5f * i++; });
	std::generate(b.begin(), b.end(), [i = 0]() mutable { return 1000.0f - i++; });
	float *da, *db, *dc;
	CHECKED(cudaMalloc(&da, n * sizeof(float)));
	CHECKED(cudaMalloc((void **)&db, n * sizeof(float)));
	CHECKED(cudaMalloc(&dc, n * sizeof(float)));
	CHECKED(cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	CHECKED(cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	add<<<(n + 127) / 128, 128>>>(da, db, dc, n);
	CHECKED(cudaGetLastError());
	CHECKED(cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost));
	long wrong = 0;
	for (int i = 0; i < n; i++)
		wrong += c[i] != a[i] + b[i];
	CHECKED(cudaFree(da));
	CHECKED(cudaFree(db));
	CHECKED(cudaFree(dc));
	return verdict(wrong);
}
