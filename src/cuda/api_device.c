/* The device, streams and events of the runtime interface. */
#include "cuda/api.h"

#include "cuda/cuda_runtime_api.h"

static _Thread_local unsigned device_flags = cudaDeviceMapHost;

cudaError_t cudaGetDeviceCount(int *count)
{
	if (!count)
		return hu_api_remember(cudaErrorInvalidValue);
	cudaError_t error = hu_start();
	*count = error != cudaErrorNoDevice;
	return hu_api_remember(error);
}

/* Also after an error that every other call gives. */
cudaError_t cudaDeviceReset(void)
{
	cudaError_t error = hu_start();
	if (error == cudaErrorNoDevice || error == cudaErrorNotPermitted)
		return hu_api_remember(error);
	return hu_api_remember(hu_reset());
}

cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

static cudaError_t init_device(int device, unsigned set, unsigned flags)
{
	if (flags & cudaInitDeviceFlagsAreValid)
		device_flags = set;
	return ONLY(device);
}

static cudaError_t set_valid_devices(const int *devices, int n)
{
	if (n < 0 || (n && !devices))
		return cudaErrorInvalidValue;
	for (int i = 0; i < n; i++)
		if (devices[i])
			return cudaErrorInvalidDevice;
	return cudaSuccess;
}

static cudaError_t set_flags(unsigned flags)
{
	if (flags & ~(unsigned)cudaDeviceMask)
		return cudaErrorInvalidValue;
	device_flags = flags | cudaDeviceMapHost;
	return cudaSuccess;
}

#include "cuda/device.def"
#include "cuda/stream.def"
