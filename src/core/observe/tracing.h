/* The core's events for launch/trace.h. Callers check `if (core->trace)` first. */
#ifndef HD_CORE_TRACING_H
#define HD_CORE_TRACING_H

#include "core/issue/decode.h"
#include "core/state.h"

/* For hd_core_new: an observer knows nothing of the warps. */
void hd_emit_init(hd_core *core);
/* Reports that a warp begins, and its flow state. */
void hd_emit_begin(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now);
void hd_emit_end(hd_core *core, const hd_scheduler *s, unsigned warp, uint64_t now);
/* Reports the flow state of the warp (RC-24). */
void hd_emit_flow(const hd_core *core, const hd_scheduler *s, unsigned warp, uint64_t now);
/* Reports that an instruction of the warp issues, and gives it its number. Call it before all other functions for the instruction. `slots` is 1, or 0
 * when it shares the slot of an earlier instruction. */
void hd_emit_issue(hd_core *core, unsigned scheduler, unsigned warp, uint32_t pc, unsigned slots, uint64_t now);
void hd_emit_sent(hd_core *core, unsigned scheduler, const hd_sent *sent, uint32_t mask, bool dropped, uint64_t now);
/* Reports that `sent` was removed from its queue, or that lanes `lanes` of it alone go on (PD-27). */
void hd_emit_squashed(hd_core *core, unsigned scheduler, const hd_sent *sent, uint64_t now);
void hd_emit_narrowed(hd_core *core, unsigned scheduler, const hd_sent *sent, uint32_t lanes, uint64_t now);
/* Reports that lanes `mask` of an instruction that is entering a narrow pipe read their operands. */
void hd_emit_read(hd_core *core, unsigned scheduler, const hd_sent *sent, uint32_t mask, uint64_t now);
void hd_emit_replay(hd_core *core, const hd_scheduler *s, const hd_sent *sent, uint64_t now);
void hd_emit_flight(hd_core *core, const hd_flight *flight, hd_trace_kind kind, uint64_t now);
/* Counts of a core's accesses to memory so far. */
typedef struct hd_access_counts {
	uint64_t sectors, hits, dram, packets;
	uint32_t requests; /* of the cluster in the present window */
} hd_access_counts;
static inline hd_access_counts hd_access_counts_of(const hd_core *core)
{
	return (hd_access_counts){.sectors = core->stats->memory_sectors,
	                          .hits = core->stats->memory_l1_hits,
	                          .dram = core->stats->memory_dram_reads,
	                          .packets = core->outbox ? core->outbox->number : 0,
	                          .requests = core->requests ? (uint32_t)core->requests->list.n : 0};
}
/* Reports that lanes `mask` of a memory instruction's access were performed in this cycle, and what it added to the counts `before`. */
void hd_emit_access(hd_core *core, const hd_flight *flight, uint32_t mask, const hd_access_counts *before, uint64_t now);
/* Lets the write controller of a scheduler report each write. */
void hd_observe_results(hd_core *core, hd_scheduler *s);
/* Reports that words (a mask) of a result are written to the register file. */
void hd_emit_registers(hd_core *core, const hd_flight *flight, unsigned words, uint64_t now);
/* Reports that lanes of a register of an operand buffer are written, or replaced, by `kind`. */
void hd_emit_buffer(const hd_operand_buffer *buffer, const hd_buffer_register *at, hd_trace_kind kind, uint32_t lanes, uint64_t now);
/* Lets the write controllers do what is due up to cycle `now`, which they would otherwise do when they are next used. Returns the first later cycle
 * in which one of them has something to do, UINT64_MAX = never. */
uint64_t hd_emit_results(hd_core *core, uint64_t now);
/* Cycle `now` is over: hd_emit_results, what each warp waits for, and the state of the units for who watches them. Returns the first later cycle that
 * an observer wants to see, UINT64_MAX = none. */
uint64_t hd_emit_cycle(hd_core *core, uint64_t now);
/* Reports the values that hd_wc_end_reading is about to drop for the last uses of instruction `reader`, and those that it cannot drop. */
void hd_emit_skips(hd_core *core, const hd_scheduler *s, const hd_reading *reading, const hd_sent *reader);
void hd_emit_arrive(hd_core *core, const hd_scheduler *s, unsigned warp, unsigned barrier, uint64_t now);
/* Reports that `warps`, numbers in the CTA of `warp`, continue. */
void hd_emit_release(hd_core *core, const hd_scheduler *s, unsigned warp, unsigned barrier, uint32_t warps, uint64_t now);
/* Reports the barriers that the end of `warp` completed. `before` holds the barriers of its CTA before the end. */
void hd_emit_end_of_barriers(hd_core *core, const hd_scheduler *s, unsigned warp, const hd_barriers *before, uint64_t now);
void hd_emit_descheduled(hd_core *core, const hd_scheduler *s, unsigned warp, hd_verdict verdict, bool slot, uint64_t now);
/* Reports that `slots` issue slots are lost for `cause` in `cycles` cycles from `cycle` on, in the scheduler's current state. */
void hd_emit_lost(hd_core *core, const hd_scheduler *s, hd_stall cause, uint64_t slots, uint64_t cycle, uint64_t cycles);

/* A counter of the warp was raised or lowered by `units`: reports it to the observer and to the recorder (record.def), where there is one. */
void hd_note_counter(const hd_core *core, const hd_scheduler *s, hd_record_kind kind, unsigned warp, unsigned counter, unsigned units, uint64_t now);

#endif
