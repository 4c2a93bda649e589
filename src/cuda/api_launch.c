/* Registration by compilers, launches, and numbers of functions. */
#include "cuda/api.h"

#include <stdlib.h>

/* -- registration ----------------------------------------------------------------------------------------------------------------------------- */
typedef struct wrapper { /* as compilers write it: __fatBinC_Wrapper_t */
	uint32_t magic, version;
	const void *data;
	void *more;
} wrapper;
enum { WRAPPER_MAGIC = 0x466243b1, WRAPPER_LINKED = 2 /* version: `more` has the units */ };

void **__cudaRegisterFatBinary(void *fatbin)
{
	const wrapper *w = fatbin;
	void **handle = calloc(1, sizeof *handle);
	if (handle)
		*handle = hu_module_new(w && w->magic == WRAPPER_MAGIC ? w->data : fatbin, SIZE_MAX);
	if (handle && w && w->magic == WRAPPER_MAGIC && w->version == WRAPPER_LINKED && w->more)
		hu_module_link(*handle, w->more);
	return handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
	if (handle)
		hu_module_begin(*handle);
}

void __cudaUnregisterFatBinary(void **handle)
{
	if (!handle)
		return;
	hu_module_free(*handle);
	free(handle);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, uint3 *tid, uint3 *bid, dim3 *block,
                            dim3 *grid, int *warp)
{
	(void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
	if (handle)
		hu_register_function(*handle, host, name);
}

void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external, size_t size, int constant, int global)
{
	(void)address, (void)external, (void)constant, (void)global;
	if (handle)
		hu_register_variable(*handle, host, NULL, name, size);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *address, const char *name, int external, size_t size, int constant, int global)
{
	(void)address, (void)external, (void)constant, (void)global;
	if (handle)
		hu_register_variable(*handle, host, host, name, size);
}

char __cudaInitModule(void **handle) { return (char)(handle && hu_start() == cudaSuccess && hu_module_build(*handle) == cudaSuccess); }

void __heddleRegisterManaged(void *begin, void *end) { hu_register_managed(begin, end); }

/* -- the configuration of <<<>>> -------------------------------------------------------------------------------------------------------------- */
typedef struct configuration {
	dim3 grid, block;
	size_t shared;
	void *stream;
} configuration;
enum { CONFIGURATIONS = 16 };
static _Thread_local configuration configurations[CONFIGURATIONS];
static _Thread_local unsigned depth;

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
	if (depth == CONFIGURATIONS)
		return 1;
	configurations[depth++] = (configuration){grid, block, shared, stream};
	return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	if (!depth)
		return hx_remember(cudaErrorMissingConfiguration);
	const configuration *c = &configurations[--depth];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	memcpy(stream, &c->stream, sizeof c->stream);
	return cudaSuccess;
}

/* -- launches --------------------------------------------------------------------------------------------------------------------------------- */
static hu_grid grid_of(dim3 grid, dim3 block, size_t shared, bool cooperative)
{
	return (hu_grid){.grid = {grid.x, grid.y, grid.z}, .block = {block.x, block.y, block.z}, .shared = shared, .cooperative = cooperative};
}

static cudaError_t launch(const void *func, const hu_grid *grid, void **arguments, hu_stream *stream)
{
	hu_function *function;
	cudaError_t error = hu_function_of(func, &function);
	return error ? error : hu_launch(function, grid, arguments, NULL, 0, stream);
}

STREAM_CALL(cudaLaunchKernel, _ptsz, ARGS(func, grid, block, arguments, shared, handle), const void *func, dim3 grid, dim3 block, void **arguments,
            size_t shared, cudaStream_t handle)
{
	STREAM(stream, handle);
	hu_grid g = grid_of(grid, block, shared, false);
	return launch(func, &g, arguments, stream);
}

STREAM_CALL(cudaLaunchCooperativeKernel, _ptsz, ARGS(func, grid, block, arguments, shared, handle), const void *func, dim3 grid, dim3 block,
            void **arguments, size_t shared, cudaStream_t handle)
{
	STREAM(stream, handle);
	hu_grid g = grid_of(grid, block, shared, true);
	return launch(func, &g, arguments, stream);
}

STREAM_CALL(cudaLaunchKernelExC, _ptsz, ARGS(config, func, arguments), const cudaLaunchConfig_t *config, const void *func, void **arguments)
{
	if (!config || (config->numAttrs && !config->attrs))
		return cudaErrorInvalidValue;
	STREAM(stream, config->stream);
	hu_grid g = grid_of(config->gridDim, config->blockDim, config->dynamicSmemBytes, false);
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const cudaLaunchAttribute *a = &config->attrs[i];
		if (a->id == cudaLaunchAttributeCooperative)
			g.cooperative = a->val.cooperative != 0;
		if (a->id == cudaLaunchAttributeClusterDimension && (uint64_t)a->val.clusterDim.x * a->val.clusterDim.y * a->val.clusterDim.z > 1)
			return cudaErrorNotSupported;
	}
	return launch(func, &g, arguments, stream);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t handle);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t handle)
{
	return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared, handle);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t handle);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t handle)
{
	return cudaLaunchKernel_ptsz((const void *)kernel, grid, block, arguments, shared, handle);
}

