#include "core/core.h"

#include "core/account.h"
#include "core/execute/memory_stage.h"
#include "core/execute/narrow.h"
#include "core/execute/queue_stage.h"
#include "core/execute/refusing_queues.h"
#include "core/execute/replay.h"
#include "core/execute/shared_pipes.h"
#include "core/execute/shared_pipes_stage.h"
#include "core/execute/shared_queue_stage.h"
#include "core/execute/write_back.h"
#include "core/issue/micro_scheduler.h"
#include "core/issue/monitor.h"
#include "core/issue/row_issue.h"
#include "core/issue/speculation.h"
#include "core/issue/speculative_issue.h"
#include "core/issue/wakeup.h"
#include "core/issue/window.h"
#include "core/observe/livelock.h"
#include "core/observe/recording.h"
#include "core/observe/tracing.h"
#include "core/observe/units.h"
#include "core/residency/residency.h"
#include "memory/constant.h"
#include "memory/mmu.h"

/* -- the stages of a cycle ------------------------------------------------------------------------------------------------------------------ */

static inline bool begin_cycle(hd_core *core, uint64_t now)
{
	if (core->next_begin <= now)
		hd_core_begin_ctas(core, now);
	HD_EVENT(core, tick, now);
	if (core->last + 1 < now)
		hd_core_catch_up(core, now - 1);
	core->last = now;
	return true;
}

/* Results are visible to all later stages of the cycle. */
static inline bool write_back(hd_core *core, uint64_t now)
{
	hd_write_back_stage(core, now);
	return true;
}

static inline bool publish_status(hd_core *core, uint64_t now)
{
	if (core->status_period != 1)
		hd_monitor_publish(core, now);
	return true;
}

static inline bool look_for_livelock(hd_core *core, uint64_t now)
{
	if (core->watched)
		hd_livelock_look(core, now);
	return true;
}

static bool from_memory(hd_core *core, uint64_t now);
static bool from_fetch(hd_core *core, uint64_t now);

/* The cycle goes on in this stage when the shared side is ready. */
static bool wait_in(hd_core *core, hd_stage *stage)
{
	core->rest = stage;
	return false;
}

static inline bool memory_stage(hd_core *core, uint64_t now)
{
	if (!hd_memory_stage_busy(core))
		return true;
	hd_memory_stage(core, now);
	return !core->requests || !core->requests->stops || wait_in(core, from_memory);
}

/* Takes the lines of instructions that arrive. They may extend the windows of their warps. */
static inline bool lines_arrive(hd_core *core, uint64_t now)
{
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_scheduler *s = &core->scheduler[i];
		uint32_t fed;
		if (s->fetch.soonest > now)
			continue;
		if (hd_fetch_arrive(&s->fetch, now, &fed))
			s->touched = true;
		hd_windows_retry(s, core->constants ? ~0u : fed);
	}
	return !core->stopped;
}

static bool queue_stage(hd_core *core, uint64_t now)
{
	const hd_scheduler *s = core->scheduler;
	for (uint32_t i = 0; i < core->n_schedulers; i++, s++)
		if (hd_queue_stage_busy(core, s))
			hd_queue_stage(core, i, now);
	return true;
}

static inline bool issue(hd_core *core, uint64_t now)
{
	if (!core->resident)
		return true;
	core->offered += core->n_schedulers * core->width;
	hd_scheduler *s = core->scheduler;
	for (uint32_t i = 0; i < core->n_schedulers; i++, s++)
		hd_micro_tick(core, s, i, now);
	return !core->stopped;
}

/* Orders the warps for the following cycles. */
static inline bool order_warps(hd_core *core, uint64_t now)
{
	hd_scheduler *s = core->scheduler;
	core->wanting = 0;
	for (uint32_t i = 0; i < core->n_schedulers; i++, s++) {
		hd_macro_advance(&s->macro, now, now);
		HD_EVENT(core, macro, s, now);
		core->wanting |= hd_fetch_wanting(&s->fetch);
		if (s->fence.suspect)
			hd_monitor_judge(core, i, now);
	}
	return !core->stopped;
}

