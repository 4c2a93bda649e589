/* Detection of a run that spins for ever (RC-17), such as lanes that wait for a lock whose holder waits for them at a higher address.
 *
 * The execution of a warp depends on its registers, predicates and flow state, on memory, and on clocks. It does not depend on time, because the
 * program's annotations make values independent of time. So a warp repeats itself for ever when it reaches an earlier state again, and meanwhile no
 * byte of memory changed its value and no clock was read. When every warp of the machine repeats itself or waits at a barrier, nothing can ever
 * change again.
 *
 * Detection begins HD_QUIET cycles after the last sign of progress: a warp began or ended or, during detection, memory changed. From
 * then on each decided flow instruction compares the warp's state with an earlier one. The comparison uses Brent's algorithm: it replaces the earlier
 * state at growing distances, so it finds every period. The state includes everything in flight, so a value on its way is not mistaken for a constant
 * one. A loop that counts its iterations never repeats a state and is not found. Before detection begins, the cost is one comparison for each flow
 * instruction.
 *
 * A barrier is no progress by itself: warps that repeat themselves may pass barriers all the time. A warp that waits at a barrier and is not known to
 * repeat itself may be released by one that does. It never is when each of those has gone through a whole period since the warp came to the barrier.
 * When some have not, they are watched anew, in an epoch of their own. (A warp that arrives at a barrier without waiting counts as progress: what it
 * does to the barrier is not part of its state.) */
#ifndef HD_CORE_LIVELOCK_H
#define HD_CORE_LIVELOCK_H

#include "launch/watch.h"

typedef struct hd_past hd_past;
struct hd_core;

/* Checks the warps of the core that decided a flow instruction in this cycle (hd_scheduler.decided). Stops the run with a report when no warp of the
 * machine can ever continue. Call it when detection is on, after all writes of the cycle. */
void hd_livelock_look(struct hd_core *core, uint64_t now);
/* True when the warp's state has recurred in the current epoch. */
bool hd_livelock_spins(const struct hd_core *core, unsigned scheduler, unsigned warp);
/* A warp begins to wait at a barrier, or is released, before or after watch->waiting changes. */
void hd_livelock_waits(struct hd_core *core, unsigned scheduler, unsigned warp, uint64_t now);
void hd_livelock_released(struct hd_core *core, unsigned scheduler, unsigned warp);
void hd_livelock_free(hd_past *past);

#endif
