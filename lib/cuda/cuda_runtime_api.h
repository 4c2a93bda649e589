/* Functions of CUDA's runtime interface, for C and C++: those of version 12, and the older ones that programs still call. */
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#include "driver_types.h"

#define CUDART_VERSION 12080
#define __CUDART_API_VERSION CUDART_VERSION

#ifdef __cplusplus
#define HEDDLE_CUDA_OR(value) = value
extern "C" {
#else
#define HEDDLE_CUDA_OR(value)
#endif
/* Kernels may call these, too (lib/heddle_children.cu). */
#ifdef __CUDA__
#define HEDDLE_CUDA_BOTH __attribute__((host)) __attribute__((device))
#else
#define HEDDLE_CUDA_BOTH
#endif

/* -- errors, versions ------------------------------------------------------------------------------------------------------------------------ */
HEDDLE_CUDA_BOTH cudaError_t cudaGetLastError(void);
HEDDLE_CUDA_BOTH cudaError_t cudaPeekAtLastError(void);
HEDDLE_CUDA_BOTH const char *cudaGetErrorName(cudaError_t __error);
HEDDLE_CUDA_BOTH const char *cudaGetErrorString(cudaError_t __error);
cudaError_t cudaDriverGetVersion(int *__driverVersion);
HEDDLE_CUDA_BOTH cudaError_t cudaRuntimeGetVersion(int *__runtimeVersion);
cudaError_t cudaGetDriverEntryPoint(const char *__symbol, void **__funcPtr, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *__driverStatus HEDDLE_CUDA_OR(NULL));
cudaError_t cudaGetDriverEntryPointByVersion(const char *__symbol, void **__funcPtr, unsigned int cudaVersion, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *__driverStatus HEDDLE_CUDA_OR(NULL));
cudaError_t cudaGetExportTable(const void **__ppExportTable, const cudaUUID_t *__pExportTableId);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

/* -- devices --------------------------------------------------------------------------------------------------------------------------------- */
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *__prop, int device);
HEDDLE_CUDA_BOTH cudaError_t cudaGetDeviceCount(int *__count);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr __attr, int device);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *__prop);
cudaError_t cudaInitDevice(int device, unsigned int __deviceFlags, unsigned int flags);
cudaError_t cudaSetDevice(int device);
HEDDLE_CUDA_BOTH cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetValidDevices(int *__device_arr, int __len);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaDeviceReset(void);
HEDDLE_CUDA_BOTH cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit __limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *__pValue, enum cudaLimit __limit);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *__pCacheConfig);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache __cacheConfig);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *__pConfig);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig __config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *__leastPriority, int *__greatestPriority);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *__pciBusId);
cudaError_t cudaDeviceGetPCIBusId(char *__pciBusId, int __len, int device);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr __attr, int srcDevice, int dstDevice);
cudaError_t cudaDeviceCanAccessPeer(int *__canAccessPeer, int device, int __peerDevice);
cudaError_t cudaDeviceEnablePeerAccess(int __peerDevice, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int __peerDevice);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle);
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr);
cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void *devPtr);
/* Of CUDA 3 and older. */
cudaError_t cudaThreadExit(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaSetDoubleForDevice(double *__d);
cudaError_t cudaSetDoubleForHost(double *__d);
cudaError_t cudaThreadSetLimit(enum cudaLimit __limit, size_t value);
cudaError_t cudaThreadGetLimit(size_t *__pValue, enum cudaLimit __limit);
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *__pCacheConfig);
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache __cacheConfig);

