/* Modules of the driver interface, and its linker. */
#include "cuda/driver.h"

#include <stdlib.h>

DRIVER(cuModuleLoad, ARGS(module, path), CUmodule *module, const char *path) { return hu_jit_load_file(module, path, true, 0, NULL, NULL); }
DRIVER(cuModuleLoadData, ARGS(module, image), CUmodule *module, const void *image)
{
	return hu_jit_load(module, image, SIZE_MAX, true, 0, NULL, NULL);
}

DRIVER(cuModuleLoadDataEx, ARGS(module, image, n, options, values), CUmodule *module, const void *image, unsigned int n, CUjit_option *options,
       void **values)
{
	return hu_jit_load(module, image, SIZE_MAX, true, n, (const int *)options, values);
}

DRIVER(cuModuleLoadFatBinary, ARGS(module, image), CUmodule *module, const void *image)
{
	return hu_jit_load(module, image, SIZE_MAX, true, 0, NULL, NULL);
}

DRIVER(cuModuleUnload, ARGS(module), CUmodule module)
{
	if (!hu_module_is(module))
		return cudaErrorInvalidResourceHandle;
	hu_module_free((hu_module *)module);
	return cudaSuccess;
}

/* Any of several names for a module. */
static cudaError_t function_named(void *to, const void *module, const char *name)
{
	hu_function *function;
	if (!to || !name)
		return cudaErrorInvalidValue;
	cudaError_t error = hu_module_is(module) ? hu_module_function((hu_module *)module, name, &function) : cudaErrorInvalidResourceHandle;
	if (error == cudaSuccess)
		memcpy(to, &function, sizeof function);
	return error;
}

static cudaError_t variable_named(CUdeviceptr *at, size_t *bytes, const void *module, const char *name)
{
	uint64_t address, size;
	if (!name || (!at && !bytes))
		return cudaErrorInvalidValue;
	cudaError_t error = hu_module_is(module) ? hu_module_variable((hu_module *)module, name, &address, &size) : cudaErrorInvalidResourceHandle;
	if (error == cudaSuccess && at)
		*at = address;
	if (error == cudaSuccess && bytes)
		*bytes = size;
	return error;
}

static cudaError_t count(unsigned *n, const void *module)
{
	if (!n || !hu_module_is(module))
		return n ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	for (*n = 0; hu_module_kernel((hu_module *)module, *n);)
		++*n;
	return cudaSuccess;
}

static cudaError_t enumerate(void *to, unsigned n, const void *module)
{
	if (!to || !hu_module_is(module))
		return to ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++) {
		hu_function *function = hu_module_kernel((hu_module *)module, i);
		if (!function)
			break;
		memcpy((char *)to + i * sizeof function, &function, sizeof function);
	}
	return cudaSuccess;
}

DRIVER(cuModuleGetFunction, ARGS(function, module, name), CUfunction *function, CUmodule module, const char *name)
{
	return function_named(function, module, name);
}

DRIVER(cuModuleGetGlobal_v2, ARGS(at, bytes, module, name), CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name)
{
	return variable_named(at, bytes, module, name);
}

DRIVER(cuModuleGetFunctionCount, ARGS(n, module), unsigned int *n, CUmodule module) { return count(n, module); }

DRIVER(cuModuleEnumerateFunctions, ARGS(functions, n, module), CUfunction *functions, unsigned int n, CUmodule module)
{
	return enumerate(functions, n, module);
}

DRIVER_ANY(cuModuleGetLoadingMode, ARGS(mode), CUmoduleLoadingMode *mode)
{
	if (!mode)
		return cudaErrorInvalidValue;
	*mode = CU_MODULE_EAGER_LOADING;
	return cudaSuccess;
}

/* -- libraries: modules that no context owns ----------------------------------------------------------------------------------------------------- */
DRIVER_ANY(cuLibraryLoadData, ARGS(library, image, options, values, n, library_options, library_values, n_library), CUlibrary *library,
           const void *image, CUjit_option *options, void **values, unsigned int n, CUlibraryOption *library_options, void **library_values,
           unsigned int n_library)
{
	(void)library_values; /* about memory that the image stays in, and about the host's table: both need nothing here */
	return n_library && !library_options ? cudaErrorInvalidValue : hu_jit_load(library, image, SIZE_MAX, false, n, (const int *)options, values);
}

