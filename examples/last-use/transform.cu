// A matrix times a vector for each thread (LU-16). -DPLAIN writes the sums out instead.
#include <heddle_vector.h>

#ifdef PLAIN
static __device__ float sum(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
static __device__ float4 transform(float4 a, float4 b, float4 c, float4 d, float4 v)
{
	return make_float4(sum(a, v), sum(b, v), sum(c, v), sum(d, v));
}
#else
#define transform heddle_transform4
#endif

extern "C" __global__ void transform_all(const float4 *matrix, const float4 *in, float4 *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = transform(matrix[0], matrix[1], matrix[2], matrix[3], in[i]);
}
