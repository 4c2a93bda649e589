/* Streams and events of the driver interface. */
#include "cuda/driver.h"

#define BOTH(name, arguments, ...) DRIVER_STREAM(cu##name, _ptsz, ARGS(arguments), __VA_ARGS__)
#include "cuda/stream_calls.h"

DRIVER(cuStreamCreate, ARGS(handle, flags), CUstream *handle, unsigned int flags) { return hu_stream_new(flags, 0, (hu_stream **)handle); }

DRIVER(cuStreamCreateWithPriority, ARGS(handle, flags, priority), CUstream *handle, unsigned int flags, int priority)
{
	return hu_stream_new(flags, priority, (hu_stream **)handle);
}

DRIVER(cuStreamDestroy_v2, ARGS(handle), CUstream handle)
{
	hu_stream *stream = handle ? hu_stream_of(handle, false) : NULL;
	return stream ? hu_stream_free(stream) : cudaErrorInvalidResourceHandle;
}

/* A default stream is the current context's. */
static cudaError_t context_of(const hu_stream *stream, CUcontext *context)
{
	if (!context)
		return cudaErrorInvalidValue;
	if (!hu_stream_owner(stream))
		return hu_context_current((hu_context **)context);
	*context = (CUcontext)hu_context_numbered(hu_stream_owner(stream));
	return cudaSuccess;
}

DRIVER_STREAM(cuStreamGetCtx, _ptsz, ARGS(handle, context), CUstream handle, CUcontext *context)
{
	STREAM(stream, handle);
	return context_of(stream, context);
}

DRIVER_STREAM(cuStreamGetCtx_v2, _ptsz, ARGS(handle, context, green), CUstream handle, CUcontext *context, void **green)
{
	STREAM(stream, handle);
	if (green)
		*green = NULL;
	return context_of(stream, context);
}

DRIVER_STREAM(cuStreamAddCallback, _ptsz, ARGS(handle, call, data, flags), CUstream handle, CUstreamCallback call, void *data, unsigned int flags)
{
	STREAM(stream, handle);
	/* Both interfaces have the same numbers for what a callback receives. */
	cudaStreamCallback_t callback;
	memcpy(&callback, &call, sizeof callback);
	return flags || !call ? cudaErrorInvalidValue : hu_stream_call(stream, NULL, callback, handle, data);
}

/* Managed memory belongs to host and device at all times when nothing runs. */
DRIVER_STREAM(cuStreamAttachMemAsync, _ptsz, ARGS(handle, address, length, flags), CUstream handle, CUdeviceptr address, size_t length,
              unsigned int flags)
{
	STREAM(stream, handle);
	(void)stream;
	(void)length;
	if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE)
		return cudaErrorInvalidValue;
	return hu_find(address).kind == HU_MANAGED ? cudaSuccess : cudaErrorInvalidValue;
}

DRIVER_STREAM(cuStreamGetAttribute, _ptsz, ARGS(handle, which, value), CUstream handle, CUlaunchAttributeID which, CUlaunchAttributeValue *value)
{
	STREAM(stream, handle);
	if (!value)
		return cudaErrorInvalidValue;
	memset(value, 0, sizeof *value);
	if (which == CU_LAUNCH_ATTRIBUTE_PRIORITY)
		value->priority = hu_stream_priority(stream);
	return cudaSuccess;
}

/* Hints, see stream_calls.h. */
DRIVER_STREAM(cuStreamSetAttribute, _ptsz, ARGS(handle, which, value), CUstream handle, CUlaunchAttributeID which,
              const CUlaunchAttributeValue *value)
{
	STREAM(stream, handle);
	(void)stream;
	(void)which;
	return value ? cudaSuccess : cudaErrorInvalidValue;
}

/* -- events ----------------------------------------------------------------------------------------------------------------------------------- */
DRIVER(cuEventCreate, ARGS(event, flags), CUevent *event, unsigned int flags) { return hu_event_new(flags, (hu_event **)event); }
DRIVER(cuEventDestroy_v2, ARGS(event), CUevent event) { return hu_event_free((hu_event *)event); }
DRIVER(cuEventQuery, ARGS(event), CUevent event) { return hu_event_query((hu_event *)event); }
DRIVER(cuEventSynchronize, ARGS(event), CUevent event) { return hu_event_wait((hu_event *)event); }

DRIVER(cuEventElapsedTime_v2, ARGS(ms, from, to), float *ms, CUevent from, CUevent to)
{
	return hu_event_elapsed((hu_event *)from, (hu_event *)to, ms);
}