static inline bool fetch(hd_core *core, uint64_t now)
{
	if (!core->wanting && !core->port.stopped.fetch)
		return true;
	return hd_fetch_request(&core->port, core->buffers, core->n_schedulers, now) || wait_in(core, from_fetch);
}

/* Finds the first later cycle in which something can happen. */
static inline bool find_next(hd_core *core, uint64_t now)
{
	uint64_t soon = now + 1, next = hd_events_next(&core->events, now), wish = core->observers ? hd_observers_cycle(core, now) : HD_NEVER;
	if (core->context->eager) {
		core->signal->next = core->resident ? soon : core->next_begin;
		return true;
	}
	if (core->status_period != 1)
		next = hd_min_u64(hd_monitor_publishes(core, now), next);
	if (next > soon && hd_memory_stage_busy(core)) {
		uint64_t stage = hd_memory_stage_next(core);
		next = hd_min_u64(stage, next);
	}
	for (uint32_t i = 0; i < core->n_schedulers && next > soon; i++) {
		const hd_scheduler *s = &core->scheduler[i];
		if (s->touched || hd_fetch_wanting(&s->fetch) || s->entering) {
			next = soon;
			break;
		}
		if (s->replay.latched && s->replay.enters < next)
			next = s->replay.enters;
		if (s->replay.latched && core->observers) /* one is notified of each cycle that the replay waits */
			wish = soon;
		if (s->idle_until < next)
			next = s->idle_until;
		if (s->fetch.soonest < next)
			next = s->fetch.soonest;
		for (uint32_t left = s->occupied; left; left &= left - 1)
			if (s->queue[hd_lowest_bit(left)].next < next)
				next = s->queue[hd_lowest_bit(left)].next;
	}
	core->signal->next = hd_max_u64(hd_min_u64(core->next_begin, next), soon);
	core->signal->wish = core->resident ? wish : HD_NEVER;
	if (!core->resident)
		core->signal->next = core->next_begin;
	return true;
}

/* The order of the stages within a cycle (docs/architecture.md). A stage that returns false ends the cycle: the run stopped, or the core waits for
 * the shared side (memory/requests.h) and goes on in that stage. */
static inline bool from_fetch(hd_core *core, uint64_t now) { return fetch(core, now) && find_next(core, now); }

static inline bool from_memory(hd_core *core, uint64_t now)
{
	return memory_stage(core, now) && lines_arrive(core, now) && core->queue_stage(core, now) && issue(core, now) && order_warps(core, now) &&
	       from_fetch(core, now);
}

static bool whole_cycle(hd_core *core, uint64_t now)
{
	return begin_cycle(core, now) && write_back(core, now) && publish_status(core, now) && look_for_livelock(core, now) && from_memory(core, now);
}

bool hd_core_tick(hd_core *core, uint64_t now)
{
	hd_stage *rest = core->rest;
	core->rest = whole_cycle;
	rest(core, now);
	return !core->stopped;
}

/* The stage in which instructions leave their queues. */
static hd_stage *queue_stage_of(const hd_core *core)
{
	return core->pipes          ? hd_shared_pipes_stages
	       : core->shared_queue ? hd_shared_queue_stages
	       : core->refusing     ? hd_refusing_queue_stages
	                            : queue_stage;
}

/* -- a core --------------------------------------------------------------------------------------------------------------------------------- */

static void init_queues(const hd_core *core, hd_scheduler *s, const hd_machine *machine)
{
	const hd_queue_sizes shared = {.fifo = machine->multi_issue_queue_entries, .hazard = 1}; /* any pipe may have all entries */
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		hd_queue *queue = &s->queue[pipe];
		hd_queue_init(queue, core->shared_queue ? shared : machine->queue[pipe],
		              core->footprint ? 0 : hd_machine_spacing(machine, (hd_pipe)pipe), core->context->region);
		queue->check_from = core->shared_queue || machine->machine_shared_pipes >> pipe & 1 ? 0 : queue->check_from;
	}
	if (core->shared_queue) {
		s->shared = hd_xcalloc(1, sizeof *s->shared);
		s->shared->size = (uint8_t)shared.fifo;
	}
}

