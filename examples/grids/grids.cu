// Grids that launch grids, as a CUDA program (docs/grids.md, docs/cuda.md): a sort and a sum whose blocks launch the next ones. With nvcc: -rdc=true
// -lcudadevrt. grids.cl has both, and what CUDA does not have.
#include "../example.cuh"

#include <algorithm>

enum { BLOCK = 64, LEAF = 32 };

// Sorts data[begin, end): a block partitions a range around a pivot and launches a grid for each side. The two are in no order to each other.
__global__ void quicksort(int *data, int *scratch, unsigned begin, unsigned end)
{
	__shared__ unsigned low, high;
	unsigned i = threadIdx.x, n = blockDim.x;
	if (end - begin <= n) { // few elements: each finds its place by counting
		int mine = begin + i < end ? data[begin + i] : 0;
		unsigned rank = 0;
		for (unsigned k = begin; k < end; k++)
			rank += data[k] < mine || (data[k] == mine && k < begin + i);
		__syncthreads();
		if (begin + i < end)
			data[begin + rank] = mine;
		return;
	}
	int pivot = data[begin + (end - begin) / 2];
	if (i == 0) {
		low = begin;
		high = end;
	}
	__syncthreads();
	for (unsigned k = begin + i; k < end; k += n) {
		int v = data[k];
		if (v < pivot)
			scratch[atomicAdd(&low, 1u)] = v;
		else if (v > pivot)
			scratch[atomicSub(&high, 1u) - 1] = v;
	}
	__syncthreads();
	for (unsigned k = begin + i; k < end; k += n)
		data[k] = k < low || k >= high ? scratch[k] : pivot;
	__syncthreads();
	if (i == 0 && low - begin > 1)
		quicksort<<<1, BLOCK, 0, cudaStreamFireAndForget>>>(data, scratch, begin, low);
	if (i == 0 && end - high > 1)
		quicksort<<<1, BLOCK, 0, cudaStreamFireAndForget>>>(data, scratch, high, end);
}

__global__ void add_up(unsigned long long *sums, unsigned node) { sums[node] = sums[2 * node + 1] + sums[2 * node + 2]; }

// Sums data[begin, end) into sums[node], as a binary tree: a child for each half, and a tail launch that adds their two sums when both have ended.
__global__ void sum(const unsigned *data, unsigned long long *sums, unsigned node, unsigned begin, unsigned end)
{
	if (end - begin <= LEAF) {
		unsigned long long s = 0;
		for (unsigned k = begin; k < end; k++)
			s += data[k];
		sums[node] = s;
		return;
	}
	unsigned middle = begin + (end - begin) / 2;
	add_up<<<1, 1, 0, cudaStreamTailLaunch>>>(sums, node);
	sum<<<1, 1, 0, cudaStreamFireAndForget>>>(data, sums, 2 * node + 1, begin, middle);
	sum<<<1, 1, 0, cudaStreamFireAndForget>>>(data, sums, 2 * node + 2, middle, end);
}

static void run(Outputs &outputs, unsigned n)
{
	Random random(17);
	std::vector<int> numbers(n);
	std::vector<unsigned> terms(n);
	std::vector<unsigned long long> total(1);
	for (int &number : numbers)
		number = (int)random.next();
	for (unsigned &term : terms)
		total[0] += term = (unsigned)random.next();
	unsigned nodes = 1;
	for (unsigned widest = n; widest > LEAF; widest = (widest + 1) / 2)
		nodes = 2 * nodes + 1;

	int *data = to_device(numbers), *scratch = zeros_on_device<int>(n);
	quicksort<<<1, BLOCK>>>(data, scratch, 0, n);
	CHECK(cudaGetLastError());
	std::sort(numbers.begin(), numbers.end());
	outputs.equal("sorted", to_host(data, n), numbers);
	unsigned *device_terms = to_device(terms);
	unsigned long long *sums = zeros_on_device<unsigned long long>(nodes);
	sum<<<1, 1>>>(device_terms, sums, 0, 0, n);
	CHECK(cudaGetLastError());
	outputs.equal("sum", to_host(sums, 1), total);
	CHECK(cudaFree(data));
	CHECK(cudaFree(scratch));
	CHECK(cudaFree(device_terms));
	CHECK(cudaFree(sums));
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 100, 5000};
	return run_sizes(argc, argv, sizes, run);
}