DRIVER_ANY(cuLibraryLoadFromFile, ARGS(library, path, options, values, n, library_options, library_values, n_library), CUlibrary *library,
           const char *path, CUjit_option *options, void **values, unsigned int n, CUlibraryOption *library_options, void **library_values,
           unsigned int n_library)
{
	(void)library_values;
	return n_library && !library_options ? cudaErrorInvalidValue : hu_jit_load_file(library, path, false, n, (const int *)options, values);
}

DRIVER_ANY(cuLibraryUnload, ARGS(library), CUlibrary library)
{
	if (!hu_module_is(library))
		return cudaErrorInvalidResourceHandle;
	hu_module_free((hu_module *)library);
	return cudaSuccess;
}

DRIVER_ANY(cuLibraryGetKernel, ARGS(kernel, library, name), CUkernel *kernel, CUlibrary library, const char *name)
{
	return function_named(kernel, library, name);
}

DRIVER_ANY(cuLibraryGetKernelCount, ARGS(n, library), unsigned int *n, CUlibrary library) { return count(n, library); }

DRIVER_ANY(cuLibraryEnumerateKernels, ARGS(kernels, n, library), CUkernel *kernels, unsigned int n, CUlibrary library)
{
	return enumerate(kernels, n, library);
}

DRIVER(cuLibraryGetModule, ARGS(module, library), CUmodule *module, CUlibrary library)
{
	if (!module || !hu_module_is(library))
		return module ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	*module = (CUmodule)(void *)library;
	return cudaSuccess;
}

DRIVER(cuLibraryGetGlobal, ARGS(at, bytes, library, name), CUdeviceptr *at, size_t *bytes, CUlibrary library, const char *name)
{
	return variable_named(at, bytes, library, name);
}

DRIVER_ANY(cuLibraryGetManaged, ARGS(at, bytes, library, name), CUdeviceptr *at, size_t *bytes, CUlibrary library, const char *name)
{
	uint64_t address = 0;
	cudaError_t error = variable_named((CUdeviceptr *)&address, bytes, library, name);
	if (error == cudaSuccess && at)
		*at = address;
	return error;
}

DRIVER_ANY(cuKernelGetLibrary, ARGS(library, kernel), CUlibrary *library, CUkernel kernel)
{
	hu_function *function;
	cudaError_t error = library ? hx_function(kernel, &function) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*library = (CUlibrary)(void *)hu_module_of(function);
	return error;
}

DRIVER(cuFuncGetModule, ARGS(module, handle), CUmodule *module, CUfunction handle)
{
	hu_function *function;
	cudaError_t error = module ? hx_function(handle, &function) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*module = (CUmodule)(void *)hu_module_of(function);
	return error;
}

/* -- the linker ------------------------------------------------------------------------------------------------------------------------------------
 */
DRIVER(cuLinkCreate_v2, ARGS(n, options, values, state), unsigned int n, CUjit_option *options, void **values, CUlinkState *state)
{
	hu_jit j;
	cudaError_t error = state ? hu_jit_read(&j, n, (const int *)options, values, values) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*state = (CUlinkState)hu_link_new(n, (const int *)options, values);
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
	cudaError_t error = link_options((hu_link *)state, &j);
	if (error != cudaSuccess)
		return error;
	error = hu_link_add((hu_link *)state, data, size, &log);
	hu_jit_write(&j, log);
	return error;
}

DRIVER(cuLinkAddData_v2, ARGS(state, type, data, size, name, n, options, values), CUlinkState state, CUjitInputType type, void *data, size_t size,
       const char *name, unsigned int n, CUjit_option *options, void **values)
{
	hu_jit j;
	(void)name;
	cudaError_t error = hu_jit_read(&j, n, (const int *)options, values, values);
	return error ? error : add(state, type, data, size);
}

DRIVER(cuLinkAddFile_v2, ARGS(state, type, path, n, options, values), CUlinkState state, CUjitInputType type, const char *path, unsigned int n,
       CUjit_option *options, void **values)
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

DRIVER(cuLinkComplete, ARGS(state, image, size), CUlinkState state, void **image, size_t *size)
{
	hu_jit j;
	char *log = NULL;
	size_t ignored;
	if (!hu_link_is(state) || !image)
		return image ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	cudaError_t error = link_options((hu_link *)state, &j);
	if (error != cudaSuccess)
		return error;
	error = hu_link_end((hu_link *)state, &log, image, size ? size : &ignored);
	hu_jit_write(&j, log);
	return error;
}

DRIVER(cuLinkDestroy, ARGS(state), CUlinkState state) { return hu_link_free((hu_link *)state) ? cudaSuccess : cudaErrorInvalidResourceHandle; }
