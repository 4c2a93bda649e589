// Prices of European options by the formula of Black and Scholes, as a CUDA program. The formula is a template: the device computes it with floats,
// the host with doubles.
#include "../example.cuh"

enum { BLOCK = 128 };

// The normal distribution function, approximated by a polynomial (Abramowitz and Stegun 26.2.17) with an error of 7.5e-8.
template <class Real> __host__ __device__ Real normal(Real d)
{
	Real k = Real(1) / fma(Real(0.2316419), fabs(d), Real(1));
	Real p = fma(k, Real(1.330274429), Real(-1.821255978));
	p = fma(k, fma(k, fma(k, p, Real(1.781477937)), Real(-0.356563782)), Real(0.319381530));
	Real tail = times(Real(0.39894228) * exp(Real(-0.5) * d * d), k * p);
	return d > 0 ? 1 - tail : tail;
}

template <class Real> struct Prices {
	Real call, put;
};

// Each sum of products is one product and one fma, so compilers that fuse and those that do not give the same bits.
template <class Real> __host__ __device__ Prices<Real> prices(Real price, Real strike, Real years, Real rate, Real volatility)
{
	Real root = sqrt(years), drift = fma(Real(0.5) * volatility, volatility, rate);
	Real d1 = fma(drift, years, log(price / strike)) / (volatility * root), d2 = fma(-volatility, root, d1);
	Real n1 = normal(d1), n2 = normal(d2), discounted = strike * exp(-rate * years);
	return {fma(price, n1, -times(discounted, n2)), fma(discounted, 1 - n2, -times(price, 1 - n1))};
}

__global__ void blackscholes(const float *price, const float *strike, const float *years, float *call, float *put, float rate, float volatility,
                             unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	Prices<float> both = prices(price[i], strike[i], years[i], rate, volatility);
	call[i] = both.call;
	put[i] = both.put;
}

static void run(Outputs &outputs, unsigned n)
{
	const float rate = 0.02f, volatility = 0.3f;
	Random random(11);
	std::vector<float> price(n), strike(n), years(n);
	std::vector<double> expected_call(n), expected_put(n);
	for (unsigned i = 0; i < n; i++) {
		price[i] = random.between(5, 30);
		strike[i] = random.between(1, 100);
		years[i] = random.between(0.25f, 10);
		Prices<double> both = prices<double>(price[i], strike[i], years[i], rate, volatility);
		expected_call[i] = both.call;
		expected_put[i] = both.put;
	}
	float *device_price = to_device(price), *device_strike = to_device(strike), *device_years = to_device(years);
	float *call = zeros_on_device<float>(n), *put = zeros_on_device<float>(n);
	blackscholes<<<blocks_for(n, BLOCK), BLOCK>>>(device_price, device_strike, device_years, call, put, rate, volatility, n);
	CHECK(cudaGetLastError());
	// The price is the difference of two numbers of up to 100, whose rounding errors remain when they cancel.
	outputs.near("call", to_host(call, n), expected_call, 1e-6, 1e-4);
	outputs.near("put", to_host(put, n), expected_put, 1e-6, 1e-4);
	CHECK(cudaFree(device_price));
	CHECK(cudaFree(device_strike));
	CHECK(cudaFree(device_years));
	CHECK(cudaFree(call));
	CHECK(cudaFree(put));
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 777, 20000};
	return run_sizes(argc, argv, sizes, run);
}
