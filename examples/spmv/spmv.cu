// Sparse matrix times vector as a CUDA program, with a thread a row, and with a warp a row. The matrix is in compressed rows: row r has the values
// and columns from first[r] to first[r + 1] - 1.
#include "../example.cuh"

enum { WARP = 32, BLOCK = 64, LONGEST = 70 };

// A warp waits for its longest row, and loads are scattered.
__global__ void spmv_scalar(const unsigned *first, const unsigned *column, const float *value, const float *x, float *y, unsigned rows)
{
	unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows)
		return;
	float sum = 0;
	for (unsigned i = first[row]; i < first[row + 1]; i++)
		sum = fmaf(value[i], x[column[i]], sum);
	y[row] = sum;
}

// Loads are contiguous, and shuffles add the lanes' sums as a tree: the order of additions is that of spmv.cl. Rows shorter than 32 leave lanes idle.
__global__ void spmv_vector(const unsigned *first, const unsigned *column, const float *value, const float *x, float *y, unsigned rows)
{
	unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
	if (row >= rows)
		return;
	float sum = 0;
	for (unsigned i = first[row] + lane; i < first[row + 1]; i += WARP)
		sum = fmaf(value[i], x[column[i]], sum);
	for (unsigned distance = WARP / 2; distance > 0; distance /= 2)
		sum += __shfl_down_sync(~0u, sum, distance);
	if (lane == 0)
		y[row] = sum;
}

struct Matrix {
	std::vector<unsigned> first, column;
	std::vector<float> value;
};

static Matrix make_matrix(Random &random, unsigned rows)
{
	Matrix m;
	for (unsigned row = 0; row < rows; row++) {
		m.first.push_back((unsigned)m.column.size());
		for (unsigned length = row % 5 == 3 ? 0 : random.below(row % 7 == 0 ? LONGEST : 12); length; length--) {
			m.column.push_back(random.below(rows));
			m.value.push_back(random.between(-10, 10));
		}
	}
	m.first.push_back((unsigned)m.column.size());
	return m;
}

// The sum of a row one after the other, and as the tree of a warp.
static float in_order(const Matrix &m, const std::vector<float> &x, unsigned row)
{
	float sum = 0;
	for (unsigned i = m.first[row]; i < m.first[row + 1]; i++)
		sum = fmaf(m.value[i], x[m.column[i]], sum);
	return sum;
}
static float by_tree(const Matrix &m, const std::vector<float> &x, unsigned row)
{
	float part[WARP] = {};
	for (unsigned i = m.first[row], lane = 0; i < m.first[row + 1]; i++, lane = (lane + 1) % WARP)
		part[lane] = fmaf(m.value[i], x[m.column[i]], part[lane]);
	for (unsigned distance = WARP / 2; distance > 0; distance /= 2)
		for (unsigned lane = 0; lane < distance; lane++)
			part[lane] += part[lane + distance];
	return part[0];
}

static void run(Outputs &outputs, unsigned rows)
{
	Random random(10);
	std::vector<float> x(rows), expected(rows), expected_by_tree(rows);
	for (float &element : x)
		element = random.between(-1, 1);
	const Matrix m = make_matrix(random, rows);
	for (unsigned row = 0; row < rows; row++) {
		expected[row] = in_order(m, x, row);
		expected_by_tree[row] = by_tree(m, x, row);
	}
	unsigned *first = to_device(m.first), *column = to_device(m.column);
	float *value = to_device(m.value), *device_x = to_device(x), *scalar = zeros_on_device<float>(rows), *vector = zeros_on_device<float>(rows);
	spmv_scalar<<<blocks_for(rows, BLOCK), BLOCK>>>(first, column, value, device_x, scalar, rows);
	spmv_vector<<<blocks_for(rows, BLOCK / WARP), BLOCK>>>(first, column, value, device_x, vector, rows);
	CHECK(cudaGetLastError());
	outputs.equal("y scalar", to_host(scalar, rows), expected);
	outputs.equal("y vector", to_host(vector, rows), expected_by_tree);
	CHECK(cudaFree(first));
	CHECK(cudaFree(column));
	CHECK(cudaFree(value));
	CHECK(cudaFree(device_x));
	CHECK(cudaFree(scalar));
	CHECK(cudaFree(vector));
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 45, 300, 1500};
	return run_sizes(argc, argv, sizes, run);
}
