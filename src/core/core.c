#include "core/observe/tracing.h"
#include "memory/constant.h"

hd_core *hd_core_new(const hd_context *context, uint32_t number, hd_core_size size, hd_icache *l15)
{
	const hd_machine *machine = context->machine;
	hd_core *core = hd_xcalloc(1, sizeof *core);
	core->context = context;
	core->code = context->code->at;
	core->needs = context->code->needs;
	core->window_rows = context->code->window;
	core->window = context->window;
	core->hold = machine->multi_issue_hold;
	core->stats = context->stats;
	core->trace = context->trace;
	core->number = number;
	core->n_schedulers = machine->machine_schedulers;
	core->width = machine->predecode_issue_width;
	core->wait_counters = machine->fence_wait_counters;
	core->signal = &context->signal[number];
	*core->signal = (hd_core_signal){.next = HD_NEVER};
	if (size.registers < context->code->registers)
		size.registers = context->code->registers;
	core->size = size;
	core->supply = hd_supply_of(machine);
	for (uint32_t slot = 0; slot < size.warps; slot++)
		core->free_slots[slot / 64] |= UINT64_C(1) << slot % 64;
	core->ctas = hd_xcalloc(size.ctas, sizeof *core->ctas);
	core->ended = hd_xcalloc(size.ctas, sizeof(hd_grid *));
	core->stopped_at = hd_xcalloc(size.ctas, 1);
	core->registers = hd_xaligned((size_t)size.warps * size.registers * sizeof *core->registers);
	core->activations = hd_xcalloc((size_t)size.warps * machine->divergence_call_depth, sizeof *core->activations);
	core->tokens = hd_xcalloc(size.warps, sizeof *core->tokens);
	core->local = hd_xcalloc(size.warps, sizeof *core->local);
	core->scheduler = hd_xaligned(core->n_schedulers * sizeof *core->scheduler);
	core->constants = hd_constants_new(machine, context->l2);
	core->lsu = hd_lsu_new(machine, context->l2, context->memory, core->constants);
	hd_lsu_watch(core->lsu, context->watch);
	core->flow = (hd_flow){context->code,
	                       context->tasks->program->object,
	                       context->stats,
	                       machine->divergence_call_depth,
	                       machine->divergence_membership,
	                       machine->divergence_mode == HD_DIV_STACK,
	                       !machine->divergence_minrc};
	hd_fetch_port_init(&core->port, machine, l15, context->l2, context->stats, context->code->n_words);
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_scheduler *s = &core->scheduler[i];
		s->wake_first = HD_NEVER;
		hd_fence_init(&s->fence, machine->fence_bits);
		hd_macro_init(&s->macro, machine->predecode_priority_bits, machine->predecode_priority == HD_PRIORITY_PROGRAM);
		s->neutral = HD_NEVER;
		hd_fetch_init(&s->fetch, machine);
		hd_counted_init(&s->counted, machine);
		hd_wc_init(&s->results, machine, &s->registers, core->stats, &core->pool);
		hd_replay_init(&s->replay, context->code->replays ? machine->predecode_replay : 0);
		core->buffers[i] = &s->fetch;
		for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
			hd_queue_init(&s->queue[pipe], machine->queue[pipe], core->needs ? 0 : hd_machine_spacing(machine, (hd_pipe)pipe));
		if (core->needs) {
			s->scoreboard = hd_xcalloc(1, sizeof *s->scoreboard);
			hd_scoreboard_init(s->scoreboard, machine->fence_consumers);
		}
	}
	return core;
}

void hd_core_free(hd_core *core)
{
	if (!core)
		return;
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
			hd_queue_free(&core->scheduler[i].queue[pipe]);
		free(core->scheduler[i].scoreboard);
	}
	hd_events_free(&core->events);
	hd_pool_free(&core->pool);
	hd_fetch_port_free(&core->port);
	hd_lsu_free(core->lsu);
	hd_constants_free(core->constants);
	hd_livelock_free(core->past);
	free(core->scheduler);
	for (uint32_t i = 0; i < core->size.warps; i++) {
		hd_vec_free(&core->tokens[i]);
		free(core->local[i].at);
	}
	for (uint32_t i = 0; i < core->size.ctas; i++)
		free(core->ctas[i].shared);
	free(core->local);
	free(core->ended);
	free(core->stopped_at);
	free(core->tokens);
	free(core->activations);
	free(core->registers);
	free(core->ctas);
	free(core);
}

