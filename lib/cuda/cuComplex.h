/* Complex numbers of CUDA for C and C++, for both sides. */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include "vector_functions.h"

#include <math.h>

typedef float2 cuFloatComplex, cuComplex;
typedef double2 cuDoubleComplex;

#define HEDDLE_CUDA_COMPLEX(C, T, f, make, suffix)                                                                                                \
	static inline __host__ __device__ C make_cu##suffix(T x, T y) { return make(x, y); }                                                      \
	static inline __host__ __device__ T cuCreal##f(C __a) { return __a.x; }                                                                   \
	static inline __host__ __device__ T cuCimag##f(C __a) { return __a.y; }                                                                   \
	static inline __host__ __device__ C cuConj##f(C __a) { return make(__a.x, -__a.y); }                                                      \
	static inline __host__ __device__ C cuCadd##f(C __a, C __b) { return make(__a.x + __b.x, __a.y + __b.y); }                                \
	static inline __host__ __device__ C cuCsub##f(C __a, C __b) { return make(__a.x - __b.x, __a.y - __b.y); }                                \
	static inline __host__ __device__ C cuCmul##f(C __a, C __b)                                                                               \
	{                                                                                                                                         \
		return make(__a.x * __b.x - __a.y * __b.y, __a.x * __b.y + __a.y * __b.x);                                                        \
	}                                                                                                                                         \
	static inline __host__ __device__ C cuCdiv##f(C __a, C __b)                                                                               \
	{                                                                                                                                         \
		T __s = (T)1 / (fabs##f(__b.x) + fabs##f(__b.y)), __ax = __a.x * __s, __ay = __a.y * __s, __bx = __b.x * __s, __by = __b.y * __s; \
		T __d = (T)1 / (__bx * __bx + __by * __by);                                                                                       \
		return make((__ax * __bx + __ay * __by) * __d, (__ay * __bx - __ax * __by) * __d);                                                \
	}                                                                                                                                         \
	static inline __host__ __device__ C cuCfma##f(C __a, C __b, C __c) { return cuCadd##f(cuCmul##f(__a, __b), __c); }                        \
	static inline __host__ __device__ T cuCabs##f(C __a) { return hypot##f(__a.x, __a.y); }
HEDDLE_CUDA_COMPLEX(cuFloatComplex, float, f, make_float2, FloatComplex)
HEDDLE_CUDA_COMPLEX(cuDoubleComplex, double, , make_double2, DoubleComplex)
#undef HEDDLE_CUDA_COMPLEX

static inline __host__ __device__ cuComplex make_cuComplex(float x, float y) { return make_float2(x, y); }

#endif
