#include "core/issue/speculation.h"

#include "core/flow/decide.h"
#include "core/issue/monitor.h"
#include "core/issue/readiness.h"
#include "core/issue/wakeup.h"
#include "core/observe/observers.h"
#include "core/residency/residency.h"
#include "memory/constant.h"

hd_speculation *hd_speculation_new(const hd_machine *machine)
{
	if (!machine->predecode_speculate)
		return NULL;
	hd_speculation *all = hd_xcalloc(1, sizeof *all);
	all->learns = machine->predecode_speculate == HD_SPECULATE_COUNTERS;
	return all;
}

static uint8_t *counter_of(hd_speculation *all, uint32_t pc) { return &all->counter[pc % HD_PREDICTIONS]; }

static bool is_branch(const hd_inst *inst) { return inst->op == HD_OP_BRA || inst->op == HD_OP_BRK; }

/* The address at which the warp goes on behind the flow instruction at `pc`; HD_INF: there is no prediction. */
static uint32_t predict(const hd_core *core, hd_speculation *all, uint32_t pc)
{
	const hd_inst *inst = &core->slots[pc].inst;
	uint32_t next = core->code[pc].next, target = (uint32_t)inst->imm;
	bool always = hd_is_unguarded(inst), opposite = *counter_of(all, pc) >= 2;
	if (inst->op == HD_OP_EXIT)
		return always ? HD_INF : next;
	if (!is_branch(inst))
		return HD_INF;
	return always || (target <= pc) != opposite ? target : next;
}

/* The table counts how often a branch did the opposite of the static prediction. */
static void learn(hd_speculation *all, const hd_inst *inst, uint32_t pc, uint32_t went_to)
{
	uint8_t *counter = counter_of(all, pc);
	bool taken = went_to == (uint32_t)inst->imm, opposite = taken != ((uint32_t)inst->imm <= pc);
	if (opposite && *counter < 3)
		++*counter;
	else if (!opposite && *counter)
		--*counter;
}

/* The first address behind `start` where lanes of the warp may resume if the prediction is right. */
static uint32_t bound_of(const hd_core *core, const hd_warp_flow *flow, uint32_t start)
{
	const hd_inst *inst = &core->slots[flow->pc].inst;
	uint32_t bound = core->context->code->meets ? core->context->code->meets[start] : flow->minrc, target = (uint32_t)inst->imm;
	if (!is_branch(inst))
		return bound;
	if (target > flow->pc && start != target)
		return hd_min_u32(bound, target); /* lanes that take a forward branch wait at its target (RC-4) */
	if (target <= flow->pc && start == target)
		return hd_min_u32(bound, core->code[flow->pc].next); /* lanes that do not take a backward branch wait behind it (RC-3) */
	return bound;
}

static void keep_state(const hd_scheduler *s, unsigned warp, hd_guess *guess)
{
	guess->active = s->flow[warp].active;
	guess->minrc = s->flow[warp].minrc;
	guess->ready = s->delayed >> warp & 1 ? s->wake[warp] : 0;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		guess->counted[pipe] = s->queue[pipe].of[warp].counted;
	memcpy(guess->counts, s->counted.of[warp], sizeof guess->counts);
	memcpy(guess->time, s->window.time[warp], sizeof guess->time);
}

void hd_speculation_begin(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now)
{
	hd_warp_flow *flow = &s->flow[warp];
	hd_guess *guess = &s->speculation->of[warp];
	uint32_t branch = flow->pc, start = predict(core, s->speculation, branch), next = core->code[branch].next;
	if (start == HD_INF || start >= bound_of(core, flow, start))
		return;
	keep_state(s, warp, guess);
	guess->start = start;
	guess->bound = bound_of(core, flow, start);
	s->deciding &= ~(1u << warp);
	s->guessing |= 1u << warp;
	s->fence.flags[warp] |= (uint16_t)HD_UNDECIDED;
	core->stats->predecode_predicted++;
	flow->pc = start;
	flow->minrc = guess->bound;
	if (start == next) {
		hd_fetch_consume(&s->fetch, warp, core->code[branch].room, start);
	} else {
		hd_fetch_restart(&s->fetch, warp, start);
		core->stats->predecode_flushes++;
	}
	hd_next_instruction(core, s, warp, now + 1);
}

void hd_speculation_return(hd_scheduler *s, unsigned warp, uint32_t pc)
{
	hd_warp_flow *flow = &s->flow[warp];
	hd_guess *guess = &s->speculation->of[warp];
	guess->reached = flow->pc;
	flow->pc = pc;
	flow->minrc = guess->minrc;
}

