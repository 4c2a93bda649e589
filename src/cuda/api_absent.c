/* Functions that this device does not have, and a few that have nothing to do. */
#include "cuda/core.h"

cudaError_t hx_remember(cudaError_t error);

/* The arguments are the caller's, so no parameter need be declared. */
#define HU_ABSENT(name)         \
	cudaError_t name(void); \
	cudaError_t name(void) { return hx_remember(cudaErrorNotSupported); }
#include "cuda/absent.def"

/* Textures that compilers of old register: the kernels that use them cannot be built. */
#define NOTHING(name)    \
	void name(void); \
	void name(void) {}
NOTHING(__cudaRegisterTexture)
NOTHING(__cudaRegisterSurface)
NOTHING(__cudaRegisterHostVar)
NOTHING(__cudaRegisterUnifiedTable)

cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaCtxResetPersistingL2Cache(void) { return cudaSuccess; }

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

#define CAPTURING(name)                                                       \
	cudaError_t name(void *stream, enum cudaStreamCaptureStatus *status); \
	cudaError_t name(void *stream, enum cudaStreamCaptureStatus *status)  \
	{                                                                     \
		(void)stream;                                                 \
		if (!status)                                                  \
			return hx_remember(cudaErrorInvalidValue);            \
		*status = cudaStreamCaptureStatusNone;                        \
		return cudaSuccess;                                           \
	}
CAPTURING(cudaStreamIsCapturing)
CAPTURING(cudaStreamIsCapturing_ptsz)

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) { return hx_remember(mode ? cudaSuccess : cudaErrorInvalidValue); }

/* There is no driver interface to find functions in. */
#define ENTRY_POINT(name, ...)                                                                                                                     \
	cudaError_t name(const char *symbol, void **function, __VA_ARGS__ unsigned long long flags, enum cudaDriverEntryPointQueryResult *status); \
	cudaError_t name(const char *symbol, void **function, __VA_ARGS__ unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)  \
	{                                                                                                                                          \
		if (!symbol || !function)                                                                                                          \
			return hx_remember(cudaErrorInvalidValue);                                                                                 \
		*function = NULL;                                                                                                                  \
		if (!status)                                                                                                                       \
			return hx_remember(cudaErrorSymbolNotFound);                                                                               \
		*status = cudaDriverEntryPointSymbolNotFound;                                                                                      \
		return cudaSuccess;                                                                                                                \
	}
#define VERSION_ARGUMENT unsigned version,
ENTRY_POINT(cudaGetDriverEntryPoint, )
ENTRY_POINT(cudaGetDriverEntryPoint_ptsz, )
ENTRY_POINT(cudaGetDriverEntryPointByVersion, VERSION_ARGUMENT)
ENTRY_POINT(cudaGetDriverEntryPointByVersion_ptsz, VERSION_ARGUMENT)
