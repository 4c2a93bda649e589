/* Copies and fills of the driver interface. */
#include "cuda/driver.h"

static cudaError_t line(uint64_t to, uint64_t from, size_t count, enum cudaMemcpyKind kind, bool async, hu_stream *stream)
{
	hu_copy copy = {.to.address = to, .from.address = from, .width = count, .height = 1, .depth = 1, .kind = kind, .async = async};
	return hu_copy_rows(&copy, stream);
}

/* A copy and its form in a stream. A copy on the device does not hold the host up. */
#define LINE(name, async_name, to_type, from_type, direction)                                                                      \
	DRIVER_STREAM(name, _ptds, ARGS(to, from, count), to_type to, from_type from, size_t count)                                \
	{                                                                                                                          \
		STREAM(stream, NULL);                                                                                              \
		UNSAFE_IN(stream);                                                                                                 \
		return line((uint64_t)to, (uint64_t)from, count, direction, direction == cudaMemcpyDeviceToDevice, stream);        \
	}                                                                                                                          \
	DRIVER_STREAM(async_name, _ptsz, ARGS(to, from, count, handle), to_type to, from_type from, size_t count, CUstream handle) \
	{                                                                                                                          \
		STREAM(stream, handle);                                                                                            \
		return line((uint64_t)to, (uint64_t)from, count, direction, true, stream);                                         \
	}

LINE(cuMemcpy, cuMemcpyAsync, CUdeviceptr, CUdeviceptr, cudaMemcpyDefault)
LINE(cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2, CUdeviceptr, const void *, cudaMemcpyHostToDevice)
LINE(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, void *, CUdeviceptr, cudaMemcpyDeviceToHost)
LINE(cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, CUdeviceptr, CUdeviceptr, cudaMemcpyDeviceToDevice)

/* Between contexts, which are all on one device. */
static cudaError_t between(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t count, hu_stream *stream)
{
	if (!hu_context_is(to_context) || !hu_context_is(from_context))
		return cudaErrorDeviceUninitialized;
	return line(to, from, count, cudaMemcpyDeviceToDevice, true, stream);
}

DRIVER_STREAM(cuMemcpyPeer, _ptds, ARGS(to, to_context, from, from_context, count), CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
              CUcontext from_context, size_t count)
{
	STREAM(stream, NULL);
	UNSAFE_IN(stream);
	return between(to, to_context, from, from_context, count, stream);
}

DRIVER_STREAM(cuMemcpyPeerAsync, _ptsz, ARGS(to, to_context, from, from_context, count, handle), CUdeviceptr to, CUcontext to_context,
              CUdeviceptr from, CUcontext from_context, size_t count, CUstream handle)
{
	STREAM(stream, handle);
	return between(to, to_context, from, from_context, count, stream);
}

/* -- planes and boxes ---------------------------------------------------------------------------------------------------------------------------- */
/* One side of a copy as both structures have it. */
typedef struct place {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	size_t x, y, z, pitch, height;
} place;

static cudaError_t side(const place *p, hu_side *to, bool *device)
{
	if (p->type == CU_MEMORYTYPE_ARRAY)
		return cudaErrorNotSupported;
	if (p->type < CU_MEMORYTYPE_HOST || p->type > CU_MEMORYTYPE_UNIFIED)
		return cudaErrorInvalidValue;
	uint64_t at = p->type == CU_MEMORYTYPE_HOST ? (uint64_t)(uintptr_t)p->host : p->device, slice = p->pitch * p->height;
	*to = (hu_side){at + p->x + p->y * p->pitch + p->z * slice, p->pitch, slice};
	*device = p->type == CU_MEMORYTYPE_DEVICE;
	return cudaSuccess;
}

static cudaError_t box(const place *to, const place *from, size_t width, size_t height, size_t depth, bool async, hu_stream *stream)
{
	bool to_device, from_device;
	hu_copy copy = {.width = width, .height = height, .depth = depth, .async = async};
	cudaError_t error = side(to, &copy.to, &to_device);
	error = error ? error : side(from, &copy.from, &from_device);
	if (error != cudaSuccess)
		return error;
	bool unified = to->type == CU_MEMORYTYPE_UNIFIED || from->type == CU_MEMORYTYPE_UNIFIED;
	copy.kind = unified                    ? cudaMemcpyDefault
	            : to_device && from_device ? cudaMemcpyDeviceToDevice
	            : to_device                ? cudaMemcpyHostToDevice
	            : from_device              ? cudaMemcpyDeviceToHost
	                                       : cudaMemcpyHostToHost;
	copy.async = async || copy.kind == cudaMemcpyDeviceToDevice;
	return hu_copy_rows(&copy, stream);
}

/* A row without a pitch is as long as what is copied of it. */
static size_t pitch_of(size_t pitch, size_t width) { return pitch ? pitch : width; }

static cudaError_t plane(const CUDA_MEMCPY2D *c, bool async, hu_stream *stream)
{
	if (!c)
		return cudaErrorInvalidValue;
	place to = {
	    c->dstMemoryType, c->dstHost, c->dstDevice, c->dstXInBytes, c->dstY, 0, pitch_of(c->dstPitch, c->dstXInBytes + c->WidthInBytes), 0};
	place from = {
	    c->srcMemoryType, c->srcHost, c->srcDevice, c->srcXInBytes, c->srcY, 0, pitch_of(c->srcPitch, c->srcXInBytes + c->WidthInBytes), 0};
	if (to.pitch < c->dstXInBytes + c->WidthInBytes || from.pitch < c->srcXInBytes + c->WidthInBytes)
		return cudaErrorInvalidValue;
	return box(&to, &from, c->WidthInBytes, c->Height, 1, async, stream);
}

