/* Narrow pipes: a pipeline that takes 16, 8 or 4 lanes in a cycle (`lanes` of the machine description). An instruction enters in 32 / lanes cycles.
 * In each cycle a part of its lanes reads its operands and goes into its own latch, which is written `latency` cycles later. The monitor handles one
 * part at a time: a counter falls by the lane groups that were read, or written, in a cycle (HZ-7, HZ-9).
 *
 * The guard is read in the first cycle for all lanes (HZ-16). Two kinds of instructions need all lanes at once: instructions that read other lanes,
 * and accesses to memory. Their operands are collected, and they continue in the last cycle of their entry. */
#ifndef HD_CORE_NARROW_H
#define HD_CORE_NARROW_H

#include "core/execute/narrow_entry.h"

/* Begins the entry of `sent` into its narrow pipe in this cycle, with the lanes `mask`. Requires at least one lane. */
void hd_narrow_begin(hd_core *core, unsigned scheduler, const hd_sent *sent, uint32_t mask, uint64_t now);
/* Enters the next part of each instruction that is entering a pipe of the scheduler. Requires: s->entering. */
void hd_narrow_continue(hd_core *core, unsigned scheduler, uint64_t now);

#endif
