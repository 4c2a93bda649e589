#include "core/observe/units.h"

#include "core/execute/narrow_entry.h"
#include "core/execute/queue_stage.h"
#include "core/execute/shared_pipes.h"
#include "core/flow/groups.h"
#include "core/flow/stack.h"
#include "core/issue/micro_scheduler.h"
#include "core/issue/readiness.h"
#include "core/observe/recording.h"

_Static_assert((int)HD_UNIT_WARPS == (int)HD_WARP_SLOTS, "units.def names the slots of a scheduler");
_Static_assert((int)HD_UNIT_PATH_B == (int)HD_PATH_B && (int)HD_UNIT_PATH_A == (int)HD_PATH_A && (int)HD_UNIT_FILE == (int)HD_PATH_FILE &&
                   (int)HD_UNIT_LAST_RESULT == (int)HD_PATH_LAST_RESULT && (int)HD_UNIT_COMPENSATION == (int)HD_PATH_COMPENSATION,
               "places of values are the write controller's paths");

struct hd_unit_view {
	hd_unit_watch *watch;
	hd_units units;
	/* The functions of the core that this unit stands before. */
	bool (*issue)(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, struct hd_issue_cycle *cycle);
	hd_stage *queue_stage;
	uint64_t stall[HD_MAX_SCHEDULERS][HD_STALL_COUNT]; /* slots lost before this cycle's issue stage */
	uint32_t noted;                                    /* schedulers of which note_turn was called in this cycle */
	/* Places that are used in the lists of this cycle. */
	uint32_t reads[HD_MAX_SCHEDULERS], writes[HD_MAX_SCHEDULERS], looks[HD_MAX_SCHEDULERS];
};

static bool is_watched(const hd_unit_view *view, uint64_t now) { return now >= view->watch->first && now <= view->watch->last; }

static int64_t address(uint32_t pc) { return pc == HD_INF ? -1 : (int64_t)pc; }

/* -- before the issue stage ----------------------------------------------------------------------------------------------------------------- */

/* Why a warp cannot be picked. */
static int why(const hd_core *core, const hd_scheduler *s, unsigned warp)
{
	uint32_t bit = 1u << warp, whose;
	if (!(s->live & bit))
		return HD_UNIT_EMPTY;
	if (hd_ready_warps(core, s, 0) & bit)
		return HD_UNIT_READY;
	hd_stall cause = hd_cause(s, bit, &whose);
	return cause == HD_STALL_DELAY && core->window && !(s->delayed & bit) ? HD_UNIT_WINDOW : (int)cause;
}

/* Before the scheduler picks a warp, or loses a slot for want of one: notes who can be picked, and why the others cannot, once in a cycle. */
static void note_turn(const hd_core *core, const hd_scheduler *s, uint64_t now)
{
	hd_unit_view *view = core->view;
	unsigned scheduler = (unsigned)(s - core->scheduler);
	hd_unit_scheduler *out = &view->units.scheduler[scheduler];
	if (!is_watched(view, now) || view->noted >> scheduler & 1)
		return;
	view->noted |= 1u << scheduler;
	out->ready[0] = 0;
	for (unsigned i = 0; i < HD_WARP_SLOTS; i++) {
		hd_unit_warp *warp = &view->units.warp[scheduler * HD_WARP_SLOTS + i];
		warp->why[0] = why(core, s, i);
		warp->wake[0] = (s->delayed | s->window_waits) >> i & 1 && s->wake[i] > now && s->wake[i] != HD_NEVER ? (int64_t)s->wake[i] : 0;
		out->ready[0] |= (int64_t)(warp->why[0] == HD_UNIT_READY) << i;
	}
}

static void lost(const hd_core *core, const hd_scheduler *s, hd_stall cause, uint64_t slots, uint64_t from, uint64_t cycles)
{
	note_turn(core, s, from);
}

static void begin_issue_stage(const hd_core *core, hd_unit_view *view, unsigned scheduler)
{
	const hd_scheduler *s = &core->scheduler[scheduler];
	for (unsigned i = 0; i < HD_WARP_SLOTS; i++)
		view->units.scheduler[scheduler].order[i] = s->macro.order[i];
	memcpy(view->stall[scheduler], s->stall, sizeof s->stall);
	view->looks[scheduler] = 0;
	view->noted &= ~(1u << scheduler);
	memset(&view->units.look[scheduler * HD_UNIT_LOOKS], 0, HD_UNIT_LOOKS * sizeof *view->units.look);
}