bool hd_core_fits(const hd_core *core, const hd_demand *demand)
{
	uint32_t free_slots = (uint32_t)(__builtin_popcountll(core->free_slots[0]) + __builtin_popcountll(core->free_slots[1]));
	return core->resident < core->size.ctas && demand->warps <= free_slots &&
	       demand->registers <= core->supply.registers - core->used.registers && demand->shared <= core->supply.shared - core->used.shared &&
	       demand->local <= core->supply.local - core->used.local;
}

uint32_t hd_core_resident(const hd_core *core) { return core->resident; }

hd_grid *const *hd_core_ended(hd_core *core, uint32_t *n)
{
	*n = core->n_ended;
	core->n_ended = 0;
	return core->ended;
}

/* The cycles after the last one accounted for. */
void hd_core_catch_up(hd_core *core, uint64_t to)
{
	if (core->last + 1 > to)
		return;
	uint64_t from = core->last + 1, cycles = to - core->last;
	core->last = to;
	if (!core->resident)
		return;
	core->offered += cycles * core->n_schedulers * core->width;
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_scheduler *s = &core->scheduler[i];
		s->stall[s->idle_cause] += cycles * core->width;
		if (core->trace)
			hd_tell_lost(core, s, s->idle_cause, cycles * core->width, from, cycles);
		s->sent[0] += cycles;
		hd_macro_advance(&s->macro, from, to);
	}
}

uint32_t hd_core_slot(const hd_cta *cta, uint32_t n)
{
	uint64_t low = cta->slots[0], high = cta->slots[1];
	uint32_t slot = 0;
	for (uint32_t i = 0; i <= n; i++) {
		if (low) {
			slot = (uint32_t)__builtin_ctzll(low);
			low &= low - 1;
		} else {
			slot = 64 + (uint32_t)__builtin_ctzll(high);
			high &= high - 1;
		}
	}
	return slot;
}

/* Buffers grow to the largest CTA that was there and are used again. */
static uint8_t *with_room(uint8_t *at, size_t *room, size_t bytes)
{
	if (bytes <= *room)
		return at;
	free(at);
	*room = (bytes + 63) & ~(size_t)63;
	return hd_xaligned(*room);
}

hd_cta *hd_core_take(hd_core *core, hd_grid *grid, const hd_demand *demand)
{
	uint32_t i = 0;
	while (core->ctas[i].used)
		i++;
	hd_cta *cta = &core->ctas[i];
	*cta =
	    (hd_cta){.used = true, .grid = grid, .demand = *demand, .warps = demand->warps, .shared = cta->shared, .shared_room = cta->shared_room};
	for (uint32_t n = 0; n < demand->warps; n++) { /* the lowest free ones */
		unsigned half = !core->free_slots[0];
		uint64_t bit = core->free_slots[half] & -core->free_slots[half];
		core->free_slots[half] &= ~bit;
		cta->slots[half] |= bit;
	}
	core->used.registers += demand->registers;
	core->used.shared += demand->shared;
	core->used.local += demand->local;
	core->resident++;
	cta->begun = ++core->begun;
	cta->shared = with_room(cta->shared, &cta->shared_room, demand->shared);
	return cta;
}

void hd_core_give(hd_core *core, hd_cta *cta)
{
	core->free_slots[0] |= cta->slots[0];
	core->free_slots[1] |= cta->slots[1];
	core->used.registers -= cta->demand.registers;
	core->used.shared -= cta->demand.shared;
	core->used.local -= cta->demand.local;
	core->resident--;
	cta->used = false;
}

