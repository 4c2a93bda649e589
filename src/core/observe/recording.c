#include "core/observe/recording.h"

#include "core/issue/window_rows.h"
#include "core/state.h"

static void send(const hd_core *core, hd_record_kind kind, const uint64_t *values, unsigned n)
{
	core->recorder->event(core->recorder, kind, values, n);
}

static void record(const hd_core *core, const hd_scheduler *s, hd_record_kind kind, const uint64_t *values, unsigned n)
{
	if ((uint32_t)(s - core->scheduler) == core->recorder->scheduler)
		send(core, kind, values, n);
}

#define RECORD(core_, s_, kind_, ...)                                                           \
	do {                                                                                    \
		const uint64_t values_[] = {__VA_ARGS__};                                       \
		record((core_), (s_), HD_RECORD_##kind_, values_, (unsigned)HD_COUNT(values_)); \
	} while (0)

static void record_program(const hd_core *core)
{
	for (uint32_t pc = 0; pc < core->context->code->n_words; pc++) {
		const hd_static *row = &core->code[pc];
		const hd_window_row *window = &core->window_rows[pc];
		const uint64_t values[] = {pc,         window->next,  hd_is_sent_alone(row), row->kind == HD_KIND_FLOW,
		                           row->pipe,  row->at_issue, row->at_queue,         row->primary,
		                           row->delay, row->wait,     window->after,         window->behind};
		send(core, HD_RECORD_WINDOW_ROW, values, HD_COUNT(values));
	}
}

static void tick(const hd_core *core, uint64_t now)
{
	const uint64_t skipped = core->last + 1 < now ? now - core->last - 1 : 0;
	send(core, HD_RECORD_TICK, &skipped, 1);
}

static void counter(const hd_core *core, const hd_scheduler *s, hd_record_kind kind, unsigned warp, unsigned number, unsigned groups, uint64_t now)
{
	/* A counter may be below zero within a cycle (HZ-8). */
	uint64_t value = (uint16_t)s->fence.value[warp][number - 1];
	const uint64_t values[] = {warp, number, groups, value, s->fence.flags[warp], s->fence.full[warp]};
	record(core, s, kind, values, HD_COUNT(values));
}

static void checked(const hd_core *core, const hd_scheduler *s, unsigned warp, uint32_t pc, hd_verdict verdict, uint16_t watch)
{
	const hd_static *row = &core->code[pc];
	RECORD(core, s, CHECKED, warp, pc, row->pipe, row->at_issue, row->primary, s->fence.flags[warp], s->fence.full[warp], s->waiters.flags[warp],
	       verdict, verdict == HD_SEND ? 0 : watch);
}

static void queue(const hd_core *core, const hd_scheduler *s, unsigned pipe, bool ready, const hd_sent *sent)
{
	const hd_queue *queue = &s->queue[pipe];
	RECORD(core, s, QUEUE, pipe, ready, sent != NULL, queue->waiting, queue->fifo_n, queue->hazard_n);
	if (sent)
		RECORD(core, s, LEAVES, pipe, sent->warp, sent->wait, sent->pc);
}

static void push(const hd_core *core, const hd_scheduler *s, unsigned pipe, const hd_sent *sent, uint64_t counted)
{
	const hd_queue *queue = &s->queue[pipe];
	unsigned at = (queue->fifo_head + queue->fifo_n - 1u) % queue->fifo_size;
	RECORD(core, s, PUSHED, pipe, sent->warp, sent->wait, sent->pc, counted, queue->fifo[at].gap);
}

static unsigned put_set(uint64_t *values, unsigned n, const uint64_t set[HD_SCORE_WORDS])
{
	memcpy(values + n, set, HD_SCORE_WORDS * sizeof *set);
	return n + HD_SCORE_WORDS;
}

static void score_check(const hd_core *core, const hd_scheduler *s, unsigned warp, const hd_footprint *footprint, bool ready)
{
	uint64_t values[3 + 2 * HD_SCORE_WORDS] = {warp, ready, footprint->order};
	unsigned n = put_set(values, 3, footprint->reads);
	n = put_set(values, n, footprint->writes);
	record(core, s, HD_RECORD_SCORE_CHECK, values, n);
}

static void score_issue(const hd_core *core, const hd_scheduler *s, unsigned warp, const hd_footprint *footprint)
{
	uint64_t values[2 + 2 * HD_SCORE_WORDS] = {warp, footprint->order};
	unsigned n = put_set(values, 2, footprint->reads);
	n = put_set(values, n, footprint->writes);
	record(core, s, HD_RECORD_SCORE_ISSUE, values, n);
}

static void score_end(const hd_core *core, const hd_scheduler *s, unsigned warp, const hd_footprint *footprint,
                      void (*event)(hd_scoreboard *, unsigned, const hd_footprint *))
{
	uint64_t values[1 + HD_SCORE_WORDS] = {warp};
	if (event == hd_scoreboard_read)
		record(core, s, HD_RECORD_SCORE_READ, values, put_set(values, 1, footprint->reads));
	else if (event != hd_scoreboard_done) /* written, or written and done */
		record(core, s, HD_RECORD_SCORE_WRITTEN, values, put_set(values, 1, footprint->writes));
	if (event != hd_scoreboard_read && event != hd_scoreboard_written)
		RECORD(core, s, SCORE_DONE, warp, footprint->order);
}

static void macro(const hd_core *core, const hd_scheduler *s, uint64_t now)
{
	uint64_t order = 0, adjusted = 0;
	for (unsigned i = 0; i < HD_WARP_SLOTS; i++) {
		order |= (uint64_t)s->macro.order[i] << 4 * i;
		adjusted |= (uint64_t)(s->macro.born[i] && s->macro.adjust[i] && s->macro.until[i] > now + 1) << i;
	}
	RECORD(core, s, MACRO, now & 3, order, adjusted);
}

static void step(const hd_core *core, const hd_scheduler *s, unsigned warp)
{
	const hd_warp_flow *flow = &s->flow[warp];
	RECORD(core, s, FLOW_STEP, warp, flow->pc, flow->active, flow->minrc);
}

/* The modules' number of a flow instruction, 0 when it only goes on. Lanes that do not execute it may take all of its effect away. */
static unsigned flow_operation(const hd_core *core, const hd_inst *inst, uint32_t taken)
{
	bool stack = core->flow.mode == HD_DIV_STACK;
	switch (inst->op) {
	case HD_OP_BRA:
		return 1;
	case HD_OP_BRX:
		return 2;
	case HD_OP_CALL:
		return 3;
	case HD_OP_CALLX:
		return 4;
	case HD_OP_RET:
		return 5;
	case HD_OP_EXIT:
		return 6;
	case HD_OP_PUSH:
		return stack ? 7 : 0;
	case HD_OP_BRK:
		return stack ? 8 : 1;
	case HD_OP_SYNC:
		return stack && taken ? 9 : 0;
	default:
		return 0;
	}
}

static void decided(const hd_core *core, const hd_scheduler *s, const hd_flight *flight, hd_flow_result result, unsigned lane)
{
	const hd_inst *inst = &core->slots[flight->pc].inst;
	const hd_warp_flow *flow = &s->flow[flight->warp];
	unsigned op = flow_operation(core, inst, flight->mask);
	uint32_t taken = flight->mask;
	if (!op) {
		step(core, s, flight->warp);
		return;
	}
	if (inst->op == HD_OP_BRX || inst->op == HD_OP_CALLX) {
		uint64_t targets[2 + HD_LANES] = {flight->warp};
		for (unsigned i = 0; i < HD_LANES; i++) {
			uint32_t target = flight->out.r[0].v[i];
			bool legal = hd_object_indirect_target(core->flow.object, flight->pc, target, inst->op == HD_OP_CALLX);
			targets[1] |= (uint64_t)!legal << i;
			targets[2 + i] = target;
		}
		record(core, s, HD_RECORD_FLOW_TARGETS, targets, HD_COUNT(targets));
	}
	if (inst->op == HD_OP_PUSH && !hd_code_meets(core->context->code, (uint32_t)inst->imm))
		taken = 0; /* decide.c */
	RECORD(core, s, FLOW, flight->warp, op, taken, flight->pc, hd_code_next(core->context->code, flight->pc), (uint32_t)inst->imm, result, lane,
	       flow->pc, flow->active, flow->alive, flow->minrc, flow->members, flow->depth, flow->tokens ? flow->tokens->n : 0);
}

/* docs/timing.md, rule 2: how far the next instruction is from the warp's last one in this queue, and how far the entries of both can be apart. The
 * latter is HD_MAX_SPACING + 1 when the longest distance that the queue keeps has passed. */
static void record_distance(const hd_scheduler *s, unsigned warp, unsigned pipe, uint64_t now, uint64_t *distance, uint64_t *passed)
{
	const hd_queue *queue = &s->queue[pipe];
	uint64_t counted = s->counted.of[warp][pipe].next - queue->of[warp].counted, since = now + 1 + queue->fifo_n - queue->of[warp].entered;
	*distance = queue->spacing ? hd_min_u64(counted, queue->spacing) : 0;
	*passed = hd_queue_empty(queue) || since >= queue->spacing ? HD_MAX_SPACING + 1 : since;
}

static void picked(const hd_core *core, const hd_scheduler *s, unsigned warp, uint64_t now)
{
	uint64_t hold = 0, room = 0;
	uint64_t values[10 + 5 * HD_PIPE_COUNT];
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		hold |= (uint64_t)(s->queue[pipe].hazard_n >= core->hold) << pipe;
		const struct hd_window_time *time = &s->window.time[warp][pipe];
		values[10 + pipe] = s->queue[pipe].fifo_n;
		values[10 + 3 * HD_PIPE_COUNT + pipe] = time->ready > now ? time->ready - now : 0;
		values[10 + 4 * HD_PIPE_COUNT + pipe] = time->wait > now ? 0 : hd_min_u64(now - time->wait, 15);
		record_distance(s, warp, pipe, now, &values[10 + HD_PIPE_COUNT + pipe], &values[10 + 2 * HD_PIPE_COUNT + pipe]);
	}
	for (unsigned i = 0; i < core->context->machine->fence_counters; i++) {
		uint32_t primaries = (uint32_t)(s->fence.limit - s->fence.value[warp][i]) / core->units;
		room |= (uint64_t)hd_min_u32(primaries, 15) << 4 * i;
	}
	const uint64_t first[] = {warp,
	                          s->flow[warp].pc,
	                          s->flow[warp].minrc,
	                          s->fetch.have[warp],
	                          s->window.sent[warp],
	                          s->fence.flags[warp],
	                          s->waiters.flags[warp],
	                          s->full,
	                          hold,
	                          room};
	memcpy(values, first, sizeof first);
	record(core, s, HD_RECORD_PICKED, values, HD_COUNT(values));
}

