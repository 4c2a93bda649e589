/* CUDA's driver interface: types and functions of version 12, as its documentation names them. */
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__

#include <stddef.h>
#include <stdint.h>

#ifndef CUDA_VERSION
#define CUDA_VERSION 12080
#endif
#define __CUDA_API_VERSION CUDA_VERSION
#define CUDAAPI
#define CUDA_CB

#ifdef __cplusplus
extern "C" {
#endif

#include "heddle_driver_enums.h"

/* -- handles and structures --------------------------------------------------------------------------------------------------------------- */
typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUarray_st *CUarray;
typedef struct CUevent_st *CUevent;
typedef struct CUstream_st *CUstream;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
#ifndef HEDDLE_CUDA_UUID
#define HEDDLE_CUDA_UUID
typedef struct CUuuid_st {
	char bytes[16];
} CUuuid;
#endif
typedef void (*CUhostFn)(void *userData);
typedef void (*CUstreamCallback)(CUstream hStream, CUresult __status, void *userData);
typedef size_t (*CUoccupancyB2DSize)(int __blockSize);

#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_LAUNCH_PARAM_END ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)
#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_MEMHOSTREGISTER_PORTABLE 0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define CU_DEVICE_CPU ((CUdevice)-1)
#define CU_DEVICE_INVALID ((CUdevice)-2)

typedef struct CUDA_MEMCPY2D_st {
	size_t srcXInBytes, srcY;
	CUmemorytype srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	size_t srcPitch, dstXInBytes, dstY;
	CUmemorytype dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct CUDA_MEMCPY3D_st {
	size_t srcXInBytes, srcY, srcZ, srcLOD;
	CUmemorytype srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	void *reserved0;
	size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
	CUmemorytype dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	void *reserved1;
	size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
typedef struct CUmemLocation_st {
	CUmemLocationType type;
	int id;
} CUmemLocation;
typedef struct CUmemPoolProps_st {
	int allocType, handleTypes;
	CUmemLocation location;
	void *win32SecurityAttributes;
	size_t maxSize;
	unsigned short usage;
	unsigned char reserved[54];
} CUmemPoolProps;
typedef struct CUmemAccessDesc_st {
	CUmemLocation location;
	int flags;
} CUmemAccessDesc;
typedef struct CUdevprop_st {
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock, totalConstantMemory, SIMDWidth, memPitch, regsPerBlock, clockRate,
	    textureAlign;
} CUdevprop;
typedef enum CUmoduleLoadingMode_enum { CU_MODULE_EAGER_LOADING = 1, CU_MODULE_LAZY_LOADING } CUmoduleLoadingMode;
typedef enum CUfunctionLoadingState_enum {
	CU_FUNCTION_LOADING_STATE_UNLOADED = 0,
	CU_FUNCTION_LOADING_STATE_LOADED,
	CU_FUNCTION_LOADING_STATE_MAX,
} CUfunctionLoadingState;
typedef union CUlaunchAttributeValue_union {
	char pad[64];
	int cooperative, priority;
	struct {
		unsigned int x, y, z;
	} clusterDim;
} CUlaunchAttributeValue;
typedef struct CUlaunchAttribute_st {
	CUlaunchAttributeID id;
	char pad[8 - sizeof(CUlaunchAttributeID)];
	CUlaunchAttributeValue value;
} CUlaunchAttribute;
typedef struct CUlaunchConfig_st {
	unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
	CUstream hStream;
	CUlaunchAttribute *attrs;
	unsigned int numAttrs;
} CUlaunchConfig;

/* -- functions. A name with a version stands behind the plain name, as programs write it ---------------------------------------------------- */
CUresult cuInit(unsigned int __Flags);
CUresult cuDriverGetVersion(int *__driverVersion);
CUresult cuGetErrorString(CUresult __error, const char **__pStr);
CUresult cuGetErrorName(CUresult __error, const char **__pStr);
#define cuGetProcAddress cuGetProcAddress_v2
CUresult cuGetProcAddress_v2(const char *__symbol, void **__pfn, int cudaVersion, uint64_t flags, CUdriverProcAddressQueryResult *__symbolStatus);

CUresult cuDeviceGet(CUdevice *__device, int __ordinal);
CUresult cuDeviceGetCount(int *__count);
CUresult cuGetExportTable(const void **__ppExportTable, const CUuuid *__pExportTableId);
CUresult cuDeviceGetLuid(char *__luid, unsigned int *__deviceNodeMask, CUdevice __dev);
CUresult cuDeviceGetProperties(CUdevprop *__prop, CUdevice __dev);
CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute __attrib, CUdevice srcDevice, CUdevice dstDevice);
CUresult cuDeviceGetName(char *__name, int __len, CUdevice __dev);
#define cuDeviceGetUuid cuDeviceGetUuid_v2
CUresult cuDeviceGetUuid_v2(CUuuid *__uuid, CUdevice __dev);
#define cuDeviceTotalMem cuDeviceTotalMem_v2
CUresult cuDeviceTotalMem_v2(size_t *__bytes, CUdevice __dev);
CUresult cuDeviceGetAttribute(int *__pi, CUdevice_attribute __attrib, CUdevice __dev);
CUresult cuDevicePrimaryCtxRetain(CUcontext *__pctx, CUdevice __dev);
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice __dev);
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice __dev, unsigned int flags);
CUresult cuDevicePrimaryCtxGetState(CUdevice __dev, unsigned int *flags, int *__active);
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
CUresult cuDevicePrimaryCtxReset_v2(CUdevice __dev);
CUresult cuDeviceGetPCIBusId(char *__pciBusId, int __len, CUdevice __dev);
CUresult cuDeviceGetByPCIBusId(CUdevice *__dev, const char *__pciBusId);
CUresult cuDeviceCanAccessPeer(int *__canAccessPeer, CUdevice __dev, CUdevice __peerDev);

