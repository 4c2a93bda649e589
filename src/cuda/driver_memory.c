/* Memory of the driver interface. */
#include "cuda/driver.h"

enum { PITCH = 512 /* rows begin at multiples of it, as on the devices that programs know */ };

static cudaError_t allocate(hu_kind kind, size_t size, unsigned flags, uint64_t *address)
{
	UNSAFE;
	return size ? hu_allocate(kind, size, flags, address) : cudaErrorInvalidValue;
}

static cudaError_t allocate_device(CUdeviceptr *to, hu_kind kind, size_t size, unsigned flags)
{
	uint64_t address;
	cudaError_t error = to ? allocate(kind, size, flags, &address) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*to = address;
	return error;
}

static cudaError_t allocate_host(void **to, size_t size, unsigned flags)
{
	uint64_t address;
	cudaError_t error = to ? allocate(HU_PINNED, size, flags, &address) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*to = (void *)(uintptr_t)address;
	return error;
}

DRIVER(cuMemAlloc_v2, ARGS(to, size), CUdeviceptr *to, size_t size) { return allocate_device(to, HU_DEVICE, size, 0); }
DRIVER(cuMemAllocHost_v2, ARGS(to, size), void **to, size_t size) { return allocate_host(to, size, 0); }

DRIVER(cuMemHostAlloc, ARGS(to, size, flags), void **to, size_t size, unsigned int flags)
{
	const unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
	return flags & ~known ? cudaErrorInvalidValue : allocate_host(to, size, flags);
}

DRIVER(cuMemAllocManaged, ARGS(to, size, flags), CUdeviceptr *to, size_t size, unsigned int flags)
{
	if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
		return cudaErrorInvalidValue;
	return allocate_device(to, HU_MANAGED, size, flags);
}

DRIVER(cuMemAllocPitch_v2, ARGS(to, pitch, width, height, element), CUdeviceptr *to, size_t *pitch, size_t width, size_t height, unsigned int element)
{
	if (!pitch || !width || !height || width > SIZE_MAX / 2 || (element != 4 && element != 8 && element != 16))
		return cudaErrorInvalidValue;
	size_t rows = (width + PITCH - 1) / PITCH * PITCH;
	cudaError_t error = rows > SIZE_MAX / height ? cudaErrorMemoryAllocation : allocate_device(to, HU_DEVICE, rows * height, 0);
	if (error == cudaSuccess)
		*pitch = rows;
	return error;
}

static cudaError_t free_now(uint64_t address, bool of_host)
{
	UNSAFE;
	return hu_free(address, of_host);
}

DRIVER(cuMemFree_v2, ARGS(address), CUdeviceptr address) { return free_now(address, false); }
DRIVER(cuMemFreeHost, ARGS(pointer), void *pointer) { return pointer ? free_now((uintptr_t)pointer, true) : cudaErrorInvalidValue; }

DRIVER(cuMemHostRegister_v2, ARGS(pointer, size, flags), void *pointer, size_t size, unsigned int flags)
{
	enum { KNOWN = 15 /* portable, mapped, of a device, read only */ };
	UNSAFE;
	return flags & ~(unsigned)KNOWN ? cudaErrorInvalidValue : hu_register(pointer, size, flags);
}

DRIVER(cuMemHostUnregister, ARGS(pointer), void *pointer)
{
	UNSAFE;
	return hu_unregister(pointer);
}

static bool is_host_kind(hu_kind kind) { return kind == HU_PINNED || kind == HU_REGISTERED; }

DRIVER(cuMemHostGetDevicePointer_v2, ARGS(device, host, flags), CUdeviceptr *device, void *host, unsigned int flags)
{
	if (!device || flags || !is_host_kind(hu_find((uintptr_t)host).kind))
		return cudaErrorInvalidValue;
	*device = (uintptr_t)host;
	return cudaSuccess;
}

DRIVER(cuMemHostGetFlags, ARGS(flags, host), unsigned int *flags, void *host)
{
	hu_block block = hu_find((uintptr_t)host);
	if (!flags || !is_host_kind(block.kind))
		return cudaErrorInvalidValue;
	*flags = block.flags | CU_MEMHOSTALLOC_DEVICEMAP;
	return cudaSuccess;
}

DRIVER(cuMemGetInfo_v2, ARGS(left, total), size_t *left, size_t *total)
{
	uint64_t bytes, all;
	if (!left || !total)
		return cudaErrorInvalidValue;
	hu_memory_info(&bytes, &all);
	*left = bytes;
	*total = all;
	return cudaSuccess;
}

DRIVER(cuMemGetAddressRange_v2, ARGS(base, size, address), CUdeviceptr *base, size_t *size, CUdeviceptr address)
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

/* In the order of a stream: memory is taken at once and given back in its turn. */
DRIVER_STREAM(cuMemAllocAsync, _ptsz, ARGS(to, size, handle), CUdeviceptr *to, size_t size, CUstream handle)
{
	STREAM(stream, handle);
	uint64_t address;
	cudaError_t error = to && size ? hu_pool_allocate(hu_pool_current(), stream, size, &address) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*to = address;
	return error;
}

DRIVER_STREAM(cuMemAllocFromPoolAsync, _ptsz, ARGS(to, size, pool, handle), CUdeviceptr *to, size_t size, CUmemoryPool pool, CUstream handle)
{
	STREAM(stream, handle);
	uint64_t address;
	cudaError_t error = to && size ? hu_pool_allocate((hu_pool *)pool, stream, size, &address) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*to = address;
	return error;
}

