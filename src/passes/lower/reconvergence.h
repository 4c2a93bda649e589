#ifndef HD_RECONVERGENCE_H
#define HD_RECONVERGENCE_H

#include "passes/pass.h"

/* Reconvergence for the baselines (RC-16): `push` and `sync` for the stack. With divergence.mode = resume it only makes
 * every `wsync` a block of its own.
 *
 *  1. Lanes that a divergent branch (uniformity.h) has separated meet at the branch's joins (joins.h): where an if ends, behind a loop that lanes
 * leave at different times (a break), at the end of an iteration (a continue), in a block that several tests lead to.
 *  2. A join gets a block before it, with the `sync`. Every edge to the join leads through it. At the header of a loop there are two such blocks:
 *     one for lanes that enter the loop, one for lanes that go round.
 *     With flags (RC-21) only joins without instructions get these blocks. Elsewhere the first instruction of what would follow has the flag.
 *  3. `push` stands before the branch. If the branch is in a loop that does not contain the join, `push` stands before the loop, once, and not in it,
 *     once an iteration. That is not possible for a loop with several entries; there it stands before the branch.
 *  4. A branch needs no push for a join if a branch that dominates it, in the same loops, has one.
 *  5. Of the joins of one place, the one that lanes reach last is pushed first.
 *  6. There is no push for a join that only ends the thread: it would cost more than it saves. Lanes that exit or return need none at all.
 *
 * Requires: allocated, laid out; branches are not instructions. */
bool hd_pass_reconverge(hd_ir_module *module, const hd_pass_context *context);

#endif
