// clang 14 took the masks of two arms for one, and asked once, before the branch.
// run: --kernel masks --grid 4 --block 64 --arg out:out.npy:i32:256
// expect: right
// values: indices
extern "C" __global__ void masks(int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned lane = i % 32, thirds = 0x49249249, mine;
	if (lane % 3 == 0)
		mine = __activemask();
	else
		mine = ~__activemask();
	out[i] = mine == thirds ? i : -1;
}
