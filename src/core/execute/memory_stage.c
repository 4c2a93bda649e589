#include "core/execute/memory_stage.h"

#include "core/execute/operands.h"
#include "core/execute/replay.h"
#include "core/observe/stop.h"
#include "core/observe/observers.h"
#include "core/residency/spawn.h"
#include "launch/bounds.h"

void hd_memory_stage_put(hd_core *core, unsigned which, hd_flight *flight)
{
	flight->next = NULL;
	if (core->stage[which].first)
		core->stage[which].last->next = flight;
	else
		core->stage[which].first = flight;
	core->stage[which].last = flight;
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

/* An access outside of every buffer that ends nothing. */
static void warn(hd_core *core, const hd_flight *flight, const hd_cta *cta, uint64_t now, hd_trap *trap)
{
	hd_core_fill_place(core, now, flight->scheduler, flight->warp, flight->pc, trap->lane, trap);
	hd_bounds_note(hd_memory_bounds(core->context->memory), trap, &cta->grid->launch, core->context->memory);
}

/* In a window of time: the access awaits answers, and so may lanes that were served before. `whole`: all lanes are served, and the event is added
 * with the last answer. */
static void keep_unanswered(hd_core *core, hd_flight *flight, size_t awaited, bool whole, uint64_t now)
{
	hd_unanswered one = {.flight = flight, .whole = whole, .since = now, .done = flight->memory->result.done};
	if (whole)
		HD_EVENT(core, served, flight, now);
	one.order = whole ? hd_events_reserve(&core->events) : 0;
	one.awaited = (uint32_t)awaited;
	one.most = (uint32_t)(core->requests->awaited.n - awaited);
	flight->awaits = !whole;
	hd_vec_push(&core->unanswered, one);
}

/* The stage of the load/store pipe was closed, and nobody knew until when. Now it is known, and everybody waits for it as if it had been known. */
static void reopen(hd_core *core, uint64_t now)
{
	uint64_t next = hd_memory_stage_next(core), latency = core->stage_latency[0], unknown = UINT64_MAX - latency;
	uint64_t opens = hd_lsu_free_at(core->lsu, HD_PIPE_LSU) - latency;
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_scheduler *s = &core->scheduler[i];
		bool waits = s->occupied >> HD_PIPE_LSU & 1;
		if (!waits && !s->replay.latched)
			continue;
		uint64_t entry = hd_max_u64(s->pipe_free[HD_PIPE_LSU], hd_wc_ports_free(&s->results, now));
		if (waits) {
			hd_queue_learn(&s->queue[HD_PIPE_LSU], s->fence.flags, unknown, hd_max_u64(entry, opens));
			next = hd_min_u64(s->queue[HD_PIPE_LSU].next, next);
		}
		if (s->replay.latched && s->replay.enters == unknown)
			next = hd_min_u64(s->replay.enters = hd_max_u64(entry, opens), next);
	}
	core->signal->next = hd_min_u64(next, core->signal->next);
}

void hd_memory_stage_answer(hd_core *core, uint64_t end)
{
	if (hd_lsu_release(core->lsu))
		reopen(core, end);
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		if (!core->scheduler[i].replay.requests)
			continue;
		hd_replay_answers(core, &core->scheduler[i]);
		core->signal->next = hd_min_u64(core->scheduler[i].replay.next, core->signal->next);
	}
	for (size_t i = 0; i < core->unanswered.n; i++) {
		const hd_unanswered *u = &core->unanswered.at[i];
		hd_flight *flight = u->flight;
		uint64_t answer = hd_requests_answer(core->requests, u->awaited, u->most);
		flight->awaits = false;
		flight->done = hd_max_u64(answer, flight->done);
		if (!u->whole)
			continue;
		flight->memory->result.done = hd_max_u64(flight->done, u->done);
		uint64_t done = hd_max_u64(flight->memory->result.done, u->since + 1) + core->code[flight->pc].late;
		hd_events_add_reserved(&core->events, u->order, done, flight);
		core->signal->next = hd_min_u64(done, core->signal->next);
	}
	core->unanswered.n = 0;
	/* The cycles before are over. A replay that was ready in one of them had no turn, and has one now. */
	core->signal->next = hd_max_u64(core->signal->next, end);
}

/* The access has its last answer. */
static void complete(hd_core *core, hd_flight *flight, uint64_t now)
{
	hd_access_result *result = &flight->memory->result;
	result->done = hd_max_u64(hd_max_u64(result->answered, result->done), now + 1);
	result->answered = 0;
	result->owner = NULL;
	hd_events_add(&core->events, now, result->done + core->code[flight->pc].late, flight);
}

/* With memory.slices: all lanes of the access are served. */
static void await(hd_core *core, hd_flight *flight, uint64_t now)
{
	hd_access_result *result = &flight->memory->result;
	HD_EVENT(core, served, flight, now);
	if (!result->waits) {
		complete(core, flight, now);
		return;
	}
	result->owner = flight;
	flight->before = NULL;
	flight->next = core->awaiting;
	if (core->awaiting)
		core->awaiting->before = flight;
	core->awaiting = flight;
}

