/* make_float4 and its like, for host and device. */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#ifdef __cplusplus
#define HEDDLE_CUDA_MAKE static inline __host__ __device__ constexpr
#define HEDDLE_CUDA_MAKERS(T, name)                                                                   \
	HEDDLE_CUDA_MAKE name##1 make_##name##1(T x) { return name##1{x}; }                           \
	HEDDLE_CUDA_MAKE name##2 make_##name##2(T x, T y) { return name##2{x, y}; }                   \
	HEDDLE_CUDA_MAKE name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }           \
	HEDDLE_CUDA_MAKE name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }
#else
#define HEDDLE_CUDA_MAKE static inline
#define HEDDLE_CUDA_MAKERS(T, name)                                                                                   \
	HEDDLE_CUDA_MAKE name##1 make_##name##1(T x) { return (name##1){x}; }                                         \
	HEDDLE_CUDA_MAKE name##2 make_##name##2(T x, T y) { return (name##2){x, y}; }                                 \
	HEDDLE_CUDA_MAKE name##3 make_##name##3(T x, T y, T z) { return (name##3){x, y, z}; }                         \
	HEDDLE_CUDA_MAKE name##4 make_##name##4(T x, T y, T z, T w) { return (name##4){x, y, z, w}; }
#endif
HEDDLE_CUDA_MAKERS(signed char, char)
HEDDLE_CUDA_MAKERS(unsigned char, uchar)
HEDDLE_CUDA_MAKERS(short, short)
HEDDLE_CUDA_MAKERS(unsigned short, ushort)
HEDDLE_CUDA_MAKERS(int, int)
HEDDLE_CUDA_MAKERS(unsigned int, uint)
HEDDLE_CUDA_MAKERS(long int, long)
HEDDLE_CUDA_MAKERS(unsigned long int, ulong)
HEDDLE_CUDA_MAKERS(long long int, longlong)
HEDDLE_CUDA_MAKERS(unsigned long long int, ulonglong)
HEDDLE_CUDA_MAKERS(float, float)
HEDDLE_CUDA_MAKERS(double, double)
#undef HEDDLE_CUDA_MAKERS
#undef HEDDLE_CUDA_MAKE

#endif
