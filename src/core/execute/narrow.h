/* Narrow pipes: a pipeline that takes 16, 8 or 4 lanes in a cycle (`lanes` of the machine description). An instruction enters in 32 / lanes cycles.
 * In each cycle a part of its lanes reads its operands and goes into its own latch, which is written `latency` cycles later. The monitor handles one
 * part at a time: a counter falls by the lane groups that were read, or written, in a cycle (HZ-7, HZ-9).
 *
 * The guard is read in the first cycle for all lanes (HZ-16). Two kinds of instructions need all lanes at once: instructions that read other lanes,
 * and accesses to memory. Their operands are collected, and they continue in the last cycle of their entry. */
#ifndef HD_CORE_NARROW_H
#define HD_CORE_NARROW_H

#include "core/state.h"

/* NULL when every pipe of the machine takes a whole warp in a cycle. */
hd_narrow *hd_narrow_new(const hd_machine *machine);
void hd_narrow_free(hd_narrow *narrow);
/* Begins the entry of `sent` into its narrow pipe in this cycle, with the lanes `mask`. Requires at least one lane. */
void hd_narrow_begin(hd_core *core, unsigned scheduler, const hd_sent *sent, uint32_t mask, uint64_t now);
/* Enters the next part of each instruction that is entering a pipe of the scheduler. Requires: s->entering. */
void hd_narrow_continue(hd_core *core, unsigned scheduler, uint64_t now);
/* The instruction that is entering a narrow pipe; NULL = none. */
const hd_sent *hd_narrow_entering(const hd_scheduler *s, unsigned pipe);
/* A hash of the warp's instructions that are entering pipes, for livelock detection. */
uint64_t hd_narrow_hash(const hd_scheduler *s, unsigned warp);

#endif
