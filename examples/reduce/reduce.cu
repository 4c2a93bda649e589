// Reductions as a CUDA program: many values to one, by shuffles in a warp and one value a warp in shared memory. The operation is a template's
// argument. reduce.cl has trees in local memory; sum, minimum and maximum do not depend on the order, so the values are the same.
#include "../example.cuh"

enum { BLOCK = 128, BLOCKS_MAX = 24, WARP = 32 };

struct Sum {
	using Input = unsigned;
	using Value = unsigned;
	static __device__ Value none() { return 0; }
	static __device__ Value of(Input v) { return v; }
	static __device__ Value join(Value a, Value b) { return a + b; }
	static __device__ Value from_lane(Value v, unsigned distance) { return __shfl_down_sync(~0u, v, distance); }
};

// Minimum and maximum at once.
struct Range {
	using Input = float;
	using Value = float2;
	static __device__ Value none() { return make_float2(INFINITY, -INFINITY); }
	static __device__ Value of(Input v) { return make_float2(v, v); }
	static __device__ Value join(Value a, Value b) { return make_float2(fminf(a.x, b.x), fmaxf(a.y, b.y)); }
	static __device__ Value from_lane(Value v, unsigned distance)
	{
		return make_float2(__shfl_down_sync(~0u, v.x, distance), __shfl_down_sync(~0u, v.y, distance));
	}
};

// The first lane gets the value of its warp.
template <class Operation> __device__ typename Operation::Value reduce_warp(typename Operation::Value value)
{
	for (unsigned distance = WARP / 2; distance > 0; distance /= 2)
		value = Operation::join(value, Operation::from_lane(value, distance));
	return value;
}

// Each block reduces its share to out[blockIdx.x]. The block is a whole number of warps.
template <class Operation> __global__ void reduce(const typename Operation::Input *in, typename Operation::Value *out, unsigned n)
{
	__shared__ typename Operation::Value part[WARP];
	unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	typename Operation::Value value = Operation::none();
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		value = Operation::join(value, Operation::of(in[i]));
	value = reduce_warp<Operation>(value);
	if (lane == 0)
		part[warp] = value;
	__syncthreads();
	if (warp == 0) {
		value = reduce_warp<Operation>(lane < blockDim.x / WARP ? part[lane] : Operation::none());
		if (lane == 0)
			out[blockIdx.x] = value;
	}
}

static void run(Outputs &outputs, unsigned n)
{
	Random random(3);
	std::vector<unsigned> numbers(n), sum(1);
	std::vector<float> floats(n);
	std::vector<float2> range(1, make_float2(INFINITY, -INFINITY));
	for (unsigned i = 0; i < n; i++) {
		numbers[i] = (unsigned)random.next();
		floats[i] = random.between(-1000, 1000);
		sum[0] += numbers[i];
		range[0] = make_float2(fminf(range[0].x, floats[i]), fmaxf(range[0].y, floats[i]));
	}
	const unsigned blocks = blocks_for(n, BLOCK) < BLOCKS_MAX ? blocks_for(n, BLOCK) : BLOCKS_MAX;

	unsigned *device_numbers = to_device(numbers), *partial = zeros_on_device<unsigned>(BLOCKS_MAX), *total = zeros_on_device<unsigned>(1);
	reduce<Sum><<<blocks, BLOCK>>>(device_numbers, partial, n);
	reduce<Sum><<<1, WARP>>>(partial, total, blocks);
	CHECK(cudaGetLastError());
	outputs.equal("sum", to_host(total, 1), sum);

	// The device computes the range of each block. The host then computes the range of all blocks.
	float *device_floats = to_device(floats);
	float2 *ranges = zeros_on_device<float2>(BLOCKS_MAX);
	reduce<Range><<<blocks, BLOCK>>>(device_floats, ranges, n);
	CHECK(cudaGetLastError());
	std::vector<float2> all(1, make_float2(INFINITY, -INFINITY));
	for (float2 each : to_host(ranges, blocks))
		all[0] = make_float2(fminf(all[0].x, each.x), fmaxf(all[0].y, each.y));
	outputs.equal("range", all, range);
	CHECK(cudaFree(device_numbers));
	CHECK(cudaFree(partial));
	CHECK(cudaFree(total));
	CHECK(cudaFree(device_floats));
	CHECK(cudaFree(ranges));
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 129, 5000, 300001};
	return run_sizes(argc, argv, sizes, run);
}
