/* Finding out that a run will spin for ever (RC-17), such as lanes that wait for a lock whose holder waits for them at a higher address.
 *
 * What a warp executes depends on its registers, predicates and flow state, on memory, and on clocks; not on time, as the program's annotations make
 * values independent of it. So when a warp comes again to a state that it was in before, while no byte of memory has changed its value and no clock
 * was read in between, it goes round for ever. When every warp of the machine does, or waits at a barrier, nothing can ever change again.
 *
 * Watching begins HD_QUIET cycles after the last sign of progress: a warp began, ended or passed a barrier, or, once it is watching, memory changed.
 * Then each decided flow instruction compares the warp's state with one kept earlier (Brent: it is replaced at growing distances, so that every
 * period is found). The state holds what is in flight, too, so that a value on its way is not mistaken for one that stays. A loop that counts its
 * turns is no state that recurs, and is not found. Until watching begins this costs a comparison for each flow instruction. */
#ifndef HD_CORE_LIVELOCK_H
#define HD_CORE_LIVELOCK_H

#include "launch/watch.h"

typedef struct hd_past hd_past;
struct hd_core;

/* Warps of the core (hd_scheduler.decided) have decided a flow instruction in this cycle, and watching has begun. All that is written in this cycle
 * is written. Stops the run with a report when no warp of the machine can ever go on. */
void hd_livelock_look(struct hd_core *core, uint64_t now);
/* True when the warp's state has recurred in the epoch that is running. */
bool hd_livelock_spins(const struct hd_core *core, unsigned scheduler, unsigned warp);
void hd_livelock_free(hd_past *past);

#endif
