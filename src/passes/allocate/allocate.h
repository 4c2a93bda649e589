/* Register allocation (docs/compiler.md). Parts: calls.h (calling convention), linear_scan.h (assignment), spill.h (rewriting), verify.h (proof of
 * the result), frames.h (addresses of frames). */
#ifndef HD_ALLOCATE_H
#define HD_ALLOCATE_H

#include "passes/pass.h"

/* Replaces virtual registers by physical ones and sets `allocated`, `registers` and `frame_base` of every function. Calls are lowered, frames have
 * their addresses, copies of a register to itself are gone. Each thread gets the registers that the largest block of the module's kernels leaves it,
 * at least 16. Requires: legalised, no SWITCH. Fails if frames are too large. */
bool hd_pass_allocate(hd_ir_module *module, const hd_pass_context *context);

/* The same with other limits: at least 16 registers and 4 predicates. */
bool hd_allocate_limited(hd_ir_module *module, const hd_machine *machine, uint32_t registers, uint32_t predicates, hd_diag *diag);

#endif