/* In place of the queue stages: the queues' turn, then what the schedulers see. */
static bool watched_queue_stage(hd_core *core, uint64_t now)
{
	hd_unit_view *view = core->view;
	view->queue_stage(core, now);
	for (uint32_t i = 0; i < core->n_schedulers && is_watched(view, now); i++)
		begin_issue_stage(core, view, i);
	return true;
}

static hd_unit_outcome outcome_of(const hd_scheduler *s, unsigned warp, uint32_t sent)
{
	uint32_t bit = 1u << warp;
	return sent                    ? HD_UNIT_SENT
	       : s->descheduled & bit  ? HD_UNIT_SENT_BACK
	       : s->deciding & bit     ? HD_UNIT_BRANCH
	       : s->blocked & bit      ? HD_UNIT_REGISTER
	       : s->for_second & bit   ? HD_UNIT_SECOND
	       : s->for_constant & bit ? HD_UNIT_CONSTANT
	                               : HD_UNIT_NONE;
}

/* In place of a warp's turn. */
static bool watched_issue(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, struct hd_issue_cycle *cycle)
{
	hd_unit_view *view = core->view;
	const hd_scheduler *s = &core->scheduler[scheduler];
	uint32_t pc = s->flow[warp].pc, sent = cycle->sent, slots = cycle->slots;
	bool watched = is_watched(view, now);
	note_turn(core, s, now);
	bool go = view->issue(core, scheduler, warp, now, cycle);
	if (!watched)
		return go;
	if (view->looks[scheduler] == HD_UNIT_LOOKS) {
		view->units.hidden++;
		return go;
	}
	view->units.look[scheduler * HD_UNIT_LOOKS + view->looks[scheduler]++] =
	    (hd_unit_look){.number = {1},
	                   .warp = {warp},
	                   .pc = {pc},
	                   .sent = {cycle->sent - sent},
	                   .slots = {cycle->slots - slots},
	                   .outcome = {go ? outcome_of(s, warp, cycle->sent - sent) : HD_UNIT_STOPPED}};
	return go;
}

/* -- during the cycle ----------------------------------------------------------------------------------------------------------------------- */

static void reading_event(const hd_core *core, const hd_scheduler *s, const hd_reading *reading, const hd_slot *slot, const hd_sent *reader)
{
	hd_unit_view *view = core->view;
	unsigned scheduler = (unsigned)(s - core->scheduler);
	const uint8_t reg[3] = {slot->inst.a, slot->inst.b, slot->inst.c};
	if (!reading->words || !is_watched(view, reading->now))
		return;
	for (unsigned i = 0; i < 3; i++) {
		if (!hd_operand_is_register(slot, i))
			continue;
		if (view->reads[scheduler] == HD_UNIT_READS) {
			view->units.hidden++;
			return;
		}
		view->units.read[scheduler * HD_UNIT_READS + view->reads[scheduler]++] = (hd_unit_read){.number = {reader->number},
		                                                                                        .pc = {reader->pc},
		                                                                                        .warp = {reader->warp},
		                                                                                        .operand = {i},
		                                                                                        .reg = {reg[i]},
		                                                                                        .words = {slot->words[i]},
		                                                                                        .last = {slot->inst.last_use >> i & 1},
		                                                                                        .place = {reading->path[i]}};
	}
}

static void written(const hd_core *core, unsigned scheduler, const hd_unit_write *first, unsigned words, uint64_t now)
{
	hd_unit_view *view = core->view;
	hd_unit_write one = *first;
	for (; words && is_watched(view, now); words >>= 1, one.reg[0]++) {
		if (!(words & 1))
			continue;
		if (view->writes[scheduler] == HD_UNIT_WRITES) {
			view->units.hidden++;
			return;
		}
		view->units.write[scheduler * HD_UNIT_WRITES + view->writes[scheduler]++] = one;
	}
}