#define cuCtxDestroy cuCtxDestroy_v2
CUresult cuCtxDestroy_v2(CUcontext ctx);
#define cuCtxPushCurrent cuCtxPushCurrent_v2
CUresult cuCtxPushCurrent_v2(CUcontext ctx);
#define cuCtxPopCurrent cuCtxPopCurrent_v2
CUresult cuCtxPopCurrent_v2(CUcontext *__pctx);
CUresult cuCtxSetCurrent(CUcontext ctx);
CUresult cuCtxGetCurrent(CUcontext *__pctx);
CUresult cuCtxGetDevice(CUdevice *__device);
CUresult cuCtxGetFlags(unsigned int *flags);
CUresult cuCtxSetFlags(unsigned int flags);
CUresult cuCtxGetId(CUcontext ctx, unsigned long long *__ctxId);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSetLimit(CUlimit __limit, size_t value);
CUresult cuCtxGetLimit(size_t *__pvalue, CUlimit __limit);
CUresult cuCtxGetCacheConfig(CUfunc_cache *__pconfig);
CUresult cuCtxSetCacheConfig(CUfunc_cache __config);
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *__pConfig);
CUresult cuCtxSetSharedMemConfig(CUsharedconfig __config);
CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *__version);
CUresult cuCtxGetStreamPriorityRange(int *__leastPriority, int *__greatestPriority);
CUresult cuCtxEnablePeerAccess(CUcontext __peerContext, unsigned int __Flags);
CUresult cuCtxDisablePeerAccess(CUcontext __peerContext);

CUresult cuModuleLoad(CUmodule *__module, const char *__fname);
CUresult cuModuleLoadData(CUmodule *__module, const void *__image);
CUresult cuModuleLoadDataEx(CUmodule *__module, const void *__image, unsigned int __numOptions, CUjit_option *__options, void **__optionValues);
CUresult cuModuleLoadFatBinary(CUmodule *__module, const void *__fatCubin);
CUresult cuModuleUnload(CUmodule __hmod);
CUresult cuModuleGetFunction(CUfunction *__hfunc, CUmodule __hmod, const char *__name);
CUresult cuModuleGetFunctionCount(unsigned int *__count, CUmodule __mod);
CUresult cuModuleEnumerateFunctions(CUfunction *__functions, unsigned int __numFunctions, CUmodule __mod);
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *__mode);
CUresult cuLibraryLoadData(CUlibrary *__library, const void *__code, CUjit_option *__jitOptions, void **__jitOptionsValues,
                           unsigned int __numJitOptions, CUlibraryOption *__libraryOptions, void **__libraryOptionValues,
                           unsigned int __numLibraryOptions);
