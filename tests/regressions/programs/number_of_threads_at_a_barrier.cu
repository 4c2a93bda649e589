// The machine did not read the register with the number of threads: the first warp passed, and what the second one stores later was missing.
// run: --grid 1 --block 128 --arg out:out.npy:i32:256 --arg i32:64
// expect: right
extern "C" __global__ void k(int *out, int threads)
{
	__shared__ int values[64];
	int t = threadIdx.x, late = 0;
	if (t >= 64)
		return;
	for (int i = 0; t >= 32 && i < 100; i++)
		late += *(volatile int *)(out + 128 + i);
	values[t] = t * 3 + late;
	asm volatile("bar.sync 5, %0;" : : "r"(threads) : "memory");
	out[t] = values[63 - t] + 1;
}
