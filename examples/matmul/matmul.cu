// The matrix products of matmul.cl in CUDA.
extern "C" __global__ void matmul_naive(const float *a, const float *b, float *c, unsigned m, unsigned n, unsigned k)
{
	unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
	if (row >= m || column >= n)
		return;
	float sum = 0;
	for (unsigned i = 0; i < k; i++)
		sum = fmaf(a[row * k + i], b[i * n + column], sum);
	c[row * n + column] = sum;
}

#define TILE 16

extern "C" __global__ void __launch_bounds__(TILE * TILE) matmul_tiled(const float *a, const float *b, float *c, unsigned m, unsigned n, unsigned k)
{
	__shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
	unsigned x = threadIdx.x, y = threadIdx.y;
	unsigned column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
	float sum = 0;
	for (unsigned first = 0; first < k; first += TILE) {
		a_tile[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
		b_tile[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
		__syncthreads(); // the tiles are complete
		for (unsigned i = 0; i < TILE; i++)
			sum = fmaf(a_tile[y][i], b_tile[i][x], sum);
		__syncthreads(); // all threads have read the tiles
	}
	if (row < m && column < n)
		c[row * n + column] = sum;
}