hd_scheduler *hd_core_place_warp(hd_core *core, hd_cta *cta, uint32_t slot, uint32_t number, unsigned *warp)
{
	const hd_launch *launch = &cta->grid->launch;
	hd_scheduler *s = &core->scheduler[slot % core->n_schedulers];
	struct hd_local *local = &core->local[slot];
	size_t bytes = (size_t)launch->kernel->local_bytes * HD_LANES;
	*warp = slot / core->n_schedulers;
	/* The numbers of different grids' warps lie far apart. */
	s->warp[*warp] = (hd_warp){.cta = cta,
	                           .number = number,
	                           .words = cta->grid->bank->words,
	                           .local_id = ((uint64_t)cta->grid->handle << 24) + cta->number * cta->warps + number};
	s->warp[*warp].local = local->at = with_room(local->at, &local->room, bytes);
	s->registers.at[*warp] = core->registers + (size_t)slot * core->size.registers;
	s->flow[*warp].stack = core->activations + (size_t)slot * core->flow.call_depth;
	s->flow[*warp].tokens = &core->tokens[slot];
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		hd_queue_warp(&s->queue[pipe], *warp);
	s->asleep &= ~(1u << *warp);
	s->for_constant &= ~(1u << *warp);
	s->adjusting &= ~(1u << *warp);
	s->lowered &= ~(1u << *warp);
	s->stalled &= ~(1u << *warp);
	hd_window_start(&s->window, *warp);
	return s;
}

static void start_warp(hd_core *core, uint64_t now, hd_cta *cta, uint32_t slot, uint32_t number)
{
	const hd_launch *launch = &cta->grid->launch;
	unsigned warp;
	hd_scheduler *s = hd_core_place_warp(core, cta, slot, number, &warp);
	if (s->warp[warp].local)
		memset(s->warp[warp].local, 0, (size_t)launch->kernel->local_bytes * HD_LANES);
	hd_rf_warp(&s->registers, warp, s->registers.at[warp], core->size.registers);
	if (core->context->junk)
		hd_rf_junk(&s->registers, warp, core->size.registers);
	hd_flow_start(&s->flow[warp], launch->kernel->entry, hd_warp_lanes(launch, number));
	hd_macro_warp(&s->macro, warp, ++core->born, hd_core_priority(core, cta, number));
	hd_fetch_restart(&s->fetch, warp, launch->kernel->entry);
	s->live |= 1u << warp;
	s->touched = true;
	hd_micro_next(core, s, warp, now);
	core->stats->run_warps++;
	core->context->watch->running++;
	hd_watch_progress(core->context->watch, now);
	if (core->trace)
		hd_tell_begin(core, slot % core->n_schedulers, warp, now);
}

void hd_core_start(hd_core *core, uint64_t now, hd_grid *grid, const uint32_t at[3], uint64_t number, uint64_t item)
{
	hd_demand demand = hd_demand_of(&grid->launch);
	hd_core_catch_up(core, now - 1);
	hd_cta *cta = hd_core_take(core, grid, &demand);
	memcpy(cta->at, at, sizeof cta->at);
	cta->number = number;
	cta->item = item;
	cta->running = cta->held = cta->barriers.warps = cta->warps;
	if (demand.shared)
		memset(cta->shared, 0, demand.shared);
	for (uint32_t warp = 0; warp < cta->warps; warp++)
		start_warp(core, now, cta, hd_core_slot(cta, warp), warp);
	core->signal->next = now;
	core->stats->run_ctas++;
}

void hd_core_end_warp(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now)
{
	s->live &= ~(1u << warp);
	s->touched = true;
	hd_fetch_stop(&s->fetch, warp);
	hd_macro_warp(&s->macro, warp, 0, 0);
	s->warp[warp].cta->running--;
	core->context->watch->running--;
	hd_watch_progress(core->context->watch, now);
	s->warp[warp].over = true;
	if (core->trace)
		hd_tell_end(core, s, warp, now);
}

void hd_core_retire(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *row)
{
	hd_warp *owner = &s->warp[warp];
	if (row->kind == HD_KIND_MEMORY && !--owner->memory && s->for_memory >> warp & 1) {
		s->for_memory &= ~(1u << warp);
		s->touched = true;
	}
	if (--owner->in_flight || s->live >> warp & 1)
		return;
	/* The slot is free when nothing of the warp is under way any more (docs/timing.md). */
	hd_wc_end(&s->results, warp);
	hd_cta *cta = owner->cta;
	if (cta->stopping) {
		hd_core_warp_stopped(core, s, warp);
		return;
	}
	owner->cta = NULL;
	if (--cta->held)
		return;
	hd_core_give(core, cta);
	core->ended[core->n_ended++] = cta->grid;
	core->signal->news = true;
}

