// libcu++: an atomic of the device, and a barrier that threads arrive at early.
#include "../programs/check.h"
#include <cuda/atomic>
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void work(cuda::atomic<int, cuda::thread_scope_device> *count, int *out)
{
	alignas(barrier) __shared__ char room[sizeof(barrier)]; // clang initialises no object in shared memory
	__shared__ int values[64];
	barrier *all = reinterpret_cast<barrier *>(room);
	int i = threadIdx.x;
	if (i == 0)
		init(all, blockDim.x);
	__syncthreads();
	for (int turn = 0; turn < 3; turn++) {
		values[i] = i + turn;
		auto token = all->arrive();
		count->fetch_add(1, cuda::memory_order_relaxed);
		all->wait(static_cast<barrier::arrival_token &&>(token));
		out[(turn * 2 + blockIdx.x) * 64 + i] = values[(i + 33) % 64];
		all->arrive_and_wait();
	}
}

int main()
{
	cuda::atomic<int, cuda::thread_scope_device> *count;
	int *d, out[3 * 2 * 64], n;
	long wrong = 0;
	CHECKED(cudaMalloc(&count, sizeof *count));
	CHECKED(cudaMemset(count, 0, sizeof *count));
	CHECKED(cudaMalloc(&d, sizeof out));
	work<<<2, 64>>>(count, d);
	CHECKED(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
	CHECKED(cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 3 * 2 * 64; i++)
		wrong += out[i] != (i % 64 + 33) % 64 + i / 128;
	return verdict(wrong + (n != 3 * 2 * 64));
}