/* -- streams, events ------------------------------------------------------------------------------------------------------------------------- */
cudaError_t cudaStreamCreate(cudaStream_t *__pStream);
HEDDLE_CUDA_BOTH cudaError_t cudaStreamCreateWithFlags(cudaStream_t *__pStream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *__pStream, unsigned int flags, int priority);
cudaError_t cudaStreamGetPriority(cudaStream_t __hStream, int *priority);
cudaError_t cudaStreamGetFlags(cudaStream_t __hStream, unsigned int *flags);
cudaError_t cudaStreamGetId(cudaStream_t __hStream, unsigned long long *__streamId);
cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t __src);
cudaError_t cudaStreamGetAttribute(cudaStream_t __hStream, cudaLaunchAttributeID __attr, cudaLaunchAttributeValue *__value_out);
cudaError_t cudaStreamSetAttribute(cudaStream_t __hStream, cudaLaunchAttributeID __attr, const cudaLaunchAttributeValue *value);
HEDDLE_CUDA_BOTH cudaError_t cudaStreamDestroy(cudaStream_t stream);
HEDDLE_CUDA_BOTH cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags HEDDLE_CUDA_OR(0));
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t __callback, void *userData, unsigned int flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t __length HEDDLE_CUDA_OR(0),
                                     unsigned int flags HEDDLE_CUDA_OR(cudaMemAttachSingle));
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData);
cudaError_t cudaEventCreate(cudaEvent_t *event);
HEDDLE_CUDA_BOTH cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
HEDDLE_CUDA_BOTH cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream HEDDLE_CUDA_OR(0));
HEDDLE_CUDA_BOTH cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream HEDDLE_CUDA_OR(0), unsigned int flags HEDDLE_CUDA_OR(0));
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
HEDDLE_CUDA_BOTH cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *__ms, cudaEvent_t __start, cudaEvent_t __end);

/* -- launches -------------------------------------------------------------------------------------------------------------------------------- */
cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *__config, const void *func, void **args);
cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *__launchParamsList, unsigned int __numDevices,
                                                   unsigned int flags HEDDLE_CUDA_OR(0));
cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache __cacheConfig);
cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig __config);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *__attr, const void *func);
cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute __attr, int value);
cudaError_t cudaFuncGetName(const char **name, const void *func);
cudaError_t cudaFuncGetParamInfo(const void *func, size_t __paramIndex, size_t *__paramOffset, size_t *__paramSize);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *__functionPtr, const void *__symbolPtr);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *__numBlocks, const void *func, int __blockSize, size_t __dynamicSMemSize);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__numBlocks, const void *func, int __blockSize, size_t __dynamicSMemSize,
                                                                   unsigned int flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *__dynamicSmemSize, const void *func, int __numBlocks, int __blockSize);
/* Functions that compilers call in the code of a launch. */
unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem HEDDLE_CUDA_OR(0), struct CUstream_st *stream HEDDLE_CUDA_OR(0));
cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream);

/* -- memory ---------------------------------------------------------------------------------------------------------------------------------- */
HEDDLE_CUDA_BOTH cudaError_t cudaMalloc(void **devPtr, size_t size);
cudaError_t cudaMallocHost(void **ptr, size_t size);
cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags HEDDLE_CUDA_OR(cudaMemAttachGlobal));
cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *__pitchedDevPtr, struct cudaExtent extent);
HEDDLE_CUDA_BOTH cudaError_t cudaFree(void *devPtr);
cudaError_t cudaFreeHost(void *ptr);
cudaError_t cudaHostAlloc(void **__pHost, size_t size, unsigned int flags);
cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags);
cudaError_t cudaHostUnregister(void *ptr);
cudaError_t cudaHostGetDevicePointer(void **__pDevice, void *__pHost, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *__pFlags, void *__pHost);
cudaError_t cudaMemGetInfo(size_t *free, size_t *__total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *__attributes, const void *ptr);
cudaError_t cudaGetSymbolAddress(void **devPtr, const void *__symbol);
cudaError_t cudaGetSymbolSize(size_t *size, const void *__symbol);
cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t __count, int dstDevice, cudaStream_t stream HEDDLE_CUDA_OR(0));
cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t __count, struct cudaMemLocation location, unsigned int flags,
                                    cudaStream_t stream HEDDLE_CUDA_OR(0));
cudaError_t cudaMemAdvise(const void *devPtr, size_t __count, enum cudaMemoryAdvise __advice, int device);
cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t __count, enum cudaMemoryAdvise __advice, struct cudaMemLocation location);
cudaError_t cudaMemRangeGetAttribute(void *__data, size_t __dataSize, enum cudaMemRangeAttribute __attr, const void *devPtr, size_t __count);
cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t __hStream);
cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t __hStream);
cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t __memPool, cudaStream_t stream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *__memPool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t __memPool);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *__memPool, int device);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *__memPool, const struct cudaMemPoolProps *poolProps);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t __memPool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t __memPool, size_t __minBytesToKeep);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t __memPool, enum cudaMemPoolAttr __attr, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t __memPool, enum cudaMemPoolAttr __attr, void *value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t __memPool, const struct cudaMemAccessDesc *__descList, size_t __count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t __memPool, struct cudaMemLocation *location);

