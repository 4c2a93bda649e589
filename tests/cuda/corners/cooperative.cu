// Corners of cooperative launches, a case each.
#include <cooperative_groups.h>

#include <vector>

#include "corners.h"

namespace cg = cooperative_groups;

// Each block adds what the block before it has left, round after round: a block that went on too early would see the round before.
__global__ void rounds(int *values, int *out, int n)
{
	cg::grid_group grid = cg::this_grid();
	int blocks = gridDim.x;
	for (int i = 0; i < n; i++) {
		int before = values[(i & 1) * blocks + (blockIdx.x + blocks - 1) % blocks];
		if (threadIdx.x == 0)
			values[(~i & 1) * blocks + blockIdx.x] = before + 1;
		grid.sync();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = values[(n & 1) * blocks + blockIdx.x];
}
__global__ void sum(const int *in, int n, int *partial, int *out)
{
	extern __shared__ int tile[];
	cg::grid_group grid = cg::this_grid();
	int own = 0;
	for (int i = grid.thread_rank(); i < n; i += grid.size())
		own += in[i];
	tile[threadIdx.x] = own;
	__syncthreads();
	for (int d = blockDim.x / 2; d; d /= 2) {
		if (threadIdx.x < d)
			tile[threadIdx.x] += tile[threadIdx.x + d];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		partial[blockIdx.x] = tile[0];
	grid.sync();
	if (grid.thread_rank() == 0) {
		int all = 0;
		for (int i = 0; i < (int)gridDim.x; i++)
			all += partial[i];
		*out = all;
	}
}
// The last block lets the first one go, and only then the others.
__global__ void chain(volatile int *flags)
{
	int i = blockIdx.x;
	while (i + 1 < (int)gridDim.x && !flags[i + 1])
		continue;
	__threadfence();
	flags[i] = 1;
}
__global__ void one_does_not_come(int *p)
{
	if (blockIdx.x)
		cg::this_grid().sync();
	*p = 1;
}
__global__ void stops(int *p)
{
	cg::this_grid().sync();
	if (blockIdx.x == 2)
		__trap();
	cg::this_grid().sync();
	*p = 1;
}

static cudaError_t launch(const void *kernel, int blocks, int threads, void **arguments, size_t shared = 0)
{
	return cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(threads), arguments, shared, 0);
}
static int of_device(cudaDeviceAttr attribute)
{
	int value = 0;
	cudaDeviceGetAttribute(&value, attribute, 0);
	return value;
}
// As many blocks as the device has room for, by the occupancy calculator's answer.
static int room(const void *kernel, int threads, size_t shared = 0)
{
	int blocks = 0;
	cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared);
	return blocks * of_device(cudaDevAttrMultiProcessorCount);
}

static int all_blocks_wait()
{
	TRUE(of_device(cudaDevAttrCooperativeLaunch) == 1);
	for (int blocks : {1, 2, 7, room((const void *)rounds, 64)}) {
		int *values, *out, n = 5;
		std::vector<int> back(blocks);
		GOOD(cudaMalloc(&values, 8 * blocks));
		GOOD(cudaMalloc(&out, 4 * blocks));
		GOOD(cudaMemset(values, 0, 8 * blocks));
		void *arguments[] = {&values, &out, &n};
		GOOD(launch((const void *)rounds, blocks, 64, arguments));
		GOOD(cudaMemcpy(back.data(), out, 4 * blocks, cudaMemcpyDeviceToHost));
		for (int one : back)
			TRUE(one == n);
	}
	return 0;
}
static int a_sum()
{
	int n = 5000, *in, *partial, *out, total, blocks = 4;
	std::vector<int> values(n);
	for (int i = 0; i < n; i++)
		values[i] = i;
	GOOD(cudaMalloc(&in, 4 * n));
	GOOD(cudaMalloc(&partial, 4 * blocks));
	GOOD(cudaMalloc(&out, 4));
	GOOD(cudaMemcpy(in, values.data(), 4 * n, cudaMemcpyHostToDevice));
	void *arguments[] = {&in, &n, &partial, &out};
	GOOD(launch((const void *)sum, blocks, 128, arguments, 512));
	GOOD(cudaMemcpy(&total, out, 4, cudaMemcpyDeviceToHost));
	TRUE(total == n * (n - 1) / 2);
	return 0;
}
static int blocks_without_a_barrier()
{
	int *flags, back[6], blocks = 6;
	GOOD(cudaMalloc(&flags, sizeof back));
	GOOD(cudaMemset(flags, 0, sizeof back));
	void *arguments[] = {&flags};
	GOOD(launch((const void *)chain, blocks, 32, arguments));
	GOOD(cudaMemcpy(back, flags, sizeof back, cudaMemcpyDeviceToHost));
	for (int one : back)
		TRUE(one == 1);
	return 0;
}
static int too_large()
{
	int *p, n = 1, most = room((const void *)rounds, 256);
	GOOD(cudaMalloc(&p, 1 << 20));
	void *arguments[] = {&p, &p, &n};
	TRUE(most > 0);
	IS(launch((const void *)rounds, most + 1, 256, arguments), cudaErrorCooperativeLaunchTooLarge);
	IS(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
	GOOD(launch((const void *)rounds, most, 256, arguments));
	GOOD(cudaDeviceSynchronize());
	return 0;
}
static int in_a_graph()
{
	int blocks = 5, n = 4, *values, *out, back[5];
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	GOOD(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	GOOD(cudaMalloc(&values, 8 * blocks));
	GOOD(cudaMalloc(&out, 4 * blocks));
	void *arguments[] = {&values, &out, &n};
	GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	GOOD(cudaMemsetAsync(values, 0, 8 * blocks, stream));
	GOOD(cudaLaunchCooperativeKernel((const void *)rounds, dim3(blocks), dim3(32), arguments, 0, stream));
	GOOD(cudaStreamEndCapture(stream, &graph));
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	GOOD(cudaGraphLaunch(exec, stream));
	GOOD(cudaStreamSynchronize(stream));
	GOOD(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
	TRUE(back[0] == 4 && back[4] == 4);
	size_t count = 2;
	cudaGraphNode_t nodes[2];
	cudaKernelNodeAttrValue attribute = {};
	GOOD(cudaGraphGetNodes(graph, nodes, &count));
	GOOD(cudaGraphKernelNodeGetAttribute(nodes[1], cudaLaunchAttributeCooperative, &attribute));
	TRUE(attribute.cooperative == 1);
	return 0;
}
static int a_block_that_does_not_come()
{
	int *p;
	GOOD(cudaMalloc(&p, 4));
	void *arguments[] = {&p};
	GOOD(launch((const void *)one_does_not_come, 4, 64, arguments));
	IS(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
	return 0;
}
static int a_block_that_traps()
{
	int *p;
	GOOD(cudaMalloc(&p, 4));
	void *arguments[] = {&p};
	GOOD(launch((const void *)stops, 4, 64, arguments));
	IS(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
	return 0;
}

static const corner cases[] = {
    CASE(all_blocks_wait), CASE(a_sum),      CASE(blocks_without_a_barrier),   CASE(too_large),
    CASE(in_a_graph),      CASE(a_block_that_does_not_come), CASE(a_block_that_traps),
};

int main(int argc, char **argv) { return corners(argc, argv, cases); }
