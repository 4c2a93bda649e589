#include "core/observe/tracing.h"

#include "core/execute/compensation.h"
#include "core/execute/shared_pipes.h"
#include "core/flow/groups.h"
#include "core/flow/stack.h"
#include "core/issue/readiness.h"

/* Counts of a core's accesses to memory so far. */
typedef struct access_counts {
	uint64_t sectors, hits, dram, packets;
	uint32_t requests; /* of the cluster in the present window */
} access_counts;

struct hd_tracing {
	hd_trace *trace;
	access_counts before;                 /* the present access */
	struct reported {                     /* what is known of the warps of a scheduler */
		uint32_t issued;              /* in this cycle */
		uint8_t cause[HD_WARP_SLOTS]; /* HD_TRACE_WAIT */
	} of[HD_MAX_SCHEDULERS];
};

static access_counts count_accesses(const hd_core *core)
{
	return (access_counts){.sectors = core->stats->memory_sectors,
	                       .hits = core->stats->memory_l1_hits,
	                       .dram = core->stats->memory_dram_reads,
	                       .packets = core->outbox ? core->outbox->number : 0,
	                       .requests = core->requests ? (uint32_t)core->requests->list.n : 0};
}

static void emit(const hd_core *core, hd_trace_event event)
{
	event.core = core->number;
	core->tracing->trace->event(core->tracing->trace, &event);
}

static uint8_t number_of(const hd_core *core, const hd_scheduler *s) { return (uint8_t)(s - core->scheduler); }

static void flow(const hd_core *core, const hd_scheduler *s, unsigned warp, uint64_t now)
{
	const hd_warp_flow *flow = &s->flow[warp];
	bool resume = core->flow.mode == HD_DIV_RESUME;
	uint32_t waiting[HD_LANES];
	hd_trace_event event = {.kind = HD_TRACE_FLOW,
	                        .cycle = now,
	                        .scheduler = number_of(core, s),
	                        .slot = (uint8_t)warp,
	                        .pc = flow->pc,
	                        .mask = flow->active,
	                        .minrc = resume ? flow->minrc : HD_TRACE_NO_ADDRESS,
	                        .members = resume ? flow->members : flow->alive,
	                        .depth = flow->depth,
	                        .resume = waiting};
	if (core->flow.mode == HD_DIV_STACK)
		hd_stack_waiting(flow, waiting);
	else if (core->flow.mode == HD_DIV_BARRIERS)
		hd_groups_waiting(flow, waiting);
	else
		hd_flow_waiting(flow, waiting);
	emit(core, event);
}

static void begin(const hd_core *core, unsigned scheduler, unsigned warp, uint64_t now)
{
	const hd_scheduler *s = &core->scheduler[scheduler];
	const hd_warp *owner = &s->warp[warp];
	hd_trace_event event = {.kind = HD_TRACE_BEGIN,
	                        .cycle = now,
	                        .scheduler = (uint8_t)scheduler,
	                        .slot = (uint8_t)warp,
	                        .warp = owner->number,
	                        .pc = s->flow[warp].pc,
	                        .mask = s->flow[warp].active,
	                        .cta_serial = owner->cta->begun};
	memcpy(event.cta, owner->cta->at, sizeof event.cta);
	emit(core, event);
	flow(core, s, warp, now);
}

static void counter(const hd_core *core, const hd_scheduler *s, hd_record_kind kind, unsigned warp, unsigned counter, unsigned units, uint64_t now)
{
	emit(core, (hd_trace_event){.kind = HD_TRACE_COUNTER,
	                            .cycle = now,
	                            .scheduler = number_of(core, s),
	                            .slot = (uint8_t)warp,
	                            .counter = (uint8_t)counter,
	                            .value = (uint16_t)s->fence.value[warp][counter - 1]});
}

