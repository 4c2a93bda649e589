#ifndef HD_PAD_H
#define HD_PAD_H

#include "base/base.h"

/* The text of a module (hd_front_options.module_text) that clang's back end translates right. NULL if it does so as it is. The caller frees.
 * - The back end leaves out the padding behind vectors of 3 elements in arrays and structures, and behind pointers, so what follows moves forward:
 *   `[2 x <3 x float>]` has 24 bytes of values and then 8 of zeros. Here the initialisers, and copies of the types that they name, have vectors of 4
 * (so for 5 to 7 and so on) and arrays of one pointer, whose size and alignment are the same.
 * - It has no comparison of vectors of halves in some places. Here they are compared as floats. */
char *hd_front_mend_module(const char *module);

/* The PTX that the back end makes of such a text. NULL and errors in diag if that fails. */
char *hd_front_compile_module(const char *text, bool cuda, size_t *size, hd_diag *diag);

#endif
