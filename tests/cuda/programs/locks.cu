// Threads of one warp that take a lock, by the forms in which programs write it: the flag that ends the loop, one thread after the other, and a structure with lock and unlock.
#include "check.h"

__global__ void flagged(int *lock, int *count)
{
	bool done = false;
	while (!done) {
		if (atomicCAS(lock, 0, 1) == 0) {
			*(volatile int *)count = *(volatile int *)count + 1;
			__threadfence();
			atomicExch(lock, 0);
			done = true;
		}
	}
}

__global__ void in_turn(int *lock, int *count)
{
	for (int i = 0; i < warpSize; i++)
		if (threadIdx.x % warpSize == i) {
			while (atomicCAS(lock, 0, 1) != 0)
				;
			*(volatile int *)count = *(volatile int *)count + 1;
			__threadfence();
			atomicExch(lock, 0);
		}
}

struct Mutex {
	int state;
	__device__ void lock()
	{
		while (atomicCAS(&state, 0, 1) != 0)
			__nanosleep(20);
		__threadfence();
	}
	__device__ void unlock()
	{
		__threadfence();
		atomicExch(&state, 0);
	}
};

// A lock for each bucket of a list, as in a table of chains.
__global__ void chained(Mutex *locks, volatile int *length, int buckets)
{
	Mutex &mutex = locks[(blockIdx.x * blockDim.x + threadIdx.x) % buckets];
	mutex.lock();
	length[&mutex - locks]++;
	mutex.unlock();
}

int main()
{
	const int buckets = 3;
	int *d, h[4 + 2 * buckets];
	CHECKED(cudaMalloc(&d, sizeof h));
	CHECKED(cudaMemset(d, 0, sizeof h));
	flagged<<<2, 64>>>(d, d + 1);
	in_turn<<<2, 64>>>(d + 2, d + 3);
	chained<<<2, 48>>>((Mutex *)(d + 4), d + 4 + buckets, buckets);
	CHECKED(cudaDeviceSynchronize());
	CHECKED(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
	long wrong = (h[1] != 128) + (h[3] != 128);
	for (int i = 0; i < buckets; i++)
		wrong += h[4 + buckets + i] != 96 / buckets;
	return verdict(wrong);
}
