// The counterpart of nvcc's own first header: included before every .cu file, for the device's code and for the host's. clang's own headers for CUDA
// (threadIdx, mathematics, shuffles) are of its installation. What they lack is in lib/cuda.
#ifndef HEDDLE_CUDA_H
#define HEDDLE_CUDA_H

// Programs ask for these. __NVCC__ stays undefined.
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#define CUDA_VERSION 12080

#include "cuda/host_defines.h"

// Before <cmath>: where a device function has the name, the library's constexpr function of that name stays the host's.
#include <__clang_cuda_math_forward_declares.h>

#include "cuda/heddle_system_functions.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <math.h>
#include <new>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda/cuda_runtime.h"

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

// Names that clang's headers use and a program may have as macros.
#pragma push_macro("mask")
#pragma push_macro("pred")
#pragma push_macro("r")
#undef mask
#undef pred
#undef r

// The instructions of built-in functions are at the line of the program that calls them.
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
#include <__clang_cuda_builtin_vars.h>

// -prec-sqrt=false and -use_fast_math (src/front/relax.c): functions by other names.
#ifdef HEDDLE_FAST_SQRT
#define __nv_sqrtf __nv_fast_sqrtf
#endif
#ifdef HEDDLE_FAST_MATH
#define __nv_cosf __nv_fast_cosf
#define __nv_exp10f __nv_fast_exp10f
#define __nv_expf __nv_fast_expf
#define __nv_log10f __nv_fast_log10f
#define __nv_log2f __nv_fast_log2f
#define __nv_logf __nv_fast_logf
#define __nv_powf __nv_fast_powf
#define __nv_sincosf __nv_fast_sincosf
#define __nv_sinf __nv_fast_sinf
#define __nv_tanf __nv_fast_tanf
#define __nv_tanhf __nv_fast_tanhf
#endif
#include <__clang_cuda_libdevice_declares.h>

#include <__clang_cuda_device_functions.h>

#include <__clang_cuda_math.h>

#include "cuda/heddle_device_functions.h"

#include <__clang_cuda_cmath.h>

// clang's shuffles by other names, and no functions of later devices: heddle_warp_functions.h has all by their own names.
#define __shfl heddle_clang_shfl
#define __shfl_sync heddle_clang_shfl_sync
#define __shfl_up heddle_clang_shfl_up
#define __shfl_up_sync heddle_clang_shfl_up_sync
#define __shfl_down heddle_clang_shfl_down
#define __shfl_down_sync heddle_clang_shfl_down_sync
#define __shfl_xor heddle_clang_shfl_xor
#define __shfl_xor_sync heddle_clang_shfl_xor_sync
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 10020
#include <__clang_cuda_intrinsics.h>
#pragma pop_macro("CUDA_VERSION")
#undef __shfl
#undef __shfl_sync
#undef __shfl_up
#undef __shfl_up_sync
#undef __shfl_down
#undef __shfl_down_sync
#undef __shfl_xor
#undef __shfl_xor_sync

#include "cuda/heddle_warp_functions.h"

#include "cuda/heddle_dpx.h"

#include <__clang_cuda_complex_builtins.h>

#define HEDDLE_CONVERSIONS(name)                                                                     \
	__device__ inline __cuda_builtin_##name##_t::operator dim3() const { return dim3(x, y, z); } \
	__device__ inline __cuda_builtin_##name##_t::operator uint3() const { return uint3{x, y, z}; }
HEDDLE_CONVERSIONS(threadIdx)
HEDDLE_CONVERSIONS(blockIdx)
HEDDLE_CONVERSIONS(blockDim)
HEDDLE_CONVERSIONS(gridDim)
#undef HEDDLE_CONVERSIONS

#include "cuda/heddle_children.h"

#pragma pop_macro("__device__")
#pragma pop_macro("mask")
#pragma pop_macro("pred")
#pragma pop_macro("r")

// libstdc++ writes this word in attributes, so it is a macro only from here on (and lib/cuda/bits takes it away where it must).
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif

#endif
