#ifndef HD_WIDEN_H
#define HD_WIDEN_H

#include "base/base.h"

/* Adds the conversions that clang's PTX lacks behind loads of vectors. Up to version 18 clang's back end folds the widening of floating-point vectors
 * of 8 and 16 elements into their load, as if a load converted: `ld.v4.b16 {%f1, ...}` of halves, `ld.v2.f32 {%fd1, ...}` of floats. PTX extends the
 * first with zeros and does not allow the second. Lines keep their numbers. Takes and returns malloc'd text; *size follows. */
char *hd_front_mend_loads(char *ptx, size_t *size);

#endif
