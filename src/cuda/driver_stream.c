/* Streams and events of the driver interface. */
#include "cuda/driver.h"

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

DRIVER_STREAM(cuStreamGetPriority, _ptsz, ARGS(handle, priority), CUstream handle, int *priority)
{
	STREAM(stream, handle);
	if (!priority)
		return cudaErrorInvalidValue;
	*priority = hu_stream_priority(stream);
	return cudaSuccess;
}

DRIVER_STREAM(cuStreamGetFlags, _ptsz, ARGS(handle, flags), CUstream handle, unsigned int *flags)
{
	STREAM(stream, handle);
	if (!flags)
		return cudaErrorInvalidValue;
	*flags = hu_stream_flags(stream);
	return cudaSuccess;
}

DRIVER_STREAM(cuStreamGetId, _ptsz, ARGS(handle, id), CUstream handle, unsigned long long *id)
{
	STREAM(stream, handle);
	if (!id)
		return cudaErrorInvalidValue;
	*id = hu_stream_number(stream);
	return cudaSuccess;
}

DRIVER_STREAM(cuStreamGetDevice, _ptsz, ARGS(handle, device), CUstream handle, CUdevice *device)
{
	STREAM(stream, handle);
	(void)stream;
	if (!device)
		return cudaErrorInvalidValue;
	*device = 0;
	return cudaSuccess;
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

DRIVER_STREAM(cuStreamSynchronize, _ptsz, ARGS(handle), CUstream handle)
{
	STREAM(stream, handle);
	return hu_stream_wait(stream);
}

DRIVER_STREAM(cuStreamQuery, _ptsz, ARGS(handle), CUstream handle)
{
	STREAM(stream, handle);
	return hu_stream_ask(stream);
}

DRIVER_STREAM(cuStreamWaitEvent, _ptsz, ARGS(handle, event, flags), CUstream handle, CUevent event, unsigned int flags)
{
	STREAM(stream, handle);
	return flags > 1 /* external */ ? cudaErrorInvalidValue : hu_stream_wait_event(stream, (hu_event *)event, flags != 0);
}

DRIVER_STREAM(cuStreamAddCallback, _ptsz, ARGS(handle, call, data, flags), CUstream handle, CUstreamCallback call, void *data, unsigned int flags)
{
	STREAM(stream, handle);
	/* Both interfaces have the same numbers for what a callback may be told. */
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

/* The attributes are about caches and about how the host waits: hints. */
DRIVER_STREAM(cuStreamCopyAttributes, _ptsz, ARGS(to, from), CUstream to, CUstream from)
{
	STREAM(one, to);
	STREAM(two, from);
	(void)one;
	(void)two;
	return cudaSuccess;
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
DRIVER(cuEventQuery, ARGS(event), CUevent event) { return hu_event_ask((hu_event *)event); }
DRIVER(cuEventSynchronize, ARGS(event), CUevent event) { return hu_event_wait((hu_event *)event); }

DRIVER(cuEventElapsedTime_v2, ARGS(ms, from, to), float *ms, CUevent from, CUevent to)
{
	return hu_event_elapsed((hu_event *)from, (hu_event *)to, ms);
}

DRIVER_STREAM(cuEventRecord, _ptsz, ARGS(event, handle), CUevent event, CUstream handle)
{
	STREAM(stream, handle);
	return hu_event_record((hu_event *)event, stream, false);
}

DRIVER_STREAM(cuEventRecordWithFlags, _ptsz, ARGS(event, handle, flags), CUevent event, CUstream handle, unsigned int flags)
{
	STREAM(stream, handle);
	return flags > 1 /* external */ ? cudaErrorInvalidValue : hu_event_record((hu_event *)event, stream, flags != 0);
}
