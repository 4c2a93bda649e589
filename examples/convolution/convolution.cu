// A blur by a separable filter, rows first, then columns, as a CUDA program: weights in constant memory, a row's points and RADIUS more on either
// side in shared memory. Outside of the image the nearest point of the image counts.
#include "../example.cuh"

enum { RADIUS = 4, TAPS = 2 * RADIUS + 1, BLOCK = 64, BLOCK_X = 32, BLOCK_Y = 4 };

__constant__ float device_weights[TAPS];

__host__ __device__ inline int inside(int at, int length) { return max(0, min(at, length - 1)); }

__global__ void __launch_bounds__(BLOCK) convolve_rows(const float *in, float *out, int width)
{
	__shared__ float part[BLOCK + 2 * RADIUS];
	int first = blockIdx.x * BLOCK, row = blockIdx.y * width, id = threadIdx.x;
	for (int i = id; i < BLOCK + 2 * RADIUS; i += BLOCK)
		part[i] = in[row + inside(first + i - RADIUS, width)];
	__syncthreads();
	if (first + id >= width)
		return;
	float sum = 0;
	for (int i = 0; i < TAPS; i++)
		sum = fmaf(device_weights[i], part[id + i], sum);
	out[row + first + id] = sum;
}

// Without shared memory: the threads of a row read neighbouring words, and the cache keeps the rows.
__global__ void convolve_columns(const float *in, float *out, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	float sum = 0;
#pragma unroll
	for (int i = 0; i < TAPS; i++)
		sum = fmaf(device_weights[i], in[inside(y + i - RADIUS, height) * width + x], sum);
	out[y * width + x] = sum;
}

// One pass along lines of `length` points, which are `step` apart.
static std::vector<float> blurred(const std::vector<float> &in, const float *weights, int lines, int line_step, int length, int step)
{
	std::vector<float> out(in.size());
	for (int line = 0; line < lines; line++)
		for (int at = 0; at < length; at++)
			for (int i = 0; i < TAPS; i++) {
				float &sum = out[line * line_step + at * step];
				sum = fmaf(weights[i], in[line * line_step + inside(at + i - RADIUS, length) * step], sum);
			}
	return out;
}

struct Size {
	int width, height;
};

static void run(Outputs &outputs, Size size)
{
	static const float weights[TAPS] = {0.0278f, 0.0656f, 0.1210f, 0.1747f, 0.2218f, 0.1747f, 0.1210f, 0.0656f, 0.0278f};
	const int width = size.width, height = size.height;
	Random random(14);
	std::vector<float> image(width * height);
	for (float &point : image)
		point = random.between(0, 255);
	const std::vector<float> rows = blurred(image, weights, height, width, width, 1), both = blurred(rows, weights, width, 1, height, width);

	CHECK(cudaMemcpyToSymbol(device_weights, weights, sizeof weights));
	float *in = to_device(image), *middle = zeros_on_device<float>(image.size()), *out = zeros_on_device<float>(image.size());
	convolve_rows<<<dim3(blocks_for(width, BLOCK), height), BLOCK>>>(in, middle, width);
	convolve_columns<<<dim3(blocks_for(width, BLOCK_X), blocks_for(height, BLOCK_Y)), dim3(BLOCK_X, BLOCK_Y)>>>(middle, out, width, height);
	CHECK(cudaGetLastError());
	outputs.equal("rows", to_host(middle, image.size()), rows);
	outputs.equal("blurred", to_host(out, image.size()), both);
	CHECK(cudaFree(in));
	CHECK(cudaFree(middle));
	CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
	static const Size sizes[] = {{1, 1}, {17, 31}, {65, 3}, {300, 150}};
	return run_sizes(argc, argv, sizes, run);
}
