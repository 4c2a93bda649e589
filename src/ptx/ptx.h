/* PTX text -> IR. */
#ifndef HD_PTX_H
#define HD_PTX_H

#include "ir/ir.h"

/* Reads what clang emits for compute kernels. Only what the entries (and address-taken functions) reach is lowered. NULL and errors with
 * FILE:LINE:COL in diag for anything else; hostile input is safe. */
hd_ir_module *hd_ptx_read(const char *text, size_t size, const char *file, hd_diag *diag);

#endif
