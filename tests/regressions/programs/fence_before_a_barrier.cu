// As fence_before_a_barrier.cl.
// expect: right
// run: --grid 10 --block 64 --arg zero:u32:1 --arg zero:u32:8 --arg out:out.npy:u32:300 --arg u32:20 --arg u32:100
__global__ void k(volatile unsigned *flag, unsigned *x, unsigned *out, unsigned n, unsigned m)
{
	__shared__ volatile unsigned busy[2048];
	unsigned l = threadIdx.x, g = blockIdx.x;
	if (g >= 2) {
		for (unsigned i = 0; l < 32 && i < m; i++)
			busy[l * 32] = busy[l * 32 + 1] = busy[l * 32 + 2] = busy[l * 32 + 3] = i;
		return;
	}
	if (g == 0) {
		if (l == 0) {
			for (unsigned i = 0; i < n; i++)
				out[200 + i] = i;
			x[0] = 7;
			__threadfence();
			*flag = 1;
		}
		return;
	}
	unsigned beside = x[1];
	if (l < 32) {
		while (!*flag)
			;
		__threadfence();
	}
	__syncthreads();
	out[l] = x[0] + beside;
}
