/* CUDA's runtime interface for C++: what cuda_runtime_api.h has, with types. */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "cuda_runtime_api.h"
#include "texture_types.h"
#include "vector_functions.h"

/* The vendor's header includes many that have nothing here. Programs ask for their guards. */
#define __CHANNEL_DESCRIPTOR_H__
#define __COMMON_FUNCTIONS_H__
#define __CUDA_DEVICE_RUNTIME_API_H__
#define __DEVICE_ATOMIC_FUNCTIONS_H__
#define __DEVICE_DOUBLE_FUNCTIONS_H__
#define __DEVICE_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_TYPES_H__
#define __DRIVER_FUNCTIONS_H__
#define __HOST_CONFIG_H__
#define __LIBRARY_TYPES_H__
#define __MATH_FUNCTIONS_H__
#define __SM_20_ATOMIC_FUNCTIONS_H__
#define __SM_20_INTRINSICS_H__
#define __SM_30_INTRINSICS_H__
#define __SM_32_ATOMIC_FUNCTIONS_H__
#define __SM_32_INTRINSICS_H__
#define __SM_35_ATOMIC_FUNCTIONS_H__
#define __SM_35_INTRINSICS_H__
#define __SM_60_ATOMIC_FUNCTIONS_H__
#define __SM_61_INTRINSICS_H__
#define __SURFACE_TYPES_H__

static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *ptr, size_t pitch, size_t xsize, size_t ysize)
{
	struct cudaPitchedPtr __p;
	__p.ptr = ptr, __p.pitch = pitch, __p.xsize = xsize, __p.ysize = ysize;
	return __p;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
	struct cudaPos __p;
	__p.x = x, __p.y = y, __p.z = z;
	return __p;
}
static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
	struct cudaExtent __e;
	__e.width = width, __e.height = height, __e.depth = depth;
	return __e;
}

#ifdef __cplusplus
/* -- memory ---------------------------------------------------------------------------------------------------------------------------------- */
template <class __T> HEDDLE_CUDA_BOTH static inline cudaError_t cudaMalloc(__T **__p, size_t size)
{
	return ::cudaMalloc((void **)(void *)__p, size);
}
template <class __T> static inline cudaError_t cudaMallocHost(__T **__p, size_t size, unsigned int flags = 0)
{
	return ::cudaHostAlloc((void **)(void *)__p, size, flags);
}
static inline cudaError_t cudaMallocHost(void **__p, size_t size, unsigned int flags) { return ::cudaHostAlloc(__p, size, flags); }
template <class __T> static inline cudaError_t cudaHostAlloc(__T **__p, size_t size, unsigned int flags)
{
	return ::cudaHostAlloc((void **)(void *)__p, size, flags);
}
template <class __T> static inline cudaError_t cudaHostGetDevicePointer(__T **device, void *host, unsigned int flags)
{
	return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class __T> static inline cudaError_t cudaMallocManaged(__T **__p, size_t size, unsigned int flags = cudaMemAttachGlobal)
{
	return ::cudaMallocManaged((void **)(void *)__p, size, flags);
}
template <class __T> static inline cudaError_t cudaMallocPitch(__T **__p, size_t *pitch, size_t width, size_t height)
{
	return ::cudaMallocPitch((void **)(void *)__p, pitch, width, height);
}
template <class __T> static inline cudaError_t cudaMallocAsync(__T **__p, size_t size, cudaStream_t stream)
{
	return ::cudaMallocAsync((void **)(void *)__p, size, stream);
}
template <class __T> static inline cudaError_t cudaMallocAsync(__T **__p, size_t size, cudaMemPool_t __pool, cudaStream_t stream)
{
	return ::cudaMallocFromPoolAsync((void **)(void *)__p, size, __pool, stream);
}
template <class __T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, __T *__p, size_t __length = 0, unsigned int flags = cudaMemAttachSingle)
{
	return ::cudaStreamAttachMemAsync(stream, (void *)__p, __length, flags);
}

