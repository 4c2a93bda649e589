// Bitonic sort of pairs of key and value, as a CUDA program: a fixed network of comparisons. A pair is ordered by its key (x), and by its value (y)
// if keys are equal. In pass (run, distance) the sorted runs have length `run`; it orders two pairs at this distance, ascending or descending by the
// run that contains them.
#include "../example.cuh"

#include <algorithm>

enum { ITEMS = 64 }; // threads of a block; each has two pairs

__device__ inline unsigned low_of(unsigned id, unsigned distance) { return 2 * id - (id & (distance - 1)); }

__device__ inline void order(uint2 &low, uint2 &high, bool ascending)
{
	uint2 a = low, b = high; // loads both at once
	bool greater = a.x > b.x || (a.x == b.x && a.y > b.y);
	if (greater == ascending) {
		low = b;
		high = a;
	}
}

__global__ void bitonic_pass(uint2 *pairs, unsigned run, unsigned distance)
{
	unsigned low = low_of(blockIdx.x * blockDim.x + threadIdx.x, distance);
	order(pairs[low], pairs[low + distance], (low & run) == 0);
}

// All passes whose distances fit a block, in shared memory. `from` is the first run length, `to` the last.
__global__ void bitonic_local(uint2 *pairs, unsigned from, unsigned to)
{
	extern __shared__ uint2 part[];
	unsigned id = threadIdx.x, items = blockDim.x, base = blockIdx.x * 2 * items;
	part[id] = pairs[base + id];
	part[id + items] = pairs[base + id + items];
	for (unsigned run = from; run <= to; run *= 2) {
		for (unsigned distance = min(run / 2, items); distance > 0; distance /= 2) {
			__syncthreads();
			unsigned low = low_of(id, distance);
			order(part[low], part[low + distance], ((base + low) & run) == 0);
		}
	}
	__syncthreads();
	pairs[base + id] = part[id];
	pairs[base + id + items] = part[id + items];
}

static void run(Outputs &outputs, unsigned n)
{
	unsigned padded = 2 * ITEMS;
	while (padded < n)
		padded *= 2;
	Random random(12);
	// The network sorts a power of two of pairs. Pairs that sort last fill the rest.
	std::vector<uint2> pairs(padded, make_uint2(UINT32_MAX, UINT32_MAX));
	for (unsigned i = 0; i < n; i++)
		pairs[i] = make_uint2(random.below(n), i);
	uint2 *device = to_device(pairs);
	const unsigned blocks = padded / (2 * ITEMS), shared = 2 * ITEMS * sizeof(uint2);
	bitonic_local<<<blocks, ITEMS, shared>>>(device, 2, 2 * ITEMS);
	for (unsigned length = 4 * ITEMS; length <= padded; length *= 2) {
		for (unsigned distance = length / 2; distance > ITEMS; distance /= 2)
			bitonic_pass<<<blocks, ITEMS>>>(device, length, distance);
		bitonic_local<<<blocks, ITEMS, shared>>>(device, length, length);
	}
	CHECK(cudaGetLastError());
	std::sort(pairs.begin(), pairs.end(), [](uint2 a, uint2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
	outputs.equal("pairs", to_host(device, padded), pairs);
	CHECK(cudaFree(device));
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 100, 1024, 7000};
	return run_sizes(argc, argv, sizes, run);
}
