/* Registration by compilers, launches, functions and libraries of the runtime interface. */
#include "cuda/api.h"

#include "cuda/cuda_runtime_api.h"

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
		return hu_api_remember(cudaErrorMissingConfiguration);
	const configuration *c = &configurations[--depth];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	memcpy(stream, &c->stream, sizeof c->stream);
	return cudaSuccess;
}

/* -- launches --------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t launch(const void *func, dim3 grid, dim3 block, size_t shared, bool cooperative, void **arguments, hu_stream *stream)
{
	hu_function *function;
	hu_grid g = {.grid = {grid.x, grid.y, grid.z}, .block = {block.x, block.y, block.z}, .shared = shared, .cooperative = cooperative};
	cudaError_t error = stream ? hu_function_of(func, &function) : cudaErrorInvalidResourceHandle;
	return error ? error : hu_launch(function, &g, arguments, NULL, 0, stream);
}

static cudaError_t launch_config(const cudaLaunchConfig_t *config, const void *func, void **arguments, hu_stream *stream)
{
	bool cooperative = false;
	if (!config || (config->numAttrs && !config->attrs))
		return cudaErrorInvalidValue;
	for (unsigned i = 0; stream && i < config->numAttrs; i++) {
		const cudaLaunchAttribute *a = &config->attrs[i];
		if (a->id == cudaLaunchAttributeCooperative)
			cooperative = a->val.cooperative != 0;
		if (a->id == cudaLaunchAttributeClusterDimension && (uint64_t)a->val.clusterDim.x * a->val.clusterDim.y * a->val.clusterDim.z > 1)
			return cudaErrorNotSupported;
	}
	return launch(func, config->gridDim, config->blockDim, config->dynamicSmemBytes, cooperative, arguments, stream);
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
	return hu_api_remember(kernel ? __cudaGetKernel(kernel, func) : cudaErrorInvalidValue);
}

/* -- functions -------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t get_attributes(struct cudaFuncAttributes *to, const void *func)
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

static cudaError_t set_attribute(enum cudaFuncAttribute which, int value, const void *func)
{
	hu_function *function;
	cudaError_t error = hu_function_of(func, &function);
	if (error != cudaSuccess)
		return error;
	if (which == cudaFuncAttributeMaxDynamicSharedMemorySize)
		return hu_function_limit(function, value);
	return which == cudaFuncAttributePreferredSharedMemoryCarveout ? hu_function_carveout(function, value) : cudaErrorInvalidValue;
}

static cudaError_t get_name(const char **name, const void *func)
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

static cudaError_t get_parameter(const void *func, size_t place, size_t *offset, size_t *size)
{
	hu_function *function;
	cudaError_t error = offset ? hu_function_of(func, &function) : cudaErrorInvalidValue;
	return error ? error : hu_function_parameter(function, place, offset, size);
}

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

static cudaError_t shared_left(size_t *bytes, const void *func, int blocks, int threads)
{
	hu_function *function;
	if (!bytes || blocks <= 0 || threads <= 0)
		return cudaErrorInvalidValue;
	cudaError_t error = hu_function_of(func, &function);
	return error ? error : hu_occupancy_shared(function, (uint32_t)blocks, (uint32_t)threads, bytes);
}

/* A result for a library that the handle stands for. */
#define OF(library, result) (hu_module_is(library) ? (result) : cudaErrorInvalidResourceHandle)
typedef struct CUlib_st *CUlibrary;

#include "cuda/module.def"
