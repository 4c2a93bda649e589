// Gravity between all pairs of bodies, as a CUDA program: tiles of bodies in dynamic shared memory. A body is a float4: position in xyz, mass in w.
// SOFTENING keeps the force finite when two bodies meet, and lets a body meet itself.
#include "../example.cuh"

#define SOFTENING 0.01f

enum { BLOCK = 64, STEPS = 2 };

__global__ void nbody(const float4 *bodies, float4 *acceleration, unsigned n)
{
	extern __shared__ float4 tile[];
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	const float4 nothing = make_float4(0, 0, 0, 0);
	float4 me = i < n ? bodies[i] : nothing;
	float3 sum = make_float3(0, 0, 0);
	for (unsigned first = 0; first < n; first += blockDim.x) {
		tile[threadIdx.x] = first + threadIdx.x < n ? bodies[first + threadIdx.x] : nothing; // past the end: without mass
		__syncthreads();
		for (unsigned j = 0; j < blockDim.x; j++) {
			float4 other = tile[j];
			float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
			float inverse = rsqrtf(fmaf(x, x, fmaf(y, y, fmaf(z, z, SOFTENING))));
			float pull = other.w * inverse * inverse * inverse;
			sum = make_float3(fmaf(x, pull, sum.x), fmaf(y, pull, sum.y), fmaf(z, pull, sum.z));
		}
		__syncthreads();
	}
	if (i < n)
		acceleration[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

// Moves the bodies: velocity first, then position with the new velocity.
__global__ void nbody_move(float4 *bodies, float4 *velocity, const float4 *acceleration, float step, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float4 body = bodies[i], v = velocity[i], a = acceleration[i];
	v = make_float4(fmaf(a.x, step, v.x), fmaf(a.y, step, v.y), fmaf(a.z, step, v.z), 0);
	velocity[i] = v;
	bodies[i] = make_float4(fmaf(v.x, step, body.x), fmaf(v.y, step, body.y), fmaf(v.z, step, body.z), body.w);
}

// The reference in double precision. Kernels differ from it only by rounding.
static void advance(std::vector<double> &bodies, std::vector<double> &velocity, double step)
{
	const size_t n = bodies.size() / 4;
	std::vector<double> acceleration(n * 3);
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			double way[3], square = SOFTENING;
			for (unsigned k = 0; k < 3; k++) {
				way[k] = bodies[j * 4 + k] - bodies[i * 4 + k];
				square += way[k] * way[k];
			}
			for (unsigned k = 0; k < 3; k++)
				acceleration[i * 3 + k] += way[k] * bodies[j * 4 + 3] / (square * sqrt(square));
		}
	}
	for (size_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < 3; k++) {
			velocity[i * 4 + k] += acceleration[i * 3 + k] * step;
			bodies[i * 4 + k] += velocity[i * 4 + k] * step;
		}
	}
}

static void run(Outputs &outputs, unsigned n)
{
	const float step = 0.01f;
	Random random(8);
	std::vector<float> bodies(n * 4);
	for (unsigned i = 0; i < n * 4; i++)
		bodies[i] = i % 4 == 3 ? random.between(0.1f, 1) : random.between(-10, 10);
	std::vector<double> expected(bodies.begin(), bodies.end()), expected_velocity(n * 4);

	float *device_bodies = to_device(bodies), *velocity = zeros_on_device<float>(n * 4);
	float4 *acceleration = zeros_on_device<float4>(n);
	for (unsigned i = 0; i < STEPS; i++) {
		nbody<<<blocks_for(n, BLOCK), BLOCK, BLOCK * sizeof(float4)>>>((float4 *)device_bodies, acceleration, n);
		nbody_move<<<blocks_for(n, BLOCK), BLOCK>>>((float4 *)device_bodies, (float4 *)velocity, acceleration, step, n);
		CHECK(cudaGetLastError());
		advance(expected, expected_velocity, step);
	}
	// rsqrtf may be 2 ulp off, and its cube 7 ulp. The sum of n attractions of up to 1000 (close bodies) rounds n times.
	outputs.near("bodies", to_host(device_bodies, n * 4), expected, 1e-6, 1e-5);
	outputs.near("velocity", to_host(velocity, n * 4), expected_velocity, 1e-5, 1e-5);
	CHECK(cudaFree(device_bodies));
	CHECK(cudaFree(velocity));
	CHECK(cudaFree(acceleration));
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 65, 200, 500};
	return run_sizes(argc, argv, sizes, run);
}