void hd_core_fill_place(const hd_core *core, uint64_t now, unsigned scheduler, unsigned warp, uint32_t pc, unsigned lane, hd_trap *trap)
{
	const hd_warp *owner = &core->scheduler[scheduler].warp[warp];
	const hd_launch *launch = &(owner->cta ? owner->cta->grid : core->context->tasks->at.at[0])->launch;
	trap->kernel = launch->kernel->name;
	trap->shared = hd_launch_shared(launch);
	trap->local = launch->kernel->local_bytes;
	trap->pc = pc;
	trap->core = core->number;
	trap->warp = owner->number;
	trap->lane = lane;
	trap->cycle = now;
	uint32_t thread = owner->number * HD_LANES + lane;
	trap->thread[0] = thread % launch->block[0];
	trap->thread[1] = thread / launch->block[0] % launch->block[1];
	trap->thread[2] = thread / launch->block[0] / launch->block[1];
	if (owner->cta)
		memcpy(trap->cta, owner->cta->at, sizeof trap->cta);
}

void hd_core_stop(hd_core *core, uint64_t now, hd_trap_kind kind, unsigned scheduler, unsigned warp, uint32_t pc, unsigned lane, char *text)
{
	hd_trap *trap = core->context->trap;
	if (core->stopped) { /* the first trap of a cycle counts */
		free(text);
		return;
	}
	core->stopped = true;
	*trap = (hd_trap){.kind = kind, .text = text};
	hd_core_fill_place(core, now, scheduler, warp, pc, lane, trap);
}

static void written_and_done(hd_scoreboard *board, unsigned warp, const hd_needs *needs)
{
	hd_scoreboard_written(board, warp, needs);
	hd_scoreboard_done(board, warp, needs);
}

/* The cycle before a result of fixed latency is written: what issues now enters in the cycle of the write at the earliest. */
static void announce(hd_core *core, hd_flight *flight, uint64_t now)
{
	flight->announced = 1;
	if (core->needs)
		hd_score(core, &core->scheduler[flight->scheduler], flight->warp, flight->pc, hd_scoreboard_written);
	else
		hd_monitor_written(core, flight->scheduler, flight->warp, core->code[flight->pc].primary, flight->groups, now);
	hd_events_add(&core->events, now, flight->exit, flight);
}

/* The result of an instruction is there: to the write controller, which has the flight from then on; release by write. */
static void write_back(hd_core *core, hd_flight *flight, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[flight->scheduler];
	const hd_slot *slot = &core->context->code->slots[flight->pc];
	const hd_static *row = &core->code[flight->pc];
	unsigned warp = flight->warp;
	if (core->needs)
		hd_score(core, s, warp, flight->pc, flight->announced ? hd_scoreboard_done : written_and_done);
	if (core->trace)
		hd_tell_flight(core, flight, HD_TRACE_DONE, now);
	if (row->kind == HD_KIND_FLOW) {
		hd_decide(core, flight->scheduler, flight, now);
	} else {
		if (slot->dpred != HD_PT)
			hd_rf_write_predicate(&s->registers, warp, slot->dpred, flight->mask, flight->out.p);
		if (flight->memory && slot->dwords && !s->results.across)
			hd_wc_write(&s->results, warp, slot->inst.d, slot->dwords, flight->mask, flight->memory->result.data, now);
	}
	if (row->primary && !row->by_read && !flight->announced)
		hd_monitor_written(core, flight->scheduler, warp, row->primary, flight->groups, now);
	if (slot->dwords && (!flight->memory || s->results.across) && row->kind != HD_KIND_FLOW) {
		flight->exit = now; /* of a fixed latency it is already */
		flight->reg = slot->inst.d;
		flight->words = slot->dwords;
		flight->pipe = row->pipe;
		hd_wc_take(&s->results, flight);
	} else {
		hd_pool_return(&core->pool, flight);
	}
	hd_core_retire(core, s, warp, row);
}

