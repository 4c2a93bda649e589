// Heat on a plate, step by step: two buffers, constants of the problem in constant memory, a stream and events.
#include "check.h"
#include <utility>
#include <vector>

struct weights {
	float centre, side;
};
__constant__ weights w;

__global__ void step(const float *__restrict__ from, float *__restrict__ to, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= n || y >= n)
		return;
	int at = y * n + x;
	bool edge = x == 0 || y == 0 || x == n - 1 || y == n - 1;
	to[at] = edge ? from[at] : w.centre * __ldg(&from[at]) + w.side * (from[at - 1] + from[at + 1] + from[at - n] + from[at + n]);
}

int main()
{
	const int n = 30, steps = 5;
	std::vector<float> a(n * n), b(n * n), result(n * n);
	for (int i = 0; i < n * n; i++)
		a[i] = b[i] = float((i * 37) % 64);
	weights host = {0.5f, 0.125f};
	CHECKED(cudaMemcpyToSymbol(w, &host, sizeof host));
	float *from, *to;
	CHECKED(cudaMalloc(&from, n * n * 4));
	CHECKED(cudaMalloc(&to, n * n * 4));
	cudaStream_t stream;
	cudaEvent_t begin, end;
	CHECKED(cudaStreamCreate(&stream));
	CHECKED(cudaEventCreate(&begin));
	CHECKED(cudaEventCreate(&end));
	CHECKED(cudaMemcpyAsync(from, a.data(), n * n * 4, cudaMemcpyHostToDevice, stream));
	CHECKED(cudaEventRecord(begin, stream));
	dim3 block(16, 4), grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
	for (int i = 0; i < steps; i++) {
		step<<<grid, block, 0, stream>>>(from, to, n);
		std::swap(from, to);
	}
	CHECKED(cudaEventRecord(end, stream));
	CHECKED(cudaMemcpyAsync(result.data(), from, n * n * 4, cudaMemcpyDeviceToHost, stream));
	CHECKED(cudaStreamSynchronize(stream));
	float ms = -1;
	CHECKED(cudaEventElapsedTime(&ms, begin, end));
	for (int i = 0; i < steps; i++) {
		for (int y = 1; y < n - 1; y++)
			for (int x = 1; x < n - 1; x++) {
				int at = y * n + x;
				b[at] = host.centre * a[at] + host.side * (a[at - 1] + a[at + 1] + a[at - n] + a[at + n]);
			}
		a = b;
	}
	long wrong = ms < 0;
	for (int i = 0; i < n * n; i++)
		wrong += result[i] - a[i] > 1e-4f || a[i] - result[i] > 1e-4f;
	return verdict(wrong);
}
