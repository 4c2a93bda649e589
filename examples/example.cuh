// The helpers of the examples as CUDA programs (NAME/NAME.cu): checked calls, memory of the device, inputs, and the expected outputs.
//
//     heddle cc saxpy/saxpy.cu -o saxpy
//     ./saxpy [--size N] [--output FILE]
//
// A program runs every size, or size N alone (0 is the smallest). It compares each output with a reference that the host computes, and writes the
// bytes of all outputs to FILE. Exit status: 0 all right, 1 an output is wrong, 2 bad usage or an error of the runtime.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                               \
	do {                                                                                                      \
		cudaError_t error = (call);                                                                       \
		if (error != cudaSuccess) {                                                                       \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error)); \
			exit(2);                                                                                  \
		}                                                                                                 \
	} while (0)

// Number of blocks for so many items.
static inline unsigned blocks_for(unsigned items, unsigned block) { return (items + block - 1) / block; }

// A product that no compiler fuses with a sum; the operators' may be fused, and are where a compiler likes to. Where an example needs the same bits
// from every compiler, it says fma() for one rounding and times() for two.
__host__ __device__ inline float times(float a, float b)
{
#ifdef __CUDA_ARCH__
	return __fmul_rn(a, b);
#else
	return a * b;
#endif
}
// The double forms are for references of templates.
__host__ __device__ inline double times(double a, double b) { return a * b; }

// Of vectors' lengths. The device has it as one operation.
__host__ __device__ inline double one_over_root(double x) { return 1 / sqrt(x); }
__host__ __device__ inline float one_over_root(float x)
{
#ifdef __CUDA_ARCH__
	return rsqrtf(x);
#else
	return 1 / sqrtf(x);
#endif
}

// -- memory of the device ------------------------------------------------------------------------------------------------------------------------

template <class T> T *to_device(const std::vector<T> &from)
{
	T *to;
	CHECK(cudaMalloc(&to, from.size() * sizeof(T)));
	CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
	return to;
}

template <class T> T *zeros_on_device(size_t n)
{
	T *to;
	CHECK(cudaMalloc(&to, n * sizeof(T)));
	CHECK(cudaMemset(to, 0, n * sizeof(T)));
	return to;
}

// Waits for the kernels before it.
template <class T> std::vector<T> to_host(const T *from, size_t n)
{
	std::vector<T> to(n);
	CHECK(cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost));
	return to;
}

// -- inputs --------------------------------------------------------------------------------------------------------------------------------------

// Pseudo random numbers (splitmix64), those of example.h: the same seed makes the inputs of the OpenCL form.
class Random
{
      public:
	explicit Random(uint64_t seed) : state(seed) {}
	uint64_t next()
	{
		uint64_t z = (state += 0x9e3779b97f4a7c15);
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
		z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
		return z ^ (z >> 31);
	}
	uint32_t below(uint32_t n) { return (uint32_t)((next() >> 32) * n >> 32); }
	float between(float low, float high) { return low + (high - low) * ((float)(next() >> 40) / 16777216.0f); }

      private:
	uint64_t state;
};

// -- outputs -------------------------------------------------------------------------------------------------------------------------------------

class Outputs
{
      public:
	explicit Outputs(FILE *file) : file(file) {}
	bool right = true;

	// The bytes must be the same.
	template <class T> void equal(const char *name, const std::vector<T> &got, const std::vector<T> &expected)
	{
		take(got.data(), got.size() * sizeof(T));
		for (size_t i = 0; i < got.size(); i++)
			if (memcmp(&got[i], &expected[i], sizeof(T)) != 0)
				return wrong("%s: element %zu of %zu is not what the host computes\n", name, i, got.size());
	}
	// The difference may be relative * |expected| + absolute.
	void near(const char *name, const std::vector<float> &got, const std::vector<double> &expected, double relative, double absolute)
	{
		take(got.data(), got.size() * sizeof(float));
		for (size_t i = 0; i < got.size(); i++)
			if (!(std::fabs(got[i] - expected[i]) <= relative * std::fabs(expected[i]) + absolute))
				return wrong("%s: element %zu is %.9g, the host computes %.9g\n", name, i, (double)got[i], expected[i]);
	}

      private:
	FILE *file;

	void take(const void *bytes, size_t n)
	{
		if (file && fwrite(bytes, 1, n, file) != n) {
			perror("--output");
			exit(2);
		}
	}
	template <class... Words> void wrong(const char *format, Words... words)
	{
		fprintf(stderr, format, words...);
		right = false;
	}
};

// The body of main(): runs the sizes that the command line asks for.
template <class Size, size_t N> int run_sizes(int argc, char **argv, const Size (&sizes)[N], void (*run)(Outputs &outputs, Size size))
{
	size_t first = 0, last = N - 1;
	const char *path = nullptr;
	bool good = argc % 2 == 1;
	for (int i = 1; good && i < argc; i += 2) {
		char *end = nullptr;
		if (strcmp(argv[i], "--output") == 0)
			path = argv[i + 1];
		else if (strcmp(argv[i], "--size") == 0)
			first = last = strtoul(argv[i + 1], &end, 10);
		else
			good = false;
		good = good && last < N && (!end || (end != argv[i + 1] && *end == 0));
	}
	if (!good) {
		fprintf(stderr, "usage: %s [--size N] [--output FILE], sizes 0 to %zu\n", argv[0], N - 1);
		return 2;
	}
	FILE *file = path ? fopen(path, "wb") : nullptr;
	Outputs outputs(file);
	if (path && !file) {
		perror(path);
		return 2;
	}
	for (size_t i = first; i <= last && outputs.right; i++) {
		run(outputs, sizes[i]);
		printf("size %zu: %s\n", i, outputs.right ? "right" : "wrong");
	}
	if (file && fclose(file) != 0) {
		perror(path);
		return 2;
	}
	return outputs.right ? 0 : 1;
}
