// Double precision.
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name

K(f64_add)(double *o, const double *a, const double *b) { o[I] = a[I] + b[I]; }
K(f64_fma_chain)(double *o, const double *a, double b) { double x = a[I]; o[I] = ((x * b + 1.5) * x + 2.5) * x + b; }
K(f64_divide)(double *o, const double *a, const double *b) { o[I] = a[I] / b[I]; }
K(f64_square_root)(double *o, const double *a) { o[I] = sqrt(a[I]); }
K(f64_reciprocal_root)(double *o, const double *a) { o[I] = rsqrt(a[I]); }
K(f64_compare)(int *o, const double *a, const double *b) { o[I] = (a[I] < b[I]) + 2 * (a[I] == b[I]); }
K(f64_select)(double *o, const double *a, const double *b, double c) { o[I] = a[I] > b[I] ? a[I] : c; }
K(f64_minimum)(double *o, const double *a, const double *b) { o[I] = fmin(a[I], fmax(b[I], 0.0)); }
K(f64_guarded_store)(double *o, const double *a, const double *b) { if (a[I] * b[I] < 1.0) o[I] = a[I] - b[I]; }
K(f64_to_integer)(long long *o, const double *a) { o[I] = (long long)a[I] + (int)a[I] + (unsigned)a[I]; }
K(f64_from_integer)(double *o, const int *a, const long long *b) { o[I] = (double)a[I] + (double)b[I]; }
K(f64_from_float)(double *o, const float *a) { o[I] = (double)a[I] * 3.0; }
K(f64_to_float)(float *o, const double *a, const double *b) { o[I] = (float)(a[I] + b[I]); }
K(f64_round)(double *o, const double *a) { o[I] = floor(a[I]) + rint(a[I]) + trunc(a[I]) + ceil(a[I]); }
K(f64_roundings)(double *o, const double *a, const double *b) { o[I] = __dadd_ru(a[I], b[I]) * __dmul_rz(a[I], b[I]) + __fma_rd(a[I], b[I], 2.0); }
K(f64_sine)(double *o, const double *a) { o[I] = sin(a[I]); }
K(f64_exponential)(double *o, const double *a) { o[I] = exp(a[I]); }
K(f64_logarithm)(double *o, const double *a) { o[I] = log(a[I]); }
K(f64_power)(double *o, const double *a, const double *b) { o[I] = pow(a[I], b[I]); }
K(f64_hyperbolic)(double *o, const double *a) { o[I] = tanh(a[I]) + cosh(a[I]); }
K(f64_error_function)(double *o, const double *a) { o[I] = erf(a[I]); }
K(f64_arc_tangent)(double *o, const double *a, const double *b) { o[I] = atan2(a[I], b[I]); }
K(f64_dot)(double *o, const double *a, const double *b, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i * 32 + I] * b[i * 32 + I]; o[I] = s; }
K(f64_matrix_vector)(double *o, const double *a, const double *x, int n) { double s = 0; _Pragma("unroll 8") for (int i = 0; i < n; i++) s = fma(a[I * n + i], x[i], s); o[I] = s; }
K(f64_mandelbrot)(int *o, double x0, double y0, double d, int n)
{
	double cx = x0 + d * threadIdx.x, cy = y0 + d * blockIdx.x, x = 0, y = 0;
	int i = 0;
	for (; i < n && x * x + y * y < 4; i++) {
		double t = x * x - y * y + cx;
		y = 2 * x * y + cy, x = t;
	}
	o[I] = i;
}
K(f64_bits)(unsigned long long *o, const double *a) { o[I] = __double_as_longlong(a[I]) ^ (unsigned long long)__double2hiint(a[I]); }
K(f64_gravity)(double3 *o, const double3 *p, int n)
{
	double3 me = p[I], f = {0, 0, 0};
	for (int i = 0; i < n; i++) {
		double x = p[i].x - me.x, y = p[i].y - me.y, z = p[i].z - me.z, r = rsqrt(x * x + y * y + z * z + 1e-9), w = r * r * r;
		f.x += x * w, f.y += y * w, f.z += z * w;
	}
	o[I] = f;
}
K(f64_mixed_with_integers)(double *o, const double *a, const int *k, int n)
{
	double s = 0;
	for (int i = 0; i < n; i++)
		s += a[k[i] & 1023] * (double)(k[i] >> 10);
	o[I] = s;
}
