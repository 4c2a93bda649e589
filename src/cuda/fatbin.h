/* Fat binaries in the memory of the program that holds them, as nvcc and clang write them: texts of PTX and machine code, compressed or not. */
#ifndef HU_FATBIN_H
#define HU_FATBIN_H

#include "base/base.h"

/* A text of PTX. */
typedef struct hu_ptx {
	uint32_t architecture; /* 75: sm_75 */
	hd_text text;
} hu_ptx;

typedef struct hu_fatbin {
	HD_VEC(hu_ptx) texts;
	size_t machine_code; /* entries that this device cannot run */
} hu_fatbin;

/* Reads what begins at `bytes`: `size` bytes, or what its header says with SIZE_MAX. False and an error that names `name` when it is damaged. The
 * caller calls hu_fatbin_free in any case. */
bool hu_fatbin_read(hu_fatbin *fatbin, const uint8_t *bytes, size_t size, const char *name, hd_diag *diag);
void hu_fatbin_free(hu_fatbin *fatbin);
/* The text for a device of this architecture: that of the highest one that the device has, or of the lowest one above. NULL: there is none. */
const hu_ptx *hu_fatbin_choose(const hu_fatbin *fatbin, uint32_t architecture);

#endif
