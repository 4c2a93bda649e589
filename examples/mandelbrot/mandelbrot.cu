// In how many steps a point of the plane escapes, as a CUDA program: loops that end at different times. Host and device call the same function.
#include "../example.cuh"

enum { BLOCK_X = 16, BLOCK_Y = 8 };

// Points near the edge of the set are chaotic: a single different rounding changes the count.
__host__ __device__ inline unsigned steps_at(float cr, float ci, unsigned limit)
{
	float zr = 0, zi = 0;
	unsigned n = 0;
	while (n < limit) {
		float rr = times(zr, zr), ii = times(zi, zi);
		if (rr + ii > 4.0f)
			break;
		zi = times(2.0f, times(zr, zi)) + ci;
		zr = (rr - ii) + cr;
		n++;
	}
	return n;
}

__global__ void mandelbrot(unsigned *steps, unsigned width, unsigned height, float left, float top, float scale, unsigned limit)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < width && y < height)
		steps[y * width + x] = steps_at(left + times((float)x, scale), top + times((float)y, scale), limit);
}

struct Size {
	unsigned width, height, limit;
};

static void run(Outputs &outputs, Size size)
{
	const float left = -2.1f, top = -1.2f, scale = 2.8f / (float)size.width;
	std::vector<unsigned> expected(size.width * size.height);
	for (unsigned y = 0; y < size.height; y++)
		for (unsigned x = 0; x < size.width; x++)
			expected[y * size.width + x] = steps_at(left + (float)x * scale, top + (float)y * scale, size.limit);
	unsigned *steps = zeros_on_device<unsigned>(expected.size());
	dim3 block(BLOCK_X, BLOCK_Y), grid(blocks_for(size.width, BLOCK_X), blocks_for(size.height, BLOCK_Y));
	mandelbrot<<<grid, block>>>(steps, size.width, size.height, left, top, scale, size.limit);
	CHECK(cudaGetLastError());
	outputs.equal("steps", to_host(steps, expected.size()), expected);
	CHECK(cudaFree(steps));
}

int main(int argc, char **argv)
{
	static const Size sizes[] = {{1, 1, 20}, {37, 23, 50}, {190, 120, 100}};
	return run_sizes(argc, argv, sizes, run);
}
