#include "core/execute/memory_stage.h"

#include "core/observe/stop.h"
#include "core/observe/tracing.h"
#include "core/residency/spawn.h"

void hd_memory_stage_put(hd_core *core, unsigned which, hd_flight *flight)
{
	flight->next = NULL;
	if (core->stage[which].first)
		core->stage[which].last->next = flight;
	else
		core->stage[which].first = flight;
	core->stage[which].last = flight;
}

uint64_t hd_memory_stage_accepts(const hd_core *core, unsigned pipe, uint64_t accept, uint64_t now)
{
	const hd_flight *first = core->stage[pipe == HD_PIPE_LATOM].first;
	if (first && first->exit < now)
		return HD_NEVER; /* the stage is behind: wait until it has taken its flights */
	uint64_t free_at = hd_lsu_free_at(core->lsu, (hd_pipe)pipe);
	uint32_t latency = core->stage_latency[pipe == HD_PIPE_LATOM];
	return free_at > accept + latency ? free_at - latency : accept;
}

void hd_memory_stage(hd_core *core, uint64_t now)
{
	for (unsigned which = 0; which < 2; which++) {
		unsigned pipe = which ? HD_PIPE_LATOM : HD_PIPE_LSU;
		hd_flight *flight;
		while ((flight = core->stage[which].first) && flight->exit <= now && hd_lsu_free_at(core->lsu, (hd_pipe)pipe) <= now) {
			hd_trap trap = {0};
			core->stage[which].first = flight->next;
			for (uint32_t i = 0; i < core->n_schedulers; i++)
				if (core->scheduler[i].occupied >> pipe & 1)
					core->scheduler[i].queue[pipe].next = now;
			bool replays = !which && core->scheduler[flight->scheduler].replay.size;
			if (replays && !(flight = hd_replay_arrives(core, flight, now)))
				continue;
			hd_memory_operands *memory = flight->memory;
			const hd_cta *cta = core->scheduler[flight->scheduler].warp[flight->warp].cta;
			bool spawn = memory->access.inst->op == HD_OP_LAUNCH || memory->access.inst->op == HD_OP_QPUSH;
			if (!(spawn ? hd_core_spawn(core, cta, now, &memory->access, &memory->result, &trap)
			            : hd_lsu_access(core->lsu, now, &memory->access, &memory->result, core->stats, &trap))) {
				hd_trap *out = core->context->trap;
				hd_core_stop(core, now, trap.kind, flight->scheduler, flight->warp, flight->pc, trap.lane, trap.text);
				out->address = trap.address;
				out->bytes = trap.bytes;
				out->store = trap.store;
				hd_pool_return(&core->pool, flight);
				return;
			}
			if (core->trace && memory->access.mask & ~memory->result.left)
				hd_tell_access(core, flight, memory->access.mask & ~memory->result.left, now);
			if (replays && !hd_replay_served(core, flight, now))
				continue;
			if (core->trace)
				hd_tell_flight(core, flight, HD_TRACE_MEMORY, now);
			hd_events_add(&core->events, now, hd_max_u64(memory->result.done, now + 1) + core->code[flight->pc].late, flight);
		}
	}
}

uint64_t hd_memory_stage_next(const hd_core *core)
{
	uint64_t next = HD_NEVER;
	for (unsigned which = 0; which < 2; which++) {
		const hd_flight *first = core->stage[which].first;
		if (!first)
			continue;
		uint64_t free_at = hd_lsu_free_at(core->lsu, which ? HD_PIPE_LATOM : HD_PIPE_LSU);
		uint64_t at = hd_max_u64(first->exit, free_at);
		if (at < next)
			next = at;
	}
	return next;
}
