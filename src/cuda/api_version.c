#define _GNU_SOURCE /* dladdr */
/* The parts that differ between versions of the runtime, compiled once for each, with HU_RUNTIME 12 or 13: entry points whose signature a version has
 * changed, the structure of device properties, and the version itself. */
#include "cuda/api.h"

#include <dlfcn.h>
#include <stdio.h>

/* The device's properties in the layout of this version. */
#if HU_RUNTIME == 12
typedef struct cudaDeviceProp properties;
enum { FIRST_BYTES = 728 /* of the structure of version 11 */ };
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
enum { FIRST_BYTES = sizeof(properties) };
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
	if (!to || device)
		return to ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	fill(&p);
	memcpy(to, &p, bytes);
	return cudaSuccess;
}

RUNTIME(cudaGetDeviceProperties, (void *to, int device), get(to, device, FIRST_BYTES))
RUNTIME(cudaGetDeviceProperties_v2, (void *to, int device), get(to, device, sizeof(properties)))

enum { VERSION = HU_RUNTIME == 12 ? 12080 : 13000 };

cudaError_t cudaRuntimeGetVersion(int *to);
cudaError_t cudaDriverGetVersion(int *to);
cudaError_t cudaRuntimeGetVersion(int *to) { return hu_api_remember(PUT(to, VERSION)); }
cudaError_t cudaDriverGetVersion(int *to) { return hu_api_remember(PUT(to, HU_DRIVER_VERSION)); }

/* -- functions of the driver interface ------------------------------------------------------------------------------------------------------- */
typedef int (*get_address)(const char *symbol, void **function, int version, uint64_t flags, enum cudaDriverEntryPointQueryResult *status);

/* The driver interface's library, which is in the folder of the device's: another one of this name would be another device's. */
static get_address driver(void)
{
	Dl_info info;
	char path[4096];
	get_address function = NULL;
	void *start = NULL;
	memcpy(&start, &(cudaError_t(*)(void)){hu_start}, sizeof start);
	if (!dladdr(start, &info) || !info.dli_fname || !strrchr(info.dli_fname, '/'))
		return NULL;
	int folder = (int)(strrchr(info.dli_fname, '/') - info.dli_fname);
	if (snprintf(path, sizeof path, "%.*s/libcuda.so.1", folder, info.dli_fname) >= (int)sizeof path)
		return NULL;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	void *address = library ? dlsym(library, "cuGetProcAddress_v2") : NULL;
	if (library)
		dlclose(library);
	memcpy(&function, &address, sizeof function);
	return function;
}

static cudaError_t driver_entry(const char *symbol, void **function, unsigned of_version, uint64_t flags, bool per_thread,
                                enum cudaDriverEntryPointQueryResult *status)
{
	enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
	if (!symbol || !function || flags > cudaEnablePerThreadDefaultStream)
		return hu_api_remember(cudaErrorInvalidValue);
	get_address of_name = driver();
	*function = NULL;
	if (of_name)
		of_name(symbol, function, (int)of_version,
		        flags        ? flags
		        : per_thread ? cudaEnablePerThreadDefaultStream
		                     : cudaEnableLegacyStream,
		        &found);
	if (status)
		*status = found;
	return hu_api_remember(*function || status ? cudaSuccess : cudaErrorSymbolNotFound);
}

#define ENTRY_POINT(name, per_thread)                                                                                                  \
	cudaError_t name(const char *symbol, void **function, unsigned long long flags, enum cudaDriverEntryPointQueryResult *status); \
	cudaError_t name(const char *symbol, void **function, unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)  \
	{                                                                                                                              \
		return driver_entry(symbol, function, VERSION, flags, per_thread, status);                                             \
	}
#define ENTRY_POINT_BY_VERSION(name, per_thread)                                                             \
	cudaError_t name(const char *symbol, void **function, unsigned of_version, unsigned long long flags, \
	                 enum cudaDriverEntryPointQueryResult *status);                                      \
	cudaError_t name(const char *symbol, void **function, unsigned of_version, unsigned long long flags, \
	                 enum cudaDriverEntryPointQueryResult *status)                                       \
	{                                                                                                    \
		return driver_entry(symbol, function, of_version, flags, per_thread, status);                \
	}
ENTRY_POINT(cudaGetDriverEntryPoint, false)
ENTRY_POINT(cudaGetDriverEntryPoint_ptsz, true)
ENTRY_POINT_BY_VERSION(cudaGetDriverEntryPointByVersion, false)
ENTRY_POINT_BY_VERSION(cudaGetDriverEntryPointByVersion_ptsz, true)

/* -- hints about managed memory, which is always on both sides: the block has to be managed, and the place has to exist ----------------------- */
static bool is_location(struct cudaMemLocation l) { return l.type != cudaMemLocationTypeDevice || l.id == 0; }

static cudaError_t advise(const void *pointer, size_t count, int advice, bool place)
{
	return advice < 1 || advice > 6 ? cudaErrorInvalidValue : hu_hint(ADDRESS(pointer), count, place);
}

RUNTIME_STREAM(cudaMemPrefetchAsync_v2, _ptsz, (const void *pointer, size_t count, struct cudaMemLocation place, unsigned flags, void *stream),
               hu_hint(ADDRESS(pointer), count, is_location(place)))
RUNTIME(cudaMemAdvise_v2, (const void *pointer, size_t count, int advice, struct cudaMemLocation place),
        advise(pointer, count, advice, is_location(place)))
#if HU_RUNTIME == 12
static bool is_number(int device) { return device == 0 || device == cudaCpuDeviceId; }
RUNTIME_STREAM(cudaMemPrefetchAsync, _ptsz, (const void *pointer, size_t count, int place, void *stream),
               hu_hint(ADDRESS(pointer), count, is_number(place)))
RUNTIME(cudaMemAdvise, (const void *pointer, size_t count, int advice, int place), advise(pointer, count, advice, is_number(place)))
#else
RUNTIME_STREAM(cudaMemPrefetchAsync, _ptsz, (const void *pointer, size_t count, struct cudaMemLocation place, unsigned flags, void *stream),
               hu_hint(ADDRESS(pointer), count, is_location(place)))
RUNTIME(cudaMemAdvise, (const void *pointer, size_t count, int advice, struct cudaMemLocation place),
        advise(pointer, count, advice, is_location(place)))
#endif
