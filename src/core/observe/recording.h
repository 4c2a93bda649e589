/* The core's events for launch/record.h. They cost a test of core->recorder, which is NULL without a recorder and in other cores. */
#ifndef HD_CORE_RECORDING_H
#define HD_CORE_RECORDING_H

#include "core/state.h"

/* Reports an event of a scheduler's unit with its values, in the order of record.def. */
#define HD_RECORD_EVENT(core_, s_, kind_, ...)                                                                   \
	do {                                                                                                     \
		if ((core_)->recorder) {                                                                         \
			const uint64_t values_[] = {__VA_ARGS__};                                                \
			hd_record_event((core_), (s_), HD_RECORD_##kind_, values_, (unsigned)HD_COUNT(values_)); \
		}                                                                                                \
	} while (0)

/* Requires: core->recorder. Does nothing for a scheduler that is not recorded. */
void hd_record_event(const hd_core *core, const hd_scheduler *s, hd_record_kind kind, const uint64_t *values, unsigned n);
/* The core is new. */
void hd_record_begin(const hd_core *core);
/* Cycle `now` begins; core->last is the cycle of the last tick. */
void hd_record_tick(const hd_core *core, uint64_t now);
/* A counter of the warp was adjusted by `groups` lane groups. */
void hd_record_fence(const hd_core *core, const hd_scheduler *s, hd_record_kind kind, unsigned warp, unsigned counter, unsigned groups);
/* The decoder checked the instruction at `pc` of the warp, before anything of it has changed. The second instruction of a pair (PD-7) is not
 * recorded. */
void hd_record_check(const hd_core *core, const hd_scheduler *s, unsigned warp, uint32_t pc, hd_verdict verdict, uint16_t watch);
/* A queue had its turn. `ready`: the pipe takes an instruction. `sent`: what leaves; NULL: nothing. */
void hd_record_queue(const hd_core *core, const hd_scheduler *s, unsigned pipe, bool ready, const hd_sent *sent);
/* An instruction was pushed with the count `counted`. */
void hd_record_push(const hd_core *core, const hd_scheduler *s, unsigned pipe, const hd_sent *sent, uint64_t counted);
void hd_record_score_check(const hd_core *core, const hd_scheduler *s, unsigned warp, const hd_footprint *footprint, bool ready);
void hd_record_score_issue(const hd_core *core, const hd_scheduler *s, unsigned warp, const hd_footprint *footprint);
/* `event` of hd_scoreboard_report happened. */
void hd_record_score_end(const hd_core *core, const hd_scheduler *s, unsigned warp, const hd_footprint *footprint,
                         void (*event)(hd_scoreboard *, unsigned, const hd_footprint *));

/* The macro scheduler did its step of cycle `now`. */
void hd_record_macro(const hd_core *core, const hd_scheduler *s, uint64_t now);
/* The warp's PC was loaded in sequence. */
void hd_record_step(const hd_core *core, const hd_scheduler *s, unsigned warp);
/* The flow instruction was decided. `lane` is that of a trap. */
void hd_record_flow(const hd_core *core, const hd_scheduler *s, const hd_flight *flight, hd_flow_result result, unsigned lane);
/* The scheduler picks the warp, before its window is looked at. */
void hd_record_picked(const hd_core *core, const hd_scheduler *s, unsigned warp, uint64_t now);

/* For observer and recorder, when there is one of them (core->observed). A result, or a part of it, is complete: the write controller takes it, or it
 * is written without a path. */
void hd_observe_result(hd_core *core, const hd_scheduler *s, const hd_flight *flight, const hd_slot *slot, const hd_static *row, hd_trace_kind kind,
                       uint64_t now);
/* An instruction has read its operands, and drops none yet. */
void hd_observe_reading(hd_core *core, const hd_scheduler *s, const hd_reading *reading, const hd_slot *slot, const hd_sent *reader);

/* True when operand 0 to 2 is read from a register: it is no constant, no immediate and not RZ. */
static inline bool hd_operand_is_register(const hd_slot *slot, unsigned i)
{
	unsigned reg = i == 0 ? slot->inst.a : i == 1 ? slot->inst.b : slot->inst.c;
	return slot->words[i] && reg != HD_RZ && !(slot->imm ? i == 1 : slot->inst.ksel == i + 1);
}

/* hd_scoreboard_ready for the instruction at `pc` of the warp; it is recorded. */
static inline bool hd_recorded_ready(const hd_core *core, const hd_scheduler *s, unsigned warp, uint32_t pc)
{
	bool ready = hd_scoreboard_ready(s->scoreboard, warp, &core->footprint[pc]);
	if (core->recorder)
		hd_record_score_check(core, s, warp, &core->footprint[pc], ready);
	return ready;
}

#endif
