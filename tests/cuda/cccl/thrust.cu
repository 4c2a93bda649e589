// Thrust: sort, reduce, scan and transform, by iterators of the device, against the standard library.
#include "../programs/check.h"
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <numeric>
#include <vector>

struct mix {
	__host__ __device__ int operator()(int a, int b) const { return a * 3 ^ b; }
};

int main()
{
	const int n = 3000;
	std::vector<int> host(n), other(n), expected(n), got(n);
	for (int i = 0; i < n; i++)
		host[i] = (i * 7919 + 13) % 5003 - 2500;
	thrust::device_vector<int> d(host.begin(), host.end()), e(n);
	long wrong = thrust::reduce(d.begin(), d.end()) != std::accumulate(host.begin(), host.end(), 0);
	thrust::inclusive_scan(d.begin(), d.end(), e.begin());
	thrust::copy(e.begin(), e.end(), other.begin());
	std::partial_sum(host.begin(), host.end(), expected.begin());
	wrong += other != expected;
	thrust::transform(d.begin(), d.end(), e.begin(), e.begin(), mix());
	thrust::copy(e.begin(), e.end(), got.begin());
	std::transform(host.begin(), host.end(), other.begin(), expected.begin(), mix());
	wrong += got != expected;
	thrust::sort(d.begin(), d.end());
	thrust::copy(d.begin(), d.end(), got.begin());
	std::sort(host.begin(), host.end());
	wrong += got != host;
	return verdict(wrong);
}
