#ifndef HD_ROTATE_H
#define HD_ROTATE_H

#include "base/base.h"

/* Corrects 64-bit rotations in clang's PTX. clang 14's back end writes a rotation by n as two shifts by n and 64 - n and does not reduce n. PTX
 * shifts by 64 or more give 0, so the result is wrong for n > 64, which OpenCL's rotate and the optimiser's own rotations allow. This function
 * adds the missing `and n, 63`. Lines keep their numbers. Takes and returns malloc'd text; *size follows. */
char *hd_front_mend_rotations(char *ptx, size_t *size);

#endif
