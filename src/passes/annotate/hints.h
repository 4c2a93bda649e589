#ifndef HD_HINTS_H
#define HD_HINTS_H

#include "config/machine.h"
#include "ir/ir.h"

/* True for an instruction that a unit may refuse on this machine, where there is a replay buffer (PD-10, PD-16): a load of global memory, and what
 * the keys predecode.refuse_* add (PD-26). */
bool hd_may_be_refused(const hd_ir_inst *inst, const hd_machine *machine);

/* Chooses hints beyond delays, waits and pairs (PD-8 to PD-10, PD-22), where the machine has a carrier for them and honours them:
 *
 *  - may_replay on loads of global memory: a full table of misses then holds back this load, and not those behind it, which may hit. With the keys
 *    predecode.refuse_* also on instructions of slow units, atomics in shared memory, readers of constants, and readers of two registers (PD-26);
 *  - hold.replay.mem on a consumer that ends the life of a value by a last-use flag (LU-3): if no other warp and no replay issues before it, the
 *    value is forwarded and never written (LU-5, LU-6). It does not wait for memory, because counters do that;
 *  - with predecode.consecutive, a delay of 0 on the instruction before such a consumer in place of the hold, where it has a delay of one cycle and
 *    no other hint (PD-30);
 *  - lower, for as long as its unit is busy, on an instruction whose successor goes to the same unit: a warp whose next instruction needs another
 *    unit goes first, and the queue does not fill with instructions that cannot enter. Warps in a strict order, by age or by the program
 *    (priorities.h), get none, because a lowered warp loses its place in that order and its values on forwarding paths.
 *  - boost, with predecode.boost_loads, on an instruction up to four places before a load of global memory: the load's latency begins earlier. Again
 *    only without a strict order.
 *
 * Where an entry holds two hints (PD-24), the second one stands beside a wait, a pair or another hint, and a boost or lower beside any delay. The
 * list is in order: of three hints the last one has no room.
 *
 * With a candidate window a machine honours may_replay alone, so no other hint is chosen. Only a second hint that names the pipe of an instruction
 * with a wait is added. No distance changes: a hint replaces a delay and keeps its number, replaces what `default` does anyway, or states no number.
 * Requires: delays are placed, last uses are marked, priorities are chosen. */
void hd_choose_hints(hd_ir_function *function, const hd_machine *machine);

#endif