/* Takes the settings that the machine, the program and the observers decide. The stages read them in each cycle. Read behind context->machine, those
 * that are plain copies cost 1.3 % of the host instructions of sha256. */
static void take_settings(hd_core *core, const hd_context *context)
{
	const hd_machine *machine = context->machine;
	core->context = context;
	core->code = context->code->at;
	core->slots = context->code->slots;
	core->footprint = context->code->footprint;
	core->window_rows = context->code->window;
	core->window = context->window;
	core->hold = core->window > 1 ? machine->multi_issue_hold : HD_MAX_QUEUE;
	core->eligible_places = hd_machine_eligible_places(machine);
	core->stats = context->stats;
	core->unit_lanes = hd_machine_unit_lanes(machine);
	core->gated_lanes = hd_machine_gated_lanes(machine);
	core->units = hd_machine_units(machine);
	core->return_groups = machine->memory_return_groups;
	core->n_schedulers = machine->machine_schedulers;
	core->width = machine->predecode_issue_width;
	core->chain = hd_machine_chain(machine);
	core->decoded_at_issue = !hd_machine_decodes_ahead(machine);
	core->status_period = machine->fence_status_period;
	core->active_logic = machine->fence_active_logic;
	core->idle_lanes = core->active_logic ? 0 : ~0u;
	core->wait_counters = machine->fence_wait_counters;
	core->issue = machine->predecode_speculate ? hd_speculative_issue : core->window ? hd_window_issue : hd_row_issue;
	core->shared_queue = machine->multi_issue_queues == HD_QUEUES_SHARED;
	core->refusing = context->code->replays ? hd_machine_refusing(machine) : 0;
	core->replaying_stages = context->code->replays ? hd_machine_replaying_stages(machine) : 0;
	core->pipes = hd_shared_pipes_new(machine);
	core->plain = core->issue == hd_window_issue && core->window > 1 && !core->footprint && !machine->memory_constant_bytes &&
	              machine->predecode_carrier != HD_CARRIER_REGISTER;
	core->stage_latency[0] = hd_machine_class_latency(machine, HD_CLASS_LSU);
	core->stage_latency[1] = hd_machine_class_latency(machine, HD_CLASS_LATOM);
}

static void make_storage(hd_core *core)
{
	hd_core_size size = core->size;
	hd_region *region = core->context->region;
	for (uint32_t slot = 0; slot < size.warps; slot++)
		core->free_slots[slot / 64] |= UINT64_C(1) << slot % 64;
	core->ctas = hd_take(region, size.ctas * sizeof *core->ctas);
	core->ended = hd_take(region, size.ctas * sizeof *core->ended);
	core->ended_grids = hd_take(region, size.ctas * sizeof(hd_grid *));
	core->next_begin = HD_NEVER;
	core->stopped_at = hd_take(region, size.ctas);
	core->registers = hd_take_any(region, (size_t)size.warps * size.registers * sizeof *core->registers);
	core->activations = hd_take_any(region, (size_t)size.warps * core->context->machine->divergence_call_depth * sizeof *core->activations);
	core->tokens = hd_take(region, size.warps * sizeof *core->tokens);
	if (core->context->code->syncs)
		core->syncs = hd_take(region, size.warps * sizeof *core->syncs);
	core->local = hd_take(region, size.warps * sizeof *core->local);
	core->scheduler = hd_take(region, core->n_schedulers * sizeof *core->scheduler);
}