static void registers(const hd_core *core, const hd_flight *flight, unsigned words, uint64_t now)
{
	written(core, flight->scheduler,
	        &(hd_unit_write){.number = {flight->number}, .warp = {flight->warp}, .reg = {flight->reg}, .words = {1}, .lanes = {flight->mask}},
	        words, now);
}

static void buffer_event(const hd_core *core, const hd_operand_buffer *buffer, const hd_buffer_register *at, hd_trace_kind kind, uint32_t lanes,
                         uint64_t now)
{
	if (kind == HD_TRACE_REGISTERS) /* of all its lanes */
		written(
		    core, buffer->scheduler,
		    &(hd_unit_write){
		        .number = {at->maker.v[hd_lowest_bit(at->lanes)]}, .warp = {at->warp}, .reg = {at->reg}, .words = {1}, .lanes = {at->lanes}},
		    1, now);
}

/* -- behind the cycle ----------------------------------------------------------------------------------------------------------------------- */

static void fill_flow(const hd_core *core, const hd_scheduler *s, unsigned slot, hd_unit_warp *out)
{
	const hd_warp_flow *flow = &s->flow[slot];
	bool resume = core->flow.mode == HD_DIV_RESUME;
	uint32_t waiting[HD_LANES];
	if (core->flow.mode == HD_DIV_STACK)
		hd_stack_waiting(flow, waiting);
	else if (!resume)
		hd_groups_waiting(flow, waiting);
	out->pc[0] = address(flow->pc);
	out->active[0] = flow->active;
	out->alive[0] = flow->alive;
	out->members[0] = resume ? flow->members : flow->alive;
	out->minrc[0] = resume ? address(flow->minrc) : -1;
	out->depth[0] = flow->depth;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		out->resume[lane] = address(resume ? flow->rc[lane] : waiting[lane]);
	for (unsigned i = 0; i < HD_UNIT_CALLS; i++) {
		const hd_activation *caller = resume && i < flow->depth ? &flow->stack[flow->depth - 1 - i] : NULL;
		out->minima[i] = caller ? address(caller->minrc) : -1;
		out->back[i] = caller ? address(caller->back) : -1;
	}
}

static void fill_fetch(const hd_scheduler *s, unsigned slot, hd_unit_warp *out)
{
	const hd_fetch *fetch = &s->fetch;
	out->have[0] = fetch->have[slot];
	out->arrived[0] = fetch->fifos ? fetch->fifos->arrived[slot] : fetch->have[slot];
	out->buffered[0] = fetch->buffered[slot];
	out->coming[0] = fetch->n[slot];
	out->predecoded[0] = fetch->fifos ? fetch->fifos->held[slot] : 0;
}

static void fill_counters(const hd_scheduler *s, unsigned slot, hd_unit_warp *out)
{
	for (unsigned i = 0; i < HD_MAX_COUNTERS; i++) {
		out->counter[i] = s->fence.value[slot][i];
		out->waiting[i] = s->waiters.value[slot][i];
	}
	out->outstanding[0] = s->fence.flags[slot];
	out->full[0] = s->fence.full[slot];
	out->watch[0] = s->descheduled >> slot & 1 ? s->watch[slot] : 0;
}

static int64_t effects_of(const hd_scheduler *s, unsigned slot)
{
	return (s->hold >> slot & 1 ? HD_UNIT_HOLD : 0) | (s->lowered >> slot & 1 ? HD_UNIT_LOWERED : 0) |
	       (s->to_follow >> slot & 1 ? HD_UNIT_FOLLOWING : 0) | (s->guessing >> slot & 1 ? HD_UNIT_GUESSING : 0);
}

static void fill_warp(const hd_core *core, const hd_scheduler *s, unsigned slot, hd_unit_warp *out)
{
	const hd_warp *warp = &s->warp[slot];
	out->live[0] = s->live >> slot & 1;
	if (!out->live[0] && !warp->in_flight) { /* why[] stays, which is what the issue stage saw */
		int64_t seen = out->why[0];
		*out = (hd_unit_warp){.why = {seen}};
		return;
	}
	out->cta[0] = (int64_t)warp->cta->number;
	out->warp[0] = warp->number;
	out->sent[0] = core->window ? s->window.sent[slot] : 0;
	out->flying[0] = warp->in_flight;
	out->memory[0] = warp->memory;
	out->barrier[0] = s->at_barrier >> slot & 1 ? (int64_t)warp->barrier_pc : -1;
	out->priority[0] = s->macro.priority[slot];
	out->effects[0] = effects_of(s, slot);
	fill_flow(core, s, slot, out);
	fill_fetch(s, slot, out);
	fill_counters(s, slot, out);
}

