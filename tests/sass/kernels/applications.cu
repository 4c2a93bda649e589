// Whole programs, small: hashes, sorts, transforms, simulations, graphics; functions with many registers, and ones that spill.
#include <stdint.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define T threadIdx.x
#define K(name) extern "C" __global__ void name
#define ROTATE(x, n) ((x) << (n) | (x) >> (32 - (n)))

K(sha256_block)(uint32_t *o, const uint32_t *message, const uint32_t *k)
{
	uint32_t w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
#pragma unroll
	for (int i = 0; i < 16; i++)
		w[i] = message[I * 16 + i];
#pragma unroll
	for (int i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] + (ROTATE(w[i - 15], 25) ^ ROTATE(w[i - 15], 14) ^ w[i - 15] >> 3) + (ROTATE(w[i - 2], 15) ^ ROTATE(w[i - 2], 13) ^ w[i - 2] >> 10);
#pragma unroll
	for (int i = 0; i < 64; i++) {
		uint32_t t = s[7] + (ROTATE(s[4], 26) ^ ROTATE(s[4], 21) ^ ROTATE(s[4], 7)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
		uint32_t u = (ROTATE(s[0], 30) ^ ROTATE(s[0], 19) ^ ROTATE(s[0], 10)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
		s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t, s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t + u;
	}
	for (int i = 0; i < 8; i++)
		o[I * 8 + i] = s[i];
}
K(chacha_block)(uint32_t *o, const uint32_t *key)
{
	uint32_t x[16];
#define QUARTER(a, b, c, d) (x[a] += x[b], x[d] = ROTATE(x[d] ^ x[a], 16), x[c] += x[d], x[b] = ROTATE(x[b] ^ x[c], 12), x[a] += x[b], x[d] = ROTATE(x[d] ^ x[a], 8), x[c] += x[d], x[b] = ROTATE(x[b] ^ x[c], 7))
	for (int i = 0; i < 16; i++)
		x[i] = key[i] + (i == 12 ? I : 0);
	for (int i = 0; i < 10; i++) {
		QUARTER(0, 4, 8, 12), QUARTER(1, 5, 9, 13), QUARTER(2, 6, 10, 14), QUARTER(3, 7, 11, 15);
		QUARTER(0, 5, 10, 15), QUARTER(1, 6, 11, 12), QUARTER(2, 7, 8, 13), QUARTER(3, 4, 9, 14);
	}
	for (int i = 0; i < 16; i++)
		o[I * 16 + i] = x[i] + key[i];
}
K(aes_round)(uint32_t *o, const uint32_t *a, const uint32_t *table, const uint32_t *key, int rounds)
{
	__shared__ uint32_t t[256];
	t[T & 255] = table[T & 255];
	__syncthreads();
	uint32_t s0 = a[4 * I], s1 = a[4 * I + 1], s2 = a[4 * I + 2], s3 = a[4 * I + 3];
	for (int r = 0; r < rounds; r++) {
		uint32_t u0 = t[s0 & 255] ^ ROTATE(t[s1 >> 8 & 255], 8) ^ ROTATE(t[s2 >> 16 & 255], 16) ^ ROTATE(t[s3 >> 24], 24) ^ key[4 * r];
		uint32_t u1 = t[s1 & 255] ^ ROTATE(t[s2 >> 8 & 255], 8) ^ ROTATE(t[s3 >> 16 & 255], 16) ^ ROTATE(t[s0 >> 24], 24) ^ key[4 * r + 1];
		uint32_t u2 = t[s2 & 255] ^ ROTATE(t[s3 >> 8 & 255], 8) ^ ROTATE(t[s0 >> 16 & 255], 16) ^ ROTATE(t[s1 >> 24], 24) ^ key[4 * r + 2];
		uint32_t u3 = t[s3 & 255] ^ ROTATE(t[s0 >> 8 & 255], 8) ^ ROTATE(t[s1 >> 16 & 255], 16) ^ ROTATE(t[s2 >> 24], 24) ^ key[4 * r + 3];
		s0 = u0, s1 = u1, s2 = u2, s3 = u3;
	}
	o[4 * I] = s0, o[4 * I + 1] = s1, o[4 * I + 2] = s2, o[4 * I + 3] = s3;
}
K(random_mersenne)(uint32_t *o, uint32_t *state, int n)
{
	uint32_t *s = state + I * 624;
	for (int i = 0; i < n; i++) {
		uint32_t y = (s[i % 624] & 0x80000000) | (s[(i + 1) % 624] & 0x7fffffff), x = s[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0df : 0);
		s[i % 624] = x;
		x ^= x >> 11, x ^= x << 7 & 0x9d2c5680, x ^= x << 15 & 0xefc60000, x ^= x >> 18;
		o[I * n + i] = x;
	}
}
K(random_philox)(uint4 *o, uint2 key)
{
	uint4 c = make_uint4(I, 1, 2, 3);
#pragma unroll
	for (int i = 0; i < 10; i++) {
		uint32_t h0 = __umulhi(0xD2511F53, c.x), l0 = 0xD2511F53 * c.x, h1 = __umulhi(0xCD9E8D57, c.z), l1 = 0xCD9E8D57 * c.z;
		c = make_uint4(h1 ^ c.y ^ key.x, l1, h0 ^ c.w ^ key.y, l0);
		key.x += 0x9E3779B9, key.y += 0xBB67AE85;
	}
	o[I] = c;
}
K(fourier_8)(float2 *a)
{
	float2 v[8];
	for (int i = 0; i < 8; i++)
		v[i] = a[I + i * 1024];
#pragma unroll
	for (int d = 4; d; d >>= 1)
#pragma unroll
		for (int i = 0; i < 8; i++)
			if (!(i & d)) {
				float2 x = v[i], y = v[i | d];
				float s, c;
				__sincosf(-3.14159265f * (i % d) / d, &s, &c);
				v[i] = make_float2(x.x + y.x, x.y + y.y);
				v[i | d] = make_float2((x.x - y.x) * c - (x.y - y.y) * s, (x.x - y.x) * s + (x.y - y.y) * c);
			}
	for (int i = 0; i < 8; i++)
		a[I + i * 1024] = v[i];
}
K(cosine_transform)(float *a)
{
	float v[8];
	for (int i = 0; i < 8; i++)
		v[i] = a[I * 8 + i];
	float s0 = v[0] + v[7], d0 = v[0] - v[7], s1 = v[1] + v[6], d1 = v[1] - v[6], s2 = v[2] + v[5], d2 = v[2] - v[5], s3 = v[3] + v[4], d3 = v[3] - v[4];
	float e0 = s0 + s3, e1 = s1 + s2, f0 = s0 - s3, f1 = s1 - s2;
	v[0] = e0 + e1, v[4] = e0 - e1, v[2] = f0 * 1.306563f + f1 * .541196f, v[6] = f0 * .541196f - f1 * 1.306563f;
	v[1] = d0 * 1.387040f + d1 * 1.175876f + d2 * .785695f + d3 * .275899f, v[3] = d0 * 1.175876f - d1 * .275899f - d2 * 1.387040f - d3 * .785695f;
	v[5] = d0 * .785695f - d1 * 1.387040f + d2 * .275899f + d3 * 1.175876f, v[7] = d0 * .275899f - d1 * .785695f + d2 * 1.175876f - d3 * 1.387040f;
	for (int i = 0; i < 8; i++)
		a[I * 8 + i] = v[i];
}
K(bodies)(float4 *o, const float4 *p, int n)
{
	__shared__ float4 s[128];
	float4 me = p[I];
	float3 f = {0, 0, 0};
	for (int t = 0; t < n; t += 128) {
		s[T] = p[t + T];
		__syncthreads();
#pragma unroll 16
		for (int i = 0; i < 128; i++) {
			float x = s[i].x - me.x, y = s[i].y - me.y, z = s[i].z - me.z, r = rsqrtf(x * x + y * y + z * z + 1e-6f), w = s[i].w * r * r * r;
			f.x += x * w, f.y += y * w, f.z += z * w;
		}
		__syncthreads();
	}
	o[I] = make_float4(f.x, f.y, f.z, 0);
}
K(life)(uint8_t *o, const uint8_t *a, int w, int h)
{
	int x = I, y = blockIdx.y, n = 0;
	for (int j = -1; j < 2; j++)
		for (int i = -1; i < 2; i++)
			if (i || j)
				n += a[(y + j + h) % h * w + (x + i + w) % w];
	o[y * w + x] = n == 3 || (n == 2 && a[y * w + x]);
}
K(julia)(uchar4 *o, float cx, float cy, int w)
{
	float x = (I % w) * 3.f / w - 1.5f, y = (I / w) * 3.f / w - 1.5f;
	int n = 0;
	while (n < 255 && x * x + y * y < 4) {
		float t = x * x - y * y + cx;
		y = 2 * x * y + cy, x = t, n++;
	}
	o[I] = make_uchar4(n, n * 3, n * 7, 255);
}
K(ray_sphere)(float4 *o, const float4 *spheres, int n, int w)
{
	float dx = (I % w) * 2.f / w - 1, dy = (I / w) * 2.f / w - 1, s = rsqrtf(dx * dx + dy * dy + 1), best = 1e30f;
	float3 d = {dx * s, dy * s, s}, at = {0, 0, 0};
	int hit = -1;
	for (int i = 0; i < n; i++) {
		float4 c = spheres[i];
		float b = c.x * d.x + c.y * d.y + c.z * d.z, q = b * b - (c.x * c.x + c.y * c.y + c.z * c.z) + c.w * c.w;
		if (q > 0) {
			float t = b - sqrtf(q);
			if (t > 1e-3f && t < best)
				best = t, hit = i;
		}
	}
	if (hit >= 0) {
		float4 c = spheres[hit];
		at = {(best * d.x - c.x) / c.w, (best * d.y - c.y) / c.w, (best * d.z - c.z) / c.w};
	}
	o[I] = make_float4(at.x, at.y, at.z, hit);
}
K(bilateral)(float *o, const float *a, int w, float space, float range)
{
	int x = I % w, y = I / w;
	float c = a[I], s = 0, t = 0;
	for (int j = -3; j <= 3; j++)
		for (int i = -3; i <= 3; i++) {
			float v = a[(y + j) * w + x + i], f = __expf(-(i * i + j * j) * space - (v - c) * (v - c) * range);
			s += f * v, t += f;
		}
	o[I] = s / t;
}
K(median)(float *o, const float *a, int w)
{
	float v[9];
	for (int i = 0; i < 9; i++)
		v[i] = a[I + (i / 3 - 1) * w + i % 3 - 1];
#pragma unroll
	for (int i = 0; i < 5; i++)
#pragma unroll
		for (int j = i + 1; j < 9; j++) {
			float l = fminf(v[i], v[j]), h = fmaxf(v[i], v[j]);
			v[i] = l, v[j] = h;
		}
	o[I] = v[4];
}
K(lattice_boltzmann)(float *o, const float *a, int n, float omega)
{
	const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
	const float weight[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
	float f[9], r = 0, u = 0, v = 0;
#pragma unroll
	for (int i = 0; i < 9; i++)
		f[i] = a[i * n + I - cx[i] - 64 * cy[i]], r += f[i], u += f[i] * cx[i], v += f[i] * cy[i];
	u /= r, v /= r;
#pragma unroll
	for (int i = 0; i < 9; i++) {
		float c = 3 * (cx[i] * u + cy[i] * v), e = weight[i] * r * (1 + c + .5f * c * c - 1.5f * (u * u + v * v));
		o[i * n + I] = f[i] + omega * (e - f[i]);
	}
}
K(tridiagonal)(float *x, const float *a, const float *b, const float *c, const float *d, float *scratch, int n)
{
	float q = 0, y = 0;
	for (int i = 0; i < n; i++) {
		float m = 1 / (b[i * 64 + I] - a[i * 64 + I] * q);
		q = c[i * 64 + I] * m, y = (d[i * 64 + I] - a[i * 64 + I] * y) * m;
		scratch[i * 64 + I] = q, x[i * 64 + I] = y;
	}
	for (int i = n - 2; i >= 0; i--)
		x[i * 64 + I] -= scratch[i * 64 + I] * x[(i + 1) * 64 + I];
}
K(edit_distance)(int *o, const uint8_t *a, const uint8_t *b, int n)
{
	int row[33];
	for (int i = 0; i < 33; i++)
		row[i] = i;
	for (int j = 0; j < n; j++) {
		int d = row[0]++;
#pragma unroll
		for (int i = 1; i < 33; i++) {
			int t = row[i];
			row[i] = min(min(row[i], row[i - 1]) + 1, d + (a[I * 32 + i - 1] != b[j])), d = t;
		}
	}
	o[I] = row[32];
}
K(smith_waterman)(short *o, const uint8_t *a, const uint8_t *b, int n)
{
	int best = 0, h[8] = {}, e[8] = {};
	for (int j = 0; j < n; j++) {
		int f = 0, d = 0;
#pragma unroll
		for (int i = 0; i < 8; i++) {
			int s = d + (a[I * 8 + i] == b[j] ? 5 : -3);
			d = h[i], e[i] = max(e[i] - 1, h[i] - 4), f = max(f - 1, s - 4);
			h[i] = max(max(s, 0), max(e[i], f)), best = max(best, h[i]);
		}
	}
	o[I] = best;
}
K(breadth_first)(int *level, const int *first, const int *next, int depth, int *changed, int n)
{
	if (I < n && level[I] == depth)
		for (int i = first[I]; i < first[I + 1]; i++)
			if (level[next[i]] < 0)
				level[next[i]] = depth + 1, *changed = 1;
}
K(sparse_vector)(float *y, const int *row, const int *column, const float *value, const float *x)
{
	float s = 0;
	int w = I / 32, l = T & 31;
	for (int i = row[w] + l; i < row[w + 1]; i += 32)
		s += value[i] * x[column[i]];
	for (int d = 16; d; d >>= 1)
		s += __shfl_down_sync(~0u, s, d);
	if (!l)
		y[w] = s;
}
K(hash_insert)(uint64_t *table, const uint32_t *keys, uint32_t mask)
{
	uint32_t k = keys[I], h = (k * 2654435761u) & mask;
	while (1) {
		unsigned long long old = atomicCAS((unsigned long long *)table + h, 0ull, (unsigned long long)k << 32 | I);
		if (!old || old >> 32 == k)
			return;
		h = (h + 1) & mask;
	}
}
K(binary_search)(int *o, const float *sorted, const float *q, int n)
{
	int l = 0, h = n;
	float x = q[I];
	while (l < h) {
		int m = (l + h) >> 1;
		if (sorted[m] < x)
			l = m + 1;
		else
			h = m;
	}
	o[I] = l;
}
K(radix_pass)(int *o, const int *a, const int *offsets, int shift)
{
	__shared__ int count[4][16];
	int d = a[I] >> shift & 15, before = 0;
	unsigned m = ~0u;
#pragma unroll
	for (int b = 0; b < 4; b++) {
		unsigned v = __ballot_sync(~0u, d >> b & 1);
		m &= d >> b & 1 ? v : ~v;
	}
	before = __popc(m & ((1u << (T & 31)) - 1));
	if (!before)
		count[T >> 5][d] = __popc(m);
	__syncthreads();
	for (int i = 0; i < T >> 5; i++)
		before += count[i][d];
	o[offsets[d] + before] = a[I];
}
K(quick_select)(float *o, float *a, int n, int k)
{
	float *p = a + I * n;
	int l = 0, h = n - 1;
	while (l < h) {
		float pivot = p[(l + h) / 2];
		int i = l, j = h;
		do {
			while (p[i] < pivot)
				i++;
			while (p[j] > pivot)
				j--;
			if (i <= j) {
				float t = p[i];
				p[i++] = p[j], p[j--] = t;
			}
		} while (i <= j);
		if (k <= j)
			h = j;
		else if (k >= i)
			l = i;
		else
			break;
	}
	o[I] = p[k];
}
K(tree_walk)(int *o, const int4 *nodes, const float *q)
{
	int stack[24], top = 0, n = 0, hits = 0;
	float x = q[I];
	while (1) {
		int4 v = nodes[n];
		if (v.z < 0)
			hits += -v.z;
		bool left = x < __int_as_float(v.w) + 1, right = x > __int_as_float(v.w) - 1;
		if (left && right)
			stack[top++] = v.y, n = v.x;
		else if (left || right)
			n = left ? v.x : v.y;
		else if (top)
			n = stack[--top];
		else
			break;
		if (n <= 0) {
			if (!top)
				break;
			n = stack[--top];
		}
	}
	o[I] = hits;
}
K(matrix_inverse)(float *o, const float *a)
{
	float m[4][8];
#pragma unroll
	for (int i = 0; i < 4; i++)
#pragma unroll
		for (int j = 0; j < 4; j++)
			m[i][j] = a[I * 16 + i * 4 + j], m[i][j + 4] = i == j;
#pragma unroll
	for (int k = 0; k < 4; k++) {
		float r = 1 / m[k][k];
#pragma unroll
		for (int j = 0; j < 8; j++)
			m[k][j] *= r;
#pragma unroll
		for (int i = 0; i < 4; i++)
			if (i != k) {
				float f = m[i][k];
#pragma unroll
				for (int j = 0; j < 8; j++)
					m[i][j] -= f * m[k][j];
			}
	}
#pragma unroll
	for (int i = 0; i < 16; i++)
		o[I * 16 + i] = m[i / 4][i % 4 + 4];
}
K(many_registers)(float *o, const float *a)
{
	float v[96];
#pragma unroll
	for (int i = 0; i < 96; i++)
		v[i] = a[i * 256 + I];
#pragma unroll
	for (int r = 0; r < 3; r++)
#pragma unroll
		for (int i = 0; i < 96; i++)
			v[i] = v[i] * v[(i * 7 + r) % 96] + v[(i * 5 + 11) % 96];
#pragma unroll
	for (int i = 0; i < 96; i++)
		o[i * 256 + I] = v[i];
}
extern "C" __global__ void __launch_bounds__(1024, 2) spilled(float *o, const float *a)
{
	float v[80];
#pragma unroll
	for (int i = 0; i < 80; i++)
		v[i] = a[i * 1024 + I];
#pragma unroll
	for (int i = 0; i < 80; i++)
		v[i] += v[79 - i] * v[(i * 13) % 80];
#pragma unroll
	for (int i = 0; i < 80; i++)
		o[i * 1024 + I] = v[i];
}
extern "C" __global__ void __launch_bounds__(1024, 2) spilled_doubles(double *o, const double *a, int n)
{
	double v[24];
#pragma unroll
	for (int i = 0; i < 24; i++)
		v[i] = a[i * 1024 + I];
	for (int k = 0; k < n; k++)
#pragma unroll
		for (int i = 0; i < 24; i++)
			v[i] = fma(v[i], v[(i + 5) % 24], v[(i * 7) % 24]);
#pragma unroll
	for (int i = 0; i < 24; i++)
		o[i * 1024 + I] = v[i];
}
K(divergence_ladder)(int *o, const int *a)
{
	int x = a[I], r = 0;
	if (x & 1) {
		r += a[x & 15];
		if (x & 2) {
			r ^= a[r & 31];
			for (int i = 0; i < (x & 7); i++)
				if (r & 1 << i)
					r = r * 3 + i;
				else if (r < 0)
					break;
			if (x & 8)
				goto common;
		} else
			r = -r;
	} else if (x & 16) {
	common:
		r += __popc(x);
		if (r > 100)
			return;
	}
	o[I] = r;
}
K(divergence_irreducible)(int *o, int n, int x)
{
	int i = I & 3, r = x;
	if (i == 1)
		goto second;
first:
	r = r * 5 + 1, i++;
	if (r & 64)
		goto out;
second:
	r ^= n, n--;
	if (n > 0 && r & 8)
		goto first;
	if (n > 0)
		goto second;
out:
	o[I] = r + i;
}
K(persistent_queue)(int *o, const int *work, int *head, int n)
{
	__shared__ int next;
	while (1) {
		if (!T)
			next = atomicAdd(head, 1);
		__syncthreads();
		int w = next;
		__syncthreads();
		if (w >= n)
			return;
		int x = work[w * 64 + T];
		for (int i = 0; i < (x & 15); i++)
			x = x * 3 + i;
		o[w * 64 + T] = x;
	}
}
K(producer_consumer_warps)(float *o, const float *a, int n)
{
	__shared__ float s[2][32];
	for (int i = 0; i < n; i++) {
		if (T < 32)
			s[i & 1][T] = a[i * 32 + T];
		__syncthreads();
		if (T >= 32)
			o[i * 32 + T - 32] = s[i & 1][T - 32] * 2;
	}
}
K(convolution_3x3_channels)(float *o, const float *a, const float *f, int c, int w)
{
	float s[4] = {};
	for (int k = 0; k < c; k++)
#pragma unroll
		for (int t = 0; t < 9; t++) {
			float x = a[k * w * w + I + t / 3 * w + t % 3];
#pragma unroll
			for (int j = 0; j < 4; j++)
				s[j] += x * __ldg(f + (k * 9 + t) * 4 + j);
		}
#pragma unroll
	for (int j = 0; j < 4; j++)
		o[j * w * w + I] = fmaxf(s[j], 0);
}
K(layer_norm)(float *o, const float *a, const float *g, int n)
{
	__shared__ float part[2][32];
	float s = 0, q = 0;
	for (int i = T; i < n; i += blockDim.x) {
		float x = a[blockIdx.x * n + i];
		s += x, q += x * x;
	}
	for (int d = 16; d; d >>= 1)
		s += __shfl_xor_sync(~0u, s, d), q += __shfl_xor_sync(~0u, q, d);
	if (!(T & 31))
		part[0][T >> 5] = s, part[1][T >> 5] = q;
	__syncthreads();
	s = q = 0;
	for (int i = 0; i < blockDim.x / 32; i++)
		s += part[0][i], q += part[1][i];
	float mean = s / n, r = rsqrtf(q / n - mean * mean + 1e-5f);
	for (int i = T; i < n; i += blockDim.x)
		o[blockIdx.x * n + i] = (a[blockIdx.x * n + i] - mean) * r * g[i];
}
