// y = a * x + y as a CUDA program: the same kernel as in saxpy.cl, and the whole host side with nothing left out. The other programs of the examples
// take their copies from example.cuh.
#include "../example.cuh"

enum { BLOCK = 256 };

// Pointers are generic here. The compiler proves that they are global.
__global__ void saxpy(const float *x, float *y, float a, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = fmaf(a, x[i], y[i]);
}

static void run(Outputs &outputs, unsigned n)
{
	const float a = 1.7f;
	Random random(1);
	std::vector<float> x(n), y(n), result(n);
	for (unsigned i = 0; i < n; i++) {
		x[i] = random.between(-100, 100);
		y[i] = random.between(-100, 100);
	}

	float *device_x, *device_y;
	size_t bytes = n * sizeof(float);
	CHECK(cudaMalloc(&device_x, bytes));
	CHECK(cudaMalloc(&device_y, bytes));
	CHECK(cudaMemcpy(device_x, x.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device_y, y.data(), bytes, cudaMemcpyHostToDevice));
	saxpy<<<blocks_for(n, BLOCK), BLOCK>>>(device_x, device_y, a, n);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(result.data(), device_y, bytes, cudaMemcpyDeviceToHost)); // waits for the kernel
	CHECK(cudaFree(device_x));
	CHECK(cudaFree(device_y));

	for (unsigned i = 0; i < n; i++)
		y[i] = fmaf(a, x[i], y[i]);
	outputs.equal("y", result, y);
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 31, 1000, 200003};
	return run_sizes(argc, argv, sizes, run);
}
