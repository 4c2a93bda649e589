/* Definitions shared by the entry points of the driver interface. */
#ifndef HU_DRIVER_H
#define HU_DRIVER_H

#include "cuda/core.h"
#include "cuda/cuda.h" /* of lib/ */

#include <string.h>

/* Cleans up after the numbers of the runtime interface: those that the driver interface does not have become ones that it has. */
CUresult hx_result(cudaError_t error);
/* CUDA_SUCCESS after cuInit. */
CUresult hx_initialized(void);
/* The same, with a current context, and no error of earlier work. */
CUresult hx_ready(void);
/* The address that a name of functions stands for in a version, or NULL. *known: there is such a name in some version. */
void *hx_entry(const char *name, int version, bool per_thread, bool *known);

#define ARGS(...) __VA_ARGS__
/* Bodies return numbers of cudaError_t. `arguments` are the names of the parameters, ARGS(a, b). The body follows. */
#define DRIVER_AFTER(check, name, arguments, ...)                       \
	static cudaError_t do_##name(__VA_ARGS__);                      \
	CUresult name(__VA_ARGS__);                                     \
	CUresult name(__VA_ARGS__)                                      \
	{                                                               \
		CUresult start = check();                               \
		return start ? start : hx_result(do_##name(arguments)); \
	}                                                               \
	static cudaError_t do_##name(__VA_ARGS__)
/* An entry point that needs a context, and one that needs only cuInit. */
#define DRIVER(name, arguments, ...) DRIVER_AFTER(hx_ready, name, ARGS(arguments), __VA_ARGS__)
#define DRIVER_ANY(name, arguments, ...) DRIVER_AFTER(hx_initialized, name, ARGS(arguments), __VA_ARGS__)
/* One with a default stream: with the suffix `_ptds` or `_ptsz` it is that of the thread. The body knows `per_thread`. */
#define DRIVER_STREAM(name, suffix, arguments, ...)                            \
	static cudaError_t do_##name(bool per_thread, __VA_ARGS__);            \
	CUresult name(__VA_ARGS__);                                            \
	CUresult name(__VA_ARGS__)                                             \
	{                                                                      \
		CUresult start = hx_ready();                                   \
		return start ? start : hx_result(do_##name(false, arguments)); \
	}                                                                      \
	CUresult name##suffix(__VA_ARGS__);                                    \
	CUresult name##suffix(__VA_ARGS__)                                     \
	{                                                                      \
		CUresult start = hx_ready();                                   \
		return start ? start : hx_result(do_##name(true, arguments));  \
	}                                                                      \
	static cudaError_t do_##name(bool per_thread, __VA_ARGS__)

/* The stream of a handle, or leaves the function with an error. */
#define STREAM(variable, handle)                                \
	hu_stream *variable = hu_stream_of(handle, per_thread); \
	if (!variable)                                          \
	return cudaErrorInvalidResourceHandle
/* The function of a handle, built; or leaves with an error. */
#define FUNCTION(variable, handle)                                  \
	hu_function *variable;                                      \
	do {                                                        \
		cudaError_t wrong = hx_function(handle, &variable); \
		if (wrong != cudaSuccess)                           \
			return wrong;                               \
	} while (0)
/* cudaErrorInvalidResourceHandle where the handle is none. */
cudaError_t hx_function(const void *handle, hu_function **function);

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
