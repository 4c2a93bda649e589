/* The core's events for launch/trace.h. Callers check `if (core->trace)` first. */
#ifndef HD_CORE_TRACING_H
#define HD_CORE_TRACING_H

#include "core/issue/decode.h"
#include "core/state.h"

void hd_tell_begin(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now);
void hd_tell_end(hd_core *core, const hd_scheduler *s, unsigned warp, uint64_t now);
/* An instruction of the warp issues: gives it its number. To be called before anything else happens to it. `slots`: 1, or 0 when it shares the
 * slot of an earlier one. */
void hd_tell_issue(hd_core *core, unsigned scheduler, unsigned warp, uint32_t pc, unsigned slots, uint64_t now);
void hd_tell_sent(hd_core *core, unsigned scheduler, const hd_sent *sent, uint32_t mask, bool dropped, uint64_t now);
void hd_tell_replay(hd_core *core, const hd_scheduler *s, const hd_sent *sent, uint64_t now);
void hd_tell_flight(hd_core *core, const hd_flight *flight, hd_trace_kind kind, uint64_t now);
void hd_tell_descheduled(hd_core *core, const hd_scheduler *s, unsigned warp, hd_verdict verdict, bool slot, uint64_t now);
/* `slots` are lost for `cause` in `cycles` cycles from `cycle` on, in the scheduler's current state. */
void hd_tell_lost(const hd_core *core, const hd_scheduler *s, hd_stall cause, uint64_t slots, uint64_t cycle, uint64_t cycles);

#endif