CUresult cuLibraryLoadFromFile(CUlibrary *__library, const char *__fileName, CUjit_option *__jitOptions, void **__jitOptionsValues,
                               unsigned int __numJitOptions, CUlibraryOption *__libraryOptions, void **__libraryOptionValues,
                               unsigned int __numLibraryOptions);
CUresult cuLibraryUnload(CUlibrary __library);
CUresult cuLibraryGetKernel(CUkernel *__pKernel, CUlibrary __library, const char *__name);
CUresult cuLibraryGetKernelCount(unsigned int *__count, CUlibrary __lib);
CUresult cuLibraryEnumerateKernels(CUkernel *__kernels, unsigned int __numKernels, CUlibrary __lib);
CUresult cuLibraryGetModule(CUmodule *__pMod, CUlibrary __library);
CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *__bytes, CUlibrary __library, const char *__name);
CUresult cuLibraryGetManaged(CUdeviceptr *dptr, size_t *__bytes, CUlibrary __library, const char *__name);
CUresult cuKernelGetFunction(CUfunction *__pFunc, CUkernel kernel);
CUresult cuKernelGetLibrary(CUlibrary *__pLib, CUkernel kernel);
CUresult cuKernelGetAttribute(int *__pi, CUfunction_attribute __attrib, CUkernel kernel, CUdevice __dev);
CUresult cuKernelSetAttribute(CUfunction_attribute __attrib, int __val, CUkernel kernel, CUdevice __dev);
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache __config, CUdevice __dev);
CUresult cuKernelGetName(const char **__name, CUkernel __hfunc);
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t __paramIndex, size_t *__paramOffset, size_t *__paramSize);
#define cuModuleGetGlobal cuModuleGetGlobal_v2
CUresult cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *__bytes, CUmodule __hmod, const char *__name);
#define cuLinkCreate cuLinkCreate_v2
CUresult cuLinkCreate_v2(unsigned int __numOptions, CUjit_option *__options, void **__optionValues, CUlinkState *__stateOut);
#define cuLinkAddData cuLinkAddData_v2
CUresult cuLinkAddData_v2(CUlinkState __state, CUjitInputType type, void *__data, size_t __size, const char *__name, unsigned int __numOptions,
                          CUjit_option *__options, void **__optionValues);
#define cuLinkAddFile cuLinkAddFile_v2
CUresult cuLinkAddFile_v2(CUlinkState __state, CUjitInputType type, const char *__path, unsigned int __numOptions, CUjit_option *__options,
                          void **__optionValues);
CUresult cuLinkComplete(CUlinkState __state, void **__cubinOut, size_t *__sizeOut);
CUresult cuLinkDestroy(CUlinkState __state);

