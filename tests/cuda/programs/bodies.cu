// Forces between bodies: vector types, mathematics of the device, structures by value.
#include "check.h"
#include <cmath>
#include <vector>

struct world {
	float dt, softening;
	int n;
};

__global__ void forces(world w, const float4 *__restrict__ at, float3 *force)
{
	__shared__ float4 tile[32];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 own = i < w.n ? at[i] : make_float4(0, 0, 0, 0);
	float3 sum = make_float3(0, 0, 0);
	for (int base = 0; base < w.n; base += 32) {
		tile[threadIdx.x] = base + threadIdx.x < w.n ? at[base + threadIdx.x] : make_float4(0, 0, 0, 0);
		__syncthreads();
		for (int k = 0; k < 32; k++) {
			float3 d = {tile[k].x - own.x, tile[k].y - own.y, tile[k].z - own.z};
			float r = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + w.softening), f = tile[k].w * r * r * r;
			sum.x += d.x * f, sum.y += d.y * f, sum.z += d.z * f;
		}
		__syncthreads();
	}
	if (i < w.n)
		force[i] = sum;
}

int main()
{
	world w = {0.1f, 0.01f, 50};
	std::vector<float4> at(w.n);
	for (int i = 0; i < w.n; i++)
		at[i] = make_float4(std::sin(float(i)), std::cos(3.0f * i), 0.1f * i, 1.0f + i % 3);
	std::vector<float3> force(w.n);
	float4 *d;
	float3 *f;
	CHECKED(cudaMalloc(&d, w.n * sizeof *d));
	CHECKED(cudaMalloc(&f, w.n * sizeof *f));
	CHECKED(cudaMemcpy(d, at.data(), w.n * sizeof *d, cudaMemcpyHostToDevice));
	forces<<<dim3(2), dim3(32, 1, 1)>>>(w, d, f);
	CHECKED(cudaMemcpy(force.data(), f, w.n * sizeof *f, cudaMemcpyDeviceToHost));
	long wrong = 0;
	for (int i = 0; i < w.n; i++) {
		double x = 0, y = 0, z = 0;
		for (int k = 0; k < w.n; k++) {
			double dx = at[k].x - at[i].x, dy = at[k].y - at[i].y, dz = at[k].z - at[i].z;
			double r = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + w.softening), f = at[k].w * r * r * r;
			x += dx * f, y += dy * f, z += dz * f;
		}
		double scale = std::fabs(x) + std::fabs(y) + std::fabs(z);
		wrong += std::fabs(x - force[i].x) + std::fabs(y - force[i].y) + std::fabs(z - force[i].z) > 1e-3 * scale;
	}
	return verdict(wrong);
}
