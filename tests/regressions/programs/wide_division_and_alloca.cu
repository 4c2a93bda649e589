// clang 14's back end had no code for the division of 128 bits, nor for alloca.
// run: --kernel wide --grid 4 --block 64 --arg out:out.npy:i32:256
// expect: right
// values: indices
extern "C" __global__ void wide(int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
	__int128 d = ((__int128)(i + 3) << 66) - 7, q = i * d + (i - d / 2), r = q % d;
	unsigned __int128 u = (unsigned __int128)q;
	int *p = (int *)__builtin_alloca((i % 5 + 1) * sizeof(int));
	for (int k = 0; k <= i % 5; k++)
		p[k] = k + i;
	for (int k = i % 5; k >= 0; k--)
		sum += p[k] - i;
	bool right = (q / d) * d + r == q && (r < 0 ? -r : r) < d && u / 1000000007u * 1000000007u + u % 1000000007u == u &&
	             sum == (i % 5) * (i % 5 + 1) / 2 && (__int128)(double)(q >> 80) == q >> 80;
	out[i] = right ? i : -1;
}