#define cuMemGetInfo cuMemGetInfo_v2
CUresult cuMemGetInfo_v2(size_t *free, size_t *__total);
#define cuMemAlloc cuMemAlloc_v2
CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize);
#define cuMemAllocPitch cuMemAllocPitch_v2
CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *__pPitch, size_t WidthInBytes, size_t Height, unsigned int __ElementSizeBytes);
#define cuMemFree cuMemFree_v2
CUresult cuMemFree_v2(CUdeviceptr dptr);
#define cuMemGetAddressRange cuMemGetAddressRange_v2
CUresult cuMemGetAddressRange_v2(CUdeviceptr *__pbase, size_t *__psize, CUdeviceptr dptr);
#define cuMemAllocHost cuMemAllocHost_v2
CUresult cuMemAllocHost_v2(void **__pp, size_t bytesize);
CUresult cuMemFreeHost(void *__p);
CUresult cuMemHostAlloc(void **__pp, size_t bytesize, unsigned int __Flags);
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *__pdptr, void *__p, unsigned int __Flags);
CUresult cuMemHostGetFlags(unsigned int *__pFlags, void *__p);
CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags);
#define cuMemHostRegister cuMemHostRegister_v2
CUresult cuMemHostRegister_v2(void *__p, size_t bytesize, unsigned int __Flags);
CUresult cuMemHostUnregister(void *__p);
CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr __src, size_t __ByteCount);
CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext __dstContext, CUdeviceptr srcDevice, CUcontext __srcContext, size_t __ByteCount);
#define cuMemcpyHtoD cuMemcpyHtoD_v2
CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t __ByteCount);
#define cuMemcpyDtoH cuMemcpyDtoH_v2
CUresult cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t __ByteCount);
#define cuMemcpyDtoD cuMemcpyDtoD_v2
CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t __ByteCount);
#define cuMemcpy2D cuMemcpy2D_v2
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *__pCopy);
#define cuMemcpy2DUnaligned cuMemcpy2DUnaligned_v2
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *__pCopy);
#define cuMemcpy3D cuMemcpy3D_v2
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *__pCopy);
CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr __src, size_t __ByteCount, CUstream hStream);
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t __ByteCount, CUstream hStream);
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t __ByteCount, CUstream hStream);
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t __ByteCount, CUstream hStream);
#define cuMemcpy2DAsync cuMemcpy2DAsync_v2
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *__pCopy, CUstream hStream);
#define cuMemcpy3DAsync cuMemcpy3DAsync_v2
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *__pCopy, CUstream hStream);
#define cuMemsetD8 cuMemsetD8_v2
CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char __uc, size_t __N);
#define cuMemsetD16 cuMemsetD16_v2
CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short __us, size_t __N);
#define cuMemsetD32 cuMemsetD32_v2
CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int __ui, size_t __N);
#define cuMemsetD2D8 cuMemsetD2D8_v2
CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char __uc, size_t __Width, size_t Height);
#define cuMemsetD2D16 cuMemsetD2D16_v2
CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short __us, size_t __Width, size_t Height);
#define cuMemsetD2D32 cuMemsetD2D32_v2
CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int __ui, size_t __Width, size_t Height);
CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char __uc, size_t __N, CUstream hStream);
CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short __us, size_t __N, CUstream hStream);
CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int __ui, size_t __N, CUstream hStream);
CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char __uc, size_t __Width, size_t Height, CUstream hStream);
CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short __us, size_t __Width, size_t Height, CUstream hStream);
CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int __ui, size_t __Width, size_t Height, CUstream hStream);
CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext __dstContext, CUdeviceptr srcDevice, CUcontext __srcContext, size_t __ByteCount,
                           CUstream hStream);
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute __attr, CUdeviceptr __ptr);
CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream);
CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool __pool, CUstream hStream);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *__pool_out, CUdevice __dev);
CUresult cuDeviceGetMemPool(CUmemoryPool *__pool, CUdevice __dev);
CUresult cuDeviceSetMemPool(CUdevice __dev, CUmemoryPool __pool);
CUresult cuMemPoolCreate(CUmemoryPool *__pool, const CUmemPoolProps *poolProps);
CUresult cuMemPoolDestroy(CUmemoryPool __pool);
CUresult cuMemPoolTrimTo(CUmemoryPool __pool, size_t __minBytesToKeep);
CUresult cuMemPoolSetAttribute(CUmemoryPool __pool, CUmemPool_attribute __attr, void *value);
CUresult cuMemPoolGetAttribute(CUmemoryPool __pool, CUmemPool_attribute __attr, void *value);
CUresult cuMemPoolSetAccess(CUmemoryPool __pool, const CUmemAccessDesc *__map, size_t __count);
CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool __memPool, CUmemLocation *location);
CUresult cuPointerGetAttribute(void *__data, CUpointer_attribute __attr, CUdeviceptr __ptr);
CUresult cuPointerGetAttributes(unsigned int __numAttributes, CUpointer_attribute *__attributes, void **__data, CUdeviceptr __ptr);

