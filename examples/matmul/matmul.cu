// The matrix products of matmul.cl as a CUDA program: C = A * B, A is m x k, B is k x n, all row by row.
#include "../example.cuh"

enum { TILE = 16 };

// One thread an element, 2 k loads from global memory.
__global__ void matmul_naive(const float *a, const float *b, float *c, unsigned m, unsigned n, unsigned k)
{
	unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
	if (row >= m || column >= n)
		return;
	float sum = 0;
	for (unsigned i = 0; i < k; i++)
		sum = fmaf(a[row * k + i], b[i * n + column], sum);
	c[row * n + column] = sum;
}

// A block computes a tile of C. It walks over the tiles of A and B that contribute, and multiplies them in shared memory. Outside the matrices the
// copy writes zeros, which add nothing. No thread may leave early, because all of them take part in the copy and in the barriers.
template <unsigned SIDE>
__global__ void __launch_bounds__(SIDE *SIDE) matmul_tiled(const float *a, const float *b, float *c, unsigned m, unsigned n, unsigned k)
{
	__shared__ float a_tile[SIDE][SIDE], b_tile[SIDE][SIDE];
	unsigned x = threadIdx.x, y = threadIdx.y;
	unsigned column = blockIdx.x * SIDE + x, row = blockIdx.y * SIDE + y;
	float sum = 0;
	for (unsigned first = 0; first < k; first += SIDE) {
		a_tile[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
		b_tile[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
		__syncthreads(); // the tiles are complete
		for (unsigned i = 0; i < SIDE; i++)
			sum = fmaf(a_tile[y][i], b_tile[i][x], sum);
		__syncthreads(); // all threads have read the tiles
	}
	if (row < m && column < n)
		c[row * n + column] = sum;
}

struct Size {
	unsigned m, n, k;
};

static void run(Outputs &outputs, Size size)
{
	const unsigned m = size.m, n = size.n, k = size.k;
	Random random(2);
	std::vector<float> a(m * k), b(k * n), c(m * n);
	for (float &element : a)
		element = random.between(-1, 1);
	for (float &element : b)
		element = random.between(-1, 1);
	for (unsigned row = 0; row < m; row++)
		for (unsigned column = 0; column < n; column++)
			for (unsigned i = 0; i < k; i++)
				c[row * n + column] = fmaf(a[row * k + i], b[i * n + column], c[row * n + column]);

	float *device_a = to_device(a), *device_b = to_device(b), *device_c = zeros_on_device<float>(m * n);
	dim3 block(TILE, TILE), grid(blocks_for(n, TILE), blocks_for(m, TILE));
	matmul_naive<<<grid, block>>>(device_a, device_b, device_c, m, n, k);
	CHECK(cudaGetLastError());
	outputs.equal("c", to_host(device_c, m * n), c);
	CHECK(cudaMemset(device_c, 0, m * n * sizeof(float)));
	matmul_tiled<TILE><<<grid, block>>>(device_a, device_b, device_c, m, n, k);
	CHECK(cudaGetLastError());
	outputs.equal("c, in tiles", to_host(device_c, m * n), c);
	CHECK(cudaFree(device_a));
	CHECK(cudaFree(device_b));
	CHECK(cudaFree(device_c));
}

int main(int argc, char **argv)
{
	static const Size sizes[] = {{1, 1, 1}, {5, 7, 3}, {33, 17, 65}, {112, 96, 80}};
	return run_sizes(argc, argv, sizes, run);
}
