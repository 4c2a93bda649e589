/* Streams and events. */
#include "cuda/api.h"

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device);
cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t handle, int *device);
#define BOTH(name, arguments, ...) STREAM_CALL(cuda##name, _ptsz, ARGS(arguments), __VA_ARGS__)
#include "cuda/stream_calls.h"

static cudaError_t create(cudaStream_t *handle, unsigned flags, int priority) { return hu_stream_new(flags, priority, (hu_stream **)handle); }

CALL(cudaStreamCreate, ARGS(handle), cudaStream_t *handle) { return create(handle, cudaStreamDefault, 0); }
CALL(cudaStreamCreateWithFlags, ARGS(handle, flags), cudaStream_t *handle, unsigned int flags) { return create(handle, flags, 0); }

CALL(cudaStreamCreateWithPriority, ARGS(handle, flags, priority), cudaStream_t *handle, unsigned int flags, int priority)
{
	return create(handle, flags, priority);
}

CALL(cudaStreamDestroy, ARGS(handle), cudaStream_t handle)
{
	hu_stream *stream = handle ? hu_stream_of(handle, false) : NULL;
	return stream ? hu_stream_free(stream) : cudaErrorInvalidResourceHandle;
}

STREAM_CALL(cudaStreamAddCallback, _ptsz, ARGS(handle, call, data, flags), cudaStream_t handle, cudaStreamCallback_t call, void *data,
            unsigned int flags)
{
	STREAM(stream, handle);
	return flags || !call ? cudaErrorInvalidValue : hu_stream_call(stream, NULL, call, handle, data);
}

STREAM_CALL(cudaLaunchHostFunc, _ptsz, ARGS(handle, call, data), cudaStream_t handle, cudaHostFn_t call, void *data)
{
	STREAM(stream, handle);
	return call ? hu_stream_call(stream, call, NULL, handle, data) : cudaErrorInvalidValue;
}

/* Managed memory belongs to host and device at all times when nothing runs. */
STREAM_CALL(cudaStreamAttachMemAsync, _ptsz, ARGS(handle, pointer, length, flags), cudaStream_t handle, void *pointer, size_t length,
            unsigned int flags)
{
	STREAM(stream, handle);
	(void)stream;
	(void)length;
	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
		return cudaErrorInvalidValue;
	return hu_find((uint64_t)(uintptr_t)pointer).kind == HU_MANAGED ? cudaSuccess : cudaErrorInvalidValue;
}

STREAM_CALL(cudaStreamGetAttribute, _ptsz, ARGS(handle, which, value), cudaStream_t handle, cudaLaunchAttributeID which,
            cudaLaunchAttributeValue *value)
{
	STREAM(stream, handle);
	if (!value)
		return cudaErrorInvalidValue;
	memset(value, 0, sizeof *value);
	if (which == cudaLaunchAttributePriority)
		value->priority = hu_stream_priority(stream);
	return cudaSuccess;
}

/* Hints, see stream_calls.h. */
STREAM_CALL(cudaStreamSetAttribute, _ptsz, ARGS(handle, which, value), cudaStream_t handle, cudaLaunchAttributeID which,
            const cudaLaunchAttributeValue *value)
{
	STREAM(stream, handle);
	(void)stream;
	(void)which;
	return value ? cudaSuccess : cudaErrorInvalidValue;
}

/* -- events ----------------------------------------------------------------------------------------------------------------------------------- */
CALL(cudaEventCreate, ARGS(event), cudaEvent_t *event) { return hu_event_new(cudaEventDefault, (hu_event **)event); }
CALL(cudaEventCreateWithFlags, ARGS(event, flags), cudaEvent_t *event, unsigned int flags) { return hu_event_new(flags, (hu_event **)event); }
CALL(cudaEventDestroy, ARGS(event), cudaEvent_t event) { return hu_event_free((hu_event *)event); }
CALL(cudaEventQuery, ARGS(event), cudaEvent_t event) { return hu_event_query((hu_event *)event); }
CALL(cudaEventSynchronize, ARGS(event), cudaEvent_t event) { return hu_event_wait((hu_event *)event); }

CALL(cudaEventElapsedTime, ARGS(ms, from, to), float *ms, cudaEvent_t from, cudaEvent_t to)
{
	return hu_event_elapsed((hu_event *)from, (hu_event *)to, ms);
}

cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t from, cudaEvent_t to) { return cudaEventElapsedTime(ms, from, to); }
