/* Libraries: modules that a program loads itself, by the runtime interface. */
#include "cuda/api.h"

/* Both handles are pointers to structures that nobody sees. */
typedef struct CUlib_st *cudaLibrary_t;

#define LIBRARY(module, handle)                  \
	hu_module *module = (hu_module *)handle; \
	if (!hu_module_is(module))               \
	return cudaErrorInvalidResourceHandle

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, const int *options, void **values, unsigned n, const int *of_library,
                                void **of_library_values, unsigned n_of_library);
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, const int *options, void **values, unsigned n, const int *of_library,
                                    void **of_library_values, unsigned n_of_library);
cudaError_t cudaLibraryUnload(cudaLibrary_t library);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name);
cudaError_t cudaLibraryGetKernelCount(unsigned *n, cudaLibrary_t library);
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned n, cudaLibrary_t library);
cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name);
cudaError_t cudaLibraryGetManaged(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name);

CALL(cudaLibraryLoadData, ARGS(library, code, options, values, n, of_library, of_library_values, n_of_library), cudaLibrary_t *library,
     const void *code, const int *options, void **values, unsigned n, const int *of_library, void **of_library_values, unsigned n_of_library)
{
	(void)of_library_values; /* about memory that the code stays in: it is copied */
	return n_of_library && !of_library ? cudaErrorInvalidValue : hu_jit_load(library, code, SIZE_MAX, false, n, options, values);
}

CALL(cudaLibraryLoadFromFile, ARGS(library, path, options, values, n, of_library, of_library_values, n_of_library), cudaLibrary_t *library,
     const char *path, const int *options, void **values, unsigned n, const int *of_library, void **of_library_values, unsigned n_of_library)
{
	(void)of_library_values;
	return n_of_library && !of_library ? cudaErrorInvalidValue : hu_jit_load_file(library, path, false, n, options, values);
}

CALL(cudaLibraryUnload, ARGS(library), cudaLibrary_t library)
{
	LIBRARY(module, library);
	hu_module_free(module);
	return cudaSuccess;
}

CALL(cudaLibraryGetKernel, ARGS(kernel, library, name), cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
	hu_function *function;
	LIBRARY(module, library);
	cudaError_t error = kernel && name ? hu_module_function(module, name, &function) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*kernel = (cudaKernel_t)(void *)function;
	return error;
}

CALL(cudaLibraryGetKernelCount, ARGS(n, library), unsigned *n, cudaLibrary_t library)
{
	LIBRARY(module, library);
	if (!n)
		return cudaErrorInvalidValue;
	for (*n = 0; hu_module_kernel(module, *n);)
		++*n;
	return cudaSuccess;
}

CALL(cudaLibraryEnumerateKernels, ARGS(kernels, n, library), cudaKernel_t *kernels, unsigned n, cudaLibrary_t library)
{
	hu_function *function;
	LIBRARY(module, library);
	if (!kernels)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n && (function = hu_module_kernel(module, i)); i++)
		kernels[i] = (cudaKernel_t)(void *)function;
	return cudaSuccess;
}

static cudaError_t variable(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name)
{
	uint64_t address, size;
	LIBRARY(module, library);
	cudaError_t error = name && (pointer || bytes) ? hu_module_variable(module, name, &address, &size) : cudaErrorInvalidValue;
	if (error == cudaSuccess && pointer)
		*pointer = (void *)(uintptr_t)address;
	if (error == cudaSuccess && bytes)
		*bytes = size;
	return error;
}

CALL(cudaLibraryGetGlobal, ARGS(pointer, bytes, library, name), void **pointer, size_t *bytes, cudaLibrary_t library, const char *name)
{
	return variable(pointer, bytes, library, name);
}

CALL(cudaLibraryGetManaged, ARGS(pointer, bytes, library, name), void **pointer, size_t *bytes, cudaLibrary_t library, const char *name)
{
	return variable(pointer, bytes, library, name);
}