static void end(const hd_core *core, const hd_scheduler *s, unsigned warp, uint64_t now)
{
	core->tracing->of[number_of(core, s)].cause[warp] = HD_STALL_COUNT;
	emit(core, (hd_trace_event){.kind = HD_TRACE_END, .cycle = now, .scheduler = number_of(core, s), .slot = (uint8_t)warp});
}

static void issue(const hd_core *core, unsigned scheduler, unsigned warp, uint32_t pc, unsigned slots, uint64_t now)
{
	const hd_warp_flow *flow = &core->scheduler[scheduler].flow[warp];
	core->tracing->of[scheduler].issued |= 1u << warp;
	emit(core, (hd_trace_event){.kind = HD_TRACE_ISSUE,
	                            .cycle = now,
	                            .scheduler = (uint8_t)scheduler,
	                            .slot = (uint8_t)warp,
	                            .pc = pc,
	                            .slots = slots,
	                            .mask = flow->active,
	                            .number = core->serial});
}

static void enter(const hd_core *core, unsigned scheduler, const hd_sent *sent, uint32_t mask, bool dropped, uint64_t now)
{
	/* The instruction is about to read its operands: writes of this cycle come first. */
	if (!dropped && core->scheduler[scheduler].results.due <= now)
		hd_wc_settle(&core->scheduler[scheduler].results, now);
	emit(core, (hd_trace_event){.kind = dropped ? HD_TRACE_DROP : HD_TRACE_ENTER,
	                            .cycle = now,
	                            .since = sent->cycle,
	                            .scheduler = (uint8_t)scheduler,
	                            .slot = sent->warp,
	                            .pc = sent->pc,
	                            .mask = mask,
	                            .parts = core->code[sent->pc].passes,
	                            .number = sent->number});
}

static hd_trace_event queue_event(unsigned scheduler, const hd_sent *sent, hd_trace_kind kind, uint64_t now)
{
	return (hd_trace_event){.kind = kind,
	                        .cycle = now,
	                        .since = sent->cycle,
	                        .scheduler = (uint8_t)scheduler,
	                        .slot = sent->warp,
	                        .pc = sent->pc,
	                        .number = sent->number};
}

static void squashed(const hd_core *core, unsigned scheduler, const hd_sent *sent, uint64_t now)
{
	hd_trace_event event = queue_event(scheduler, sent, HD_TRACE_DROP, now);
	event.squashed = true;
	emit(core, event);
}

static void narrowed(const hd_core *core, unsigned scheduler, const hd_sent *sent, uint32_t lanes, uint64_t now)
{
	hd_trace_event event = queue_event(scheduler, sent, HD_TRACE_NARROW, now);
	event.mask = lanes;
	emit(core, event);
}

static void part(const hd_core *core, unsigned scheduler, const hd_sent *sent, uint32_t mask, uint64_t now)
{
	emit(core, (hd_trace_event){.kind = HD_TRACE_READ,
	                            .cycle = now,
	                            .since = sent->cycle,
	                            .scheduler = (uint8_t)scheduler,
	                            .slot = sent->warp,
	                            .pc = sent->pc,
	                            .mask = mask,
	                            .number = sent->number});
}

static void replay(const hd_core *core, const hd_scheduler *s, const hd_sent *sent, uint64_t now)
{
	emit(core, (hd_trace_event){.kind = HD_TRACE_REPLAY,
	                            .cycle = now,
	                            .since = sent->cycle,
	                            .scheduler = number_of(core, s),
	                            .slot = sent->warp,
	                            .pc = sent->pc,
	                            .number = sent->number});
}

static hd_trace_event flight_event(const hd_core *core, const hd_flight *flight, hd_trace_kind kind, uint32_t mask, uint64_t now)
{
	return (hd_trace_event){.kind = kind,
	                        .cycle = now,
	                        .since = flight->exit - core->code[flight->pc].latency,
	                        .scheduler = flight->scheduler,
	                        .slot = flight->warp,
	                        .pc = flight->pc,
	                        .mask = mask,
	                        .number = flight->number};
}

