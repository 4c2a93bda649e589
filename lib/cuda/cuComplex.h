/* Complex numbers of CUDA for C and C++, for both sides. */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include "vector_functions.h"

#include <math.h>

typedef float2 cuFloatComplex, cuComplex;
typedef double2 cuDoubleComplex;

#define HEDDLE_CUDA_COMPLEX(C, T, f, make, suffix)                                                                    \
	static inline __host__ __device__ C make_cu##suffix(T x, T y) { return make(x, y); }                          \
	static inline __host__ __device__ T cuCreal##f(C a) { return a.x; }                                           \
	static inline __host__ __device__ T cuCimag##f(C a) { return a.y; }                                           \
	static inline __host__ __device__ C cuConj##f(C a) { return make(a.x, -a.y); }                                \
	static inline __host__ __device__ C cuCadd##f(C a, C b) { return make(a.x + b.x, a.y + b.y); }                \
	static inline __host__ __device__ C cuCsub##f(C a, C b) { return make(a.x - b.x, a.y - b.y); }                \
	static inline __host__ __device__ C cuCmul##f(C a, C b)                                                       \
	{                                                                                                             \
		return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                            \
	}                                                                                                             \
	static inline __host__ __device__ C cuCdiv##f(C a, C b)                                                       \
	{                                                                                                             \
		T s = (T)1 / (fabs##f(b.x) + fabs##f(b.y)), ax = a.x * s, ay = a.y * s, bx = b.x * s, by = b.y * s;   \
		T d = (T)1 / (bx * bx + by * by);                                                                     \
		return make((ax * bx + ay * by) * d, (ay * bx - ax * by) * d);                                        \
	}                                                                                                             \
	static inline __host__ __device__ C cuCfma##f(C a, C b, C c) { return cuCadd##f(cuCmul##f(a, b), c); }        \
	static inline __host__ __device__ T cuCabs##f(C a) { return hypot##f(a.x, a.y); }
HEDDLE_CUDA_COMPLEX(cuFloatComplex, float, f, make_float2, FloatComplex)
HEDDLE_CUDA_COMPLEX(cuDoubleComplex, double, , make_double2, DoubleComplex)
#undef HEDDLE_CUDA_COMPLEX

static inline __host__ __device__ cuComplex make_cuComplex(float x, float y) { return make_float2(x, y); }

#endif
