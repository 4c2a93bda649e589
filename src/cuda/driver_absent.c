/* Functions of the driver interface that this device does not have. The arguments are the caller's, so no parameter need be declared. */
enum { NOT_SUPPORTED = 801 /* CUDA_ERROR_NOT_SUPPORTED */ };

#define HU_ENTRY(base, version, symbol, per_thread) \
	int symbol(void);                           \
	int symbol(void) { return NOT_SUPPORTED; }
#include "cuda/driver_absent.def"
