#ifndef HD_RECURSION_H
#define HD_RECURSION_H

#include "passes/pass.h"

/* RC-10: with divergence.membership = range the threads of a subroutine are recognised by their addresses, so activations of one subroutine inside
 * each other cannot be told apart. On such a machine a module whose kernels all may recurse is refused: false, with an error in context->diag that
 * names the calls from a function back to itself. A module with another kernel is taken; the launch of a kernel that recurses is refused (device.c).
 * Requires: calls are not lowered. */
bool hd_refuse_recursion(const hd_ir_module *module, const hd_pass_context *context);

#endif
