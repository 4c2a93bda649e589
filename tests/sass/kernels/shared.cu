// Shared memory: widths, conflicts, dynamic arrays, reductions, scans, tiles.
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define T threadIdx.x
#define K(name) extern "C" __global__ void name
extern __shared__ float dynamic[];

K(shared_exchange)(float *o, const float *a) { __shared__ float s[256]; s[T] = a[I]; __syncthreads(); o[I] = s[255 - T]; }
K(shared_pair)(float2 *o, const float2 *a) { __shared__ float2 s[128]; s[T] = a[I]; __syncthreads(); o[I] = s[T ^ 1]; }
K(shared_quad)(int4 *o, const int4 *a) { __shared__ int4 s[128]; s[T] = a[I]; __syncthreads(); o[I] = s[127 - T]; }
K(shared_bytes)(unsigned char *o, const unsigned char *a) { __shared__ unsigned char s[256]; s[T] = a[I]; __syncthreads(); o[I] = s[(T * 7) & 255] + s[(T * 5) & 255]; }
K(shared_halves)(short *o, const short *a) { __shared__ short s[256]; s[T] = a[I]; __syncthreads(); o[I] = s[(T + 8) & 255]; }
K(shared_dynamic)(float *o, const float *a, int n) { dynamic[T] = a[I]; dynamic[T + n] = a[I + n]; __syncthreads(); o[I] = dynamic[n - T] + dynamic[2 * n - T]; }
K(shared_reduce)(float *o, const float *a)
{
	__shared__ float s[256];
	s[T] = a[I];
	__syncthreads();
	for (int d = 128; d; d >>= 1) {
		if (T < d)
			s[T] += s[T + d];
		__syncthreads();
	}
	if (!T)
		o[blockIdx.x] = s[0];
}
K(shared_reduce_unrolled)(int *o, const int *a)
{
	__shared__ volatile int s[128];
	s[T] = a[I];
	__syncthreads();
#pragma unroll
	for (int d = 64; d; d >>= 1) {
		if (T < d)
			s[T] += s[T + d];
		__syncwarp();
	}
	o[blockIdx.x] = s[0];
}
K(shared_scan)(int *o, const int *a)
{
	__shared__ int s[2][256];
	int w = 0;
	s[0][T] = a[I];
	__syncthreads();
	for (int d = 1; d < 256; d <<= 1, w ^= 1) {
		s[!w][T] = s[w][T] + (T >= d ? s[w][T - d] : 0);
		__syncthreads();
	}
	o[I] = s[w][T];
}
K(shared_scan_tree)(int *o, int *a, int n)
{
	__shared__ int s[512];
	s[2 * T] = a[2 * T], s[2 * T + 1] = a[2 * T + 1];
	int offset = 1;
	for (int d = n >> 1; d; d >>= 1, offset <<= 1) {
		__syncthreads();
		if (T < d)
			s[offset * (2 * T + 2) - 1] += s[offset * (2 * T + 1) - 1];
	}
	if (!T)
		s[n - 1] = 0;
	for (int d = 1; d < n; d <<= 1) {
		offset >>= 1;
		__syncthreads();
		if (T < d) {
			int i = offset * (2 * T + 1) - 1, j = offset * (2 * T + 2) - 1, t = s[i];
			s[i] = s[j], s[j] += t;
		}
	}
	__syncthreads();
	o[2 * T] = s[2 * T], o[2 * T + 1] = s[2 * T + 1];
}
K(shared_matrix)(float *c, const float *a, const float *b, int n)
{
	__shared__ float sa[16][16], sb[16][17];
	int x = T, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
	float s = 0;
	for (int k = 0; k < n; k += 16) {
		sa[y][x] = a[row * n + k + x], sb[y][x] = b[(k + y) * n + column];
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 16; i++)
			s += sa[y][i] * sb[i][x];
		__syncthreads();
	}
	c[row * n + column] = s;
}
K(shared_matrix_blocked)(float *c, const float *a, const float *b, int n)
{
	__shared__ float sa[8][64], sb[8][64];
	float r[4][4] = {};
	int t = T, x = t % 16, y = t / 16;
	for (int k = 0; k < n; k += 8) {
		for (int i = t; i < 512; i += 256)
			sa[i / 64][i % 64] = a[(blockIdx.y * 64 + i % 64) * n + k + i / 64], sb[i / 64][i % 64] = b[(k + i / 64) * n + blockIdx.x * 64 + i % 64];
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 8; i++)
#pragma unroll
			for (int p = 0; p < 4; p++)
#pragma unroll
				for (int q = 0; q < 4; q++)
					r[p][q] += sa[i][y * 4 + p] * sb[i][x * 4 + q];
		__syncthreads();
	}
	for (int p = 0; p < 4; p++)
		for (int q = 0; q < 4; q++)
			c[(blockIdx.y * 64 + y * 4 + p) * n + blockIdx.x * 64 + x * 4 + q] = r[p][q];
}
K(shared_matrix_double)(double *c, const double *a, const double *b, int n)
{
	__shared__ double sa[16][16], sb[16][16];
	int x = T, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
	double s = 0;
	for (int k = 0; k < n; k += 16) {
		sa[y][x] = a[row * n + k + x], sb[y][x] = b[(k + y) * n + column];
		__syncthreads();
		for (int i = 0; i < 16; i++)
			s += sa[y][i] * sb[i][x];
		__syncthreads();
	}
	c[row * n + column] = s;
}
K(shared_transpose)(float *o, const float *a, int n)
{
	__shared__ float s[32][33];
	for (int j = threadIdx.y; j < 32; j += 8)
		s[j][T] = a[(blockIdx.y * 32 + j) * n + blockIdx.x * 32 + T];
	__syncthreads();
	for (int j = threadIdx.y; j < 32; j += 8)
		o[(blockIdx.x * 32 + j) * n + blockIdx.y * 32 + T] = s[T][j];
}
K(shared_histogram)(unsigned *o, const unsigned char *a, int n)
{
	__shared__ unsigned h[256];
	h[T] = 0;
	__syncthreads();
	for (int i = I; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(h + a[i], 1);
	__syncthreads();
	atomicAdd(o + T, h[T]);
}
K(shared_bitonic)(int *a)
{
	__shared__ int s[256];
	s[T] = a[I];
	for (int k = 2; k <= 256; k <<= 1)
		for (int j = k >> 1; j; j >>= 1) {
			__syncthreads();
			int p = T ^ j;
			if (p > T && ((T & k) == 0) == (s[T] > s[p])) {
				int t = s[T];
				s[T] = s[p], s[p] = t;
			}
		}
	__syncthreads();
	a[I] = s[T];
}
K(shared_stencil)(float *o, const float *a, int n)
{
	__shared__ float s[130];
	s[T + 1] = a[I + 1];
	if (T == 0)
		s[0] = a[I];
	if (T == 127)
		s[129] = a[I + 2];
	__syncthreads();
	o[I] = .25f * s[T] + .5f * s[T + 1] + .25f * s[T + 2];
}
K(shared_convolution)(float *o, const float *a, const float *f, int w)
{
	__shared__ float s[20][20], k[5][5];
	int x = T, y = threadIdx.y;
	if (x < 5 && y < 5)
		k[y][x] = f[y * 5 + x];
	for (int j = y; j < 20; j += 16)
		for (int i = x; i < 20; i += 16)
			s[j][i] = a[(blockIdx.y * 16 + j) * w + blockIdx.x * 16 + i];
	__syncthreads();
	float r = 0;
#pragma unroll
	for (int j = 0; j < 5; j++)
#pragma unroll
		for (int i = 0; i < 5; i++)
			r += k[j][i] * s[y + j][x + i];
	o[(blockIdx.y * 16 + y) * w + blockIdx.x * 16 + x] = r;
}
K(shared_address)(unsigned *o) { __shared__ int s[8]; s[T & 7] = T; o[I] = (unsigned)__cvta_generic_to_shared(s + (T & 7)); }
K(shared_write_after_read)(float *o, const float *a, int n)
{
	__shared__ float s[128];
	float r = 0;
	s[T] = a[I];
	for (int i = 0; i < n; i++) {
		__syncthreads();
		float x = s[(T + 1) & 127];
		__syncthreads();
		s[T] = x * 1.5f, r += x;
	}
	o[I] = r;
}
