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
	struct cudaPitchedPtr p;
	p.ptr = ptr, p.pitch = pitch, p.xsize = xsize, p.ysize = ysize;
	return p;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
	struct cudaPos p;
	p.x = x, p.y = y, p.z = z;
	return p;
}
static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
	struct cudaExtent e;
	e.width = width, e.height = height, e.depth = depth;
	return e;
}

#ifdef __cplusplus
/* -- memory ---------------------------------------------------------------------------------------------------------------------------------- */
template <class T> HEDDLE_CUDA_BOTH static inline cudaError_t cudaMalloc(T **p, size_t size) { return ::cudaMalloc((void **)(void *)p, size); }
template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t size, unsigned int flags = 0)
{
	return ::cudaHostAlloc((void **)(void *)p, size, flags);
}
static inline cudaError_t cudaMallocHost(void **p, size_t size, unsigned int flags) { return ::cudaHostAlloc(p, size, flags); }
template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t size, unsigned int flags)
{
	return ::cudaHostAlloc((void **)(void *)p, size, flags);
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
	return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class T> static inline cudaError_t cudaMallocManaged(T **p, size_t size, unsigned int flags = cudaMemAttachGlobal)
{
	return ::cudaMallocManaged((void **)(void *)p, size, flags);
}
template <class T> static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height)
{
	return ::cudaMallocPitch((void **)(void *)p, pitch, width, height);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t stream)
{
	return ::cudaMallocAsync((void **)(void *)p, size, stream);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
	return ::cudaMallocFromPoolAsync((void **)(void *)p, size, pool, stream);
}
template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *p, size_t length = 0, unsigned int flags = cudaMemAttachSingle)
{
	return ::cudaStreamAttachMemAsync(stream, (void *)p, length, flags);
}

/* -- variables: by the name that the source gives them ------------------------------------------------------------------------------------------- */
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol) { return ::cudaGetSymbolAddress(p, (const void *)&symbol); }
template <class T> static inline cudaError_t cudaGetSymbolAddress(T **p, const T &symbol)
{
	return ::cudaGetSymbolAddress((void **)(void *)p, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) { return ::cudaGetSymbolSize(size, (const void *)&symbol); }
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count, size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
	return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
	return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0,
                                                  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
	return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                                    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
	return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}

/* -- launches -------------------------------------------------------------------------------------------------------------------------------------- */
template <class T>
static inline cudaError_t cudaLaunchKernel(T *func, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0)
{
	return ::cudaLaunchKernel((const void *)func, grid, block, args, shared, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *func, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0)
{
	return ::cudaLaunchCooperativeKernel((const void *)func, grid, block, args, shared, stream);
}
template <class... Parameters, class... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...), Arguments &&...arguments)
{
	return [&](Parameters... values) {
		void *list[] = {(void *)&values..., nullptr};
		return ::cudaLaunchKernelExC(config, (const void *)kernel, list);
	}(static_cast<Arguments &&>(arguments)...);
}
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *func, enum cudaFuncCache config)
{
	return ::cudaFuncSetCacheConfig((const void *)func, config);
}
template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T *func, enum cudaSharedMemConfig config)
{
	return ::cudaFuncSetSharedMemConfig((const void *)func, config);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *func)
{
	return ::cudaFuncGetAttributes(attributes, (const void *)func);
}
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *func, enum cudaFuncAttribute attribute, int value)
{
	return ::cudaFuncSetAttribute((const void *)func, attribute, value);
}
template <class T> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T func, int threads, size_t shared)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)func, threads, shared);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T func, int threads, size_t shared, unsigned int flags)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)func, threads, shared, flags);
}
/* The block size with which a core holds most threads, the larger one of equals. */
template <class Shared, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T func, Shared shared_of, int limit = 0)
{
	struct cudaFuncAttributes attributes;
	int device = 0, cores = 0, best = 0, warp = 32;
	cudaError_t error = ::cudaGetDevice(&device);
	if (error == cudaSuccess)
		error = ::cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, device);
	if (error == cudaSuccess)
		error = ::cudaFuncGetAttributes(&attributes, (const void *)func);
	if (error != cudaSuccess)
		return error;
	int most = limit > 0 && limit < attributes.maxThreadsPerBlock ? limit : attributes.maxThreadsPerBlock;
	*grid = *block = 0;
	for (int size = (most + warp - 1) / warp * warp; size > 0; size -= warp) {
		int threads = size < most ? size : most, blocks = 0;
		error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)func, threads, shared_of(threads));
		if (error != cudaSuccess)
			return error;
		if (blocks * threads > best)
			best = blocks * threads, *grid = blocks * cores, *block = threads;
	}
	return cudaSuccess;
}
template <class T> static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T func, size_t shared = 0, int limit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, func, [shared](int) { return shared; }, limit);
}

/* -- events, graphs, arrays ---------------------------------------------------------------------------------------------------------------------- */
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) { return ::cudaEventCreateWithFlags(event, flags); }
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *node, char *log, size_t size)
{
	if (node)
		*node = nullptr;
	if (log && size)
		*log = 0;
	return ::cudaGraphInstantiate(exec, graph, 0);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node, enum cudaGraphExecUpdateResult *result)
{
	cudaGraphExecUpdateResultInfo info;
	cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);
	if (node)
		*node = info.errorNode;
	if (result)
		*result = info.result;
	return error;
}
template <class T> inline struct cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
	return ::cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define HEDDLE_CUDA_CHANNEL(T, x, y, z, w, kind)                                                   \
	template <> inline struct cudaChannelFormatDesc cudaCreateChannelDesc<T>(void)             \
	{                                                                                          \
		return ::cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind);           \
	}
#define HEDDLE_CUDA_CHANNELS(T, name, bits, kind)             \
	HEDDLE_CUDA_CHANNEL(T, bits, 0, 0, 0, kind)           \
	HEDDLE_CUDA_CHANNEL(name##1, bits, 0, 0, 0, kind)     \
	HEDDLE_CUDA_CHANNEL(name##2, bits, bits, 0, 0, kind)  \
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
extern "C" void __heddleRegisterManaged(void *begin, void *end) __attribute__((weak));
/* Runs once in a program: the linker keeps one copy. */
inline bool heddle_managed_is_registered = (__start_heddle_managed != __stop_heddle_managed && __heddleRegisterManaged
                                                ? __heddleRegisterManaged(__start_heddle_managed, __stop_heddle_managed)
                                                : (void)0,
                                            true);
#endif
#endif

#endif
