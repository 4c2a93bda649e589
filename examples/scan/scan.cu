// Exclusive prefix sum as a CUDA program: out[i] = in[0] + ... + in[i - 1]. A warp scans 32 numbers by shuffles, a block adds the sums of its earlier
// warps, and the host scans the sums of the blocks in the same way. scan.cl has a tree in local memory; the sums are the same.
#include "../example.cuh"

enum { BLOCK = 128, WARP = 32 };

// Each lane gets the sum of the values up to its own.
__device__ unsigned scan_warp(unsigned value)
{
	unsigned lane = threadIdx.x % WARP;
	for (unsigned distance = 1; distance < WARP; distance *= 2) {
		unsigned other = __shfl_up_sync(~0u, value, distance);
		if (lane >= distance)
			value += other;
	}
	return value;
}

__global__ void __launch_bounds__(BLOCK) scan_blocks(const unsigned *in, unsigned *out, unsigned *sums, unsigned n)
{
	__shared__ unsigned warp_sums[BLOCK / WARP];
	unsigned i = blockIdx.x * BLOCK + threadIdx.x, warp = threadIdx.x / WARP;
	unsigned value = i < n ? in[i] : 0, sum = scan_warp(value);
	if (threadIdx.x % WARP == WARP - 1)
		warp_sums[warp] = sum;
	__syncthreads();
	for (unsigned earlier = 0; earlier < warp; earlier++)
		sum += warp_sums[earlier];
	if (i < n)
		out[i] = sum - value;
	if (threadIdx.x == BLOCK - 1)
		sums[blockIdx.x] = sum;
}

// Adds to every block the sum of all earlier blocks.
__global__ void __launch_bounds__(BLOCK) scan_add(unsigned *out, const unsigned *before, unsigned n)
{
	unsigned i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		out[i] += before[blockIdx.x];
}

// Scans `in` to `out`, both on the device. It calls itself for the sums of the blocks.
static void scan(const unsigned *in, unsigned *out, unsigned n)
{
	const unsigned blocks = blocks_for(n, BLOCK);
	unsigned *sums, *before;
	CHECK(cudaMalloc(&sums, blocks * sizeof(unsigned)));
	scan_blocks<<<blocks, BLOCK>>>(in, out, sums, n);
	CHECK(cudaGetLastError());
	if (blocks > 1) {
		CHECK(cudaMalloc(&before, blocks * sizeof(unsigned)));
		scan(sums, before, blocks);
		scan_add<<<blocks, BLOCK>>>(out, before, n);
		CHECK(cudaGetLastError());
		CHECK(cudaFree(before));
	}
	CHECK(cudaFree(sums));
}

static void run(Outputs &outputs, unsigned n)
{
	Random random(4);
	std::vector<unsigned> in(n), expected(n);
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++) {
		in[i] = (unsigned)random.next();
		expected[i] = sum;
		sum += in[i];
	}
	unsigned *device_in = to_device(in), *out = zeros_on_device<unsigned>(n);
	scan(device_in, out, n);
	outputs.equal("out", to_host(out, n), expected);
	CHECK(cudaFree(device_in));
	CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 127, 1000, 50001};
	return run_sizes(argc, argv, sizes, run);
}
