/* Functions of the driver interface: launches, numbers, occupancy. */
#include "cuda/driver.h"

cudaError_t hx_function(const void *handle, hu_function **function)
{
	if (!handle || hu_function_handle(handle, function) != cudaSuccess || (const void *)*function != handle)
		return cudaErrorInvalidResourceHandle;
	return hu_function_of(handle, function);
}

/* -- launches --------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t launch(CUfunction handle, const hu_grid *grid, void **arguments, void **extra, hu_stream *stream)
{
	FUNCTION(function, handle);
	const void *packed;
	size_t size;
	if (arguments && extra)
		return cudaErrorInvalidValue;
	cudaError_t error = hu_packed(extra, &packed, &size);
	return error ? error : hu_launch(function, grid, arguments, packed, size, stream);
}

DRIVER_STREAM(cuLaunchKernel, _ptsz, ARGS(handle, gx, gy, gz, bx, by, bz, shared, to, arguments, extra), CUfunction handle, unsigned int gx,
              unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared, CUstream to, void **arguments,
              void **extra)
{
	STREAM(stream, to);
	hu_grid grid = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared};
	return launch(handle, &grid, arguments, extra, stream);
}

DRIVER_STREAM(cuLaunchCooperativeKernel, _ptsz, ARGS(handle, gx, gy, gz, bx, by, bz, shared, to, arguments), CUfunction handle, unsigned int gx,
              unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared, CUstream to, void **arguments)
{
	STREAM(stream, to);
	hu_grid grid = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .cooperative = true};
	return launch(handle, &grid, arguments, NULL, stream);
}

DRIVER_STREAM(cuLaunchKernelEx, _ptsz, ARGS(config, handle, arguments, extra), const CUlaunchConfig *config, CUfunction handle, void **arguments,
              void **extra)
{
	if (!config || (config->numAttrs && !config->attrs))
		return cudaErrorInvalidValue;
	STREAM(stream, config->hStream);
	hu_grid grid = {.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
	                .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
	                .shared = config->sharedMemBytes};
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const CUlaunchAttribute *a = &config->attrs[i];
		if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
			grid.cooperative = a->value.cooperative != 0;
		if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
		    (uint64_t)a->value.clusterDim.x * a->value.clusterDim.y * a->value.clusterDim.z > 1)
			return cudaErrorNotSupported;
	}
	return launch(handle, &grid, arguments, extra, stream);
}

DRIVER_STREAM(cuLaunchHostFunc, _ptsz, ARGS(handle, call, data), CUstream handle, CUhostFn call, void *data)
{
	STREAM(stream, handle);
	return call ? hu_stream_call(stream, call, NULL, handle, data) : cudaErrorInvalidValue;
}

/* -- numbers ------------------------------------------------------------------------------------------------------------------------------------ */
static cudaError_t get_attribute(int *value, CUfunction_attribute which, const void *handle)
{
	hu_function_info info;
	FUNCTION(function, handle);
	if (!value || (unsigned)which >= CU_FUNC_ATTRIBUTE_MAX)
		return cudaErrorInvalidValue;
	hu_function_describe(function, &info);
	const int64_t numbers[CU_FUNC_ATTRIBUTE_MAX] = {[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = info.threads,
	                                                [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = info.shared,
	                                                [CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int64_t)info.constant,
	                                                [CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = info.local,
	                                                [CU_FUNC_ATTRIBUTE_NUM_REGS] = info.registers,
	                                                [CU_FUNC_ATTRIBUTE_PTX_VERSION] = HU_MAJOR * 10 + HU_MINOR,
	                                                [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = HU_MAJOR * 10 + HU_MINOR,
	                                                [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = info.dynamic_limit,
	                                                [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = (int32_t)info.carveout};
	*value = (int)numbers[which];
	return cudaSuccess;
}

static cudaError_t set_attribute(CUfunction_attribute which, int value, const void *handle)
{
	FUNCTION(function, handle);
	if (which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
		return hu_function_limit(function, value);
	if (which != CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT || value < -1 || value > 100)
		return cudaErrorInvalidValue;
	hu_function_carveout(function, value);
	return cudaSuccess;
}

static cudaError_t set_hint(const void *handle, unsigned config, unsigned most)
{
	FUNCTION(function, handle);
	(void)function;
	return config > most ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t get_name(const char **name, const void *handle)
{
	hu_function_info info;
	FUNCTION(function, handle);
	if (!name)
		return cudaErrorInvalidValue;
	hu_function_describe(function, &info);
	*name = info.name;
	return cudaSuccess;
}

static cudaError_t get_parameter(const void *handle, size_t place, size_t *offset, size_t *size)
{
	size_t ignored;
	FUNCTION(function, handle);
	if (!offset)
		return cudaErrorInvalidValue;
	return hu_function_parameter(function, place, offset, size ? size : &ignored) ? cudaSuccess : cudaErrorInvalidValue;
}

DRIVER(cuFuncGetAttribute, ARGS(value, which, handle), int *value, CUfunction_attribute which, CUfunction handle)
{
	return get_attribute(value, which, handle);
}

DRIVER(cuFuncSetAttribute, ARGS(handle, which, value), CUfunction handle, CUfunction_attribute which, int value)
{
	return set_attribute(which, value, handle);
}

DRIVER(cuFuncSetCacheConfig, ARGS(handle, config), CUfunction handle, CUfunc_cache config)
{
	return set_hint(handle, config, CU_FUNC_CACHE_PREFER_EQUAL);
}

DRIVER(cuFuncSetSharedMemConfig, ARGS(handle, config), CUfunction handle, CUsharedconfig config)
{
	return set_hint(handle, config, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
}

DRIVER(cuFuncGetName, ARGS(name, handle), const char **name, CUfunction handle) { return get_name(name, handle); }

DRIVER(cuFuncGetParamInfo, ARGS(handle, place, offset, size), CUfunction handle, size_t place, size_t *offset, size_t *size)
{
	return get_parameter(handle, place, offset, size);
}

DRIVER(cuFuncLoad, ARGS(handle), CUfunction handle) { return set_hint(handle, 0, 0); }

DRIVER(cuFuncIsLoaded, ARGS(state, handle), CUfunctionLoadingState *state, CUfunction handle)
{
	if (!state)
		return cudaErrorInvalidValue;
	*state = CU_FUNCTION_LOADING_STATE_LOADED;
	return set_hint(handle, 0, 0);
}

/* Kernels of libraries are the same objects. */
DRIVER(cuKernelGetFunction, ARGS(function, kernel), CUfunction *function, CUkernel kernel)
{
	FUNCTION(found, kernel);
	if (!function)
		return cudaErrorInvalidValue;
	*function = (CUfunction)(void *)found;
	return cudaSuccess;
}

DRIVER(cuKernelGetAttribute, ARGS(value, which, kernel, device), int *value, CUfunction_attribute which, CUkernel kernel, CUdevice device)
{
	return device ? cudaErrorInvalidDevice : get_attribute(value, which, kernel);
}

DRIVER(cuKernelSetAttribute, ARGS(which, value, kernel, device), CUfunction_attribute which, int value, CUkernel kernel, CUdevice device)
{
	return device ? cudaErrorInvalidDevice : set_attribute(which, value, kernel);
}

DRIVER(cuKernelSetCacheConfig, ARGS(kernel, config, device), CUkernel kernel, CUfunc_cache config, CUdevice device)
{
	return device ? cudaErrorInvalidDevice : set_hint(kernel, config, CU_FUNC_CACHE_PREFER_EQUAL);
}

DRIVER_ANY(cuKernelGetName, ARGS(name, kernel), const char **name, CUkernel kernel) { return get_name(name, kernel); }

DRIVER_ANY(cuKernelGetParamInfo, ARGS(kernel, place, offset, size), CUkernel kernel, size_t place, size_t *offset, size_t *size)
{
	return get_parameter(kernel, place, offset, size);
}

/* -- occupancy -------------------------------------------------------------------------------------------------------------------------------- */
DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, ARGS(blocks, handle, threads, shared, flags), int *blocks, CUfunction handle,
       int threads, size_t shared, unsigned int flags)
{
	FUNCTION(function, handle);
	if (!blocks || threads <= 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return cudaErrorInvalidValue;
	*blocks = (int)hu_occupancy(function, (uint32_t)threads, shared);
	return cudaSuccess;
}

DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor, ARGS(blocks, handle, threads, shared), int *blocks, CUfunction handle, int threads, size_t shared)
{
	return do_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, handle, threads, shared, CU_OCCUPANCY_DEFAULT);
}

DRIVER(cuOccupancyAvailableDynamicSMemPerBlock, ARGS(bytes, handle, blocks, threads), size_t *bytes, CUfunction handle, int blocks, int threads)
{
	FUNCTION(function, handle);
	if (!bytes || blocks <= 0 || threads <= 0)
		return cudaErrorInvalidValue;
	return hu_occupancy_shared(function, (uint32_t)blocks, (uint32_t)threads, bytes);
}

/* The block with which most threads of a core run; the largest such. */
DRIVER(cuOccupancyMaxPotentialBlockSizeWithFlags, ARGS(grid, block, handle, shared_of, shared, limit, flags), int *grid, int *block,
       CUfunction handle, CUoccupancyB2DSize shared_of, size_t shared, int limit, unsigned int flags)
{
	hu_function_info info;
	int cores = 0, warp = 32;
	FUNCTION(function, handle);
	if (!grid || !block || limit < 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return cudaErrorInvalidValue;
	hu_function_describe(function, &info);
	hu_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &cores);
	int most = limit && limit < (int)info.threads ? limit : (int)info.threads;
	uint32_t best = 0;
	*grid = *block = 0;
	for (int threads = (most + warp - 1) / warp * warp; threads > 0; threads -= warp) {
		int one = threads < most ? threads : most;
		uint32_t blocks = hu_occupancy(function, (uint32_t)one, shared_of ? shared_of(one) : shared);
		if (blocks * (uint32_t)one <= best)
			continue;
		best = blocks * (uint32_t)one;
		*block = one;
		*grid = (int)blocks * cores;
	}
	return cudaSuccess;
}

DRIVER(cuOccupancyMaxPotentialBlockSize, ARGS(grid, block, handle, shared_of, shared, limit), int *grid, int *block, CUfunction handle,
       CUoccupancyB2DSize shared_of, size_t shared, int limit)
{
	return do_cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, handle, shared_of, shared, limit, CU_OCCUPANCY_DEFAULT);
}
