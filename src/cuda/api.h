/* Definitions shared by the entry points of the runtime interface. */
#ifndef HU_API_H
#define HU_API_H

#include "cuda/core.h"
#include "cuda/cuda_runtime_api.h"

#include <string.h>

/* Notes the error for cudaGetLastError. Returns it. */
cudaError_t hx_remember(cudaError_t error);

#define ARGS(...) __VA_ARGS__
/* An entry point that needs the device; `arguments` are the names of the parameters, ARGS(a, b). The body follows. */
#define CALL(name, arguments, ...)                                        \
	static cudaError_t do_##name(__VA_ARGS__);                        \
	cudaError_t name(__VA_ARGS__)                                     \
	{                                                                 \
		cudaError_t start = hu_start();                           \
		return hx_remember(start ? start : do_##name(arguments)); \
	}                                                                 \
	static cudaError_t do_##name(__VA_ARGS__)
/* One with a default stream: the one of the process, or with the suffix `_ptds` or `_ptsz` that of the thread. The body knows `per_thread`. */
#define STREAM_CALL(name, suffix, arguments, ...)                                \
	static cudaError_t do_##name(bool per_thread, __VA_ARGS__);              \
	cudaError_t name(__VA_ARGS__)                                            \
	{                                                                        \
		cudaError_t start = hu_start();                                  \
		return hx_remember(start ? start : do_##name(false, arguments)); \
	}                                                                        \
	cudaError_t name##suffix(__VA_ARGS__);                                   \
	cudaError_t name##suffix(__VA_ARGS__)                                    \
	{                                                                        \
		cudaError_t start = hu_start();                                  \
		return hx_remember(start ? start : do_##name(true, arguments));  \
	}                                                                        \
	static cudaError_t do_##name(bool per_thread, __VA_ARGS__)
/* One that this device answers with an error. */
#define ABSENT(name, error, ...) \
	cudaError_t name(__VA_ARGS__) { return hx_remember(error); }
#define STREAM_ABSENT(name, suffix, error, ...) \
	ABSENT(name, error, __VA_ARGS__)        \
	cudaError_t name##suffix(__VA_ARGS__);  \
	ABSENT(name##suffix, error, __VA_ARGS__)

/* The stream of a handle, or leaves the function with an error. */
#define STREAM(variable, handle)                                \
	hu_stream *variable = hu_stream_of(handle, per_thread); \
	if (!variable)                                          \
	return cudaErrorInvalidResourceHandle

/* Leaves the function of a call that no stream orders with an error where a capture forbids it. */
#define UNSAFE                                               \
	do {                                                 \
		cudaError_t forbidden = hu_capture_unsafe(); \
		if (forbidden != cudaSuccess)                \
			return forbidden;                    \
	} while (0)

/* The same for one that works in a default stream and waits. */
#define UNSAFE_IN(stream)                                              \
	do {                                                           \
		cudaError_t in_capture = hu_capture_of_stream(stream); \
		if (in_capture != cudaSuccess)                         \
			return in_capture;                             \
		UNSAFE;                                                \
	} while (0)

#endif
