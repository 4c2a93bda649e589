#ifndef HD_CHECK_HINT_REGISTERS_H
#define HD_CHECK_HINT_REGISTERS_H

#include "check/effects.h"

/* Sets spacing, wait and waits_for_memory of every instruction by what the scheduler can read in the hint registers (PD-25; docs/timing.md, "Hint
 * registers"). Requires: `effects` (by word address) are those of the hint `default`.
 *
 *   R1  A byte is certain if a `hints` before the instruction, in its block, holds it, no later `hints` of the block is for the instruction too, at
 *       most one later `hints` lies in between (a warp has two registers), and the register is written when the instruction becomes the warp's next,
 *       which takes at least the cycles that are counted between the two.
 *   R2  Otherwise the instruction may have the hint `default`, or any byte that some `hints` of the program has for it, because a register keeps its
 *       data. The least spacing and the least wait count. */
void hd_apply_hint_registers(const hd_code_graph *graph, const hd_machine *machine, hd_effects *effects);

#endif
