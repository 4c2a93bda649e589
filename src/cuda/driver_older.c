/* Functions of older versions that mean the same as those of today. (Those with addresses of 32 bits are absent.) */
#include "cuda/driver.h"

#define OLDER(name, newer, arguments, ...) \
	CUresult name(__VA_ARGS__);        \
	CUresult name(__VA_ARGS__) { return newer(arguments); }

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
#undef cuLinkAddData
#undef cuLinkAddFile
#undef cuLinkCreate
#undef cuMemHostRegister
#undef cuStreamDestroy

OLDER(cuCtxCreate, cuCtxCreate_v2, ARGS(context, flags, device), CUcontext *context, unsigned int flags, CUdevice device)
OLDER(cuCtxDestroy, cuCtxDestroy_v2, context, CUcontext context)
OLDER(cuCtxPopCurrent, cuCtxPopCurrent_v2, context, CUcontext *context)
OLDER(cuCtxPushCurrent, cuCtxPushCurrent_v2, context, CUcontext context)
OLDER(cuDeviceGetUuid, cuDeviceGetUuid_v2, ARGS(id, device), CUuuid *id, CUdevice device)
OLDER(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, device, CUdevice device)
OLDER(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, device, CUdevice device)
OLDER(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, ARGS(device, flags), CUdevice device, unsigned int flags)
OLDER(cuEventDestroy, cuEventDestroy_v2, event, CUevent event)
OLDER(cuEventElapsedTime, cuEventElapsedTime_v2, ARGS(ms, from, to), float *ms, CUevent from, CUevent to)
OLDER(cuLinkAddData, cuLinkAddData_v2, ARGS(state, type, data, size, name, n, options, values), CUlinkState state, CUjitInputType type, void *data,
      size_t size, const char *name, unsigned int n, CUjit_option *options, void **values)
OLDER(cuLinkAddFile, cuLinkAddFile_v2, ARGS(state, type, path, n, options, values), CUlinkState state, CUjitInputType type, const char *path,
      unsigned int n, CUjit_option *options, void **values)
OLDER(cuLinkCreate, cuLinkCreate_v2, ARGS(n, options, values, state), unsigned int n, CUjit_option *options, void **values, CUlinkState *state)
OLDER(cuMemHostRegister, cuMemHostRegister_v2, ARGS(pointer, size, flags), void *pointer, size_t size, unsigned int flags)
OLDER(cuStreamDestroy, cuStreamDestroy_v2, handle, CUstream handle)
