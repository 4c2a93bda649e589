/* CUDA's vectors and dim3: structures with the documented alignments. */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#include "host_defines.h"

#define HEDDLE_CUDA_VECTORS(T, name, align2, align4)              \
	typedef struct name##1 {                                  \
		T x;                                              \
	} name##1;                                                \
	typedef struct __attribute__((aligned(align2))) name##2 { \
		T x, y;                                           \
	} name##2;                                                \
	typedef struct name##3 {                                  \
		T x, y, z;                                        \
	} name##3;                                                \
	typedef struct __attribute__((aligned(align4))) name##4 { \
		T x, y, z, w;                                     \
	} name##4;
HEDDLE_CUDA_VECTORS(signed char, char, 2, 4)
HEDDLE_CUDA_VECTORS(unsigned char, uchar, 2, 4)
HEDDLE_CUDA_VECTORS(short, short, 4, 8)
HEDDLE_CUDA_VECTORS(unsigned short, ushort, 4, 8)
HEDDLE_CUDA_VECTORS(int, int, 8, 16)
HEDDLE_CUDA_VECTORS(unsigned int, uint, 8, 16)
HEDDLE_CUDA_VECTORS(long int, long, 16, 16)
HEDDLE_CUDA_VECTORS(unsigned long int, ulong, 16, 16)
HEDDLE_CUDA_VECTORS(long long int, longlong, 16, 16)
HEDDLE_CUDA_VECTORS(unsigned long long int, ulonglong, 16, 16)
HEDDLE_CUDA_VECTORS(float, float, 8, 16)
HEDDLE_CUDA_VECTORS(double, double, 16, 16)
#undef HEDDLE_CUDA_VECTORS

typedef struct dim3 {
	unsigned int x, y, z;
#ifdef __cplusplus
	__host__ __device__ constexpr dim3(unsigned int __vx = 1, unsigned int __vy = 1, unsigned int __vz = 1) : x(__vx), y(__vy), z(__vz) {}
	__host__ __device__ constexpr dim3(uint3 __v) : x(__v.x), y(__v.y), z(__v.z) {}
	__host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
} dim3;

#endif
