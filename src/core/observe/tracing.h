/* The core's side of launch/trace.h. Called behind `if (core->trace)` only. */
#ifndef HD_CORE_TRACING_H
#define HD_CORE_TRACING_H

#include "core/issue/decode.h"
#include "core/state.h"

void hd_tell_begin(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now);
void hd_tell_end(hd_core *core, const hd_scheduler *s, unsigned warp, uint64_t now);
/* An instruction of the warp is issued: gives it its number. Before anything of it happens. `slots`: 1, or 0 when it shares the slot of one before.
 */
void hd_tell_issue(hd_core *core, unsigned scheduler, unsigned warp, uint32_t pc, unsigned slots, uint64_t now);
void hd_tell_sent(hd_core *core, unsigned scheduler, const hd_sent *sent, uint32_t mask, bool dropped, uint64_t now);
void hd_tell_replay(hd_core *core, const hd_scheduler *s, const hd_sent *sent, uint64_t now);
void hd_tell_flight(hd_core *core, const hd_flight *flight, hd_trace_kind kind, uint64_t now);
void hd_tell_descheduled(hd_core *core, const hd_scheduler *s, unsigned warp, hd_verdict verdict, bool slot, uint64_t now);
/* `slots` lost for `cause` in `cycles` cycles from `cycle` on, in the state that the scheduler is in. */
void hd_tell_lost(const hd_core *core, const hd_scheduler *s, hd_stall cause, uint64_t slots, uint64_t cycle, uint64_t cycles);

#endif
