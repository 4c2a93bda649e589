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

HEDDLE_VECTOR_FN float heddle_dot2(float2 a, float2 b)
{
	float d;
	__asm__("heddle.dot.f32 %0, {%1, %2}, {%3, %4};" : "=f"(d) : "f"(a.x), "f"(a.y), "f"(b.x), "f"(b.y));
	return d;
}
HEDDLE_VECTOR_FN float heddle_dot3(float3 a, float3 b)
{
	float d;
	__asm__("heddle.dot.f32 %0, {%1, %2, %3}, {%4, %5, %6};" : "=f"(d) : "f"(a.x), "f"(a.y), "f"(a.z), "f"(b.x), "f"(b.y), "f"(b.z));
	return d;
}
HEDDLE_VECTOR_FN float heddle_dot4(float4 a, float4 b)
{
	float d;
	__asm__("heddle.dot.f32 %0, {%1, %2, %3, %4}, {%5, %6, %7, %8};"
	        : "=f"(d)
	        : "f"(a.x), "f"(a.y), "f"(a.z), "f"(a.w), "f"(b.x), "f"(b.y), "f"(b.z), "f"(b.w));
	return d;
}
HEDDLE_VECTOR_FN float2 heddle_normalize2(float2 v)
{
	float x, y;
	float2 d;
	__asm__("heddle.normalize.f32 {%0, %1}, {%2, %3};" : "=f"(x), "=f"(y) : "f"(v.x), "f"(v.y));
	d.x = x, d.y = y;
	return d;
}
HEDDLE_VECTOR_FN float3 heddle_normalize3(float3 v)
{
	float x, y, z;
	float3 d;
	__asm__("heddle.normalize.f32 {%0, %1, %2}, {%3, %4, %5};" : "=f"(x), "=f"(y), "=f"(z) : "f"(v.x), "f"(v.y), "f"(v.z));
	d.x = x, d.y = y, d.z = z;
	return d;
}
HEDDLE_VECTOR_FN float4 heddle_normalize4(float4 v)
{
	float x, y, z, w;
	float4 d;
	__asm__("heddle.normalize.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7};"
	        : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
	        : "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w));
	d.x = x, d.y = y, d.z = z, d.w = w;
	return d;
}
HEDDLE_VECTOR_FN float2 heddle_transform2(float2 r0, float2 r1, float2 v)
{
	float x, y;
	float2 d;
	__asm__("heddle.transform.f32 {%0, %1}, {%2, %3}, {%4, %5}, {%6, %7};"
	        : "=f"(x), "=f"(y)
	        : "f"(r0.x), "f"(r0.y), "f"(r1.x), "f"(r1.y), "f"(v.x), "f"(v.y));
	d.x = x, d.y = y;
	return d;
}
HEDDLE_VECTOR_FN float3 heddle_transform3(float3 r0, float3 r1, float3 r2, float3 v)
{
	float x, y, z;
	float3 d;
	__asm__("heddle.transform.f32 {%0, %1, %2}, {%3, %4, %5}, {%6, %7, %8}, {%9, %10, %11}, {%12, %13, %14};"
	        : "=f"(x), "=f"(y), "=f"(z)
	        : "f"(r0.x), "f"(r0.y), "f"(r0.z), "f"(r1.x), "f"(r1.y), "f"(r1.z), "f"(r2.x), "f"(r2.y), "f"(r2.z), "f"(v.x), "f"(v.y), "f"(v.z));
	d.x = x, d.y = y, d.z = z;
	return d;
}
HEDDLE_VECTOR_FN float4 heddle_transform4(float4 r0, float4 r1, float4 r2, float4 r3, float4 v)
{
	float x, y, z, w;
	float4 d;
	__asm__("heddle.transform.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19}, "
	        "{%20, %21, %22, %23};"
	        : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
	        : "f"(r0.x), "f"(r0.y), "f"(r0.z), "f"(r0.w), "f"(r1.x), "f"(r1.y), "f"(r1.z), "f"(r1.w), "f"(r2.x), "f"(r2.y), "f"(r2.z), "f"(r2.w),
	          "f"(r3.x), "f"(r3.y), "f"(r3.z), "f"(r3.w), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w));
	d.x = x, d.y = y, d.z = z, d.w = w;
	return d;
}

#endif
