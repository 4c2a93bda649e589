/* Modules of the driver interface, and its linker. */
#include "cuda/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* -- options of the compiler: buffers for messages, and hints ---------------------------------------------------------------------------------- */
typedef struct jit {
	char *info, *errors;
	size_t info_size, errors_size;
	void **info_at, **errors_at, **time_at; /* where the program finds how much there is */
	struct timespec begin;
} jit;

/* `first`: the values, of which `values` may have been written over since. */
static cudaError_t read_options_again(jit *j, unsigned n, const CUjit_option *options, void *const *first, void **values)
{
	*j = (jit){.info = NULL};
	clock_gettime(CLOCK_MONOTONIC, &j->begin);
	if (n && (!options || !values))
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++) {
		if ((unsigned)options[i] >= CU_JIT_NUM_OPTIONS)
			return cudaErrorInvalidValue;
		if (options[i] == CU_JIT_INFO_LOG_BUFFER)
			j->info = first[i];
		else if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
			j->errors = first[i];
		else if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
			j->info_at = &values[i], j->info_size = (size_t)(uint32_t)(uintptr_t)first[i];
		else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			j->errors_at = &values[i], j->errors_size = (size_t)(uint32_t)(uintptr_t)first[i];
		else if (options[i] == CU_JIT_WALL_TIME)
			j->time_at = &values[i];
	}
	return cudaSuccess;
}

static cudaError_t read_options(jit *j, unsigned n, const CUjit_option *options, void **values)
{
	return read_options_again(j, n, options, values, values);
}

/* As much of the text as fits, with a zero at the end. */
static void put(char *to, size_t size, void **at, const char *text)
{
	size_t n = to && size ? strlen(text) : 0;
	n = n < size ? n : size ? size - 1 : 0;
	if (to && size) {
		memcpy(to, text, n);
		to[n] = '\0';
	}
	if (at)
		*at = (void *)(uintptr_t)n;
}

/* Gives the messages to the program, or writes them where it does not ask for them. Frees them. */
static void write_options(const jit *j, char *log)
{
	struct timespec end;
	put(j->info, j->info_size, j->info_at, "");
	put(j->errors, j->errors_size, j->errors_at, log ? log : "");
	if (log && !(j->errors && j->errors_size))
		fputs(log, stderr);
	clock_gettime(CLOCK_MONOTONIC, &end);
	float ms = (float)((double)(end.tv_sec - j->begin.tv_sec) * 1e3 + (double)(end.tv_nsec - j->begin.tv_nsec) * 1e-6);
	if (j->time_at)
		memcpy(j->time_at, &ms, sizeof ms);
	free(log);
}

static cudaError_t load(void *module, const void *image, size_t size, bool of_context, unsigned n, const CUjit_option *options, void **values)
{
	jit j;
	char *log = NULL;
	hu_module *made = NULL;
	cudaError_t error = module && image ? read_options(&j, n, options, values) : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	error = hu_module_load(image, size, of_context, &log, &made);
	write_options(&j, log);
	if (error == cudaSuccess)
		memcpy(module, &made, sizeof made);
	return error;
}

/* The bytes of a file, which the caller frees; NULL: there is none such. */
static char *read_file(const char *path, size_t *size)
{
	enum { STEP = 1 << 16, MOST = 1 << 30 };
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;
	size_t n = 0, got = 1;
	while (file && got && n < MOST) {
		char *more = realloc(bytes, n + STEP + 1);
		if (!more)
			break;
		bytes = more;
		n += got = fread(bytes + n, 1, STEP, file);
		bytes[n] = '\0';
	}
	if (file)
		fclose(file);
	*size = n;
	return bytes;
}

static cudaError_t load_file(void *module, const char *path, bool of_context, unsigned n, const CUjit_option *options, void **values)
{
	size_t size;
	if (!module || !path)
		return cudaErrorInvalidValue;
	char *bytes = read_file(path, &size);
	cudaError_t error = bytes ? load(module, bytes, size, of_context, n, options, values) : cudaErrorFileNotFound;
	free(bytes);
	return error;
}

