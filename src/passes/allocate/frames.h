/* Addresses of frames in local memory (docs/compiler.md): static ones, or a stack. */
#ifndef HD_FRAMES_H
#define HD_FRAMES_H

#include "ir/ir.h"

/* Does the module need a stack: for recursion, an indirect call, or large frames below calls? Requires: calls are not lowered. */
bool hd_module_needs_stack(const hd_ir_module *module);

/* Makes constants and stack adjustments of all operands of kind FRAME, once all frame sizes are known; sets frame_base. Requires: all functions are
 * allocated. False, with an error in diag: the frames along a chain of calls pass what an offset can reach. */
bool hd_finish_frames(hd_ir_module *module, bool stack, hd_diag *diag);

#endif
