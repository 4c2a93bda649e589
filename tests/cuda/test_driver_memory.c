/* The memory of the driver interface: planes, boxes, fills, pointers, pools. */
#include "../test.h"

#include "cuda/cuda.h"

#include <stdbool.h>
#include <string.h>

#define GOOD(call) assert_int_equal(call, CUDA_SUCCESS)

static CUcontext context;

static int begin(void **state) { return cuInit(0) || cuCtxCreate(&context, CU_CTX_MAP_HOST, 0); }
static int end(void **state) { return cuCtxDestroy(context); }

TEST(planes_boxes_and_fills)
{
	uint8_t from[60], to[60];
	uint16_t halves[4];
	CUdeviceptr p, q;
	size_t pitch;
	for (int i = 0; i < 60; i++)
		from[i] = (uint8_t)i;
	memset(to, 255, sizeof to);
	GOOD(cuMemAllocPitch(&p, &pitch, 10, 6, 4));
	assert_int_equal(pitch % 512, 0);
	GOOD(cuMemsetD2D8(p, pitch, 9, 10, 6));
	CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
	                    .srcHost = from,
	                    .srcPitch = 10,
	                    .srcXInBytes = 1,
	                    .srcY = 1,
	                    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
	                    .dstDevice = p,
	                    .dstPitch = pitch,
	                    .dstXInBytes = 2,
	                    .WidthInBytes = 7,
	                    .Height = 5};
	GOOD(cuMemcpy2D(&in));
	CUDA_MEMCPY2D out = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
	                     .srcDevice = p,
	                     .srcPitch = pitch,
	                     .dstMemoryType = CU_MEMORYTYPE_HOST,
	                     .dstHost = to,
	                     .dstPitch = 10,
	                     .WidthInBytes = 10,
	                     .Height = 6};
	GOOD(cuMemcpy2DUnaligned(&out));
	assert_int_equal(to[1], 9);
	assert_int_equal(to[2], 11);
	assert_int_equal(to[48], 57);
	assert_int_equal(to[49], 9);
	assert_int_equal(to[52], 9);
	in.WidthInBytes = 10; /* behind the row's end */
	assert_int_equal(cuMemcpy2D(&in), CUDA_ERROR_INVALID_VALUE);
	in.srcMemoryType = CU_MEMORYTYPE_ARRAY;
	in.WidthInBytes = 7;
	assert_int_equal(cuMemcpy2D(&in), CUDA_ERROR_NOT_SUPPORTED);
	GOOD(cuMemFree(p));
	GOOD(cuMemAlloc(&p, 60));
	GOOD(cuMemsetD8(p, 1, 60));
	CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_HOST,
	                     .srcHost = from,
	                     .srcPitch = 5,
	                     .srcHeight = 3,
	                     .srcXInBytes = 1,
	                     .srcY = 1,
	                     .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
	                     .dstDevice = p,
	                     .dstPitch = 5,
	                     .dstHeight = 3,
	                     .dstXInBytes = 2,
	                     .dstZ = 1,
	                     .WidthInBytes = 3,
	                     .Height = 2,
	                     .Depth = 2};
	GOOD(cuMemcpy3D(&box));
	GOOD(cuMemcpyDtoH(to, p, 60));
	assert_int_equal(to[15 + 1], 1);
	assert_int_equal(to[15 + 2], 6);
	assert_int_equal(to[15 + 5 + 4], 13);
	assert_int_equal(to[30 + 2], 21);
	assert_int_equal(to[30 + 10], 1);
	box.dstHeight = 1;
	assert_int_equal(cuMemcpy3D(&box), CUDA_ERROR_INVALID_VALUE);
	GOOD(cuMemsetD16(p, 0x1234, 3));
	GOOD(cuMemcpyDtoH(halves, p, 8));
	assert_int_equal(halves[2], 0x1234);
	assert_int_equal(halves[3], 0x0101);
	assert_int_equal(cuMemsetD16(p + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
	GOOD(cuMemsetD2D32(p, 8, 0x01020304, 1, 2));
	GOOD(cuMemcpyDtoH(to, p, 12));
	assert_int_equal(to[3], 1);
	assert_int_equal(to[8], 4);
	GOOD(cuMemAlloc(&q, 60));
	GOOD(cuMemcpyDtoD(q, p, 60));
	GOOD(cuMemcpy((CUdeviceptr)(uintptr_t)to, q + 8, 4));
	assert_int_equal(to[0], 4);
	GOOD(cuMemcpyPeer(p, context, q, context, 4));
	assert_int_equal(cuMemcpyPeer(p, NULL, q, context, 4), CUDA_ERROR_INVALID_CONTEXT);
	assert_int_equal(cuMemcpyHtoD(p, from, 61), CUDA_ERROR_INVALID_VALUE);
	GOOD(cuMemFree(p));
	GOOD(cuMemFree(q));
}

TEST(pointers_are_known)
{
	CUdeviceptr p, base, m;
	size_t size, left, all;
	CUmemorytype type = 0;
	CUcontext of = NULL;
	unsigned flags;
	bool managed = false;
	int *host, own[4];
	GOOD(cuMemAlloc(&p, 64));
	GOOD(cuMemGetAddressRange(&base, &size, p + 63));
	assert_true(base == p && size == 64);
	assert_int_equal(cuMemGetAddressRange(&base, &size, p + 64), CUDA_ERROR_NOT_FOUND);
	GOOD(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 1));
	assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
	GOOD(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, p));
	assert_ptr_equal(of, context);
	assert_int_equal(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)own), CUDA_ERROR_INVALID_VALUE);
	GOOD(cuMemAllocManaged(&m, 64, CU_MEM_ATTACH_GLOBAL));
	GOOD(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, m));
	assert_true(managed);
	*(int *)(uintptr_t)m = 5;
	CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
	void *to[] = {&type, &size};
	GOOD(cuPointerGetAttributes(2, which, to, m));
	assert_int_equal(size, 64);
	GOOD(cuPointerGetAttributes(2, which, to, (CUdeviceptr)(uintptr_t)own));
	assert_int_equal(type, 0);
	GOOD(cuMemHostAlloc((void **)&host, 64, CU_MEMHOSTALLOC_DEVICEMAP));
	GOOD(cuMemHostGetDevicePointer(&base, host, 0));
	GOOD(cuMemHostGetFlags(&flags, host));
	assert_true(flags & CU_MEMHOSTALLOC_DEVICEMAP);
	assert_int_equal(cuMemHostGetDevicePointer(&base, own, 0), CUDA_ERROR_INVALID_VALUE);
	GOOD(cuMemHostRegister(own, sizeof own, 0));
	GOOD(cuMemsetD32((CUdeviceptr)(uintptr_t)own, 3, 4));
	GOOD(cuCtxSynchronize());
	assert_int_equal(own[3], 3);
	GOOD(cuMemHostUnregister(own));
	GOOD(cuMemGetInfo(&left, &all));
	assert_true(left < all);
	GOOD(cuMemFreeHost(host));
	GOOD(cuMemFree(m));
	GOOD(cuMemFree(p));
	GOOD(cuMemAllocAsync(&p, 64, NULL));
	GOOD(cuMemsetD8Async(p, 0, 64, NULL));
	GOOD(cuMemFreeAsync(p, NULL));
}

