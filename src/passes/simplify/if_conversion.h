#ifndef HD_IF_CONVERSION_H
#define HD_IF_CONVERSION_H

#include "passes/pass.h"

/* Short branches become guarded instructions (HZ-30, divergence.if_convert). A side of a branch joins the block of the branch, guarded by the
 * branch's condition, when
 *
 *  - only that branch leads to it, and it leads to where the other side is or goes;
 *  - all of its instructions can have the guard: none has a guard already, moves control, reads other lanes, or has an effect other than on
 *    registers and data memory; none writes the condition;
 *  - it has at most divergence.if_convert instructions; of a branch with two such sides both together.
 *
 * A lane executes the same instructions as before. A register that only one side uses is marked as scratch, so that its life does not begin before
 * that side. The inner branch of two becomes guarded, and the outer one stays. Requires: legalised, virtual registers; no branch is an instruction.
 */
bool hd_pass_if_convert(hd_ir_module *module, const hd_pass_context *context);

#endif
