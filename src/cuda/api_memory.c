/* Memory and copies. */
#include "cuda/api.h"

enum { PITCH = 512 /* rows begin at multiples of it, as on the devices that programs know */ };

static uint64_t address_of(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

static cudaError_t allocate(hu_kind kind, void **pointer, size_t size, unsigned flags)
{
	uint64_t address;
	UNSAFE;
	if (!pointer)
		return cudaErrorInvalidValue;
	cudaError_t error = hu_allocate(kind, size, flags, &address);
	if (error == cudaSuccess)
		*pointer = (void *)(uintptr_t)address;
	return error;
}

CALL(cudaMalloc, ARGS(pointer, size), void **pointer, size_t size) { return allocate(HU_DEVICE, pointer, size, 0); }
CALL(cudaMallocHost, ARGS(pointer, size), void **pointer, size_t size) { return allocate(HU_PINNED, pointer, size, 0); }

CALL(cudaHostAlloc, ARGS(pointer, size, flags), void **pointer, size_t size, unsigned int flags)
{
	if (flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
		return cudaErrorInvalidValue;
	return allocate(HU_PINNED, pointer, size, flags);
}

CALL(cudaMallocManaged, ARGS(pointer, size, flags), void **pointer, size_t size, unsigned int flags)
{
	if ((flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) || !size)
		return cudaErrorInvalidValue;
	return allocate(HU_MANAGED, pointer, size, flags);
}

CALL(cudaMallocPitch, ARGS(pointer, pitch, width, height), void **pointer, size_t *pitch, size_t width, size_t height)
{
	if (!pitch || width > SIZE_MAX / 2)
		return cudaErrorInvalidValue;
	*pitch = (width + PITCH - 1) / PITCH * PITCH;
	if (height && *pitch > SIZE_MAX / height)
		return cudaErrorMemoryAllocation;
	return allocate(HU_DEVICE, pointer, *pitch * height, 0);
}

CALL(cudaMalloc3D, ARGS(to, extent), struct cudaPitchedPtr *to, struct cudaExtent extent)
{
	if (!to || extent.width > SIZE_MAX / 2)
		return cudaErrorInvalidValue;
	size_t pitch = (extent.width + PITCH - 1) / PITCH * PITCH;
	if ((extent.height && pitch > SIZE_MAX / extent.height) || (extent.depth && pitch * extent.height > SIZE_MAX / extent.depth))
		return cudaErrorMemoryAllocation;
	*to = (struct cudaPitchedPtr){.pitch = pitch, .xsize = extent.width, .ysize = extent.height};
	return allocate(HU_DEVICE, &to->ptr, pitch * extent.height * extent.depth, 0);
}

static cudaError_t free_now(const void *pointer, bool of_host)
{
	UNSAFE;
	return hu_free(address_of(pointer), of_host);
}

CALL(cudaFree, ARGS(pointer), void *pointer) { return free_now(pointer, false); }
CALL(cudaFreeHost, ARGS(pointer), void *pointer) { return free_now(pointer, true); }

CALL(cudaHostRegister, ARGS(pointer, size, flags), void *pointer, size_t size, unsigned int flags)
{
	if (flags & ~(unsigned)(cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly))
		return cudaErrorInvalidValue;
	UNSAFE;
	return hu_register(pointer, size, flags);
}

CALL(cudaHostUnregister, ARGS(pointer), void *pointer)
{
	UNSAFE;
	return hu_unregister(pointer);
}

static bool is_host_kind(hu_kind kind) { return kind == HU_PINNED || kind == HU_REGISTERED; }

CALL(cudaHostGetDevicePointer, ARGS(device, host, flags), void **device, void *host, unsigned int flags)
{
	if (!device || flags || !is_host_kind(hu_find(address_of(host)).kind))
		return cudaErrorInvalidValue;
	*device = host;
	return cudaSuccess;
}

CALL(cudaHostGetFlags, ARGS(flags, host), unsigned int *flags, void *host)
{
	hu_block block = hu_find(address_of(host));
	if (!flags || !is_host_kind(block.kind))
		return cudaErrorInvalidValue;
	*flags = block.flags | cudaHostAllocMapped;
	return cudaSuccess;
}

CALL(cudaMemGetInfo, ARGS(free_bytes, total), size_t *free_bytes, size_t *total)
{
	uint64_t left, all;
	hu_memory_info(&left, &all);
	if (free_bytes)
		*free_bytes = left;
	if (total)
		*total = all;
	return cudaSuccess;
}

CALL(cudaPointerGetAttributes, ARGS(to, pointer), struct cudaPointerAttributes *to, const void *pointer)
{
	if (!to)
		return cudaErrorInvalidValue;
	hu_block block = hu_find(address_of(pointer));
	void *same = (void *)(uintptr_t)pointer;
	bool device = block.kind == HU_DEVICE || block.kind == HU_MODULE, anywhere = block.kind != HU_NOWHERE;
	*to = (struct cudaPointerAttributes){.type = device                     ? cudaMemoryTypeDevice
	                                             : block.kind == HU_MANAGED ? cudaMemoryTypeManaged
	                                             : is_host_kind(block.kind) ? cudaMemoryTypeHost
	                                                                        : cudaMemoryTypeUnregistered,
	                                     .device = anywhere ? 0 : -2,
	                                     .devicePointer = anywhere ? same : NULL,
	                                     .hostPointer = device ? NULL : same};
	return cudaSuccess;
}

/* -- copies ----------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t copy_line(void *to, const void *from, size_t count, enum cudaMemcpyKind kind, bool async, hu_stream *stream)
{
	hu_copy copy = {
	    .to.address = address_of(to), .from.address = address_of(from), .width = count, .height = 1, .depth = 1, .kind = kind, .async = async};
	return hu_copy_rows(&copy, stream);
}

static cudaError_t copy_plane(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind,
                              bool async, hu_stream *stream)
{
	if (width > to_pitch || width > from_pitch)
		return cudaErrorInvalidPitchValue;
	hu_copy copy = {.to = {address_of(to), to_pitch, 0},
	                .from = {address_of(from), from_pitch, 0},
	                .width = width,
	                .height = height,
	                .depth = 1,
	                .kind = kind,
	                .async = async};
	return hu_copy_rows(&copy, stream);
}

static cudaError_t copy_box(const struct cudaMemcpy3DParms *p, bool async, hu_stream *stream)
{
	hu_copy copy;
	cudaError_t error = p ? hu_copy_of_box(p, &copy) : cudaErrorInvalidValue;
	copy.async = async;
	return error ? error : hu_copy_rows(&copy, stream);
}

STREAM_CALL(cudaMemcpy, _ptds, ARGS(to, from, count, kind), void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
	STREAM(stream, NULL);
	UNSAFE_IN(stream);
	/* A copy on the device does not hold the host up. */
	return copy_line(to, from, count, kind, kind == cudaMemcpyDeviceToDevice, stream);
}

STREAM_CALL(cudaMemcpyAsync, _ptsz, ARGS(to, from, count, kind, handle), void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
            cudaStream_t handle)
{
	STREAM(stream, handle);
	return copy_line(to, from, count, kind, true, stream);
}

STREAM_CALL(cudaMemcpy2D, _ptds, ARGS(to, to_pitch, from, from_pitch, width, height, kind), void *to, size_t to_pitch, const void *from,
            size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	STREAM(stream, NULL);
	UNSAFE_IN(stream);
	return copy_plane(to, to_pitch, from, from_pitch, width, height, kind, false, stream);
}

STREAM_CALL(cudaMemcpy2DAsync, _ptsz, ARGS(to, to_pitch, from, from_pitch, width, height, kind, handle), void *to, size_t to_pitch, const void *from,
            size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t handle)
{
	STREAM(stream, handle);
	return copy_plane(to, to_pitch, from, from_pitch, width, height, kind, true, stream);
}

STREAM_CALL(cudaMemcpy3D, _ptds, ARGS(p), const struct cudaMemcpy3DParms *p)
{
	STREAM(stream, NULL);
	UNSAFE_IN(stream);
	return copy_box(p, false, stream);
}

STREAM_CALL(cudaMemcpy3DAsync, _ptsz, ARGS(p, handle), const struct cudaMemcpy3DParms *p, cudaStream_t handle)
{
	STREAM(stream, handle);
	return copy_box(p, true, stream);
}

/* -- symbols ---------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t symbol_at(const void *symbol, size_t offset, size_t count, void **address)
{
	uint64_t at, size;
	cudaError_t error = hu_symbol(symbol, &at, &size);
	if (error == cudaSuccess && (offset > size || count > size - offset))
		error = cudaErrorInvalidValue;
	*address = error == cudaSuccess ? (void *)(uintptr_t)(at + offset) : NULL;
	return error;
}

CALL(cudaGetSymbolAddress, ARGS(address, symbol), void **address, const void *symbol)
{
	return address ? symbol_at(symbol, 0, 0, address) : cudaErrorInvalidValue;
}

CALL(cudaGetSymbolSize, ARGS(size, symbol), size_t *size, const void *symbol)
{
	uint64_t at, bytes = 0;
	cudaError_t error = size ? hu_symbol(symbol, &at, &bytes) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*size = bytes;
	return error;
}

static cudaError_t to_symbol(const void *symbol, const void *from, size_t count, size_t offset, enum cudaMemcpyKind kind, bool async,
                             hu_stream *stream)
{
	void *to;
	if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	cudaError_t error = symbol_at(symbol, offset, count, &to);
	return error ? error : copy_line(to, from, count, kind, async, stream);
}

static cudaError_t from_symbol(void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind, bool async, hu_stream *stream)
{
	void *from;
	if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	cudaError_t error = symbol_at(symbol, offset, count, &from);
	return error ? error : copy_line(to, from, count, kind, async, stream);
}

STREAM_CALL(cudaMemcpyToSymbol, _ptds, ARGS(symbol, from, count, offset, kind), const void *symbol, const void *from, size_t count, size_t offset,
            enum cudaMemcpyKind kind)
{
	STREAM(stream, NULL);
	UNSAFE_IN(stream);
	return to_symbol(symbol, from, count, offset, kind, false, stream);
}

STREAM_CALL(cudaMemcpyFromSymbol, _ptds, ARGS(to, symbol, count, offset, kind), void *to, const void *symbol, size_t count, size_t offset,
            enum cudaMemcpyKind kind)
{
	STREAM(stream, NULL);
	UNSAFE_IN(stream);
	return from_symbol(to, symbol, count, offset, kind, false, stream);
}

STREAM_CALL(cudaMemcpyToSymbolAsync, _ptsz, ARGS(symbol, from, count, offset, kind, handle), const void *symbol, const void *from, size_t count,
            size_t offset, enum cudaMemcpyKind kind, cudaStream_t handle)
{
	STREAM(stream, handle);
	return to_symbol(symbol, from, count, offset, kind, true, stream);
}

STREAM_CALL(cudaMemcpyFromSymbolAsync, _ptsz, ARGS(to, symbol, count, offset, kind, handle), void *to, const void *symbol, size_t count,
            size_t offset, enum cudaMemcpyKind kind, cudaStream_t handle)
{
	STREAM(stream, handle);
	return from_symbol(to, symbol, count, offset, kind, true, stream);
}

/* -- fills ------------------------------------------------------------------------------------------------------------------------------------ */
static cudaError_t fill(hu_side to, int value, size_t width, size_t height, size_t depth, bool async, hu_stream *stream)
{
	hu_copy copy = {.to = to, .width = width, .height = height, .depth = depth, .async = async};
	return hu_fill_rows(&copy, (uint32_t)value & 0xff, 1, stream);
}

static cudaError_t fill_box(struct cudaPitchedPtr to, int value, struct cudaExtent extent, bool async, hu_stream *stream)
{
	return fill((hu_side){address_of(to.ptr), to.pitch, to.pitch * to.ysize}, value, extent.width, extent.height, extent.depth, async, stream);
}

STREAM_CALL(cudaMemset, _ptds, ARGS(to, value, count), void *to, int value, size_t count)
{
	STREAM(stream, NULL);
	return fill((hu_side){address_of(to), 0, 0}, value, count, 1, 1, false, stream);
}

STREAM_CALL(cudaMemsetAsync, _ptsz, ARGS(to, value, count, handle), void *to, int value, size_t count, cudaStream_t handle)
{
	STREAM(stream, handle);
	return fill((hu_side){address_of(to), 0, 0}, value, count, 1, 1, true, stream);
}

STREAM_CALL(cudaMemset2D, _ptds, ARGS(to, pitch, value, width, height), void *to, size_t pitch, int value, size_t width, size_t height)
{
	STREAM(stream, NULL);
	return fill((hu_side){address_of(to), pitch, 0}, value, width, height, 1, false, stream);
}

STREAM_CALL(cudaMemset2DAsync, _ptsz, ARGS(to, pitch, value, width, height, handle), void *to, size_t pitch, int value, size_t width, size_t height,
            cudaStream_t handle)
{
	STREAM(stream, handle);
	return fill((hu_side){address_of(to), pitch, 0}, value, width, height, 1, true, stream);
}

STREAM_CALL(cudaMemset3D, _ptds, ARGS(to, value, extent), struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
	STREAM(stream, NULL);
	return fill_box(to, value, extent, false, stream);
}

STREAM_CALL(cudaMemset3DAsync, _ptsz, ARGS(to, value, extent, handle), struct cudaPitchedPtr to, int value, struct cudaExtent extent,
            cudaStream_t handle)
{
	STREAM(stream, handle);
	return fill_box(to, value, extent, true, stream);
}

/* -- peers: there is one device, which is a peer of itself alone ----------------------------------------------------------------------------- */
CALL(cudaMemcpyPeer, ARGS(to, to_device, from, from_device, count), void *to, int to_device, const void *from, int from_device, size_t count)
{
	hu_stream *stream = hu_stream_of(NULL, false);
	UNSAFE_IN(stream);
	if (to_device || from_device)
		return cudaErrorInvalidDevice;
	return copy_line(to, from, count, cudaMemcpyDeviceToDevice, true, stream);
}

CALL(cudaMemcpyPeerAsync, ARGS(to, to_device, from, from_device, count, handle), void *to, int to_device, const void *from, int from_device,
     size_t count, cudaStream_t handle)
{
	const bool per_thread = false;
	STREAM(stream, handle);
	if (to_device || from_device)
		return cudaErrorInvalidDevice;
	return copy_line(to, from, count, cudaMemcpyDeviceToDevice, true, stream);
}

static cudaError_t copy_between(const struct cudaMemcpy3DPeerParms *p, hu_stream *stream)
{
	if (p && (p->srcDevice || p->dstDevice))
		return cudaErrorInvalidDevice;
	struct cudaMemcpy3DParms same = {.kind = cudaMemcpyDeviceToDevice};
	if (p)
		same = (struct cudaMemcpy3DParms){.srcArray = p->srcArray,
		                                  .srcPos = p->srcPos,
		                                  .srcPtr = p->srcPtr,
		                                  .dstArray = p->dstArray,
		                                  .dstPos = p->dstPos,
		                                  .dstPtr = p->dstPtr,
		                                  .extent = p->extent,
		                                  .kind = cudaMemcpyDeviceToDevice};
	return copy_box(p ? &same : NULL, true, stream);
}

STREAM_CALL(cudaMemcpy3DPeer, _ptds, ARGS(p), const struct cudaMemcpy3DPeerParms *p)
{
	STREAM(stream, NULL);
	return copy_between(p, stream);
}

STREAM_CALL(cudaMemcpy3DPeerAsync, _ptsz, ARGS(p, handle), const struct cudaMemcpy3DPeerParms *p, cudaStream_t handle)
{
	STREAM(stream, handle);
	return copy_between(p, stream);
}

/* -- in the order of a stream: memory is taken at once and given back in its turn -------------------------------------------------------------- */
STREAM_CALL(cudaMallocAsync, _ptsz, ARGS(pointer, size, handle), void **pointer, size_t size, cudaStream_t handle)
{
	STREAM(stream, handle);
	uint64_t address;
	cudaError_t error = pointer ? hu_pool_allocate(hu_pool_current(), stream, size, &address) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*pointer = (void *)(uintptr_t)address;
	return error;
}

STREAM_CALL(cudaMallocFromPoolAsync, _ptsz, ARGS(pointer, size, pool, handle), void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t handle)
{
	STREAM(stream, handle);
	uint64_t address;
	cudaError_t error = pointer ? hu_pool_allocate((hu_pool *)pool, stream, size, &address) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*pointer = (void *)(uintptr_t)address;
	return error;
}

STREAM_CALL(cudaFreeAsync, _ptsz, ARGS(pointer, handle), void *pointer, cudaStream_t handle)
{
	STREAM(stream, handle);
	return hu_free_in(stream, address_of(pointer));
}

CALL(cudaDeviceGetDefaultMemPool, ARGS(to, device), cudaMemPool_t *to, int device) { return hu_pool_give(hu_pool_default(), device, (hu_pool **)to); }
CALL(cudaDeviceGetMemPool, ARGS(to, device), cudaMemPool_t *to, int device) { return hu_pool_give(hu_pool_current(), device, (hu_pool **)to); }
CALL(cudaDeviceSetMemPool, ARGS(device, pool), int device, cudaMemPool_t pool) { return hu_pool_use((hu_pool *)pool, device); }
CALL(cudaMemPoolCreate, ARGS(to, props), cudaMemPool_t *to, const struct cudaMemPoolProps *props) { return hu_pool_create(props, (hu_pool **)to); }
CALL(cudaMemPoolDestroy, ARGS(pool), cudaMemPool_t pool) { return hu_pool_free((hu_pool *)pool); }
CALL(cudaMemPoolTrimTo, ARGS(pool, keep), cudaMemPool_t pool, size_t keep)
{
	(void)keep;
	return hu_pool_trim((hu_pool *)pool);
}
CALL(cudaMemPoolSetAttribute, ARGS(pool, which, value), cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value)
{
	return hu_pool_attribute((hu_pool *)pool, (int)which, value, true);
}
CALL(cudaMemPoolGetAttribute, ARGS(pool, which, value), cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value)
{
	return hu_pool_attribute((hu_pool *)pool, (int)which, value, false);
}
CALL(cudaMemPoolSetAccess, ARGS(pool, list, n), cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t n)
{
	return hu_pool_set_access((hu_pool *)pool, list, n);
}
CALL(cudaMemPoolGetAccess, ARGS(flags, pool, location), enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location)
{
	return hu_pool_access((hu_pool *)pool, location, flags);
}