static hd_unit_entry entry_of(const hd_core *core, unsigned scheduler, bool shared, const hd_sent *sent)
{
	unsigned of = shared ? sent->warp / HD_WARP_SLOTS : scheduler, slot = sent->warp % HD_WARP_SLOTS;
	return (hd_unit_entry){.number = {sent->number},
	                       .pc = {sent->pc},
	                       .warp = {sent->warp},
	                       .wait = {sent->wait},
	                       .held = {sent->wait & core->scheduler[of].fence.flags[slot]},
	                       .gap = {sent->gap},
	                       .since = {(int64_t)sent->cycle}};
}

static void fill_queue(const hd_core *core, hd_units *units, unsigned scheduler, unsigned pipe)
{
	const hd_scheduler *s = &core->scheduler[scheduler];
	const hd_queue *queue = hd_queue_before(core->pipes, &s->queue[pipe], pipe);
	unsigned at = scheduler * HD_PIPE_COUNT + pipe;
	bool shared = queue != &s->queue[pipe];
	const hd_sent *enters = hd_narrow_entering(s, pipe);
	units->pipe[at] = (hd_unit_pipe){.fifo = {queue->fifo_n},
	                                 .fifo_size = {queue->fifo_size},
	                                 .hazards = {queue->hazard_n},
	                                 .hazard_size = {queue->hazard_size},
	                                 .blocked = {queue->waiting},
	                                 .free = {(int64_t)s->pipe_free[pipe]},
	                                 .entering = {enters ? enters->number : 0},
	                                 .entering_pc = {enters ? enters->pc : 0},
	                                 .entering_warp = {enters ? enters->warp : 0}};
	hd_unit_entry *fifo = units->entry + (size_t)at * units->sizes.entries;
	memset(fifo, 0, units->sizes.entries * sizeof *fifo);
	for (unsigned i = 0; i < queue->fifo_n; i++, fifo++) {
		const hd_sent *sent = &queue->fifo[(queue->fifo_head + i) % queue->fifo_size];
		*fifo = entry_of(core, scheduler, shared, sent);
	}
	hd_unit_hazard *hazard = units->hazard + (size_t)at * units->sizes.hazards;
	memset(hazard, 0, units->sizes.hazards * sizeof *hazard);
	for (unsigned i = 0; i < queue->hazard_n; i++, hazard++) {
		const hd_sent *sent = &queue->hazard[queue->age[i]];
		const hd_info *info = &queue->info[queue->age[i]];
		hd_unit_entry e = entry_of(core, scheduler, shared, sent);
		*hazard = (hd_unit_hazard){.number = {e.number[0]},
		                           .pc = {e.pc[0]},
		                           .warp = {e.warp[0]},
		                           .wait = {e.wait[0]},
		                           .held = {e.held[0]},
		                           .gap = {e.gap[0]},
		                           .since = {(int64_t)info->since},
		                           .older = {info->older == HD_NO_ENTRY ? 0 : queue->hazard[info->older].number},
		                           .spaced = {(int64_t)(queue->of[sent->warp].entered + sent->gap)}};
	}
}

/* A place of a list of `n`, a power of two, for an instruction: the same one in every cycle, where others leave it free. NULL without a place. */
static void *place_of(hd_units *units, void *list, size_t size, uint32_t n, uint32_t number)
{
	for (uint32_t i = 0; i < n; i++) {
		void *at = (char *)list + ((number + i) & (n - 1)) * size;
		if (!*(const int64_t *)at) /* every instance begins with its number */
			return at;
	}
	units->hidden++;
	return NULL;
}

