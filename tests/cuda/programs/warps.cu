// Votes, matches, reductions and shuffles of warps with members that are not there.
#include "check.h"

__global__ void warps(unsigned *out)
{
	unsigned i = threadIdx.x, *own = out + 8 * i;
	own[0] = __ballot_sync(0xffffffffu, i % 5 == 0);
	own[1] = __reduce_add_sync(0xffffffffu, i);
	own[2] = __match_any_sync(0xffffffffu, i / 6);
	own[3] = (unsigned)__any_sync(0xffffffffu, i == 40) << 1 | (unsigned)__all_sync(0xffffffffu, i < 32);
	if (i % 2) {
		unsigned mask = __activemask();
		own[4] = mask;
		own[5] = (unsigned)__reduce_min_sync(mask, (int)i - 20) + __reduce_xor_sync(mask, i);
		own[6] = __shfl_sync(mask, i * 3, 7) + __reduce_max_sync(mask, i);
	} else {
		own[4] = own[5] = own[6] = 0;
	}
	__syncwarp();
	own[7] = (unsigned)__syncthreads_count(i % 3 == 0) * 4 + (unsigned)__syncthreads_or(i == 63) * 2 + (unsigned)__syncthreads_and(i < 63);
}

int main()
{
	unsigned *d, v[512];
	CHECKED(cudaMalloc(&d, sizeof v));
	warps<<<1, 64>>>(d);
	CHECKED(cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost));
	long wrong = 0;
	for (unsigned i = 0; i < 64; i++) {
		unsigned warp = i / 32 * 32, ballot = 0, sum = 0, match = 0, odd = 0;
		for (unsigned k = 0; k < 32; k++) {
			ballot |= (unsigned)((warp + k) % 5 == 0) << k;
			match |= (unsigned)((warp + k) / 6 == i / 6) << k;
			sum += warp + k;
			odd ^= k % 2 ? warp + k : 0;
		}
		const unsigned *own = v + 8 * i;
		wrong += own[0] != ballot;
		wrong += own[1] != sum;
		wrong += own[2] != match;
		wrong += own[3] != (warp ? 2u : 1u);
		wrong += own[4] != (i % 2 ? 0xaaaaaaaau : 0u);
		wrong += own[5] != (i % 2 ? warp + 1 - 20 + odd : 0u);
		wrong += own[6] != (i % 2 ? (warp + 7) * 3 + warp + 31 : 0u);
		wrong += own[7] != 22 * 4 + 2;
	}
	return verdict(wrong);
}
