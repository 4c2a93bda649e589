#ifndef HD_HINT_WRITES_H
#define HD_HINT_WRITES_H

#include "config/machine.h"
#include "ir/ir.h"

/* Places the instructions `hints`, which bring pre-decode data to the scheduler (PD-25), where predecode.carrier is `register`. Otherwise nothing
 * happens.
 *
 * An instruction whose hint is not what `default` does begins a group of four. Its `hints` stands in the same block, far enough ahead that the
 * register is written when the instruction becomes the warp's next (docs/timing.md, "Hint registers"), and behind the group before the previous one,
 * whose register it takes. It takes an issue slot, so the delay before it is a cycle shorter. Where a block has no room ahead, that is at its
 * beginning, the instruction has the hint `default`, and `nop`s stand for its delay or wait. It is the same behind a flow instruction: the code that
 * a call runs, or other lanes of the warp, may take the registers.
 *
 * Beside a scoreboard hints have no effect, and nothing is placed.
 *
 * Nothing may be inserted into a block afterwards, because groups are counted in instructions. Requires: hints are chosen (hints.h). */
void hd_place_hint_writes(hd_ir_module *module, hd_ir_function *function, const hd_machine *machine);

#endif
