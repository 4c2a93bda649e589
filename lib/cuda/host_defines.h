/* The words that CUDA adds to the language, as clang spells them. They mean nothing in C and in C++ that is not compiled as CUDA. */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
/* A kernel's parameters are constant anyway. */
#define __grid_constant__
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device))
#else
/* The linker gathers the copies that the host's code uses, for the runtime library (cuda_runtime.h). */
#define __managed__ __attribute__((device, used, section("heddle_managed")))
#endif
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#endif

/* Not __noinline__, which libstdc++ writes in attributes of its own. */
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#ifndef CUDARTAPI
#define CUDARTAPI
#endif
#define CUDART_CB

#endif
