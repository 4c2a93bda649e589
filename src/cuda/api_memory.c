/* Memory, copies and fills of the runtime interface. */
#include "cuda/api.h"

#include "cuda/cuda_runtime_api.h"

static cudaError_t allocate_plane(void **pointer, size_t *pitch, size_t width, size_t height)
{
	if (!pitch || width > SIZE_MAX / 2)
		return cudaErrorInvalidValue;
	*pitch = hu_pitch(width);
	if (height && *pitch > SIZE_MAX / height)
		return cudaErrorMemoryAllocation;
	return hu_allocate_now(HU_DEVICE, *pitch * height, 0, pointer);
}

static cudaError_t allocate_box(struct cudaPitchedPtr *to, struct cudaExtent extent)
{
	if (!to || extent.width > SIZE_MAX / 2)
		return cudaErrorInvalidValue;
	size_t pitch = hu_pitch(extent.width);
	if ((extent.height && pitch > SIZE_MAX / extent.height) || (extent.depth && pitch * extent.height > SIZE_MAX / extent.depth))
		return cudaErrorMemoryAllocation;
	*to = (struct cudaPitchedPtr){.pitch = pitch, .xsize = extent.width, .ysize = extent.height};
	return hu_allocate_now(HU_DEVICE, pitch * extent.height * extent.depth, 0, &to->ptr);
}

static cudaError_t memory_info(size_t *left, size_t *total)
{
	uint64_t bytes, all;
	hu_memory_info(&bytes, &all);
	if (left)
		*left = bytes;
	if (total)
		*total = all;
	return cudaSuccess;
}

static cudaError_t pointer_attributes(struct cudaPointerAttributes *to, const void *pointer)
{
	if (!to)
		return cudaErrorInvalidValue;
	hu_kind kind = hu_find(ADDRESS(pointer)).kind;
	void *same = (void *)(uintptr_t)pointer;
	bool device = kind == HU_DEVICE || kind == HU_MODULE, anywhere = kind != HU_NOWHERE;
	*to = (struct cudaPointerAttributes){.type = device                                       ? cudaMemoryTypeDevice
	                                             : kind == HU_MANAGED                         ? cudaMemoryTypeManaged
	                                             : kind == HU_PINNED || kind == HU_REGISTERED ? cudaMemoryTypeHost
	                                                                                          : cudaMemoryTypeUnregistered,
	                                     .device = anywhere ? 0 : -2,
	                                     .devicePointer = anywhere ? same : NULL,
	                                     .hostPointer = device ? NULL : same};
	return cudaSuccess;
}

/* -- copies ----------------------------------------------------------------------------------------------------------------------------------- */
/* A side of a copy of planes, by the names of its parameters. */
#define SIDE(pointer) ((hu_side){ADDRESS(pointer), pointer##_pitch, 0})

static cudaError_t copy_plane(hu_side to, hu_side from, size_t width, size_t height, enum cudaMemcpyKind kind, bool now, hu_stream *stream)
{
	hu_copy copy = {.to = to, .from = from, .width = width, .height = height, .depth = 1, .kind = kind, .async = !now};
	cudaError_t error = hu_copy_begin(stream, now);
	if (error == cudaSuccess && (width > to.pitch || width > from.pitch))
		error = cudaErrorInvalidPitchValue;
	return error ? error : hu_copy_rows(&copy, stream);
}

static cudaError_t copy_box(const struct cudaMemcpy3DParms *p, bool now, hu_stream *stream)
{
	hu_copy copy;
	cudaError_t error = hu_copy_begin(stream, now);
	if (error == cudaSuccess)
		error = p ? hu_copy_of_box(p, &copy) : cudaErrorInvalidValue;
	copy.async = !now;
	return error ? error : hu_copy_rows(&copy, stream);
}

static cudaError_t copy_peer(void *to, const void *from, size_t count, bool no_device, bool now, hu_stream *stream)
{
	cudaError_t error = no_device ? hu_copy_begin(stream, now) : cudaSuccess;
	if (no_device)
		return error ? error : cudaErrorInvalidDevice;
	return hu_copy_line(ADDRESS(to), ADDRESS(from), count, cudaMemcpyDeviceToDevice, now, stream);
}

static cudaError_t copy_between(const struct cudaMemcpy3DPeerParms *p, hu_stream *stream)
{
	if (!stream || !p)
		return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	struct cudaMemcpy3DParms same = {.srcArray = p->srcArray,
	                                 .srcPos = p->srcPos,
	                                 .srcPtr = p->srcPtr,
	                                 .dstArray = p->dstArray,
	                                 .dstPos = p->dstPos,
	                                 .dstPtr = p->dstPtr,
	                                 .extent = p->extent,
	                                 .kind = cudaMemcpyDeviceToDevice};
	return p->srcDevice || p->dstDevice ? cudaErrorInvalidDevice : copy_box(&same, false, stream);
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

static cudaError_t symbol_size(size_t *size, const void *symbol)
{
	uint64_t at, bytes = 0;
	cudaError_t error = size ? hu_symbol(symbol, &at, &bytes) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*size = bytes;
	return error;
}

/* A copy `to` a variable, or from there, which waits `now`. */
/* `copy` has the other side, which the copy goes to, or comes from. */
static cudaError_t copy_symbol(const void *symbol, size_t offset, bool to, hu_copy copy, hu_stream *stream)
{
	void *variable;
	cudaError_t error = hu_copy_begin(stream, !copy.async);
	if (error == cudaSuccess && copy.kind != (to ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost) && copy.kind != cudaMemcpyDeviceToDevice &&
	    copy.kind != cudaMemcpyDefault)
		error = cudaErrorInvalidMemcpyDirection;
	if (error == cudaSuccess)
		error = symbol_at(symbol, offset, copy.width, &variable);
	if (error != cudaSuccess)
		return error;
	*(to ? &copy.to.address : &copy.from.address) = ADDRESS(variable);
	copy.height = copy.depth = 1;
	return hu_copy_rows(&copy, stream);
}

/* -- fills ------------------------------------------------------------------------------------------------------------------------------------ */
static cudaError_t fill(uint64_t to, size_t pitch, int value, size_t width, size_t height, bool now, hu_stream *stream)
{
	hu_copy copy = {.to = {to, pitch, 0}, .width = width, .height = height, .depth = 1, .async = !now};
	return hu_fill_rows(&copy, (uint32_t)value & 0xff, 1, stream);
}

static cudaError_t fill_box(struct cudaPitchedPtr to, int value, struct cudaExtent extent, bool now, hu_stream *stream)
{
	hu_copy copy = {.to = {ADDRESS(to.ptr), to.pitch, to.pitch * to.ysize},
	                .width = extent.width,
	                .height = extent.height,
	                .depth = extent.depth,
	                .async = !now};
	return hu_fill_rows(&copy, (uint32_t)value & 0xff, 1, stream);
}

#include "cuda/memory.def"