/* A hash of the values of 32 lanes, one bit each. Lanes with equal values have different bits, so a value that comes from a wrong place shows. */
static uint32_t hash_word(const hd_vec32 *word)
{
	uint32_t hash = 0;
	for (uint32_t lane = 0; lane < HD_LANES; lane++) {
		uint32_t bits = word->v[lane] ^ lane * 0x9e3779b9u;
		bits = (bits ^ bits >> 16) * 0x85ebca6bu;
		bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
		hash |= bits >> 31 << lane;
	}
	return hash;
}

static void hash_words(uint64_t values[4], const hd_vec32 *words, unsigned n)
{
	for (unsigned w = 0; w < n; w++)
		values[w] = hash_word(&words[w]);
}

static void record_result(const hd_core *core, const hd_scheduler *s, const hd_flight *flight, const hd_slot *slot, const hd_static *row)
{
	uint64_t values[] = {flight->warp,
	                     row->pipe,
	                     slot->inst.d,
	                     slot->dwords,
	                     flight->mask,
	                     flight->part & HD_PART_UNCOUNTED,
	                     hd_passes_by(&slot->inst),
	                     0,
	                     0,
	                     0,
	                     0};
	hash_words(values + 7, hd_flight_value(flight), slot->dwords);
	record(core, s, HD_RECORD_RESULT, values, HD_COUNT(values));
}

