// How often each byte occurs, as a CUDA program: by atomics in shared memory, then one for each bin and block in global memory; and by atomics in
// global memory alone. The sums do not depend on the order.
#include "../example.cuh"

enum { BINS = 256, BLOCK = 192, PER_THREAD = 8 };

__global__ void histogram(const unsigned char *data, unsigned *bins, unsigned n)
{
	__shared__ unsigned block_bins[BINS];
	for (unsigned i = threadIdx.x; i < BINS; i += blockDim.x)
		block_bins[i] = 0;
	__syncthreads();
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&block_bins[data[i]], 1u);
	__syncthreads();
	for (unsigned i = threadIdx.x; i < BINS; i += blockDim.x)
		if (block_bins[i])
			atomicAdd(&bins[i], block_bins[i]);
}

__global__ void histogram_global(const unsigned char *data, unsigned *bins, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		atomicAdd(&bins[data[i]], 1u);
}

static void run(Outputs &outputs, unsigned n)
{
	Random random(5);
	std::vector<unsigned char> data(n);
	std::vector<unsigned> expected(BINS);
	for (unsigned char &byte : data) {
		// The sum of two random values, like that of two dice. Values in the middle are more frequent and collide.
		byte = (unsigned char)random.below(128);
		byte = (unsigned char)(byte + random.below(128));
		expected[byte]++;
	}
	unsigned char *device_data = to_device(data);
	unsigned *bins = zeros_on_device<unsigned>(BINS), *global_bins = zeros_on_device<unsigned>(BINS);
	histogram<<<blocks_for(n, BLOCK * PER_THREAD), BLOCK>>>(device_data, bins, n);
	histogram_global<<<blocks_for(n, BLOCK), BLOCK>>>(device_data, global_bins, n);
	CHECK(cudaGetLastError());
	outputs.equal("bins", to_host(bins, BINS), expected);
	outputs.equal("global bins", to_host(global_bins, BINS), expected);
	CHECK(cudaFree(device_data));
	CHECK(cudaFree(bins));
	CHECK(cudaFree(global_bins));
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 1000, 100003};
	return run_sizes(argc, argv, sizes, run);
}
