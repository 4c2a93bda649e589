#ifndef HD_LAYOUT_H
#define HD_LAYOUT_H

#include "passes/pass.h"

/* Orders the blocks of each function for least-address-first execution (RC-15) and drops unreachable ones:
 *
 *  1. Blocks of a strongly connected component (a loop, also an irreducible one) stay together. Inside it, its header comes first; the rest is
 *     ordered in the same way, without the edges to the header.
 *  2. Components follow each other in topological order. So a join comes behind everything that leads to it, and the exits of a loop behind the loop.
 *  3. Where topological order leaves a choice, reverse post-order decides, which keeps the sides of a branch together.
 *
 * With compile.layout other than `least` the order is that of the front end, or any (RC-23). A module with a barrier of the CTA keeps its order: the
 * barrier counts warps, so lanes of a warp that come to it one after the other would open it early.
 *
 * Requires: no branch is an instruction. */
bool hd_pass_layout(hd_ir_module *module, const hd_pass_context *context);

#endif