DRIVER_STREAM(cuMemFreeAsync, _ptsz, ARGS(address, handle), CUdeviceptr address, CUstream handle)
{
	STREAM(stream, handle);
	return hu_free_in(stream, address);
}

/* -- pools: structures and numbers are those of the runtime interface --------------------------------------------------------------------------- */
_Static_assert(sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps) && sizeof(CUmemAccessDesc) == sizeof(struct cudaMemAccessDesc), "the same");

DRIVER_ANY(cuDeviceGetDefaultMemPool, ARGS(to, device), CUmemoryPool *to, CUdevice device)
{
	return hu_pool_give(hu_pool_default(), device, (hu_pool **)to);
}
DRIVER_ANY(cuDeviceGetMemPool, ARGS(to, device), CUmemoryPool *to, CUdevice device)
{
	return hu_pool_give(hu_pool_current(), device, (hu_pool **)to);
}
DRIVER_ANY(cuDeviceSetMemPool, ARGS(device, pool), CUdevice device, CUmemoryPool pool) { return hu_pool_use((hu_pool *)pool, device); }
DRIVER_ANY(cuMemPoolCreate, ARGS(to, props), CUmemoryPool *to, const CUmemPoolProps *props)
{
	return hu_pool_create((const struct cudaMemPoolProps *)props, (hu_pool **)to);
}
DRIVER_ANY(cuMemPoolDestroy, ARGS(pool), CUmemoryPool pool) { return hu_pool_free((hu_pool *)pool); }
DRIVER_ANY(cuMemPoolTrimTo, ARGS(pool, keep), CUmemoryPool pool, size_t keep)
{
	(void)keep;
	return hu_pool_trim((hu_pool *)pool);
}
DRIVER_ANY(cuMemPoolSetAttribute, ARGS(pool, which, value), CUmemoryPool pool, CUmemPool_attribute which, void *value)
{
	return hu_pool_attribute((hu_pool *)pool, (int)which, value, true);
}
DRIVER_ANY(cuMemPoolGetAttribute, ARGS(pool, which, value), CUmemoryPool pool, CUmemPool_attribute which, void *value)
{
	return hu_pool_attribute((hu_pool *)pool, (int)which, value, false);
}
DRIVER_ANY(cuMemPoolSetAccess, ARGS(pool, list, n), CUmemoryPool pool, const CUmemAccessDesc *list, size_t n)
{
	return hu_pool_set_access((hu_pool *)pool, (const struct cudaMemAccessDesc *)list, n);
}
DRIVER_ANY(cuMemPoolGetAccess, ARGS(flags, pool, location), CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location)
{
	return hu_pool_access((hu_pool *)pool, (const struct cudaMemLocation *)location, (enum cudaMemAccessFlags *)flags);
}

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

DRIVER_ANY(cuPointerGetAttribute, ARGS(to, which, address), void *to, CUpointer_attribute which, CUdeviceptr address)
{
	hu_block block = hu_find(address);
	if (!to || block.kind == HU_NOWHERE || which < CU_POINTER_ATTRIBUTE_CONTEXT || which > CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE)
		return cudaErrorInvalidValue;
	return attribute_of(to, which, address, &block);
}

/* Zeros for what is not known, and no error. */
DRIVER_ANY(cuPointerGetAttributes, ARGS(n, which, to, address), unsigned int n, CUpointer_attribute *which, void **to, CUdeviceptr address)
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

/* Copies of memory whose attribute asks for it wait for their end anyway, as far as a program can see. */
DRIVER_ANY(cuPointerSetAttribute, ARGS(value, which, address), const void *value, CUpointer_attribute which, CUdeviceptr address)
{
	bool device = hu_find(address).kind == HU_DEVICE;
	return value && device && which == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ? cudaSuccess : cudaErrorInvalidValue;
}

/* -- hints about managed memory --------------------------------------------------------------------------------------------------------------------
 */
static cudaError_t hint(uint64_t address, size_t count, bool place)
{
	hu_block block = hu_find(address);
	if (block.kind != HU_MANAGED || !count || count > block.size - (address - block.address))
		return cudaErrorInvalidValue;
	return place ? cudaSuccess : cudaErrorInvalidDevice;
}

static bool is_place(CUmemLocation place) { return place.type != CU_MEM_LOCATION_TYPE_DEVICE || place.id == 0; }

DRIVER(cuMemAdvise, ARGS(address, count, advice, device), CUdeviceptr address, size_t count, int advice, CUdevice device)
{
	return advice < 1 || advice > 6 ? cudaErrorInvalidValue : hint(address, count, device == 0 || device == CU_DEVICE_CPU);
}

DRIVER(cuMemAdvise_v2, ARGS(address, count, advice, place), CUdeviceptr address, size_t count, int advice, CUmemLocation place)
{
	return advice < 1 || advice > 6 ? cudaErrorInvalidValue : hint(address, count, is_place(place));
}

DRIVER_STREAM(cuMemPrefetchAsync, _ptsz, ARGS(address, count, device, handle), CUdeviceptr address, size_t count, CUdevice device, CUstream handle)
{
	STREAM(stream, handle);
	(void)stream;
	return hint(address, count, device == 0 || device == CU_DEVICE_CPU);
}

DRIVER_STREAM(cuMemPrefetchAsync_v2, _ptsz, ARGS(address, count, place, flags, handle), CUdeviceptr address, size_t count, CUmemLocation place,
              unsigned int flags, CUstream handle)
{
	STREAM(stream, handle);
	(void)stream;
	return flags ? cudaErrorInvalidValue : hint(address, count, is_place(place));
}