/* -- variables: by the name that the source gives them ------------------------------------------------------------------------------------------- */
template <class __T> static inline cudaError_t cudaGetSymbolAddress(void **__p, const __T &__symbol) { return ::cudaGetSymbolAddress(__p, (const void *)&__symbol); }
template <class __T> static inline cudaError_t cudaGetSymbolAddress(__T **__p, const __T &__symbol)
{
	return ::cudaGetSymbolAddress((void **)(void *)__p, (const void *)&__symbol);
}
template <class __T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const __T &__symbol) { return ::cudaGetSymbolSize(size, (const void *)&__symbol); }
template <class __T>
static inline cudaError_t cudaMemcpyToSymbol(const __T &__symbol, const void *__src, size_t __count, size_t __offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
	return ::cudaMemcpyToSymbol((const void *)&__symbol, __src, __count, __offset, kind);
}
template <class __T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const __T &__symbol, size_t __count, size_t __offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
	return ::cudaMemcpyFromSymbol(dst, (const void *)&__symbol, __count, __offset, kind);
}
template <class __T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const __T &__symbol, const void *__src, size_t __count, size_t __offset = 0,
                                                  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
	return ::cudaMemcpyToSymbolAsync((const void *)&__symbol, __src, __count, __offset, kind, stream);
}
template <class __T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const __T &__symbol, size_t __count, size_t __offset = 0,
                                                    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
	return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&__symbol, __count, __offset, kind, stream);
}

/* -- launches -------------------------------------------------------------------------------------------------------------------------------------- */
template <class __T>
static inline cudaError_t cudaLaunchKernel(__T *func, dim3 __grid, dim3 __block, void **args, size_t __shared = 0, cudaStream_t stream = 0)
{
	return ::cudaLaunchKernel((const void *)func, __grid, __block, args, __shared, stream);
}
template <class __T>
static inline cudaError_t cudaLaunchCooperativeKernel(__T *func, dim3 __grid, dim3 __block, void **args, size_t __shared = 0, cudaStream_t stream = 0)
{
	return ::cudaLaunchCooperativeKernel((const void *)func, __grid, __block, args, __shared, stream);
}
template <class... __Parameters, class... __Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *__config, void (*kernel)(__Parameters...), __Arguments &&...__arguments)
{
	return [&](__Parameters... __values) {
		void *__list[] = {(void *)&__values..., nullptr};
		return ::cudaLaunchKernelExC(__config, (const void *)kernel, __list);
	}(static_cast<__Arguments &&>(__arguments)...);
}
template <class __T> static inline cudaError_t cudaFuncSetCacheConfig(__T *func, enum cudaFuncCache __config)
{
	return ::cudaFuncSetCacheConfig((const void *)func, __config);
}
template <class __T> static inline cudaError_t cudaFuncSetSharedMemConfig(__T *func, enum cudaSharedMemConfig __config)
{
	return ::cudaFuncSetSharedMemConfig((const void *)func, __config);
}
template <class __T> static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *__attributes, __T *func)
{
	return ::cudaFuncGetAttributes(__attributes, (const void *)func);
}
template <class __T> static inline cudaError_t cudaFuncSetAttribute(__T *func, enum cudaFuncAttribute __attr, int value)
{
	return ::cudaFuncSetAttribute((const void *)func, __attr, value);
}
template <class __T> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *__blocks, __T func, int __threads, size_t __shared)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(__blocks, (const void *)func, __threads, __shared);
}
template <class __T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__blocks, __T func, int __threads, size_t __shared,
                                                                                 unsigned int flags)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(__blocks, (const void *)func, __threads, __shared, flags);
}
/* The block size with which a core holds most threads, the larger one of equals. */
template <class __Shared, class __T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *__grid, int *__block, __T func, __Shared __shared_of, int __limit = 0)
{
	struct cudaFuncAttributes __attributes;
	int device = 0, __cores = 0, __best = 0, __warp = 32;
	cudaError_t __error = ::cudaGetDevice(&device);
	if (__error == cudaSuccess)
		__error = ::cudaDeviceGetAttribute(&__cores, cudaDevAttrMultiProcessorCount, device);
	if (__error == cudaSuccess)
		__error = ::cudaFuncGetAttributes(&__attributes, (const void *)func);
	if (__error != cudaSuccess)
		return __error;
	int __most = __limit > 0 && __limit < __attributes.maxThreadsPerBlock ? __limit : __attributes.maxThreadsPerBlock;
	*__grid = *__block = 0;
	for (int size = (__most + __warp - 1) / __warp * __warp; size > 0; size -= __warp) {
		int __threads = size < __most ? size : __most, __blocks = 0;
		__error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&__blocks, (const void *)func, __threads, __shared_of(__threads));
		if (__error != cudaSuccess)
			return __error;
		if (__blocks * __threads > __best)
			__best = __blocks * __threads, *__grid = __blocks * __cores, *__block = __threads;
	}
	return cudaSuccess;
}
template <class __T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *__grid, int *__block, __T func, size_t __shared = 0, int __limit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeVariableSMem(__grid, __block, func, [__shared](int) { return __shared; }, __limit);
}

