#ifndef HD_PAD_H
#define HD_PAD_H

#include "base/base.h"

/* The text of a module (hd_front_options.module_text) whose constants clang's back end prints right. It leaves out the padding behind vectors of 3
 * elements in arrays and structures, and behind pointers, so what follows moves forward: `[2 x <3 x float>]` has 24 bytes of values and then 8 of
 * zeros. Here the initialisers, and copies of the types that they name, have vectors of 4 (so for 5 to 7 and so on) and arrays of one pointer, whose
 * size and alignment are the same. NULL if no initialiser has either. The caller frees. */
char *hd_front_pad_constants(const char *module);

/* `ptx`, or if its module has such constants, what the back end makes of that text, and `ptx` is freed. NULL and errors in diag if that fails. */
char *hd_front_pad(char *ptx, const char *module, bool cuda, size_t *size, hd_diag *diag);

#endif
