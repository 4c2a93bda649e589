#include "core/issue/readiness.h"

#include "core/observe/observers.h"

const hd_static *hd_row_by_registers(const hd_core *core, const hd_scheduler *s, unsigned warp, uint32_t pc, uint64_t now, hd_static *own)
{
	unsigned byte;
	if (!hd_hints_find(s->hints, warp, hd_instruction_number(core->context->machine->predecode_geometry, pc), now, &byte))
		return &core->code[pc];
	*own = core->code[pc];
	hd_code_take_byte(core->context->machine, byte, own);
	return own;
}

void hd_delay_warp(hd_scheduler *s, unsigned warp, uint64_t cycle)
{
	s->delayed |= 1u << warp;
	s->wake[warp] = cycle;
	if (cycle < s->wake_first)
		s->wake_first = cycle;
}

void hd_end_delays(hd_scheduler *s, uint64_t now)
{
	s->wake_first = HD_NEVER;
	for (uint32_t left = s->delayed | s->window_waits; left; left &= left - 1) {
		unsigned warp = hd_lowest_bit(left);
		if (s->wake[warp] <= now) {
			s->delayed &= ~(1u << warp);
			s->window_waits &= ~(1u << warp);
		} else if (s->wake[warp] < s->wake_first) {
			s->wake_first = s->wake[warp];
		}
	}
}

/* PD-8: applies the hold hint of the warp's next instruction, at the head of its FIFO. */
static void note_hold(hd_scheduler *s, unsigned warp, const hd_static *row)
{
	uint32_t bit = 1u << warp;
	s->hold &= ~bit;
	s->hold_before_replay &= ~bit;
	s->for_memory &= ~bit;
	if (!(row->effects & HD_EFFECT_HOLD))
		return;
	s->hold |= bit;
	if (row->effects & HD_EFFECT_PASS_REPLAY)
		s->hold_before_replay |= bit;
	if (row->effects & HD_EFFECT_WAIT_MEMORY && s->warp[warp].memory)
		s->for_memory |= bit;
}

void hd_begin_adjustments(hd_core *core, hd_scheduler *s, uint64_t now)
{
	uint32_t heads = s->live & ~(s->deciding | s->at_barrier | s->descheduled | s->delayed | s->fetch.starved) & s->adjusting;
	s->adjusting &= ~heads;
	for (; heads; heads &= heads - 1) {
		unsigned warp = hd_lowest_bit(heads);
		bool rises = s->boosting >> warp & 1;
		hd_macro_adjust(&s->macro, warp, rises ? 1 : -1, now, s->span[warp]);
		HD_RECORD_EVENT(core, s, MACRO_ADJUST, warp, rises, s->span[warp]);
		s->lowered = rises ? s->lowered & ~(1u << warp) : s->lowered | 1u << warp;
		if (!rises && now + s->span[warp] < s->neutral)
			s->neutral = now + s->span[warp];
		*(rises ? &core->stats->predecode_boosts : &core->stats->predecode_lowers) += 1;
	}
}

void hd_follow(hd_scheduler *s, unsigned warp, uint64_t now)
{
	s->to_follow |= 1u << warp;
	s->neutral = hd_min_u64(s->neutral, now + 1);
}

/* The cycle behind an issue is always looked at, so what hd_follow asked for begins in time (PD-30). It ends when a cycle is looked at again. */
void hd_end_lowers(hd_scheduler *s, uint64_t now)
{
	s->following = s->to_follow;
	s->to_follow = 0;
	s->neutral = s->following ? now + 1 : HD_NEVER;
	for (uint32_t left = s->lowered; left; left &= left - 1) {
		unsigned warp = hd_lowest_bit(left);
		if (s->macro.until[warp] <= now)
			s->lowered &= ~(1u << warp);
		else if (s->macro.until[warp] < s->neutral)
			s->neutral = s->macro.until[warp];
	}
}