static void served(const hd_core *core, const hd_flight *flight, uint64_t now)
{
	emit(core, flight_event(core, flight, HD_TRACE_MEMORY, flight->mask, now));
}

static void result(const hd_core *core, const hd_scheduler *s, const hd_flight *flight, const hd_slot *slot, const hd_static *row, hd_trace_kind kind,
                   uint64_t now)
{
	emit(core, flight_event(core, flight, kind, flight->mask, now));
}

/* The cycle in which the last of the core's packets from number `first` on is at its slice; 0: there are none. */
static uint64_t last_arrival(const hd_core *core, uint64_t first)
{
	uint64_t last = 0;
	for (const hd_packet *packet = core->outbox ? core->outbox->fresh : NULL; packet; packet = packet->later)
		if (packet->number >= first)
			last = hd_max_u64(packet->arrival, last);
	return last;
}

static void access_begins(const hd_core *core) { core->tracing->before = count_accesses(core); }

static void access_ends(const hd_core *core, const hd_flight *flight, uint32_t mask, uint64_t now)
{
	const access_counts *before = &core->tracing->before;
	hd_trace_event event = flight_event(core, flight, HD_TRACE_ACCESS, mask, now);
	access_counts behind = count_accesses(core);
	if (core->slots[flight->pc].words[0] == 1)
		memset(&flight->memory->access.address[1], 0, sizeof flight->memory->access.address[1]); /* whatever was there before */
	event.address = flight->memory->access.address;
	event.sectors = (uint32_t)(behind.sectors - before->sectors);
	event.hits = (uint32_t)(behind.hits - before->hits);
	event.dram = (uint32_t)(behind.dram - before->dram);
	event.arrival = last_arrival(core, before->packets);
	event.first_unpriced = before->requests;
	event.unpriced = behind.requests - before->requests;
	emit(core, event);
}

/* One event for each maker of lanes that leave a register of an operand buffer. */
static void emit_lanes(const hd_core *core, hd_trace_event event, const hd_buffer_register *at, uint32_t leave)
{
	for (uint32_t lanes = at ? at->lanes & leave : 0; lanes; lanes &= ~event.mask) {
		event.maker = at->maker.v[hd_lowest_bit(lanes)];
		event.mask = 0;
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			event.mask |= (lanes >> lane & 1 && at->maker.v[lane] == event.maker) ? 1u << lane : 0;
		emit(core, event);
	}
}

/* One event for each run of registers: words (a mask) from register `reg` on. */
static void emit_words(const hd_core *core, hd_trace_event event, unsigned reg, unsigned words)
{
	for (; words; words >>= 1, reg++) {
		if (!(words & 1))
			continue;
		event.reg = (uint8_t)reg;
		event.words = 1;
		for (; words >> 1 & 1; words >>= 1, reg++)
			event.words++;
		emit(core, event);
	}
}

static void registers(const hd_core *core, const hd_flight *flight, unsigned words, uint64_t now)
{
	hd_trace_event event = {.kind = HD_TRACE_REGISTERS,
	                        .cycle = now,
	                        .scheduler = flight->scheduler,
	                        .slot = flight->warp,
	                        .mask = flight->mask,
	                        .maker = flight->number};
	emit_words(core, event, flight->reg, words);
}

static void buffer_event(const hd_core *core, const hd_operand_buffer *buffer, const hd_buffer_register *at, hd_trace_kind kind, uint32_t lanes,
                         uint64_t now)
{
	emit_lanes(core, (hd_trace_event){.kind = kind, .cycle = now, .scheduler = buffer->scheduler, .slot = at->warp, .reg = at->reg, .words = 1},
	           at, lanes);
}

static uint64_t settle_results(const hd_core *core, uint64_t now)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_write_controller *results = &core->scheduler[i].results;
		if (results->due <= now)
			hd_wc_settle(results, now);
		next = hd_min_u64(results->due, next);
	}
	return next;
}

