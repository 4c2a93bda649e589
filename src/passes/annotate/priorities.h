#ifndef HD_PRIORITIES_H
#define HD_PRIORITIES_H

#include "config/machine.h"
#include "ir/ir.h"

/* Chooses the priorities of a kernel's warps (PD-12, PD-22): sets function->info.priority and priority_step, where the machine takes them from the
 * program and predecode.strict_order is set. It is not set by default: the one example that gets a strict order is slower with it
 * (docs/predecode.md).
 *
 * Warps of equal priority take turns, run in step and reach a slow unit together: all wait for it, then it waits for all of them. In strict order one
 * warp reaches it while the others still compute. That gains something only where a unit other than the widest (the one that takes an instruction in
 * the least time) limits the kernel: it has more to do than any other, and is busy for at least half of the cycles that issuing takes. Otherwise both
 * numbers stay 0, which is the middle for all warps. What the source states (PD-31) stays as it is. Callees are not counted. Requires: loop depths.
 */
void hd_choose_priorities(hd_ir_function *function, const hd_machine *machine);

#endif
