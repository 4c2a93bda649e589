/* Functions of the driver interface that this device does not have. The arguments are the caller's, so no parameter need be declared. */
enum { NOT_SUPPORTED = 801 /* CUDA_ERROR_NOT_SUPPORTED */ };

#define FUNCTION(symbol)  \
	int symbol(void); \
	int symbol(void) { return NOT_SUPPORTED; }
#define ABSENT(name, suffix, version) FUNCTION(cu##name##suffix)
#define ABSENT_STREAM(name, suffix, thread, version) \
	FUNCTION(cu##name##suffix)                   \
	FUNCTION(cu##name##suffix##thread)
#include "cuda/driver_absent.def"
