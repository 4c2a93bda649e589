/* The one device: its beginning, its end, and its numbers. */
#include "cuda/state.h"

hu_device hu = {.graphs = PTHREAD_MUTEX_INITIALIZER};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool started; /* written under `once` */

static void begin(void)
{
	if (!hr_setting_read("CUDA"))
		return;
	hr_priority_mutex_init(&hu.memory_lock);
	hu.memory = hd_memory_new(hr_device.memory);
	hd_memory_set_bounds(hu.memory, hr_device.bounds);
	started = hu_streams_begin();
}

cudaError_t hu_sticky(void) { return (cudaError_t)atomic_load(&hu.sticky); }

cudaError_t hu_start(void)
{
	pthread_once(&once, begin);
	if (!started)
		return cudaErrorNoDevice;
	if (hu_stream_calls())
		return cudaErrorNotPermitted;
	cudaError_t error = hu_context_of_runtime();
	return error ? error : hu_sticky();
}

cudaError_t hu_begin(void)
{
	pthread_once(&once, begin);
	return started ? cudaSuccess : cudaErrorNoDevice;
}

bool hu_begun(void) { return atomic_load(&started); }
bool hu_calls(void) { return hu_stream_calls(); }

hd_memory *hu_memory_take(hr_priority priority)
{
	hr_priority_mutex_lock(&hu.memory_lock, priority);
	return hu.memory;
}

void hu_memory_leave(void) { hr_priority_mutex_unlock(&hu.memory_lock); }

const char *hu_device_name(void) { return hr_device.name; }
uint64_t hu_device_memory(void) { return hr_device.memory; }

cudaError_t hu_bus_id(char *name, int size)
{
	if (!name || size < (int)sizeof HU_BUS_ID)
		return cudaErrorInvalidValue;
	memcpy(name, HU_BUS_ID, sizeof HU_BUS_ID);
	return cudaSuccess;
}

enum { LIMITS = cudaLimitPersistingL2CacheSize + 1 };
static _Atomic size_t limits[LIMITS] = {[cudaLimitStackSize] = 1024,
                                        [cudaLimitPrintfFifoSize] = 1 << 20,
                                        [cudaLimitMallocHeapSize] = 8 << 20,
                                        [cudaLimitDevRuntimeSyncDepth] = 2,
                                        [cudaLimitDevRuntimePendingLaunchCount] = 2048,
                                        [cudaLimitMaxL2FetchGranularity] = 64};

cudaError_t hu_set_limit(unsigned which, size_t value)
{
	if (which >= LIMITS)
		return cudaErrorUnsupportedLimit;
	limits[which] = value;
	return cudaSuccess;
}

cudaError_t hu_limit(size_t *value, unsigned which)
{
	if (!value || which >= LIMITS)
		return value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue;
	*value = limits[which];
	return cudaSuccess;
}

enum { SHARED_DEFAULT = 48 << 10 };

uint32_t hu_shared_most(void) { return hr_device.machine.machine_shared_memory; }
uint32_t hu_shared_default(void) { return hd_min_u32(SHARED_DEFAULT, hu_shared_most()); }

/* -- attributes ------------------------------------------------------------------------------------------------------------------------------- */
static int threads_of_core(void)
{
	const hd_machine *m = &hr_device.machine;
	return (int)(m->machine_schedulers * m->machine_warps * HD_LANES);
}
static int cores(void) { return (int)(hr_device.machine.machine_clusters * hr_device.machine.machine_cores); }
static int block_threads(void) { return (int)hr_group_max(NULL); }
static int clock_khz(void) { return (int)hd_min_u64((uint64_t)hr_device.machine.machine_clock_mhz * 1000, INT32_MAX); }
static int l2_bytes(void) { return (int)hd_min_u64(hr_device.machine.memory_l2_bytes, INT32_MAX); }
static int registers(void) { return (int)hr_device.machine.machine_registers; }
static int shared_default(void) { return (int)hu_shared_default(); }
static int shared_most(void) { return (int)hu_shared_most(); }
static int ctas(void) { return (int)hr_device.machine.machine_max_ctas; }
/* Where races are looked for, blocks run one after the other. */
static int cooperative(void) { return !hr_device.functional || !hr_device.races; }
/* A sector of 32 bytes takes so many cycles of a partition. */
static int bus_bits(void)
{
	const hd_machine *m = &hr_device.machine;
	return (int)(32 * 8 * m->memory_dram_partitions / (m->memory_dram_cycles_per_sector ? m->memory_dram_cycles_per_sector : 1));
}

