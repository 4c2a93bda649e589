/* The driver interface's functions of entry.h. */
#ifndef HU_DRIVER_H
#define HU_DRIVER_H

#include "cuda/entry.h"

#include "cuda/cuda.h" /* of lib/ */
/* Programs mean the newest form by these names, the tables the first one. */
#undef cuCtxCreate
#undef cuCtxDestroy
#undef cuCtxPopCurrent
#undef cuCtxPushCurrent
#undef cuDeviceGetUuid
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
#undef cuEventDestroy
#undef cuEventElapsedTime
#undef cuGraphAddKernelNode
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphExecUpdate
#undef cuGraphInstantiate
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuLinkAddData
#undef cuLinkAddFile
#undef cuLinkCreate
#undef cuMemHostRegister
#undef cuStreamBeginCapture
#undef cuStreamDestroy
#undef cuStreamGetCaptureInfo

/* Cleans up after the numbers of the runtime interface: those that the driver interface does not have become ones that it has. */
CUresult hu_api_result(cudaError_t error);
/* CUDA_SUCCESS after cuInit. */
CUresult hu_api_initialized(void);
/* The same, with a current context, and no error of earlier work. */
CUresult hu_api_ready(void);
/* The address that a name of functions stands for in a version, or NULL. *known: there is such a name in some version. */
void *hu_api_entry(const char *name, int version, bool per_thread, bool *known);
/* The function of a handle, built. cudaErrorInvalidResourceHandle where the handle is none. */
cudaError_t hu_api_function(const void *handle, hu_function **function);

/* A type that has a name in each interface. */
#define EITHER(runtime, driver) driver

#define DRIVER(name, suffix, version, needs, parameters, ...)        \
	CUresult cu##name##suffix parameters;                        \
	CUresult cu##name##suffix parameters                         \
	{                                                            \
		CUresult start = hu_api_##needs();                   \
		return start ? start : hu_api_result((__VA_ARGS__)); \
	}
#define DRIVER_OF(symbol, of_thread, parameters, ...)                \
	CUresult symbol parameters;                                  \
	CUresult symbol parameters                                   \
	{                                                            \
		const bool per_thread = of_thread;                   \
		(void)per_thread;                                    \
		CUresult start = hu_api_ready();                     \
		return start ? start : hu_api_result((__VA_ARGS__)); \
	}
#define DRIVER_STREAM(name, suffix, thread, version, parameters, ...) \
	DRIVER_OF(cu##name##suffix, false, parameters, __VA_ARGS__)   \
	DRIVER_OF(cu##name##suffix##thread, true, parameters, __VA_ARGS__)
#define TWIN(name, suffix, version, needs, parameters, ...) DRIVER(name, suffix, version, needs, parameters, __VA_ARGS__)
#define TWIN_STREAM(name, suffix, version, parameters, ...) DRIVER_STREAM(name, suffix, _ptsz, version, parameters, __VA_ARGS__)
#define RUNTIME(name, parameters, ...)
#define RUNTIME_STREAM(name, thread, parameters, ...)

#endif