/* Constants, loads and stores, and their translation. */
static void make_memory_path(hd_core *core, hd_icache *l15)
{
	const hd_context *context = core->context;
	const hd_machine *machine = context->machine;
	core->constants = hd_constants_new(machine, context->l2, core->size.warps);
	if (machine->fetch_l15_constants)
		hd_constants_behind(core->constants, l15, hd_line_bytes(machine->predecode_geometry), machine->fetch_l15_latency);
	core->lsu = hd_lsu_new(machine, context->l2, context->memory, core->constants, context->region);
	hd_lsu_set_watch(core->lsu, context->watch);
	hd_lsu_set_core(core->lsu, core->number);
	if (context->packets) {
		core->outbox = hd_outbox_new(core->number, context->region);
		hd_lsu_set_outbox(core->lsu, core->outbox);
	}
	core->mmu = hd_mmu_new(machine, context->walker);
	hd_lsu_set_mmu(core->lsu, core->mmu);
	hd_constants_translate(core->constants, core->mmu);
	core->requests = context->requests;
	hd_lsu_set_requests(core->lsu, context->requests);
	if (core->queue_stage == queue_stage) /* the others do not learn later when a stage takes an access (hd_queue_learn) */
		hd_lsu_set_deferral(core->lsu);
	core->defers = context->requests || hd_lsu_uses_slices(core->lsu);
}

static void init_flow(hd_core *core)
{
	const hd_context *context = core->context;
	const hd_machine *machine = context->machine;
	core->flow = (hd_flow){.code = context->code,
	                       .object = context->tasks->program->object,
	                       .stats = context->stats,
	                       .call_depth = machine->divergence_call_depth,
	                       .membership = machine->divergence_mode == HD_DIV_RESUME ? machine->divergence_membership : HD_MEMBER_FLAG,
	                       .mode = machine->divergence_mode,
	                       .steps = machine->divergence_minrc == HD_MINRC_OFF,
	                       .tokens = machine->divergence_tokens,
	                       .taken_first = machine->divergence_first == HD_FIRST_TAKEN,
	                       .passes = machine->divergence_mode == HD_DIV_RESUME && machine->divergence_minrc == HD_MINRC_IGNORE};
}

static void init_scheduler(hd_core *core, unsigned i)
{
	const hd_machine *machine = core->context->machine;
	hd_scheduler *s = &core->scheduler[i];
	s->wake_first = HD_NEVER;
	hd_fence_init(&s->fence, machine->fence_bits, hd_machine_units(machine));
	s->fence.late.on = s->waiters.late.on = core->status_period != 1;
	hd_macro_init(&s->macro, machine->predecode_priority_bits, machine->predecode_priority == HD_PRIORITY_PROGRAM);
	hd_macro_resize(&s->macro, machine->predecode_sort_period, machine->predecode_sort_warps, machine->predecode_sort_whole);
	s->neutral = HD_NEVER;
	hd_fetch_init(&s->fetch, machine, core->stats);
	hd_counted_init(&s->counted, machine);
	s->registers.gated_lanes = hd_machine_gated_lanes(machine);
	s->registers.groups_written = &core->stats->lane_groups_writes;
	hd_wc_init(&s->results, machine, &s->registers, core->stats, &core->pool);
	if (machine->predecode_carrier == HD_CARRIER_REGISTER && !core->footprint)
		s->hints = hd_xcalloc(1, sizeof *s->hints);
	s->speculation = hd_speculation_new(machine);
	s->narrow = hd_narrow_new(machine);
	hd_replay_init(&s->replay, core->context->code->replays ? machine->predecode_replay : 0);
	core->buffers[i] = &s->fetch;
	init_queues(core, s, machine);
	if (core->footprint) {
		s->scoreboard = hd_xcalloc(1, sizeof *s->scoreboard);
		hd_scoreboard_init(s->scoreboard, machine->fence_consumers);
	}
}