static void add_flight(hd_units *units, const hd_flight *flight, uint64_t due, bool stage)
{
	hd_unit_flight *place = place_of(units, units->flight, sizeof *place, HD_UNIT_FLIGHTS, flight->number);
	if (place)
		*place = (hd_unit_flight){.number = {flight->number},
		                          .pc = {flight->pc},
		                          .scheduler = {flight->scheduler},
		                          .warp = {flight->warp},
		                          .lanes = {flight->mask},
		                          .due = {(int64_t)due},
		                          .stage = {!stage       ? 0
		                                    : flight->of ? 2
		                                                 : 1}};
}

static void fill_flights(const hd_core *core, hd_units *units, uint64_t now)
{
	memset(units->flight, 0, HD_UNIT_FLIGHTS * sizeof *units->flight);
	for (unsigned which = 0; which < 2; which++)
		for (const hd_flight *at = core->stage[which].first; at; at = at->next)
			add_flight(units, at, at->exit, true);
	for (uint64_t left = core->events.used; left; left &= left - 1) {
		unsigned slot = hd_lowest_bit(left);
		uint64_t due = now + 1 + (slot - (now + 1)) % HD_WHEEL;
		for (const hd_flight *at = core->events.wheel[slot].first; at; at = at->next)
			add_flight(units, at, due, false);
	}
	for (size_t i = 0; i < core->events.heap_n; i++)
		add_flight(units, core->events.heap[i].flight, core->events.heap[i].cycle, false);
}

static void fill_results(const hd_scheduler *s, hd_units *units, unsigned scheduler, uint64_t now)
{
	hd_unit_result *list = units->result + (size_t)scheduler * HD_UNIT_RESULTS;
	memset(list, 0, HD_UNIT_RESULTS * sizeof *list);
	for (const hd_flight *at = s->results.first; at; at = at->next) {
		hd_unit_result *place = place_of(units, list, sizeof *place, HD_UNIT_RESULTS, at->number);
		if (place)
			*place = (hd_unit_result){.number = {at->number},
			                          .warp = {at->warp},
			                          .pipe = {at->pipe},
			                          .reg = {at->reg},
			                          .words = {at->words},
			                          .dropped = {at->dropped},
			                          .lanes = {at->mask},
			                          .place = {hd_wc_path_of(&s->results, at, now)}};
	}
}

static void fill_buffer(const hd_operand_buffer *buffer, hd_units *units, unsigned scheduler)
{
	hd_unit_buffer *out = units->buffer + (size_t)scheduler * units->sizes.buffers;
	uint32_t registers = buffer ? hd_operand_buffer_registers(buffer) : 0;
	for (uint32_t i = 0; i < units->sizes.buffers; i++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): without a buffer sizes.buffers is 0 */
		const hd_buffer_register *at = i < registers ? &buffer->at[i] : &buffer->last[i - registers];
		out[i] = at->lanes ? (hd_unit_buffer){.number = {at->maker.v[hd_lowest_bit(at->lanes)]},
		                                      .warp = {at->warp},
		                                      .reg = {at->reg},
		                                      .lanes = {at->lanes},
		                                      .pipe = {at->pipe},
		                                      .last = {i >= registers}}
		                   : (hd_unit_buffer){.number = {0}};
	}
}

static void fill_replays(const hd_replays *replays, hd_units *units, unsigned scheduler)
{
	hd_unit_replay *out = units->replay + (size_t)scheduler * units->sizes.replays;
	for (uint32_t i = 0; i < units->sizes.replays; i++) {
		const hd_refused *at = &replays->at[i];
		out[i] = i < replays->n ? (hd_unit_replay){.number = {at->sent.number},
		                                           .pc = {at->sent.pc},
		                                           .warp = {at->sent.warp},
		                                           .ready = {(int64_t)at->ready},
		                                           .times = {at->times},
		                                           .read = {at->flight != NULL}}
		                        : (hd_unit_replay){.number = {0}};
	}
}

static void fill_ports(const hd_register_ports *ports, hd_units *units, unsigned scheduler, uint64_t now)
{
	for (uint32_t bank = 0; bank < units->sizes.banks; bank++) {
		hd_unit_port *out = &units->port[scheduler * units->sizes.banks + bank];
		out->reads[0] = ports->cycle == now ? ports->used[HD_PORT_READ][bank] : 0;
		out->writes[0] = ports->cycle == now ? ports->used[HD_PORT_WRITE][bank] : 0;
	}
}

