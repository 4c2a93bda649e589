/* Beginning, errors and versions of the driver interface. */
#include "cuda/driver.h"

#include <stdatomic.h>
#include <stdio.h>

static atomic_bool initialized; /* by cuInit; what the runtime interface has begun counts, too */

CUresult hu_api_result(cudaError_t error)
{
	switch (error) {
	case cudaErrorInvalidConfiguration:
	case cudaErrorInvalidPitchValue:
	case cudaErrorInvalidMemcpyDirection:
		return CUDA_ERROR_INVALID_VALUE;
	case cudaErrorInvalidSymbol:
		return CUDA_ERROR_NOT_FOUND;
	case cudaErrorInvalidDeviceFunction:
		return CUDA_ERROR_INVALID_HANDLE;
	default:
		return (CUresult)error; /* the others are the same numbers */
	}
}

CUresult hu_api_initialized(void)
{
	if (!atomic_load(&initialized) && !hu_begun())
		return CUDA_ERROR_NOT_INITIALIZED;
	return hu_calls() ? CUDA_ERROR_NOT_PERMITTED : CUDA_SUCCESS;
}

CUresult hu_api_ready(void)
{
	hu_context *context;
	CUresult start = hu_api_initialized();
	if (start)
		return start;
	cudaError_t error = hu_context_current(&context);
	return error ? hu_api_result(error) : !context ? CUDA_ERROR_INVALID_CONTEXT : hu_api_result(hu_sticky());
}

CUresult cuInit(unsigned int flags)
{
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	cudaError_t error = hu_begin();
	if (error == cudaSuccess)
		atomic_store(&initialized, true);
	return hu_api_result(error);
}

CUresult cuDriverGetVersion(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = HU_DRIVER_VERSION;
	return CUDA_SUCCESS;
}

/* -- names and words ------------------------------------------------------------------------------------------------------------------------- */
static const struct name {
	CUresult error;
	const char *name;
} names[] = {
#define HU_RESULT(name) {name, #name},
#include "cuda/driver_results.def"
#undef HU_RESULT
};

/* The words are the runtime interface's, which has the same numbers for the same errors. */
static const struct words {
	unsigned error;
	const char *says;
} words[] = {
#define HD_CUDA_ERROR(name, value, says) {value, says},
#include "cuda/heddle_cuda_errors.def"
#undef HD_CUDA_ERROR
};

CUresult cuGetErrorName(CUresult error, const char **text)
{
	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	*text = NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names && !*text; i++)
		if (names[i].error == error)
			*text = names[i].name;
	return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static const char *words_of(CUresult error)
{
	if (error == CUDA_ERROR_INVALID_IMAGE)
		return "device kernel image is invalid";
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].error == (unsigned)error)
			return words[i].says;
	return NULL;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
	const char *name;
	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	*text = cuGetErrorName(error, &name) ? NULL : words_of(error);
	return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* -- functions by name ----------------------------------------------------------------------------------------------------------------------- */
static CUresult entry(const char *symbol, void **function, int version, uint64_t flags, CUdriverProcAddressQueryResult *status)
{
	bool known = false;
	if (!symbol || !function || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
		return CUDA_ERROR_INVALID_VALUE;
	*function = hu_api_entry(symbol, version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &known);
	if (status)
		*status = *function ? CU_GET_PROC_ADDRESS_SUCCESS
		          : known   ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
		                    : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, CUdriverProcAddressQueryResult *status)
{
	return entry(symbol, function, version, flags, status);
}

#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags);
CUresult cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) { return entry(symbol, function, version, flags, NULL); }

/* Undocumented tables. A program that has the vendor's runtime inside asks for them first. */
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	if (!table || !id)
		return CUDA_ERROR_INVALID_VALUE;
	*table = NULL;
	if (!atomic_flag_test_and_set(&told))
		fputs("heddle: error: the program has the vendor's runtime inside, which needs undocumented tables of its driver; build it with "
		      "-cudart shared\n",
		      stderr);
	return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
CUresult cuProfilerStart(void) { return CUDA_SUCCESS; }
CUresult cuProfilerStop(void) { return CUDA_SUCCESS; }