/* An instruction that was removed from its queue counts nowhere any more. */
static void undo(hd_core *core, unsigned scheduler, const hd_sent *sent, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	const hd_static *row = &core->code[sent->pc];
	uint32_t counters = sent->wait & (uint32_t)~HD_UNDECIDED;
	HD_EVENT(core, squashed, scheduler, sent, now);
	if (core->wait_counters) /* the warp waits for nobody: it is checked again in any case */
		hd_waiters_lower(&s->waiters, sent->warp, counters);
	if (core->footprint) {
		hd_scoreboard_report(core, s, sent->warp, sent->pc, hd_scoreboard_read);
		hd_scoreboard_report(core, s, sent->warp, sent->pc, hd_scoreboard_written);
		hd_scoreboard_report(core, s, sent->warp, sent->pc, hd_scoreboard_done);
	}
	if (row->primary)
		hd_monitor_written(core, scheduler, sent->warp, row->primary, core->units, now);
	core->stats->predecode_squashed++;
	hd_core_retire(core, s, sent->warp, row);
}

static void squash_queue(hd_core *core, unsigned scheduler, unsigned warp, unsigned pipe, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_queue *queue = &s->queue[pipe];
	hd_sent sent;
	queue->of[warp].counted = s->speculation->of[warp].counted[pipe];
	if (!(s->occupied >> pipe & 1) || !hd_queue_squash(queue, warp, now, &sent))
		return;
	do
		undo(core, scheduler, &sent, now);
	while (hd_queue_squash(queue, warp, now, &sent));
	if (!hd_queue_full(queue))
		s->full &= ~(1u << pipe);
	if (hd_queue_empty(queue))
		s->occupied &= ~(1u << pipe);
	hd_windows_retry_pipe(core, s, pipe);
}

/* Brings the warp back to the state behind its branch. */
static void squash(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	const hd_guess *guess = &s->speculation->of[warp];
	uint32_t bit = 1u << warp;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		squash_queue(core, scheduler, warp, pipe, now);
	memcpy(s->counted.of[warp], guess->counts, sizeof guess->counts);
	memcpy(s->window.time[warp], guess->time, sizeof guess->time);
	s->window.sent[warp] = 0;
	s->delayed &= ~bit;
	s->window_waits &= ~bit;
	s->blocked &= ~bit;
	s->for_second &= ~bit;
	if (guess->ready > now)
		hd_delay_warp(s, warp, guess->ready);
	if (core->constants) {
		s->for_constant &= ~bit;
		hd_constants_forget(core->constants, hd_constant_reader(core, s, warp));
	}
	core->stats->predecode_mispredicted++;
}

/* Reports that lanes have left what the warp has sent. */
static void emit_narrowed(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now)
{
	const hd_scheduler *s = &core->scheduler[scheduler];
	uint32_t lanes = s->flow[warp].active;
	for (uint32_t left = s->occupied; left; left &= left - 1) {
		const hd_queue *queue = &s->queue[hd_lowest_bit(left)];
		for (unsigned i = 0; i < queue->hazard_n; i++)
			if (hd_is_marked(&queue->hazard[queue->age[i]], warp))
				hd_event_narrowed(core, scheduler, &queue->hazard[queue->age[i]], lanes, now);
		for (unsigned i = 0; i < queue->fifo_n; i++)
			if (hd_is_marked(&queue->fifo[(queue->fifo_head + i) % queue->fifo_size], warp))
				hd_event_narrowed(core, scheduler, &queue->fifo[(queue->fifo_head + i) % queue->fifo_size], lanes, now);
	}
}

bool hd_speculation_end(hd_core *core, unsigned scheduler, const hd_flight *flight, bool goes_on, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	unsigned warp = flight->warp;
	const hd_warp_flow *flow = &s->flow[warp];
	const hd_guess *guess = &s->speculation->of[warp];
	const hd_inst *inst = &core->slots[flight->pc].inst;
	s->guessing &= ~(1u << warp);
	s->fence.flags[warp] &= (uint16_t)~HD_UNDECIDED;
	if (goes_on && s->speculation->learns && is_branch(inst))
		learn(s->speculation, inst, flight->pc, flow->pc);
	if (!goes_on || flow->pc != guess->start || flow->minrc < guess->bound || flow->active & ~guess->active) {
		squash(core, scheduler, warp, now);
		return false;
	}
	if (core->observers && flow->active != guess->active)
		emit_narrowed(core, scheduler, warp, now);
	for (uint32_t left = s->occupied; left; left &= left - 1)
		hd_queue_keep(&s->queue[hd_lowest_bit(left)], warp, flow->active, now);
	hd_windows_retry(s, 1u << warp);
	return true;
}

void hd_speculation_go_on(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now)
{
	hd_warp_flow *flow = &s->flow[warp];
	flow->pc = s->speculation->of[warp].reached;
	if (flow->pc != flow->minrc)
		return;
	hd_resume_in_sequence(core, s, warp, now);
	hd_next_instruction(core, s, warp, now);
}
