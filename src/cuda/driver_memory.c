/* Memory, copies and fills of the driver interface. */
#include "cuda/driver.h"

static cudaError_t allocate(hu_kind kind, size_t size, unsigned flags, void *to)
{
	if (!to)
		return cudaErrorInvalidValue;
	cudaError_t error = size ? cudaSuccess : hu_capture_unsafe();
	return error ? error : size ? hu_allocate_now(kind, size, flags, to) : cudaErrorInvalidValue;
}

static cudaError_t allocate_plane(CUdeviceptr *to, size_t *pitch, size_t width, size_t height, unsigned element)
{
	if (!pitch || !width || !height || width > SIZE_MAX / 2 || (element != 4 && element != 8 && element != 16))
		return cudaErrorInvalidValue;
	size_t rows = hu_pitch(width);
	cudaError_t error = rows > SIZE_MAX / height ? cudaErrorMemoryAllocation : allocate(HU_DEVICE, rows * height, 0, to);
	if (error == cudaSuccess)
		*pitch = rows;
	return error;
}

static cudaError_t memory_info(size_t *left, size_t *total)
{
	uint64_t bytes, all;
	if (!left || !total)
		return cudaErrorInvalidValue;
	hu_memory_info(&bytes, &all);
	*left = bytes;
	*total = all;
	return cudaSuccess;
}

static cudaError_t address_range(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
	hu_block block = hu_find(address);
	if (block.kind == HU_NOWHERE)
		return cudaErrorSymbolNotFound;
	if (base)
		*base = block.address;
	if (size)
		*size = block.size;
	return cudaSuccess;
}

/* -- pools: structures and numbers are those of the runtime interface --------------------------------------------------------------------------- */
_Static_assert(sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps) && sizeof(CUmemAccessDesc) == sizeof(struct cudaMemAccessDesc), "the same");

/* -- attributes of pointers ---------------------------------------------------------------------------------------------------------------------- */
static void put_number(void *to, uint64_t value, size_t bytes) { memcpy(to, &value, bytes); }

/* cudaErrorInvalidValue: such an address has no such attribute. */
static cudaError_t attribute_of(void *to, CUpointer_attribute which, uint64_t address, const hu_block *block)
{
	bool device = block->kind == HU_DEVICE || block->kind == HU_MODULE || block->kind == HU_MANAGED;
	hu_context *owner = block->owner ? hu_context_numbered(block->owner) : hu_primary();
	switch (which) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		put_number(to, (uintptr_t)owner, sizeof owner);
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		put_number(to, device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST, sizeof(CUmemorytype));
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		put_number(to, address, 8);
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		put_number(to, address, 8);
		return block->kind == HU_DEVICE || block->kind == HU_MODULE ? cudaErrorInvalidValue : cudaSuccess;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		put_number(to, which == CU_POINTER_ATTRIBUTE_ACCESS_FLAGS ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : 0, 4);
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
		put_number(to, block->number, 8);
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
	case CU_POINTER_ATTRIBUTE_MAPPED:
		put_number(to, which == CU_POINTER_ATTRIBUTE_MAPPED || block->kind == HU_MANAGED, 1);
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
		put_number(to, 0, 1);
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		put_number(to, block->address, 8);
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		put_number(to, block->size, 8);
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		put_number(to, which == CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE ? (uintptr_t)block->pool : 0, 8);
		return cudaSuccess;
	default:
		return cudaErrorNotSupported;
	}
}

static cudaError_t get_attribute(void *to, CUpointer_attribute which, CUdeviceptr address)
{
	hu_block block = hu_find(address);
	if (!to || block.kind == HU_NOWHERE || which < CU_POINTER_ATTRIBUTE_CONTEXT || which > CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE)
		return cudaErrorInvalidValue;
	return attribute_of(to, which, address, &block);
}

