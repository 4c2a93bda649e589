#ifndef HD_WIDEN_H
#define HD_WIDEN_H

#include "base/base.h"

/* Adds the conversions that clang's PTX lacks behind loads of vectors. The back end folds the widening of floating-point vectors into their load, as
 * if a load converted: `ld.v4.b16 {%f1, ...}` of halves (clang 14), `ld.v2.b16 {%fd1, ...}` (clang 19, too), `ld.v2.f32 {%fd1, ...}` of floats. PTX
 * extends the halves with zeros and does not allow the floats. Lines keep their numbers. Takes and returns malloc'd text; *size follows. */
char *hd_front_mend_loads(char *ptx, size_t *size);

#endif