/* The pools are those of the runtime interface. */
TEST(pools)
{
	const CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUmemPoolProps other = props;
	CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	CUmemoryPool first, own, now = NULL;
	CUdeviceptr p, q;
	uint64_t used, high, keep = 1 << 20, got = 0;
	int reuse = 0, supported = 0, handles = -1;
	GOOD(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 0));
	GOOD(cuDeviceGetAttribute(&handles, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 0));
	assert_true(supported == 1 && handles == CU_MEM_HANDLE_TYPE_NONE);
	GOOD(cuDeviceGetDefaultMemPool(&first, 0));
	GOOD(cuDeviceGetMemPool(&now, 0));
	assert_ptr_equal(now, first);
	assert_int_equal(cuDeviceGetMemPool(&now, 1), CUDA_ERROR_INVALID_DEVICE);
	GOOD(cuMemPoolCreate(&own, &props));
	assert_ptr_not_equal(own, first);
	GOOD(cuMemAllocFromPoolAsync(&p, 100, own, NULL));
	GOOD(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
	assert_int_equal(used, 100);
	GOOD(cuPointerGetAttribute(&now, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p + 99));
	assert_ptr_equal(now, own);
	/* Memory of no pool that is named is the current one's. */
	GOOD(cuMemAllocAsync(&q, 50, NULL));
	GOOD(cuPointerGetAttribute(&now, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, q));
	assert_ptr_equal(now, first);
	GOOD(cuMemFreeAsync(q, NULL));
	GOOD(cuDeviceSetMemPool(0, own));
	GOOD(cuDeviceGetMemPool(&now, 0));
	assert_ptr_equal(now, own);
	GOOD(cuMemAllocAsync(&q, 50, NULL));
	GOOD(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
	assert_int_equal(used, 150);
	GOOD(cuMemsetD8Async(p, 7, 100, NULL));
	GOOD(cuMemFreeAsync(p, NULL));
	GOOD(cuCtxSynchronize());
	GOOD(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
	GOOD(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
	assert_true(used == 50 && high == 150);
	GOOD(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
	GOOD(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &got));
	GOOD(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &reuse));
	assert_true(got == keep && reuse == 1);
	assert_int_equal(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used), CUDA_ERROR_INVALID_VALUE);
	GOOD(cuMemPoolTrimTo(own, 0));
	GOOD(cuMemPoolSetAccess(own, &access, 1));
	GOOD(cuMemPoolGetAccess(&flags, own, &access.location));
	assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	access.location.id = 1;
	assert_int_equal(cuMemPoolSetAccess(own, &access, 1), CUDA_ERROR_INVALID_DEVICE);
	/* Memory outlives its pool, and is of none of the pools that come later. */
	GOOD(cuMemPoolDestroy(own));
	assert_int_equal(cuMemPoolDestroy(own), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemAllocFromPoolAsync(&p, 100, own, NULL), CUDA_ERROR_INVALID_VALUE);
	GOOD(cuDeviceGetMemPool(&now, 0));
	assert_ptr_equal(now, first);
	GOOD(cuPointerGetAttribute(&now, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, q));
	assert_null(now);
	GOOD(cuMemFree(q));
	assert_int_equal(cuMemPoolDestroy(first), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemPoolCreate(&own, NULL), CUDA_ERROR_INVALID_VALUE);
	other.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	assert_int_equal(cuMemPoolCreate(&own, &other), CUDA_ERROR_NOT_SUPPORTED);
	other = props;
	other.location.id = 1;
	assert_int_equal(cuMemPoolCreate(&own, &other), CUDA_ERROR_INVALID_DEVICE);
	other = props;
	other.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
	assert_int_equal(cuMemPoolCreate(&own, &other), CUDA_ERROR_INVALID_VALUE);
}

TEST_AROUND(begin, end)