static cudaError_t solid(const CUDA_MEMCPY3D *c, bool async, hu_stream *stream)
{
	if (!c || c->srcLOD || c->dstLOD)
		return cudaErrorInvalidValue;
	place to = {c->dstMemoryType,
	            c->dstHost,
	            c->dstDevice,
	            c->dstXInBytes,
	            c->dstY,
	            c->dstZ,
	            pitch_of(c->dstPitch, c->dstXInBytes + c->WidthInBytes),
	            pitch_of(c->dstHeight, c->dstY + c->Height)};
	place from = {c->srcMemoryType,
	              c->srcHost,
	              c->srcDevice,
	              c->srcXInBytes,
	              c->srcY,
	              c->srcZ,
	              pitch_of(c->srcPitch, c->srcXInBytes + c->WidthInBytes),
	              pitch_of(c->srcHeight, c->srcY + c->Height)};
	if (to.pitch < c->dstXInBytes + c->WidthInBytes || from.pitch < c->srcXInBytes + c->WidthInBytes || to.height < c->dstY + c->Height ||
	    from.height < c->srcY + c->Height)
		return cudaErrorInvalidValue;
	return box(&to, &from, c->WidthInBytes, c->Height, c->Depth, async, stream);
}

#define SHAPE(name, async_name, type, copy)                                                     \
	DRIVER_STREAM(name, _ptds, ARGS(what), const type *what)                                \
	{                                                                                       \
		STREAM(stream, NULL);                                                           \
		UNSAFE_IN(stream);                                                              \
		return copy(what, false, stream);                                               \
	}                                                                                       \
	DRIVER_STREAM(async_name, _ptsz, ARGS(what, handle), const type *what, CUstream handle) \
	{                                                                                       \
		STREAM(stream, handle);                                                         \
		return copy(what, true, stream);                                                \
	}

SHAPE(cuMemcpy2D_v2, cuMemcpy2DAsync_v2, CUDA_MEMCPY2D, plane)
SHAPE(cuMemcpy3D_v2, cuMemcpy3DAsync_v2, CUDA_MEMCPY3D, solid)

DRIVER_STREAM(cuMemcpy2DUnaligned_v2, _ptds, ARGS(what), const CUDA_MEMCPY2D *what)
{
	STREAM(stream, NULL);
	UNSAFE_IN(stream);
	return plane(what, false, stream);
}

/* -- fills --------------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t fill(uint64_t to, size_t pitch, uint32_t value, unsigned bytes, size_t width, size_t height, bool async, hu_stream *stream)
{
	if (width > SIZE_MAX / bytes || to % bytes || (height > 1 && pitch % bytes))
		return cudaErrorInvalidValue;
	hu_copy copy = {.to = {to, pitch, 0}, .width = width * bytes, .height = height, .depth = 1, .async = async};
	return hu_fill_rows(&copy, value, bytes, stream);
}

#define FILL(name, async_name, plane_name, async_plane_name, type)                                                                      \
	DRIVER_STREAM(name, _ptds, ARGS(to, value, n), CUdeviceptr to, type value, size_t n)                                            \
	{                                                                                                                               \
		STREAM(stream, NULL);                                                                                                   \
		return fill(to, 0, value, sizeof value, n, 1, false, stream);                                                           \
	}                                                                                                                               \
	DRIVER_STREAM(async_name, _ptsz, ARGS(to, value, n, handle), CUdeviceptr to, type value, size_t n, CUstream handle)             \
	{                                                                                                                               \
		STREAM(stream, handle);                                                                                                 \
		return fill(to, 0, value, sizeof value, n, 1, true, stream);                                                            \
	}                                                                                                                               \
	DRIVER_STREAM(plane_name, _ptds, ARGS(to, pitch, value, width, height), CUdeviceptr to, size_t pitch, type value, size_t width, \
	              size_t height)                                                                                                    \
	{                                                                                                                               \
		STREAM(stream, NULL);                                                                                                   \
		return fill(to, pitch, value, sizeof value, width, height, false, stream);                                              \
	}                                                                                                                               \
	DRIVER_STREAM(async_plane_name, _ptsz, ARGS(to, pitch, value, width, height, handle), CUdeviceptr to, size_t pitch, type value, \
	              size_t width, size_t height, CUstream handle)                                                                     \
	{                                                                                                                               \
		STREAM(stream, handle);                                                                                                 \
		return fill(to, pitch, value, sizeof value, width, height, true, stream);                                               \
	}

FILL(cuMemsetD8_v2, cuMemsetD8Async, cuMemsetD2D8_v2, cuMemsetD2D8Async, unsigned char)
FILL(cuMemsetD16_v2, cuMemsetD16Async, cuMemsetD2D16_v2, cuMemsetD2D16Async, unsigned short)
FILL(cuMemsetD32_v2, cuMemsetD32Async, cuMemsetD2D32_v2, cuMemsetD2D32Async, unsigned int)
