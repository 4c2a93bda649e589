#ifndef HD_CALLS_H
#define HD_CALLS_H

#include "passes/allocate/allocation.h"

/* Lowers one function's calls, entry and returns by the calling convention (docs/compiler.md):
 *
 *  - CALLF becomes CALL or CALLX between copies of arguments into fixed registers and copies of results out of them; what has no register goes
 *    through the callee's frame;
 *  - parameters arrive from fixed registers or the own frame, results are left there; f->results then names the fixed registers;
 *  - frame addresses stay in loads and stores where their offset can, and are computed into a register elsewhere. Operands of kind FRAME are left for
 *    hd_finish_frames.
 *
 * Requires: virtual registers, `a->stack` is set. Makes frame_bytes larger by what is passed in memory. */
void hd_lower_calls(hd_allocation *a);

#endif
