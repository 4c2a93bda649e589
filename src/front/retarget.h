/* Makes a module for SPIR (spir64, as the SPIR-V translator writes it) one for our target. */
#ifndef HD_RETARGET_H
#define HD_RETARGET_H

#include "base/base.h"

/* Takes LLVM's text of a module, as clang prints it. Numbers of address spaces, calling conventions and the names of built-in functions become those
 * of the target. Kernels promise no uniform size of their work-groups. Any text may be given: clang reads what comes out, and finds what is wrong
 * with it. The caller frees. */
char *hd_retarget(const char *text);

#endif
