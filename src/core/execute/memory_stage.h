/* The memory stages at the ends of the pipes LSU and LATOM. They perform arriving accesses in order. */
#ifndef HD_CORE_MEMORY_STAGE_H
#define HD_CORE_MEMORY_STAGE_H

#include "core/state.h"

/* Adds a flight that is in the pipe and will reach stage `which` (0 LSU, 1 LATOM) in cycle flight->exit. */
void hd_memory_stage_put(hd_core *core, unsigned which, hd_flight *flight);
/* Does the same for an instruction that was issued in cycle `issued` and has read its operands. */
static inline void hd_memory_stage_begin(hd_core *core, unsigned pipe, hd_flight *flight, uint64_t issued)
{
	flight->since = issued;
	flight->done = 0;
	flight->refusals = flight->tickets = 0;
	flight->awaits = false;
	hd_memory_stage_put(core, pipe == HD_PIPE_LATOM, flight);
}
/* The first cycle in which the pipe takes an instruction that its stage can serve. The entry of the pipe is free from cycle `accept` on. */
static inline uint64_t hd_memory_stage_accepts(const hd_core *core, unsigned pipe, uint64_t accept, uint64_t now)
{
	const hd_flight *first = core->stage[pipe == HD_PIPE_LATOM].first;
	if (first && first->exit < now)
		return HD_NEVER; /* the stage is behind: wait until it has taken its flights */
	uint64_t free_at = hd_lsu_free_at(core->lsu, (hd_pipe)pipe);
	uint32_t latency = core->stage_latency[pipe == HD_PIPE_LATOM];
	return free_at > accept + latency ? free_at - latency : accept;
}
/* True when an access is on its way to a stage. */
static inline bool hd_memory_stage_busy(const hd_core *core) { return core->stage[0].first || core->stage[1].first; }
/* As hd_core_answers. */
void hd_memory_stage_answers(hd_core *core, uint64_t now);
/* As hd_core_answer. */
void hd_memory_stage_answer(hd_core *core, uint64_t end);
/* One cycle of both stages. */
void hd_memory_stage(hd_core *core, uint64_t now);
/* The first cycle in which a stage has work. */
uint64_t hd_memory_stage_next(const hd_core *core);

#endif
