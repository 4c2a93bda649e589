/* Devices of the driver interface: there is one, number 0. */
#include "cuda/driver.h"

static const char bus_id[] = "0000:01:00.0";

static cudaError_t only(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

DRIVER_ANY(cuDeviceGet, ARGS(device, number), CUdevice *device, int number)
{
	if (!device)
		return cudaErrorInvalidValue;
	*device = 0;
	return only(number);
}

DRIVER_ANY(cuDeviceGetCount, ARGS(count), int *count)
{
	if (!count)
		return cudaErrorInvalidValue;
	*count = 1;
	return cudaSuccess;
}

DRIVER_ANY(cuDeviceGetName, ARGS(name, size, device), char *name, int size, CUdevice device)
{
	if (!name || size <= 0)
		return cudaErrorInvalidValue;
	if (only(device) == cudaSuccess) {
		name[size - 1] = '\0';
		strncpy(name, hu_device_name(), (size_t)size - 1);
	}
	return only(device);
}

DRIVER_ANY(cuDeviceGetUuid_v2, ARGS(id, device), CUuuid *id, CUdevice device)
{
	if (!id)
		return cudaErrorInvalidValue;
	memcpy(id->bytes, "heddle device 0", 16);
	return only(device);
}

DRIVER_ANY(cuDeviceGetLuid, ARGS(id, mask, device), char *id, unsigned int *mask, CUdevice device)
{
	if (!id || !mask)
		return cudaErrorInvalidValue;
	memset(id, 0, 8);
	*mask = 0;
	return only(device);
}

DRIVER_ANY(cuDeviceTotalMem_v2, ARGS(bytes, device), size_t *bytes, CUdevice device)
{
	if (!bytes)
		return cudaErrorInvalidValue;
	*bytes = hu_device_memory();
	return only(device);
}

DRIVER_ANY(cuDeviceGetAttribute, ARGS(value, which, device), int *value, CUdevice_attribute which, CUdevice device)
{
	if (device)
		return cudaErrorInvalidDevice;
	return value && hu_attribute((int)which, value) ? cudaSuccess : cudaErrorInvalidValue;
}

DRIVER_ANY(cuDeviceComputeCapability, ARGS(major, minor, device), int *major, int *minor, CUdevice device)
{
	if (!major || !minor)
		return cudaErrorInvalidValue;
	*major = HU_MAJOR;
	*minor = HU_MINOR;
	return only(device);
}

static int number(CUdevice_attribute which)
{
	int value = 0;
	hu_attribute((int)which, &value);
	return value;
}

DRIVER_ANY(cuDeviceGetProperties, ARGS(to, device), CUdevprop *to, CUdevice device)
{
	if (!to)
		return cudaErrorInvalidValue;
	*to = (CUdevprop){.maxThreadsPerBlock = number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
	                  .sharedMemPerBlock = number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
	                  .totalConstantMemory = number(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
	                  .SIMDWidth = number(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
	                  .memPitch = number(CU_DEVICE_ATTRIBUTE_MAX_PITCH),
	                  .regsPerBlock = number(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
	                  .clockRate = number(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
	                  .textureAlign = number(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)};
	for (int i = 0; i < 3; i++) {
		to->maxThreadsDim[i] = number((CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i));
		to->maxGridSize[i] = number((CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i));
	}
	return only(device);
}

DRIVER_ANY(cuDeviceGetPCIBusId, ARGS(name, size, device), char *name, int size, CUdevice device)
{
	if (!name || size < (int)sizeof bus_id)
		return cudaErrorInvalidValue;
	memcpy(name, bus_id, sizeof bus_id);
	return only(device);
}

DRIVER_ANY(cuDeviceGetByPCIBusId, ARGS(device, name), CUdevice *device, const char *name)
{
	if (!device || !name)
		return cudaErrorInvalidValue;
	*device = 0;
	return strcmp(name, bus_id) == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

DRIVER_ANY(cuDeviceGetExecAffinitySupport, ARGS(value, type, device), int *value, int type, CUdevice device)
{
	if (!value || type)
		return cudaErrorInvalidValue;
	*value = 0;
	return only(device);
}

/* -- peers ------------------------------------------------------------------------------------------------------------------------------------ */
DRIVER_ANY(cuDeviceCanAccessPeer, ARGS(can, device, peer), int *can, CUdevice device, CUdevice peer)
{
	if (!can)
		return cudaErrorInvalidValue;
	*can = 0; /* a device is no peer of itself */
	return device || peer ? cudaErrorInvalidDevice : cudaSuccess;
}

DRIVER_ANY(cuDeviceGetP2PAttribute, ARGS(value, which, from, to), int *value, CUdevice_P2PAttribute which, CUdevice from, CUdevice to)
{
	(void)which, (void)from, (void)to;
	return value ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
}

DRIVER(cuCtxEnablePeerAccess, ARGS(peer, flags), CUcontext peer, unsigned int flags)
{
	if (flags)
		return cudaErrorInvalidValue;
	return hu_context_is(peer) ? cudaErrorPeerAccessUnsupported : cudaErrorDeviceUninitialized;
}

DRIVER(cuCtxDisablePeerAccess, ARGS(peer), CUcontext peer)
{
	return hu_context_is(peer) ? cudaErrorPeerAccessNotEnabled : cudaErrorDeviceUninitialized;
}

/* -- the primary context ------------------------------------------------------------------------------------------------------------------------ */
DRIVER_ANY(cuDevicePrimaryCtxRetain, ARGS(context, device), CUcontext *context, CUdevice device)
{
	if (device || !context)
		return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	hu_primary_retain();
	*context = (CUcontext)hu_primary();
	return cudaSuccess;
}

DRIVER_ANY(cuDevicePrimaryCtxRelease_v2, ARGS(device), CUdevice device) { return device ? cudaErrorInvalidDevice : hu_primary_release(); }
DRIVER_ANY(cuDevicePrimaryCtxReset_v2, ARGS(device), CUdevice device) { return device ? cudaErrorInvalidDevice : hu_reset(); }

DRIVER_ANY(cuDevicePrimaryCtxSetFlags_v2, ARGS(device, flags), CUdevice device, unsigned int flags)
{
	if (device || flags & ~(unsigned)CU_CTX_FLAGS_MASK)
		return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	hu_context_set_flags(hu_primary(), flags);
	return cudaSuccess;
}

DRIVER_ANY(cuDevicePrimaryCtxGetState, ARGS(device, flags, active), CUdevice device, unsigned int *flags, int *active)
{
	if (device || !flags || !active)
		return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	*flags = hu_context_flags(hu_primary());
	*active = hu_primary_active();
	return cudaSuccess;
}
