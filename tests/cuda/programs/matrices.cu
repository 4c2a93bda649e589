// Tiled product of matrices: a template whose instances only the host's launches name, and shared memory.
#include "check.h"
#include <cmath>
#include <iostream>
#include <vector>

template <typename T, int TILE> __global__ void __launch_bounds__(TILE *TILE) product(const T *a, const T *b, T *c, int n)
{
	__shared__ T left[TILE][TILE], right[TILE][TILE + 1];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	T sum = 0;
	for (int k = 0; k < n; k += TILE) {
		left[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
		right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
		__syncthreads();
#pragma unroll
		for (int i = 0; i < TILE; i++)
			sum += left[threadIdx.y][i] * right[i][threadIdx.x];
		__syncthreads();
	}
	c[y * n + x] = sum;
}

template <typename T, int TILE> long run(int n)
{
	std::vector<T> a(n * n), b(n * n), c(n * n);
	for (int i = 0; i < n * n; i++)
		a[i] = T(i % 7 - 3), b[i] = T(i % 5 - 2);
	T *d[3];
	for (auto &p : d)
		CHECKED(cudaMalloc(&p, n * n * sizeof(T)));
	CHECKED(cudaMemcpy(d[0], a.data(), n * n * sizeof(T), cudaMemcpyHostToDevice));
	CHECKED(cudaMemcpy(d[1], b.data(), n * n * sizeof(T), cudaMemcpyHostToDevice));
	dim3 block(TILE, TILE), grid(n / TILE, n / TILE);
	product<T, TILE><<<grid, block>>>(d[0], d[1], d[2], n);
	CHECKED(cudaDeviceSynchronize());
	CHECKED(cudaMemcpy(c.data(), d[2], n * n * sizeof(T), cudaMemcpyDeviceToHost));
	long wrong = 0;
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			T sum = 0;
			for (int k = 0; k < n; k++)
				sum += a[y * n + k] * b[k * n + x];
			wrong += std::abs(double(sum) - double(c[y * n + x])) > 1e-6;
		}
	for (auto p : d)
		cudaFree(p);
	return wrong;
}

int main()
{
	long wrong = run<float, 8>(32) + run<double, 4>(16) + run<int, 8>(16);
	std::cout << "three types" << std::endl;
	return verdict(wrong);
}
