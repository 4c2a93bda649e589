#ifndef HD_SIMPLIFY_H
#define HD_SIMPLIFY_H

#include "passes/pass.h"

/* Propagates constants and copies, folds operations, address arithmetic and negations, finds common subexpressions, removes dead code and needless
 * blocks, until nothing changes or for four rounds. What the program computes stays the same, bit for bit. The IR is not SSA: everything rests on the
 * registers that are values (values.h), and others are left as they are. Requires: virtual registers, expanded. */
bool hd_pass_simplify(hd_ir_module *module, const hd_pass_context *context);

#endif