/* Zeros for what is not known, and no error. */
static cudaError_t get_attributes(unsigned n, const CUpointer_attribute *which, void **to, CUdeviceptr address)
{
	hu_block block = hu_find(address);
	if (!n || !which || !to)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++) {
		uint64_t value[2] = {0};
		if (!to[i] || which[i] < CU_POINTER_ATTRIBUTE_CONTEXT || which[i] > CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE)
			return cudaErrorInvalidValue;
		bool known = block.kind != HU_NOWHERE && attribute_of(value, which[i], address, &block) == cudaSuccess;
		if (known)
			attribute_of(to[i], which[i], address, &block);
		else if (which[i] == CU_POINTER_ATTRIBUTE_CONTEXT || which[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
		         which[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER)
			put_number(to[i], 0, 8);
		else if (which[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
			put_number(to[i], 0, 4);
	}
	return cudaSuccess;
}

/* -- hints about managed memory ----------------------------------------------------------------------------------------------------------------- */
static bool is_place(CUmemLocation place) { return place.type != CU_MEM_LOCATION_TYPE_DEVICE || place.id == 0; }

static cudaError_t prefetch(CUdeviceptr address, size_t count, bool place, unsigned flags, const hu_stream *stream)
{
	if (!stream || flags)
		return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	return hu_hint(address, count, place);
}

/* -- copies ------------------------------------------------------------------------------------------------------------------------------------- */
/* Between contexts, which are all on one device. */
static cudaError_t copy_peer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t count, bool now,
                             hu_stream *stream)
{
	bool good = hu_context_is(to_context) && hu_context_is(from_context);
	cudaError_t error = good ? cudaSuccess : hu_copy_begin(stream, now);
	if (!good)
		return error ? error : cudaErrorDeviceUninitialized;
	return hu_copy_line(to, from, count, cudaMemcpyDeviceToDevice, now, stream);
}

/* One side of a copy as both structures have it. */
typedef struct end {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	size_t x, y, z, pitch, height;
} end;

static cudaError_t side(const end *p, hu_side *to, bool *device)
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

static cudaError_t copy_places(const end *to, const end *from, size_t width, size_t height, size_t depth, bool now, hu_stream *stream)
{
	bool to_device, from_device;
	hu_copy copy = {.width = width, .height = height, .depth = depth};
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
	copy.async = !now || copy.kind == cudaMemcpyDeviceToDevice;
	return hu_copy_rows(&copy, stream);
}

/* A row without a pitch is as long as what is copied of it. */
static size_t pitch_of(size_t pitch, size_t width) { return pitch ? pitch : width; }

static cudaError_t copy_plane(const CUDA_MEMCPY2D *c, bool now, hu_stream *stream)
{
	cudaError_t error = hu_copy_begin(stream, now);
	if (error || !c)
		return error ? error : cudaErrorInvalidValue;
	end to = {c->dstMemoryType, c->dstHost, c->dstDevice, c->dstXInBytes, c->dstY, 0, pitch_of(c->dstPitch, c->dstXInBytes + c->WidthInBytes), 0};
	end from = {
	    c->srcMemoryType, c->srcHost, c->srcDevice, c->srcXInBytes, c->srcY, 0, pitch_of(c->srcPitch, c->srcXInBytes + c->WidthInBytes), 0};
	if (to.pitch < c->dstXInBytes + c->WidthInBytes || from.pitch < c->srcXInBytes + c->WidthInBytes)
		return cudaErrorInvalidValue;
	return copy_places(&to, &from, c->WidthInBytes, c->Height, 1, now, stream);
}

static cudaError_t copy_box(const CUDA_MEMCPY3D *c, bool now, hu_stream *stream)
{
	cudaError_t error = hu_copy_begin(stream, now);
	if (error || !c || c->srcLOD || c->dstLOD)
		return error ? error : cudaErrorInvalidValue;
	end to = {c->dstMemoryType,
	          c->dstHost,
	          c->dstDevice,
	          c->dstXInBytes,
	          c->dstY,
	          c->dstZ,
	          pitch_of(c->dstPitch, c->dstXInBytes + c->WidthInBytes),
	          pitch_of(c->dstHeight, c->dstY + c->Height)};
	end from = {c->srcMemoryType,
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
	return copy_places(&to, &from, c->WidthInBytes, c->Height, c->Depth, now, stream);
}

static cudaError_t fill(hu_side to, uint32_t value, unsigned bytes, size_t width, size_t height, bool now, hu_stream *stream)
{
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (width > SIZE_MAX / bytes || to.address % bytes || (height > 1 && to.pitch % bytes))
		return cudaErrorInvalidValue;
	hu_copy copy = {.to = to, .width = width * bytes, .height = height, .depth = 1, .async = !now};
	return hu_fill_rows(&copy, value, bytes, stream);
}

#include "cuda/memory.def"