static void queues(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	if (s->replay.latched)
		hd_replay_enter(core, scheduler, now);
	for (uint32_t left = s->occupied; left; left &= left - 1) {
		unsigned pipe = (unsigned)__builtin_ctz(left);
		hd_queue *queue = &s->queue[pipe];
		hd_queue_times times;
		hd_sent sent;
		if (queue->next > now && !core->context->eager)
			continue;
		uint32_t before = queue->fifo_n, hazards = queue->hazard_n;
		uint64_t accept = hd_pipeline_accepts(core, s, pipe, now);
		bool leaves = hd_queue_pass(queue, s->fence.flags, now, accept, &sent);
		if (leaves)
			times = (hd_queue_times){0};
		else
			leaves = hd_queue_tick(queue, s->fence.flags, now, accept, &sent, &times);
		if (queue->fifo_n < before) {
			if (s->full >> pipe & 1) {
				s->touched = true;
				hd_unstall_pipe(core, s, pipe);
			}
			s->full &= ~(1u << pipe);
		}
		if (queue->hazard_n != hazards) { /* tells a full queue from a busy unit */
			s->touched |= s->full >> pipe & 1;
			hd_unstall_pipe(core, s, pipe);
		}
		if (!leaves)
			continue;
		core->stats->fence_queue_wait_cycles += times.waited;
		core->stats->fence_spacing_cycles += times.spaced;
		if (hd_queue_empty(queue))
			s->occupied &= ~(1u << pipe);
		hd_pipeline_enter(core, scheduler, &sent, now);
	}
	if (s->n_releases)
		hd_monitor_commit(core, scheduler, now);
}

static void find_next(hd_core *core, uint64_t now)
{
	uint64_t soon = now + 1;
	if (core->context->eager) {
		core->signal->next = core->resident ? soon : HD_NEVER;
		return;
	}
	uint64_t next = hd_events_next(&core->events, now);
	if (next > soon && (core->stage[0].first || core->stage[1].first)) {
		uint64_t stage = hd_pipeline_memory_next(core);
		next = stage < next ? stage : next;
	}
	for (uint32_t i = 0; i < core->n_schedulers && next > soon; i++) {
		const hd_scheduler *s = &core->scheduler[i];
		if (s->touched || s->fetch.want || s->replay.latched) {
			next = soon;
			break;
		}
		if (s->idle_until < next)
			next = s->idle_until;
		if (s->fetch.soonest < next)
			next = s->fetch.soonest;
		for (uint32_t left = s->occupied; left; left &= left - 1)
			if (s->queue[__builtin_ctz(left)].next < next)
				next = s->queue[__builtin_ctz(left)].next;
	}
	core->signal->next = next > soon ? next : soon;
	if (!core->resident)
		core->signal->next = HD_NEVER;
}

/* RC-17 */
static void look_for_livelock(hd_core *core, uint64_t now)
{
	unsigned scheduler, warp;
	hd_trap nowhere;
	hd_text text = {0};
	core->watched = false;
	if (core->stopped || !hd_livelock(core, &scheduler, &warp))
		return;
	const hd_watch *watch = core->context->watch;
	const hd_warp_flow *flow = &core->scheduler[scheduler].flow[warp];
	hd_text_printf(&text,
	               "  livelock: %u warps spin, each through states that it has been in before, and nothing is left that could change memory",
	               watch->spinning);
	hd_text_printf(&text, watch->waiting ? "; %u wait at barriers\n" : "\n", watch->waiting);
	hd_core_explain(core, now, &nowhere, &text);
	hd_core_stop(core, now, HD_TRAP_DEADLOCK, scheduler, warp, flow->pc, flow->active ? (unsigned)__builtin_ctz(flow->active) : 0, text.at);
}