static void emit_wait(const hd_core *core, const hd_scheduler *s, uint32_t warps, unsigned cause, uint64_t now)
{
	struct reported *reported = &core->tracing->of[number_of(core, s)];
	for (; warps; warps &= warps - 1) {
		unsigned warp = hd_lowest_bit(warps);
		if (reported->cause[warp] == cause)
			continue;
		reported->cause[warp] = (uint8_t)cause;
		emit(core, (hd_trace_event){.kind = HD_TRACE_WAIT,
		                            .cycle = now,
		                            .scheduler = number_of(core, s),
		                            .slot = (uint8_t)warp,
		                            .pc = s->flow[warp].pc,
		                            .cause = (uint8_t)cause});
	}
}

/* Reports the waits of a scheduler's warps behind its turn. Those that issued wait for nothing in this cycle. Cycles that are skipped change
 * nothing. */
static void emit_waits(const hd_core *core, const hd_scheduler *s, uint64_t now)
{
	struct reported *reported = &core->tracing->of[number_of(core, s)];
	uint32_t ready = hd_ready_warps(core, s, reported->issued), held = hd_unasked(core, s, ready), whose;
	uint32_t free = ready & ~held, left = s->live & ~(reported->issued | ready);
	emit_wait(core, s, reported->issued | free, HD_STALL_COUNT, now);
	emit_wait(core, s, held, HD_STALL_SCOREBOARD, now);
	for (; left; left &= ~whose) {
		hd_stall cause = hd_cause(s, left, &whose);
		emit_wait(core, s, whose, cause, now);
	}
	reported->issued = 0;
}

static uint64_t cycle(const hd_core *core, uint64_t now)
{
	uint64_t next = settle_results(core, now);
	for (uint32_t i = 0; i < core->n_schedulers; i++)
		emit_waits(core, &core->scheduler[i], now);
	return next;
}

/* The words of last use `i` that it drops from a result on the paths, as a mask of words of the operand. */
static unsigned dropped_words(const hd_reading *reading, unsigned i, const hd_flight *value)
{
	unsigned live = hd_live_words(value), reg = reading->last[i].reg, all = (1u << reading->last[i].words) - 1;
	if (!hd_wc_drops(reading, i, value))
		return 0;
	return (reg >= value->reg ? live >> (reg - value->reg) : live << (value->reg - reg)) & all & ~hd_wc_flagged_before(reading, i);
}

/* True when last use `i` drops lanes of a register: of results on the paths, or of the operand buffer. */
static bool is_dropped(const hd_write_controller *results, const hd_reading *reading, unsigned i, unsigned reg)
{
	for (const hd_flight *value = results->first_of[reading->warp]; value; value = value->later)
		if (dropped_words(reading, i, value) >> (reg - reading->last[i].reg) & 1)
			return true;
	const hd_buffer_register *in[] = {results->buffer ? hd_operand_buffer_find(results->buffer, reading->warp, reg) : NULL,
	                                  results->buffer ? hd_operand_buffer_find_last(results->buffer, reading->warp, reg) : NULL};
	return (in[0] && in[0]->lanes & reading->mask) || (in[1] && in[1]->lanes & reading->mask);
}

/* One event for each register that has the flag in vain (LU-6). */
static void emit_late(const hd_core *core, const hd_write_controller *results, hd_trace_event event, const hd_reading *reading, unsigned i)
{
	event.kind = HD_TRACE_LATE;
	event.words = 1;
	event.mask = reading->mask;
	for (unsigned w = 0; w < reading->last[i].words; w++) {
		event.reg = (uint8_t)(reading->last[i].reg + w);
		if (!(hd_wc_flagged_before(reading, i) >> w & 1) && !is_dropped(results, reading, i, event.reg))
			emit(core, event);
	}
}

