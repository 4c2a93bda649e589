// Operations of several steps on vectors of floats, for OpenCL C and CUDA kernels: #include <heddle_vector.h>. Each is one operation to the compiler,
// which splits it and flags the last use of each intermediate value (docs/last-use.md).
//
//     heddle_dot2(a, b), heddle_dot3, heddle_dot4         sum of products, of float2, float3, float4
//     heddle_normalize2(v), heddle_normalize3, 4          v / its length; the square of the length must be a normal float, and zero stays zero
//     heddle_transform2(r0, r1, v), heddle_transform3(r0, r1, r2, v), heddle_transform4(r0, r1, r2, r3, v)
//                                                         matrix times vector: the dot products of the rows with v
//
// Products and sums are rounded to nearest, sums fused: the error of a dot product of n parts is at most n * 2^-24 times the sum of the products'
// magnitudes. That of a normalised component is at most 4 ulp.
#ifndef HEDDLE_VECTOR_H
#define HEDDLE_VECTOR_H

#ifdef __cplusplus
#define HEDDLE_VECTOR_FN static __device__ __forceinline__
#else
#define HEDDLE_VECTOR_FN static inline __attribute__((always_inline))
#endif

HEDDLE_VECTOR_FN float heddle_dot2(float2 __a, float2 __b)
{
	float __d;
	__asm__("heddle.dot.f32 %0, {%1, %2}, {%3, %4};" : "=f"(__d) : "f"(__a.x), "f"(__a.y), "f"(__b.x), "f"(__b.y));
	return __d;
}
HEDDLE_VECTOR_FN float heddle_dot3(float3 __a, float3 __b)
{
	float __d;
	__asm__("heddle.dot.f32 %0, {%1, %2, %3}, {%4, %5, %6};"
	        : "=f"(__d)
	        : "f"(__a.x), "f"(__a.y), "f"(__a.z), "f"(__b.x), "f"(__b.y), "f"(__b.z));
	return __d;
}
HEDDLE_VECTOR_FN float heddle_dot4(float4 __a, float4 __b)
{
	float __d;
	__asm__("heddle.dot.f32 %0, {%1, %2, %3, %4}, {%5, %6, %7, %8};"
	        : "=f"(__d)
	        : "f"(__a.x), "f"(__a.y), "f"(__a.z), "f"(__a.w), "f"(__b.x), "f"(__b.y), "f"(__b.z), "f"(__b.w));
	return __d;
}
HEDDLE_VECTOR_FN float2 heddle_normalize2(float2 __v)
{
	float x, y;
	float2 __d;
	__asm__("heddle.normalize.f32 {%0, %1}, {%2, %3};" : "=f"(x), "=f"(y) : "f"(__v.x), "f"(__v.y));
	__d.x = x, __d.y = y;
	return __d;
}
HEDDLE_VECTOR_FN float3 heddle_normalize3(float3 __v)
{
	float x, y, z;
	float3 __d;
	__asm__("heddle.normalize.f32 {%0, %1, %2}, {%3, %4, %5};" : "=f"(x), "=f"(y), "=f"(z) : "f"(__v.x), "f"(__v.y), "f"(__v.z));
	__d.x = x, __d.y = y, __d.z = z;
	return __d;
}
HEDDLE_VECTOR_FN float4 heddle_normalize4(float4 __v)
{
	float x, y, z, w;
	float4 __d;
	__asm__("heddle.normalize.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7};"
	        : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
	        : "f"(__v.x), "f"(__v.y), "f"(__v.z), "f"(__v.w));
	__d.x = x, __d.y = y, __d.z = z, __d.w = w;
	return __d;
}
HEDDLE_VECTOR_FN float2 heddle_transform2(float2 __r0, float2 __r1, float2 __v)
{
	float x, y;
	float2 __d;
	__asm__("heddle.transform.f32 {%0, %1}, {%2, %3}, {%4, %5}, {%6, %7};"
	        : "=f"(x), "=f"(y)
	        : "f"(__r0.x), "f"(__r0.y), "f"(__r1.x), "f"(__r1.y), "f"(__v.x), "f"(__v.y));
	__d.x = x, __d.y = y;
	return __d;
}
HEDDLE_VECTOR_FN float3 heddle_transform3(float3 __r0, float3 __r1, float3 __r2, float3 __v)
{
	float x, y, z;
	float3 __d;
	__asm__("heddle.transform.f32 {%0, %1, %2}, {%3, %4, %5}, {%6, %7, %8}, {%9, %10, %11}, {%12, %13, %14};"
	        : "=f"(x), "=f"(y), "=f"(z)
	        : "f"(__r0.x), "f"(__r0.y), "f"(__r0.z), "f"(__r1.x), "f"(__r1.y), "f"(__r1.z), "f"(__r2.x), "f"(__r2.y), "f"(__r2.z), "f"(__v.x),
	          "f"(__v.y), "f"(__v.z));
	__d.x = x, __d.y = y, __d.z = z;
	return __d;
}
HEDDLE_VECTOR_FN float4 heddle_transform4(float4 __r0, float4 __r1, float4 __r2, float4 __r3, float4 __v)
{
	float x, y, z, w;
	float4 __d;
	__asm__("heddle.transform.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19}, "
	        "{%20, %21, %22, %23};"
	        : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
	        : "f"(__r0.x), "f"(__r0.y), "f"(__r0.z), "f"(__r0.w), "f"(__r1.x), "f"(__r1.y), "f"(__r1.z), "f"(__r1.w), "f"(__r2.x), "f"(__r2.y),
	          "f"(__r2.z), "f"(__r2.w), "f"(__r3.x), "f"(__r3.y), "f"(__r3.z), "f"(__r3.w), "f"(__v.x), "f"(__v.y), "f"(__v.z), "f"(__v.w));
	__d.x = x, __d.y = y, __d.z = z, __d.w = w;
	return __d;
}

#endif
