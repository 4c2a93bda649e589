/* Entry into a pipe: active logic, operand read, execution into the latch (HZ-16). */
#ifndef HD_CORE_PIPELINE_H
#define HD_CORE_PIPELINE_H

#include "core/execute/memory_stage.h"
#include "core/execute/replay.h"
#include "core/issue/wakeup.h"

/* The part of an entry that is the same for instructions from queues and from the replay buffer, in which `sent` has a place. */
void hd_pipeline_enter_reserved(hd_core *core, unsigned scheduler, const hd_sent *sent, uint64_t now);
/* HZ-17: `sent`, which waited for counters, leaves its queue. */
void hd_pipeline_leave_queue(hd_core *core, hd_scheduler *s, const hd_sent *sent);
/* `sent` leaves its queue for the pipe in this cycle. */
static inline void hd_pipeline_enter(hd_core *core, unsigned scheduler, const hd_sent *sent, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	if (core->wait_counters && sent->wait)
		hd_pipeline_leave_queue(core, s, sent);
	if (core->replaying_stages >> core->code[sent->pc].pipe & 1 && hd_replay_parks(core, s, sent, now))
		return;
	hd_pipeline_enter_reserved(core, scheduler, sent, now);
}
/* `sent` leaves its queue, and the pipe refuses it (PD-26). */
void hd_pipeline_refuse(hd_core *core, unsigned scheduler, const hd_sent *sent, const hd_reception *how, uint64_t now);
/* For the replay buffer: the entry of a replay with its operands, and a check for register file ports. The check is true when other reads of this
 * cycle have taken the ports that the reads of `sent` need. */
void hd_pipeline_reenter(hd_core *core, hd_scheduler *s, hd_flight *flight, uint64_t now);
/* Keeps an executed instruction in its latch until flight->exit. A scoreboard, and a counter that only the decoder checks, are informed of the result
 * in the cycle before. */
static inline void hd_enter_latch(hd_core *core, hd_scheduler *s, const hd_static *row, hd_flight *flight, uint64_t now)
{
	uint64_t cycle = flight->exit;
	if (core->footprint && row->kind != HD_KIND_FLOW && !(flight->part & HD_PART_MORE)) {
		if (row->latency > 1) {
			cycle--;
		} else {
			flight->announced = 1;
			hd_scoreboard_report(core, s, flight->warp, flight->pc, hd_scoreboard_written);
		}
	}
	cycle -= row->early;
	hd_events_add(&core->events, now, cycle, flight);
}
bool hd_pipeline_ports_taken(const hd_core *core, const hd_scheduler *s, const hd_sent *sent, uint64_t now);
/* The first cycle in which the entry of the pipe is free, as far as it is known in cycle `now`. */
static inline uint64_t hd_pipeline_entry_free(const hd_core *core, hd_scheduler *s, unsigned pipe, uint64_t now)
{
	uint64_t accept = hd_max_u64(s->pipe_free[pipe], hd_wc_ports_free(&s->results, now));
	return pipe == HD_PIPE_LSU || pipe == HD_PIPE_LATOM ? hd_memory_stage_accepts(core, pipe, accept, now) : accept;
}
/* The first cycle in which the pipe takes an instruction from its queue, as far as it is known in cycle `now`. */
static inline uint64_t hd_pipeline_accepts(const hd_core *core, hd_scheduler *s, unsigned pipe, uint64_t now)
{
	if (core->replaying_stages >> pipe & 1 && hd_replay_full(&s->replay))
		return HD_NEVER; /* no cycle is known before a place is free */
	return hd_pipeline_entry_free(core, s, pipe, now);
}

#endif
