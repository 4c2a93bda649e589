#ifndef HD_RECONVERGENCE_H
#define HD_RECONVERGENCE_H

#include "passes/pass.h"

/* Reconvergence for the baseline's stack (RC-16): `push` before every branch whose sides meet again, `sync` where they do. Does nothing unless
 * divergence.mode = stack.
 *
 *  1. The sides of a branch meet at its immediate post-dominator (post_dominators.h).
 *  2. Such a place gets a block of its own before it, with the `sync`; every edge to the place leads through it.
 *  3. Where lanes leave a loop for a place outside, `push` stands before the loop, once, and not in it, once an iteration. That is not possible for a
 *     loop with several entries, or one that is entered from where the place need not be reached; there it stands before the branch.
 *  4. A branch needs none if one side does not come to the place, or if lanes never take it differently (uniformity.h).
 *
 * Requires: allocated, laid out; branches are not instructions. */
bool hd_pass_reconverge(hd_ir_module *module, const hd_pass_context *context);

#endif
