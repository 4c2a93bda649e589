/* The device: which, what it has, and its end. */
#include "cuda/api.h"

#include <stdio.h>

static _Thread_local unsigned device_flags = cudaDeviceMapHost;
static const char bus_id[] = "0000:01:00.0";

cudaError_t cudaGetDeviceCount(int *count)
{
	if (!count)
		return hx_remember(cudaErrorInvalidValue);
	cudaError_t error = hu_start();
	*count = error != cudaErrorNoDevice;
	return hx_remember(error);
}

static cudaError_t only(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

CALL(cudaSetDevice, ARGS(device), int device) { return only(device); }
CALL(cudaInitDevice, ARGS(device, device_flags_, flags), int device, unsigned int device_flags_, unsigned int flags)
{
	if (flags & cudaInitDeviceFlagsAreValid)
		device_flags = device_flags_;
	return only(device);
}

CALL(cudaGetDevice, ARGS(device), int *device)
{
	if (!device)
		return cudaErrorInvalidValue;
	*device = 0;
	return cudaSuccess;
}

CALL(cudaSetValidDevices, ARGS(devices, n), int *devices, int n)
{
	if (n < 0 || (n && !devices))
		return cudaErrorInvalidValue;
	for (int i = 0; i < n; i++)
		if (devices[i])
			return cudaErrorInvalidDevice;
	return cudaSuccess;
}

CALL(cudaChooseDevice, ARGS(device, wanted), int *device, const struct cudaDeviceProp *wanted)
{
	if (!device || !wanted)
		return cudaErrorInvalidValue;
	*device = 0;
	return cudaSuccess;
}

CALL(cudaDeviceGetAttribute, ARGS(value, which, device), int *value, enum cudaDeviceAttr which, int device)
{
	cudaError_t error = only(device);
	if (!error && (!value || !hu_attribute((int)which, value)))
		error = cudaErrorInvalidValue;
	return error;
}

/* -- functions without parameters: each begins the device --------------------------------------------------------------------------------------- */
static cudaError_t wait_all(void)
{
	cudaError_t error = hu_start();
	if (error == cudaSuccess)
		error = hu_capture_any();
	return hx_remember(error ? error : hu_wait_all());
}

cudaError_t cudaDeviceSynchronize(void) { return wait_all(); }
cudaError_t cudaThreadSynchronize(void) { return wait_all(); }

/* Also after an error that every other call gives. */
cudaError_t cudaDeviceReset(void)
{
	cudaError_t error = hu_start();
	if (error == cudaErrorNoDevice || error == cudaErrorNotPermitted)
		return hx_remember(error);
	return hx_remember(hu_reset());
}

cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

/* -- settings: kept or hints ------------------------------------------------------------------------------------------------------------------- */
CALL(cudaSetDeviceFlags, ARGS(flags), unsigned int flags)
{
	if (flags & ~(unsigned)cudaDeviceMask)
		return cudaErrorInvalidValue;
	device_flags = flags | cudaDeviceMapHost;
	return cudaSuccess;
}

CALL(cudaGetDeviceFlags, ARGS(flags), unsigned int *flags)
{
	if (!flags)
		return cudaErrorInvalidValue;
	*flags = device_flags;
	return cudaSuccess;
}

enum { LIMITS = cudaLimitPersistingL2CacheSize + 1 };
static _Atomic size_t limits[LIMITS] = {[cudaLimitStackSize] = 1024,
                                        [cudaLimitPrintfFifoSize] = 1 << 20,
                                        [cudaLimitMallocHeapSize] = 8 << 20,
                                        [cudaLimitDevRuntimeSyncDepth] = 2,
                                        [cudaLimitDevRuntimePendingLaunchCount] = 2048,
                                        [cudaLimitMaxL2FetchGranularity] = 64};

/* The machine's stacks grow as they are used, and what it prints has a bound of its own. */
CALL(cudaDeviceSetLimit, ARGS(which, value), enum cudaLimit which, size_t value)
{
	if ((unsigned)which >= LIMITS)
		return cudaErrorUnsupportedLimit;
	limits[which] = value;
	return cudaSuccess;
}

CALL(cudaDeviceGetLimit, ARGS(value, which), size_t *value, enum cudaLimit which)
{
	if ((unsigned)which >= LIMITS || !value)
		return value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue;
	*value = limits[which];
	return cudaSuccess;
}

cudaError_t cudaThreadSetLimit(enum cudaLimit which, size_t value) { return cudaDeviceSetLimit(which, value); }
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit which) { return cudaDeviceGetLimit(value, which); }

CALL(cudaDeviceGetCacheConfig, ARGS(config), enum cudaFuncCache *config)
{
	if (!config)
		return cudaErrorInvalidValue;
	*config = cudaFuncCachePreferNone;
	return cudaSuccess;
}

CALL(cudaDeviceSetCacheConfig, ARGS(config), enum cudaFuncCache config)
{
	return (unsigned)config > cudaFuncCachePreferEqual ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config) { return cudaDeviceGetCacheConfig(config); }
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }

CALL(cudaDeviceGetSharedMemConfig, ARGS(config), enum cudaSharedMemConfig *config)
{
	if (!config)
		return cudaErrorInvalidValue;
	*config = cudaSharedMemBankSizeFourByte;
	return cudaSuccess;
}

CALL(cudaDeviceSetSharedMemConfig, ARGS(config), enum cudaSharedMemConfig config)
{
	return (unsigned)config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue : cudaSuccess;
}

CALL(cudaDeviceGetStreamPriorityRange, ARGS(least, greatest), int *least, int *greatest)
{
	if (least)
		*least = HU_PRIORITY_LEAST;
	if (greatest)
		*greatest = HU_PRIORITY_GREATEST;
	return cudaSuccess;
}

CALL(cudaDeviceGetByPCIBusId, ARGS(device, name), int *device, const char *name)
{
	if (!device || !name || strcmp(name, bus_id) != 0)
		return cudaErrorInvalidValue;
	*device = 0;
	return cudaSuccess;
}

CALL(cudaDeviceGetPCIBusId, ARGS(name, size, device), char *name, int size, int device)
{
	if (device)
		return cudaErrorInvalidDevice;
	if (!name || size < (int)sizeof bus_id)
		return cudaErrorInvalidValue;
	memcpy(name, bus_id, sizeof bus_id);
	return cudaSuccess;
}

/* -- peers -------------------------------------------------------------------------------------------------------------------------------------- */
CALL(cudaDeviceCanAccessPeer, ARGS(can, device, peer), int *can, int device, int peer)
{
	if (!can || device || peer)
		return can ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	*can = 0; /* a device is no peer of itself */
	return cudaSuccess;
}

CALL(cudaDeviceGetP2PAttribute, ARGS(value, which, from, to), int *value, enum cudaDeviceP2PAttr which, int from, int to)
{
	(void)which, (void)from, (void)to;
	return value ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
}

CALL(cudaDeviceEnablePeerAccess, ARGS(peer, flags), int peer, unsigned int flags)
{
	(void)peer, (void)flags;
	return cudaErrorInvalidDevice;
}

CALL(cudaDeviceDisablePeerAccess, ARGS(peer), int peer) { return peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled; }