DRIVER(cuModuleLoad, ARGS(module, path), CUmodule *module, const char *path) { return load_file(module, path, true, 0, NULL, NULL); }
DRIVER(cuModuleLoadData, ARGS(module, image), CUmodule *module, const void *image) { return load(module, image, SIZE_MAX, true, 0, NULL, NULL); }

DRIVER(cuModuleLoadDataEx, ARGS(module, image, n, options, values), CUmodule *module, const void *image, unsigned int n, CUjit_option *options,
       void **values)
{
	return load(module, image, SIZE_MAX, true, n, options, values);
}

DRIVER(cuModuleLoadFatBinary, ARGS(module, image), CUmodule *module, const void *image) { return load(module, image, SIZE_MAX, true, 0, NULL, NULL); }

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
	return n_library && !library_options ? cudaErrorInvalidValue : load(library, image, SIZE_MAX, false, n, options, values);
}

DRIVER_ANY(cuLibraryLoadFromFile, ARGS(library, path, options, values, n, library_options, library_values, n_library), CUlibrary *library,
           const char *path, CUjit_option *options, void **values, unsigned int n, CUlibraryOption *library_options, void **library_values,
           unsigned int n_library)
{
	(void)library_values;
	return n_library && !library_options ? cudaErrorInvalidValue : load_file(library, path, false, n, options, values);
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
	jit j;
	cudaError_t error = state ? read_options(&j, n, options, values) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*state = (CUlinkState)hu_link_new(n, (const int *)options, values);
	return error;
}

/* The options of the beginning hold for messages of all later calls. */
static cudaError_t link_options(hu_link *link, jit *j)
{
	const int *options;
	void *const *first, **values;
	unsigned n = hu_link_options(link, &options, &first, &values);
	return read_options_again(j, n, (const CUjit_option *)options, first, values);
}

static cudaError_t add(CUlinkState state, CUjitInputType type, const void *data, size_t size)
{
	jit j;
	char *log = NULL;
	if (!hu_link_is(state) || !data || !size)
		return hu_link_is(state) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY && type != CU_JIT_INPUT_CUBIN)
		return (unsigned)type < CU_JIT_NUM_INPUT_TYPES ? cudaErrorNotSupported : cudaErrorInvalidValue;
	cudaError_t error = link_options((hu_link *)state, &j);
	if (error != cudaSuccess)
		return error;
	error = hu_link_add((hu_link *)state, data, size, &log);
	write_options(&j, log);
	return error;
}

DRIVER(cuLinkAddData_v2, ARGS(state, type, data, size, name, n, options, values), CUlinkState state, CUjitInputType type, void *data, size_t size,
       const char *name, unsigned int n, CUjit_option *options, void **values)
{
	jit j;
	(void)name;
	cudaError_t error = read_options(&j, n, options, values);
	return error ? error : add(state, type, data, size);
}

DRIVER(cuLinkAddFile_v2, ARGS(state, type, path, n, options, values), CUlinkState state, CUjitInputType type, const char *path, unsigned int n,
       CUjit_option *options, void **values)
{
	jit j;
	size_t size;
	cudaError_t error = path ? read_options(&j, n, options, values) : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	char *bytes = read_file(path, &size);
	error = bytes ? add(state, type, bytes, size) : cudaErrorFileNotFound;
	free(bytes);
	return error;
}

DRIVER(cuLinkComplete, ARGS(state, image, size), CUlinkState state, void **image, size_t *size)
{
	jit j;
	char *log = NULL;
	size_t ignored;
	if (!hu_link_is(state) || !image)
		return image ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	cudaError_t error = link_options((hu_link *)state, &j);
	if (error != cudaSuccess)
		return error;
	error = hu_link_end((hu_link *)state, &log, image, size ? size : &ignored);
	write_options(&j, log);
	return error;
}

DRIVER(cuLinkDestroy, ARGS(state), CUlinkState state) { return hu_link_free((hu_link *)state) ? cudaSuccess : cudaErrorInvalidResourceHandle; }