/* -- copies ---------------------------------------------------------------------------------------------------------------------------------- */
cudaError_t cudaMemcpy(void *dst, const void *__src, size_t __count, enum cudaMemcpyKind kind);
HEDDLE_CUDA_BOTH cudaError_t cudaMemcpyAsync(void *dst, const void *__src, size_t __count, enum cudaMemcpyKind kind, cudaStream_t stream HEDDLE_CUDA_OR(0));
cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *__src, int srcDevice, size_t __count);
cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *__src, int srcDevice, size_t __count, cudaStream_t stream HEDDLE_CUDA_OR(0));
cudaError_t cudaMemcpy2D(void *dst, size_t __dpitch, const void *__src, size_t __spitch, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *dst, size_t __dpitch, const void *__src, size_t __spitch, size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream HEDDLE_CUDA_OR(0));
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *__p);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *__p, cudaStream_t stream HEDDLE_CUDA_OR(0));
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *__p);
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *__p, cudaStream_t stream HEDDLE_CUDA_OR(0));
cudaError_t cudaMemcpyToSymbol(const void *__symbol, const void *__src, size_t __count, size_t __offset HEDDLE_CUDA_OR(0),
                               enum cudaMemcpyKind kind HEDDLE_CUDA_OR(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyFromSymbol(void *dst, const void *__symbol, size_t __count, size_t __offset HEDDLE_CUDA_OR(0),
                                 enum cudaMemcpyKind kind HEDDLE_CUDA_OR(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyToSymbolAsync(const void *__symbol, const void *__src, size_t __count, size_t __offset, enum cudaMemcpyKind kind,
                                    cudaStream_t stream HEDDLE_CUDA_OR(0));
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *__symbol, size_t __count, size_t __offset, enum cudaMemcpyKind kind,
                                      cudaStream_t stream HEDDLE_CUDA_OR(0));
cudaError_t cudaMemset(void *devPtr, int value, size_t __count);
cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset3D(struct cudaPitchedPtr __pitchedDevPtr, int value, struct cudaExtent extent);
HEDDLE_CUDA_BOTH cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t __count, cudaStream_t stream HEDDLE_CUDA_OR(0));
cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream HEDDLE_CUDA_OR(0));
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr __pitchedDevPtr, int value, struct cudaExtent extent, cudaStream_t stream HEDDLE_CUDA_OR(0));

/* -- arrays, textures, surfaces ---------------------------------------------------------------------------------------------------------------- */
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height HEDDLE_CUDA_OR(0),
                            unsigned int flags HEDDLE_CUDA_OR(0));
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned int flags HEDDLE_CUDA_OR(0));
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags, cudaArray_t array);
cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t __wOffset, size_t __hOffset, const void *__src, size_t __count, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t __src, size_t __wOffset, size_t __hOffset, size_t __count, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t __wOffset, size_t __hOffset, const void *__src, size_t __spitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t __dpitch, cudaArray_const_t __src, size_t __wOffset, size_t __hOffset, size_t width,
                                  size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *__pTexObject, const struct cudaResourceDesc *__pResDesc,
                                    const struct cudaTextureDesc *__pTexDesc, const struct cudaResourceViewDesc *__pResViewDesc);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t __texObject);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *__pSurfObject, const struct cudaResourceDesc *__pResDesc);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t __surfObject);