/* -- events, graphs, arrays ---------------------------------------------------------------------------------------------------------------------- */
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) { return ::cudaEventCreateWithFlags(event, flags); }
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *__exec, cudaGraph_t graph, cudaGraphNode_t *__node, char *__log, size_t size)
{
	if (__node)
		*__node = nullptr;
	if (__log && size)
		*__log = 0;
	return ::cudaGraphInstantiate(__exec, graph, 0);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t __exec, cudaGraph_t graph, cudaGraphNode_t *__node,
                                              enum cudaGraphExecUpdateResult *result)
{
	cudaGraphExecUpdateResultInfo __info;
	cudaError_t __error = ::cudaGraphExecUpdate(__exec, graph, &__info);
	if (__node)
		*__node = __info.errorNode;
	if (result)
		*result = __info.result;
	return __error;
}
template <class __T> inline struct cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
	return ::cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define HEDDLE_CUDA_CHANNEL(__T, x, y, z, w, kind)                                       \
	template <> inline struct cudaChannelFormatDesc cudaCreateChannelDesc<__T>(void) \
	{                                                                                \
		return ::cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind); \
	}
#define HEDDLE_CUDA_CHANNELS(__T, name, bits, kind)          \
	HEDDLE_CUDA_CHANNEL(__T, bits, 0, 0, 0, kind)        \
	HEDDLE_CUDA_CHANNEL(name##1, bits, 0, 0, 0, kind)    \
	HEDDLE_CUDA_CHANNEL(name##2, bits, bits, 0, 0, kind) \
	HEDDLE_CUDA_CHANNEL(name##4, bits, bits, bits, bits, kind)
HEDDLE_CUDA_CHANNELS(signed char, char, 8, Signed)
HEDDLE_CUDA_CHANNELS(unsigned char, uchar, 8, Unsigned)
HEDDLE_CUDA_CHANNELS(short, short, 16, Signed)
HEDDLE_CUDA_CHANNELS(unsigned short, ushort, 16, Unsigned)
HEDDLE_CUDA_CHANNELS(int, int, 32, Signed)
HEDDLE_CUDA_CHANNELS(unsigned int, uint, 32, Unsigned)
HEDDLE_CUDA_CHANNELS(float, float, 32, Float)
#undef HEDDLE_CUDA_CHANNELS
#undef HEDDLE_CUDA_CHANNEL

/* -- __managed__ variables -------------------------------------------------------------------------------------------------------------------------- */
#if defined(__CUDA__) && !defined(__CUDA_ARCH__)
extern "C" char __start_heddle_managed[] __attribute__((weak, visibility("hidden")));
extern "C" char __stop_heddle_managed[] __attribute__((weak, visibility("hidden")));
extern "C" void __heddleRegisterManaged(void *__begin, void *__end) __attribute__((weak));
/* Runs once in a program: the linker keeps one copy. */
inline bool heddle_managed_is_registered = (__start_heddle_managed != __stop_heddle_managed && __heddleRegisterManaged
                                                ? __heddleRegisterManaged(__start_heddle_managed, __stop_heddle_managed)
                                                : (void)0,
                                            true);
#endif
#endif

#endif