static void record_direct(const hd_core *core, const hd_scheduler *s, const hd_flight *flight, const hd_slot *slot)
{
	uint64_t values[] = {flight->warp, slot->inst.d, slot->dwords, flight->mask, 0, 0, 0, 0};
	hash_words(values + 4, flight->memory->result.data, slot->dwords);
	record(core, s, HD_RECORD_RESULT_DIRECT, values, HD_COUNT(values));
}

static void result(const hd_core *core, const hd_scheduler *s, const hd_flight *flight, const hd_slot *slot, const hd_static *row, hd_trace_kind kind,
                   uint64_t now)
{
	if (!slot->dwords)
		return;
	if (flight->memory && !s->results.across)
		record_direct(core, s, flight, slot);
	else if (flight->mask && row->kind != HD_KIND_FLOW)
		record_result(core, s, flight, slot, row);
}

static void reading_event(const hd_core *core, const hd_scheduler *s, const hd_reading *reading, const hd_slot *slot, const hd_sent *reader)
{
	const uint8_t reg[3] = {slot->inst.a, slot->inst.b, slot->inst.c};
	if (!reading->words)
		return;
	RECORD(core, s, READS, reading->warp, reading->pipe, reading->mask, reading->words, reading->forwarded);
	for (unsigned i = 0; i < 3; i++) {
		if (!hd_operand_is_register(slot, i))
			continue;
		uint64_t values[] = {reading->warp, i, reg[i], slot->words[i], slot->inst.last_use >> i & 1, reading->path[i], 0, 0, 0, 0};
		hash_words(values + 6, reading->value[i], slot->words[i]);
		record(core, s, HD_RECORD_OPERAND, values, HD_COUNT(values));
	}
}

static const hd_observer observer = {.tick = tick,
                                     .macro = macro,
                                     .picked = picked,
                                     .checked = checked,
                                     .counter = counter,
                                     .score_check = score_check,
                                     .score_issue = score_issue,
                                     .score_end = score_end,
                                     .push = push,
                                     .queue = queue,
                                     .reading = reading_event,
                                     .result = result,
                                     .step = step,
                                     .decided = decided,
                                     .record = record};

void hd_recording_attach(hd_core *core, hd_recorder *recorder)
{
	core->recorder = recorder;
	send(core, HD_RECORD_BEGIN, NULL, 0);
	if (core->window_rows)
		record_program(core);
	hd_observe(core, &observer);
}
