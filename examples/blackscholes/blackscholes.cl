/* Prices of European options by the formula of Black and Scholes. Every work-item computes exp, log and sqrt, and there is hardly any memory traffic. */

/* The normal distribution function, approximated by a polynomial (Abramowitz and Stegun 26.2.17) with an error of 7.5e-8. */
float normal(float d)
{
	float k = 1.0f / fma(0.2316419f, fabs(d), 1.0f);
	float p = fma(k, fma(k, fma(k, fma(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f), 0.319381530f);
	float tail = 0.39894228f * exp(-0.5f * d * d) * (k * p);
	return d > 0 ? 1.0f - tail : tail;
}

__kernel void blackscholes(__global const float *price, __global const float *strike, __global const float *years, __global float *call, __global float *put,
			   float rate, float volatility, uint n)
{
	uint i = get_global_id(0);
	if (i >= n)
		return;
	float s = price[i], x = strike[i], t = years[i], root = sqrt(t);
	float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root), d2 = d1 - volatility * root;
	float n1 = normal(d1), n2 = normal(d2), discounted = x * exp(-rate * t);
	call[i] = s * n1 - discounted * n2;
	put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
