// A warp ends while its atomics wait for a load. Its end completed the barrier, and the other warp read what was there before.
// expect: right
// run: --grid 1 --block 64 --arg zero:u32:8192 --arg out:out.npy:u32:32
__global__ void k(const unsigned *in, unsigned *out)
{
	__shared__ unsigned s[64];
	unsigned t = threadIdx.x;
	s[t] = 0;
	__syncthreads();
	if (t >= 32) {
		atomicAdd(&s[t], in[t * 64] + 7);
		return;
	}
	__syncthreads();
	out[t] = s[t + 32];
}