typedef struct attribute {
	int which;
	int (*function)(void);
	int number;
} attribute;

#define NUMBER(name, value)                                 \
	{                                                   \
		.which = cudaDevAttr##name, .number = value \
	}
#define FUNCTION(name, call)                                 \
	{                                                    \
		.which = cudaDevAttr##name, .function = call \
	}

/* Attributes below the last one that are not listed are 0: textures, surfaces, and features that this device lacks. */
static const attribute attributes[] = {
    FUNCTION(MaxThreadsPerBlock, block_threads),
    FUNCTION(MaxBlockDimX, block_threads),
    FUNCTION(MaxBlockDimY, block_threads),
    NUMBER(MaxBlockDimZ, 64),
    NUMBER(MaxGridDimX, INT32_MAX),
    NUMBER(MaxGridDimY, 65535),
    NUMBER(MaxGridDimZ, 65535),
    FUNCTION(MaxSharedMemoryPerBlock, shared_default),
    NUMBER(TotalConstantMemory, 65536),
    NUMBER(WarpSize, HD_LANES),
    NUMBER(MaxPitch, INT32_MAX),
    FUNCTION(MaxRegistersPerBlock, registers),
    FUNCTION(ClockRate, clock_khz),
    NUMBER(TextureAlignment, 512),
    NUMBER(GpuOverlap, 1),
    FUNCTION(MultiProcessorCount, cores),
    NUMBER(CanMapHostMemory, 1),
    NUMBER(SurfaceAlignment, 512),
    NUMBER(ConcurrentKernels, 1),
    FUNCTION(MemoryClockRate, clock_khz),
    FUNCTION(GlobalMemoryBusWidth, bus_bits),
    FUNCTION(L2CacheSize, l2_bytes),
    FUNCTION(MaxThreadsPerMultiProcessor, threads_of_core),
    NUMBER(AsyncEngineCount, 1),
    NUMBER(UnifiedAddressing, 1),
    NUMBER(TexturePitchAlignment, 32),
    NUMBER(ComputeCapabilityMajor, HU_MAJOR),
    NUMBER(ComputeCapabilityMinor, HU_MINOR),
    NUMBER(StreamPrioritiesSupported, 1),
    NUMBER(GlobalL1CacheSupported, 1),
    NUMBER(LocalL1CacheSupported, 1),
    FUNCTION(MaxSharedMemoryPerMultiprocessor, shared_most),
    FUNCTION(MaxRegistersPerMultiprocessor, registers),
    NUMBER(ManagedMemory, 1),
    NUMBER(SingleToDoublePrecisionPerfRatio, 4),
    NUMBER(CanUseHostPointerForRegisteredMem, 1),
    FUNCTION(CooperativeLaunch, cooperative),
    FUNCTION(MaxSharedMemoryPerBlockOptin, shared_most),
    NUMBER(HostRegisterSupported, 1),
    NUMBER(DirectManagedMemAccessFromHost, 1),
    FUNCTION(MaxBlocksPerMultiprocessor, ctas),
    NUMBER(MemoryPoolsSupported, 1),
};

bool hu_attribute(int which, int *value)
{
	if (which < cudaDevAttrMaxThreadsPerBlock || which >= cudaDevAttrMax)
		return false;
	*value = 0;
	for (size_t i = 0; i < HD_COUNT(attributes); i++)
		if (attributes[i].which == which)
			*value = attributes[i].function ? attributes[i].function() : attributes[i].number;
	return true;
}
