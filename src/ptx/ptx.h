/* PTX text -> IR. */
#ifndef HD_PTX_H
#define HD_PTX_H

#include "ir/ir.h"

/* Reads the PTX that clang emits for compute kernels. Lowers only what the entries (and functions whose address is taken) reach. NULL and errors
 * with FILE:LINE:COL in diag for anything else. Safe for untrusted input. */
hd_ir_module *hd_ptx_read(const char *text, size_t size, const char *file, hd_diag *diag);

#endif
