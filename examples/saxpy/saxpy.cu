// y = a * x + y in CUDA, the same kernel as saxpy.cl. Pointers are generic here. The compiler proves that they are global.
extern "C" __global__ void saxpy(const float *x, float *y, float a, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = fmaf(a, x[i], y[i]);
}