/* Does not begin the device: programs call it for each kernel before they choose a device. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *func);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *func)
{
	hu_function *function;
	cudaError_t error = hu_function_handle(func, &function);
	*kernel = error ? NULL : (cudaKernel_t)(void *)function;
	return error;
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *func);
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *func)
{
	return hx_remember(kernel ? __cudaGetKernel(kernel, func) : cudaErrorInvalidValue);
}

CALL(cudaGetFuncBySymbol, ARGS(function, func), cudaFunction_t *function, const void *func)
{
	return function ? hu_function_of(func, (hu_function **)function) : cudaErrorInvalidValue;
}

/* -- numbers of functions --------------------------------------------------------------------------------------------------------------------- */
CALL(cudaFuncGetAttributes, ARGS(to, func), struct cudaFuncAttributes *to, const void *func)
{
	hu_function *function;
	hu_function_info info;
	cudaError_t error = to ? hu_function_of(func, &function) : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	hu_function_describe(function, &info);
	*to = (struct cudaFuncAttributes){.sharedSizeBytes = info.shared,
	                                  .constSizeBytes = info.constant,
	                                  .localSizeBytes = info.local,
	                                  .maxThreadsPerBlock = (int)info.threads,
	                                  .numRegs = (int)info.registers,
	                                  .ptxVersion = HU_MAJOR * 10 + HU_MINOR,
	                                  .binaryVersion = HU_MAJOR * 10 + HU_MINOR,
	                                  .maxDynamicSharedSizeBytes = (int)info.dynamic_limit,
	                                  .preferredShmemCarveout = (int)info.carveout};
	return cudaSuccess;
}

CALL(cudaFuncSetAttribute, ARGS(func, which, value), const void *func, enum cudaFuncAttribute which, int value)
{
	hu_function *function;
	cudaError_t error = hu_function_of(func, &function);
	if (error != cudaSuccess)
		return error;
	if (which == cudaFuncAttributeMaxDynamicSharedMemorySize)
		return hu_function_limit(function, value);
	if (which != cudaFuncAttributePreferredSharedMemoryCarveout || value < -1 || value > 100)
		return cudaErrorInvalidValue;
	hu_function_carveout(function, value);
	return cudaSuccess;
}

/* Hints about caches that this machine does not divide. */
CALL(cudaFuncSetCacheConfig, ARGS(func, config), const void *func, enum cudaFuncCache config)
{
	hu_function *function;
	return (unsigned)config > cudaFuncCachePreferEqual ? cudaErrorInvalidValue : hu_function_of(func, &function);
}

CALL(cudaFuncSetSharedMemConfig, ARGS(func, config), const void *func, enum cudaSharedMemConfig config)
{
	hu_function *function;
	(void)config;
	return hu_function_of(func, &function);
}

CALL(cudaFuncGetName, ARGS(name, func), const char **name, const void *func)
{
	hu_function *function;
	hu_function_info info;
	cudaError_t error = name ? hu_function_of(func, &function) : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	hu_function_describe(function, &info);
	*name = info.name;
	return cudaSuccess;
}

CALL(cudaFuncGetParamInfo, ARGS(func, index, offset, size), const void *func, size_t index, size_t *offset, size_t *size)
{
	hu_function *function;
	size_t ignored;
	cudaError_t error = offset ? hu_function_of(func, &function) : cudaErrorInvalidValue;
	if (error == cudaSuccess && !hu_function_parameter(function, index, offset, size ? size : &ignored))
		error = cudaErrorInvalidValue;
	return error;
}

/* -- occupancy -------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t occupancy(int *blocks, const void *func, int threads, size_t shared, unsigned flags)
{
	hu_function *function;
	if (!blocks || threads <= 0 || flags > cudaOccupancyDisableCachingOverride)
		return cudaErrorInvalidValue;
	cudaError_t error = hu_function_of(func, &function);
	if (error == cudaSuccess)
		*blocks = (int)hu_occupancy(function, (uint32_t)threads, shared);
	return error;
}

CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor, ARGS(blocks, func, threads, shared), int *blocks, const void *func, int threads, size_t shared)
{
	return occupancy(blocks, func, threads, shared, cudaOccupancyDefault);
}

CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, ARGS(blocks, func, threads, shared, flags), int *blocks, const void *func, int threads,
     size_t shared, unsigned int flags)
{
	return occupancy(blocks, func, threads, shared, flags);
}

CALL(cudaOccupancyAvailableDynamicSMemPerBlock, ARGS(bytes, func, blocks, threads), size_t *bytes, const void *func, int blocks, int threads)
{
	hu_function *function;
	if (!bytes || blocks <= 0 || threads <= 0)
		return cudaErrorInvalidValue;
	cudaError_t error = hu_function_of(func, &function);
	return error ? error : hu_occupancy_shared(function, (uint32_t)blocks, (uint32_t)threads, bytes);
}
