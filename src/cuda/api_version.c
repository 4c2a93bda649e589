/* What differs between versions of the runtime: compiled once for each, with HU_RUNTIME 12 or 13. Entry points whose signature a version has changed,
 * the structure of device properties, and the version itself. */
#include "cuda/core.h"

#include <string.h>

cudaError_t hx_remember(cudaError_t error);

/* The device's properties in the layout of this version. */
#if HU_RUNTIME == 12
typedef struct cudaDeviceProp properties;
enum { FIRST_BYTES = 728 /* of the structure of version 11, which the function without `_v2` fills */ };
#define ONLY_12(field, value) p->field = value
#else
typedef struct properties {
	char name[256];
	cudaUUID_t uuid;
	char luid[8];
	unsigned int luidDeviceNodeMask;
	size_t totalGlobalMem, sharedMemPerBlock;
	int regsPerBlock, warpSize;
	size_t memPitch;
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
	size_t totalConstMem;
	int major, minor;
	size_t textureAlignment, texturePitchAlignment;
	int multiProcessorCount, integrated, canMapHostMemory, textures[39];
	size_t surfaceAlignment;
	int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing;
	int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
	int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
	size_t sharedMemPerMultiprocessor;
	int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
	int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
	size_t sharedMemPerBlockOptin;
	int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
	size_t reservedSharedMemPerBlock;
	int hostRegisterSupported, rest[75];
} properties;
_Static_assert(sizeof(properties) == 1008, "the structure of version 13");
#define ONLY_12(field, value)
#endif

static int number(enum cudaDeviceAttr which)
{
	int value = 0;
	hu_attribute((int)which, &value);
	return value;
}

