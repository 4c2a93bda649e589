/* Contexts of the driver interface. */
#include "cuda/driver.h"

#include <stdatomic.h>

static cudaError_t create(CUcontext *context, unsigned flags, CUdevice device)
{
	hu_context *made;
	if (!context || flags & ~(unsigned)CU_CTX_FLAGS_MASK)
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	cudaError_t error = hu_context_new(flags, &made);
	if (error == cudaSuccess)
		*context = (CUcontext)made;
	return error;
}

DRIVER_ANY(cuCtxCreate_v2, ARGS(context, flags, device), CUcontext *context, unsigned int flags, CUdevice device)
{
	return create(context, flags, device);
}

/* With a part of the device's cores, which this device cannot promise. */
DRIVER_ANY(cuCtxCreate_v3, ARGS(context, affinities, n, flags, device), CUcontext *context, void *affinities, int n, unsigned int flags,
           CUdevice device)
{
	return affinities || n ? cudaErrorUnsupportedExecAffinity : create(context, flags, device);
}

DRIVER_ANY(cuCtxCreate_v4, ARGS(context, parameters, flags, device), CUcontext *context, void *parameters, unsigned int flags, CUdevice device)
{
	return parameters ? cudaErrorNotSupported : create(context, flags, device);
}

DRIVER_ANY(cuCtxDestroy_v2, ARGS(context), CUcontext context)
{
	return hu_context_is(context) ? hu_context_free((hu_context *)context) : cudaErrorDeviceUninitialized;
}

DRIVER_ANY(cuCtxPushCurrent_v2, ARGS(context), CUcontext context)
{
	return !context || hu_context_is(context) ? hu_context_push((hu_context *)context) : cudaErrorDeviceUninitialized;
}

DRIVER_ANY(cuCtxPopCurrent_v2, ARGS(context), CUcontext *context)
{
	hu_context *popped = NULL;
	cudaError_t error = hu_context_pop(&popped);
	if (error == cudaSuccess && context)
		*context = (CUcontext)popped;
	return error;
}

DRIVER_ANY(cuCtxSetCurrent, ARGS(context), CUcontext context)
{
	return !context || hu_context_is(context) ? hu_context_set((hu_context *)context) : cudaErrorDeviceUninitialized;
}

DRIVER_ANY(cuCtxGetCurrent, ARGS(context), CUcontext *context)
{
	if (!context)
		return cudaErrorInvalidValue;
	hu_context_current((hu_context **)context);
	return cudaSuccess;
}

/* The context itself, or the current one for NULL; or leaves with an error. */
static cudaError_t given(CUcontext handle, hu_context **context)
{
	if (!handle)
		return hu_context_current(context);
	*context = (hu_context *)handle;
	return hu_context_is(handle) ? cudaSuccess : cudaErrorDeviceUninitialized;
}

DRIVER(cuCtxGetDevice, ARGS(device), CUdevice *device)
{
	if (!device)
		return cudaErrorInvalidValue;
	*device = 0;
	return cudaSuccess;
}

/* Clients of older versions take a name with `_v2` for the newest form of what they know, and call these two without the context. What is none is
 * therefore the current one; there is one device anyway. */
DRIVER(cuCtxGetDevice_v2, ARGS(device, handle), CUdevice *device, CUcontext handle)
{
	(void)handle;
	return do_cuCtxGetDevice(device);
}

DRIVER(cuCtxSynchronize_v2, ARGS(handle), CUcontext handle)
{
	(void)handle;
	cudaError_t error = hu_capture_any();
	return error ? error : hu_wait_all();
}

DRIVER(cuCtxGetFlags, ARGS(flags), unsigned int *flags)
{
	hu_context *context;
	cudaError_t error = flags ? hu_context_current(&context) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*flags = hu_context_flags(context);
	return error;
}

DRIVER(cuCtxSetFlags, ARGS(flags), unsigned int flags)
{
	hu_context *context;
	cudaError_t error = flags & ~(unsigned)CU_CTX_FLAGS_MASK ? cudaErrorInvalidValue : hu_context_current(&context);
	if (error == cudaSuccess)
		hu_context_set_flags(context, flags);
	return error;
}

DRIVER_ANY(cuCtxGetId, ARGS(handle, id), CUcontext handle, unsigned long long *id)
{
	hu_context *context;
	cudaError_t error = id ? given(handle, &context) : cudaErrorInvalidValue;
	if (error == cudaSuccess && !context)
		error = cudaErrorDeviceUninitialized;
	if (error == cudaSuccess)
		*id = hu_context_number(context);
	return error;
}

DRIVER_ANY(cuCtxGetApiVersion, ARGS(handle, version), CUcontext handle, unsigned int *version)
{
	hu_context *context;
	if (!version)
		return cudaErrorInvalidValue;
	*version = 3020; /* of the interface's contexts: it has not changed since */
	cudaError_t error = given(handle, &context);
	return error ? error : context ? cudaSuccess : cudaErrorDeviceUninitialized;
}

CUresult cuCtxSynchronize(void)
{
	CUresult start = hx_ready();
	if (start == CUDA_SUCCESS)
		start = hx_result(hu_capture_any());
	return start ? start : hx_result(hu_wait_all());
}

CUresult cuCtxResetPersistingL2Cache(void);
CUresult cuCtxResetPersistingL2Cache(void) { return hx_ready(); }

/* -- settings: kept or hints ------------------------------------------------------------------------------------------------------------------- */
enum { LIMITS = CU_LIMIT_PERSISTING_L2_CACHE_SIZE + 1 };
static _Atomic size_t limits[LIMITS] = {[CU_LIMIT_STACK_SIZE] = 1024,
                                        [CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20,
                                        [CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20,
                                        [CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2,
                                        [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048,
                                        [CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64};

/* The machine's stacks grow as they are used, and what it prints has a bound of its own. */
DRIVER(cuCtxSetLimit, ARGS(which, value), CUlimit which, size_t value)
{
	if ((unsigned)which >= LIMITS)
		return cudaErrorUnsupportedLimit;
	limits[which] = value;
	return cudaSuccess;
}

DRIVER(cuCtxGetLimit, ARGS(value, which), size_t *value, CUlimit which)
{
	if (!value || (unsigned)which >= LIMITS)
		return value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue;
	*value = limits[which];
	return cudaSuccess;
}

DRIVER(cuCtxGetCacheConfig, ARGS(config), CUfunc_cache *config)
{
	if (!config)
		return cudaErrorInvalidValue;
	*config = CU_FUNC_CACHE_PREFER_NONE;
	return cudaSuccess;
}

DRIVER(cuCtxSetCacheConfig, ARGS(config), CUfunc_cache config)
{
	return (unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL ? cudaErrorInvalidValue : cudaSuccess;
}

DRIVER(cuCtxGetSharedMemConfig, ARGS(config), CUsharedconfig *config)
{
	if (!config)
		return cudaErrorInvalidValue;
	*config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
	return cudaSuccess;
}

DRIVER(cuCtxSetSharedMemConfig, ARGS(config), CUsharedconfig config)
{
	return (unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? cudaErrorInvalidValue : cudaSuccess;
}

DRIVER(cuCtxGetStreamPriorityRange, ARGS(least, greatest), int *least, int *greatest)
{
	if (least)
		*least = HU_PRIORITY_LEAST;
	if (greatest)
		*greatest = HU_PRIORITY_GREATEST;
	return cudaSuccess;
}
