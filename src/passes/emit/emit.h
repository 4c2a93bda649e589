/* Parts of emission: emit.c (code, data, lines), records.c (what a kernel needs). */
#ifndef HD_EMIT_H
#define HD_EMIT_H

#include "passes/passes.h"

/* Adds every function, and a record for each kernel: registers, local memory and depth of calls over everything it can call. `begin`: first
 * instruction of each function; `words`: of the whole code. */
void hd_emit_kernels(const hd_ir_module *module, const uint32_t *begin, uint32_t words, hd_object *object);

#endif