static void fill(properties *p)
{
	memset(p, 0, sizeof *p);
	strncpy(p->name, hu_device_name(), sizeof p->name - 1);
	memcpy(p->uuid.bytes, "heddle device 0", 16);
	p->totalGlobalMem = hu_device_memory();
	p->sharedMemPerBlock = (size_t)number(cudaDevAttrMaxSharedMemoryPerBlock);
	p->regsPerBlock = number(cudaDevAttrMaxRegistersPerBlock);
	p->warpSize = number(cudaDevAttrWarpSize);
	p->memPitch = (size_t)number(cudaDevAttrMaxPitch);
	p->maxThreadsPerBlock = number(cudaDevAttrMaxThreadsPerBlock);
	for (int i = 0; i < 3; i++) {
		p->maxThreadsDim[i] = number((enum cudaDeviceAttr)(cudaDevAttrMaxBlockDimX + i));
		p->maxGridSize[i] = number((enum cudaDeviceAttr)(cudaDevAttrMaxGridDimX + i));
	}
	ONLY_12(clockRate, number(cudaDevAttrClockRate));
	ONLY_12(deviceOverlap, number(cudaDevAttrGpuOverlap));
	ONLY_12(memoryClockRate, number(cudaDevAttrMemoryClockRate));
	ONLY_12(singleToDoublePrecisionPerfRatio, number(cudaDevAttrSingleToDoublePrecisionPerfRatio));
	p->totalConstMem = (size_t)number(cudaDevAttrTotalConstantMemory);
	p->major = HU_MAJOR;
	p->minor = HU_MINOR;
	p->textureAlignment = (size_t)number(cudaDevAttrTextureAlignment);
	p->texturePitchAlignment = (size_t)number(cudaDevAttrTexturePitchAlignment);
	p->surfaceAlignment = (size_t)number(cudaDevAttrSurfaceAlignment);
	p->multiProcessorCount = number(cudaDevAttrMultiProcessorCount);
	p->canMapHostMemory = number(cudaDevAttrCanMapHostMemory);
	p->concurrentKernels = number(cudaDevAttrConcurrentKernels);
	p->pciBusID = 1;
	p->asyncEngineCount = number(cudaDevAttrAsyncEngineCount);
	p->unifiedAddressing = number(cudaDevAttrUnifiedAddressing);
	p->memoryBusWidth = number(cudaDevAttrGlobalMemoryBusWidth);
	p->l2CacheSize = number(cudaDevAttrL2CacheSize);
	p->maxThreadsPerMultiProcessor = number(cudaDevAttrMaxThreadsPerMultiProcessor);
	p->streamPrioritiesSupported = number(cudaDevAttrStreamPrioritiesSupported);
	p->globalL1CacheSupported = number(cudaDevAttrGlobalL1CacheSupported);
	p->localL1CacheSupported = number(cudaDevAttrLocalL1CacheSupported);
	p->sharedMemPerMultiprocessor = (size_t)number(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
	p->regsPerMultiprocessor = number(cudaDevAttrMaxRegistersPerMultiprocessor);
	p->managedMemory = number(cudaDevAttrManagedMemory);
	p->canUseHostPointerForRegisteredMem = number(cudaDevAttrCanUseHostPointerForRegisteredMem);
	p->cooperativeLaunch = number(cudaDevAttrCooperativeLaunch);
	p->sharedMemPerBlockOptin = (size_t)number(cudaDevAttrMaxSharedMemoryPerBlockOptin);
	p->directManagedMemAccessFromHost = number(cudaDevAttrDirectManagedMemAccessFromHost);
	p->maxBlocksPerMultiProcessor = number(cudaDevAttrMaxBlocksPerMultiprocessor);
	p->hostRegisterSupported = number(cudaDevAttrHostRegisterSupported);
}

static cudaError_t get(void *to, int device, size_t bytes)
{
	properties p;
	cudaError_t error = hu_start();
	if (error == cudaSuccess && !to)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess && device)
		error = cudaErrorInvalidDevice;
	if (error != cudaSuccess)
		return hx_remember(error);
	fill(&p);
	memcpy(to, &p, bytes);
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(void *to, int device);
cudaError_t cudaGetDeviceProperties_v2(void *to, int device);
cudaError_t cudaGetDeviceProperties_v2(void *to, int device) { return get(to, device, sizeof(properties)); }
#if HU_RUNTIME == 12
cudaError_t cudaGetDeviceProperties(void *to, int device) { return get(to, device, FIRST_BYTES); }
#else
cudaError_t cudaGetDeviceProperties(void *to, int device) { return get(to, device, sizeof(properties)); }
#endif

enum { VERSION = HU_RUNTIME == 12 ? 12080 : 13000 };

static cudaError_t version(int *to)
{
	if (!to)
		return hx_remember(cudaErrorInvalidValue);
	*to = VERSION;
	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *to);
cudaError_t cudaDriverGetVersion(int *to);
cudaError_t cudaRuntimeGetVersion(int *to) { return version(to); }
cudaError_t cudaDriverGetVersion(int *to) { return version(to); }

/* -- hints about managed memory, which is always on both sides: the block has to be managed, and the place has to exist ----------------------- */
static cudaError_t hint(const void *pointer, size_t count, bool place)
{
	cudaError_t error = hu_start();
	hu_block block = hu_find((uint64_t)(uintptr_t)pointer);
	if (error == cudaSuccess && (block.kind != HU_MANAGED || !count || count > block.size - ((uint64_t)(uintptr_t)pointer - block.address)))
		error = cudaErrorInvalidValue;
	return hx_remember(error == cudaSuccess && !place ? cudaErrorInvalidDevice : error);
}

#if HU_RUNTIME == 12
static bool is_number(int device) { return device == 0 || device == cudaCpuDeviceId; }
#endif
static bool is_location(struct cudaMemLocation l) { return l.type != cudaMemLocationTypeDevice || l.id == 0; }

#define PREFETCH(name, type, is, ...)                                                              \
	cudaError_t name(const void *pointer, size_t count, type place __VA_ARGS__, void *stream); \
	cudaError_t name(const void *pointer, size_t count, type place __VA_ARGS__, void *stream) { return hint(pointer, count, is(place)); }
#define COMMA ,
#define ADVISE(name, type, is)                                                                                          \
	cudaError_t name(const void *pointer, size_t count, int advice, type place);                                    \
	cudaError_t name(const void *pointer, size_t count, int advice, type place)                                     \
	{                                                                                                               \
		return advice < 1 || advice > 6 ? hx_remember(cudaErrorInvalidValue) : hint(pointer, count, is(place)); \
	}

PREFETCH(cudaMemPrefetchAsync_v2, struct cudaMemLocation, is_location, COMMA unsigned flags)
PREFETCH(cudaMemPrefetchAsync_v2_ptsz, struct cudaMemLocation, is_location, COMMA unsigned flags)
ADVISE(cudaMemAdvise_v2, struct cudaMemLocation, is_location)
#if HU_RUNTIME == 12
PREFETCH(cudaMemPrefetchAsync, int, is_number, )
PREFETCH(cudaMemPrefetchAsync_ptsz, int, is_number, )
ADVISE(cudaMemAdvise, int, is_number)
#else
PREFETCH(cudaMemPrefetchAsync, struct cudaMemLocation, is_location, COMMA unsigned flags)
PREFETCH(cudaMemPrefetchAsync_ptsz, struct cudaMemLocation, is_location, COMMA unsigned flags)
ADVISE(cudaMemAdvise, struct cudaMemLocation, is_location)
#endif