void hd_next_instruction(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now)
{
	hd_static own;
	const hd_static *row = hd_row_of(core, s, warp, s->flow[warp].pc, now, &own);
	uint64_t earliest = now + row->wait; /* PD-6 */
	s->next_pipe[warp] = (uint16_t)(1u << row->pipe);
	if ((row->effects & HD_EFFECT_HOLD) | (s->hold >> warp & 1))
		note_hold(s, warp, row);
	if (core->window) {
		hd_window_enter(&s->window, warp, now);
		HD_RECORD_EVENT(core, s, WINDOW_ENTERS, warp);
		return;
	}
	if (s->delayed >> warp & 1 && s->wake[warp] > earliest)
		return; /* the delay of the previous instruction lasts longer */
	if (earliest > now)
		hd_delay_warp(s, warp, earliest);
}

/* Why a pipe takes no instruction. With an empty hazard queue the pipe is the bottleneck, unless instructions wait in the FIFO: there is no hazard
 * queue (HZ-32), or all pipes have one queue (MI-12). */
static hd_stall cause_of_full(const hd_scheduler *s, uint32_t pipes)
{
	const hd_queue *queue = &s->queue[hd_lowest_bit(pipes)];
	return s->shared || queue->hazard_n || !queue->hazard_size ? HD_STALL_QUEUE_FULL : HD_STALL_UNIT_BUSY;
}

/* The warps that wait for a pipe as the lowest of them does; without `all` it alone. */
static inline uint32_t with_full_pipe(const hd_scheduler *s, uint32_t able, bool all, hd_stall *cause)
{
	uint32_t found = 0;
	for (uint32_t left = able & ~(s->delayed | s->blocked | s->for_memory); left && (all || !found); left &= left - 1) {
		uint32_t full = s->full & s->next_pipe[hd_lowest_bit(left)];
		if (!full || (found && cause_of_full(s, full) != *cause))
			continue;
		*cause = cause_of_full(s, full);
		found |= left & -left;
	}
	return found;
}

static inline hd_stall decide(const hd_scheduler *s, uint32_t of, bool all, uint32_t *whose)
{
	uint32_t live = s->live & of, held = s->deciding | s->at_barrier | s->descheduled, able = live & ~held & ~s->fetch.starved;
	hd_stall cause;
	if (s->full && (*whose = with_full_pipe(s, able, all, &cause)))
		return cause;
	if ((*whose = able & s->blocked))
		return HD_STALL_SCOREBOARD;
	if ((*whose = able & s->for_second & ~s->delayed))
		return HD_STALL_PAIR;
	if ((*whose = able & s->for_constant))
		return HD_STALL_CONSTANT;
	if ((*whose = able & ~s->for_memory))
		return HD_STALL_DELAY;
	if ((*whose = able))
		return HD_STALL_HOLD;
	if ((*whose = live & s->deciding))
		return HD_STALL_FLOW;
	if ((*whose = live & ~held))
		return HD_STALL_FETCH;
	if ((*whose = live & s->for_waiters))
		return HD_STALL_WAIT_COUNTER;
	if ((*whose = live & s->for_room))
		return HD_STALL_COUNTER_FULL;
	if ((*whose = live & s->descheduled))
		return HD_STALL_HIGH_LATENCY;
	*whose = live;
	return live & s->at_barrier ? HD_STALL_BARRIER : live ? HD_STALL_OTHER : HD_STALL_NO_WARP;
}

hd_stall hd_cause(const hd_scheduler *s, uint32_t of, uint32_t *whose) { return decide(s, of, true, whose); }

uint32_t hd_unasked(const hd_core *core, const hd_scheduler *s, uint32_t ready)
{
	uint32_t held = 0;
	for (uint32_t left = core->footprint && core->window <= 1 ? ready : 0; left; left &= left - 1) {
		unsigned warp = hd_lowest_bit(left);
		uint32_t pc = s->flow[warp].pc;
		if (core->code[pc].kind != HD_KIND_NOP && !hd_scoreboard_ready(s->scoreboard, warp, &core->footprint[pc]))
			held |= 1u << warp;
	}
	return held;
}

hd_stall hd_idle_cause(const hd_scheduler *s)
{
	uint32_t whose;
	return decide(s, UINT32_MAX, false, &whose);
}

uint32_t hd_without_full_queues(const hd_scheduler *s, uint32_t can)
{
	for (uint32_t left = can; left; left &= left - 1)
		if (s->next_pipe[hd_lowest_bit(left)] & s->full)
			can &= ~(left & -left);
	return can;
}