/* -- graphs, captures ------------------------------------------------------------------------------------------------------------------------------ */
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode __mode);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *__dependencies, const cudaGraphEdgeData
                                          *__dependencyData, size_t __numDependencies, enum cudaStreamCaptureMode __mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *__pGraph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *__pCaptureStatus);
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v2
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *__captureStatus_out, unsigned long long *__id_out
                                        HEDDLE_CUDA_OR(0), cudaGraph_t *__graph_out HEDDLE_CUDA_OR(0), const cudaGraphNode_t **__dependencies_out
                                        HEDDLE_CUDA_OR(0), size_t *__numDependencies_out HEDDLE_CUDA_OR(0));
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *__captureStatus_out, unsigned long long *__id_out
                                        HEDDLE_CUDA_OR(0), cudaGraph_t *__graph_out HEDDLE_CUDA_OR(0), const cudaGraphNode_t **__dependencies_out
                                        HEDDLE_CUDA_OR(0), const cudaGraphEdgeData **__edgeData_out HEDDLE_CUDA_OR(0), size_t *__numDependencies_out
                                        HEDDLE_CUDA_OR(0));
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *__dependencies, size_t __numDependencies, unsigned int flags
                                                HEDDLE_CUDA_OR(0));
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *__dependencies, const cudaGraphEdgeData *__dependencyData,
                                                   size_t __numDependencies, unsigned int flags HEDDLE_CUDA_OR(0));
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *__mode);
cudaError_t cudaGraphCreate(cudaGraph_t *__pGraph, unsigned int flags);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies, size_t __numDependencies,
                                   const struct cudaKernelNodeParams *__pNodeParams);
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t __node, struct cudaKernelNodeParams *__pNodeParams);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t __node, const struct cudaKernelNodeParams *__pNodeParams);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __node, const struct cudaKernelNodeParams *__pNodeParams);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies, size_t __numDependencies,
                                   const struct cudaMemcpy3DParms *__pNodeParams);
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t __node, struct cudaMemcpy3DParms *__pNodeParams);
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t __node, const struct cudaMemcpy3DParms *__pNodeParams);
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __node, const struct cudaMemcpy3DParms *__pNodeParams);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies, size_t __numDependencies,
                                   const struct cudaMemsetParams *__pNodeParams);
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t __node, struct cudaMemsetParams *__pNodeParams);
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t __node, const struct cudaMemsetParams *__pNodeParams);
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __node, const struct cudaMemsetParams *__pNodeParams);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies, size_t __numDependencies,
                                 const struct cudaHostNodeParams *__pNodeParams);
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t __node, struct cudaHostNodeParams *__pNodeParams);
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t __node, const struct cudaHostNodeParams *__pNodeParams);
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __node, const struct cudaHostNodeParams *__pNodeParams);
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t __hSrc, cudaGraphNode_t __hDst);
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t __hNode, cudaKernelNodeAttrID __attr, cudaKernelNodeAttrValue *__value_out);
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t __hNode, cudaKernelNodeAttrID __attr, const cudaKernelNodeAttrValue *value);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies,
                                     size_t __numDependencies, void *dst, const void *__src, size_t __count, enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t __node, void *dst, const void *__src, size_t __count, enum cudaMemcpyKind kind);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __node, void *dst, const void *__src, size_t __count,
                                               enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies,
                                           size_t __numDependencies, const void *__symbol, const void *__src, size_t __count, size_t __offset,
                                           enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t __node, const void *__symbol, const void *__src, size_t __count, size_t __offset,
                                                 enum cudaMemcpyKind kind);
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __node, const void *__symbol, const void *__src,
                                                     size_t __count, size_t __offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies,
                                             size_t __numDependencies, void *dst, const void *__symbol, size_t __count, size_t __offset,
                                             enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t __node, void *dst, const void *__symbol, size_t __count, size_t __offset, enum
                                                   cudaMemcpyKind kind);
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __node, void *dst, const void *__symbol,
                                                       size_t __count, size_t __offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies,
                                       size_t __numDependencies, cudaGraph_t __childGraph);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t __node, cudaGraph_t *__pGraph);
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __node, cudaGraph_t __childGraph);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies, size_t __numDependencies);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies,
                                        size_t __numDependencies, cudaEvent_t event);
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t __node, cudaEvent_t *__event_out);
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t __node, cudaEvent_t event);
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __hNode, cudaEvent_t event);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies,
                                      size_t __numDependencies, cudaEvent_t event);
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t __node, cudaEvent_t *__event_out);
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t __node, cudaEvent_t event);
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __hNode, cudaEvent_t event);
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies,
                                     size_t __numDependencies, struct cudaMemAllocNodeParams *__nodeParams);
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t __node, struct cudaMemAllocNodeParams *__params_out);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies,
                                    size_t __numDependencies, void *dptr);
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t __node, void *__dptr_out);
cudaError_t cudaDeviceGraphMemTrim(int device);
cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType __attr, void *value);
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType __attr, void *value);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies, size_t __numDependencies,
                             struct cudaGraphNodeParams *__nodeParams);
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *__pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *__pDependencies, const cudaGraphEdgeData
                                *__dependencyData, size_t __numDependencies, struct cudaGraphNodeParams *__nodeParams);
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t __node, struct cudaGraphNodeParams *__nodeParams);
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t __graphExec, cudaGraphNode_t __node, struct cudaGraphNodeParams *__nodeParams);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *__from, const cudaGraphNode_t *__to, size_t __numDependencies);
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *__from, const cudaGraphNode_t *__to,
                                        const cudaGraphEdgeData *__edgeData, size_t __numDependencies);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *__from, const cudaGraphNode_t *__to, size_t __numDependencies);
cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *__from, const cudaGraphNode_t *__to, const cudaGraphEdgeData
                                           *__edgeData, size_t __numDependencies);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *__nodes, size_t *__numNodes);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *__pRootNodes, size_t *__pNumRootNodes);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *__from, cudaGraphNode_t *__to, size_t *__numEdges);
cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *__from, cudaGraphNode_t *__to, cudaGraphEdgeData *__edgeData,
                                 size_t *__numEdges);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t __node, cudaGraphNode_t *__pDependencies, size_t *__pNumDependencies);
cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t __node, cudaGraphNode_t *__pDependencies, cudaGraphEdgeData *__edgeData, size_t
                                            *__pNumDependencies);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t __node, cudaGraphNode_t *__pDependentNodes, size_t *__pNumDependentNodes);
cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t __node, cudaGraphNode_t *__pDependentNodes, cudaGraphEdgeData *__edgeData, size_t
                                              *__pNumDependentNodes);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t __node, enum cudaGraphNodeType *__pType);
cudaError_t cudaGraphClone(cudaGraph_t *__pGraphClone, cudaGraph_t __originalGraph);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *__pNode, cudaGraphNode_t __originalNode, cudaGraph_t __clonedGraph);
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *__path, unsigned int flags);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *__pGraphExec, cudaGraph_t graph, unsigned long long flags HEDDLE_CUDA_OR(0));
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *__pGraphExec, cudaGraph_t graph, unsigned long long flags HEDDLE_CUDA_OR(0));
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *__pGraphExec, cudaGraph_t graph, cudaGraphInstantiateParams *__instantiateParams);
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t __graphExec, unsigned long long *flags);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __hNode, unsigned int __isEnabled);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __hNode, unsigned int *__isEnabled);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t __hGraphExec, cudaGraph_t __hGraph, cudaGraphExecUpdateResultInfo *__resultInfo);
cudaError_t cudaGraphUpload(cudaGraphExec_t __graphExec, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t __graphExec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t __graphExec);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t __node);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaUserObjectCreate(cudaUserObject_t *__object_out, void *ptr, cudaHostFn_t __destroy, unsigned int __initialRefcount,
                                 unsigned int flags);
cudaError_t cudaUserObjectRetain(cudaUserObject_t __object, unsigned int __count HEDDLE_CUDA_OR(1));
cudaError_t cudaUserObjectRelease(cudaUserObject_t __object, unsigned int __count HEDDLE_CUDA_OR(1));
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t __object, unsigned int __count HEDDLE_CUDA_OR(1), unsigned int flags
                                      HEDDLE_CUDA_OR(0));
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t __object, unsigned int __count HEDDLE_CUDA_OR(1));

/* -- what compilers register before main() ------------------------------------------------------------------------------------------------------- */
void **__cudaRegisterFatBinary(void *__fatCubin);
void __cudaRegisterFatBinaryEnd(void **__fatCubinHandle);
void __cudaUnregisterFatBinary(void **__fatCubinHandle);
void __cudaRegisterFunction(void **__fatCubinHandle, const char *__hostFun, char *__deviceFun, const char *__deviceName, int __thread_limit,
                            uint3 *__tid, uint3 *__bid, dim3 *__bDim, dim3 *__gDim, int *__wSize);
void __cudaRegisterVar(void **__fatCubinHandle, char *__hostVar, char *__deviceAddress, const char *__deviceName, int __ext, size_t size,
                       int __constant, int __global);
void __cudaRegisterManagedVar(void **__fatCubinHandle, void **__hostVarPtrAddress, char *__deviceAddress, const char *__deviceName, int __ext,
                              size_t size, int __constant, int __global);
char __cudaInitModule(void **__fatCubinHandle);
/* Of Heddle: the copies of __managed__ variables in the host's code lie from `begin` to `end`. The library takes them for the variables' memory. */
void __heddleRegisterManaged(void *__begin, void *__end);

#ifdef __cplusplus
}
#endif

#endif
