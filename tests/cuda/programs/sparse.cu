// A sparse matrix times a vector, a warp a row, in pinned memory; a class with device methods holds the matrix.
#include "check.h"
#include <vector>

template <typename T> struct matrix {
	const int *first, *column;
	const T *value;
	int rows;
	__host__ __device__ int length(int row) const { return first[row + 1] - first[row]; }
	__host__ __device__ T at(int e, const T *x) const { return value[e] * x[column[e]]; }
};

template <typename T> __global__ void multiply(matrix<T> m, const T *x, T *y)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
	if (row >= m.rows)
		return;
	T sum = 0;
	for (int k = lane; k < m.length(row); k += 32)
		sum += m.at(m.first[row] + k, x);
#pragma unroll
	for (int step = 16; step; step /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, step);
	if (lane == 0)
		y[row] = sum;
}

int main()
{
	const int n = 60;
	std::vector<int> first(1, 0), column;
	std::vector<double> value;
	for (int r = 0; r < n; r++) {
		for (int k = 0; k < (r * 5) % 41; k++) {
			column.push_back((r + k * 3) % n);
			value.push_back(k - r * 0.25);
		}
		first.push_back((int)column.size());
	}
	int *df, *dc;
	double *dv, *dx, *dy, *x, *y;
	CHECKED(cudaMallocHost(&x, n * sizeof(double)));
	CHECKED(cudaHostAlloc(&y, n * sizeof(double), cudaHostAllocDefault));
	for (int i = 0; i < n; i++)
		x[i] = i * 0.5;
	CHECKED(cudaMalloc(&df, first.size() * 4));
	CHECKED(cudaMalloc(&dc, column.size() * 4));
	CHECKED(cudaMalloc(&dv, value.size() * 8));
	CHECKED(cudaMalloc(&dx, n * 8));
	CHECKED(cudaMalloc(&dy, n * 8));
	CHECKED(cudaMemcpy(df, first.data(), first.size() * 4, cudaMemcpyHostToDevice));
	CHECKED(cudaMemcpy(dc, column.data(), column.size() * 4, cudaMemcpyHostToDevice));
	CHECKED(cudaMemcpy(dv, value.data(), value.size() * 8, cudaMemcpyHostToDevice));
	CHECKED(cudaMemcpy(dx, x, n * 8, cudaMemcpyHostToDevice));
	matrix<double> m = {df, dc, dv, n}, host = {first.data(), column.data(), value.data(), n};
	multiply<<<n * 32 / 64, 64>>>(m, dx, dy);
	CHECKED(cudaMemcpy(y, dy, n * 8, cudaMemcpyDeviceToHost));
	long wrong = 0;
	for (int r = 0; r < n; r++) {
		double sum = 0;
		for (int k = 0; k < host.length(r); k++)
			sum += host.at(host.first[r] + k, x);
		wrong += sum - y[r] > 1e-9 || y[r] - sum > 1e-9;
	}
	CHECKED(cudaFreeHost(x));
	CHECKED(cudaFreeHost(y));
	return verdict(wrong);
}
