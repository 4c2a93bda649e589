/* Devices, contexts, streams and events of the driver interface. There is one device, number 0. */
#include "cuda/driver.h"

static cudaError_t device_name(char *name, int size, CUdevice device)
{
	if (!name || size <= 0)
		return cudaErrorInvalidValue;
	if (!device) {
		name[size - 1] = '\0';
		strncpy(name, hu_device_name(), (size_t)size - 1);
	}
	return ONLY(device);
}

static cudaError_t device_id(CUuuid *id, CUdevice device)
{
	if (!id)
		return cudaErrorInvalidValue;
	memcpy(id->bytes, "heddle device 0", 16);
	return ONLY(device);
}

static cudaError_t local_id(char *id, unsigned *mask, CUdevice device)
{
	if (!id || !mask)
		return cudaErrorInvalidValue;
	memset(id, 0, 8);
	*mask = 0;
	return ONLY(device);
}

static cudaError_t capability(int *major, int *minor, CUdevice device)
{
	if (!major || !minor)
		return cudaErrorInvalidValue;
	*major = HU_MAJOR;
	*minor = HU_MINOR;
	return ONLY(device);
}

static int number(CUdevice_attribute which)
{
	int value = 0;
	hu_attribute((int)which, &value);
	return value;
}

static cudaError_t properties(CUdevprop *to, CUdevice device)
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
	return ONLY(device);
}

/* -- the primary context ------------------------------------------------------------------------------------------------------------------------ */
static cudaError_t retain_primary(CUcontext *context, CUdevice device)
{
	if (device || !context)
		return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	hu_primary_retain();
	*context = hu_primary();
	return cudaSuccess;
}

static cudaError_t set_primary_flags(CUdevice device, unsigned flags)
{
	if (device || flags & ~(unsigned)CU_CTX_FLAGS_MASK)
		return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	hu_context_set_flags(hu_primary(), flags);
	return cudaSuccess;
}

static cudaError_t primary_state(CUdevice device, unsigned *flags, int *active)
{
	if (device || !flags || !active)
		return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	*flags = hu_context_flags(hu_primary());
	*active = hu_primary_active();
	return cudaSuccess;
}

/* -- contexts ----------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t create(CUcontext *context, unsigned flags, CUdevice device)
{
	hu_context *made;
	if (!context || flags & ~(unsigned)CU_CTX_FLAGS_MASK)
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	cudaError_t error = hu_context_new(flags, &made);
	if (error == cudaSuccess)
		*context = made;
	return error;
}

static bool may_be_current(CUcontext context) { return !context || hu_context_is(context); }

static cudaError_t get_flags(unsigned *flags)
{
	hu_context *context;
	cudaError_t error = flags ? hu_context_current(&context) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*flags = hu_context_flags(context);
	return error;
}

static cudaError_t set_flags(unsigned flags)
{
	hu_context *context;
	cudaError_t error = flags & ~(unsigned)CU_CTX_FLAGS_MASK ? cudaErrorInvalidValue : hu_context_current(&context);
	if (error == cudaSuccess)
		hu_context_set_flags(context, flags);
	return error;
}

/* The context itself, or the current one for NULL. */
static cudaError_t given(CUcontext handle, hu_context **context)
{
	cudaError_t error = handle ? cudaSuccess : hu_context_current(&handle);
	*context = handle;
	return error ? error : handle && hu_context_is(handle) ? cudaSuccess : cudaErrorDeviceUninitialized;
}

static cudaError_t get_number(CUcontext handle, unsigned long long *number)
{
	hu_context *context;
	cudaError_t error = number ? given(handle, &context) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*number = hu_context_number(context);
	return error;
}

static cudaError_t get_version(CUcontext handle, unsigned *version)
{
	hu_context *context;
	if (!version)
		return cudaErrorInvalidValue;
	*version = 3020; /* of the interface's contexts: it has not changed since */
	return given(handle, &context);
}

static cudaError_t stream_context(hu_stream *stream, CUcontext *context, void **green)
{
	if (stream && green)
		*green = NULL;
	return hu_stream_context(stream, context);
}

#include "cuda/device.def"
#include "cuda/stream.def"