static void reading_event(const hd_core *core, const hd_scheduler *s, const hd_reading *reading, const hd_slot *slot, const hd_sent *reader)
{
	hd_trace_event event = {.kind = HD_TRACE_SKIP,
	                        .cycle = reading->now,
	                        .scheduler = number_of(core, s),
	                        .slot = reader->warp,
	                        .pc = reader->pc,
	                        .number = reader->number};
	for (unsigned i = 0; i < reading->n_last; i++) {
		for (const hd_flight *value = s->results.first_of[reading->warp]; value; value = value->later) {
			event.maker = value->number;
			event.mask = value->mask;
			emit_words(core, event, reading->last[i].reg, dropped_words(reading, i, value));
		}
		for (unsigned w = 0; s->results.buffer && w < reading->last[i].words; w++) {
			if (hd_wc_flagged_before(reading, i) >> w & 1)
				continue;
			event.reg = (uint8_t)(reading->last[i].reg + w);
			event.words = 1;
			emit_lanes(core, event, hd_operand_buffer_find(s->results.buffer, reading->warp, event.reg), reading->mask);
			emit_lanes(core, event, hd_operand_buffer_find_last(s->results.buffer, reading->warp, event.reg), reading->mask);
		}
		emit_late(core, &s->results, event, reading, i);
	}
}

static void arrive(const hd_core *core, const hd_scheduler *s, unsigned warp, unsigned barrier, uint64_t now)
{
	emit(core, (hd_trace_event){
	               .kind = HD_TRACE_ARRIVE, .cycle = now, .scheduler = number_of(core, s), .slot = (uint8_t)warp, .barrier = (uint8_t)barrier});
}

static void release(const hd_core *core, const hd_scheduler *s, unsigned warp, unsigned barrier, uint32_t warps, uint64_t now)
{
	emit(core, (hd_trace_event){.kind = HD_TRACE_RELEASE,
	                            .cycle = now,
	                            .scheduler = number_of(core, s),
	                            .slot = (uint8_t)warp,
	                            .barrier = (uint8_t)barrier,
	                            .mask = warps});
}

static void end_of_barriers(const hd_core *core, const hd_scheduler *s, unsigned warp, const hd_barriers *before, uint64_t now)
{
	const hd_barriers *after = &s->warp[warp].cta->barriers;
	for (unsigned number = 0; number < HD_BARRIERS; number++)
		if (before->arrived[number] && !after->arrived[number])
			release(core, s, warp, number, before->waiting[number], now);
}

static void descheduled(const hd_core *core, const hd_scheduler *s, unsigned warp, hd_verdict verdict, bool slot, uint64_t now)
{
	hd_trace_event event = {.kind = HD_TRACE_DESCHEDULE,
	                        .cycle = now,
	                        .scheduler = number_of(core, s),
	                        .slot = (uint8_t)warp,
	                        .pc = s->flow[warp].pc,
	                        .counters = s->watch[warp],
	                        .cause = (uint8_t)hd_stall_of_verdict(verdict)};
	emit(core, event);
	if (!slot)
		return;
	event.kind = HD_TRACE_LOST;
	event.cycles = event.slots = 1;
	emit(core, event);
}

/* The warps to which a lost slot belongs: those of the cause. A slot that a decoder, a replay or the end of the run took is no idle one; it belongs
 * to the warps that have the cause, and without any to those that can issue. */
static uint32_t suspects(const hd_scheduler *s, hd_stall cause)
{
	uint32_t whose, found = 0;
	if (hd_cause(s, s->live, &whose) == cause)
		return whose;
	for (uint32_t left = s->live; left; left &= left - 1)
		if (hd_cause(s, left & -left, &whose) == cause)
			found |= whose;
	uint32_t able = s->live & ~(s->deciding | s->at_barrier | s->descheduled | s->fetch.starved);
	return found ? found : able ? able : s->live;
}

