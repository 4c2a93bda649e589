#include "core/execute/memory_stage.h"

#include "core/execute/operands.h"
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

/* The cycle in which all lanes of `mask` have their data (HZ-31). */
static uint64_t lanes_done(const hd_access_result *result, uint32_t mask)
{
	uint64_t done = 0;
	for (; mask; mask &= mask - 1)
		done = hd_max_u64(result->lane_done[hd_lowest_bit(mask)], done);
	return done;
}

/* The lane groups of `mask` whose data come first, and when. */
static uint32_t first_groups(const hd_access_result *result, unsigned group_lanes, uint32_t mask, uint64_t soonest, uint64_t *first)
{
	uint32_t lanes = 0;
	*first = HD_NEVER;
	for (unsigned at = 0; at < HD_LANES; at += group_lanes) {
		uint32_t own = mask & (UINT32_MAX >> (HD_LANES - group_lanes)) << at;
		uint64_t done = own ? hd_max_u64(lanes_done(result, own), soonest) : HD_NEVER;
		lanes = done < *first ? own : done == *first ? lanes | own : lanes;
		*first = hd_min_u64(done, *first);
	}
	return lanes;
}

/* memory.return_groups: lane groups whose data are there before the last ones get latches of their own. */
static void return_groups(hd_core *core, hd_flight *flight, uint64_t now)
{
	unsigned idle = flight->units - hd_units_of(core, flight->mask); /* they fall with the last lanes (HZ-30) */
	for (uint32_t rest = flight->mask; rest;) {
		uint64_t first;
		uint32_t lanes = first_groups(&flight->memory->result, core->context->machine->fence_group_lanes, rest, now + 1, &first);
		rest &= ~lanes;
		if (!rest) {
			flight->mask = lanes;
			flight->units = (uint8_t)(hd_units_of(core, lanes) + idle);
			return;
		}
		hd_flight *part = hd_pool_flight(&core->pool);
		hd_memory_operands *memory = hd_pool_operands(&core->pool);
		*part = *flight;
		*memory = *flight->memory;
		memory->whole = core->outbox ? flight->memory : NULL;
		part->memory = memory;
		part->mask = lanes;
		part->units = (uint8_t)hd_units_done(core, lanes, rest);
		part->part |= HD_PART_MORE;
		flight->part |= HD_PART_UNCOUNTED;
		hd_events_add(&core->events, now, first + core->code[flight->pc].late, part);
	}
}

/* The flight is served in full, and nothing is missing for its result. */
static void complete(hd_core *core, hd_flight *flight, uint64_t now)
{
	hd_events_add(&core->events, now, hd_max_u64(flight->memory->result.done, now + 1) + core->code[flight->pc].late, flight);
}

/* The flight waits for answers (memory.slices). */
static void await(hd_core *core, hd_flight *flight)
{
	flight->memory->result.owner = flight;
	flight->before = NULL;
	flight->next = core->awaiting;
	if (core->awaiting)
		core->awaiting->before = flight;
	core->awaiting = flight;
}

/* The last answer has come, unless replays for other lanes are still to be served. */
typedef struct answers {
	hd_core *core;
	uint64_t now;
} answers;

static void answered(void *context, void *owner)
{
	const answers *a = context;
	hd_flight *flight = owner;
	if (!flight)
		return;
	if (flight->before)
		flight->before->next = flight->next;
	else
		a->core->awaiting = flight->next;
	if (flight->next)
		flight->next->before = flight->before;
	flight->memory->result.owner = NULL;
	complete(a->core, flight, a->now - 1);
}

void hd_memory_stage_answers(hd_core *core, uint64_t now)
{
	hd_lsu_answers(core->lsu, answered, &(answers){core, now});
	uint64_t next = hd_min_u64(hd_events_next(&core->events, now - 1), hd_lsu_goes_on(core->lsu));
	core->signal->next = hd_min_u64(core->signal->next, hd_max_u64(next, now));
}

static void wake_queues(hd_core *core, unsigned pipe, uint64_t now)
{
	for (uint32_t i = 0; i < core->n_schedulers; i++)
		if (core->scheduler[i].occupied >> pipe & 1)
			core->scheduler[i].queue[pipe].next = now;
}

/* Goes on with the access that stopped in the middle. */
static void go_on(hd_core *core, uint64_t now)
{
	hd_flight *flight = core->halted;
	if (!flight || hd_lsu_goes_on(core->lsu) > now)
		return;
	bool served = hd_lsu_go_on(core->lsu, now, core->stats);
	if (!served)
		return;
	core->halted = NULL;
	wake_queues(core, HD_PIPE_LSU, now);
	if (flight->memory->result.waits)
		await(core, flight);
	else
		complete(core, flight, now);
}

void hd_memory_stage(hd_core *core, uint64_t now)
{
	go_on(core, now);
	for (unsigned which = 0; which < 2; which++) {
		unsigned pipe = which ? HD_PIPE_LATOM : HD_PIPE_LSU;
		hd_flight *flight;
		while ((flight = core->stage[which].first) && flight->exit <= now && hd_lsu_free_at(core->lsu, (hd_pipe)pipe) <= now) {
			hd_trap trap = {0};
			core->stage[which].first = flight->next;
			wake_queues(core, pipe, now);
			bool replays = core->replaying_stages >> pipe & 1;
			if (replays && !(flight = hd_replay_arrives(core, flight, now)))
				continue;
			hd_memory_operands *memory = flight->memory;
			hd_cta *cta = core->scheduler[flight->scheduler].warp[flight->warp].cta;
			uint64_t sectors = core->stats->memory_sectors; /* before this access */
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
				hd_tell_access(core, flight, memory->access.mask & ~memory->result.left, core->stats->memory_sectors - sectors, now);
			if (replays && !hd_replay_served(core, flight, now))
				continue;
			if (core->trace)
				hd_tell_flight(core, flight, HD_TRACE_MEMORY, now);
			if (memory->result.waits) {
				if (hd_lsu_free_at(core->lsu, (hd_pipe)pipe) == UINT64_MAX)
					core->halted = flight;
				else
					await(core, flight);
				continue;
			}
			if (core->return_groups && !spawn && memory->access.inst->op != HD_OP_MEMBAR)
				return_groups(core, flight, now);
			complete(core, flight, now);
		}
	}
}

uint64_t hd_memory_stage_next(const hd_core *core)
{
	uint64_t next = core->halted ? hd_lsu_goes_on(core->lsu) : HD_NEVER;
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