typedef struct answers {
	hd_core *core;
	uint64_t now;
} answers;

/* hd_answered: without an owner, replays for other lanes of the access are still to be served. */
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
	complete(a->core, flight, a->now - 1);
}

static void wake_queues(hd_core *core, unsigned pipe, uint64_t now)
{
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_scheduler *s = &core->scheduler[i];
		if (s->occupied >> pipe & 1)
			s->queue[pipe].next = now;
		s->replay.enters = hd_min_u64(s->replay.enters, now);
	}
}

void hd_memory_stage_answers(hd_core *core, uint64_t now)
{
	uint64_t packets = core->outbox->number;
	bool opened = hd_lsu_answers(core->lsu, now, &core->signal->answers, answered, &(answers){core, now});
	if (opened)
		wake_queues(core, HD_PIPE_LSU, now);
	/* The rest of an access without room may have left in part, so the core runs again in this cycle. */
	bool left = core->outbox->number != packets;
	core->signal->next = hd_min_u64(core->signal->next, left || opened ? now : hd_events_next(&core->events, now - 1));
}

static void trap(hd_core *core, hd_flight *flight, const hd_trap *why, uint64_t now)
{
	hd_trap *out = core->context->trap;
	hd_core_stop(core, now, &(hd_stop){why->kind, flight->scheduler, flight->warp, flight->pc, why->lane, why->text});
	out->address = why->address;
	out->bytes = why->bytes;
	out->store = why->store;
	hd_pool_return(&core->pool, flight);
}

/* The access waits for the shared side where it is. */
static void interrupt(hd_core *core, hd_flight *flight)
{
	flight->next = core->stage[0].first;
	core->stage[0].first = flight;
	if (!flight->next)
		core->stage[0].last = flight;
	core->interrupted = true;
}

/* After an access whose time may not be known yet. False: it stops for the shared side. */
static bool defer(hd_core *core, hd_flight *flight, size_t awaited, bool *awaits)
{
	if (!core->requests) {
		*awaits = hd_lsu_awaits(core->lsu, &flight->memory->result);
		return true;
	}
	core->requests->direct = false;
	if (core->requests->stops) {
		interrupt(core, flight);
		return false;
	}
	*awaits = core->requests->awaited.n > awaited || flight->awaits;
	return true;
}

/* An access is performed. False: the core traps, or has to stop for the shared side. */
static inline bool perform(hd_core *core, hd_flight *flight, bool replays, uint64_t now)
{
	hd_trap why = {0};
	hd_memory_operands *memory = flight->memory;
	hd_cta *cta = core->scheduler[flight->scheduler].warp[flight->warp].cta;
	if (core->observers)
		hd_event_access_begins(core);
	size_t awaited = core->requests ? core->requests->awaited.n : 0;
	bool spawn = memory->access.op->kind >= HD_ACCESS_LAUNCH, awaits = false;
	if (!(spawn ? hd_core_spawn(core, cta, now, &memory->access, &memory->result, &why)
	            : hd_lsu_access(core->lsu, now, &memory->access, &memory->result, core->stats, &why))) {
		trap(core, flight, &why, now);
		return false;
	}
	if (core->defers && !defer(core, flight, awaited, &awaits))
		return false;
	if (!spawn && memory->result.outside)
		warn(core, flight, cta, now, &why);
	if (memory->access.mask & ~memory->result.left)
		HD_EVENT(core, access, flight, memory->access.mask & ~memory->result.left, now);
	bool served = !replays || hd_replay_served(core, flight, now);
	if (awaits && core->requests)
		keep_unanswered(core, flight, awaited, served, now);
	else if (awaits && served)
		await(core, flight, now);
	if (awaits || !served)
		return true;
	HD_EVENT(core, served, flight, now);
	if (core->return_groups && !spawn && memory->access.op->kind != HD_ACCESS_FENCE)
		return_groups(core, flight, now);
	hd_events_add(&core->events, now, hd_max_u64(memory->result.done, now + 1) + core->code[flight->pc].late, flight);
	return true;
}

/* One cycle of a stage that has flights. False as in perform. */
static bool serve(hd_core *core, unsigned which, uint64_t now)
{
	unsigned pipe = which ? HD_PIPE_LATOM : HD_PIPE_LSU;
	bool replays = core->replaying_stages >> pipe & 1;
	hd_flight *flight;
	while ((flight = core->stage[which].first) && flight->exit <= now && hd_lsu_free_at(core->lsu, (hd_pipe)pipe) <= now) {
		core->stage[which].first = flight->next;
		if (flight->exit < now) /* the stage was behind, so nobody knew when its pipe takes an instruction (hd_memory_stage_accepts) */
			wake_queues(core, pipe, now);
		if (replays && !core->interrupted && !(flight = hd_replay_arrives(core, flight, now)))
			continue;
		core->interrupted = false;
		if (!perform(core, flight, replays, now))
			return false;
	}
	return true;
}

void hd_memory_stage(hd_core *core, uint64_t now)
{
	for (unsigned which = 0; which < 2; which++)
		if (core->stage[which].first && !serve(core, which, now))
			return;
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
