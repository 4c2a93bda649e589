#ifndef HD_CONTROL_FLOW_H
#define HD_CONTROL_FLOW_H

#include "ir/ir.h"

/* Edges to blocks that only jump go to where those lead; a branch with equal sides becomes a jump; a block whose only predecessor jumps to it becomes
 * part of that; unreachable blocks are dropped. True: something changed, other than that blocks were dropped. */
bool hd_simplify_control_flow(hd_ir_function *f);

#endif
