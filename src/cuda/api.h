/* The runtime interface's functions of entry.h. */
#ifndef HU_API_H
#define HU_API_H

#include "cuda/entry.h"

/* Notes the error for cudaGetLastError. Returns it. */
cudaError_t hu_api_remember(cudaError_t error);

/* A type that has a name in each interface. */
#define EITHER(runtime, driver) runtime

#define RUNTIME(name, parameters, ...)                                 \
	cudaError_t name parameters;                                   \
	cudaError_t name parameters                                    \
	{                                                              \
		cudaError_t start = hu_start();                        \
		return hu_api_remember(start ? start : (__VA_ARGS__)); \
	}
#define RUNTIME_OF(name, of_thread, parameters, ...)                   \
	cudaError_t name parameters;                                   \
	cudaError_t name parameters                                    \
	{                                                              \
		const bool per_thread = of_thread;                     \
		(void)per_thread;                                      \
		cudaError_t start = hu_start();                        \
		return hu_api_remember(start ? start : (__VA_ARGS__)); \
	}
#define RUNTIME_STREAM(name, thread, parameters, ...)    \
	RUNTIME_OF(name, false, parameters, __VA_ARGS__) \
	RUNTIME_OF(name##thread, true, parameters, __VA_ARGS__)
#define TWIN(name, suffix, version, needs, parameters, ...) RUNTIME(cuda##name, parameters, __VA_ARGS__)
#define TWIN_STREAM(name, suffix, version, parameters, ...) RUNTIME_STREAM(cuda##name, _ptsz, parameters, __VA_ARGS__)
#define DRIVER(name, suffix, version, needs, parameters, ...)
#define DRIVER_STREAM(name, suffix, thread, version, parameters, ...)

#endif
