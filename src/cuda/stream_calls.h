/* The calls for streams and events that both interfaces have, under names that differ in their beginning alone. A file of each interface includes
 * this once, after it has defined BOTH(name, arguments, parameters...), the head of such a call: STREAM_CALL or DRIVER_STREAM. */
BOTH(StreamGetPriority, ARGS(handle, priority), struct CUstream_st *handle, int *priority)
{
	STREAM(stream, handle);
	if (!priority)
		return cudaErrorInvalidValue;
	*priority = hu_stream_priority(stream);
	return cudaSuccess;
}

BOTH(StreamGetFlags, ARGS(handle, flags), struct CUstream_st *handle, unsigned int *flags)
{
	STREAM(stream, handle);
	if (!flags)
		return cudaErrorInvalidValue;
	*flags = hu_stream_flags(stream);
	return cudaSuccess;
}

BOTH(StreamGetId, ARGS(handle, id), struct CUstream_st *handle, unsigned long long *id)
{
	STREAM(stream, handle);
	if (!id)
		return cudaErrorInvalidValue;
	*id = hu_stream_number(stream);
	return cudaSuccess;
}

BOTH(StreamGetDevice, ARGS(handle, device), struct CUstream_st *handle, int *device)
{
	STREAM(stream, handle);
	(void)stream;
	if (!device)
		return cudaErrorInvalidValue;
	*device = 0;
	return cudaSuccess;
}

BOTH(StreamSynchronize, ARGS(handle), struct CUstream_st *handle)
{
	STREAM(stream, handle);
	return hu_stream_wait(stream);
}

BOTH(StreamQuery, ARGS(handle), struct CUstream_st *handle)
{
	STREAM(stream, handle);
	return hu_stream_query(stream);
}

BOTH(StreamWaitEvent, ARGS(handle, event, flags), struct CUstream_st *handle, struct CUevent_st *event, unsigned int flags)
{
	STREAM(stream, handle);
	return flags > 1 /* external */ ? cudaErrorInvalidValue : hu_stream_wait_event(stream, (hu_event *)event, flags != 0);
}

/* The attributes are about caches and about how the host waits: hints. */
BOTH(StreamCopyAttributes, ARGS(to, from), struct CUstream_st *to, struct CUstream_st *from)
{
	STREAM(one, to);
	STREAM(two, from);
	(void)one;
	(void)two;
	return cudaSuccess;
}

BOTH(EventRecord, ARGS(event, handle), struct CUevent_st *event, struct CUstream_st *handle)
{
	STREAM(stream, handle);
	return hu_event_record((hu_event *)event, stream, false);
}

BOTH(EventRecordWithFlags, ARGS(event, handle, flags), struct CUevent_st *event, struct CUstream_st *handle, unsigned int flags)
{
	STREAM(stream, handle);
	return flags > 1 /* external */ ? cudaErrorInvalidValue : hu_event_record((hu_event *)event, stream, flags != 0);
}
