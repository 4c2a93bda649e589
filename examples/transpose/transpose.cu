// A matrix transposed through tiles in shared memory, as a CUDA program for elements of any type. Rows of the tile are one element longer than the
// tile, because the elements of a column would otherwise all be in the same bank.
#include "../example.cuh"

enum { TILE = 16, ROWS = 4 }; // each thread moves TILE / ROWS elements

template <class T> __global__ void __launch_bounds__(TILE *ROWS) transpose(const T *in, T *out, unsigned width, unsigned height)
{
	__shared__ T tile[TILE][TILE + 1];
	unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	for (unsigned i = 0; i < TILE; i += ROWS)
		if (x < width && y + i < height)
			tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x;
	y = blockIdx.x * TILE + threadIdx.y;
	for (unsigned i = 0; i < TILE; i += ROWS)
		if (x < height && y + i < width)
			out[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

struct Size {
	unsigned width, height;
};

static void run(Outputs &outputs, Size size)
{
	const unsigned width = size.width, height = size.height;
	Random random(6);
	std::vector<unsigned> in(width * height), expected(width * height);
	for (unsigned y = 0; y < height; y++)
		for (unsigned x = 0; x < width; x++)
			expected[x * height + y] = in[y * width + x] = (unsigned)random.next();
	unsigned *device_in = to_device(in), *out = zeros_on_device<unsigned>(width * height);
	transpose<<<dim3(blocks_for(width, TILE), blocks_for(height, TILE)), dim3(TILE, ROWS)>>>(device_in, out, width, height);
	CHECK(cudaGetLastError());
	outputs.equal("out", to_host(out, width * height), expected);
	CHECK(cudaFree(device_in));
	CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
	static const Size sizes[] = {{1, 1}, {17, 5}, {64, 48}, {403, 250}};
	return run_sizes(argc, argv, sizes, run);
}