static void fill_account(hd_unit_view *view, const hd_scheduler *s, unsigned scheduler)
{
	hd_unit_scheduler *out = &view->units.scheduler[scheduler];
	for (unsigned cause = 0; cause < HD_STALL_COUNT; cause++)
		out->lost[cause] = (int64_t)(s->stall[cause] - view->stall[scheduler][cause]);
	out->issued[0] = 0;
	for (uint32_t i = 0; i < view->looks[scheduler]; i++)
		out->issued[0] += view->units.look[scheduler * HD_UNIT_LOOKS + i].sent[0];
	out->replays[0] = s->replay.reserved;
	out->ports_free[0] = (int64_t)s->results.ports.free_at;
}

/* Empties the lists of what an observed cycle did, from `used` on. */
#define CLEAR_REST(list, used, size) memset((list) + (used), 0, ((size) - (used)) * sizeof *(list))

static void fill_scheduler(const hd_core *core, hd_unit_view *view, unsigned scheduler, uint64_t now)
{
	hd_units *units = &view->units;
	const hd_scheduler *s = &core->scheduler[scheduler];
	fill_account(view, s, scheduler);
	for (unsigned warp = 0; warp < HD_WARP_SLOTS; warp++)
		fill_warp(core, s, warp, &units->warp[scheduler * HD_WARP_SLOTS + warp]);
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		fill_queue(core, units, scheduler, pipe);
	fill_results(s, units, scheduler, now);
	fill_buffer(s->results.buffer, units, scheduler);
	fill_replays(&s->replay, units, scheduler);
	fill_ports(&s->results.ports, units, scheduler, now);
	CLEAR_REST(units->read + (size_t)scheduler * HD_UNIT_READS, view->reads[scheduler], HD_UNIT_READS);
	CLEAR_REST(units->write + (size_t)scheduler * HD_UNIT_WRITES, view->writes[scheduler], HD_UNIT_WRITES);
}

static uint64_t cycle(const hd_core *core, uint64_t now)
{
	hd_unit_view *view = core->view;
	if (is_watched(view, now)) {
		view->units.cycle = now;
		for (uint32_t i = 0; i < core->n_schedulers; i++)
			fill_scheduler(core, view, i, now);
		fill_flights(core, &view->units, now);
		view->watch->cycle(view->watch, &view->units);
		view->units.hidden = 0;
		memset(view->reads, 0, sizeof view->reads);
		memset(view->writes, 0, sizeof view->writes);
	}
	return now >= view->watch->last ? UINT64_MAX : hd_max_u64(now + 1, view->watch->first);
}

static void detach(hd_core *core)
{
	hd_units_free(&core->view->units);
	free(core->view);
	core->view = NULL;
}

static const hd_observer observer = {
    .lost = lost, .reading = reading_event, .registers = registers, .buffer = buffer_event, .cycle = cycle, .detach = detach};

void hd_units_attach(hd_core *core, hd_unit_watch *watch)
{
	const hd_machine *machine = core->context->machine;
	const hd_operand_buffer *buffer = core->scheduler[0].results.buffer;
	hd_unit_sizes sizes = {.schedulers = core->n_schedulers,
	                       .banks = machine->register_file_banks,
	                       .buffers = buffer ? hd_operand_buffer_registers(buffer) + HD_WARP_SLOTS * buffer->last_words : 0,
	                       .replays = core->scheduler[0].replay.size};
	hd_unit_view *view = hd_xcalloc(1, sizeof *view);
	hd_invariant(core->tracing != NULL, "the units of core %u are watched without an observer, who numbers the instructions", core->number);
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		const hd_queue *queue = hd_queue_before(core->pipes, &core->scheduler[0].queue[pipe], pipe);
		sizes.entries = hd_max_u32(sizes.entries, queue->fifo_size);
		sizes.hazards = hd_max_u32(sizes.hazards, queue->hazard_size);
	}
	hd_units_init(&view->units, &sizes);
	view->units.core = core->number;
	view->watch = watch;
	view->issue = core->issue;
	view->queue_stage = core->queue_stage;
	core->view = view;
	core->issue = watched_issue;
	core->queue_stage = watched_queue_stage;
	hd_observe(core, &observer);
}
