/* Functions that this device does not have, and a few that have nothing to do. */
#include "cuda/core.h"

cudaError_t hu_api_remember(cudaError_t error);

/* The arguments are the caller's, so no parameter need be declared. */
#define HU_ABSENT(name)         \
	cudaError_t name(void); \
	cudaError_t name(void) { return hu_api_remember(cudaErrorNotSupported); }
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

/* Their last versions left the number as it is. */
cudaError_t cudaSetDoubleForDevice(double *d);
cudaError_t cudaSetDoubleForDevice(double *d) { return d ? cudaSuccess : cudaErrorInvalidValue; }
cudaError_t cudaSetDoubleForHost(double *d);
cudaError_t cudaSetDoubleForHost(double *d) { return d ? cudaSuccess : cudaErrorInvalidValue; }

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