hd_core *hd_core_new(const hd_context *context, uint32_t number, hd_core_size size, hd_icache *l15)
{
	hd_core *core = hd_take(context->region, sizeof *core);
	core->pool.region = context->region;
	core->number = number;
	take_settings(core, context);
	core->signal = &context->signal[number];
	*core->signal = (hd_core_signal){.next = HD_NEVER, .wish = HD_NEVER, .answers = HD_NEVER};
	if (size.registers < context->code->registers)
		size.registers = context->code->registers;
	core->size = size;
	core->rest = whole_cycle;
	core->queue_stage = queue_stage_of(core);
	core->supply = hd_supply_of(context->machine);
	make_storage(core);
	make_memory_path(core, l15);
	init_flow(core);
	hd_fetch_port_init(&core->port, context->machine, l15, context->l2, context->stats, context->code->n_words);
	core->port.requests = context->requests;
	if (hd_lsu_uses_slices(core->lsu) && !context->machine->predecode_refetch) /* a replay's own line has to be known at once */
		hd_fetch_port_request(&core->port, core->outbox, context->machine->memory_l2_latency / 2);
	for (uint32_t i = 0; i < core->n_schedulers; i++)
		init_scheduler(core, i);
	core->usual_entry = !core->footprint && core->active_logic && !core->gated_lanes && !core->scheduler[0].narrow;
	if (context->trace)
		hd_tracing_attach(core, context->trace);
	if (context->units && context->units->core == number)
		hd_units_attach(core, context->units);
	if (context->recorder && context->recorder->core == number)
		hd_recording_attach(core, context->recorder);
	return core;
}

void hd_core_free(hd_core *core)
{
	if (!core)
		return;
	const hd_region *region = core->context->region;
	hd_observers_detach(core);
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
			hd_queue_free(&core->scheduler[i].queue[pipe], region);
		free(core->scheduler[i].scoreboard);
		free(core->scheduler[i].hints);
		free(core->scheduler[i].speculation);
		hd_fetch_free(&core->scheduler[i].fetch);
		free(core->scheduler[i].shared);
		hd_narrow_free(core->scheduler[i].narrow);
		hd_wc_free(&core->scheduler[i].results);
	}
	hd_events_free(&core->events);
	hd_vec_free(&core->unanswered);
	hd_pool_free(&core->pool);
	hd_fetch_port_free(&core->port);
	hd_lsu_free(core->lsu);
	hd_outbox_free(core->outbox);
	hd_constants_free(core->constants);
	hd_mmu_free(core->mmu);
	hd_livelock_free(core->past);
	hd_shared_pipes_free(core->pipes);
	hd_give(region, core->scheduler);
	for (uint32_t i = 0; i < core->size.warps; i++) {
		hd_vec_free(&core->tokens[i]);
		free(core->local[i].at);
	}
	for (uint32_t i = 0; i < core->size.ctas; i++)
		free(core->ctas[i].shared);
	hd_give(region, core->local);
	hd_give(region, core->ended);
	hd_give(region, core->ended_grids);
	hd_give(region, core->stopped_at);
	hd_give(region, core->tokens);
	hd_give(region, core->syncs);
	hd_give(region, core->activations);
	hd_give(region, core->registers);
	hd_give(region, core->ctas);
	hd_give(region, core);
}

hd_outbox *hd_core_outbox(hd_core *core) { return core->outbox; }

void hd_core_answer(hd_core *core, uint64_t end) { hd_memory_stage_answer(core, end); }

void hd_core_finish(hd_core *core, uint64_t now)
{
	for (uint32_t i = 0; i < core->n_schedulers; i++) /* an observer has seen these writes already */
		if (core->scheduler[i].results.due < now)
			hd_wc_settle(&core->scheduler[i].results, now - 1);
	hd_account_finish(core, now);
}

void hd_core_answers(hd_core *core, uint64_t now) { hd_memory_stage_answers(core, now); }

void hd_core_line(hd_core *core, uint64_t number, uint64_t there)
{
	core->signal->next = hd_min_u64(hd_fetch_learn(&core->port, number, there), core->signal->next);
}
