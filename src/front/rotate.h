#ifndef HD_ROTATE_H
#define HD_ROTATE_H

#include "base/base.h"

/* clang 14's back end writes a 64-bit rotation as two shifts by n and 64 - n without reducing n, which OpenCL's rotate and rotations that the
 * optimiser recognises rely on (PTX shifts by 64 or more give 0): wrong for n > 64. This puts the missing `and n, 63` into the text. Lines
 * keep their numbers. Takes and returns malloc'd text; *size follows. */
char *hd_front_mend_rotations(char *ptx, size_t *size);

#endif
