// An atomic operation on 16 bits took the word around them, which may end behind the buffer, and read it with a plain load.
// run: --block 32 --arg out:out.npy:u16:3
// expect: right
#include <cuda_bf16.h>
__global__ void k(__nv_bfloat16 *p)
{
	atomicAdd(p + 2, __float2bfloat16(1.0f));
}