bool hd_core_tick(hd_core *core, uint64_t now)
{
	if (core->last + 1 < now)
		hd_core_catch_up(core, now - 1);
	core->last = now;

	/* Results, flow decisions, memory, lines that arrive: what later steps of this cycle see. */
	for (hd_flight *flight = hd_events_take(&core->events, now), *next; flight; flight = next) {
		next = flight->next;
		if (flight->exit > now && !flight->memory) {
			announce(core, flight, now);
			continue;
		}
		if (core->stopped)
			hd_pool_return(&core->pool, flight);
		else
			write_back(core, flight, now);
	}
	if (core->watched)
		look_for_livelock(core, now);
	if (core->stage[0].first || core->stage[1].first)
		hd_pipeline_memory(core, now);
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_scheduler *s = &core->scheduler[i];
		if (s->fetch.soonest > now)
			continue;
		uint32_t fed;
		if (hd_fetch_arrive(&s->fetch, now, &fed))
			s->touched = true;
		hd_unstall(s, core->constants ? ~0u : fed); /* their windows may have grown */
	}
	if (core->stopped)
		return false;

	/* Queues and entry into the pipes. */
	for (uint32_t i = 0; i < core->n_schedulers; i++)
		queues(core, i, now);

	/* Issue. */
	if (core->resident) {
		core->offered += core->n_schedulers * core->width;
		for (uint32_t i = 0; i < core->n_schedulers; i++) {
			if (core->context->eager)
				core->scheduler[i].touched = true;
			hd_micro_tick(core, i, now);
		}
	}
	if (core->stopped)
		return false;

	uint32_t want = 0;
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_macro_advance(&core->scheduler[i].macro, now, now);
		want |= core->scheduler[i].fetch.want;
		if (core->scheduler[i].fence.suspect)
			hd_monitor_judge(core, i, now);
	}
	if (core->stopped)
		return false;
	if (want)
		hd_fetch_ask(&core->port, core->buffers, core->n_schedulers, now);
	find_next(core, now);
	return true;
}

/* The statistics that a core counts by latency class: where they go. */
typedef struct class_counters {
	size_t pipe, lanes;
} class_counters;

#define COUNTERS(class, in_pipe, name) [HD_CLASS_##class] = {offsetof(hd_stats, pipe_##in_pipe), offsetof(hd_stats, lanes_##name)}
static const class_counters counters_of[HD_CLASS_COUNT] = {
    COUNTERS(ALU, alu, alu),       COUNTERS(FMA, alu, fma),       COUNTERS(MUL, alu, mul), COUNTERS(ALU64, alu, alu64), COUNTERS(MUL64, alu, mul64),
    COUNTERS(COORD, coord, coord), COUNTERS(SFU, sfu, sfu),       COUNTERS(F64, f64, f64), COUNTERS(CVT, cvt, cvt),     COUNTERS(CVT64, cvt, cvt64),
    COUNTERS(TEX, tex, tex),       COUNTERS(LATOM, latom, latom), COUNTERS(LSU, lsu, lsu), COUNTERS(FLOW, flow, flow),
};
#undef COUNTERS

static void count_classes(hd_core *core)
{
	char *stats = (char *)core->stats;
	for (unsigned i = 0; i < HD_CLASS_COUNT; i++) {
		if (!core->entered[i]) /* class nop enters no pipe and has no counters */
			continue;
		*(uint64_t *)(void *)(stats + counters_of[i].pipe) += core->entered[i];
		*(uint64_t *)(void *)(stats + counters_of[i].lanes) += core->lanes[i];
		core->stats->run_thread_instructions += core->lanes[i];
		core->entered[i] = core->lanes[i] = 0;
	}
}

void hd_core_finish(hd_core *core, uint64_t now)
{
	hd_stats *stats = core->stats;
	uint64_t accounted = 0;
	hd_core_catch_up(core, now ? now - 1 : 0);
	count_classes(core);
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_scheduler *s = &core->scheduler[i];
		stats->multi_issue_sent_0 += s->sent[0];
		stats->multi_issue_sent_1 += s->sent[1];
		stats->multi_issue_sent_2 += s->sent[2];
		stats->multi_issue_sent_3 += s->sent[3];
		stats->multi_issue_sent_4_or_more += s->sent[4];
		for (unsigned cause = 0; cause < HD_STALL_COUNT; cause++) {
			stats->stall[cause] += s->stall[cause];
			accounted += s->stall[cause];
		}
		accounted += s->used;
		stats->run_slots_used += s->used;
		memset(s->stall, 0, sizeof s->stall);
		memset(s->sent, 0, sizeof s->sent);
		s->used = 0;
	}
	/* Every slot of every cycle has one cause: in every run, on every core. */
	hd_invariant(accounted == core->offered, "core %u offered %llu issue slots and accounts for %llu", core->number,
	             (unsigned long long)core->offered, (unsigned long long)accounted);
	stats->run_issue_slots += core->offered;
	core->offered = 0;
}
