// Heat that flows over a plate, as a CUDA program: every point moves towards the mean of its four neighbours, the border keeps its temperature, and
// two buffers take turns. Host and device call the same function.
#include "../example.cuh"

#include <utility>

enum { STEPS = 4, BLOCK_X = 32, BLOCK_Y = 4 };

__host__ __device__ inline float next_at(const float *now, unsigned x, unsigned y, unsigned width, unsigned height, float rate)
{
	unsigned i = y * width + x;
	float here = now[i];
	if (x == 0 || y == 0 || x + 1 == width || y + 1 == height)
		return here;
	float around = (now[i - 1] + now[i + 1]) + (now[i - width] + now[i + width]);
	return fmaf(rate, fmaf(-4.0f, here, around), here);
}

__global__ void heat(const float *__restrict__ now, float *__restrict__ next, unsigned width, unsigned height, float rate)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < width && y < height)
		next[y * width + x] = next_at(now, x, y, width, height, rate);
}

struct Size {
	unsigned width, height;
};

static void run(Outputs &outputs, Size size)
{
	const unsigned width = size.width, height = size.height;
	const float rate = 0.2f;
	Random random(7);
	std::vector<float> now(width * height), next(width * height);
	for (float &point : now)
		point = random.between(0, 500);
	float *device_now = to_device(now), *device_next = zeros_on_device<float>(width * height);
	dim3 block(BLOCK_X, BLOCK_Y), grid(blocks_for(width, BLOCK_X), blocks_for(height, BLOCK_Y));
	for (unsigned step = 0; step < STEPS; step++) {
		heat<<<grid, block>>>(device_now, device_next, width, height, rate);
		CHECK(cudaGetLastError());
		for (unsigned y = 0; y < height; y++)
			for (unsigned x = 0; x < width; x++)
				next[y * width + x] = next_at(now.data(), x, y, width, height, rate);
		std::swap(now, next);
		std::swap(device_now, device_next);
	}
	outputs.equal("plate", to_host(device_now, width * height), now);
	outputs.equal("plate before the last step", to_host(device_next, width * height), next);
	CHECK(cudaFree(device_now));
	CHECK(cudaFree(device_next));
}

int main(int argc, char **argv)
{
	static const Size sizes[] = {{1, 1}, {3, 3}, {37, 19}, {250, 130}};
	return run_sizes(argc, argv, sizes, run);
}
