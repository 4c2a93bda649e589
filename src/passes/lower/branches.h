#ifndef HD_BRANCHES_H
#define HD_BRANCHES_H

#include "passes/pass.h"

/* Terminators become instructions, too, in the block order as it is, which is final then; sets `laid_out`. A branch falls through where one of its
 * sides is next; otherwise a new block behind it jumps to the other side. Jumps to the next block need no instruction. succ, term and pred go on to
 * name the logical edges. A jump to a sync is a `brk` (RC-16), and
 * in a kernel a branch to a block that only exits is an exit (RC-12). Requires: allocated, no SWITCH. */
bool hd_pass_branches(hd_ir_module *module, const hd_pass_context *context);

#endif