/* The counters for which the oldest instruction waits in the hazard queue before the warp's pipe, or at the head of a FIFO without one (HZ-32). */
static uint16_t queue_waits_for(const hd_core *core, const hd_scheduler *s, unsigned warp, unsigned *who)
{
	unsigned pipe = hd_lowest_bit(s->next_pipe[warp]), first = hd_queue_slot(core->pipes, pipe, number_of(core, s), 0);
	const hd_queue *queue = hd_queue_before(core->pipes, &s->queue[pipe], pipe);
	for (unsigned i = 0; i < queue->hazard_n; i++) {
		const hd_sent *sent = &queue->hazard[queue->age[i]];
		if (sent->warp < first || sent->warp >= first + HD_WARP_SLOTS) /* a warp of another scheduler (HZ-37) */
			continue;
		uint16_t counters =
		    sent->wait & s->fence.flags[sent->warp - first] & (uint16_t) ~(s->guessing >> (sent->warp - first) & 1 ? HD_UNDECIDED : 0);
		*who = sent->warp - first;
		if (counters)
			return counters;
	}
	if (queue->hazard_size || !queue->fifo_n)
		return 0;
	const hd_sent *head = &queue->fifo[queue->fifo_head];
	if (head->warp < first || head->warp >= first + HD_WARP_SLOTS)
		return 0;
	*who = head->warp - first;
	return head->wait & s->fence.flags[*who];
}

static void lost(const hd_core *core, const hd_scheduler *s, hd_stall cause, uint64_t slots, uint64_t cycle, uint64_t cycles)
{
	hd_trace_event event = {.kind = HD_TRACE_LOST,
	                        .cycle = cycle,
	                        .cycles = cycles,
	                        .slots = slots,
	                        .cause = (uint8_t)cause,
	                        .scheduler = number_of(core, s),
	                        .slot = HD_TRACE_NO_WARP};
	uint32_t left = suspects(s, cause);
	unsigned at = 0, who;
	while (left && at < HD_WARP_SLOTS && !(left >> s->macro.order[at] & 1))
		at++;
	if (left && at < HD_WARP_SLOTS) {
		unsigned warp = s->macro.order[at];
		event.slot = (uint8_t)warp;
		event.pc = s->flow[warp].pc;
		if (cause == HD_STALL_HIGH_LATENCY || cause == HD_STALL_WAIT_COUNTER || cause == HD_STALL_COUNTER_FULL)
			event.counters = s->watch[warp];
		/* Counters belong to a warp: they are named where the blocking instruction is of the same warp. */
		if (cause == HD_STALL_QUEUE_FULL) {
			event.counters = queue_waits_for(core, s, warp, &who);
			if (event.counters && who != warp)
				event.counters = 0;
		}
	}
	emit(core, event);
}

static void detach(hd_core *core)
{
	free(core->tracing);
	core->tracing = NULL;
}

static const hd_observer observer = {.begin = begin,
                                     .end = end,
                                     .flow = flow,
                                     .descheduled = descheduled,
                                     .issue = issue,
                                     .lost = lost,
                                     .counter = counter,
                                     .squashed = squashed,
                                     .narrowed = narrowed,
                                     .enter = enter,
                                     .part = part,
                                     .replay = replay,
                                     .reading = reading_event,
                                     .access_begins = access_begins,
                                     .access = access_ends,
                                     .served = served,
                                     .result = result,
                                     .registers = registers,
                                     .buffer = buffer_event,
                                     .arrive = arrive,
                                     .release = release,
                                     .end_of_barriers = end_of_barriers,
                                     .cycle = cycle,
                                     .detach = detach};

void hd_tracing_attach(hd_core *core, hd_trace *trace)
{
	core->tracing = hd_xcalloc(1, sizeof *core->tracing);
	core->tracing->trace = trace;
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_write_controller *results = &core->scheduler[i].results;
		memset(core->tracing->of[i].cause, HD_STALL_COUNT, HD_WARP_SLOTS);
		results->observed = core;
		if (results->buffer) {
			results->buffer->observed = core;
			results->buffer->scheduler = (uint8_t)i;
		}
	}
	hd_observe(core, &observer);
}
