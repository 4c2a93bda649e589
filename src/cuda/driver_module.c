/* Modules, libraries, the linker, functions and launches of the driver interface. */
#include "cuda/driver.h"

#include <stdlib.h>

cudaError_t hu_api_function(const void *handle, hu_function **function)
{
	if (!handle || hu_function_handle(handle, function) != cudaSuccess || (const void *)*function != handle)
		return cudaErrorInvalidResourceHandle;
	return hu_function_of(handle, function);
}

/* -- the linker --------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t create_link(unsigned n, const CUjit_option *options, void **values, CUlinkState *state)
{
	hu_jit j;
	cudaError_t error = state ? hu_jit_read(&j, n, (const int *)options, values, values) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*state = hu_link_new(n, (const int *)options, values);
	return error;
}

/* The options of the beginning hold for messages of all later calls. */
static cudaError_t link_options(hu_link *link, hu_jit *j)
{
	const int *options;
	void *const *first;
	void **values;
	unsigned n = hu_link_options(link, &options, &first, &values);
	return hu_jit_read(j, n, options, first, values);
}

static cudaError_t add(CUlinkState state, CUjitInputType type, const void *data, size_t size)
{
	hu_jit j;
	char *log = NULL;
	if (!hu_link_is(state) || !data || !size)
		return hu_link_is(state) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY && type != CU_JIT_INPUT_CUBIN)
		return (unsigned)type < CU_JIT_NUM_INPUT_TYPES ? cudaErrorNotSupported : cudaErrorInvalidValue;
	cudaError_t error = link_options(state, &j);
	if (error != cudaSuccess)
		return error;
	error = hu_link_add(state, data, size, &log);
	hu_jit_write(&j, log);
	return error;
}

static cudaError_t add_data(CUlinkState state, CUjitInputType type, const void *data, size_t size, unsigned n, const CUjit_option *options,
                            void **values)
{
	hu_jit j;
	cudaError_t error = hu_jit_read(&j, n, (const int *)options, values, values);
	return error ? error : add(state, type, data, size);
}

static cudaError_t add_file(CUlinkState state, CUjitInputType type, const char *path, unsigned n, const CUjit_option *options, void **values)
{
	hu_jit j;
	size_t size;
	cudaError_t error = path ? hu_jit_read(&j, n, (const int *)options, values, values) : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	char *bytes = hu_read_file(path, &size);
	error = bytes ? add(state, type, bytes, size) : cudaErrorFileNotFound;
	free(bytes);
	return error;
}

static cudaError_t complete(CUlinkState state, void **image, size_t *size)
{
	hu_jit j;
	char *log = NULL;
	size_t ignored;
	if (!hu_link_is(state) || !image)
		return image ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	cudaError_t error = link_options(state, &j);
	if (error != cudaSuccess)
		return error;
	error = hu_link_end(state, &log, image, size ? size : &ignored);
	hu_jit_write(&j, log);
	return error;
}

/* -- launches ----------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t launch(CUfunction handle, hu_grid grid, void **arguments, void **extra, hu_stream *stream)
{
	hu_function *function;
	const void *packed;
	size_t size;
	cudaError_t error = stream ? hu_api_function(handle, &function) : cudaErrorInvalidResourceHandle;
	if (error == cudaSuccess)
		error = arguments && extra ? cudaErrorInvalidValue : hu_packed(extra, &packed, &size);
	return error ? error : hu_launch(function, &grid, arguments, packed, size, stream);
}

static cudaError_t launch_config(const CUlaunchConfig *config, CUfunction handle, void **arguments, void **extra, hu_stream *stream)
{
	if (!config || (config->numAttrs && !config->attrs))
		return cudaErrorInvalidValue;
	hu_grid grid = {.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
	                .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
	                .shared = config->sharedMemBytes};
	for (unsigned i = 0; stream && i < config->numAttrs; i++) {
		const CUlaunchAttribute *a = &config->attrs[i];
		if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
			grid.cooperative = a->value.cooperative != 0;
		if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
		    (uint64_t)a->value.clusterDim.x * a->value.clusterDim.y * a->value.clusterDim.z > 1)
			return cudaErrorNotSupported;
	}
	return launch(handle, grid, arguments, extra, stream);
}

/* -- functions ---------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t get_attribute(int *value, CUfunction_attribute which, const void *handle)
{
	hu_function *function;
	hu_function_info info;
	cudaError_t error = hu_api_function(handle, &function);
	if (error || !value || (unsigned)which >= CU_FUNC_ATTRIBUTE_MAX)
		return error ? error : cudaErrorInvalidValue;
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
	hu_function *function;
	cudaError_t error = hu_api_function(handle, &function);
	if (error != cudaSuccess)
		return error;
	if (which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
		return hu_function_limit(function, value);
	return which == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT ? hu_function_carveout(function, value) : cudaErrorInvalidValue;
}

static cudaError_t hint(const void *handle, unsigned config, unsigned most)
{
	hu_function *function;
	cudaError_t error = hu_api_function(handle, &function);
	return error ? error : config > most ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t get_name(const char **name, const void *handle)
{
	hu_function *function;
	hu_function_info info;
	cudaError_t error = hu_api_function(handle, &function);
	if (error || !name)
		return error ? error : cudaErrorInvalidValue;
	hu_function_describe(function, &info);
	*name = info.name;
	return cudaSuccess;
}

static cudaError_t get_parameter(const void *handle, size_t place, size_t *offset, size_t *size)
{
	hu_function *function;
	cudaError_t error = hu_api_function(handle, &function);
	return error ? error : hu_function_parameter(function, place, offset, size);
}

static cudaError_t function_of(CUfunction *to, CUkernel kernel)
{
	hu_function *function;
	cudaError_t error = hu_api_function(kernel, &function);
	return error ? error : PUT(to, function);
}

/* The module or the library that a function is of. */
static cudaError_t module_of(void *to, const void *handle)
{
	hu_function *function;
	cudaError_t error = to ? hu_api_function(handle, &function) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		memcpy(to, &(hu_module *){hu_module_of(function)}, sizeof(hu_module *));
	return error;
}

/* -- occupancy ---------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t occupancy(int *blocks, CUfunction handle, int threads, size_t shared, unsigned flags)
{
	hu_function *function;
	cudaError_t error = hu_api_function(handle, &function);
	if (error || !blocks || threads <= 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return error ? error : cudaErrorInvalidValue;
	*blocks = (int)hu_occupancy(function, (uint32_t)threads, shared);
	return cudaSuccess;
}

static cudaError_t shared_left(size_t *bytes, CUfunction handle, int blocks, int threads)
{
	hu_function *function;
	cudaError_t error = hu_api_function(handle, &function);
	if (error || !bytes || blocks <= 0 || threads <= 0)
		return error ? error : cudaErrorInvalidValue;
	return hu_occupancy_shared(function, (uint32_t)blocks, (uint32_t)threads, bytes);
}

/* The block with which most threads of a core run; the largest such. */
static cudaError_t best_block(int *grid, int *block, CUfunction handle, CUoccupancyB2DSize shared_of, size_t shared, int limit, unsigned flags)
{
	hu_function *function;
	hu_function_info info;
	int cores = 0, warp = 32;
	cudaError_t error = hu_api_function(handle, &function);
	if (error || !grid || !block || limit < 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return error ? error : cudaErrorInvalidValue;
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

#include "cuda/module.def"
