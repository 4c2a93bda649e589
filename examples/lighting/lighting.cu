// Light on a surface (Blinn and Phong) as a CUDA program: the colour of every point under three lamps, as a viewer sees it. The arithmetic is a
// template: the device computes with floats, the host with doubles. The scene is an argument of the kernel.
#include "../example.cuh"

enum { LAMPS = 3, BLOCK = 96 };

template <class Real> struct Vector {
	Real x, y, z;
	__host__ __device__ Vector operator+(Vector b) const { return {x + b.x, y + b.y, z + b.z}; }
	__host__ __device__ Vector operator-(Vector b) const { return {x - b.x, y - b.y, z - b.z}; }
	// factor * this + b, each component rounded once
	__host__ __device__ Vector scaled_plus(Real factor, Vector b) const
	{
		return {fma(x, factor, b.x), fma(y, factor, b.y), fma(z, factor, b.z)};
	}
	__host__ __device__ Vector limited(Real most) const { return {fmin(x, most), fmin(y, most), fmin(z, most)}; }
};
template <class Real> __host__ __device__ Real dot(Vector<Real> a, Vector<Real> b) { return fma(a.z, b.z, fma(a.y, b.y, a.x * b.x)); }
template <class Real> __host__ __device__ Vector<Real> unit(Vector<Real> v)
{
	Real factor = one_over_root(dot(v, v));
	return {times(v.x, factor), times(v.y, factor), times(v.z, factor)};
}

struct Lamp {
	float4 position, colour; // w is unused
};
struct Scene {
	Lamp lamps[LAMPS];
	float4 eye;
	float shininess;
};

template <class Real> __host__ __device__ Vector<Real> vector_of(float4 v) { return {v.x, v.y, v.z}; }

// The colour, and its luminance in the fourth component.
template <class Real> struct Colour {
	Vector<Real> light;
	Real luminance;
};

template <class Real> __host__ __device__ Colour<Real> shaded(const Scene &scene, float4 position, float4 normal)
{
	Vector<Real> p = vector_of<Real>(position), up = unit(vector_of<Real>(normal)), to_eye = unit(vector_of<Real>(scene.eye) - p);
	Vector<Real> sum = {Real(0.05f), Real(0.05f), Real(0.05f)}; // ambient light
	for (unsigned i = 0; i < LAMPS; i++) {
		Vector<Real> way = vector_of<Real>(scene.lamps[i].position) - p, to_lamp = unit(way);
		Real facing = dot(up, to_lamp);
		if (facing <= 0)
			continue; // the lamp is behind the surface
		Real shine = pow(fmax(dot(up, unit(to_lamp + to_eye)), Real(0)), Real(scene.shininess));
		Real fall = 1 / fma(Real(0.1f), dot(way, way), Real(1)), strength = fma(Real(0.7f), facing, times(Real(0.3f), shine));
		sum = vector_of<Real>(scene.lamps[i].colour).scaled_plus(times(strength, fall), sum);
	}
	sum = sum.limited(1); // the range of a screen
	// In two chains, as the machine computes OpenCL's dot() of four.
	return {sum, fma(sum.z, Real(0.0722f), times(sum.x, Real(0.2126f))) + times(sum.y, Real(0.7152f))};
}

__global__ void lighting(const float4 *position, const float4 *normal, float4 *colour, Scene scene, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	Colour<float> at = shaded<float>(scene, position[i], normal[i]);
	colour[i] = make_float4(at.light.x, at.light.y, at.light.z, at.luminance);
}

static void run(Outputs &outputs, unsigned n)
{
	static const Scene scene = {
	    {{{3, 4, 5, 0}, {1, 0.9f, 0.8f, 0}}, {{-4, 2, 3, 0}, {0.3f, 0.4f, 1, 0}}, {{0, -5, 1, 0}, {0.5f, 0.1f, 0.1f, 0}}}, {0, 0, 6, 0}, 12};
	Random random(15);
	std::vector<float4> position(n), normal(n);
	std::vector<double> expected;
	for (unsigned i = 0; i < n; i++) {
		float *p = &position[i].x, *up = &normal[i].x;
		for (unsigned k = 0; k < 4; k++) {
			p[k] = random.between(-2, 2);
			up[k] = random.between(-1, 1);
		}
		up[2] += 2.5f; // roughly towards the viewer
		Colour<double> at = shaded<double>(scene, position[i], normal[i]);
		expected.insert(expected.end(), {at.light.x, at.light.y, at.light.z, at.luminance});
	}
	float4 *device_position = to_device(position), *device_normal = to_device(normal);
	float *colour = zeros_on_device<float>(n * 4);
	lighting<<<blocks_for(n, BLOCK), BLOCK>>>(device_position, device_normal, (float4 *)colour, scene, n);
	CHECK(cudaGetLastError());
	// pow multiplies the relative error of its argument by 12. This error is a few units in the last place of two normalised vectors.
	outputs.near("colour", to_host(colour, n * 4), expected, 1e-5, 1e-5);
	CHECK(cudaFree(device_position));
	CHECK(cudaFree(device_normal));
	CHECK(cudaFree(colour));
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 100, 15000};
	return run_sizes(argc, argv, sizes, run);
}