CUresult cuStreamCreate(CUstream *__phStream, unsigned int __Flags);
CUresult cuStreamCreateWithPriority(CUstream *__phStream, unsigned int flags, int priority);
CUresult cuStreamGetPriority(CUstream hStream, int *priority);
CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags);
CUresult cuStreamGetId(CUstream hStream, unsigned long long *__streamId);
CUresult cuStreamGetDevice(CUstream hStream, CUdevice *__device);
CUresult cuStreamGetCtx(CUstream hStream, CUcontext *__pctx);
CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t __length, unsigned int flags);
CUresult cuStreamWaitEvent(CUstream hStream, CUevent __hEvent, unsigned int __Flags);
CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback __callback, void *userData, unsigned int flags);
CUresult cuStreamQuery(CUstream hStream);
CUresult cuStreamSynchronize(CUstream hStream);
#define cuStreamDestroy cuStreamDestroy_v2
CUresult cuStreamDestroy_v2(CUstream hStream);
CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *__captureStatus);
CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData);
CUresult cuEventCreate(CUevent *__phEvent, unsigned int __Flags);
CUresult cuEventRecord(CUevent __hEvent, CUstream hStream);
CUresult cuEventRecordWithFlags(CUevent __hEvent, CUstream hStream, unsigned int flags);
CUresult cuEventQuery(CUevent __hEvent);
CUresult cuEventSynchronize(CUevent __hEvent);
#define cuEventDestroy cuEventDestroy_v2
CUresult cuEventDestroy_v2(CUevent __hEvent);
#define cuEventElapsedTime cuEventElapsedTime_v2
CUresult cuEventElapsedTime_v2(float *__pMilliseconds, CUevent __hStart, CUevent __hEnd);

CUresult cuFuncGetAttribute(int *__pi, CUfunction_attribute __attrib, CUfunction __hfunc);
CUresult cuFuncSetAttribute(CUfunction __hfunc, CUfunction_attribute __attrib, int value);
CUresult cuFuncSetCacheConfig(CUfunction __hfunc, CUfunc_cache __config);
CUresult cuFuncSetSharedMemConfig(CUfunction __hfunc, CUsharedconfig __config);
CUresult cuFuncGetName(const char **__name, CUfunction __hfunc);
CUresult cuFuncGetParamInfo(CUfunction func, size_t __paramIndex, size_t *__paramOffset, size_t *__paramSize);
CUresult cuFuncLoad(CUfunction __function);
CUresult cuFuncIsLoaded(CUfunctionLoadingState *__state, CUfunction __function);
CUresult cuFuncGetModule(CUmodule *__hmod, CUfunction __hfunc);
CUresult cuLaunchKernel(CUfunction __f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX,
                        unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream, void **kernelParams,
                        void **extra);
CUresult cuLaunchKernelEx(const CUlaunchConfig *__config, CUfunction __f, void **kernelParams, void **extra);
CUresult cuLaunchCooperativeKernel(CUfunction __f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX,
                                   unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                                   void **kernelParams);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *__numBlocks, CUfunction func, int __blockSize, size_t __dynamicSMemSize);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__numBlocks, CUfunction func, int __blockSize, size_t __dynamicSMemSize,
                                                              unsigned int flags);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *__dynamicSmemSize, CUfunction func, int __numBlocks, int __blockSize);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *__minGridSize, int *__blockSize, CUfunction func,
                                                   CUoccupancyB2DSize __blockSizeToDynamicSMemSize, size_t __dynamicSMemSize, int __blockSizeLimit,
                                                   unsigned int flags);
CUresult cuOccupancyMaxPotentialBlockSize(int *__minGridSize, int *__blockSize, CUfunction func, CUoccupancyB2DSize __blockSizeToDynamicSMemSize,
                                          size_t __dynamicSMemSize, int __blockSizeLimit);

#define cuCtxCreate cuCtxCreate_v2
CUresult cuCtxCreate_v2(CUcontext *__pctx, unsigned int flags, CUdevice __dev);
CUresult cuCtxAttach(CUcontext *__pctx, unsigned int flags);
CUresult cuCtxDetach(CUcontext ctx);
CUresult cuDeviceComputeCapability(int *__major, int *__minor, CUdevice __dev);
CUresult cuFuncSetBlockShape(CUfunction __hfunc, int x, int y, int z);

#include "heddle_driver_graphs.h"

#ifdef __cplusplus
}
#endif

#endif
