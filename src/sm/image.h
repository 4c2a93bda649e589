/* What a launch of machine code needs, read from the cubin alone (SR-4): parameters and sizes from .nv.info, constant banks, variables, relocations.
 * Only the sections of one cubin are read, and code only of the kernel that is launched. */
#ifndef HD_SM_IMAGE_H
#define HD_SM_IMAGE_H

#include "launch/launch.h"
#include "sass/container.h"

enum { HD_SM_BANKS = 5, HD_SM_BANK_BYTES = 1 << 16 };
/* Addresses of code: function `f` of the cubin begins at HD_SM_CODE + f * HD_SM_CODE_STEP. A function that the file does not have, such as vprintf,
 * lies at HD_SM_OUTSIDE + 16 * its number. */
#define HD_SM_CODE (UINT64_C(1) << 44)
#define HD_SM_CODE_STEP (UINT64_C(1) << 32)
#define HD_SM_OUTSIDE (UINT64_C(1) << 43)

typedef struct hd_sm_kernel {
	const hd_sass_function *function;
	uint32_t number;   /* of the function in the cubin */
	uint32_t param_at; /* of the parameters in bank 0 */
	uint32_t param_bytes;
	uint8_t *pool; /* bank 2: constants of the compiler; NULL: none */
	uint32_t pool_bytes;
	uint32_t stack_bytes; /* of local memory that the file asks for */
} hd_sm_kernel;

typedef struct hd_sm_image {
	const hd_sass_cubin *cubin;
	hd_sm_kernel *kernels; /* of the cubin, as object->kernels */
	hd_object *object;     /* describes the kernels and their parameters, without code */
	uint64_t variables;    /* address of .nv.global.init and .nv.global, one behind the other; 0: there are none */
	uint64_t constants;    /* address of bank 3, __constant__ variables; 0: none */
	uint32_t constants_bytes;
	uint8_t *addresses; /* bank 4 */
	uint32_t addresses_bytes;
	HD_VEC(char *) outside; /* functions that the file does not have */
} hd_sm_image;

/* The file stays as it is for the life of the image. NULL and an error. */
hd_sm_image *hd_sm_image_new(const hd_sass_cubin *cubin, hd_memory *memory, hd_diag *diag);
void hd_sm_image_free(hd_sm_image *image, hd_memory *memory);
/* Fills constant bank 0 as the architecture lays it out. `bytes` are HD_SM_BANK_BYTES zeros. */
void hd_sm_fill_bank(const hd_sm_kernel *kernel, const hd_launch *launch, uint32_t local_bytes, uint8_t *bytes);
/* Bytes of shared memory that the system has at the beginning of each CTA's. */
static inline uint32_t hd_sm_reserved_shared(unsigned architecture) { return architecture >= 90 ? 1024 : 0; }

#endif
